#include "energy_momentum_ggl/steps.hpp"

#include "energy_momentum_ggl/ggl_equations.hpp"
#include "kernels/common/estimated_step.hpp"
#include "kernels/discrete_gradient/configuration_inertia.hpp"
#include "kernels/discrete_gradient/level_multiplier.hpp"
#include "kernels/discrete_gradient/midpoint_step.hpp"
#include "kernels/ggl/ggl_step.hpp"

namespace gnomon::kernels {

namespace {

class CorrectedGglStep : public GglStep<GglEquations> {
 public:
  using GglStep::GglStep;
  void predict(Index k, VectorRef x) override {
    GglStep::predict(k, x);
    equations_.look_at_start(x);
  }
  Next accept(Index k, const ConstVectorRef& x) override {
    return equations_.stands(x) ? GglStep::accept(k, x) : Next::repeat;
  }
};

}  // namespace

std::unique_ptr<StepEquations> ggl_step(const System& system, bool end_multipliers, const GglRule& rule) {
  return std::make_unique<EstimatedStep<CorrectedGglStep>>(system, end_multipliers, false, rule);
}

std::unique_ptr<StepEquations> level_step(const System& system, bool end_multipliers, const MidpointRule& rule) {
  using Step = MidpointStep<LevelMultiplier, ConfigurationInertia>;
  return std::make_unique<EstimatedStep<Step>>(system, end_multipliers, rule, LevelMultiplier::Rule{true});
}

}  // namespace gnomon::kernels
