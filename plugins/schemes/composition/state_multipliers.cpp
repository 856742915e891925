#include "composition/state_multipliers.hpp"

namespace gnomon::kernels {

StateMultipliers::StateMultipliers(const Model& model) {
  const System* system = model.mechanical();
  if (model.m() == 0) return;
  if (system && !system->parts().friction) {
    linear_.emplace(*system);
    return;
  }
  if (system && (system->parts().time_dependence || system->parts().obstacles)) return;
  dae_ = overdetermined_from(std::shared_ptr<const Model>(std::shared_ptr<const Model>(), &model));
  const OverdeterminedTraits& traits = dae_->traits();
  if (traits.nz + traits.m > most_unknowns) return;
  system_ = system;
  z_.setZero(traits.nz);
  slope_ = z_;
  psi_.setZero(traits.m);
  nonlinear_.emplace(*dae_);
}

void StateMultipliers::solve(State& state) {
  if (linear_) linear_->solve(state.t, state.q.value(), state.p.value(), state.lambda);
  if (!nonlinear_) return;
  if (system_)
    system_->velocity(state.q.value(), state.p.value(), slope_, z_);
  else
    z_ = state.scheme_data;
  psi_ = state.lambda;
  try {
    nonlinear_->solve(state.q.value(), z_, slope_, psi_);
    state.lambda = psi_;
  } catch (...) {
    // Where there is none the step is no worse.
  }
}

}  // namespace gnomon::kernels
