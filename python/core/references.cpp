/// References for Python: their states at times or at their own steps, and events.
#include "gnomon/base/error.hpp"
#include "gnomon/contact/contact_reference.hpp"
#include "gnomon/run/dense_output.hpp"
#include "gnomon/run/stepwise_reference.hpp"
#include "gnomon/scheme/state.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "trajectory.hpp"
#include "watcher.hpp"

namespace gnomon::python {

namespace {

/// Columns inside the last step of a reference, by StepInterpolant.
class StepColumns {
 public:
  explicit StepColumns(const Instance& instance) : instance_(instance), interpolant_(instance.model()) {}
  /// The step to come begins here.
  void begin(const State& z) {
    before_ = z;
    set_ = false;
  }
  const State& before() const { return before_; }
  Vector column(const State& end, double t) {
    if (!set_) interpolant_.set(before_, end);
    set_ = true;
    Vector q(instance_.first()), second(instance_.system() ? end.p.value().size() : instance_.second());
    interpolant_.evaluate(t, 0, q, second);
    return instance_.column(q, second, second);
  }

 private:
  const Instance& instance_;
  StepInterpolant interpolant_;
  State before_;
  bool set_ = false;
};

class ReferenceRun {
 public:
  ReferenceRun(const Instance& instance, const std::string& name, py::object events, py::object progress)
      : instance_(instance),
        name_(name),
        output_(instance),
        watcher_(std::move(events), signals_),
        inside_(instance),
        now_(instance.problem().t0) {
    signals_.tell(std::move(progress), [this] { return now_; });
  }

  /// At these times, t0 first; own_steps: at t0 and after every step that it takes by itself up to the last of them,
  /// unless it takes none; events are looked for up to `until`. Without the interpreter's lock.
  void run(const Options& options, const std::vector<double>& times, bool own_steps, double until) {
    const auto solution = registry().reference(name_).start(instance_.problem(), options);
    solution->stop_when([this] { return ended() || signals_.pending(); });
    output_.reserve(times.size());
    std::optional<Index1> index1;
    if (!instance_.system()) index1.emplace(*instance_.model().overdetermined());
    Vector z = instance_.problem().p0;
    auto* const stepwise = dynamic_cast<StepwiseReference*>(solution.get());
    if (watcher_.watches() && !stepwise && !instance_.problem().exact)
      throw Error(ErrorCode::refused, "events are looked for inside steps, and reference " + name_ + " shows none");
    own_steps_ = own_steps && stepwise;
    if (watcher_.watches()) inside_.begin(start());
    if (stepwise && (own_steps_ || watcher_.watches()))
      stepwise->watch_steps([&](const ReferenceStep& at) {
        z = at.z;
        step(at);
      });
    for (const double t : times) {
      if (own_steps_ && t != times.front() && t != times.back()) continue;
      report_ = solution->advance_to(t);
      now_ = t;
      if (report_.success && index1) index1->solve_momentum(report_.q, report_.p, z);
      if (report_.success && !stepwise && watcher_.watches()) look_at_closed_form(t);
      if (!report_.success || ended()) break;
      if (!own_steps_ || output_.size() == 0) add(t, instance_.column(report_.q, report_.p, z), report_.lambda);
      if (signals_.pending()) break;
    }
    if (watcher_.watches() && !ended() && !signals_.pending() &&
        (times.empty() || (report_.success && report_.t < until))) {
      report_ = solution->advance_to(until);
      if (report_.success && !stepwise) look_at_closed_form(until);
    }
    if (!ended()) return;
    report_.success = true;
    report_.message.clear();
  }

  py::dict take() {
    return py::dict(
        py::arg("output") = output_.take(), py::arg("raised") = signals_.raised(), py::arg("success") = report_.success,
        py::arg("message") = report_.message, py::arg("stopped") = ended(), py::arg("steps") = report_.steps,
        py::arg("residual_evaluations") = report_.residual_evaluations,
        py::arg("jacobian_evaluations") = report_.jacobian_evaluations, py::arg("warning") = report_.warning,
        py::arg("conservative") = !report_.levels || report_.levels->conservative, py::arg("own_steps") = own_steps_,
        py::arg("events") = events_of(report_.events));
  }

 private:
  bool ended() const { return watcher_.ended_at().has_value(); }
  State start() const {
    return instance_.state(instance_.problem().t0, instance_.start_column(), Vector::Zero(instance_.multipliers()));
  }
  void add(double t, const Vector& column, const Vector& lambda) { output_.add(t, column, lambda, 0); }

  void step(const ReferenceStep& at) {
    if (ended()) return;
    now_ = at.t;
    const Vector y = instance_.column(at.q, at.p, at.z);
    if (watcher_.watches() && at.t > inside_.before().t) {
      const State end = instance_.state(at.t, y, at.lambda);
      const auto inside = [&](double t) { return inside_.column(end, t); };
      watcher_.step(inside_.before().t, at.t, y, inside);
      if (ended()) return finish(inside, at.lambda);
      inside_.begin(end);
    }
    if (!own_steps_) return;
    while (output_.size() > 0 && output_.last_time() > at.t) output_.drop_last();
    add(at.t, y, at.lambda);
  }

  /// Between the times of the output; it is exact everywhere.
  void look_at_closed_form(double t) {
    const double before = inside_.before().t;
    if (!(t > before)) return;
    const auto exact = [this](double s) {
      Vector q(instance_.first()), second(instance_.second());
      instance_.problem().exact(s, q, second);
      return instance_.column(q, second, second);
    };
    const Vector y = exact(t);
    watcher_.step(before, t, y, exact);
    if (ended()) return finish(exact, report_.lambda);
    inside_.begin(instance_.state(t, y, report_.lambda));
  }

  /// The last row is where a terminal event was, as with schemes: only where rows are those of steps.
  template <class At>
  void finish(const At& at, const Vector& lambda) {
    if (own_steps_) add(*watcher_.ended_at(), at(*watcher_.ended_at()), lambda);
  }

  const Instance& instance_;
  std::string name_;
  Trajectory output_;
  Signals signals_;
  Watcher watcher_;
  StepColumns inside_;
  ReferenceReport report_;
  double now_;
  bool own_steps_ = false;
};

py::dict run_reference(const Instance& instance, const std::string& name, const Assignments& own,
                       const Assignments& contact, const std::vector<double>& times, bool own_steps, double until,
                       py::object events, py::object progress) {
  const OptionSpecs specs = registry().reference(name).options();
  Assignments assignments = contact_of_reference(contact, specs);
  assignments.insert(assignments.end(), own.begin(), own.end());
  const Options options("reference " + name, specs, assignments);
  ReferenceRun run(instance, name, std::move(events), std::move(progress));
  {
    const py::gil_scoped_release unlocked;
    run.run(options, times, own_steps, until);
  }
  return run.take();
}

}  // namespace

void bind_references(py::module_& module) {
  module.def("run_reference", &run_reference);
}

}  // namespace gnomon::python
