#include "gnomon/solve/minimum.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/solve/scaled_equations.hpp"

namespace gnomon {

namespace {

constexpr int most_iterations = 500, most_halvings = 30, most_corrections = 12, most_escapes = 20;
constexpr double largest_shift = 1e20, far_away = 1e6;

/// The scaled K, kept as S K S with powers of two S that bring the largest entry of every row close to one.
class KktMatrix {
 public:
  explicit KktMatrix(EquilibriumEquations& equations)
      : scaled(equations, JacobianSource::analytic),
        n(equations.n()),
        m(equations.m()),
        pattern_(with_diagonal(equations.pattern())),
        factors_(pattern_) {
    scaled.update_scales();
    plain_.resize(equations.pattern().nonzeros());
    const SparsityPattern& inner = equations.pattern();
    for (Index i = 0; i < inner.rows; ++i)
      for (Index k = inner.offsets[i]; k < inner.offsets[i + 1]; ++k)
        places_.push_back(pattern_.find(i, inner.indices[k]));
    for (Index i = 0; i < pattern_.rows; ++i) diagonal_.push_back(pattern_.find(i, i));
    values_.setZero(pattern_.nonzeros());
    factor_.setOnes(pattern_.rows);
    sweep_.setOnes(pattern_.rows);
  }

  EvaluationStatus update(const Vector& xs) {
    const EvaluationStatus status = scaled.jacobian(xs, plain_);
    values_.setZero();
    for (std::size_t k = 0; k < places_.size(); ++k) values_[places_[k]] = plain_[static_cast<Index>(k)];
    equilibrate();
    return status;
  }
  /// Inertia of K + [shift I, 0; 0, 0], whose factors are at hand after it.
  Inertia factorise(double shift) {
    shifted_ = values_;
    for (Index i = 0; i < n; ++i) shifted_[diagonal_[static_cast<std::size_t>(i)]] += shift * factor_[i] * factor_[i];
    return factors_.factorise(shifted_);
  }
  /// Inertia of S K S + shift I.
  Inertia factorise_equilibrated(double shift) {
    shifted_ = values_;
    for (const Index k : diagonal_) shifted_[k] += shift;
    return factors_.factorise(shifted_);
  }
  double backward_error() const { return factors_.backward_error(); }
  /// What H changes by over two steps of Newton's method from xs, in the largest sum of a row; f: the residual at xs.
  /// update() has been called at xs, and holds there after it.
  double error_of_place(const Vector& xs, const Vector& f) {
    if (!factorise(0).is(n, m)) return 0;
    Vector there = f;
    solve(there);
    there = xs - 2 * there;
    const Vector here = plain_;
    double largest = 0;
    if (scaled.jacobian(there, plain_) == EvaluationStatus::ok) {
      const SparsityPattern& inner = scaled.pattern();
      for (Index i = 0; i < n; ++i) {
        double sum = 0;
        for (Index k = inner.offsets[i]; k < inner.offsets[i + 1]; ++k)
          if (inner.indices[k] < n) sum += std::abs(plain_[k] - here[k]);
        largest = std::max(largest, sum);
      }
    }
    plain_ = here;
    return largest;
  }
  /// x <- K^-1 x, K as it was factorised.
  void solve(Vector& x) const {
    x.array() *= factor_.array();
    factors_.solve(x);
    x.array() *= factor_.array();
  }

  ScaledEquations scaled;
  const Index n, m;

 private:
  static SparsityPattern with_diagonal(const SparsityPattern& pattern) {
    PatternBuilder builder(pattern.rows, pattern.cols);
    builder.add(pattern, 0, 0);
    builder.add(SparsityPattern::diagonal(pattern.rows), 0, 0);
    return builder.build();
  }
  void equilibrate() {
    constexpr int sweeps = 8;
    factor_.setOnes();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (Index i = 0; i < pattern_.rows; ++i) {
        double most = 0;
        for (Index k = pattern_.offsets[i]; k < pattern_.offsets[i + 1]; ++k)
          most = std::max(most, std::abs(values_[k]));
        sweep_[i] = most > 0 ? std::exp2(std::round(-0.5 * std::log2(most))) : 1;
      }
      factor_.array() *= sweep_.array();
      for (Index i = 0; i < pattern_.rows; ++i)
        for (Index k = pattern_.offsets[i]; k < pattern_.offsets[i + 1]; ++k)
          values_[k] *= sweep_[i] * sweep_[pattern_.indices[k]];
    }
  }

