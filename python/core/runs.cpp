/// Integrators for Python.
#include <pybind11/eigen.h>
#include <pybind11/functional.h>

#include <atomic>
#include <functional>
#include <tuple>

#include "gnomon/base/error.hpp"
#include "gnomon/contact/gained_energy.hpp"
#include "gnomon/registry/suited_scheme.hpp"
#include "gnomon/scheme/step_warning.hpp"
#include "motion.hpp"
#include "recorder.hpp"

namespace gnomon::python {

namespace {

IntegratorOptions integrator_options(const Assignments& contact) {
  IntegratorOptions options;
  options.contact = contact_options(contact);
  return options;
}

/// The scheme and its options for steps of a tolerance, 0: of one size; `scheme` may be empty.
SchemeChoice suited(const Instance& instance, const std::string& scheme, double relative, const std::string& solver,
                    const Assignments& solver_options, const Assignments& contact) {
  SuitedRun run;
  run.start = instance.problem();
  run.relative = relative;
  run.solver = &registry().solver(solver);
  run.solver_options = Options("solver " + solver, run.solver->options(), solver_options);
  run.options = integrator_options(contact);
  if (scheme.empty()) return suited_scheme(registry(), run);
  return {scheme, 0, suited_options(registry(), run, scheme)};
}

/// Name, size, whether it is one of the model, and from when until when that depends on it.
using NamedParameters = std::vector<std::tuple<std::string, double, bool, double, double>>;

std::vector<Sensitivities::Parameter> parameters_of(const NamedParameters& named) {
  std::vector<Sensitivities::Parameter> out;
  for (const auto& [name, size, of_model, from, until] : named) out.push_back({name, size, of_model, {from, until}});
  return out;
}

class Run final : public Observer {
 public:
  Run(std::shared_ptr<Instance> instance, const std::string& scheme, const Assignments& scheme_options,
      const std::string& solver, const Assignments& solver_options, const Assignments& contact)
      : instance_(std::move(instance)),
        of_([=](const ProblemInstance& problem, bool project) {
          IntegratorOptions options = integrator_options(contact);
          options.project_start = project;
          return registry().integrator(problem, scheme, solver, scheme_options, solver_options, options);
        }),
        maker_([this] { return of_(instance_->problem(), false); }),
        integrator_(maker_()) {
    integrator_.add_observer(*this);
  }

  bool observe(const State& z, long) override {
    if (recorder_) return recorder_->step_taken(z);
    return !(signals_ && signals_->pending());
  }

  void set_tolerances(double relative, double absolute, double first, double largest) {
    const Use use(*this);
    StepLimits limits;
    limits.first = first;
    limits.largest = largest;
    integrator_.set_tolerances(Tolerances(relative, absolute), limits);
  }
  void start(const std::vector<int>& turns) {
    const Use use(*this);
    const py::gil_scoped_release unlocked;
    integrator_.start(instance_->problem().t0, instance_->problem().q0, instance_->problem().p0, turns);
  }

  /// The whole run. {"steps", "output", "raised", "success", "message", "stopped"}
  /// parameters: of each derivative that is wanted; variant(parameter, change): the Instance with it changed.
  py::dict record(double t_end, double step, std::optional<std::vector<double>> times, bool every_step,
                  py::object watcher, py::object progress, const NamedParameters& parameters, py::object variant) {
    const Use use(*this);
    Recorder::Request request{
        t_end, step, std::move(times), every_step, std::move(watcher), std::move(progress), maker_, {}, {}};
    request.parameters = parameters_of(parameters);
    request.variant = variants(std::move(variant));
    Recorder recorder(*instance_, integrator_, std::move(request));
    recorder_ = &recorder;
    StepReport report;
    {
      const py::gil_scoped_release unlocked;
      report = recorder.run();
    }
    py::dict out = recorder.take();
    out["success"] = report.success();
    out["message"] = report.message;
    out["stopped"] = report.stopped_by_observer;
    return out;
  }

  /// The whole run, for gradients backwards along it. variant(changes): the Instance with these changes of all of them.
  std::unique_ptr<Motion> motion(double t_end, double step, std::vector<double> times,
                                 const std::vector<std::string>& quantities, Index states, py::object progress,
                                 const NamedParameters& parameters, py::object variant) {
    const Use use(*this);
    auto made = std::make_unique<Motion>(*instance_, integrator_, quantities, parameters_of(parameters),
                                         variants_together(std::move(variant)), std::move(times), states);
    Signals signals;
    signals.tell(std::move(progress), [this] { return integrator_.state().t; });
    signals_ = &signals;
    {
      const py::gil_scoped_release unlocked;
      made->run(t_end, step);
    }
    made->raised = signals.raised();
    return made;
  }

