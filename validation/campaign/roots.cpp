/// \file
/// Every scheme on systems drawn at random, with steps of 30 and 100 hundredths of the shortest period at the start,
/// where the equations of a step have other solutions than the one that is connected with its start. Every step is
/// judged by continuation in h from 0, in small parts, with a Newton method of its own. Penalties are not: within a
/// step they turn too often for that; nor are iterations around one where the path ends. Findings:
///
///     not connected   steps were accepted whose solution is not the one that continuation reaches,
///     refused         solutions that continuation reaches were refused as not connected,
///
/// more than one in a thousand accepted steps. Each is printed: near folds and poles in h the two continuations may
/// differ, too.
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "campaign/campaign.hpp"
#include "campaign/random_system.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/registry/registry.hpp"

namespace gnomon::campaign {

namespace {

/// Every other system has a mass that depends on q, every other two a g that is no polynomial.
RandomProblem root_problem(std::uint64_t seed, std::uint64_t number) {
  Features features;
  if (number % 2 == 1) features.add(Features::mass);
  if (number % 4 >= 2) features.add(Features::curved);
  return random_problem(seed, number, features);
}

constexpr std::array<int, 2> root_scales{30, 100};
constexpr long root_steps = 40;
/// After a step that failed the run goes on with one of this part, that is not judged; so often.
constexpr double part_after_failure = .1;
constexpr int most_failures = 8;
/// A run ends where q or p is so many times what it was, or as many units: it is unstable then, and rounding is all.
constexpr double largest_growth = 1e3;

/// The steps of one scheme from given states, by continuation or by a solver.
class Oracle {
 public:
  Oracle(const Registry& registry, const Model& model, const std::string& scheme, const std::string& solver)
      : name_(scheme), binding_(registry.scheme(scheme).bind(model, default_options(registry.scheme(scheme)))) {
    StepEquations& equations = *binding_.equations;
    const SolverFactory& factory = registry.solver(solver);
    for (Index k = 0; k < equations.n_systems(); ++k) {
      scaled_.push_back(std::make_unique<ScaledEquations>(equations.system(k), JacobianSource::analytic));
      solvers_.push_back(factory.create(Options("solver " + solver, factory.options())));
      solvers_.back()->attach(*scaled_.back());
    }
  }

  /// The solution at the end of the path from s = 0. False where it does not get there; reached() is how far it got.
  bool follow(const State& z0, double h, State& end) {
    constexpr double smallest = 1e-7, largest = 1. / 32;
    reached_ = 0;
    last_.clear();
    before_.clear();
    double s_before = 0;
    for (double part = 1. / 64; reached_ < 1;) {
      const double s = std::min(1.0, reached_ + part);
      weight_ = before_.empty() ? 0 : (s - reached_) / (reached_ - s_before);
      const bool good = step(z0, s * h, true);
      if (good) {
        before_ = last_;
        last_ = now_;
        s_before = reached_;
        reached_ = s;
        part = std::min(2 * part, largest);
      } else if ((part /= 2) < smallest * std::max(reached_, smallest)) {
        return false;
      }
    }
    end = z0;
    binding_.equations->finish(end);
    return true;
  }
  /// Whether the solver finds, from the scheme's start values, the solution that was followed last.
  bool finds_the_same(const State& z0, double h) {
    constexpr double apart = 1e-4;
    last_ = now_;
    if (!step(z0, h, false) || now_.size() != last_.size()) return false;
    for (std::size_t k = 0; k < now_.size(); ++k)
      if (distance(now_[k], last_[k]) > apart) return false;
    return true;
  }
  double reached() const { return reached_; }

 private:
  static Options default_options(const Scheme& scheme) { return {"scheme " + scheme.name(), scheme.options()}; }

  bool step(const State& z0, double h, bool on_path) {
    try {
      StepEquations& equations = *binding_.equations;
      equations.begin(z0, h);
      now_.clear();
      const Index n_solves = equations.n_solves();
      for (Index k = 0; k < equations.n_solves(); ++k) {
        const auto i = static_cast<std::size_t>(equations.system_of(k));
        ScaledEquations& scaled = *scaled_[i];
        Vector x = Vector::Zero(scaled.size()), start;
        bool good = false;
        Next then = Next::repeat;
        for (int repetition = 0; then == Next::repeat; ++repetition) {
          const Vector last = x;
          equations.predict(k, x);
          scaled.update_scales();
          if (on_path) place(k, n_solves, repetition, last, x);
          scaled.to_scaled(x, x);
          if (repetition == 0) start = x;
          if (on_path ? !newton(scaled, x) : solvers_[i]->solve(x).status != SolveStatus::converged) return false;
          good = !on_path || goes_on(scaled, x, start);
          scaled.to_unscaled(x, x);
          scaled.equations().set_low(Vector::Zero(scaled.equations().low().size()));
          then = equations.accept(k, x);
          if (then == Next::fail || repetition > 1000 || (then == Next::advance && !good)) return false;
        }
        now_.push_back(x);
      }
      n_solves_ = n_solves;
    } catch (...) {  // as a step that fails
      return false;
    }
    return true;
  }

