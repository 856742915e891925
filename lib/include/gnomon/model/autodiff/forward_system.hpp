#pragma once
/// \file
/// ForwardSystem: the System of a model of few coordinates, fixed at compile time. Every derivative comes from (nested)
/// forward duals of compile-time width, on the stack; patterns are dense.

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "gnomon/model/autodiff/forward_kinetic.hpp"
#include "gnomon/model/autodiff/one_variable.hpp"
#include "gnomon/model/autodiff/quadratic_forms.hpp"
#include "gnomon/model/autodiff/taped_functions.hpp"

namespace gnomon::model {

template <class Model, bool Closed>
struct ForwardSizes {
  using Parts = ModelParts<Model, Closed>;
  static constexpr int declared_obstacles = std::max(Parts::declared_obstacles(), 0);
  static constexpr int n = ModelSizes<Model>::n;
  static constexpr int m = ModelSizes<Model>::m + (Closed ? Parts::rows_of_contact * declared_obstacles : 0);
  static constexpr int invariants = std::max(Parts::declared_invariants(), 0);
  static constexpr int obstacles = Closed ? 0 : declared_obstacles;
};

template <class Model, bool Closed = false>
class ForwardSystem final : public ForwardKinetic<ModelParts<Model, Closed>, ForwardSizes<Model, Closed>::n>,
                            public TimeDependence,
                            public Force,
                            public Friction,
                            public Obstacles,
                            public CoulombFriction,
                            public Symmetries,
                            public FirstIntegrals,
                            public SplitPotential,
                            public ModelPenalty,
                            public ExtendedPrecision,
                            public PointDerivatives,
                            private ForwardSeeds<ForwardSizes<Model, Closed>::n> {
  using Sizes = ForwardSizes<Model, Closed>;
  using Parts = ModelParts<Model, Closed>;
  static constexpr int N = Sizes::n, M = Sizes::m, K = Sizes::invariants, contacts = Sizes::obstacles;
  using Base = ForwardKinetic<Parts, N>;
  using Seeds = ForwardSeeds<N>;
  using Base::calls_;
  using Base::traits_;
  using Seeds::extended;
  using Seeds::seed_along;
  using Seeds::seed_first;
  using Seeds::seed_second;
  using typename Seeds::Along;
  using typename Seeds::Along2;
  using typename Seeds::Curve;
  using typename Seeds::First;
  using typename Seeds::Second;

 public:
  /// \param start where the parts are recorded, and M(q) is taken if the model has no mass(); empty: an ordinary point
  explicit ForwardSystem(Model model, const Vector& start = {})
      : ForwardSystem(RecordedModel<Model, Closed>(std::move(model), start, Closed ? Sizes::declared_obstacles : 0),
                      start) {}

  const Model& model() const { return calls_.model(); }

  double potential(double t, const ConstVectorRef& q) const override {
    if (traits_.energy_constant == 0) return full_potential(t, q.data());
    std::array<long double, N> x;
    std::copy_n(q.data(), N, x.begin());
    return static_cast<double>(full_potential(static_cast<long double>(t), x.data()) - traits_.energy_constant);
  }

  long double potential_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                    VectorRef) const override {
    return full_potential(static_cast<long double>(t), extended(q, tail).data()) - traits_.energy_constant;
  }

  bool extended_gradient(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                         VectorRefOf<Extended> out) const override {
    gradient_at(t, extended(q, tail).data(), out.data());
    return true;
  }
  bool extended_jacobian(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                         VectorRefOf<Extended> values) const override {
    store_first(constraints_at(t, Seeds::seed_extended(q, tail)), values.data());
    return true;
  }

  bool extended_invariants(const ConstVectorRef& q, const ConstVectorRef& tail,
                           VectorRefOf<Extended> pi) const override {
    calls_.invariants(extended(q, tail).data(), pi.data(), K);
    return true;
  }
  bool extended_invariant_jacobian(const ConstVectorRef& q, const ConstVectorRef& tail,
                                   VectorRefOf<Extended> values) const override {
    store_first(invariants_at(Seeds::seed_extended(q, tail)), values.data());
    return true;
  }
  std::array<Extended, 4> extended_invariant_potential(Index k, Extended pi) const override {
    return three_derivatives(pi, [&](const auto& x) { return calls_.invariant_potential(static_cast<int>(k), x); });
  }
  bool extended_regular_gradient(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                 VectorRefOf<Extended> out) const override {
    using Wide = Dual<Extended, N>;
    const Wide u = calls_.potential(Wide(t), Seeds::seed_extended(q, tail).data());
    std::copy_n(u.grad.begin(), N, out.data());
    return true;
  }

