/// \file
/// sun-fixed-point: SUNDIALS' own SUNNonlinSol_FixedPoint, the Anderson-accelerated iteration of its integrators, on
///
///     G(x) = x - P^-1 F(x),     P = dF/dx, frozen;
///
/// see gnomon/fixed_point_iteration.hpp.

#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>

#include "gnomon/registry/plugin.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"
#include "gnomon/sundials/attached_solver.hpp"
#include "gnomon/sundials/fixed_point_iteration.hpp"

namespace {

using namespace gnomon;

class SunFixedPoint final : public SolverFactory {
 public:
  explicit SunFixedPoint(const AlgebraTable& algebras) : algebras_(&algebras) {}
  std::string name() const override { return "sun-fixed-point"; }
  std::string description() const override {
    return "SUNDIALS' SUNNonlinSol_FixedPoint with a frozen Jacobian and Anderson acceleration";
  }
  OptionSpecs options() const override {
    OptionSpecs specs = fixed_point_options(*algebras_);
    specs.insert(specs.begin(), depth_option());
    return specs;
  }
  std::unique_ptr<NonlinearSolver> create(const Options& options) const override {
    const long depth = options.integer("depth");
    const auto make = [depth](N_Vector like, SUNContext context) {
      const long most = static_cast<long>(N_VGetLength(like));
      return SUNNonlinSol_FixedPoint(like, static_cast<int>(std::min(depth, most)), context);
    };
    return AttachedSolver(name(), make, *algebras_).create(options);
  }

 private:
  const AlgebraTable* algebras_;
};

}  // namespace

GNOMON_PLUGIN(sun_fixed_point) {
  registrar.add(std::make_unique<SunFixedPoint>(registrar.algebras()));
}
