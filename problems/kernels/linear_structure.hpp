#pragma once
/// \file
/// Springs and masses: a sparse System of any size with quadratic potential, cubic springs, damping, a load, linear
/// obstacles, and points that move as prescribed.
///
///     M q'' + A q + cubic (q_k^3)_k = -C q' + load sin(frequency t) + sum_j (y_j(t) a_j - y_j''(t) m_j)
///     U = q^T A q/2 + sum_k V(q_k) + sum_j (s_j y_j^2/2 - y_j a_j.q),  V(x) = cubic x^4/4,  the q_k themselves as the
///     invariants;   c(q) = B q >= 0;   y_j(t) = amplitude (1 - cos(frequency t))
/// with softness eps > 0 no obstacles: U + sum_i w_i ((-c_i)^+)^2/(2 eps), w the constraint weights
///
/// y_j is a point of the structure that is no unknown: a_j, s_j its entries of -A, m_j those of M. dU/dt is the power
/// of the force that moves it, but for that of m_j, which is a force on q.

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "gnomon/model/system.hpp"
#include "kernels/still_constraints.hpp"

namespace gnomon::problems {

/// A sparse matrix as pattern and values.
struct SparseMatrix {
  SparsityPattern pattern;
  Vector values;
};

/// y(t) = amplitude (1 - cos(frequency t)), from rest, and its derivatives.
struct Swing {
  double amplitude = 0, frequency = 0;
  double at(double t) const { return amplitude * 2 * std::pow(std::sin(0.5 * frequency * t), 2); }
  double velocity(double t) const { return amplitude * frequency * std::sin(frequency * t); }
  double acceleration(double t) const { return amplitude * frequency * frequency * std::cos(frequency * t); }
};

/// A point y_j that moves as prescribed.
struct MovingPoint {
  Swing y;
  Vector stiffness, mass;  ///< a, m; m empty: none
  double own = 0;          ///< s
};

struct LinearStructureData {
  LinearStructureData(const std::string& name, Mass m, SparseMatrix a) : mass(std::move(m)), stiffness(std::move(a)) {
    traits.name = name;
  }

  SystemTraits traits;  ///< blocks, names and weights; the rest is filled in
  Mass mass;
  SparseMatrix stiffness;  ///< A, symmetric, with all of its diagonal
  double cubic = 0;
  SparseMatrix damping;  ///< C, empty: none
  Vector load;           ///< empty: none
  double frequency = 0;
  SparseMatrix obstacles;  ///< B, empty: none
  std::vector<MovingPoint> moving;
  /// eps of obstacles that are a part of U; 0: they are obstacles. A then has the entries of B^T B too, be they zero.
  double softness = 0;
};

class LinearStructure : public System,
                        public Force,
                        public Obstacles,
                        public SplitPotential,
                        public ExtendedPrecision,
                        public StillConstraints {
 public:
  explicit LinearStructure(LinearStructureData data, bool closed = false) : data_(std::move(data)), closed_(closed) {
    SystemTraits& traits = data_.traits;
    traits.n = data_.mass.size();
    const Index rows = soft() ? 0 : data_.obstacles.pattern.rows;
    if (soft()) weights_.swap(traits.constraint_weights);  // of a part of U, no constraints
    if (closed) {
      traits.m = rows;
      traits.constraint_degree = 1;
    }
    traits.potential_degree = soft() ? SystemTraits::not_polynomial : data_.cubic == 0 ? 2 : 4;
    if (force_depends_on_time() || data_.damping.pattern.nonzeros() > 0) parts_.force = this;
    if (rows > 0 && !closed) parts_.obstacles = this;
    if (data_.cubic != 0 && !soft()) parts_.split = this;
    if (!data_.moving.empty()) parts_.time_dependence = this;
    parts_.extended = this;
    invariants_ = SparsityPattern::diagonal(traits.n);
    none_.rows = none_.cols = traits.n;
    none_.offsets.assign(static_cast<std::size_t>(traits.n) + 1, 0);
    if (data_.damping.pattern.rows == 0) data_.damping = {none_, Vector()};
    constraints_.cols = traits.n;
    if (closed) constraints_ = data_.obstacles.pattern;
    for (Index j = 0; j < traits.n; ++j) diagonal_.push_back(data_.stiffness.pattern.find(j, j));
  }

  const SystemTraits& traits() const override { return data_.traits; }
  const Mass& mass() const override { return data_.mass; }

  double potential(double t, const ConstVectorRef& q) const override {
    double sum = 0;
    for (const MovingPoint& point : data_.moving) {
      const double y = point.y.at(t);
      sum += y * (0.5 * point.own * y - point.stiffness.dot(q));
    }
    for_each_stiffness([&](Index i, Index j, double a) { sum += 0.5 * a * q[i] * q[j]; });
    if (data_.cubic != 0)
      for (Index j = 0; j < n(); ++j) sum += cubic_spring(q[j]);
    for_each_overlap<double>([&](Index j) { return q[j]; },
                             [&](Index, double stiffness, double c) { sum += 0.5 * stiffness * c * c; });
    return sum;
  }
  long double potential_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                    VectorRef) const override {
    const auto at = [&](Index j) { return static_cast<long double>(q[j]) + tail[j]; };
    long double sum = 0;
    for (const MovingPoint& point : data_.moving) {
      const long double y = point.y.at(t);
      long double pull = 0.5L * point.own * y;
      for (Index j = 0; j < n(); ++j) pull -= point.stiffness[j] * at(j);
      sum += y * pull;
    }
    for (Index i = 0; i < n(); ++i) {
      long double row = 0;
      for (Index k = data_.stiffness.pattern.offsets[i]; k < data_.stiffness.pattern.offsets[i + 1]; ++k)
        row += data_.stiffness.values[k] * at(data_.stiffness.pattern.indices[k]);
      sum += 0.5L * row * at(i);
      if (data_.cubic != 0) sum += cubic_spring(at(i));
    }
    for_each_overlap<long double>(at, [&](Index, double stiffness, long double c) { sum += 0.5L * stiffness * c * c; });
    return sum;
  }
  void potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const override {
    regular_potential_gradient(t, q, out);
    if (data_.cubic != 0)
      for (Index j = 0; j < n(); ++j) out[j] += data_.cubic * q[j] * q[j] * q[j];
    for_each_overlap<double>([&](Index j) { return q[j]; },
                             [&](Index i, double stiffness, double c) {
                               for_each_obstacle_entry(i, [&](Index j, double b) { out[j] += stiffness * c * b; });
                             });
  }
  void potential_hessian_times(double, const ConstVectorRef& q, const ConstVectorRef& w, VectorRef out) const override {
    multiply(data_.stiffness.pattern, data_.stiffness.values, w, out);
    if (data_.cubic != 0)
      for (Index j = 0; j < n(); ++j) out[j] += 3 * data_.cubic * q[j] * q[j] * w[j];
    for_each_overlap<double>([&](Index j) { return q[j]; },
                             [&](Index i, double stiffness, double) {
                               double rate = 0;
                               for_each_obstacle_entry(i, [&](Index j, double b) { rate += b * w[j]; });
                               for_each_obstacle_entry(i, [&](Index j, double b) { out[j] += stiffness * rate * b; });
                             });
  }

