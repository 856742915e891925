#include "kernels/euler/euler_scheme.hpp"

#include <memory>

#include "gnomon/base/error.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/euler/euler_step.hpp"

namespace gnomon::kernels {

Slot reflected(Slot slot) {
  static constexpr Slot other[] = {Slot::y1, Slot::y0, Slot::z1, Slot::Z, Slot::z0, Slot::first, Slot::second};
  return other[static_cast<std::size_t>(slot)];
}

std::vector<TermTable> in_order(TermTable first, const TermTable& second, bool coupled) {
  if (!coupled) return {std::move(first), second};
  first.unknowns.insert(first.unknowns.end(), second.unknowns.begin(), second.unknowns.end());
  first.rows.insert(first.rows.end(), second.rows.begin(), second.rows.end());
  return {std::move(first)};
}

OptionSpecs EulerScheme::options() const {
  OptionSpecs specs{OptionSpec::real("alpha", 0.5, -1e3, 1e3, "",
                                     method_.one_excluded
                                         ? "share of the multiplier force that acts before the positions; not 0, not 1"
                                         : "share of the multiplier force that acts before the positions; not 0")};
  if (method_.arguments) {
    specs.push_back(OptionSpec::choice("start", {"z0", "stage", "z1"},
                                       "z of the multiplier force at the start of the step; of an adjoint, at the end, "
                                       "with z0 and z1 exchanged"));
    specs.push_back(OptionSpec::choice("end", {"z1", "stage", "z0"},
                                       "z of the multiplier force at the end of the step; of an adjoint, at the start, "
                                       "with z0 and z1 exchanged"));
  }
  if (method_.mixes)
    specs.push_back(OptionSpec::choice("mix", {"symplectic", "explicit", "implicit"},
                                       "f and v at (y0,Z); f at (y0,z0), v at (y0,Z); both at (y1,Z)"));
  return specs;
}

Promises EulerScheme::promises() const {
  Promises p;
  p.order = 1;
  p.position = p.hidden = p.symplectic = true;
  return p;
}

Binding EulerScheme::bind(const Model& model, const Options& options) const {
  if (const System* system = model.mechanical(); system && system->parts().velocity_constraints)
    refuse(*this, *system, "it has constraints of velocities, " + refuses_velocity_constraints());
  const double alpha = options.real("alpha");
  const auto refuse_alpha = [&](const char* expected) {
    throw Error(ErrorCode::bad_value,
                "scheme " + method_.name + ": alpha = " + number_text(alpha) + ", expected " + expected);
  };
  if (alpha == 0) refuse_alpha("a number other than 0: the first multiplier would have no force");
  if (alpha == 1 && method_.one_excluded)
    refuse_alpha("a number other than 1: the second multiplier would have no force");
  EulerChoice choice;
  choice.alpha = alpha;
  if (method_.arguments) {
    choice.start = slot_of(options, "start");
    choice.end = slot_of(options, "end");
  }
  if (method_.mixes && options.is("mix", "explicit")) choice.mix = EulerChoice::Mix::explicit_force;
  if (method_.mixes && options.is("mix", "implicit")) choice.mix = EulerChoice::Mix::implicit;
  Binding binding;
  // The caller keeps the model alive, see Scheme::bind.
  const std::shared_ptr<const Model> unowned(std::shared_ptr<void>(), &model);
  const OverdeterminedInTime dae(unowned);
  const OverdeterminedTraits& traits = dae.system().traits();
  binding.promises.order = method_.consistent || traits.affine ? 1 : 0;
  binding.promises.constrained_limit = binding.promises.order > 0;
  binding.promises.position = binding.promises.hidden = true;
  binding.promises.symplectic = traits.hamiltonian && !dae.moves() && choice.mix == EulerChoice::Mix::symplectic;
  binding.equations = std::make_unique<EulerStep>(unowned, method_.tables(choice));
  return binding;
}

Slot EulerScheme::slot_of(const Options& options, const char* name) {
  if (options.is(name, "stage")) return Slot::Z;
  return options.is(name, "z0") ? Slot::z0 : Slot::z1;
}

}  // namespace gnomon::kernels
