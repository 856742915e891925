#pragma once
/// \file
/// KINSOL's loop on the unknowns of a solver: its memory, its vectors and what all iterations set in the same way.

#include <kinsol/kinsol.h>

#include <memory>
#include <string>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/sundials/sun_linear_system.hpp"

namespace gnomon::kernels {

class KinsolLoop {
 public:
  /// For vectors like the first one; `function` is called with `user`. KINSOL's own test of F is switched off.
  /// acceleration: the depth of Anderson's method. Throws Error(refused) where a call of KINSOL fails.
  void attach(N_Vector like, SUNContext context, KINSysFn function, void* user, long max_iterations,
              long acceleration = 0) {
    u_.reset(N_VClone(like));
    ones_.reset(N_VClone(like));
    memory_.reset(KINCreate(context));
    if (!u_ || !ones_ || !memory_) throw Error(ErrorCode::refused, "KINSOL could not allocate its memory");
    N_VConst(1.0, ones_.get());
    message_.text.reserve(1024);  // so that a message during a solve allocates nothing
    GNOMON_CAPTURE_MESSAGES(KINSetErrHandlerFn, memory(), context, &message_);
    check(KINSetNumMaxIters(memory(), max_iterations), "KINSetNumMaxIters");
    check(KINSetMAA(memory(), acceleration), "KINSetMAA");
    check(KINInit(memory(), function, u_.get()), "KINInit");
    check(KINSetUserData(memory(), user), "KINSetUserData");
    check(KINSetFuncNormTol(memory(), thresholds::never_met), "KINSetFuncNormTol");
  }
  /// Newton and Picard iterations.
  void use(SUNLinearSolver linear, SUNMatrix matrix, KINLsJacFn jacobian) {
    check(KINSetLinearSolver(memory(), linear, matrix), "KINSetLinearSolver");
    check(KINSetJacFn(memory(), jacobian), "KINSetJacFn");
  }
  /// Throws Error(refused) where a call of KINSOL failed.
  static void check(int flag, const char* call) {
    if (flag != KIN_SUCCESS)
      throw Error(ErrorCode::refused, std::string(call) + " of KINSOL returned " + std::to_string(flag));
  }

  /// From x, in place; KINSOL's flag.
  int solve(double* x, int strategy) {
    double* const own = N_VGetArrayPointer(u_.get());
    N_VSetArrayPointer(x, u_.get());
    const int flag = KINSol(memory(), u_.get(), strategy, ones(), ones());
    N_VSetArrayPointer(own, u_.get());
    return flag;
  }
  void* memory() const { return memory_.get(); }
  N_Vector ones() const { return ones_.get(); }

 private:
  struct Free {
    void operator()(void* memory) const { KINFree(&memory); }
  };
  SunMessage message_;
  SunOwner<N_Vector> u_, ones_;
  std::unique_ptr<void, Free> memory_;
};

}  // namespace gnomon::kernels
