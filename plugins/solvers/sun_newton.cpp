/// \file
/// sun-newton: SUNDIALS' own SUNNonlinSol_Newton, the Newton iteration of its integrators, on the scaled
/// equations
///
///     J(x) dx = -F(x),   x += dx,
///
/// with a Jacobian in every iteration or one that is kept from solve to solve; see kernels/sun_newton_iteration.hpp.

#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "gnomon/plugin.hpp"
#include "kernels/sun_newton_iteration.hpp"

namespace {

class SunNewton final : public gnomon::SolverFactory {
 public:
  std::string name() const override { return "sun-newton"; }
  std::string description() const override { return "SUNDIALS' SUNNonlinSol_Newton, full or with a kept matrix"; }
  gnomon::OptionSpecs options() const override { return gnomon::kernels::sun_newton_options(); }
  std::unique_ptr<gnomon::NonlinearSolver> create(const gnomon::Options& options) const override {
    return std::make_unique<gnomon::kernels::SunNewtonIteration>(SUNNonlinSol_Newton, options);
  }
};

}  // namespace

GNOMON_PLUGIN(sun_newton) {
  registrar.add(std::make_unique<SunNewton>());
}
