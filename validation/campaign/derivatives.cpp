/// \file
/// Derivatives of motions on systems drawn at random: by a term of U, a mass, what a constraint holds, damping, a
/// drive, friction, a coordinate and a velocity of the start, in steps of 1, 10 and 30 hundredths of the shortest
/// period, against differences of order six of whole runs, of which the best of several changes counts. Findings:
/// derivatives that are off by more than 1e-9 of their size, or of what it was at the start, times what it has grown by
/// where that is more than one; a run without derivatives where the differences of two changes agree to 1e-6, unless
/// events beside it are others, a step with contacts does not lead there again, or friction lets it have several
/// solutions, which is seen by the middle of the runs beside it, too; a gradient backwards, by directions or by
/// transposed equations, that is not the same to 1e-8 of its terms, times that growth, or of those by all parameters,
/// nor to ten times what the derivative forwards is off by; an error that is no refusal. Ten times what a derivative's
/// own warning says it may be off by is no finding.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "campaign/campaign.hpp"
#include "campaign/random_system.hpp"
#include "campaign/tally.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/model/start_velocity.hpp"
#include "gnomon/registry/registry.hpp"
#include "gnomon/run/adjoint.hpp"
#include "gnomon/run/sensitivities.hpp"

namespace gnomon::campaign {

namespace {

constexpr long steps = 24;
constexpr double scales[] = {0.01, 0.1, 0.3};
constexpr double exact = 1e-9, smooth = 1e-6;

/// A number of the model, or an entry of its start, by which derivatives are wanted.
struct Place {
  std::string name;
  double size = 1;
  bool of_model = true;
  std::function<void(RandomTerms&, Vector& q, Vector& v, double change)> move;
};

Vector start_velocity(const RandomProblem& problem) {
  const System& system = *problem.instance.model->mechanical();
  Vector scratch(system.n()), v(system.n());
  system.velocity(problem.instance.q0, problem.instance.p0, scratch, v);
  return v;
}

/// One of each kind that the system has.
std::vector<Place> places_of(const RandomProblem& problem, long number) {
  const RandomTerms& terms = problem.terms;
  const auto one_of = [number](auto count) {
    return static_cast<std::size_t>(number) % static_cast<std::size_t>(count);
  };
  std::vector<Place> places;
  if (!terms.potential.empty()) {
    const std::size_t i = one_of(terms.potential.size());
    places.push_back({"potential", std::abs(terms.potential[i].k), true,
                      [i](RandomTerms& t, Vector&, Vector&, double d) { t.potential[i].k += d; }});
  }
  const auto j = static_cast<Index>(one_of(terms.mass.size()));
  places.push_back({"mass", terms.mass[j], true, [j](RandomTerms& t, Vector&, Vector&, double d) { t.mass[j] += d; }});
  // A row that another one repeats is not changed: it would contradict that one.
  const bool repeats = std::any_of(terms.constraints.begin(), terms.constraints.end(), [](const ConstraintTerm& term) {
    return term.kind == ConstraintTerm::Kind::repeat;
  });
  for (std::size_t i = 0; !repeats && i < terms.constraints.size(); ++i)
    if (const ConstraintTerm& term = terms.constraints[i]; term.constant != 0) {
      places.push_back({"constraint", std::abs(term.constant), true,
                        [i](RandomTerms& t, Vector&, Vector&, double d) { t.constraints[i].constant += d; }});
      break;
    }
  const auto add = [&](const char* name, Vector RandomTerms::*values) {
    const Vector& all = terms.*values;
    if (all.size() > 0 && all[j] != 0)
      places.push_back({name, std::abs(all[j]), true,
                        [j, values](RandomTerms& t, Vector&, Vector&, double d) { (t.*values)[j] += d; }});
  };
  add("damping", &RandomTerms::damping);
  add("drive", &RandomTerms::drive);
  add("friction", &RandomTerms::friction);
  const double length = problem.instance.q0.lpNorm<Eigen::Infinity>(),
               speed = start_velocity(problem).lpNorm<Eigen::Infinity>();
  if (length > 0)
    places.push_back({"start", length, false, [j](RandomTerms&, Vector& q, Vector&, double d) { q[j] += d; }});
  if (speed > 0)
    places.push_back({"speed", speed, false, [j](RandomTerms&, Vector&, Vector& v, double d) { v[j] += d; }});
  return places;
}

class Derivatives {
 public:
  Derivatives(const Registry& registry, const Range& range)
      : registry_(registry), range_(range), tally_(range), schemes_(registry.schemes()) {
    if (!range.only.empty()) schemes_ = {range.only};
  }
  long judge_all() {
    for_each_number(range_, [this](long number) { judge(number); });
    std::printf("%8.1e  the largest part that a derivative was off by\n", worst_);
    return tally_.print();
  }

