#pragma once
/// \file
/// How a SUNNonlinearSolver reaches the solvers around it: by a function, since every system of a scheme needs its own.

#include <sundials/sundials_nonlinearsolver.h>

#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "gnomon/error.hpp"
#include "gnomon/sundials_compat.hpp"

namespace gnomon::kernels {

/// Makes a SUNNonlinearSolver for vectors like the first argument; the caller owns it. Null where that fails.
using SunNonlinearCreator = std::function<SUNNonlinearSolver(N_Vector, SUNContext)>;

struct SunNonlinearFree {
  void operator()(SUNNonlinearSolver s) const { SUNNonlinSolFree(s); }
};
using SunNonlinearOwner = std::unique_ptr<std::remove_pointer_t<SUNNonlinearSolver>, SunNonlinearFree>;

/// Throws Error(refused) where a call of the SUNNonlinearSolver interface failed.
inline void check_sun_call(int flag, const char* call) {
  if (flag != 0) throw Error(ErrorCode::refused, std::string(call) + " returned " + std::to_string(flag));
}

}  // namespace gnomon::kernels
