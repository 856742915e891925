#include "program/run/scheme_trajectory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/run/states_at_times.hpp"
#include "measures/run/error_estimate.hpp"
#include "program/run/run_checkpoint.hpp"
#include "program/run/run_sensitivities.hpp"
#include "program/run/signals.hpp"
#include "program/summary/contact_report.hpp"

namespace gnomon::program {

namespace {

/// Chooses scheme and steps. Everything that can be misuse comes before an integrator is made.
std::function<Integrator()> maker(const Registry& registry, const ProblemInstance& instance, RunArguments& a,
                                  Span& span) {
  IntegratorOptions options = parse_integrator_options(registry, a);
  options.interrupt = Signals::caught();
  parse_checkpoint_every(a);
  span = choose_steps(registry, instance, options, a);
  return [&registry, instance, a, options] {
    return registry.integrator(instance, a.scheme, a.solver, a.options, a.solver_options, options);
  };
}

/// Takes what a restart has done already off the span.
void shorten(Span& span, const RunArguments& arguments, const Integrator& integrator) {
  const long done = integrator.counters().steps;
  const double t = integrator.state().t;
  if (span.by_time ? !(span.t_end > t) : span.steps <= done)
    throw Error(ErrorCode::bad_value,
                fmt::format("checkpoint \"{}\" is at step {}, t = {}: there is nothing left to do, {} must be larger",
                            *arguments.restart, done, number_text(t), span.by_time ? "--until" : "--steps"));
  if (!span.by_time) span.steps -= done;
}

class SchemeTrajectory final : public Trajectory {
 public:
  SchemeTrajectory(const Registry& registry, ProblemInstance instance, RunArguments& arguments)
      : Trajectory(std::move(instance)),
        make_(maker(registry, instance_, arguments, span_)),
        arguments_(arguments),
        integrator_(make_()),
        outputs_(instance_),
        bounds_(integrator_, outputs_),
        stop_(*this) {
    if (!has_contacts(integrator_) &&
        ((arguments_.events && !has_switches(integrator_)) || !arguments_.contact.empty()))
      throw Error(ErrorCode::bad_value,
                  fmt::format("{} is given, and problem {} with these parameters has no obstacles and no friction, or "
                              "scheme {} holds them itself",
                              arguments_.events ? "--events" : "--contact", arguments_.problem, arguments_.scheme));
    facts_.moved_start = moved_by(arguments_, instance_, state().q.value(), state().p.value());
    instance_.q0 = state().q.value();
    instance_.p0 = instance_.model->second_half(state().view());
    t_end_ = span_.t_end;
    if (arguments_.estimate_error) halve();
    if (arguments_.restart) {
      integrator_.load(*arguments_.restart);
      shorten(span_, arguments_, integrator_);
    } else if (span_.tolerances) {
      integrator_.set_tolerances(*span_.tolerances);
    }
    if (!arguments_.sensitivity.empty())
      sensitivities_ = std::make_unique<RunSensitivities>(registry, instance_, arguments_, integrator_);
  }

  const State& state() const override { return integrator_.state(); }
  std::string label() const override { return arguments_.scheme + ", " + step_text(span_.h, integrator_); }
  const InvariantMonitor* monitor() const override { return &integrator_.monitor(); }
  long planned_steps() const override { return span_.steps; }
  void observe(Observer& observer) override {
    observer.observe(state(), integrator_.counters().steps);
    integrator_.add_observer(observer);
  }
  std::vector<tables::Column> further_columns() const override {
    return sensitivities_ ? sensitivities_->columns() : std::vector<tables::Column>();
  }
  void fill(tables::StateColumns& columns, double* values) const override {
    columns.fill(integrator_, values);
    if (sensitivities_) sensitivities_->fill(state().t, values + columns.size());
  }
  std::unique_ptr<Observer> rows_at(std::vector<double> times, tables::StateColumns& columns, Row row) override {
    std::vector<double> values(columns.size() + further_columns().size());
    const auto receive = [this, &columns, row, values](const State& at, bool end) mutable {
      if (end)
        columns.fill(integrator_, values.data());
      else
        columns.fill(integrator_, at, state(), values.data());
      if (sensitivities_) sensitivities_->fill(end ? state().t : at.t, values.data() + columns.size());
      values[0] = at.t;  // of an end of a step, what the time is called
      row(values.data());
    };
    return std::make_unique<StatesAtTimes>(integrator_, std::move(times), receive, make_, true);
  }
  const char* between_steps() const override {
    return "a step of the scheme from the start of the step to the time; where it fails, the polynomial of degree 5 "
           "through both ends";
  }
  std::unique_ptr<Observer> trace(RunPage& page) override {
    const char* const discrete = integrator_.equations().discrete_energy_name();
    const std::string steps =
        span_.tolerances ? fmt::format("rtol = {:g}", span_.tolerances->relative) : fmt::format("h = {:g}", span_.h);
    traces::RunTrace& trace = page.add(arguments_.scheme + ", " + steps, discrete ? discrete : "", promised());
    return std::make_unique<TraceObserver>(trace, &integrator_);
  }