 private:
  void judge(long number) {
    const RandomProblem problem = random_problem(range_.seed, static_cast<std::uint64_t>(number),
                                                 features_of(static_cast<std::uint64_t>(number)));
    const std::string& scheme = schemes_[static_cast<std::size_t>(number) % schemes_.size()];
    const double h = problem.period * scales[(number / 7) % 3];
    const std::vector<Place> places = places_of(problem, number);
    const std::string what = problem.text + ", " + scheme + ", h = " + number_text(h);
    try {
      differentiate(number, problem, scheme, h, places, what);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::refused || error.code() == ErrorCode::inconsistent_start)
        tally_.add("refused");
      else
        tally_.found(number, what, error.what());
    } catch (const CannotEvaluate&) {
      tally_.add("a start cannot be evaluated");
    }
  }

  std::unique_ptr<Variant> variant(const RandomProblem& problem, const std::string& scheme, const Place& place,
                                   double change) const {
    return variant(problem, scheme, {place}, Vector::Constant(1, change));
  }
  std::unique_ptr<Variant> variant(const RandomProblem& problem, const std::string& scheme,
                                   const std::vector<Place>& places, const Vector& changes) const {
    RandomTerms terms = problem.terms;
    ProblemInstance instance = problem.instance;
    Vector v = start_velocity(problem);
    for (Index k = 0; k < changes.size(); ++k)
      places[static_cast<std::size_t>(k)].move(terms, instance.q0, v, changes[k]);
    const auto system =
        std::make_shared<AutodiffSystem<RandomModel>>(RandomModel(terms, problem.instance.q0), instance.q0);
    instance.p0 = momenta(*system, instance.q0, v);
    instance.model = system;
    IntegratorOptions options;
    options.project_start = true;
    Integrator run = registry_.integrator(instance, scheme, "newton", {}, {}, options);
    return std::make_unique<Variant>(std::move(instance), std::move(run));
  }

  /// q and M^-1 p of the same metric, in units of the start
  static Vector state_of(const Integrator& run) {
    const State& z = run.state();
    Vector out(2 * z.q.value().size());
    out << z.q.value(), z.p.value();
    return out;
  }

