#include "gnomon/scheme/scheme.hpp"

#include "gnomon/base/error.hpp"
#include "gnomon/base/options.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon {

Index StepEquations::carried_arguments(const State& z) const {
  return z.scheme_data.size();
}

OptionSpecs Scheme::options() const {
  return {};
}

Binding MechanicalScheme::bind(const Model& model, const Options& options) const {
  if (const System* system = model.mechanical()) {
    if (const std::string why = refuses_velocity_constraints(); system->parts().velocity_constraints && !why.empty())
      refuse(*this, *system, "it has constraints of velocities, " + why);
    return bind(*system, options);
  }
  throw Error(
      ErrorCode::refused,
      "scheme " + name() + " is for mechanical systems only, not for the overdetermined DAE \"" + model.name() + "\"");
}

std::string to_string(const Promises& promises) {
  std::string text = "order " + std::to_string(promises.order);
  if (promises.momentum_order > 0 && promises.momentum_order != promises.order)
    text += " (p: " + std::to_string(promises.momentum_order) + ")";
  if (!promises.constrained_limit) text += " (not to the constrained motion)";
  if (promises.energy) text += ", energy";
  if (promises.discrete_energy) text += ", discrete energy";
  if (promises.position) text += ", position";
  if (promises.hidden) text += ", hidden";
  if (promises.momentum) text += ", momentum";
  if (promises.symmetric) text += ", symmetric";
  if (promises.symplectic) text += ", symplectic";
  return text;
}

}  // namespace gnomon