  bool advance() override {
    if (arguments_.checkpoint) {
      checkpoints_ = std::make_unique<CheckpointWriter>(arguments_, integrator_, parse_checkpoint_every(arguments_));
      integrator_.add_observer(*checkpoints_);
    }
    if (bounds_.any()) integrator_.add_observer(bounds_);
    integrator_.add_observer(stop_);
    if (halving_) integrator_.add_observer(*halving_);
    facts_.steps_before = integrator_.counters().steps;
    const auto begin = std::chrono::steady_clock::now();
    end_ = program::advance(integrator_, span_);
    facts_.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return end_.success() && !end_.stopped_by_observer;
  }
  void finish() override {
    if (checkpoints_) checkpoints_->finish();
  }
  RunReport report(std::vector<ReferenceOutcome> references) const override {
    RunFacts facts = this->facts();
    facts.references = std::move(references);
    RunReport report{title(facts), facts.status, summary(facts, integrator_), {}, {}};
    if (arguments_.json) {
      report.json = run_json(facts, integrator_);
      for (const std::string& text : bounds_.exceeded()) report.json["exceeded"].append(text);
    }
    for (const Index i : integrator_.constraint_rank().dependent)
      report.rows.push_back({"dependent", "constraint: " + constraint_name(integrator_.system(), i)});
    add_open_multipliers(report.rows);
    if (sensitivities_ && facts.status == "success") {
      sensitivities_->report(report.rows);
      if (arguments_.json) report.json["sensitivities"] = sensitivities_->json();
    }
    for (const std::string& text : bounds_.exceeded()) report.rows.push_back({"exceeded", text});
    if (has_contacts(integrator_)) add_contact(report.rows, integrator_);
    if (!integrator_.model().mechanical()) return report;
    report.events = event_rows(integrator_.system(), integrator_.events());
    return report;
  }

 private:
  /// Outputs that have got above what the model says of them, each once.
  class Bounds final : public Observer {
   public:
    Bounds(const Integrator& integrator, const EvaluatedOutputs& outputs)
        : integrator_(&integrator), outputs_(&outputs) {
      const std::vector<Output>& all = outputs.outputs();
      for (std::size_t i = 0; i < all.size(); ++i)
        if (std::isfinite(all[i].most)) bounded_.push_back(i);
    }
    bool any() const { return !bounded_.empty(); }
    bool observe(const State& z, long) override {
      if (bounded_.empty()) return true;
      const Vector values = outputs_->evaluate(*integrator_);
      const auto above = [&](std::size_t i) {
        const Output& output = outputs_->outputs()[i];
        const double value = values[static_cast<Index>(i)];
        if (!(value > output.most)) return false;
        exceeded_.push_back(fmt::format("{} is {:.4g} at t = {:.6g}, at most {:g} is what the model holds for",
                                        output.name, value, z.t, output.most));
        return true;
      };
      bounded_.erase(std::remove_if(bounded_.begin(), bounded_.end(), above), bounded_.end());
      return true;
    }
    const std::vector<std::string>& exceeded() const { return exceeded_; }

   private:
    const Integrator* integrator_;
    const EvaluatedOutputs* outputs_;
    std::vector<std::size_t> bounded_;
    std::vector<std::string> exceeded_;
  };
  /// Ends the run at a signal and, with --strict, where a promise is seen broken.
  class Stop final : public Observer {
   public:
    explicit Stop(const SchemeTrajectory& run) : run_(&run) {}
    bool observe(const State&, long) override { return !Signals::interrupted() && !run_->promise_broken(); }

