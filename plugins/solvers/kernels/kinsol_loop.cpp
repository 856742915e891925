#include "solvers/kernels/kinsol_loop.hpp"

#include "gnomon/base/error.hpp"

namespace gnomon::kernels {

void KinsolLoop::attach(N_Vector like, SUNContext context, KINSysFn function, void* user, long max_iterations,
                        long acceleration) {
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
  check(KINSetFuncNormTol(memory(), 1e-300), "KINSetFuncNormTol");
}

void KinsolLoop::use(const SunLinearSystem& linear, KINLsJacFn jacobian) {
  check(KINSetLinearSolver(memory(), linear.solver(), linear.matrix()), "KINSetLinearSolver");
  check(KINSetJacFn(memory(), jacobian), "KINSetJacFn");
}

void KinsolLoop::check(int flag, const char* call) {
  if (flag != KIN_SUCCESS)
    throw Error(ErrorCode::refused, std::string(call) + " of KINSOL returned " + std::to_string(flag));
}

int KinsolLoop::solve(double* x, int strategy) {
  double* const own = N_VGetArrayPointer(u_.get());
  N_VSetArrayPointer(x, u_.get());
  const int flag = KINSol(memory(), u_.get(), strategy, ones(), ones());
  N_VSetArrayPointer(own, u_.get());
  return flag;
}

}  // namespace gnomon::kernels
