/// \file
/// Every scheme on systems drawn at random, with steps of 1, 10 and 30 hundredths of the shortest period at the start.
/// The number of a draw says which features its system has, every two of them together. What the scheme promises is
/// measured here a second time, from the terms of T, U and g at long double, and must hold beside the work and the
/// impacts that the run has booked; where it does not, the run must say so. Findings:
///
///     unreported   a promise beyond ten gates that Integrator::broken_promises does not name
///     broken       the same at the smallest step, named or not, where it stayed small: at every state of the run
///                  at most a tenth of the shortest period in any direction. (A system may run away from its start, a
///                  scheme may be unstable; and one that creeps has periods of minutes along its constraints and of
///                  milliseconds across them: h G^T lambda is 1e7 times p then, and its rounding is what p gets.)
///     refused      a start that is consistent and was refused for another reason than that the scheme takes no such
///                  model
///     not finite   in the state of a run
///
/// That a step of the two larger sizes has no solution is none, nor that a scheme does not take a feature.
#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "campaign/campaign.hpp"
#include "campaign/random_system.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/formula/dual.hpp"
#include "gnomon/registry/registry.hpp"

namespace gnomon::campaign {

namespace {

constexpr long steps = 128, costly_steps = 32;
constexpr std::array<int, 3> scales{1, 10, 30};
/// The watch measures the same numbers in another order.
constexpr double agreement = 1.05;

struct Method {
  std::string name, scheme;
  Assignments options;
};

std::vector<Method> methods(const Registry& registry) {
  std::vector<Method> all;
  for (const std::string& scheme : registry.schemes()) all.push_back({scheme, scheme, {}});
  all.push_back({"hbvm (4,2)", "hbvm", {{"k", "4"}, {"s", "2"}}});
  all.push_back({"hbvm (3,3)", "hbvm", {{"k", "3"}, {"s", "3"}}});
  all.push_back({"line-integral-ggl s = 3", "line-integral-ggl", {{"s", "3"}}});
  all.push_back({"composition of -ggl", "composition", {{"inner", "energy-momentum-ggl"}}});
  all.push_back({"projected-rk pvae-0", "projected-rk", {{"projection", "pvae-0"}}});
  return all;
}

using LongVector = VectorOf<long double>;
LongVector sum(const Compensated& x) {
  return x.value().cast<long double>() + x.tail().cast<long double>();
}

struct Levels {
  long double energy = 0, momentum = 0;
  double kinetic = 0, potential = 0;
  Vector position, hidden;  // |g_i|, |(G v + g_t)_i|
};

Levels levels(const RandomTerms& terms, const State& z) {
  const LongVector q = sum(z.q), p = sum(z.p);
  const Index n = q.size();
  const long double t = z.t;
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> M;
  M.setZero(n, n);
  terms.mass_matrix(q.data(), M.data());
  const LongVector v = M.llt().solve(p);
  Levels at;
  const long double T = p.dot(v) / 2, U = terms.U(t, q.data());
  at.energy = T + U;
  at.kinetic = static_cast<double>(T);
  at.potential = static_cast<double>(U);
  std::vector<long double> levels(terms.constraints.size());
  terms.g(t, q.data(), levels.data());
  at.position.resize(static_cast<Index>(levels.size()));
  at.hidden = at.position;
  for (Index i = 0; i < at.position.size(); ++i)
    at.position[i] = std::abs(static_cast<double>(levels[static_cast<std::size_t>(i)]));
  // Along the motion, so that the derivative of g is G v + g_t: at the rounded position, as schemes and the watch have
  // it.
  using Moving = Dual<long double, 1>;
  std::vector<Moving> x(static_cast<std::size_t>(n)), g(terms.constraints.size());
  for (Index j = 0; j < n; ++j) {
    x[static_cast<std::size_t>(j)].value = z.q.value()[j];
    x[static_cast<std::size_t>(j)].grad[0] = v[j];
  }
  Moving now(t);
  now.grad[0] = 1;
  terms.g(now, x.data(), g.data());
  for (Index i = 0; i < at.hidden.size(); ++i)
    at.hidden[i] = std::abs(static_cast<double>(g[static_cast<std::size_t>(i)].grad[0]));
  for (Index k = 0; terms.turning && k + 2 < n; k += 3) at.momentum += q[k] * p[k + 1] - q[k + 1] * p[k];
  return at;
}

/// The largest errors over a run, by itself.
class Judge final : public Observer {
 public:
  Judge(const RandomTerms& terms, Integrator& integrator)
      : terms_(terms), integrator_(integrator), scales_(integrator.model()) {
    scales_.start(integrator.state());
    start_ = now(integrator.state());
    largest_ = start_;
    largest_.energy = largest_.momentum = 0;
  }
  bool observe(const State& z, long step) override {
    scales_.record(z);
    const Levels at = now(z);
    if (const PromiseMeasure found = worst_row(Promise::hidden, at.hidden, scales_.velocities(), 1e-13);
        found.error > PromiseWatch::margin * found.gate)
      scales_.count_rounding(z, integrator_.monitor().pulled_speed());
    for (Vector Levels::*rows : {&Levels::position, &Levels::hidden})
      largest_.*rows = (largest_.*rows).cwiseMax(at.*rows);
    for (double Levels::*size : {&Levels::kinetic, &Levels::potential})
      largest_.*size = std::max(std::abs(largest_.*size), std::abs(at.*size));
    largest_.energy = std::max(largest_.energy, std::abs(at.energy - start_.energy));
    largest_.momentum = std::max(largest_.momentum, std::abs(at.momentum - start_.momentum));
    finite_ = finite_ && z.q.value().allFinite() && z.p.value().allFinite() && z.lambda.allFinite();
    steps_ = step;
    return true;
  }
  bool finite() const { return finite_; }
  /// Error over the gate of what is promised; the watch names it beyond ten.
  std::map<Promise, double> ratios() const {
    std::map<Promise, double> all;
    const Promises& promises = integrator_.promises();
    const double rounding = 1e-14 * std::sqrt(static_cast<double>(std::max(steps_, 1L)));
    const double energy = integrator_.monitor().energy_gate();
    if (promises.energy) all[Promise::energy] = static_cast<double>(largest_.energy) / energy;
    if (promises.discrete_energy)
      all[Promise::discrete_energy] = integrator_.monitor().discrete_energy().max_abs_error() / energy;
    const auto row = [&all](Promise promise, const Vector& errors, const Vector& sizes) {
      const PromiseMeasure worst = worst_row(promise, errors, sizes, 1e-13);
      all[promise] = part_of(worst.error, worst.gate);
    };
    if (promises.position) row(Promise::position, largest_.position, scales_.positions());
    if (promises.hidden) row(Promise::hidden, largest_.hidden, scales_.velocities());
    if (promises.momentum && integrator_.system().parts().n_symmetries() > 0)
      all[Promise::momentum] = static_cast<double>(largest_.momentum) / (rounding * scales_.momentum(0));
    return all;
  }

