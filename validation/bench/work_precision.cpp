#include "work_precision.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gnomon/base/error.hpp"

namespace gnomon::bench {

namespace {

struct Contender {
  std::string label, name;  ///< of a scheme, or of a reference
  Assignments options;
  bool ours = true;
  std::vector<double> parameters;  ///< steps or tolerances at T = 10, coarse ones first
};

/// IDA and CVODE as they are at their best: the multipliers have a tolerance of their own (an option's default), and
/// atol is a tenth of rtol.
std::vector<Contender> contenders() {
  const std::vector<double> second = {.1, .04, .01, .004, .001}, fourth = {.2, .1, .05, .025, .0125, .005},
                            sixth = {.4, .2, .1, .05, .025}, tolerances = {1e-4, 1e-6, 1e-8, 1e-10, 1e-12};
  const auto composed = [](const char* order) {
    return Assignments{{"inner", "energy-momentum"}, {"order", order}, {"paired", "yes"}};
  };
  const auto line = [](const char* k, const char* s, const char* r) {
    return Assignments{{"k", k}, {"s", s}, {"r", r}};
  };
  return {{"energy-momentum", "energy-momentum", {}, true, second},
          {"composition 4", "composition", composed("4"), true, fourth},
          {"composition 6", "composition", composed("6"), true, sixth},
          {"hbvm(4,2)", "hbvm", {{"k", "4"}, {"s", "2"}}, true, second},
          {"hbvm(6,3)", "hbvm", {{"k", "6"}, {"s", "3"}, {"r", "1"}}, true, second},
          {"line-integral-ggl(4,2)", "line-integral-ggl", line("4", "2", "1"), true, fourth},
          {"line-integral-ggl(6,4)", "line-integral-ggl", line("6", "4", "3"), true, sixth},
          {"ida-index1", "ida-index1", {}, false, tolerances},
          {"ida-ggl", "ida-ggl", {}, false, tolerances},
          {"cvode-projection", "cvode-projection", {}, false, tolerances}};
}

struct Energy {
  double kinetic, potential;
  double total() const { return kinetic + potential; }
  double largest() const { return std::max(std::abs(kinetic), std::abs(potential)); }
};

Energy energy(const System& system, double t, const Vector& q, const Vector& p) {
  Vector v(q.size());
  system.mass().solve(p, v);
  return {0.5 * p.dot(v), system.potential(t, q)};
}

/// One run through the times of measurement.
class Run : public Work {
 public:
  Run(ProblemInstance instance, const TrueSolution& truth) : instance_(std::move(instance)), truth_(&truth) {
    q_.resize(truth.times.size());
    p_.resize(truth.times.size());
  }
  std::string run() final {
    for (std::size_t i = 0; i < q_.size(); ++i) {
      const std::string failure = advance(truth_->times[i], q_[i], p_[i]);
      if (!failure.empty()) return failure;
    }
    return {};
  }
  /// Fills in the errors of the last run.
  void measure_errors(WorkPrecisionRow& row) const {
    const System& system = *instance_.model->mechanical();
    const Energy start = energy(system, instance_.t0, instance_.q0, instance_.p0);
    Vector g(system.m());
    double sum = 0, drift = 0, scale = std::max(1.0, start.largest());
    for (std::size_t i = 0; i < q_.size(); ++i) {
      sum += (q_[i] - truth_->q[i]).squaredNorm() / truth_->q[i].squaredNorm();
      const Energy now = energy(system, truth_->times[i], q_[i], p_[i]);
      drift = std::max(drift, std::abs(now.total() - start.total()));
      scale = std::max(scale, now.largest());
      system.constraints(truth_->times[i], q_[i], g);
      row.constraint = std::max(row.constraint, g.lpNorm<Eigen::Infinity>());
    }
    row.energy = drift / scale;
    row.error = std::sqrt(sum / static_cast<double>(q_.size()));
    row.followed = truth_->known();
  }

 protected:
  virtual std::string advance(double t, Vector& q, Vector& p) = 0;
  ProblemInstance instance_;

 private:
  const TrueSolution* truth_;
  std::vector<Vector> q_, p_;
};

class SchemeRun final : public Run {
 public:
  SchemeRun(const Registry& registry, const ProblemInstance& instance, const TrueSolution& truth, const Contender& c,
            double h)
      : Run(instance, truth), integrator_(registry.integrator(instance, c.name, "newton", c.options)), h_(h) {}
  void rewind() override { integrator_.start(instance_.t0, instance_.q0, instance_.p0); }

