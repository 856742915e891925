#include "bench/precision/contenders.hpp"

#include <algorithm>

#include "gnomon/base/error.hpp"
#include "gnomon/contact/contact.hpp"
#include "gnomon/registry/suited_scheme.hpp"

namespace gnomon::bench {

namespace {

struct Variant {
  const char* scheme;
  Assignments options;
};

/// Beside the default options: higher orders.
const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = {
      {"composition", {{"inner", "energy-momentum"}, {"order", "6"}}},
      {"composition", {{"inner", "energy-momentum-ggl"}, {"order", "4"}, {"paired", "no"}}},
      {"composition", {{"inner", "energy-momentum-ggl"}, {"order", "6"}, {"paired", "no"}}},
      {"composition", {{"inner", "rattle"}, {"order", "4"}, {"paired", "no"}}},
      {"composition", {{"inner", "rattle"}, {"order", "6"}, {"paired", "no"}}},
      {"composition", {{"inner", "symplectic-euler-true"}, {"order", "4"}, {"paired", "no"}}},
      {"composition", {{"inner", "symplectic-euler-true"}, {"order", "6"}, {"paired", "no"}}},
      {"hbvm", {{"s", "3"}}},
      {"line-integral-ggl", {{"s", "3"}}},
      {"line-integral-ggl", {{"s", "4"}}},
      {"line-integral-ggl", {{"s", "5"}}},
      {"projected-rk", {{"stages", "4"}}},
      {"projected-rk", {{"stages", "5"}}}};
  return all;
}

std::string label(const std::string& name, const Assignments& options) {
  std::string text;
  for (const auto& [option, value] : options) {
    if (option == "paired") continue;
    text += (text.empty() ? "" : ",") + (option == "inner" ? value : option + "=" + value);
  }
  return text.empty() ? name : name + "(" + text + ")";
}

}  // namespace

std::vector<Series> contenders(const Registry& registry, const ProblemInstance& instance,
                               std::vector<std::pair<std::string, std::string>>& left_out) {
  std::vector<Series> found;
  const auto offer = [&](const std::string& name, const Assignments& given, bool controlled = false) {
    Series series;
    series.contender = {label(name, given), name, given};
    series.contender.controlled = controlled;
    if (controlled) series.contender.label += " by rtol";
    try {
      const Scheme& scheme = registry.scheme(name);
      const SolverFactory& solver = registry.solver(series.contender.solver);
      IntegratorOptions options;
      options.event_driver = contact_driver;
      Integrator integrator(instance.model, scheme, Options("scheme " + name, scheme.options(), given), solver,
                            Options("solver " + series.contender.solver, solver.options()), options);
      if (controlled) integrator.set_tolerances(Tolerances(1e-3));
      const Promises& promises = integrator.promises();
      series.order = promises.order;
      series.energy = promises.energy;
      if (promises.order < 1 || !promises.constrained_limit)
        left_out.emplace_back(series.contender.label, "it does not tend to the motion as h -> 0");
      else
        found.push_back(series);
    } catch (const Error& error) {
      left_out.emplace_back(series.contender.label, error.what());
    }
  };
  for (const std::string& scheme : registry.schemes()) {
    offer(scheme, {});
    for (const Variant& variant : variants())
      if (variant.scheme == scheme) offer(scheme, variant.options);
  }
  if (const System* system = instance.model->mechanical())
    for (const SchemeChoice& choice : tolerance_candidates(*system)) offer(choice.scheme, choice.options, true);
  std::stable_sort(found.begin(), found.end(), [](const Series& x, const Series& y) { return x.order > y.order; });
  for (const std::string& reference : registry.references()) {
    if (reference == "exact") continue;
    Series series;
    series.contender = {reference, reference, {}, false};
    try {
      const Reference& code = registry.reference(reference);
      code.start(instance, Options(reference, code.options(), tolerance(1e-4)));
      found.push_back(series);
    } catch (const Error& error) {
      left_out.emplace_back(reference, error.what());
    }
  }
  return found;
}

}  // namespace gnomon::bench
