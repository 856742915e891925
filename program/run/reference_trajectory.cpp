#include "program/run/reference_trajectory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/contact/contact_reference.hpp"
#include "gnomon/model/overdetermined.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/run/stepwise_reference.hpp"
#include "gnomon/start/consistency.hpp"
#include "program/arguments.hpp"
#include "program/run/signals.hpp"
#include "program/summary/contact_report.hpp"
#include "report/json.hpp"

namespace gnomon::program {

namespace {

bool has(const OptionSpecs& specs, const std::string& name) {
  return std::any_of(specs.begin(), specs.end(), [&](const OptionSpec& spec) { return spec.name == name; });
}

/// The start of the instance has z of an overdetermined DAE in place of p.
State start_of(const ProblemInstance& instance) {
  State z;
  z.t = instance.t0;
  z.q.set(instance.q0);
  z.p.set(instance.p0);
  z.lambda = Vector::Zero(instance.model->m());
  const OverdeterminedSystem* dae = instance.model->overdetermined();
  if (!dae) return z;
  z.scheme_data = instance.p0;
  Vector p(dae->traits().rows(Term::momentum));
  dae->evaluate(Term::momentum, {instance.q0, instance.p0, z.lambda}, p);
  z.p.set(p);
  return z;
}

/// Rows at given times by the same reference once more, so that they do not shorten the steps of the run.
class RowsBeside final : public Observer {
 public:
  RowsBeside(std::unique_ptr<ReferenceTrajectory> beside, std::vector<double> times, tables::StateColumns& columns,
             Trajectory::Row row)
      : beside_(std::move(beside)),
        times_(std::move(times)),
        columns_(&columns),
        row_(std::move(row)),
        values_(columns.size()) {}
  bool observe(const State& z, long) override {
    for (; next_ < times_.size() && times_[next_] <= z.t; ++next_) {
      if (!beside_->advance_to(times_[next_]).success) times_.clear();
      if (times_.empty()) break;
      beside_->fill(*columns_, values_.data());
      row_(values_.data());
    }
    return true;
  }

