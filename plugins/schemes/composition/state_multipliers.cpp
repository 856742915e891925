#include "composition/state_multipliers.hpp"

namespace gnomon::kernels {

StateMultipliers::StateMultipliers(const Model& model) {
  if (model.m() == 0) return;
  if (const System* system = model.mechanical()) {
    if (system->parts().friction && system->parts().obstacles) return;
    of_system_.emplace(*system);
    for (Vector* v : {&z_, &slope_}) v->setZero(system->n());
    psi_.setZero(system->m());
    return;
  }
  dae_ = overdetermined_from(std::shared_ptr<const Model>(std::shared_ptr<const Model>(), &model));
  const OverdeterminedTraits& traits = dae_->traits();
  if (traits.nz + traits.m > most_unknowns) return;
  z_.setZero(traits.nz);
  slope_ = z_;
  psi_.setZero(traits.m);
  of_dae_.emplace(*dae_);
}

void StateMultipliers::solve(State& state) {
  if (!of_system_ && !of_dae_) return;
  psi_ = state.lambda;
  if (of_system_) {
    if (of_system_->solve(state.t, state.q.value(), state.p.value(), psi_, z_, slope_)) state.lambda = psi_;
    return;
  }
  z_ = state.scheme_data;
  try {
    of_dae_->solve(state.q.value(), z_, slope_, psi_);
    state.lambda = psi_;
  } catch (...) {
    // Where there is none the step is no worse.
  }
}

}  // namespace gnomon::kernels