  // Constraints: the obstacles held closed, g = -B q.
  const SparsityPattern& constraint_pattern() const override { return constraints_; }
  void constraints(double, const ConstVectorRef& q, VectorRef out) const override {
    if (closed_) constraint_times(q, out);
  }
  void constraints_compensated(double, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                               VectorRef) const override {
    for (Index i = 0; i < constraints_.rows; ++i) {
      long double sum = 0;
      for (Index k = constraints_.offsets[i]; k < constraints_.offsets[i + 1]; ++k) {
        const Index j = constraints_.indices[k];
        sum -= data_.obstacles.values[k] * (static_cast<long double>(q[j]) + tail[j]);
      }
      out[i] = static_cast<double>(sum);
    }
  }
  void constraint_jacobian(double, const ConstVectorRef&, VectorRef values) const override {
    if (closed_) values = -data_.obstacles.values;
  }
  void constraint_hessian_times(double, const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                                VectorRef out) const override {
    out.setZero();
  }
  void constraint_jacobian_derivative(double, const ConstVectorRef&, const ConstVectorRef&,
                                      VectorRef values) const override {
    values.setZero();
  }
  void constraint_third(double, const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                        VectorRef values) const override {
    values.setZero();
  }
  void constraint_velocity(double, const ConstVectorRef&, const ConstVectorRef& v, VectorRef out) const override {
    if (closed_) constraint_times(v, out);
  }
  void constraint_bias(double, const ConstVectorRef&, const ConstVectorRef&, VectorRef out) const override {
    out.setZero();
  }

  const SparsityPattern& hessian_pattern() const override { return data_.stiffness.pattern; }
  void lagrangian_hessian(double, const ConstVectorRef& q, const ConstVectorRef&, VectorRef values) const override {
    values = data_.stiffness.values;
    if (data_.cubic != 0)
      for (Index j = 0; j < n(); ++j) values[diagonal_[static_cast<std::size_t>(j)]] += 3 * data_.cubic * q[j] * q[j];
    for_each_overlap<double>([&](Index j) { return q[j]; },
                             [&](Index i, double stiffness, double) {
                               for_each_obstacle_entry(i, [&](Index j, double b) {
                                 for_each_obstacle_entry(i, [&](Index k, double d) {
                                   values[data_.stiffness.pattern.find(j, k)] += stiffness * b * d;
                                 });
                               });
                             });
  }