   private:
    const SchemeTrajectory* run_;
  };
  /// Friction that is a function of multipliers which constraints that repeat others leave open.
  void add_open_multipliers(std::vector<SummaryRow>& rows) const {
    const System* system = integrator_.model().mechanical();
    const std::vector<Index>& open = integrator_.constraint_rank().open;
    if (!system || !system->parts().friction || open.empty()) return;
    const std::vector<Index>& used = system->parts().friction->friction_pattern(ForceArgument::lambda).indices;
    for (const Index i : open)
      if (std::find(used.begin(), used.end(), i) != used.end())
        rows.push_back({"undetermined", "friction by the multiplier of " + constraint_name(*system, i) +
                                            ", which constraints that repeat others leave open: that of least norm"});
  }
  /// Names the quantities that the scheme keeps.
  std::string promised() const {
    const Promises& p = integrator_.promises();
    std::string text;
    for (const auto& [kept, what] : {std::pair{p.energy, "energy"},
                                     {p.position, "position constraints"},
                                     {p.hidden, "velocity constraints"},
                                     {p.momentum, "momentum maps"}})
      if (kept) text += (text.empty() ? "" : ", ") + std::string(what);
    return text.empty() ? "nothing" : text;
  }
  bool promise_broken() const { return arguments_.strict && !broken_text().empty(); }
  /// The first that is seen broken.
  std::string broken_text() const {
    if (!integrator_.broken_promises().empty()) return integrator_.broken_promises().front().text();
    if (!bounds_.exceeded().empty()) return bounds_.exceeded().front();
    const RunCounters& counters = integrator_.counters();
    if (counters.overstepped_switches == 0) return {};
    return fmt::format("a step went over a switch, by step {}: velocities are off by up to {:.2g}", counters.steps,
                       counters.overstepped_change);
  }

  /// Starts the run with halved steps beside this one.
  void halve() {
    if (!arguments_.rtol.empty())
      throw Error(ErrorCode::bad_value,
                  "--estimate-error is given with --rtol: it compares steps of one size with their halves");
    if (arguments_.restart)
      throw Error(ErrorCode::bad_value,
                  "--estimate-error is given with --restart: the run with halved steps must begin where this one did");
    halving_ = std::make_unique<validation::StepHalving>(integrator_, make_(), span_.h);
  }

  RunFacts facts() const {
    RunFacts facts = facts_;
    facts.arguments = arguments_;
    facts.step = span_.h;
    facts.t0 = instance_.t0;
    facts.outputs = outputs_.outputs();
    facts.output_values = outputs_.evaluate(integrator_);
    facts.status = end_.success() ? "success" : to_string(end_.status);
    facts.message = end_.message;
    if (Signals::interrupted() && (end_.stopped_by_observer || !end_.success())) {
      facts.status = "interrupted";
      facts.message = "interrupted at t = " + number_text(state().t);
    } else if (sensitivities_ && !sensitivities_->failure().empty()) {
      facts.status = "no derivative";
      facts.message = sensitivities_->failure();
    } else if (end_.success() && promise_broken()) {
      facts.status = "promise broken";
      facts.message = "promise broken: " + broken_text();
    }
    if (halving_) facts.estimate = halving_->estimate();
    return facts;
  }

  Span span_;
  std::function<Integrator()> make_;  ///< a further integrator like the one of the run
  RunArguments arguments_;
  Integrator integrator_;
  EvaluatedOutputs outputs_;
  Bounds bounds_;
  Stop stop_;
  std::unique_ptr<CheckpointWriter> checkpoints_;
  std::unique_ptr<validation::StepHalving> halving_;
  std::unique_ptr<RunSensitivities> sensitivities_;
  RunFacts facts_;  ///< what is known after the steps
  StepReport end_;
};

}  // namespace

std::unique_ptr<Trajectory> start_scheme(const Registry& registry, ProblemInstance instance, RunArguments& arguments) {
  return std::make_unique<SchemeTrajectory>(registry, std::move(instance), arguments);
}

}  // namespace gnomon::program
