#pragma once
/// \file
/// Owner and checked calls of SUNNonlinearSolvers.

#include <sundials/sundials_nonlinearsolver.h>

#include <memory>
#include <string>
#include <type_traits>

#include "gnomon/base/error.hpp"

namespace gnomon {

struct SunNonlinearFree {
  void operator()(SUNNonlinearSolver s) const { SUNNonlinSolFree(s); }
};
using SunNonlinearOwner = std::unique_ptr<std::remove_pointer_t<SUNNonlinearSolver>, SunNonlinearFree>;

/// Throws Error(refused) where a call of the SUNNonlinearSolver interface failed.
inline void check_sun_call(int flag, const char* call) {
  if (flag != 0) throw Error(ErrorCode::refused, std::string(call) + " returned " + std::to_string(flag));
}

}  // namespace gnomon
