#include "bench/sensitivity/sensitivities_bench.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "bench/chain_bench.hpp"
#include "bench/steps.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/registry/coordinate_names.hpp"
#include "gnomon/registry/varied_problem.hpp"
#include "gnomon/run/adjoint.hpp"
#ifdef GNOMON_IDAS
#include "bench/sensitivity/idas_motion.hpp"
#endif

namespace gnomon::bench {

namespace {

constexpr int most_directions = 4;
constexpr double gate = 0.3, gate_backwards = 2.5;
constexpr const char* backwards = "the start, backwards";

/// A problem with what it is differentiated by.
struct Motion {
  std::string problem;
  Assignments set;
  double h;
  long steps;
  std::vector<std::string> parameters;  ///< most_directions
};

std::vector<Motion> motions(const SensitivitiesBench& bench) {
  const auto steps = [&](long own) { return bench.steps > 0 ? bench.steps : own; };
  return {{"double-spherical-pendulum",
           {{"start", "spatial"}},
           .01,
           steps(200),
           {"length1", "mass1", "gravity", "length2"}},
          {"chain",
           {{"links", "100"}, {"start", "spatial"}},
           chain_step(100),
           steps(50),
           {"length", "gravity", "rotation", "mass"}}};
}

/// Velocities and positions of the last two coordinates.
std::vector<std::string> start_entries(const ProblemInstance& instance) {
  const std::vector<std::string> names = coordinate_names(*instance.model);
  const std::string &last = names.back(), &before = names[names.size() - 2];
  return {"start.der(" + last + ")", "start.der(" + before + ")", "start." + last, "start." + before};
}

/// Steps of a scheme with its derivatives, from a run that is made anew in each round.
class DifferentiatedSteps final : public Work {
 public:
  DifferentiatedSteps(std::function<std::unique_ptr<Integrator>()> make_run, const VariedProblem& varied,
                      int directions, double h, long steps)
      : make_run_(std::move(make_run)), varied_(&varied), h_(h), steps_(steps) {
    parameters_.assign(varied.parameters().begin(), varied.parameters().begin() + directions);
  }
  void rewind() override {
    sensitivities_.reset();
    run_ = make_run_();
    if (!parameters_.empty()) {
      sensitivities_.emplace(*run_, parameters_, varied_->make());
      sensitivities_->observe(run_->state(), 0);
      run_->add_observer(*sensitivities_);
    }
    run_->advance(warm_up_steps, h_);
  }
  std::string run() override {
    const StepReport report = run_->advance(steps_, h_);
    if (!report.success()) return report.message;
    return sensitivities_ ? sensitivities_->failure() : "";
  }
  /// dq/ds at the end
  Matrix derivatives() const { return sensitivities_->positions(); }

 private:
  std::function<std::unique_ptr<Integrator>()> make_run_;
  const VariedProblem* varied_;
  std::vector<Sensitivities::Parameter> parameters_;
  double h_;
  long steps_;
  std::unique_ptr<Integrator> run_;
  std::optional<Sensitivities> sensitivities_;
};

/// The same steps, and then the gradient of the last coordinate at the end by entries of the start, backwards.
class StepsAndBack final : public Work {
 public:
  StepsAndBack(std::function<std::unique_ptr<Integrator>()> make_run, const VariedProblem& varied, double h, long steps)
      : make_run_(std::move(make_run)), varied_(&varied), h_(h), steps_(steps) {}
  void rewind() override {
    adjoint_.reset();
    run_ = make_run_();
    Adjoint::Asked asked;
    asked.size = 1;
    asked.measure = [](Variant&, const State& z, VectorRef out) { out[0] = z.q.value()[z.q.value().size() - 1]; };
    adjoint_.emplace(*run_, varied_->parameters(), varied_->make_together(), asked);
    adjoint_->observe(run_->state(), 0);
    run_->add_observer(*adjoint_);
  }
  std::string run() override {
    const StepReport report = run_->advance(steps_, h_);
    if (!report.success()) return report.message;
    Matrix weights = Matrix::Zero(1, static_cast<Index>(adjoint_->times().size()));
    weights(0, weights.cols() - 1) = 1;
    Vector gradient;
    return adjoint_->gradient(weights, gradient) ? "" : adjoint_->failure();
  }