  /// (success, message, steps taken, what a signal handler raised)
  template <class Advance>
  py::tuple stepped(Advance advance) {
    const Use use(*this);
    Signals signals;
    signals_ = &signals;
    StepReport report;
    {
      const py::gil_scoped_release unlocked;
      report = advance(integrator_);
    }
    return py::make_tuple(report.success(), report.message, report.steps, signals.raised());
  }

  const Instance& instance() const { return *instance_; }
  /// Runs of other instances, with the tolerances of this one, their starts on the constraints.
  StartedRun like_this() const {
    return [this](const ProblemInstance& problem) {
      Integrator run = of_(problem, true);
      if (integrator_.tolerances()) run.set_tolerances(*integrator_.tolerances(), integrator_.step_limits());
      return run;
    };
  }
  Integrator& integrator() { return integrator_; }
  const Integrator& integrator() const { return integrator_; }

  void restore(const State& z) {
    const Use use(*this);
    integrator_.restore(z);
  }
  void load(const std::string& file) {
    const Use use(*this);
    integrator_.load(file);
  }

 private:
  /// One thread at a time; observe() asks what belongs to that call.
  class Use {
   public:
    explicit Use(Run& run) : run_(run) {
      if (run_.busy_.exchange(true))
        throw Error(ErrorCode::refused, "this integrator is at work already: one integrator serves one thread");
    }
    ~Use() {
      run_.recorder_ = nullptr;
      run_.signals_ = nullptr;
      run_.busy_ = false;
    }

   private:
    Run& run_;
  };

  /// The makers of runs beside this one, from a function for their instances.
  Sensitivities::Make variants(py::object instances) {
    // Copies are made without the interpreter's lock; the last one goes with it.
    return [this, made = std::make_shared<py::object>(std::move(instances))](std::size_t parameter, double change) {
      return variant(*made, parameter, change);
    };
  }
  Adjoint::Make variants_together(py::object instances) {
    return [this, made = std::make_shared<py::object>(std::move(instances))](const Vector& changes) {
      return variant(*made, changes);
    };
  }
  template <class... Arguments>
  std::unique_ptr<Variant> variant(const py::object& made, const Arguments&... arguments) {
    const auto instance = [&] {
      const py::gil_scoped_acquire locked;
      return made(arguments...).template cast<std::shared_ptr<Instance>>();
    }();
    return std::make_unique<Variant>(instance->problem(), of_(instance->problem(), true));
  }

