#pragma once
/// \file
/// A SUNNonlinearSolver in the form in which SUNDIALS' integrators use it (SUNNonlinSolSetSysFn, SetConvTestFn,
/// SUNNonlinSolSolve): for y, with x = x0 + y, y = 0 at first, x0 the start value.

#include <nvector/nvector_serial.h>
#include <sundials/sundials_nonlinearsolver.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/sundials/attached_solver.hpp"

namespace gnomon {

struct SunNonlinearFree {
  void operator()(SUNNonlinearSolver s) const { SUNNonlinSolFree(s); }
};
using SunNonlinearOwner = std::unique_ptr<std::remove_pointer_t<SUNNonlinearSolver>, SunNonlinearFree>;

class SunNonlinear {
 public:
  SunNonlinear(SunNonlinearCreator create, SUNNonlinearSolver_Type type) : create_(std::move(create)), type_(type) {}

  /// The functions are called with `user`. Throws Error(refused) where a call fails.
  void attach(N_Vector like, SUNContext context, long max_iterations, SUNNonlinSolSysFn system,
              SUNNonlinSolConvTestFn test, void* user) {
    user_ = user;
    for (SunOwner<N_Vector>* v : {&start_, &y_, &ones_}) {
      v->reset(N_VClone(like));
      if (!*v) throw Error(ErrorCode::refused, "SUNDIALS could not allocate its vectors");
    }
    N_VConst(1.0, ones_.get());
    x_.setZero(N_VGetLength(like));
    solver_.reset(create_(start_.get(), context));
    if (!solver_ || SUNNonlinSolGetType(solver_.get()) != type_)
      throw Error(ErrorCode::refused, "no SUNNonlinearSolver of the expected type was created");
    check(SUNNonlinSolSetSysFn(get(), system), "SUNNonlinSolSetSysFn");
    check(SUNNonlinSolSetConvTestFn(get(), test, user), "SUNNonlinSolSetConvTestFn");
    check(SUNNonlinSolSetMaxIters(get(), static_cast<int>(max_iterations)), "SUNNonlinSolSetMaxIters");
  }
  /// After the last call that sets something.
  void initialise() { check(SUNNonlinSolInitialize(get()), "SUNNonlinSolInitialize"); }
  static void check(int flag, const char* call) {
    if (flag != 0) throw Error(ErrorCode::refused, std::string(call) + " returned " + std::to_string(flag));
  }
  SUNNonlinearSolver get() const { return solver_.get(); }

  void begin(const ConstVectorRef& x0) {
    map(start_.get()) = x0;
    N_VConst(0.0, y_.get());
    SUNNonlinSolSetup(get(), y_.get(), user_);
  }
  /// From x0; SUNDIALS' flag. set_up: whether it is to call the set-up first.
  int solve(bool set_up) {
    N_VConst(0.0, y_.get());
    return SUNNonlinSolSolve(get(), start_.get(), y_.get(), ones_.get(), 1.0, set_up ? SUNTRUE : SUNFALSE, user_);
  }
  /// x0 + y
  const Vector& point(N_Vector y) { return x_ = map(start_.get()) + map(y); }
  /// That of the last y.
  const Vector& point() const { return x_; }
  const Vector& result() { return point(y_.get()); }

  static Eigen::Map<Vector> map(N_Vector v) { return {N_VGetArrayPointer(v), N_VGetLength(v)}; }

 private:
  SunNonlinearCreator create_;
  SUNNonlinearSolver_Type type_;
  void* user_ = nullptr;
  Vector x_;
  SunOwner<N_Vector> start_, y_, ones_;
  SunNonlinearOwner solver_;
};

}  // namespace gnomon
