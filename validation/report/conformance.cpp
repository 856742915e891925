#include "report/conformance.hpp"

#include <algorithm>
#include <set>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"
#include "report/check_names.hpp"
#include "report/reference_rows.hpp"

namespace gnomon::validation {

namespace {

std::vector<ConformanceStart> starts_of(const std::string& problem, const CaseFiles& files) {
  std::vector<ConformanceStart> starts;
  for (const auto& start : files.starts)
    if (start.problem == problem) starts.push_back(start);
  if (starts.empty()) {
    starts.emplace_back();
    starts.back().problem = problem;
  }
  return starts;
}

Case base_case(const ConformanceStart& start, const std::string& measure) {
  Case c;
  c.kind = "conformance";
  c.measure = measure;
  c.problem = start.problem;
  c.set = start.set;
  c.step = {start.step};
  c.steps = start.steps;
  c.order_until = start.order_until;
  c.symplectic_step = start.symplectic_step;
  c.tier = start.tier;
  return c;
}

/// The cases of a (scheme, problem) pair: its measure, and the name by which the report tells them apart.
struct PairCase {
  const char *measure, *suffix;
  Tier tier;
};
constexpr PairCase pair_cases[] = {{"promises", "", Tier::brief},
                                   {"jacobian", "/jacobian", Tier::quick},
                                   {"allocations", "/allocations", Tier::quick},
                                   {"solvers-agree", "/solvers", Tier::quick},
                                   {"checkpoint", "/checkpoint", Tier::standard},
                                   {"invariants", "/long", Tier::full}};
/// A long run has this many times the steps of the quick one.
constexpr long long_run_factor = 10;
/// Steps of a run with a checkpoint in the middle.
constexpr long checkpoint_steps = 1000;

/// A known failure of the pair belongs to one of its cases; there its quantity has this name, elsewhere none ("").
std::string quantity_in(const std::string& measure, const std::string& quantity) {
  const auto starts_with = [&](const char* prefix) { return quantity.rfind(prefix, 0) == 0; };
  if (starts_with("long-")) return measure == "invariants" ? quantity.substr(5) : "";
  if (starts_with("solvers-")) return measure == "solvers-agree" ? quantity.substr(8) : "";
  for (const char* own : {"jacobian", "allocations"})
    if (starts_with(own)) return measure == own ? quantity : "";
  return measure == "promises" ? quantity : "";
}

bool accepts(const Scheme& scheme, const ProblemInstance& instance, const Assignments& assigned = {}) {
  const Options options("scheme " + scheme.name(), scheme.options(), assigned);
  try {
    scheme.bind(*instance.model, options);
    const System* system = instance.model->mechanical();
    if (!system || !system->parts().obstacles) return true;
    // Without impacts there is no restitution.
    return scheme.holds_obstacles() && !(system->traits().restitutions.array() > 0).any();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::refused) return false;
    throw;
  }
}

/// k=3-s=2-r=1
std::string label_of(const Assignments& options) {
  std::string label;
  for (const auto& [name, value] : options) label += (label.empty() ? "" : "-") + name + "=" + value;
  return label;
}

/// Known failures of `scheme` on `label` that are of this case.
void declare(const CaseFiles& files, const std::string& scheme, const std::string& label, Case& c) {
  for (const auto& failure : files.failures) {
    if (failure.scheme != scheme || failure.problem != label) continue;
    const std::string quantity = quantity_in(c.measure, failure.quantity);
    if (quantity.empty()) continue;
    if (failure.better)
      c.better[quantity] = failure.known.reason;
    else
      c.known_failures[quantity] = failure.known;
  }
}

/// A short run with other options.
Case variant_case(const ConformanceStart& start, const ConformanceVariant& variant, const std::string& label,
                  const CaseFiles& files) {
  const std::string options = label_of(variant.options);
  Case c = base_case(start, "promises");
  c.tier = std::max(Tier::standard, start.tier);
  c.steps = variant.steps;
  c.order_until = 0;
  c.symplectic_step = 0;
  c.method.scheme = variant.scheme;
  c.method.options = variant.options;
  c.name = variant.scheme + "-variants/" + label + "/" + options;
  declare(files, variant.scheme, label + "/" + options, c);
  return c;
}

void require_different_names(const std::vector<Case>& cases) {
  std::set<std::string> names;
  for (const auto& c : cases)
    for (const auto& name : {c.full_name(), c.former_name()})
      if (!name.empty() && !names.insert(name).second)
        throw Error(ErrorCode::bad_file,
                    (c.file.empty() ? "generated cases" : c.file) + ": two cases are named \"" + name + "\"");
}

}  // namespace

