#pragma once
/// \file
/// Everything a user of the C++ library needs.

#include "gnomon/base/error.hpp"
#include "gnomon/contact/contact.hpp"
#include "gnomon/mechanism/mechanism.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/model/autodiff_overdetermined.hpp"
#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/registry/registry.hpp"
#include "gnomon/run/checkpoint.hpp"
#include "gnomon/run/evaluated_outputs.hpp"
#include "gnomon/run/integrator.hpp"
#include "gnomon/run/reference.hpp"
#include "gnomon/run/states_at_times.hpp"
#include "gnomon/scheme/scheme.hpp"
#include "gnomon/scheme/step_warning.hpp"
#include "gnomon/solve/linear_algebra.hpp"
#include "gnomon/start/consistency.hpp"
#include "gnomon/start/verify.hpp"
#include "gnomon/sundials/attached_solver.hpp"