  /// A start value on the path. The last solves of steps belong together.
  void place(Index k, Index n_solves, int repetition, const Vector& last, Vector& x) const {
    const Index from = n_solves_ - (n_solves - k);
    if (repetition > 0) {
      x = last;
    } else if (from >= 0 && from < static_cast<Index>(last_.size())) {
      x = last_[static_cast<std::size_t>(from)];
      if (before_.size() == last_.size()) x += weight_ * (x - before_[static_cast<std::size_t>(from)]);
    }
  }
  /// The simplified Newton map with F_x(x) contracts from x0 to the solution x, or x0 is one to rounding.
  bool goes_on(ScaledEquations& scaled, const Vector& x, const Vector& x0) {
    constexpr double least = .02, nothing = 1e-7;
    if (distance(x, x0) <= nothing || solves(scaled, x0)) return true;
    if (scaled.residual(x0, f_) != EvaluationStatus::ok || !correction(scaled, x)) return false;
    const Vector left = x - x0 + dx_;
    return left.lpNorm<Eigen::Infinity>() <= least * (x - x0).lpNorm<Eigen::Infinity>();
  }
  static double distance(const Vector& x, const Vector& y) {
    return ((x - y).array().abs() / (1 + y.array().abs())).maxCoeff();
  }

  /// To rounding: what is left of an unknown is noise then.
  static bool solves(ScaledEquations& scaled, const Vector& x) {
    Vector f(x.size());
    return scaled.residual(x, f) == EvaluationStatus::ok &&
           ConvergenceRule().at_floor(f.lpNorm<Eigen::Infinity>(), scaled.rounding_floor());
  }

  /// dx = F_x(x)^-1 f
  bool correction(ScaledEquations& scaled, const Vector& x) {
    Vector values(scaled.pattern().nonzeros());
    if (scaled.jacobian(x, values) != EvaluationStatus::ok) return false;
    dx_ = to_dense(scaled.pattern(), values).partialPivLu().solve(f_);
    return dx_.allFinite();
  }

  bool newton(ScaledEquations& scaled, Vector& x) {
    f_.resize(x.size());
    double last = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < 30; ++iteration) {
      if (scaled.residual(x, f_) != EvaluationStatus::ok || !correction(scaled, x)) return false;
      x -= dx_;
      const double size = distance(x + dx_, x);
      if (size < 1e-12 || (size > .5 * last && (size < 1e-6 || solves(scaled, x)))) return true;
      last = size;
    }
    return false;
  }

  std::string name_;
  Binding binding_;
  std::vector<std::unique_ptr<ScaledEquations>> scaled_;
  std::vector<std::unique_ptr<NonlinearSolver>> solvers_;
  std::vector<Vector> before_, last_, now_;
  Vector f_, dx_;
  Index n_solves_ = 0;
  double weight_ = 0, reached_ = 0;
};

/// Whether two ends of a step from z0 are one: to a thousandth of what the step changes.
bool same_end(const State& z0, const State& a, const State& b) {
  constexpr double apart = 1e-3;
  const auto differ = [](const Vector& of, const Vector& x, const Vector& y) {
    const double size = std::max({(x - of).lpNorm<Eigen::Infinity>(), (y - of).lpNorm<Eigen::Infinity>()});
    return (x - y).lpNorm<Eigen::Infinity>() > apart * size + 1e-9 * (1 + x.lpNorm<Eigen::Infinity>());
  };
  return !differ(z0.q.value(), a.q.value(), b.q.value()) && !differ(z0.p.value(), a.p.value(), b.p.value());
}

double state_size(const State& z) {
  return std::max(z.q.value().lpNorm<Eigen::Infinity>(), z.p.value().lpNorm<Eigen::Infinity>());
}

struct RootRow {
  long accepted = 0, followed = 0, refused = 0, wrongly = 0, failed = 0, apart = 0;
};

class Roots {
 public:
  Roots(const Registry& registry, const Range& range) : registry_(registry), range_(range) {}

  void take(long number) {
    const RandomProblem problem = root_problem(range_.seed, static_cast<std::uint64_t>(number));
    const System* system = problem.instance.model->mechanical();
    if (system->parts().obstacles) return;
    for (const std::string& scheme : registry_.schemes())
      for (std::size_t scale = 0; scale < root_scales.size(); ++scale)
        if (range_.only.empty() || range_.only == scheme) run(number, problem, scheme, scale);
  }