 private:
  std::unique_ptr<ReferenceTrajectory> beside_;
  std::vector<double> times_;
  tables::StateColumns* columns_;
  Trajectory::Row row_;
  std::vector<double> values_;
  std::size_t next_ = 0;
};

/// Flags that speak of the steps of a scheme.
void refuse_flags(const RunArguments& a) {
  const std::pair<bool, const char*> flags[] = {{!a.step.empty(), "--step"},
                                                {!a.steps.empty(), "--steps"},
                                                {a.solver_named, "--solver"},
                                                {!a.solver_options.empty(), "--solver-option"},
                                                {a.fallback, "--fallback"},
                                                {!a.max_halvings.empty(), "--max-halvings"},
                                                {a.checkpoint.has_value(), "--checkpoint"},
                                                {a.checkpoint_every.has_value(), "--checkpoint-every"},
                                                {a.restart.has_value(), "--restart"},
                                                {a.estimate_error, "--estimate-error"},
                                                {a.strict, "--strict"}};
  for (const auto& [given, flag] : flags)
    if (given)
      throw Error(ErrorCode::bad_value,
                  fmt::format("{} is given with --scheme {}, which is a reference: it chooses its steps itself, by "
                              "--rtol and --atol, and has no solver of its own",
                              flag, a.scheme));
  if (std::count(a.references.begin(), a.references.end(), a.scheme) > 0)
    throw Error(ErrorCode::bad_value, "--reference " + a.scheme + " is the run itself");
}

/// atol of a reference is in parts of the sizes at the start, and below rtol so that what is small is resolved.
Assignments options_of(const RunArguments& a) {
  Assignments options = a.options;
  if (!a.rtol.empty()) options.emplace_back("rtol", number_text(parse_real(a.rtol, "--rtol")));
  if (!a.atol.empty()) options.emplace_back("atol", number_text(parse_real(a.atol, "--atol")));
  return options;
}

/// Its start, once the flags are looked at.
ProblemInstance started(ProblemInstance instance, const RunArguments& a) {
  refuse_flags(a);
  parse_end(a, instance.t0);
  const System* const system = instance.model->mechanical();
  if (a.events && !(system && (system->parts().obstacles || system->parts().friction || system->parts().switches)))
    throw Error(ErrorCode::bad_value, "--events is given, and problem " + a.problem +
                                          " with these parameters has no obstacles and no friction");
  if (!a.project_start) return instance;
  if (!system)
    throw Error(ErrorCode::refused, "--project-start is for mechanical systems, and " + instance.model->name() +
                                        " is an overdetermined DAE");
  project_start(*system, instance.t0, instance.q0, instance.p0);
  return instance;
}

std::vector<SummaryRow> rows_of(const RunFacts& facts, const ReferenceReport& end) {
  std::vector<SummaryRow> rows;
  add_moved_start(rows, facts);
  rows.push_back({"steps", fmt::format("{}, t = {:g} .. {:g}", end.steps > 0 ? std::to_string(end.steps) : "none",
                                       facts.t0, end.t)});
  if (end.rtol > 0 && end.message.empty()) rows.push_back({"tolerance", tolerance_text(end, {})});
  add_levels(rows, end);
  add_outputs(rows, facts.outputs, facts.output_values);
  const auto switches = std::count_if(end.events.begin(), end.events.end(),
                                      [](const ContactEvent& event) { return event.kind == EventKind::switched; });
  const auto contacts = static_cast<long>(end.events.size()) - switches;
  if (switches > 0) rows.push_back({"switches", fmt::format("pieces end at {}", switches)});
  if (contacts > 0) rows.push_back({"contact", fmt::format("{} events", contacts)});
  rows.push_back({"effort", fmt::format("{} residuals, {} Jacobians, {:.3g} s", end.residual_evaluations,
                                        end.jacobian_evaluations, facts.wall_s)});
  add_references(rows, facts.references, end.q);
  if (!end.warning.empty()) rows.push_back({"WARNING", end.warning, true});
  if (!end.message.empty()) rows.push_back({"STOPPED", end.message, true});
  return rows;
}

/// Keys: problem, scheme, scheme_options, status, steps, t, state {by the model's block names}, counters
/// {residual_evaluations, jacobian_evaluations}, wall_s, references and levels_json of its run; outputs where the
/// problem has some; message and warning unless empty.
Json::Value json_of(const RunFacts& facts, const ReferenceReport& end, const Model& model) {
  using validation::to_json;
  Json::Value out = end.levels ? levels_json(*end.levels) : Json::Value(Json::objectValue);
  add_facts(out, facts, end.q);
  out["steps"] = Json::Int64(end.steps);
  out["t"] = to_json(end.t);
  if (!end.warning.empty()) out["warning"] = end.warning;
  const auto& names = model.traits().state_names;
  out["state"][names[0]] = to_json(end.q);
  out["state"]["p"] = to_json(end.p);
  out["state"][names[2]] = to_json(end.lambda);
  out["counters"]["residual_evaluations"] = Json::Int64(end.residual_evaluations);
  out["counters"]["jacobian_evaluations"] = Json::Int64(end.jacobian_evaluations);
  return out;
}

}  // namespace

ReferenceTrajectory::ReferenceTrajectory(const Registry& registry, const std::string& name, ProblemInstance instance,
                                         const Assignments& own, const Assignments& contact)
    : Trajectory(std::move(instance)), state_(start_of(instance_)) {
  const Reference& reference = registry.reference(name);
  Assignments assignments = contact_of_reference(contact, reference.options());
  assignments.insert(assignments.end(), own.begin(), own.end());
  const Options options("reference " + name, reference.options(), assignments);
  if (has(reference.options(), "rtol") && options.real("rtol") > 0) wanted_ = {options.real("rtol"), "as given"};
  if (wanted_.rtol > 0) tolerance_ = ", rtol = " + number_text(wanted_.rtol);
  solution_ = reference.start(instance_, options);
  solution_->stop_when([this] {
    if (on_evaluation_) on_evaluation_();
    return !go_on_ || Signals::interrupted();
  });
  if (const OverdeterminedSystem* dae = instance_.model->overdetermined()) index1_.emplace(*dae);
  facts_.arguments.scheme = name;
  facts_.t0 = instance_.t0;
  make_ = [&registry, name, start = instance_, own, contact] {
    return std::make_unique<ReferenceTrajectory>(registry, name, start, own, contact);
  };
}

ReferenceTrajectory::ReferenceTrajectory(const Registry& registry, ProblemInstance instance, RunArguments& a)
    : ReferenceTrajectory(registry, a.scheme, started(instance, a), options_of(a), a.contact) {
  a.solver.clear();  // it has its own
  facts_.moved_start = moved_by(a, instance, instance_.q0, instance_.p0);
  t_end_ = parse_end(a, instance_.t0);
  facts_.arguments = a;
}

/// Where it stands: of an overdetermined DAE z belongs to p.
void ReferenceTrajectory::take(const ReferenceReport& at) {
  state_.t = at.t;
  state_.q.set(at.q);
  state_.p.set(at.p);
  state_.lambda = at.lambda;
  if (!index1_ || !at.success) return;
  try {
    index1_->solve_momentum(at.q, at.p, state_.scheme_data);
  } catch (const CannotEvaluate&) {  // where p_z is singular
  }
}

void ReferenceTrajectory::show() {
  ++step_;
  for (Observer* observer : observers_) go_on_ = go_on_ && observer->observe(state_, step_);
}

void ReferenceTrajectory::observe(Observer& observer) {
  if (observers_.empty()) state_.lambda = solution_->advance_to(instance_.t0).lambda;
  observers_.push_back(&observer);
  go_on_ = observer.observe(state_, step_) && go_on_;
}

void ReferenceTrajectory::fill(tables::StateColumns& columns, double* values) const {
  ReferenceReport at;
  at.t = state_.t;
  at.q = state_.q.value();
  at.p = state_.p.value();
  at.lambda = state_.lambda;
  columns.fill(at, values);
}

std::unique_ptr<Observer> ReferenceTrajectory::rows_at(std::vector<double> times, tables::StateColumns& columns,
                                                       Row row) {
  return std::make_unique<RowsBeside>(make_(), std::move(times), columns, std::move(row));
}

std::unique_ptr<Observer> ReferenceTrajectory::trace(RunPage& page) {
  auto tracer = std::make_unique<TraceObserver>(page.add(label()), nullptr);
  times_ = page.times();
  return tracer;
}

const ReferenceReport& ReferenceTrajectory::advance_to(double t) {
  const auto begin = std::chrono::steady_clock::now();
  auto* const stepwise = dynamic_cast<StepwiseReference*>(solution_.get());
  const bool watched = !observers_.empty();
  if (stepwise && watched)
    stepwise->watch_steps([this](const ReferenceStep& at) {
      state_.t = at.t;
      state_.q.set(at.q);
      state_.p.set(at.p);
      state_.lambda = at.lambda;
      if (index1_) state_.scheme_data = at.z;
      show();
    });
  const auto closed_form = [&](double time) {
    end_ = solution_->advance_to(time);
    take(end_);
    if (!stepwise && watched && end_.success) show();
    return end_.success && go_on_;
  };
  bool good = true;
  if (!stepwise && watched)
    for (const double time : times_)
      if (good && time > instance_.t0 && time < t) good = closed_form(time);
  if (good) closed_form(t);
  if (stepwise) stepwise->watch_steps(nullptr);
  facts_.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return end_;
}

RunReport ReferenceTrajectory::report(std::vector<ReferenceOutcome> references) const {
  RunFacts facts = facts_;
  const bool interrupted = !end_.success && Signals::interrupted();
  facts.status = end_.success ? "success" : interrupted ? "interrupted" : "failed";
  facts.message = end_.message;
  const EvaluatedOutputs outputs(instance_);
  facts.outputs = outputs.outputs();
  if (!facts.outputs.empty()) facts.output_values = outputs.evaluate(state_);
  facts.references = std::move(references);
  RunReport report{
      fmt::format("{}, reference {}", facts.arguments.problem, label()), facts.status, rows_of(facts, end_), {}, {}};
  if (facts.arguments.json) report.json = json_of(facts, end_, *instance_.model);
  if (!end_.events.empty()) report.events = event_rows(*instance_.model->mechanical(), end_.events);
  return report;
}

namespace {

/// The tolerance that fits the run; none beside a reference that runs with its own.
ReferenceTolerance fitting_tolerance(const Registry& registry, const RunArguments& a) {
  const std::vector<std::string> references = registry.references();
  if (a.rtol.empty() && std::count(references.begin(), references.end(), a.scheme) > 0) return {};
  if (a.rtol.empty()) return {beside_fixed_steps, "the default beside steps of one size"};
  const double part = part_of_run * parse_real(a.rtol, "--rtol");
  if (part <= thresholds::tightest_reference)
    return {thresholds::tightest_reference, "the tightest that a reference begins with"};
  return {std::min(part, thresholds::loosest_reference), part <= thresholds::loosest_reference
                                                             ? "a ten-thousandth of the run's"
                                                             : "the loosest that a reference begins with"};
}

}  // namespace

std::vector<std::unique_ptr<ReferenceTrajectory>> start_references(const Registry& registry, const RunArguments& a,
                                                                   const ProblemInstance& instance) {
  const ReferenceTolerance fitting = fitting_tolerance(registry, a);
  const std::vector<std::string>& names = a.references;
  if (names.empty() && !a.reference_options.empty())
    throw Error(ErrorCode::bad_value, "--reference-option is given without --reference");
  std::vector<std::unique_ptr<ReferenceTrajectory>> runs;
  for (const std::string& name : names) {
    if (std::count(names.begin(), names.end(), name) > 1)
      throw Error(ErrorCode::bad_value, "--reference " + name + " is given more than once");
    Assignments own;
    for (const auto& one : a.reference_options) {
      const auto knows = [&](const std::string& other) { return has(registry.reference(other).options(), one.first); };
      if (knows(name) || std::none_of(names.begin(), names.end(), knows)) own.push_back(one);
    }
    const auto given = [&own](const char* option) {
      return std::any_of(own.begin(), own.end(), [option](const auto& one) { return one.first == option; });
    };
    const bool fits =
        fitting.rtol > 0 && has(registry.reference(name).options(), "tightest") && !given("rtol") && !given("tightest");
    if (fits) own.emplace_back("tightest", number_text(fitting.rtol));
    runs.push_back(std::make_unique<ReferenceTrajectory>(registry, name, instance, own, a.contact));
    if (fits) runs.back()->set_wanted(fitting);
  }
  return runs;
}

}  // namespace gnomon::program