 private:
  Levels now(const State& z) {
    Levels at = levels(terms_, z);
    at.energy += integrator_.equations().added_energy(z) - z.work.total() - integrator_.energy_book().impact;
    return at;
  }

  const RandomTerms& terms_;
  Integrator& integrator_;
  PromiseScales scales_;
  Levels start_, largest_;
  bool finite_ = true;
  long steps_ = 0;
};

/// The shortest period on the way of a run, in any direction.
class Pace final : public Observer {
 public:
  explicit Pace(const System& system) : system_(system), v_(system.n()), scratch_(system.n()) {}
  bool observe(const State& z, long) override {
    system_.velocity(z.q.value(), z.p.value(), scratch_, v_);
    const double period = shortest_period(system_, z.t, z.q.value(), v_, Directions::all);
    if (!(period >= period_)) period_ = period;
    return true;
  }
  double period() const { return period_; }

 private:
  const System& system_;
  Vector v_, scratch_;
  double period_ = std::numeric_limits<double>::infinity();
};

struct Row {
  long taken = 0, completed = 0, stopped = 0, broken = 0, findings = 0;
  double worst = 0;
};
using Table = std::map<std::string, std::array<Row, scales.size()>>;

class Campaign {
 public:
  Campaign(const Registry& registry, const Range& range) : registry_(registry), range_(range) {
    for (const Method& method : methods(registry))
      if (range.only.empty() || method.name == range.only || method.scheme == range.only) methods_.push_back(method);
    if (methods_.empty()) throw Error(ErrorCode::unknown_name, "no method is called \"" + range.only + "\"");
  }

  void take(long number) {
    const RandomProblem problem = random_problem(range_.seed, static_cast<std::uint64_t>(number),
                                                 features_of(static_cast<std::uint64_t>(number)));
    for (const Method& method : methods_) {
      std::optional<Integrator> integrator;
      for (std::size_t scale = 0; scale < scales.size(); ++scale) try {
          integrator.emplace(registry_.integrator(problem.instance, method.scheme, "newton", method.options));
          integrator->start(0, problem.instance.q0, problem.instance.p0);
          judge(number, problem, method, scale, *integrator);
        } catch (const Error& error) {
          if (error.code() != ErrorCode::refused) found(number, problem, method, scale, "refused", error.what());
          break;
        }
    }
  }