  const SparsityPattern pattern_;
  SymmetricFactors factors_;
  std::vector<Index> places_, diagonal_;
  Vector plain_, values_, shifted_, factor_, sweep_;  // values_: of S K S, factor_: S
};

/// One search; everything in scaled unknowns.
class Search {
 public:
  Search(EquilibriumEquations& equations, const Vector& x, Inside* inside)
      : equations_(equations), inside_(inside), matrix_(equations), xs_(x.size()), f_(x.size()), x_(x), g_(x.size()) {
    matrix_.scaled.to_scaled(x, xs_);
    start_ = xs_;
    size_ = equations.size_of_configuration();
  }

  SolveReport run() {
    if (!reach_constraints()) return report_;
    energy_ = energy(xs_);
    while (report_.iterations < most_iterations) {
      ++report_.iterations;
      if (!evaluate() || !find_step()) return report_;
      const bool at_floor = report_.residual_norm <= floor();
      if (at_floor || report_.step_norm <= thresholds::small_change_of_minimum) {
        if (shift_ > 0) {
          const double change = (step_.tail(m()).array().abs() / (1 + xs_.tail(m()).array().abs())).sum();
          xs_.tail(m()) -= step_.tail(m());
          if (change > thresholds::small_change_of_minimum) continue;
          damping_ = 0;
          if (matrix_.factorise(0).is(n(), m())) {
            if (!at_floor) continue;
            if (is_decided() || !leave_flat()) return finish();
            continue;
          }
          if (!leave_saddle()) return report_;
          continue;
        }
        const bool last = report_.step_norm > 0.5 * last_ || report_.step_norm < thresholds::least_change_of_minimum;
        if (last && !is_decided() && leave_flat()) continue;
        xs_ -= step_;
        if (last) return finish();
        last_ = report_.step_norm;
        continue;
      }
      last_ = 1;
      if (!descend()) return report_;
      if ((xs_ - start_).head(n()).lpNorm<Eigen::Infinity>() > far_away * (1 + start_.lpNorm<Eigen::Infinity>()))
        return fail("the potential falls without bound, down to " + number_text(energy_));
    }
    return fail("no minimum was reached in " + std::to_string(most_iterations) +
                " iterations, the last scaled residual is " + number_text(report_.residual_norm));
  }

  Vector solution() const {
    Vector x(xs_.size());
    matrix_.scaled.to_unscaled(xs_, x);
    return x;
  }

 private:
  Index n() const { return matrix_.n; }
  Index m() const { return matrix_.m; }
  double floor() const { return std::max(thresholds::residual_tolerance, 100 * matrix_.scaled.rounding_floor()); }

  /// The inertia of a minimum.
  Inertia wanted() const { return {n(), m(), 0}; }

  SolveReport fail(const std::string& why) {
    failed(why);
    return report_;
  }
  bool failed(const std::string& why, SolveStatus status = SolveStatus::not_converged) {
    return report_.fail(status, why);
  }

  double energy(const Vector& xs) {
    matrix_.scaled.to_unscaled(xs, x_);
    try {
      return equations_.energy(x_);
    } catch (const std::exception&) {
      return std::numeric_limits<double>::infinity();
    }
  }
  bool residual(const Vector& xs, Vector& f) {
    ++report_.residual_evaluations;
    return matrix_.scaled.residual(xs, f) == EvaluationStatus::ok;
  }
  bool evaluate() {
    if (!gnomon::evaluate(matrix_.scaled, xs_, f_, report_)) return false;
    ++report_.jacobian_evaluations;
    if (matrix_.update(xs_) != EvaluationStatus::ok)
      return failed(matrix_.scaled.message(), SolveStatus::evaluation_failed);
    return true;
  }

