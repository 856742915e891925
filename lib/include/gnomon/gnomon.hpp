#pragma once
/// \file
/// Everything a user of the C++ library needs.

#include "gnomon/attached_solver.hpp"
#include "gnomon/autodiff_overdetermined.hpp"
#include "gnomon/autodiff_system.hpp"
#include "gnomon/checkpoint.hpp"
#include "gnomon/consistency.hpp"
#include "gnomon/contact.hpp"
#include "gnomon/error.hpp"
#include "gnomon/integrator.hpp"
#include "gnomon/linear_algebra.hpp"
#include "gnomon/problem.hpp"
#include "gnomon/reference.hpp"
#include "gnomon/registry.hpp"
#include "gnomon/scheme.hpp"
#include "gnomon/step_warning.hpp"
#include "gnomon/system.hpp"