  std::shared_ptr<Instance> instance_;
  /// Integrators as that of this run; whether it moves its start onto the constraints.
  std::function<Integrator(const ProblemInstance&, bool)> of_;
  StatesAtTimes::SideMaker maker_;  ///< for its problem
  Integrator integrator_;
  Recorder* recorder_ = nullptr;
  Signals* signals_ = nullptr;
  std::atomic<bool> busy_{false};
};

py::dict promises_of(const Promises& p) {
  return py::dict(py::arg("order") = p.order, py::arg("energy") = p.energy,
                  py::arg("discrete_energy") = p.discrete_energy, py::arg("position") = p.position,
                  py::arg("hidden") = p.hidden, py::arg("momentum") = p.momentum, py::arg("symmetric") = p.symmetric,
                  py::arg("symplectic") = p.symplectic, py::arg("variable_steps") = p.variable_steps);
}

py::dict counters_of(const Integrator& integrator) {
  const RunCounters& c = integrator.counters();
  const InvariantMonitor& m = integrator.monitor();
  const EnergyBook book = integrator.energy_book();
  py::dict out(py::arg("steps") = c.steps, py::arg("iterations") = c.iterations,
               py::arg("residual_evaluations") = c.residual_evaluations,
               py::arg("jacobian_evaluations") = c.jacobian_evaluations, py::arg("factorisations") = c.factorisations,
               py::arg("rejected_steps") = c.error_test_failures, py::arg("refused_steps") = c.refused_steps,
               py::arg("followed_steps") = c.followed_steps, py::arg("unconnected_steps") = c.unconnected_steps,
               py::arg("max_position_error") = m.position_max(), py::arg("max_velocity_error") = m.velocity_max());
  if (integrator.model().has_energy()) {
    out["max_energy_error"] = m.energy().max_abs_error();
    out["relative_energy_error"] = m.relative_energy_error();
    out["work"] = static_cast<double>(integrator.state().work.total());
    out["impact_losses"] = book.impact;
  }
  if (integrator.tolerances()) {
    out["smallest_step"] = integrator.step_estimates().smallest;
    out["largest_step"] = integrator.step_estimates().largest;
  }
  return out;
}

/// What a user should know beside promises.
std::vector<std::string> warnings_of(const Integrator& integrator) {
  std::vector<std::string> texts;
  for (const Index i : integrator.constraint_rank().dependent)
    texts.push_back("constraint " + constraint_name(integrator.system(), i) + " repeats others");
  if (const SingularPosition& singular = integrator.singular_position(); singular.step > 0)
    texts.push_back("G lost rank near t = " + number_text(singular.t) + ", step " + std::to_string(singular.step));
  const System* system = integrator.model().mechanical();
  if (std::string gained = gained_energy(integrator); !gained.empty()) texts.push_back(std::move(gained));
  if (system && system->parts().obstacles) return texts;
  const auto* equations = dynamic_cast<const StepWarning*>(&integrator.equations());
  if (equations && equations->warning()) texts.emplace_back(equations->warning());
  return texts;
}

}  // namespace

void bind_runs(py::module_& module) {
  module.def("suited", [](const Instance& instance, const std::string& scheme, double relative,
                          const std::string& solver, const Assignments& solver_options, const Assignments& contact) {
    const py::gil_scoped_release unlocked;
    const SchemeChoice choice = suited(instance, scheme, relative, solver, solver_options, contact);
    return std::make_pair(choice.scheme, choice.options);
  });
  py::class_<State>(module, "State").def_property_readonly("t", [](const State& z) { return z.t; });

  bind_motion(module);
  py::class_<Run>(module, "Run")
      .def(py::init<std::shared_ptr<Instance>, const std::string&, const Assignments&, const std::string&,
                    const Assignments&, const Assignments&>())
      .def("set_tolerances", &Run::set_tolerances)
      .def("start", &Run::start, py::arg("turns") = std::vector<int>())
      .def("record", &Run::record)
      .def("motion", &Run::motion, py::keep_alive<0, 1>())
      .def("step", [](Run& r, double h) { return r.stepped([h](Integrator& i) { return i.step(h); }); })
      .def("step_to", [](Run& r, double t) { return r.stepped([t](Integrator& i) { return i.step_to(t); }); })
      .def("advance",
           [](Run& r, double t, double h) {
             return r.stepped([t, h](Integrator& i) { return h != 0 ? i.advance_to(t, h) : i.advance_to(t); });
           })
      .def("linearise",
           [](const Run& r, const std::optional<Inputs>& inputs, const py::object& variant) {
             const Integrator& run = r.integrator();
             const State& z = run.state();
             const Vector lambda = [&run] {
               const py::gil_scoped_release unlocked;
               return run.index1_multipliers();
             }();
             return linearised(r.instance(), {z.t, z.q.value(), z.p.value(), lambda, z.closed, z.turns}, inputs,
                               variant);
           })
      .def("monodromy", [](const Run& r, double period,
                           double step) { return monodromy_of(r.instance(), r.like_this(), period, step); })
      .def("checkpoint", [](const Run& r) { return State(r.integrator().state()); })
      .def("restore", &Run::restore)
      .def("save", [](const Run& r, const std::string& file) { r.integrator().save(file); })
      .def("load", &Run::load)
      .def_property_readonly("t", [](const Run& r) { return r.integrator().state().t; })
      .def_property_readonly("turns", [](const Run& r) { return r.integrator().state().turns; })
      .def_property_readonly("y", [](const Run& r) { return array_of(r.instance().column(r.integrator().state())); })
      .def_property_readonly("p", [](const Run& r) { return array_of(r.integrator().state().p.value()); })
      .def_property_readonly("lam", [](const Run& r) { return array_of(r.integrator().index1_multipliers()); })
      .def_property_readonly("energy_error",
                             [](const Run& r) { return r.integrator().monitor().energy().last_error(); })
      .def_property_readonly("promises", [](const Run& r) { return promises_of(r.integrator().promises()); })
      .def_property_readonly("broken_promises",
                             [](const Run& r) {
                               std::vector<std::string> texts;
                               for (const BrokenPromise& one : r.integrator().broken_promises())
                                 texts.push_back(one.text());
                               return texts;
                             })
      .def_property_readonly("warnings", [](const Run& r) { return warnings_of(r.integrator()); })
      .def_property_readonly("counters", [](const Run& r) { return counters_of(r.integrator()); })
      .def_property_readonly("events", [](const Run& r) { return events_of(r.integrator().events()); });
}

}  // namespace gnomon::python
