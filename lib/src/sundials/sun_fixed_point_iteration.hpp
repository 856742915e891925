#pragma once
/// \file
/// Any SUNNonlinearSolver of type SUNNONLINEARSOLVER_FIXEDPOINT as a NonlinearSolver: in the form in which SUNDIALS'
/// integrators use it (SUNNonlinSolSetSysFn, SetConvTestFn, SUNNonlinSolSolve), the map
///
///     y -> G(x0 + y) - x0,     y = 0 at first, x0 the start value,
///
/// with G(x) = x - P^-1 F(x) of fixed_point_iteration.hpp.

#include <utility>

#include "gnomon/sundials/fixed_point_iteration.hpp"
#include "sundials/sun_nonlinear.hpp"

namespace gnomon {

class SunFixedPointIteration final : public FixedPointIteration {
 public:
  SunFixedPointIteration(SunNonlinearCreator create, const AlgebraTable& algebras, const Options& options)
      : FixedPointIteration(algebras, options), create_(std::move(create)) {}

 private:
  void allocate(N_Vector like) override {
    for (SunOwner<N_Vector>* v : {&start_, &correction_, &ones_}) {
      v->reset(N_VClone(like));
      if (!*v) throw Error(ErrorCode::refused, "SUNDIALS could not allocate its vectors");
    }
    N_VConst(1.0, ones_.get());
    sum_.setZero(size());
    solver_.reset(create_(start_.get(), context_));
    if (!solver_ || SUNNonlinSolGetType(solver_.get()) != SUNNONLINEARSOLVER_FIXEDPOINT)
      throw Error(ErrorCode::refused, "no SUNNonlinearSolver for fixed points was created");
    check_sun_call(SUNNonlinSolSetSysFn(solver_.get(), map_callback), "SUNNonlinSolSetSysFn");
    check_sun_call(SUNNonlinSolSetConvTestFn(solver_.get(), test, this), "SUNNonlinSolSetConvTestFn");
    check_sun_call(SUNNonlinSolSetMaxIters(solver_.get(), static_cast<int>(max_iterations() + 2)),
                   "SUNNonlinSolSetMaxIters");
    check_sun_call(SUNNonlinSolInitialize(solver_.get()), "SUNNonlinSolInitialize");
  }

  void iterate(Vector& x) override {
    map(start_.get()) = x;
    N_VConst(0.0, correction_.get());
    SUNNonlinSolSetup(solver_.get(), correction_.get(), this);
    SUNNonlinSolSolve(solver_.get(), start_.get(), correction_.get(), ones_.get(), 1.0, SUNFALSE, this);
  }

  Eigen::Map<Vector> map(N_Vector v) const { return {N_VGetArrayPointer(v), size()}; }

  static int map_callback(N_Vector y, N_Vector g, void* self) {
    auto& me = *static_cast<SunFixedPointIteration*>(self);
    if (me.over()) return -1;
    me.sum_ = me.map(me.start_.get()) + me.map(y);
    me.map(g) = me.map(y);
    if (me.advance(me.sum_)) me.map(g) -= me.correction();
    return 0;
  }

  static int test(SUNNonlinearSolver, N_Vector, N_Vector, SunReal, N_Vector, void* self) {
    return static_cast<SunFixedPointIteration*>(self)->over() ? 0 : SUN_NLS_CONTINUE;
  }

  SunNonlinearCreator create_;
  Vector sum_;
  SunOwner<N_Vector> start_, correction_, ones_;
  SunNonlinearOwner solver_;
};

}  // namespace gnomon
