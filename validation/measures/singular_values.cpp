#include "measures/singular_values.hpp"

template class Eigen::JacobiSVD<gnomon::Matrix>;
