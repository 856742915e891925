#include "bench/precision/timed_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/formula/winding.hpp"

namespace gnomon::bench {

namespace {

class SchemeRun final : public Run {
 public:
  SchemeRun(const Registry& registry, const ProblemInstance& instance, const TrueSolution& truth, const Contender& c,
            double parameter, const Patience& patience)
      : Run(truth, patience),
        instance_(&instance),
        parameter_(parameter),
        controlled_(c.controlled),
        integrator_(integrator(registry, c)) {
    if (controlled_) integrator_.set_tolerances(Tolerances(parameter));
  }
  void rewind() override { integrator_.start(instance_->t0, instance_->q0, instance_->p0); }
  double energy_scale() const override { return integrator_.monitor().energy_scale(); }
  Motion motion() const override { return {integrator_.model(), instants(), truth().judged}; }

 private:
  Integrator integrator(const Registry& registry, const Contender& c) const {
    IntegratorOptions options;
    options.interrupt = alarm().flag();
    return registry.integrator(*instance_, c.name, c.solver, c.options, {}, options);
  }
  std::string advance(Instant& at) override {
    const State& z = integrator_.state();
    const StepReport report = controlled_ ? integrator_.advance_to(at.t)
                                          : integrator_.advance(std::lround((at.t - z.t) / parameter_), parameter_);
    if (alarm().over()) return too_long;
    at.q = z.q.value();
    at.p = z.p.value();
    at.turns = z.turns;
    return report.message;
  }
  void levels(WorkPrecisionRow& row) const override {
    const InvariantMonitor& monitor = integrator_.monitor();
    row.energy =
        integrator_.model().has_energy() ? monitor.relative_energy_error() : std::numeric_limits<double>::quiet_NaN();
    row.constraint = monitor.position_max();
    row.velocity = monitor.velocity_max();
    row.steps = integrator_.counters().steps;
  }

  const ProblemInstance* instance_;
  double parameter_;
  bool controlled_;
  Integrator integrator_;
};

class ReferenceRun final : public Run {
 public:
  ReferenceRun(const Registry& registry, const ProblemInstance& instance, const TrueSolution& truth, const Contender& c,
               double rtol, const Patience& patience)
      : Run(truth, patience),
        instance_(&instance),
        reference_(&registry.reference(c.name)),
        options_(c.name, reference_->options(), reference_->options().empty() ? Assignments{} : options_of(c, rtol)) {}
  void rewind() override {
    solution_ = reference_->start(*instance_, options_);
    solution_->stop_when([this] { return alarm().over(); });
  }
  double energy_scale() const override {
    double scale = 1;
    if (!instance_->model->mechanical()) return scale;
    const Vector none = Vector::Zero(instants()[0].q.size());
    Measured measured;
    for (const Instant& at : instants()) {
      const Windings turns(at.turns);
      if (!instance_->model->measure({at.t, at.q, none, at.p, none, none, none}, measured)) continue;
      scale = std::max(
          {scale, static_cast<double>(std::abs(measured.kinetic)), static_cast<double>(std::abs(measured.potential))});
    }
    return scale;
  }
  Motion motion() const override { return {*instance_->model, instants(), truth().judged}; }

 private:
  std::string advance(Instant& at) override {
    last_ = solution_->advance_to(at.t);
    at.q = last_.q;
    at.p = last_.p;
    at.turns = last_.turns;
    return last_.success ? std::string() : alarm().over() ? too_long : last_.message;
  }
  void levels(WorkPrecisionRow& row) const override {
    const ReferenceLevels none, &own = last_.levels ? *last_.levels : none;
    row.energy = own.conservative ? own.energy / truth().energy_scale : std::numeric_limits<double>::quiet_NaN();
    row.constraint = own.position;
    row.velocity = own.velocity;
  }

  const ProblemInstance* instance_;
  const Reference* reference_;
  Options options_;
  static Assignments options_of(const Contender& c, double rtol) {
    Assignments options = tolerance(rtol, c.absolute);
    options.insert(options.end(), c.options.begin(), c.options.end());
    return options;
  }

  std::unique_ptr<ReferenceSolution> solution_;
  ReferenceReport last_;
};

}  // namespace

std::string Run::run() {
  for (std::size_t i = 0; i < at_.size(); ++i) {
    at_[i].t = truth_->times[i];
    const std::string failure = advance(at_[i]);
    if (alarm_.patience().interrupted()) throw Interrupted();
    if (!failure.empty()) return failure;
  }
  return {};
}

void Run::measure(WorkPrecisionRow& row) const {
  double sum = 0;
  row.largest = 0;
  const Motion own = motion();
  for (std::size_t i = 0; i < at_.size(); ++i) {
    const double error = truth_->motion.position_error(own, i);
    sum += error * error;
    row.largest = std::max(row.largest, truth_->motion.error(own, i));
  }
  row.error = std::sqrt(sum / static_cast<double>(at_.size()));
  row.followed = truth_->known();
  levels(row);
}

std::unique_ptr<Run> make_run(const Registry& registry, const ProblemInstance& instance, const TrueSolution& truth,
                              const Contender& contender, double parameter, const Patience& patience) {
  if (contender.ours) return std::make_unique<SchemeRun>(registry, instance, truth, contender, parameter, patience);
  return std::make_unique<ReferenceRun>(registry, instance, truth, contender, parameter, patience);
}

Assignments tolerance(double rtol, double absolute) {
  return {{"rtol", number_text(rtol)}, {"atol", number_text(absolute * rtol)}};
}

}  // namespace gnomon::bench
