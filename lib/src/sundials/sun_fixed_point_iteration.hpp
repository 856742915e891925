#pragma once
/// \file
/// Any SUNNonlinearSolver of type SUNNONLINEARSOLVER_FIXEDPOINT as a NonlinearSolver: the map
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
      : FixedPointIteration(algebras, options), loop_(std::move(create), SUNNONLINEARSOLVER_FIXEDPOINT) {}

 private:
  void allocate(N_Vector like) override {
    loop_.attach(like, context_, rule_.max_iterations + 2, map_callback, test, this);
    loop_.initialise();
  }

  void iterate(Vector& x) override {
    loop_.begin(x);
    loop_.solve(false);
  }

  static int map_callback(N_Vector y, N_Vector g, void* self) {
    auto& me = *static_cast<SunFixedPointIteration*>(self);
    if (me.over()) return -1;
    auto image = SunNonlinear::map(g);
    image = SunNonlinear::map(y);
    if (me.advance(me.loop_.point(y))) image -= me.correction();
    return 0;
  }

  static int test(SUNNonlinearSolver, N_Vector, N_Vector, SunReal, N_Vector, void* self) {
    return static_cast<SunFixedPointIteration*>(self)->over() ? 0 : SUN_NLS_CONTINUE;
  }

  SunNonlinear loop_;
};

}  // namespace gnomon
