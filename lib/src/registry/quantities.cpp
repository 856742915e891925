#include "gnomon/registry/quantities.hpp"

#include <algorithm>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/model/outputs.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/registry/coordinate_names.hpp"
#include "gnomon/start/consistency.hpp"
#include "gnomon/start/consistent_start.hpp"

namespace gnomon {

std::vector<std::pair<std::string, std::string>> all_quantities(const ProblemInstance& instance) {
  const System* const system = instance.model->mechanical();
  if (!system)
    throw Error(ErrorCode::refused, "system \"" + instance.model->name() +
                                        "\" is an overdetermined DAE, and quantities are those of mechanical systems");
  std::vector<std::pair<std::string, std::string>> all;
  const std::vector<std::string> coordinates = coordinate_names(*instance.model);
  for (const std::string& name : coordinates) all.emplace_back(name, "");
  for (const std::string& name : coordinates) all.emplace_back("der(" + name + ")", "");
  for (Index i = 0; i < system->m(); ++i) all.emplace_back("lambda." + constraint_name(*system, i), "");
  if (!instance.outputs) return all;
  for (const Output& output : instance.outputs->outputs()) {
    const auto taken = [&](const auto& one) { return one.first == output.name; };
    const bool twice = std::any_of(all.begin(), all.end(), taken);
    all.emplace_back((twice ? "output." : "") + output.name, output.unit);
  }
  return all;
}

Quantities::Quantities(const ProblemInstance& instance, const std::vector<std::string>& names) {
  const std::vector<std::pair<std::string, std::string>> all = all_quantities(instance);
  const Index n = instance.model->mechanical()->n(), m = instance.model->mechanical()->m();
  std::vector<std::string> known;
  for (const auto& one : all) known.push_back(one.first);
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) throw unknown_name("quantity of " + instance.model->name(), name, known);
    const auto place = static_cast<Index>(found - known.begin());
    if (place < n)
      chosen_.push_back({Kind::position, place});
    else if (place < 2 * n)
      chosen_.push_back({Kind::velocity, place - n});
    else if (place < 2 * n + m)
      chosen_.push_back({Kind::multiplier, place - 2 * n});
    else
      chosen_.push_back({Kind::output, place - 2 * n - m});
    units_.push_back(all[static_cast<std::size_t>(place)].second);
  }
}

bool Quantities::any(Kind kind) const {
  return std::any_of(chosen_.begin(), chosen_.end(), [kind](const One& one) { return one.kind == kind; });
}

void Quantities::measure(const Variant& of, const State& z, VectorRef out) const {
  const System& system = of.integrator.system();
  const Windings turns(z.turns);
  Vector v(system.n()), lambda, outputs;
  if (any(Kind::velocity)) {
    Vector scratch(system.n());
    system.velocity(z.q.value(), z.p.value(), scratch, v);
  }
  if (any(Kind::multiplier)) try {
      lambda = index1_multipliers(system, z.view(), of.integrator.constraint_rank().rank);
    } catch (const std::exception&) {
      lambda = Vector::Constant(system.m(), std::numeric_limits<double>::quiet_NaN());
    }
  if (any(Kind::output)) outputs = of.outputs.evaluate(z);
  for (std::size_t k = 0; k < chosen_.size(); ++k) {
    const One& one = chosen_[k];
    out[static_cast<Index>(k)] = one.kind == Kind::position     ? z.q.value()[one.entry]
                                 : one.kind == Kind::velocity   ? v[one.entry]
                                 : one.kind == Kind::multiplier ? lambda[one.entry]
                                                                : outputs[one.entry];
  }
}

}  // namespace gnomon