  long print() const {
    long apart = 0, accepted = 0, wrongly = 0;
    std::printf("%-32s %5s  %9s  %9s  %8s  %8s  %8s  %s\n", "scheme", "scale", "accepted", "followed", "refused",
                "wrongly", "failed", "apart");
    for (const auto& [name, rows] : table_)
      for (std::size_t scale = 0; scale < root_scales.size(); ++scale) {
        const RootRow& row = rows[scale];
        std::printf("%-32s %5d  %9ld  %9ld  %8ld  %8ld  %8ld  %ld\n", name.c_str(), root_scales[scale], row.accepted,
                    row.followed, row.refused, row.wrongly, row.failed, row.apart);
        apart += row.apart;
        accepted += row.accepted;
        wrongly += row.wrongly;
      }
    std::printf("%ld steps accepted, %ld of them not connected; %ld refused that are connected\n", accepted, apart,
                wrongly);
    constexpr double allowed = 1e-3;
    long findings = 0;
    for (const long count : {apart, wrongly})
      if (static_cast<double>(count) > allowed * static_cast<double>(accepted)) findings += count;
    return findings;
  }

 private:
  void run(long number, const RandomProblem& problem, const std::string& scheme, std::size_t scale) {
    RootRow row;
    try {
      IntegratorOptions options;
      options.max_halvings = 0;
      Integrator integrator = registry_.integrator(problem.instance, scheme, "newton", {}, {}, options);
      integrator.start(0, problem.instance.q0, problem.instance.p0);
      if (integrator.constraint_rank().rank < problem.instance.model->m() || !integrator.promises().constrained_limit)
        return;
      Oracle oracle(registry_, *problem.instance.model, scheme, "newton");
      const double h = root_scales[scale] * problem.period / 100;
      const double size = state_size(integrator.state());
      const auto goes_on = [&] {
        return row.failed + row.refused < most_failures &&
               state_size(integrator.state()) <= largest_growth * (1 + size);
      };
      for (long step = 0; step < root_steps && goes_on(); ++step)
        if (!judged(number, problem, scheme, scale, integrator, oracle, h, row) &&
            !integrator.step(part_after_failure * h).success())
          break;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::refused) return;
      throw;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    RootRow& sum = table_[scheme][scale];
    for (long RootRow::*count : {&RootRow::accepted, &RootRow::followed, &RootRow::refused, &RootRow::wrongly,
                                 &RootRow::failed, &RootRow::apart})
      sum.*count += row.*count;
  }

  /// One step; false where it failed.
  bool judged(long number, const RandomProblem& problem, const std::string& scheme, std::size_t scale,
              Integrator& integrator, Oracle& oracle, double h, RootRow& row) {
    const State before = integrator.state();
    const RunCounters counted = integrator.counters();
    const StepReport report = integrator.step(h);
    const RunCounters& counters = integrator.counters();
    row.followed += counters.followed_steps - counted.followed_steps;
    const bool refused = counters.unconnected_steps > counted.unconnected_steps;
    if (!report.success() && !refused) {
      ++row.failed;
      return false;
    }
    State end;
    const bool reached = oracle.follow(before, h, end);
    if (report.success()) {
      ++row.accepted;
      if (!reached && counters.repeated_solves > counted.repeated_solves) return true;
      if (reached && same_end(before, end, integrator.state())) return true;
      ++row.apart;
      print(number, problem, scheme, scale, before.t, reached, oracle.reached(),
            counters.followed_steps > counted.followed_steps ? "not connected, followed" : "not connected");
      return true;
    }
    ++row.refused;
    const double how_far = oracle.reached();
    if (reached && oracle.finds_the_same(before, h)) {
      ++row.wrongly;
      print(number, problem, scheme, scale, before.t, reached, how_far,
            ("refused though connected: " + report.message).c_str());
    } else if (range_.verbose) {
      print(number, problem, scheme, scale, before.t, reached, how_far, report.message.c_str());
    }
    return false;
  }

  void print(long number, const RandomProblem& problem, const std::string& scheme, std::size_t scale, double t,
             bool reached, double how_far, const char* what) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::printf("--seed %llu --first %ld --count 1 --only %s (scale %d, t = %g, %s): %s; the path %s %g\n",
                static_cast<unsigned long long>(range_.seed), number, scheme.c_str(), root_scales[scale], t,
                problem.text.c_str(), what, reached ? "reaches another solution at" : "ends at", how_far);
    std::fflush(stdout);
  }

  const Registry& registry_;
  const Range& range_;
  std::mutex mutex_;
  std::map<std::string, std::array<RootRow, root_scales.size()>> table_;
};

}  // namespace

long roots(const Registry& registry, const Range& range) {
  Roots campaign(registry, range);
  for_each_number(range, [&campaign](long number) { campaign.take(number); });
  return campaign.print();
}

}  // namespace gnomon::campaign
