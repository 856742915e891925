#include "gnomon/registry/suited_scheme.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "gnomon/base/error.hpp"
#include "gnomon/contact/contact.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/registry/registry.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon {

namespace {

constexpr Index few_coordinates = 60;
/// Largest k and degrees of line-integral-ggl.
constexpr int most_nodes = 20;

/// The promises of the run by this scheme; empty where it is refused, with the reason.
std::optional<Promises> promises_of(const Registry& registry, const SuitedRun& run, const SchemeChoice& choice,
                                    std::string& refusal) {
  try {
    const Scheme& scheme = registry.scheme(choice.scheme);
    IntegratorOptions options = run.options;
    if (!options.event_driver) options.event_driver = contact_driver;
    Integrator integrator(run.start.model, scheme, Options("scheme " + choice.scheme, scheme.options(), choice.options),
                          *run.solver, run.solver_options, options);
    if (run.relative > 0) integrator.set_tolerances(Tolerances(run.relative));
    return integrator.promises();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused && error.code() != ErrorCode::unknown_name) throw;
    if (refusal.empty()) refusal = error.what();
    return std::nullopt;
  }
}

/// Whether the constraints leave a motion at the start. (Their number does not say it: some may repeat others.)
bool leaves_motion(const ProblemInstance& start) {
  const System& system = *start.model->mechanical();
  return system.m() < system.n() || constraint_rank(system, start.t0, start.q0).rank < system.n();
}

struct Priced {
  double cost;
  SchemeChoice choice;
};

/// In the table: so much or more, or no run of this error. And in place of a row.
constexpr double not_measured = 1000;

/// Steps of order p by r^(-1/p), each with matrices of all stages.
double expected_cost(const SchemeChoice& choice, double relative) {
  const double stages = std::max(1, choice.stages);
  return stages * stages * std::pow(relative, -1 / (2 * stages));
}

/// The candidates in the order of their cost at the nearest tolerance of the table; those without a row come last.
std::vector<Priced> by_cost(const System& system, const SuitedRun& run) {
  const double relative = run.relative;
  const std::string own = class_of(system);
  double nearest = 0, distance = 0;
  for (const SuitedRow& row : suited_table()) {
    const double apart = std::abs(std::log(row.tolerance / relative));
    if (row.model_class != own || (nearest > 0 && apart >= distance)) continue;
    nearest = row.tolerance;
    distance = apart;
  }
  std::vector<Priced> priced;
  for (SchemeChoice& candidate : tolerance_candidates(system)) {
    double cost = not_measured;
    for (const SuitedRow& row : suited_table())
      if (row.model_class == own && row.tolerance == nearest && row.scheme == candidate.scheme &&
          row.stages == candidate.stages)
        cost = row.cost;
    if (cost >= not_measured) cost *= expected_cost(candidate, relative);
    priced.push_back({cost, std::move(candidate)});
  }
  std::stable_sort(priced.begin(), priced.end(), [](const Priced& a, const Priced& b) { return a.cost < b.cost; });
  if (!leaves_motion(run.start))
    for (Priced& each : priced)
      for (auto& [name, value] : each.choice.options)
        if (name == "projection") value = "pv";
  return priced;
}

/// So many times as dear as the cheapest that takes the run what promises its energy may be.
constexpr double price_of_energy = 20;

/// The first that promises everything, unless it is too dear, or the first that takes the run; without a scheme: none
/// does.
SchemeChoice first_of(const Registry& registry, const SuitedRun& run, const std::vector<Priced>& sorted,
                      std::string& refusal) {
  Priced any{0, {}};
  for (const Priced& each : sorted) {
    const std::optional<Promises> promises = promises_of(registry, run, each.choice, refusal);
    if (!promises) continue;
    if (any.choice.scheme.empty()) any = each;
    if (each.cost > price_of_energy * any.cost) break;
    if ((promises->energy || !leaves_motion(run.start)) && promises->position && promises->hidden) return each.choice;
  }
  return any.choice;
}

}  // namespace

std::string to_string(const SchemeChoice& choice) {
  std::string text = choice.scheme;
  for (const auto& [name, value] : choice.options) text += " " + name + "=" + value;
  return text;
}

const std::vector<SuitedRow>& suited_table() {
  static const std::vector<SuitedRow> table = {
#include "registry/suited_schemes.inc"
  };
  return table;
}

std::string class_of(const System& system) {
  if (system.parts().mass) return "M(q)";
  return std::string("constant mass, ") + (system.n() <= few_coordinates ? "up to " : "above ") +
         std::to_string(few_coordinates) + " coordinates, " + (2 * system.m() > system.n() ? "" : "no ") +
         "more than half of them bound";
}

std::vector<SchemeChoice> tolerance_candidates(const System& system) {
  // Obstacles are constraints while they are closed.
  const Obstacles* obstacles = system.parts().obstacles;
  const std::shared_ptr<const System> closed = obstacles ? obstacles->with_obstacles_closed() : nullptr;
  const SystemTraits& traits = closed ? closed->traits() : system.traits();
  const int degree = std::max(traits.potential_degree, traits.constraint_degree);
  const bool polynomial =
      !system.parts().mass && traits.potential_degree >= 0 && (traits.m == 0 || traits.constraint_degree >= 0);
  std::vector<SchemeChoice> all = {{"energy-momentum-ggl", 0, {}}};
  for (int s = 2; s <= 5; ++s) {
    SchemeChoice choice{"line-integral-ggl", s, {{"s", std::to_string(s)}}};
    const int nodes = (s * degree + 1) / 2;
    if (polynomial && nodes > s && nodes <= most_nodes) choice.options.emplace_back("k", std::to_string(nodes));
    all.push_back(choice);
  }
  for (int stages = 2; stages <= 5; ++stages)
    all.push_back({"projected-rk", stages, {{"stages", std::to_string(stages)}, {"projection", "pve"}}});
  return all;
}

SchemeChoice suited_scheme(const Registry& registry, const SuitedRun& run) {
  std::string refusal;
  if (!(run.relative > 0)) {
    for (const SchemeChoice& each :
         {SchemeChoice{"energy-momentum", 0, {}}, SchemeChoice{"energy-momentum-ggl", 0, {}}})
      if (promises_of(registry, run, each, refusal)) return each;
    throw Error(ErrorCode::refused, refusal);
  }
  const System* system = run.start.model->mechanical();
  if (!system)
    throw Error(ErrorCode::refused, "an overdetermined DAE, " + run.start.model->name() +
                                        ", has no velocities whose error is estimated: take a fixed step");
  SchemeChoice choice = first_of(registry, run, by_cost(*system, run), refusal);
  if (choice.scheme.empty()) throw Error(ErrorCode::refused, refusal);
  return choice;
}

Assignments suited_options(const Registry& registry, const SuitedRun& run, const std::string& scheme) {
  const System* system = run.start.model->mechanical();
  if (!system) return {};
  std::vector<Priced> sorted = by_cost(*system, run);
  sorted.erase(
      std::remove_if(sorted.begin(), sorted.end(), [&](const Priced& each) { return each.choice.scheme != scheme; }),
      sorted.end());
  std::string refusal;
  return first_of(registry, run, sorted, refusal).options;
}

}  // namespace gnomon