 private:
  std::string advance(double t, Vector& q, Vector& p) override {
    const std::string failure = integrator_.advance(std::lround((t - integrator_.state().t) / h_), h_).message;
    q = integrator_.state().q.value();
    p = integrator_.state().p.value();
    return failure;
  }
  Integrator integrator_;
  double h_;
};

class ReferenceRun final : public Run {
 public:
  ReferenceRun(const Registry& registry, const ProblemInstance& instance, const TrueSolution& truth, const Contender& c,
               double rtol)
      : Run(instance, truth),
        reference_(&registry.reference(c.name)),
        options_(c.name, reference_->options(), {{"rtol", number_text(rtol)}, {"atol", number_text(0.1 * rtol)}}) {}
  void rewind() override { solution_ = reference_->start(instance_, options_); }

 private:
  std::string advance(double t, Vector& q, Vector& p) override {
    const ReferenceReport report = solution_->advance_to(t);
    q = report.q;
    p = report.p;
    return report.success ? std::string() : report.message;
  }
  const Reference* reference_;
  Options options_;
  std::unique_ptr<ReferenceSolution> solution_;
};

ProblemInstance build(const Registry& registry, const std::string& problem) {
  const ProblemInstance instance = problem == "double-spherical-pendulum"
                                       ? registry.build(problem, {{"start", "spatial"}})
                                       : registry.build(problem);
  if (!instance.model->mechanical()) throw Error(ErrorCode::refused, "problem " + problem + " is no mechanical system");
  return instance;
}

/// Steps of a long run are not refined as far: the longest would take most of the time.
std::vector<double> parameters(const Contender& c, double until) {
  std::vector<double> kept = c.parameters;
  while (c.ours && kept.size() > 3 && until / kept.back() > 3e5) kept.pop_back();
  return kept;
}

}  // namespace

TrueSolution true_solution(const Registry& registry, const std::string& problem, double until) {
  const ProblemInstance instance = build(registry, problem);
  TrueSolution truth;
  truth.problem = problem;
  truth.until = until;
  for (int i = 1; i <= 5; ++i) truth.times.push_back(until * i / 5);
  if (instance.exact) {
    Vector p;
    truth.q.resize(truth.times.size());
    for (std::size_t i = 0; i < truth.times.size(); ++i) instance.exact(truth.times[i], truth.q[i], p);
    truth.source = "closed form";
    return truth;
  }
  const auto solve = [&](double h) {
    Integrator integrator =
        registry.integrator(instance, "line-integral-ggl", "newton", {{"k", "8"}, {"s", "6"}, {"r", "5"}});
    std::vector<Vector> q;
    for (std::size_t i = 0; i < truth.times.size(); ++i) {
      const StepReport report = integrator.advance(std::lround(until / 5 / h), h);
      if (!report.success()) throw Error(ErrorCode::refused, "no true solution of " + problem + ": " + report.message);
      q.push_back(integrator.state().q.value());
    }
    return q;
  };
  truth.q = solve(.02);
  const std::vector<Vector> other = solve(.025);
  for (std::size_t i = 0; i < other.size(); ++i)
    truth.uncertainty = std::max(truth.uncertainty, (other[i] - truth.q[i]).norm() / truth.q[i].norm());
  truth.source = "line-integral-ggl(8,6) at h = 0.02 and 0.025";
  return truth;
}

std::vector<WorkPrecisionRow> run_work_precision(const Registry& registry, const WorkPrecisionBench& bench,
                                                 const std::function<void(const TrueSolution&)>& begin,
                                                 const std::function<void(const WorkPrecisionRow&)>& print) {
  std::vector<WorkPrecisionRow> rows;
  const std::vector<Contender> all = contenders();
  for (const std::string& problem : bench.problems)
    for (const double until : bench.until) {
      const ProblemInstance instance = build(registry, problem);
      const TrueSolution truth = true_solution(registry, problem, until);
      begin(truth);
      std::vector<Task> tasks;
      for (const Contender& c : all)
        for (const double parameter : parameters(c, until)) {
          WorkPrecisionRow blank;
          blank.problem = problem;
          blank.until = until;
          blank.method = c.label;
          blank.ours = c.ours;
          blank.parameter = parameter;
          const auto keep = [&rows, &print](const WorkPrecisionRow& row) {
            print(row);
            rows.push_back(row);
          };
          tasks.push_back({problem + "/" + c.label + "/" + number_text(parameter) + "/" + number_text(until),
                           [&registry, &instance, &truth, &c, parameter]() -> std::unique_ptr<Work> {
                             if (c.ours) return std::make_unique<SchemeRun>(registry, instance, truth, c, parameter);
                             return std::make_unique<ReferenceRun>(registry, instance, truth, c, parameter);
                           },
                           [blank, keep](double seconds, Work& work) {
                             WorkPrecisionRow row = blank;
                             row.seconds = seconds;
                             static_cast<Run&>(work).measure_errors(row);
                             keep(row);
                           },
                           [blank, keep](const std::string& why) {
                             WorkPrecisionRow row = blank;
                             row.failure = why;
                             keep(row);
                           }});
        }
      time_tasks(tasks, bench.rule);
    }
  return rows;
}

}  // namespace gnomon::bench