  void differentiate(long number, const RandomProblem& problem, const std::string& scheme, double h,
                     const std::vector<Place>& places, const std::string& what) {
    const std::unique_ptr<Variant> base = variant(problem, scheme, places.front(), 0);
    std::vector<Sensitivities::Parameter> parameters;
    for (const Place& place : places) parameters.push_back({place.name, place.size, place.of_model, {}});
    Sensitivities found(base->integrator, parameters,
                        [&](std::size_t i, double change) { return variant(problem, scheme, places[i], change); });
    bool known = found.observe(base->integrator.state(), 0);
    const Vector start = state_of(base->integrator).cwiseAbs();
    Matrix first(state_of(base->integrator).size(), static_cast<Index>(places.size()));
    if (known) first << found.positions(), found.momenta();
    base->integrator.add_observer(found);
    const StepReport report = base->integrator.advance(steps, h);
    if (!report.success()) return tally_.add("a step has no solution");
    // Runs beside it would be cut elsewhere.
    if (base->integrator.counters().refused_steps > 0) return tally_.add("steps were cut");
    known = known && found.failure().empty();
    Matrix last = first;
    if (known) last << found.positions(), found.momenta();
    const Vector here = state_of(base->integrator), end = here.cwiseAbs().cwiseMax(start);
    const double told = found.warning().empty() ? 0 : found.largest_remainder();
    Vector off_forwards = Vector::Constant(static_cast<Index>(places.size()), told);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto column = static_cast<Index>(i);
      double best = 1, agree = 1;
      Vector before;
      for (const double part : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
        Vector slope;
        try {
          slope = slope_of(problem, scheme, h, places[i], part * places[i].size, here);
        } catch (const Error&) {
          continue;
        }
        if (slope.size() == 0) continue;
        if (known) best = std::min(best, off(last.col(column), slope, first.col(column), end, part * places[i].size));
        if (before.size() > 0)
          agree = std::min(agree, off(before, slope, first.col(column), end, part * places[i].size));
        before = slope;
      }
      const std::string name = what + ", by " + places[i].name;
      if (!known) {
        const auto says = [&](const char* reason) { return found.failure().find(reason) != std::string::npos; };
        const bool several = says("disagree") && problem.text.find("friction") != std::string::npos;
        if (several || says("event") || says("taken again"))
          return tally_.add("events that differ, or steps not found again");
        if (agree < smooth) tally_.found(number, what, found.failure());
        return tally_.add("without derivatives");
      }
      if (agree > smooth) {
        tally_.add("differences do not agree");
        continue;
      }
      const double allowed = exact * growth_of(first.col(column), last.col(column));
      off_forwards[column] = std::max(best, off_forwards[column]);
      tally_.add("derivatives");
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        worst_ = std::max(worst_, best);
      }
      if (!(best < std::max({allowed, 100 * agree, 10 * told})))
        tally_.found(number, name, "off by " + number_text(best) + ", differences agree to " + number_text(agree));
    }
    if (known) go_backwards(number, problem, scheme, h, places, parameters, first, last, off_forwards, end, what);
  }

  /// By which a derivative may be off more than at first.
  static double growth_of(const Vector& first, const Vector& last) {
    return std::min(std::max(1.0, last.norm() / std::max(first.norm(), 1e-300)), 1e3);
  }

  /// The derivatives of a weighted sum of q and p at the end.
  void go_backwards(long number, const RandomProblem& problem, const std::string& scheme, double h,
                    const std::vector<Place>& places, const std::vector<Sensitivities::Parameter>& parameters,
                    const Matrix& first, const Matrix& forwards, const Vector& off_forwards, const Vector& end,
                    const std::string& what) {
    const Parts& parts = problem.instance.model->mechanical()->parts();
    if (parts.obstacles || parts.friction) return;
    const std::unique_ptr<Variant> run = variant(problem, scheme, places.front(), 0);
    const auto size = static_cast<Index>(forwards.rows()), n = size / 2;
    Adjoint::Asked asked;
    asked.size = size;
    asked.measure = [n](Variant&, const State& z, VectorRef out) {
      out.head(n) = z.q.value();
      out.tail(n) = z.p.value();
    };
    asked.most_directions = number % 2 == 0 ? 0 : size;
    asked.states = 10;
    Adjoint adjoint(
        run->integrator, parameters, [&](const Vector& changes) { return variant(problem, scheme, places, changes); },
        asked);
    adjoint.observe(run->integrator.state(), 0);
    run->integrator.add_observer(adjoint);
    run->integrator.advance(steps, h);
    Matrix weights = Matrix::Zero(size, steps + 1);
    for (Index i = 0; i < size; ++i)
      weights(i, steps) =
          std::cos(static_cast<double>(7 * i + number)) / (1 + forwards.row(i).lpNorm<Eigen::Infinity>());
    Vector found;
    if (!adjoint.gradient(weights, found)) return tally_.found(number, what, "backwards: " + adjoint.failure());
    if (adjoint.warning().find("more than their rounding") != std::string::npos)
      return tally_.add("gradients that rounding hides");
    tally_.add("gradients backwards");
    const auto size_of = [&](Index k) { return parameters[static_cast<std::size_t>(k)].size; };
    double whole = 0;
    for (Index k = 0; k < found.size(); ++k) whole += std::abs(found[k]) * size_of(k);
    for (Index k = 0; k < found.size(); ++k) {
      const double expected = weights.col(steps).dot(forwards.col(k));
      const double terms = weights.col(steps).cwiseAbs().dot(forwards.col(k).cwiseAbs());
      const double off = std::abs(found[k] - expected);
      const double rounding = weights.col(steps).cwiseAbs().dot(end) / size_of(k);
      // Both have the noise of a scheme whose equations are not found at Extended.
      const double allowed = std::max(10 * exact * growth_of(first.col(k), forwards.col(k)), 10 * off_forwards[k]);
      if (!(off > allowed * terms + 1e-12 * rounding)) continue;
      if (off * size_of(k) <= 10 * exact * whole)
        tally_.add("entries of gradients, known as parts of those by other parameters");
      else
        tally_.found(number, what + ", by " + parameters[static_cast<std::size_t>(k)].name,
                     "backwards " + number_text(found[k]) + ", forwards " + number_text(expected) + " from terms of " +
                         number_text(terms) + "; " + adjoint.warning());
    }
  }

  /// The largest difference of entries of q, and of p, by their size, now or at first. Differences of runs have the
  /// rounding of these, of which 1e-14 is taken for exact.
  static double off(const Vector& a, const Vector& b, const Vector& first, const Vector& end, double change) {
    double worst = 0;
    const Index n = a.size() / 2;
    for (const Index begin : {Index{0}, n}) {
      const double size =
          std::max(b.segment(begin, n).lpNorm<Eigen::Infinity>(), first.segment(begin, n).lpNorm<Eigen::Infinity>());
      const double rounding = 1e-14 / exact * end.segment(begin, n).lpNorm<Eigen::Infinity>() / std::abs(change);
      const double apart = (a - b).segment(begin, n).lpNorm<Eigen::Infinity>();
      if (apart > 0) worst = std::max(worst, apart / std::max(size, rounding));
    }
    return worst;
  }

  /// Empty where a run fails, or where their middle is not where the run is: they are on another branch of solutions.
  Vector slope_of(const RandomProblem& problem, const std::string& scheme, double h, const Place& place, double d,
                  const Vector& here) const {
    Vector sum, middle = -20 * here;
    const double weights[] = {45, -9, 1}, weights_of_middle[] = {15, -6, 1};
    for (int k = 1; k <= 3; ++k)
      for (const int sign : {1, -1}) {
        const std::unique_ptr<Variant> run = variant(problem, scheme, place, sign * k * d);
        if (!run->integrator.advance(steps, h).success()) return {};
        const Vector end = state_of(run->integrator);
        if (sum.size() == 0) sum.setZero(end.size());
        sum += sign * weights[k - 1] * end;
        middle += weights_of_middle[k - 1] * end;
      }
    constexpr double rounding = 1e-12, same_branch = 1e-2;
    if (middle.norm() / 20 > same_branch * sum.norm() / 60 + rounding * here.norm()) return {};
    return sum / (60 * d);
  }

  const Registry& registry_;
  const Range& range_;
  Tally tally_;
  std::vector<std::string> schemes_;
  std::mutex mutex_;
  double worst_ = 0;
};

}  // namespace

long derivatives(const Registry& registry, const Range& range) {
  return Derivatives(registry, range).judge_all();
}

}  // namespace gnomon::campaign