  long print() const {
    long findings = 0;
    std::printf("%-36s %5s  %9s  %7s  %6s  %8s  %s\n", "method", "scale", "completed", "stopped", "broken", "findings",
                "worst error over its gate");
    for (const auto& [name, rows] : table_)
      for (std::size_t scale = 0; scale < scales.size(); ++scale) {
        const Row& row = rows[scale];
        findings += row.findings;
        if (row.taken + row.findings > 0)
          std::printf("%-36s %5d  %9ld  %7ld  %6ld  %8ld  %.2g\n", name.c_str(), scales[scale], row.completed,
                      row.stopped, row.broken, row.findings, row.worst);
      }
    return findings;
  }

 private:
  void judge(long number, const RandomProblem& problem, const Method& method, std::size_t scale,
             Integrator& integrator) {
    Judge judge(problem.terms, integrator);
    integrator.add_observer(judge);
    const StepReport report = integrator.advance(step_count(problem), scales[scale] * problem.period / 100);
    const bool finite = judge.finite() && integrator.state().q.value().allFinite();
    if (!finite) found(number, problem, method, scale, "not finite", report.message);

    double worst = 0;
    bool broken = false;
    for (const auto& [promise, ratio] : judge.ratios()) {
      worst = std::max(worst, ratio);
      const auto& seen = integrator.broken_promises();
      const bool reported = std::any_of(seen.begin(), seen.end(), [wanted = promise](const BrokenPromise& one) {
        return one.measure.promise == wanted;
      });
      if (ratio <= PromiseWatch::margin * agreement) continue;
      broken = true;
      PromiseMeasure measure;
      measure.promise = promise;
      char text[120];
      std::snprintf(text, sizeof text, "%s, %.3g gates%s", measure.name().c_str(), ratio,
                    reported ? "" : ", not reported");
      if (!reported || (scale == 0 && step_stays_small(problem, method)))
        found(number, problem, method, scale, reported ? "broken" : "unreported", text);
      else if (range_.verbose)
        print(number, problem, method, scale, "reported", text);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    Row& row = table_[method.name][scale];
    ++row.taken;
    ++(report.success() ? row.completed : row.stopped);
    if (broken) ++row.broken;
    row.worst = std::max(row.worst, worst);
    if (range_.verbose && !report.success()) print(number, problem, method, scale, "stopped", report.message);
  }

  static long step_count(const RandomProblem& problem) {
    const RandomTerms& terms = problem.terms;
    const bool costly = !terms.obstacles.empty() || !terms.inertia.empty() || terms.friction.size() > 0;
    return costly ? costly_steps : steps;
  }
  /// Of the smallest step: runs again, and looks at the period on the way.
  bool step_stays_small(const RandomProblem& problem, const Method& method) const {
    const double h = scales[0] * problem.period / 100;
    Integrator integrator = registry_.integrator(problem.instance, method.scheme, "newton", method.options);
    integrator.start(0, problem.instance.q0, problem.instance.p0);
    Pace pace(integrator.system());
    integrator.add_observer(pace);
    integrator.advance(step_count(problem), h);
    return pace.period() >= 10 * h;
  }

  void found(long number, const RandomProblem& problem, const Method& method, std::size_t scale, const char* what,
             const std::string& text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++table_[method.name][scale].findings;
    print(number, problem, method, scale, what, text);
  }
  void print(long number, const RandomProblem& problem, const Method& method, std::size_t scale, const char* what,
             const std::string& text) const {
    std::printf("%s: --seed %llu --first %ld --count 1 --only \"%s\" (%s), %dx: %s\n", what,
                static_cast<unsigned long long>(range_.seed), number, method.name.c_str(), problem.text.c_str(),
                scales[scale], text.c_str());
    std::fflush(stdout);
  }

  const Registry& registry_;
  const Range& range_;
  std::vector<Method> methods_;
  std::mutex mutex_;
  Table table_;
};

}  // namespace

void for_each_number(const Range& range, const std::function<void(long)>& task) {
  std::atomic<long> next{range.first};
  std::mutex mutex;
  std::exception_ptr failure;
  std::vector<std::thread> threads;
  for (int k = 0; k < range.threads; ++k)
    threads.emplace_back([&] {
      try {
        for (long number; (number = next++) < range.first + range.count;) task(number);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        failure = std::current_exception();
        next = range.first + range.count;
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

long systems(const Registry& registry, const Range& range) {
  Campaign campaign(registry, range);
  for_each_number(range, [&campaign](long number) { campaign.take(number); });
  return campaign.print();
}

}  // namespace gnomon::campaign
