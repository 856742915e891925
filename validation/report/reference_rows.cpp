#include "report/reference_rows.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "gnomon/base/error.hpp"
#include "report/conformance.hpp"

namespace gnomon::validation {

namespace {

const std::vector<std::string> integrators{"ida-index1", "ida-ggl"};

/// Measures that compare a scheme with references.
bool compares(const Case& c) {
  static const std::set<std::string> measures{"reference-agreement", "contact-agreement", "trajectory-error",
                                              "completes"};
  const auto reference = [](const std::string& name) { return name != own_solution; };
  return measures.count(c.measure) > 0 && std::any_of(c.references.begin(), c.references.end(), reference);
}

struct Covered {
  std::set<std::string> problems, schemes;
  void add(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
      if (!compares(c)) continue;
      problems.insert(c.problem);
      add_scheme(c.method.scheme, c.method.options);
    }
  }

 private:
  void add_scheme(const std::string& scheme, const Assignments& options) {
    schemes.insert(scheme);
    for (const auto& [name, value] : options)
      if (name == "inner") schemes.insert(value);
  }
};

bool has_reason(const CaseFiles& files, const std::string& problem, const std::string& scheme) {
  return std::any_of(files.no_references.begin(), files.no_references.end(),
                     [&](const NoReference& none) { return none.problem == problem && none.scheme == scheme; });
}

/// What the scheme promises of the instance; none where it does not take it, or has another limit.
std::optional<Promises> promises_of(const Scheme& scheme, const ProblemInstance& instance) {
  const System* system = instance.model->mechanical();
  if (system && system->parts().obstacles) return std::nullopt;
  try {
    const Promises promises =
        scheme.bind(*instance.model, Options("scheme " + scheme.name(), scheme.options())).promises;
    if (promises.order < 1 || !(promises.constrained_limit || instance.model->m() == 0)) return std::nullopt;
    return promises;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused) throw;
    return std::nullopt;
  }
}

bool takes(const Reference& reference, const ProblemInstance& instance) {
  try {
    reference.start(instance, Options("reference " + reference.name(), reference.options()));
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused) throw;
    return false;
  }
}

/// A case without gates: the measure asks for no more than both sides' own errors.
std::optional<Case> row_of(const Registry& registry, const ConformanceStart& start, const ProblemInstance& instance,
                           const std::string& scheme) {
  Case c;
  c.kind = "reference";
  c.tier = start.tier;
  c.measure = "reference-agreement";
  c.problem = start.problem;
  c.set = start.set;
  c.method.scheme = scheme;
  c.tolerances = {1e-12, 1e-11};
  for (const auto& name : integrators)
    if (takes(registry.reference(name), instance)) c.references.push_back(name);
  if (c.references.empty()) return std::nullopt;
  constexpr long fewest = 50, most = 500;
  const double length = start.order_until > 0 ? start.order_until : start.step * static_cast<double>(fewest);
  const long steps = std::clamp(std::lround(length / start.step), fewest, most);
  c.step = {length / static_cast<double>(steps)};
  c.until = instance.t0 + length;
  return c;
}

}  // namespace

std::vector<Case> reference_cases(const Registry& registry, const CaseFiles& files) {
  Covered covered;
  covered.add(files.cases);
  std::vector<Case> rows;
  const auto starts = conformance_starts(registry, files);
  for (const ConformanceStart& start : starts) {
    if (covered.problems.count(start.problem) > 0 || has_reason(files, start.problem, "")) continue;
    const ProblemInstance instance = registry.build(start.problem, start.set);
    std::string best;
    int order = 0;
    for (const auto& scheme : registry.schemes()) {
      const auto promises = promises_of(registry.scheme(scheme), instance);
      if (!promises || promises->order <= order) continue;
      best = scheme;
      order = promises->order;
    }
    if (best.empty()) continue;
    if (auto row = row_of(registry, start, instance, best)) {
      row->name = "problem/" + problem_label(start.problem) + (start.label.empty() ? "" : "-" + start.label);
      rows.push_back(*row);
    }
  }
  covered.add(rows);
  for (const auto& scheme : registry.schemes()) {
    if (covered.schemes.count(scheme) > 0 || has_reason(files, "", scheme)) continue;
    for (const ConformanceStart& start : starts) {
      const ProblemInstance instance = registry.build(start.problem, start.set);
      if (!promises_of(registry.scheme(scheme), instance)) continue;
      auto row = row_of(registry, start, instance, scheme);
      if (!row) continue;
      row->name = "scheme/" + scheme;
      rows.push_back(*row);
      break;
    }
  }
  return rows;
}

std::vector<std::string> reference_gaps(const Registry& registry, const CaseFiles& files,
                                        const std::vector<Case>& cases) {
  Covered covered;
  covered.add(cases);
  std::vector<std::string> gaps;
  const auto look = [&](const std::string& what, const std::string& name, bool row, bool reason) {
    if (!row && !reason) gaps.push_back(what + " " + name + " has neither a reference row nor a reason for none");
    if (row && reason) gaps.push_back(what + " " + name + " has a reference row and a reason for none");
  };
  std::vector<std::string> problems = registry.problems();
  problems.insert(problems.end(), files.models.begin(), files.models.end());
  for (const auto& problem : problems)
    look("problem", problem, covered.problems.count(problem) > 0, has_reason(files, problem, ""));
  for (const auto& scheme : registry.schemes())
    look("scheme", scheme, covered.schemes.count(scheme) > 0, has_reason(files, "", scheme));
  return gaps;
}

}  // namespace gnomon::validation
