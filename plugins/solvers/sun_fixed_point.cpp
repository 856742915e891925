/// \file
/// sun-fixed-point: SUNDIALS' own SUNNonlinSol_FixedPoint, the Anderson-accelerated iteration of its
/// integrators, on
///
///     G(x) = x - P^-1 F(x),     P = dF/dx, frozen;
///
/// see kernels/fixed_point_iteration.hpp.

#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "gnomon/plugin.hpp"
#include "kernels/sun_fixed_point_iteration.hpp"

namespace {

using namespace gnomon;

class SunFixedPoint final : public SolverFactory {
 public:
  std::string name() const override { return "sun-fixed-point"; }
  std::string description() const override {
    return "SUNDIALS' SUNNonlinSol_FixedPoint with a frozen Jacobian and Anderson acceleration";
  }
  OptionSpecs options() const override {
    OptionSpecs specs = kernels::fixed_point_options();
    specs.insert(specs.begin(), kernels::depth_option());
    return specs;
  }
  std::unique_ptr<NonlinearSolver> create(const Options& options) const override {
    const long depth = options.integer("depth");
    const auto solver = [depth](N_Vector like, SUNContext context) {
      const long most = static_cast<long>(N_VGetLength(like));
      return SUNNonlinSol_FixedPoint(like, static_cast<int>(std::min(depth, most)), context);
    };
    return std::make_unique<kernels::SunFixedPointIteration>(solver, options);
  }
};

}  // namespace

GNOMON_PLUGIN(sun_fixed_point) {
  registrar.add(std::make_unique<SunFixedPoint>());
}
