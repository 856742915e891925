/// \file
/// sun-newton: SUNDIALS' own SUNNonlinSol_Newton, the Newton iteration of its integrators, on the scaled equations
///
///     J(x) dx = -F(x),   x += dx,
///
/// with a Jacobian in every iteration or one that is kept from solve to solve: gnomon::AttachedSolver.

#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "gnomon/registry/plugin.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"
#include "gnomon/sundials/attached_solver.hpp"

namespace {

class SunNewton final : public gnomon::SolverFactory {
 public:
  explicit SunNewton(const gnomon::AlgebraTable& algebras) : attached_("sun-newton", SUNNonlinSol_Newton, algebras) {}
  std::string name() const override { return attached_.name(); }
  std::string description() const override { return "SUNDIALS' SUNNonlinSol_Newton, full or with a kept matrix"; }
  gnomon::OptionSpecs options() const override { return attached_.options(); }
  std::unique_ptr<gnomon::NonlinearSolver> create(const gnomon::Options& options) const override {
    return attached_.create(options);
  }

 private:
  gnomon::AttachedSolver attached_;
};

}  // namespace

GNOMON_PLUGIN(sun_newton) {
  registrar.add(std::make_unique<SunNewton>(registrar.algebras()));
}