  void potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const override {
    gradient_at(t, q.data(), out.data());
  }

  void potential_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& w,
                               VectorRef out) const override {
    const Along u = full_potential(Along(t), seed_along(q, w).data());
    for (int j = 0; j < N; ++j) out[j] = u.grad[j].grad[0];
  }

  const SparsityPattern& constraint_pattern() const override { return constraint_pattern_; }

  void constraints(double t, const ConstVectorRef& q, VectorRef out) const override {
    calls_.constraints(t, q.data(), out.data(), M);
  }

  /// At long double: exact to the tail where that is wider than double, and no worse than the default elsewhere.
  void constraints_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                               VectorRef) const override {
    std::array<long double, M> g;
    calls_.constraints(static_cast<long double>(t), extended(q, tail).data(), g.data(), M);
    for (int i = 0; i < M; ++i) out[i] = static_cast<double>(g[i]);
  }
  bool extended_constraints(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                            VectorRefOf<Extended> out) const override {
    calls_.constraints(static_cast<Extended>(t), extended(q, tail).data(), out.data(), M);
    return true;
  }

  void constraint_jacobian(double t, const ConstVectorRef& q, VectorRef values) const override {
    store_first(constraints_at(t, seed_first(q)), values.data());
  }

  void constraint_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                const ConstVectorRef& w, VectorRef out) const override {
    const std::array<Along, M> g = constraints_at(t, seed_along(q, w));
    out.setZero();
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) out[j] += lambda[i] * g[i].grad[j].grad[0];
  }

  void constraint_jacobian_derivative(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                      VectorRef values) const override {
    store_mixed(constraints_at(t, seed_along(q, v)), values);
  }

  void constraint_third(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& w,
                        VectorRef values) const override {
    std::array<Along2, N> x;
    for (int j = 0; j < N; ++j) {
      x[j].value.value.value = q[j];
      x[j].value.value.grad[0] = w[j];
      x[j].value.grad[0].value = v[j];
      x[j].grad[j].value.value = 1;
    }
    const std::array<Along2, M> g = constraints_at(t, x);
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) values[i * N + j] = g[i].grad[j].grad[0].grad[0];
  }

  void constraint_velocity(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    const std::array<Curve, M> g = along_curve(t, q, v);
    for (int i = 0; i < M; ++i) out[i] = g[i].value.grad[0];
  }

  void constraint_bias(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    const std::array<Curve, M> g = along_curve(t, q, v);
    for (int i = 0; i < M; ++i) out[i] = g[i].grad[0].grad[0];
  }

  double potential_rate(double t, const ConstVectorRef& q) const override {
    using Rate = Dual<double, 1>;
    std::array<Rate, N> x;
    for (int j = 0; j < N; ++j) x[j] = Rate(q[j]);
    Rate time(t);
    time.grad[0] = 1;
    return full_potential(time, x.data()).grad[0];
  }
  void constraint_rate_jacobian(double t, const ConstVectorRef& q, VectorRef values) const override {
    Along time(t);
    time.value.grad[0] = 1;
    store_mixed(constraints_at(time, Seeds::template unmoved<Along>(q)), values);
  }

  void constraint_rate_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                               VectorRef values) const override {
    using Rate = Dual<Dual<Dual<double, 1>, N>, N>;
    std::array<Rate, N> x;
    for (int j = 0; j < N; ++j) {
      x[j].value.value.value = q[j];
      x[j].value.grad[j].value = 1;
      x[j].grad[j].value.value = 1;
    }
    Rate time(t);
    time.value.value.grad[0] = 1;
    const std::array<Rate, M> g = constraints_at(time, x);
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        double sum = 0;
        for (int k = 0; k < M; ++k) sum += lambda[k] * g[k].grad[i].grad[j].grad[0];
        values[i * N + j] = sum;
      }
  }

  const SparsityPattern& hessian_pattern() const override { return hessian_pattern_; }

  void lagrangian_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                          VectorRef values) const override {
    if (constant_hessians_.cols() > 0) {
      values.noalias() = constant_hessians_.col(M);
      values.noalias() += constant_hessians_.leftCols(M) * lambda;
      return;
    }
    const auto x = seed_second(q);
    const std::array<Second, M> g = constraints_at(t, x);
    Second sum = full_potential(Second(t), x.data());
    for (int i = 0; i < M; ++i) sum += lambda[i] * g[i];
    store(sum, values);
  }

  void force(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    calls_.force(t, q.data(), v.data(), out.data(), N);
  }
  bool force_depends_on_time() const override { return traits_.time_dependent_force; }
  const SparsityPattern& force_pattern(ForceArgument) const override { return hessian_pattern_; }
  void force_jacobian(ForceArgument by, double t, const ConstVectorRef& q, const ConstVectorRef& v,
                      VectorRef values) const override {
    const auto x = by == ForceArgument::q ? seed_first(q) : Seeds::template unseeded<First>(q);
    const auto w = by == ForceArgument::v ? seed_first(v) : Seeds::template unseeded<First>(v);
    std::array<First, N> f;
    calls_.force(First(t), x.data(), w.data(), f.data(), N);
    store_first(f, values.data());
  }

  void friction(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                VectorRef out) const override {
    calls_.friction(q.data(), v.data(), lambda.data(), out.data(), N);
  }
  const SparsityPattern& friction_pattern(ForceArgument by) const override {
    return by == ForceArgument::lambda ? multiplier_pattern_ : hessian_pattern_;
  }
  void friction_jacobian(ForceArgument by, const ConstVectorRef& q, const ConstVectorRef& v,
                         const ConstVectorRef& lambda, VectorRef values) const override {
    if (by == ForceArgument::lambda) {
      using D = Dual<double, M + contacts>;
      auto psi = Seeds::template unseeded<D, M + contacts>(lambda);
      for (int j = 0; j < M + contacts; ++j) psi[j].grad[j] = 1;
      const auto x = Seeds::template unseeded<D>(q), w = Seeds::template unseeded<D>(v);
      std::array<D, N> f;
      calls_.friction(x.data(), w.data(), psi.data(), f.data(), N);
      store_first(f, values.data());
      return;
    }
    const auto x = by == ForceArgument::q ? seed_first(q) : Seeds::template unseeded<First>(q);
    const auto w = by == ForceArgument::v ? seed_first(v) : Seeds::template unseeded<First>(v);
    const auto psi = Seeds::template unseeded<First, M + contacts>(lambda);
    std::array<First, N> f;
    calls_.friction(x.data(), w.data(), psi.data(), f.data(), N);
    store_first(f, values.data());
  }

  void point_derivatives(double t, const double* q, const double* v, double* gradient, double* jacobian,
                         double* turn) const override {
    derivatives_at(t, q, v, gradient, jacobian, turn);
  }
  void point_derivatives(double t, const Extended* q, const Extended* v, Extended* gradient, Extended* jacobian,
                         Extended* turn) const override {
    derivatives_at(t, q, v, gradient, jacobian, turn);
  }

  Index n_obstacles() const override { return traits_.n_obstacles; }
  std::vector<std::string> obstacle_names() const override { return traits_.obstacle_names; }
  void obstacles(const ConstVectorRef& q, VectorRef out) const override {
    calls_.obstacles(q.data(), out.data(), contacts);
  }
  const Vector& friction_coefficients() const override { return traits_.friction_coefficients; }
  const std::vector<Index>& slips_in_space() const override { return traits_.slips_in_space; }
  void slips(const ConstVectorRef& q, VectorRef out) const override { calls_.slips(q.data(), out.data(), contacts); }
  std::shared_ptr<const System> with_obstacles_closed() const override {
    if constexpr (contacts > 0)
      return std::make_shared<ForwardSystem<Model, true>>(model(), start_);
    else
      return nullptr;
  }
  Index n_integrals() const override { return traits_.n_integrals; }
  std::string integral_name(Index a) const override { return calls_.integral_name(a); }
  double integral(Index a, double t, const ConstVectorRef& q, const ConstVectorRef& p) const override {
    return calls_.integral(a, t, q.data(), p.data());
  }
  Index n_symmetries() const override { return traits_.n_symmetries; }
  std::string symmetry_name(Index a) const override { return calls_.symmetry_name(a); }
  void symmetry_generator(Index a, const ConstVectorRef& q, VectorRef out) const override {
    calls_.symmetry_generator(a, q.data(), out.data(), N);
  }

  Index n_invariants() const override { return K; }
  void invariants(const ConstVectorRef& q, VectorRef pi) const override { calls_.invariants(q.data(), pi.data(), K); }
  const SparsityPattern& invariant_pattern() const override { return invariant_pattern_; }
  void invariant_jacobian(const ConstVectorRef& q, VectorRef values) const override {
    store_first(invariants_at(seed_first(q)), values.data());
  }
  std::array<double, 4> invariant_potential(Index k, double pi) const override {
    return three_derivatives(pi, [&](const auto& x) { return calls_.invariant_potential(static_cast<int>(k), x); });
  }
  bool penalty_is_convex() const override { return traits_.penalty == ModelTraits::Penalty::convex; }
  std::array<double, 4> penalty_function(double y) const override {
    return three_derivatives(y, [&](const auto& x) { return calls_.penalty_function(x); });
  }
  void regular_potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const override {
    const First u = calls_.potential(First(t), seed_first(q).data());
    std::copy_n(u.grad.begin(), N, out.data());
  }
  void split_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& c, const ConstVectorRef& lambda,
                     VectorRef values) const override {
    const auto x = seed_second(q);
    const std::array<Second, M> g = constraints_at(t, x);
    Second sum = calls_.potential(Second(t), x.data());
    for (int i = 0; i < M; ++i) sum += lambda[i] * g[i];
    if constexpr (K > 0) {
      const std::array<Second, K> pi = invariants_at(x);
      for (int k = 0; k < K; ++k) sum += c[k] * pi[k];
    }
    store(sum, values);
  }

 private:
  ForwardSystem(const RecordedModel<Model, Closed>& recorded, const Vector& start)
      : Base(*recorded.parts(), recorded.traits(), recorded.mass()),
        tapes_(recorded.parts(), recorded.traits()),
        start_(start) {
    constraint_pattern_ = SparsityPattern::dense(M, N);
    hessian_pattern_ = SparsityPattern::dense(N, N);
    invariant_pattern_ = SparsityPattern::dense(K, N);
    multiplier_pattern_ = SparsityPattern::dense(N, M + contacts);
    keep_constant_hessians();
    set_parts(this->parts_, traits_, *this);
    this->parts_.point = this;
    this->parts_.tapes = &tapes_;
  }

  /// Where U or g are at most quadratic, their Hessians are constants; of both together: columns g_1..g_m, then U. A
  /// model that cannot be evaluated at the origin is left to evaluate them where it is.
  void keep_constant_hessians() {
    const auto quadratic = [&](int degree) {
      return !traits_.time_dependent && degree != SystemTraits::not_polynomial && degree <= 2;
    };
    const bool of_potential = quadratic(traits_.potential_degree);
    const bool of_constraints = M > 0 && quadratic(traits_.constraint_degree);
    Matrix hessians(N * N, M + 1);
    const Vector origin = Vector::Zero(N);
    try {
      const std::array<Extended, N> start{};
      std::array<Extended, N> unit{};
      if (of_potential) {
        std::array<Extended, N> gradient{}, unused{};
        potential_at(0, start.data(), start.data(), gradient.data(), unused.data());
        quadratic_potential_.take(gradient.data(), [&](int j, Extended* row) {
          unit[j] = 1;
          potential_at(0, start.data(), unit.data(), unused.data(), row);
          unit[j] = 0;
        });
      }
      if (of_constraints) {
        std::array<Extended, M * N> jacobian{}, unused{};
        jacobian_at(0, start.data(), start.data(), jacobian.data(), unused.data());
        quadratic_constraints_.take(jacobian.data(), [&](int j, Extended* rows) {
          unit[j] = 1;
          jacobian_at(0, start.data(), unit.data(), unused.data(), rows);
          unit[j] = 0;
        });
      }
      if (!of_potential || (M > 0 && !of_constraints)) return;
      lagrangian_hessian(0, origin, Vector::Zero(M), hessians.col(M));
      for (int i = 0; i < M; ++i) {
        lagrangian_hessian(0, origin, Vector::Unit(M, i), hessians.col(i));
        hessians.col(i) -= hessians.col(M);
      }
    } catch (...) {
      return;
    }
    if (hessians.allFinite()) constant_hessians_ = std::move(hessians);
  }

  template <class S>
  std::array<S, M> constraints_at(const typename std::array<S, N>::value_type& t, const std::array<S, N>& x) const {
    std::array<S, M> g;
    calls_.constraints(t, x.data(), g.data(), M);
    return g;
  }
  template <class S>
  std::array<S, K> invariants_at(const std::array<S, N>& x) const {
    std::array<S, K> pi;
    calls_.invariants(x.data(), pi.data(), K);
    return pi;
  }
  template <class S>
  S full_potential(const S& t, const S* q) const {
    S u = calls_.potential(t, q);
    if constexpr (K > 0) {
      std::array<S, K> pi;
      calls_.invariants(q, pi.data(), K);
      for (int k = 0; k < K; ++k) u += calls_.invariant_potential(k, pi[k]);
    }
    return u;
  }

  template <class S>
  void derivatives_at(double t, const S* q, const S* v, S* gradient, S* jacobian, S* turn) const {
    if (quadratic_potential_.known())
      quadratic_potential_.gradients(q, gradient);
    else
      gradient_at(t, q, gradient);
    if (quadratic_constraints_.known()) {
      quadratic_constraints_.gradients(q, jacobian);
      quadratic_constraints_.turns(v, turn);
    } else if (M > 0) {
      jacobian_at(t, q, v, jacobian, turn);
    }
  }
  template <class S>
  void gradient_at(double t, const S* q, S* gradient) const {
    using Wide = Dual<S, N>;
    const Wide u = full_potential(Wide(t), seed_first(q).data());
    std::copy_n(u.grad.begin(), N, gradient);
  }
  /// grad U and (Hess U) v
  template <class S>
  void potential_at(double t, const S* q, const S* v, S* gradient, S* turn) const {
    using Wide = Dual<Dual<S, 1>, N>;
    const Wide u = full_potential(Wide(t), seed_along(q, v).data());
    for (int j = 0; j < N; ++j) {
      gradient[j] = u.grad[j].value;
      turn[j] = u.grad[j].grad[0];
    }
  }
  /// G and the rows v^T Hess g_i
  template <class S>
  void jacobian_at(double t, const S* q, const S* v, S* jacobian, S* turn) const {
    const auto g = constraints_at(t, seed_along(q, v));
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        jacobian[i * N + j] = g[i].grad[j].value;
        turn[i * N + j] = g[i].grad[j].grad[0];
      }
  }
  /// g along s -> (t + s, q + s v), to second order in s.
  std::array<Curve, M> along_curve(double t, const ConstVectorRef& q, const ConstVectorRef& v) const {
    std::array<Curve, N> x;
    for (int j = 0; j < N; ++j) {
      x[j].value.value = q[j];
      x[j].value.grad[0] = v[j];
      x[j].grad[0].value = v[j];
    }
    Curve time(t);
    time.value.grad[0] = 1;
    time.grad[0].value = 1;
    return constraints_at(time, x);
  }
  /// The first derivatives of functions, row by row.
  template <class T, int columns, std::size_t rows>
  static void store_first(const std::array<Dual<T, columns>, rows>& f, T* values) {
    for (const auto& row : f) values = std::copy_n(row.grad.begin(), columns, values);
  }
  static void store_mixed(const std::array<Along, M>& g, VectorRef values) {
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) values[i * N + j] = g[i].grad[j].grad[0];
  }
  static void store(const Second& sum, VectorRef values) {
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) values[i * N + j] = sum.grad[i].grad[j];
  }

  TapedModel<Parts> tapes_;
  Vector start_;
  Matrix constant_hessians_;
  QuadraticForms<1, N> quadratic_potential_;
  QuadraticForms<M, N> quadratic_constraints_;
  SparsityPattern constraint_pattern_, hessian_pattern_, invariant_pattern_, multiplier_pattern_;
};

}  // namespace gnomon::model