 private:
  std::function<std::unique_ptr<Integrator>()> make_run_;
  const VariedProblem* varied_;
  double h_;
  long steps_;
  std::unique_ptr<Integrator> run_;
  std::optional<Adjoint> adjoint_;
};

#ifdef GNOMON_IDAS
/// A run of IDAS from the start.
class IdasRun final : public Work {
 public:
  IdasRun(const VariedProblem& varied, int directions, double rtol, double until, bool exact = false) : until_(until) {
    const auto& all = varied.parameters();
    IdasOptions options;
    options.rtol = rtol;
    options.derivatives = directions > 0;
    options.exact = exact;
    if (exact) options.newton = 1e-2;
    motion_ = std::make_unique<IdasMotion>(
        std::vector<Sensitivities::Parameter>(all.begin(), all.begin() + std::max(directions, 1)), varied.make(),
        options);
  }
  void rewind() override { motion_->restart(); }
  std::string run() override { return motion_->advance_to(motion_->start_time() + until_); }
  Matrix derivatives() const { return motion_->positions(); }
  long steps() const { return motion_->steps(); }

 private:
  std::unique_ptr<IdasMotion> motion_;
  double until_;
};
#endif

/// max |d - truth| / max |truth|, columns by the sizes of their parameters.
double error_of(const Matrix& found, const Matrix& truth, const std::vector<Sensitivities::Parameter>& parameters) {
  double off = 0, whole = 0;
  for (Index j = 0; j < found.cols(); ++j) {
    const double size = parameters[static_cast<std::size_t>(j)].size;
    off = std::max(off, size * (found.col(j) - truth.col(j)).lpNorm<Eigen::Infinity>());
    whole = std::max(whole, size * truth.col(j).lpNorm<Eigen::Infinity>());
  }
  return off / whole;
}

/// One motion by one scheme.
class Contest {
 public:
  Contest(const Registry& registry, const Motion& motion, std::string scheme)
      : registry_(registry),
        motion_(motion),
        scheme_(std::move(scheme)),
        instance_(registry.build(motion.problem, motion.set)) {
    for (const auto& [kind, names] : {std::make_pair(std::string("parameters"), motion.parameters),
                                      std::make_pair(std::string("start entries"), start_entries(instance_))}) {
      Kind one;
      one.by = kind;
      const auto run = [this](const ProblemInstance& instance) { return integrator(instance); };
      one.varied = std::make_unique<VariedProblem>(registry.problem(motion.problem), motion.set, run, names);
      kinds_.push_back(std::move(one));
    }
  }

  std::vector<SensitivitiesRow> run(const TurnsRule& rule) {
    const double until = motion_.h * static_cast<double>(motion_.steps + warm_up_steps);
    add_ours({}, kinds_.front(), 0);
    for (const Kind& kind : kinds_)
      for (int k = 1; k <= most_directions; k *= 2) add_ours(kind.by, kind, k);
    add_ours_backwards();
    add_theirs(until);
    std::vector<Work*> pieces;
    for (const auto& piece : pieces_) pieces.push_back(piece.get());
    const Turns turns = time_in_turns(pieces, rule);
    double ours = 0, theirs = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) finish(i, turns.of[i].median(), rows_[i].ours ? ours : theirs);
    return rows_;
  }

 private:
  struct Kind {
    std::string by;
    std::unique_ptr<VariedProblem> varied;
    Matrix truth;  ///< empty: not known
  };

  Integrator integrator(const ProblemInstance& instance) const {
    IntegratorOptions options;
    options.project_start = true;
    return registry_.integrator(instance, scheme_, "newton", {}, {}, options);
  }
  SensitivitiesRow row(const std::string& method, bool ours, const std::string& by, int directions) const {
    SensitivitiesRow made;
    made.problem = motion_.problem;
    made.method = method;
    made.ours = ours;
    made.by = by;
    made.directions = directions;
    return made;
  }
  std::unique_ptr<DifferentiatedSteps> steps_of(const Kind& kind, int directions) const {
    return std::make_unique<DifferentiatedSteps>([this] { return std::make_unique<Integrator>(integrator(instance_)); },
                                                 *kind.varied, directions, motion_.h, motion_.steps);
  }
  void add_ours(const std::string& by, const Kind& kind, int directions) {
    pieces_.push_back(steps_of(kind, directions));
    rows_.push_back(row(scheme_, true, by, directions));
    rows_.back().parameter = motion_.h;
    rows_.back().steps = motion_.steps;
  }