  /// The step for the smallest shift of the sequence damping_, 8 damping_, ... whose matrix has the inertia (n, m, 0)
  /// and whose step is no longer than size_: at first the size of the configuration.
  bool find_step() {
    for (shift_ = damping_; shift_ <= largest_shift; shift_ = std::max(8 * shift_, thresholds::smallest_shift)) {
      ++report_.factorisations;
      if (!matrix_.factorise(shift_).is(n(), m())) continue;
      step_ = f_;
      matrix_.solve(step_);
      report_.step_norm = correction_norm(step_.head(n()), xs_.head(n()));
      if (step_.head(n()).lpNorm<Eigen::Infinity>() <= size_) return true;
    }
    return failed("the constraints depend on each other: the KKT matrix does not have the inertia " + wanted().text() +
                      " with any multiple of the masses added",
                  SolveStatus::singular_jacobian);
  }

  /// g = 0 by Newton's method in the metric of Hess U + the masses, the multipliers zero.
  bool reach_constraints() {
    if (m() == 0) return true;
    const Vector lambda = xs_.tail(m());
    xs_.tail(m()).setZero();
    Vector trial, at_trial(xs_.size());
    for (int k = 0; k < most_iterations; ++k) {
      if (!evaluate()) return false;
      const double before = f_.tail(m()).lpNorm<Eigen::Infinity>();
      if (before <= floor()) {
        xs_.tail(m()) = lambda;
        return true;
      }
      shift_ = 1;
      while (!matrix_.factorise(shift_).is(n(), m()))
        if ((shift_ *= 8) > largest_shift)
          return failed("the constraints depend on each other on the start curve", SolveStatus::singular_jacobian);
      step_ = f_;
      step_.head(n()).setZero();
      matrix_.solve(step_);
      step_.tail(m()).setZero();
      double factor = 1;
      int halving = 0;
      for (; halving < most_halvings; ++halving, factor *= 0.5) {
        trial = xs_ - factor * step_;
        if (residual(trial, at_trial) &&
            at_trial.tail(m()).squaredNorm() <
                (1 - thresholds::sufficient_decrease * factor) * f_.tail(m()).squaredNorm())
          break;
      }
      if (halving == most_halvings)
        return failed("the start curve cannot be moved onto the constraints, max |g| is " + number_text(before) +
                      " in units of the constraints");
      xs_ = trial;
    }
    return failed("the start curve cannot be moved onto the constraints");
  }

  /// Moves xs back onto g = 0, to rounding, with the factors at hand. False where that does not contract.
  bool correct(Vector& xs) {
    if (m() == 0) return true;
    double before = std::numeric_limits<double>::infinity();
    for (int k = 0; k < most_corrections; ++k) {
      if (!residual(xs, g_)) return false;
      const double now = g_.tail(m()).lpNorm<Eigen::Infinity>();
      if (now <= thresholds::residual_rounding) return true;
      if (!(now < 0.5 * before)) return before <= floor();
      before = now;
      g_.head(n()).setZero();
      matrix_.solve(g_);
      xs.head(n()) -= g_.head(n());
    }
    return before <= floor();
  }

  bool try_step(double factor) {
    trial_ = xs_ - factor * step_;
    return correct(trial_);
  }
  Index violated(const Vector& xs) {
    if (inside_ == nullptr || !inside_->violated) return -1;
    matrix_.scaled.to_unscaled(xs, x_);
    return inside_->violated(equations_.position(x_));
  }
  /// trial_ <- the last point inside on the way from xs_ to `factor` of the step, which is outside.
  void try_to_boundary(double factor) {
    double in = 0, out = factor;
    for (int k = 0; k < 60; ++k) {
      const double middle = .5 * (in + out);
      (try_step(middle) && violated(trial_) < 0 ? in : out) = middle;
    }
    if (!try_step(in)) trial_ = xs_;
  }