std::vector<ConformanceStart> conformance_starts(const Registry& registry, const CaseFiles& files) {
  std::vector<ConformanceStart> all;
  std::vector<std::string> problems = registry.problems();
  problems.insert(problems.end(), files.models.begin(), files.models.end());
  for (const auto& problem : problems)
    for (ConformanceStart& start : starts_of(problem, files)) all.push_back(std::move(start));
  return all;
}

std::vector<Case> conformance_cases(const Registry& registry, const CaseFiles& files) {
  std::vector<Case> cases;
  for (const auto& start : conformance_starts(registry, files)) {
    const std::string& problem = start.problem;
    const std::string label = problem_label(problem) + (start.label.empty() ? "" : "-" + start.label);
    cases.push_back(base_case(start, "derivatives"));
    cases.back().name = label + "/derivatives";
    const ProblemInstance instance = registry.build(problem, start.set);
    for (const auto& scheme : registry.schemes()) {
      if (!accepts(registry.scheme(scheme), instance)) continue;
      for (const auto& [measure, suffix, tier] : pair_cases) {
        Case c = base_case(start, measure);
        c.tier = std::max(tier, start.tier);
        if (c.measure == "invariants") c.steps *= long_run_factor;
        if (c.measure == "checkpoint") c.steps = checkpoint_steps;
        c.method.scheme = scheme;
        c.name = scheme + "/" + label + suffix;
        declare(files, scheme, label, c);
        cases.push_back(std::move(c));
      }
    }
    for (const auto& variant : files.variants)
      if (accepts(registry.scheme(variant.scheme), instance, variant.options))
        cases.push_back(variant_case(start, variant, label, files));
  }
  std::stable_sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  return cases;
}

std::vector<Case> all_cases(const Registry& registry, const std::string& folder, const std::string& models) {
  CaseFiles files = read_case_files(folder);
  files.models = gallery_models(models);
  check_names(registry, files);
  std::vector<Case> cases = conformance_cases(registry, files);
  const std::vector<Case> references = reference_cases(registry, files);
  cases.insert(cases.end(), references.begin(), references.end());
  cases.insert(cases.end(), files.cases.begin(), files.cases.end());
  require_different_names(cases);
  return cases;
}

std::vector<Case> declared_cases(const Registry& registry, const std::string& folder) {
  const CaseFiles files = read_case_files(folder);
  check_names(registry, files);
  require_different_names(files.cases);
  return files.cases;
}

const std::vector<CaseFilter>& case_filters() {
  static const std::vector<CaseFilter> filters{
      {"published", "what the papers print, our numbers beside it"},
      {"published/NAME",
       "one paper, or one table of it: published/hbvm, published/hbvm/table-1, published/euler, "
       "published/glowinski-holmstroem, published/leyendecker-betsch-steinmann, "
       "published/wei-deng-li-wang"},
      {"conformance", "what each scheme promises, on every problem that it takes"},
      {"reference", "runs beside IDA, CVODE and closed forms"},
      {"solver", "every solver and linear algebra reaches the same step, and what it costs"},
      {"gallery", "the mechanisms of the gallery"},
      {"SCHEME", "one of `gnomon list schemes`, e.g. rattle"},
      {"PROBLEM", "one of `gnomon list problems`, e.g. planar-pendulum"}};
  return filters;
}

std::vector<Case> select_cases(const std::vector<Case>& cases, Tier tier, const std::string& filter) {
  std::vector<Case> selected;
  const auto found_in = [&filter](const std::string& name) { return name.find(filter) != std::string::npos; };
  const Tier published = tier == Tier::brief ? Tier::standard : tier;
  for (const auto& c : cases)
    if (c.tier <= (c.kind == "published" ? published : tier) && (found_in(c.full_name()) || found_in(c.former_name())))
      selected.push_back(c);
  return selected;
}

std::vector<Case> share_of(const std::vector<Case>& cases, const std::string& share) {
  const std::size_t slash = share.find('/');
  long first = 0, step = 0;
  if (slash == std::string::npos || !read_number(std::string_view(share).substr(0, slash), first) ||
      !read_number(std::string_view(share).substr(slash + 1), step) || first < 1 || first > step)
    throw Error(ErrorCode::bad_value, "share \"" + share + "\" is not K/N with 1 <= K <= N, e.g. 1/4");
  std::vector<Case> taken;
  const auto count = static_cast<long>(cases.size());
  for (long i = first - 1; i < count; i += step) taken.push_back(cases[static_cast<std::size_t>(i)]);
  return taken;
}

}  // namespace gnomon::validation