  void force(double t, const ConstVectorRef&, const ConstVectorRef& v, VectorRef out) const override {
    multiply(data_.damping.pattern, data_.damping.values, v, out);
    out *= -1;
    if (data_.load.size() > 0) out += std::sin(data_.frequency * t) * data_.load;
    for (const MovingPoint& point : data_.moving)
      if (point.mass.size() > 0) out -= point.y.acceleration(t) * point.mass;
  }
  const SparsityPattern& force_pattern(ForceArgument by) const override {
    return by == ForceArgument::v ? data_.damping.pattern : none_;
  }
  void force_jacobian(ForceArgument by, double, const ConstVectorRef&, const ConstVectorRef&,
                      VectorRef values) const override {
    if (by == ForceArgument::v) values = -data_.damping.values;
  }
  bool force_depends_on_time() const override {
    return data_.load.size() > 0 || std::any_of(data_.moving.begin(), data_.moving.end(),
                                                [](const auto& point) { return point.mass.size() > 0; });
  }

  double potential_rate(double t, const ConstVectorRef& q) const override {
    double sum = 0;
    for (const MovingPoint& point : data_.moving)
      sum += point.y.velocity(t) * (point.own * point.y.at(t) - point.stiffness.dot(q));
    return sum;
  }
  Index n_obstacles() const override { return data_.obstacles.pattern.rows; }
  void obstacles(const ConstVectorRef& q, VectorRef out) const override {
    multiply(data_.obstacles.pattern, data_.obstacles.values, q, out);
  }
  std::shared_ptr<const System> with_obstacles_closed() const override {
    return std::make_shared<LinearStructure>(data_, true);
  }

  Index n_invariants() const override { return n(); }
  void invariants(const ConstVectorRef& q, VectorRef pi) const override { pi = q; }
  const SparsityPattern& invariant_pattern() const override { return invariants_; }
  void invariant_jacobian(const ConstVectorRef&, VectorRef values) const override { values.setOnes(); }
  std::array<double, 4> invariant_potential(Index, double x) const override {
    const double k = data_.cubic;
    return {cubic_spring(x), k * x * x * x, 3 * k * x * x, 6 * k * x};
  }
  void regular_potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const override {
    multiply(data_.stiffness.pattern, data_.stiffness.values, q, out);
    for (const MovingPoint& point : data_.moving) out -= point.y.at(t) * point.stiffness;
  }
  void split_hessian(double, const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                     VectorRef values) const override {
    values = data_.stiffness.values;
  }

 private:
  template <class Real>
  Real cubic_spring(Real x) const {
    return data_.cubic / 4 * (x * x) * (x * x);
  }
  bool soft() const { return data_.softness > 0; }
  template <class Visit>
  void for_each_obstacle_entry(Index i, const Visit& visit) const {
    const SparsityPattern& b = data_.obstacles.pattern;
    for (Index k = b.offsets[i]; k < b.offsets[i + 1]; ++k) visit(b.indices[k], data_.obstacles.values[k]);
  }
  /// visit(i, w_i/eps, c_i) where c_i < 0, of soft obstacles.
  template <class Real, class At, class Visit>
  void for_each_overlap(const At& at, const Visit& visit) const {
    if (!soft()) return;
    for (Index i = 0; i < data_.obstacles.pattern.rows; ++i) {
      Real c = 0;
      for_each_obstacle_entry(i, [&](Index j, double b) { c += b * at(j); });
      if (c < 0) visit(i, weights_[i] / data_.softness, c);
    }
  }
  template <class Visit>
  void for_each_stiffness(const Visit& visit) const {
    const SparsityPattern& a = data_.stiffness.pattern;
    for (Index i = 0; i < a.rows; ++i)
      for (Index k = a.offsets[i]; k < a.offsets[i + 1]; ++k) visit(i, a.indices[k], data_.stiffness.values[k]);
  }
  /// out = -B q
  void constraint_times(const ConstVectorRef& q, VectorRef out) const {
    multiply(constraints_, data_.obstacles.values, q, out);
    out *= -1;
  }

  LinearStructureData data_;
  bool closed_;
  SparsityPattern invariants_, constraints_, none_;
  std::vector<Index> diagonal_;
  Vector weights_;  // of soft obstacles
};

/// A sparse matrix from (i, j, value), values of the same entry added up.
class SparseMatrixBuilder {
 public:
  void add(Index i, Index j, double value) {
    places_.emplace_back(i, j);
    values_.push_back(value);
  }
  SparseMatrix build(Index rows, Index cols) const {
    SparseMatrix out;
    out.pattern = SparsityPattern::from_entries(rows, cols, places_);
    out.values.setZero(out.pattern.nonzeros());
    for (std::size_t k = 0; k < places_.size(); ++k)
      out.values[out.pattern.find(places_[k].first, places_[k].second)] += values_[k];
    return out;
  }

 private:
  std::vector<std::pair<Index, Index>> places_;
  std::vector<double> values_;
};

}  // namespace gnomon::problems