  /// xs - a step, corrected, where U falls.
  bool descend() {
    const double slope = -f_.head(n()).dot(step_.head(n())) * units();
    const double noise = thresholds::energy_noise * (std::abs(energy_) + units());
    double factor = 1;
    for (int halving = 0; halving < most_halvings; ++halving, factor *= 0.5) {
      if (!try_step(factor)) continue;
      const Index out = violated(trial_);
      if (out >= 0) try_to_boundary(factor);
      const double after = energy(trial_);
      if (!(after <= energy_ + thresholds::sufficient_decrease * factor * std::min(slope, 0.0) + noise)) continue;
      xs_ = trial_;
      energy_ = after;
      if (out >= 0) {
        inside_->left = out;
        return failed("the search meets an inequality");
      }
      if (factor == 1 && step_.head(n()).lpNorm<Eigen::Infinity>() > 0.1 * size_) size_ *= 2;
      damping_ = factor < 0.5 ? std::max(8 * shift_, thresholds::smallest_shift) : factor < 1 ? shift_ : shift_ / 8;
      if (damping_ < thresholds::smallest_shift) damping_ = 0;
      return true;
    }
    return failed("U does not fall along the direction of descent, the scaled residual is " +
                  number_text(report_.residual_norm));
  }

  /// Whether no curvature at xs is zero to the errors of H. With the matrix of xs, factorised without a shift after it.
  bool is_decided() {
    const double error = matrix_.error_of_place(xs_, f_);
    const bool decided = matrix_.factorise(-4 * error).is(n(), m());
    matrix_.factorise(0);
    return decided;
  }

  /// Where a curvature is zero to rounding: along its direction, from long steps to short ones, to where U falls by
  /// more than its rounding. False where it does not: with the matrix factorised without a shift.
  bool leave_flat() {
    if (++escapes_ > most_escapes) return false;
    shift_ = thresholds::smallest_shift;
    matrix_.factorise(shift_);
    find_direction();
    double length = (1 + xs_.head(n()).norm()) / direction_.head(n()).norm();
    for (int halving = 0; halving < most_halvings; ++halving, length *= 0.5)
      for (const double sign : {1.0, -1.0}) {
        trial_ = xs_;
        trial_.head(n()) += sign * length * direction_.head(n());
        if (!correct(trial_) || violated(trial_) >= 0) continue;
        const double after = energy(trial_);
        if (!(after < energy_ - thresholds::lower_energy * (std::abs(energy_) + units()) * std::min(1.0, length)))
          continue;
        xs_ = trial_;
        energy_ = after;
        return true;
      }
    matrix_.factorise(0);
    return false;
  }

  /// At a stationary point that is no minimum: along the direction of lowest curvature, from long steps to short ones.
  bool leave_saddle() {
    const Inertia inertia = matrix_.factorise(0);
    const double lowest = lowest_curvature();
    matrix_.factorise(shift_);  // for correct()
    const bool flat = !(lowest < -thresholds::flat_curvature);
    if (flat && leave_flat()) return true;
    if (flat || ++escapes_ > most_escapes)
      return failed("stationary, not decided: there are neutral directions, the KKT matrix has the inertia " +
                    inertia.text() + ", a minimum has " + wanted().text() + ", and the lowest curvature is " +
                    number_text(lowest));
    double length = (1 + xs_.head(n()).norm()) / direction_.head(n()).norm();
    for (int halving = 0; halving < most_halvings; ++halving, length *= 0.5)
      for (const double sign : {1.0, -1.0}) {
        trial_ = xs_;
        trial_.head(n()) += sign * length * direction_.head(n());
        if (!correct(trial_) || violated(trial_) >= 0) continue;
        const double after = energy(trial_);
        const double moved = (trial_ - xs_).head(n()).squaredNorm();
        if (!(after < energy_ + 0.1 * lowest * moved * units())) continue;
        xs_ = trial_;
        energy_ = after;
        return true;
      }
    return failed("the stationary point is not proved a minimum: the KKT matrix has the inertia " + inertia.text() +
                  ", a minimum has " + wanted().text() +
                  ", and U does not fall along the direction of its lowest curvature, " + number_text(lowest));
  }

  /// The lowest eigenvalue of the scaled H on the kernel of G, by bisection with the inertia, and its direction by
  /// inverse iteration.
  double lowest_curvature() {
    double below = -shift_, above = 0;
    if (matrix_.factorise(0).is(n(), m())) return 0;
    for (int k = 0; k < 40 && above - below > thresholds::curvature_accuracy * std::abs(below); ++k) {
      const double middle = 0.5 * (above + below);
      (matrix_.factorise(-middle).is(n(), m()) ? below : above) = middle;
    }
    matrix_.factorise(-below);
    find_direction();
    return below;
  }

