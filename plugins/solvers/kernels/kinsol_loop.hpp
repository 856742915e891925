#pragma once
/// \file
/// KINSOL's loop on the unknowns of a solver: its memory, its vectors and what all iterations set in the same way.

#include <kinsol/kinsol.h>

#include <memory>
#include <string>

#include "gnomon/sundials/sun_linear_system.hpp"

namespace gnomon::kernels {

class KinsolLoop {
 public:
  /// For vectors like the first one; `function` is called with `user`. KINSOL's own test of F is switched off.
  /// acceleration: the depth of Anderson's method. Throws Error(refused) where a call of KINSOL fails.
  void attach(N_Vector like, SUNContext context, KINSysFn function, void* user, long max_iterations,
              long acceleration = 0);
  /// Newton and Picard iterations.
  void use(const SunLinearSystem& linear, KINLsJacFn jacobian);
  /// Throws Error(refused) where a call of KINSOL failed.
  static void check(int flag, const char* call);

  /// From x, in place; KINSOL's flag.
  int solve(double* x, int strategy);
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