  void add_ours_backwards() {
    pieces_.push_back(
        std::make_unique<StepsAndBack>([this] { return std::make_unique<Integrator>(integrator(instance_)); },
                                       *kinds_.back().varied, motion_.h, motion_.steps));
    rows_.push_back(row(scheme_, true, backwards, 1));
    rows_.back().parameter = motion_.h;
    rows_.back().steps = motion_.steps;
  }

#ifdef GNOMON_IDAS
  void add_theirs(double until) {
    for (Kind& kind : kinds_) {
      IdasRun truth(*kind.varied, most_directions, 1e-11, until, true);
      if (time_once(truth).failure.empty()) kind.truth = truth.derivatives();
    }
    const double rtol = similar(until);
    const std::string method = "IDAS beside " + scheme_;
    const auto add = [&](const std::string& by, const Kind& kind, int directions) {
      pieces_.push_back(std::make_unique<IdasRun>(*kind.varied, directions, rtol, until));
      rows_.push_back(row(method, false, by, directions));
      rows_.back().parameter = rtol;
    };
    add({}, kinds_.front(), 0);
    for (const Kind& kind : kinds_)
      for (int k = 1; k <= most_directions; k *= 2) add(kind.by, kind, k);
  }
  /// The tolerance at which derivatives by parameters are as exact as the scheme's.
  double similar(double until) {
    const Kind& kind = kinds_.front();
    constexpr double tightest = 1e-10;
    if (kind.truth.size() == 0) return tightest;
    const auto steps = steps_of(kind, most_directions);
    if (!time_once(*steps).failure.empty()) return tightest;
    const double wanted = error_of(steps->derivatives(), kind.truth, kind.varied->parameters());
    for (int halves = 4; halves < 20; ++halves) {
      const double rtol = std::pow(10., -halves / 2.);
      IdasRun run(*kind.varied, most_directions, rtol, until);
      if (time_once(run).failure.empty() &&
          error_of(run.derivatives(), kind.truth, kind.varied->parameters()) <= wanted)
        return rtol;
    }
    return tightest;
  }
#else
  void add_theirs(double) {}
#endif

  void finish(std::size_t i, double seconds, double& none) {
    SensitivitiesRow& done = rows_[i];
    if (!(seconds > 0)) {
      done.failure = time_once(*pieces_[i]).failure;
      return;
    }
    done.seconds = seconds;
    if (done.directions == 0) none = seconds;
    if (done.directions > 0 && none > 0) done.cost = (seconds / none - 1) / done.directions;
    Matrix found;
    if (done.ours && done.directions > 0 && done.by != backwards)
      found = static_cast<DifferentiatedSteps&>(*pieces_[i]).derivatives();
#ifdef GNOMON_IDAS
    if (!done.ours) {
      const auto& run = static_cast<const IdasRun&>(*pieces_[i]);
      done.steps = run.steps();
      if (done.directions > 0) found = run.derivatives();
    }
#endif
    const Kind& kind = kinds_[done.by == kinds_.back().by ? 1 : 0];
    if (found.size() > 0 && kind.truth.size() > 0) done.error = error_of(found, kind.truth, kind.varied->parameters());
  }

  const Registry& registry_;
  const Motion& motion_;
  std::string scheme_;
  ProblemInstance instance_;
  std::vector<Kind> kinds_;
  std::vector<std::unique_ptr<Work>> pieces_;
  std::vector<SensitivitiesRow> rows_;
};

}  // namespace

std::string without_idas() {
#ifdef GNOMON_IDAS
  return {};
#else
  return "IDAS was not there when this program was built, so that its rows and the errors are missing.";
#endif
}

std::vector<SensitivitiesRow> run_sensitivities_bench(const Registry& registry, const SensitivitiesBench& bench,
                                                      const std::function<void(const SensitivitiesRow&)>& print) {
  std::vector<SensitivitiesRow> rows;
  for (const Motion& motion : motions(bench))
    for (const std::string scheme : {"energy-momentum-ggl", "rattle"})
      for (SensitivitiesRow& row : Contest(registry, motion, scheme).run(bench.rule)) {
        print(row);
        rows.push_back(std::move(row));
      }
  return rows;
}

std::vector<SensitivitiesFigure> sensitivities_figures(const std::vector<SensitivitiesRow>& rows) {
  std::vector<SensitivitiesFigure> figures;
  for (const SensitivitiesRow& row : rows)
    if (row.ours && row.directions == most_directions && row.failure.empty())
      figures.push_back({row.problem + ", " + row.method + ", a direction of " + std::to_string(most_directions) +
                             " by " + row.by + ", in steps",
                         row.cost, gate});
    else if (row.by == backwards && row.failure.empty())
      figures.push_back(
          {row.problem + ", " + row.method + ", a gradient by " + row.by + ", in steps", row.cost, gate_backwards});
  return figures;
}

}  // namespace gnomon::bench