  /// That of the curvature nearest to the shift of the factors, by inverse iteration.
  void find_direction() {
    direction_.resize(xs_.size());
    for (Index i = 0; i < direction_.size(); ++i) direction_[i] = std::sin(1.0 + static_cast<double>(i * i % 1009));
    for (int k = 0; k < 12; ++k) {
      direction_.tail(m()).setZero();
      matrix_.solve(direction_);
      direction_ /= direction_.head(n()).norm();
    }
  }

  SolveReport finish() {
    residual(xs_, f_);
    report_.residual_norm = f_.lpNorm<Eigen::Infinity>();
    return report_;
  }

  /// The unit of the energy: scaled forces times scaled displacements.
  double units() {
    if (units_ > 0) return units_;
    Vector columns(xs_.size()), rows(xs_.size());
    equations_.scales(columns, rows);
    return units_ = rows[0] * columns[0];
  }

  EquilibriumEquations& equations_;
  Inside* inside_;
  KktMatrix matrix_;
  Vector xs_, f_, x_, g_, start_, step_, trial_, direction_;
  SolveReport report_;
  double energy_ = 0, shift_ = 0, damping_ = 0, last_ = 1, units_ = 0, size_ = 1;
  int escapes_ = 0;
};

}  // namespace

std::string SecondOrder::text() const {
  if (proved) return "minimum, proved by the inertia " + inertia.text();
  if (!decided)
    return "stationary, not decided: an eigenvalue of the KKT matrix is zero to its errors, the inertia is " +
           inertia.text();
  if (minimum())
    return "not proved: the inertia is that of a minimum, " + inertia.text() +
           ", but an eigenvalue of the KKT matrix lies within the rounding errors, " + number_text(margin);
  return "no minimum: the KKT matrix has the inertia " + inertia.text() + ", a minimum has " + Inertia{n, m, 0}.text();
}

SecondOrder second_order(EquilibriumEquations& equations, const ConstVectorRef& x) {
  equations.require_no_force_at_rest(equations.position(x));
  KktMatrix matrix(equations);
  Vector xs(x.size());
  matrix.scaled.to_scaled(x, xs);
  SecondOrder result;
  result.n = matrix.n;
  result.m = matrix.m;
  if (matrix.update(xs) != EvaluationStatus::ok) return result;
  result.inertia = matrix.factorise_equilibrated(0);
  result.margin = 2 * matrix.backward_error();
  if (!result.minimum()) {
    // Zero eigenvalues on the side of a minimum, or negative ones?
    result.decided = matrix.factorise_equilibrated(result.margin).negative > result.m;
    return result;
  }
  Vector f(x.size());
  if (matrix.scaled.residual(xs, f) != EvaluationStatus::ok) return result;
  const double error = matrix.error_of_place(xs, f);
  result.decided = matrix.factorise(-4 * error).is(result.n, result.m);
  if (!result.decided) return result;
  const auto proves = [&](double shift, bool positive) {
    const Inertia inertia = matrix.factorise_equilibrated(shift);
    return matrix.backward_error() < std::abs(shift) &&
           (positive ? inertia.positive == result.n : inertia.negative == result.m);
  };
  result.proved = proves(-result.margin, true) && proves(result.margin, false);
  return result;
}

SolveReport minimise(EquilibriumEquations& equations, VectorRef x, Inside* inside) {
  Search search(equations, x, inside);
  SolveReport report = search.run();
  x = search.solution();
  return report;
}

void static_equilibrium(EquilibriumEquations& equations, const std::string& what, Vector& q, Vector& lambda) {
  Vector x = equations.start(lambda);
  const SolveReport report = minimise(equations, x);
  if (report.status != SolveStatus::converged)
    throw Error(ErrorCode::bad_value, what + ": no static equilibrium was found: " + report.message);
  q = equations.position(x);
  lambda = equations.multipliers(x);
}

}  // namespace gnomon
