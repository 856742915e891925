#define GNOMON_EIGEN_INSTANCE template
#include "base/eigen_instances.hpp"
