#pragma once
/// \file
/// A System from U and g written once, templated on the scalar. Every derivative comes from (nested) forward duals of
/// compile-time width, on the stack: meant for models of up to some twenty coordinates. Large sparse models derive from
/// System directly.

#include <algorithm>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/formula/dual.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon {

/// Base of a model: sizes, and defaults for everything optional. A model derives from AutodiffModel<n, m>, and provides
///
///     SystemTraits describe() const;                  // name, degrees, blocks, constraint names; sizes are filled in
///     Mass mass() const;
///     template <class S> S potential(const S& t, const S* q) const;               // U, or U2 with invariants
///     template <class S> void constraints(const S& t, const S* q, S* g) const;
///
/// and, hiding the defaults here, invariants, symmetries, first integrals (their number in describe()), obstacles, a
/// force, friction and a penalty function. A model whose mass depends on q sets constant_mass = false and provides
///
///     template <class S> void mass_matrix(const S* q, S* m) const;                // M(q), n x n, row by row
///
/// and mass() is then M at a typical configuration.
template <int N, int M>
struct AutodiffModel {
  static constexpr int n = N;
  static constexpr int m = M;
  static constexpr int n_invariants = 0;
  static constexpr int n_symmetries = 0;
  static constexpr int n_obstacles = 0;
  static constexpr bool constant_mass = true;
  static constexpr bool has_force = false;
  static constexpr bool has_friction = false;

  template <class S>
  void mass_matrix(const S*, S*) const {}
  template <class S>
  void constraints(const S&, const S*, S*) const {}
  template <class S>
  void invariants(const S*, S*) const {}
  template <class S>
  S invariant_potential(int, const S&) const {
    return S(0.0);
  }
  template <class S>
  S penalty_function(const S& y) const {
    return y * y;
  }
  std::string symmetry_name(Index) const { return {}; }
  void symmetry_generator(Index, const double*, double*) const {}
  std::string integral_name(Index) const { return {}; }
  double integral(Index, double, const double*, const double*) const { return 0; }
  template <class S>
  void obstacles(const S*, S*) const {}
  template <class S>
  void force(const S&, const S*, const S*, S*) const {}
  template <class S>
  void friction(const S*, const S*, const S*, S*) const {}
};

/// The model with its obstacles held closed: g = (g, -c).
template <class Model>
struct ObstaclesClosed : AutodiffModel<Model::n, Model::m + Model::n_obstacles> {
  static constexpr int n_invariants = Model::n_invariants;
  static constexpr bool constant_mass = Model::constant_mass;
  static constexpr bool has_force = Model::has_force;
  static constexpr bool has_friction = Model::has_friction;
  Model open;

  explicit ObstaclesClosed(Model model) : open(std::move(model)) {}
  SystemTraits describe() const {
    SystemTraits traits = open.describe();
    const bool polynomial = traits.obstacle_degree != SystemTraits::not_polynomial &&
                            (Model::m == 0 || traits.constraint_degree != SystemTraits::not_polynomial);
    traits.constraint_degree = !polynomial     ? SystemTraits::not_polynomial
                               : Model::m == 0 ? traits.obstacle_degree
                                               : std::max(traits.constraint_degree, traits.obstacle_degree);
    traits.constraint_names.insert(traits.constraint_names.end(), traits.obstacle_names.begin(),
                                   traits.obstacle_names.end());
    traits.obstacle_names.clear();
    traits.obstacle_degree = SystemTraits::not_polynomial;
    traits.n_integrals = 0;
    return traits;
  }
  Mass mass() const { return open.mass(); }
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    open.mass_matrix(q, m);
  }
  template <class S>
  S potential(const S& t, const S* q) const {
    return open.potential(t, q);
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    open.constraints(t, q, g);
    open.obstacles(q, g + Model::m);
    for (int i = Model::m; i < Model::m + Model::n_obstacles; ++i) g[i] = -g[i];
  }
  template <class S>
  void invariants(const S* q, S* pi) const {
    open.invariants(q, pi);
  }
  template <class S>
  S invariant_potential(int k, const S& pi) const {
    return open.invariant_potential(k, pi);
  }
  template <class S>
  S penalty_function(const S& y) const {
    return open.penalty_function(y);
  }
  template <class S>
  void force(const S& t, const S* q, const S* v, S* f) const {
    open.force(t, q, v, f);
  }
  template <class S>
  void friction(const S* q, const S* v, const S* lambda, S* f) const {
    open.friction(q, v, lambda, f);
  }
};

template <class Model>
class AutodiffSystem final : public System {
  static constexpr int N = Model::n;
  static constexpr int M = Model::m;
  static constexpr int K = Model::n_invariants;
  static constexpr int contacts = Model::n_obstacles;
  using First = Dual<double, N>;           // all first derivatives
  using Along = Dual<Dual<double, 1>, N>;  // all first derivatives of a directional derivative
  using Along2 = Dual<Dual<Dual<double, 1>, 1>, N>;
  using Second = Dual<Dual<double, N>, N>;
  using Curve = Dual<Dual<double, 1>, 1>;  // second derivative along a curve
  using Phase = Dual<double, 2 * N>;       // all first derivatives by (q,p)
  using PhaseAlong = Dual<Dual<double, 1>, 2 * N>;
  using PhaseAlong2 = Dual<Dual<Dual<double, 1>, 1>, 2 * N>;

 public:
  explicit AutodiffSystem(Model model) : model_(std::move(model)), traits_(model_.describe()), mass_(model_.mass()) {
    traits_.n = N;
    traits_.m = M;
    traits_.n_invariants = K;
    traits_.n_symmetries = Model::n_symmetries;
    traits_.n_obstacles = Model::n_obstacles;
    traits_.constant_mass = Model::constant_mass;
    traits_.has_force = Model::has_force;
    traits_.has_friction = Model::has_friction;
    if (mass_.size() != N)
      throw Error(ErrorCode::bad_size, "system " + traits_.name + ": the mass matrix has " +
                                           std::to_string(mass_.size()) + " rows, expected " + std::to_string(N));
    constraint_pattern_ = SparsityPattern::dense(M, N);
    hessian_pattern_ = SparsityPattern::dense(N, N);
    invariant_pattern_ = SparsityPattern::dense(K, N);
    multiplier_pattern_ = SparsityPattern::dense(N, M + contacts);
    keep_constant_hessians();
  }

  const Model& model() const { return model_; }
  const SystemTraits& traits() const override { return traits_; }
  const Mass& mass() const override { return mass_; }

  void mass_matrix(const ConstVectorRef& q, Matrix& out) const override {
    if constexpr (Model::constant_mass) {
      System::mass_matrix(q, out);
    } else {
      std::array<double, N * N> entries;
      model_.mass_matrix(q.data(), entries.data());
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) out(i, j) = entries[i * N + j];
    }
  }
  double kinetic_energy(const ConstVectorRef& q, const ConstVectorRef& p) const override {
    if constexpr (Model::constant_mass)
      return System::kinetic_energy(q, p);
    else
      return kinetic(q.data(), p.data());
  }
  long double kinetic_compensated(const ConstVectorRef& q, const ConstVectorRef& q_tail, const ConstVectorRef& p,
                                  const ConstVectorRef& p_tail) const override {
    if constexpr (Model::constant_mass)
      return System::kinetic_compensated(q, q_tail, p, p_tail);
    else
      return kinetic(extended(q, q_tail).data(), extended(p, p_tail).data());
  }
  void kinetic_gradient(const ConstVectorRef& q, const ConstVectorRef& p, VectorRef t_q, VectorRef t_p) const override {
    if constexpr (Model::constant_mass) {
      System::kinetic_gradient(q, p, t_q, t_p);
    } else {
      std::array<Phase, N> x, y;
      for (int j = 0; j < N; ++j) {
        x[j].value = q[j];
        x[j].grad[j] = 1;
        y[j].value = p[j];
        y[j].grad[N + j] = 1;
      }
      const Phase energy = kinetic(x.data(), y.data());
      for (int j = 0; j < N; ++j) {
        t_q[j] = energy.grad[j];
        t_p[j] = energy.grad[N + j];
      }
    }
  }
  void kinetic_hessian_times(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w_q,
                             const ConstVectorRef& w_p, VectorRef out_q, VectorRef out_p) const override {
    if constexpr (Model::constant_mass) {
      System::kinetic_hessian_times(q, p, w_q, w_p, out_q, out_p);
    } else {
      std::array<PhaseAlong, N> x, y;
      for (int j = 0; j < N; ++j) {
        x[j].value.value = q[j];
        x[j].value.grad[0] = w_q[j];
        x[j].grad[j].value = 1;
        y[j].value.value = p[j];
        y[j].value.grad[0] = w_p[j];
        y[j].grad[N + j].value = 1;
      }
      const PhaseAlong energy = kinetic(x.data(), y.data());
      for (int j = 0; j < N; ++j) {
        out_q[j] = energy.grad[j].grad[0];
        out_p[j] = energy.grad[N + j].grad[0];
      }
    }
  }

  void kinetic_third(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w_q,
                     const ConstVectorRef& w_p, const ConstVectorRef& u_q, const ConstVectorRef& u_p, VectorRef out_q,
                     VectorRef out_p) const override {
    if constexpr (Model::constant_mass) {
      System::kinetic_third(q, p, w_q, w_p, u_q, u_p, out_q, out_p);
    } else {
      std::array<PhaseAlong2, N> x, y;
      const auto seed = [](PhaseAlong2& z, double value, double w, double u, int j) {
        z.value.value.value = value;
        z.value.value.grad[0] = w;
        z.value.grad[0].value = u;
        z.grad[j].value.value = 1;
      };
      for (int j = 0; j < N; ++j) {
        seed(x[j], q[j], w_q[j], u_q[j], j);
        seed(y[j], p[j], w_p[j], u_p[j], N + j);
      }
      const PhaseAlong2 energy = kinetic(x.data(), y.data());
      for (int j = 0; j < N; ++j) {
        out_q[j] = energy.grad[j].grad[0].grad[0];
        out_p[j] = energy.grad[N + j].grad[0].grad[0];
      }
    }
  }

  double potential(double t, const ConstVectorRef& q) const override { return full_potential(t, q.data()); }

  long double potential_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                    VectorRef) const override {
    return full_potential(static_cast<long double>(t), extended(q, tail).data());
  }

  void potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const override {
    const First u = full_potential(First(t), seed_first(q).data());
    for (int j = 0; j < N; ++j) out[j] = u.grad[j];
  }

  void potential_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& w,
                               VectorRef out) const override {
    const Along u = full_potential(Along(t), seed_along(q, w).data());
    for (int j = 0; j < N; ++j) out[j] = u.grad[j].grad[0];
  }

  const SparsityPattern& constraint_pattern() const override { return constraint_pattern_; }

  void constraints(double t, const ConstVectorRef& q, VectorRef out) const override {
    model_.constraints(t, q.data(), out.data());
  }

  /// At long double: exact to the tail where that is wider than double, and no worse than the default elsewhere.
  void constraints_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                               VectorRef) const override {
    std::array<long double, M> g;
    model_.constraints(static_cast<long double>(t), extended(q, tail).data(), g.data());
    for (int i = 0; i < M; ++i) out[i] = static_cast<double>(g[i]);
  }

  void constraint_jacobian(double t, const ConstVectorRef& q, VectorRef values) const override {
    std::array<First, M> g;
    model_.constraints(First(t), seed_first(q).data(), g.data());
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) values[i * N + j] = g[i].grad[j];
  }

  void constraint_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                const ConstVectorRef& w, VectorRef out) const override {
    std::array<Along, M> g;
    model_.constraints(Along(t), seed_along(q, w).data(), g.data());
    out.setZero();
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) out[j] += lambda[i] * g[i].grad[j].grad[0];
  }

  void constraint_jacobian_derivative(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                      VectorRef values) const override {
    std::array<Along, M> g;
    model_.constraints(Along(t), seed_along(q, v).data(), g.data());
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) values[i * N + j] = g[i].grad[j].grad[0];
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
    std::array<Along2, M> g;
    model_.constraints(Along2(t), x.data(), g.data());
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) values[i * N + j] = g[i].grad[j].grad[0].grad[0];
  }

  void constraint_velocity(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    std::array<Curve, M> g;
    along_curve(t, q, v, g.data());
    for (int i = 0; i < M; ++i) out[i] = g[i].value.grad[0];
  }

  void constraint_bias(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    std::array<Curve, M> g;
    along_curve(t, q, v, g.data());
    for (int i = 0; i < M; ++i) out[i] = g[i].grad[0].grad[0];
  }

  void constraint_rate_jacobian(double t, const ConstVectorRef& q, VectorRef values) const override {
    std::array<Along, M> g;
    Along time(t);
    time.value.grad[0] = 1;
    model_.constraints(time, unmoved<Along>(q).data(), g.data());
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) values[i * N + j] = g[i].grad[j].grad[0];
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
    std::array<Rate, M> g;
    model_.constraints(time, x.data(), g.data());
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
    std::array<Second, M> g;
    model_.constraints(Second(t), x.data(), g.data());
    Second sum = full_potential(Second(t), x.data());
    for (int i = 0; i < M; ++i) sum += lambda[i] * g[i];
    store(sum, values);
  }

  void force(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    model_.force(t, q.data(), v.data(), out.data());
  }
  const SparsityPattern& force_pattern(ForceArgument) const override { return hessian_pattern_; }
  void force_jacobian(ForceArgument by, double t, const ConstVectorRef& q, const ConstVectorRef& v,
                      VectorRef values) const override {
    const auto x = by == ForceArgument::q ? seed_first(q) : unseeded<First>(q);
    const auto w = by == ForceArgument::v ? seed_first(v) : unseeded<First>(v);
    std::array<First, N> f;
    model_.force(First(t), x.data(), w.data(), f.data());
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) values[i * N + j] = f[i].grad[j];
  }

  void friction(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                VectorRef out) const override {
    model_.friction(q.data(), v.data(), lambda.data(), out.data());
  }
  const SparsityPattern& friction_pattern(ForceArgument by) const override {
    return by == ForceArgument::lambda ? multiplier_pattern_ : hessian_pattern_;
  }
  void friction_jacobian(ForceArgument by, const ConstVectorRef& q, const ConstVectorRef& v,
                         const ConstVectorRef& lambda, VectorRef values) const override {
    if (by == ForceArgument::lambda) {
      using D = Dual<double, M + contacts>;
      auto psi = unseeded<D, M + contacts>(lambda);
      for (int j = 0; j < M + contacts; ++j) psi[j].grad[j] = 1;
      const auto x = unseeded<D>(q), w = unseeded<D>(v);
      std::array<D, N> f;
      model_.friction(x.data(), w.data(), psi.data(), f.data());
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < M + contacts; ++j) values[i * (M + contacts) + j] = f[i].grad[j];
      return;
    }
    const auto x = by == ForceArgument::q ? seed_first(q) : unseeded<First>(q);
    const auto w = by == ForceArgument::v ? seed_first(v) : unseeded<First>(v);
    const auto psi = unseeded<First, M + contacts>(lambda);
    std::array<First, N> f;
    model_.friction(x.data(), w.data(), psi.data(), f.data());
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) values[i * N + j] = f[i].grad[j];
  }

  void obstacles(const ConstVectorRef& q, VectorRef out) const override { model_.obstacles(q.data(), out.data()); }
  std::shared_ptr<const System> with_obstacles_closed() const override {
    if constexpr (contacts > 0)
      return std::make_shared<AutodiffSystem<ObstaclesClosed<Model>>>(ObstaclesClosed<Model>(model_));
    else
      return System::with_obstacles_closed();
  }
  std::string integral_name(Index a) const override { return model_.integral_name(a); }
  double integral(Index a, double t, const ConstVectorRef& q, const ConstVectorRef& p) const override {
    return model_.integral(a, t, q.data(), p.data());
  }

  std::string symmetry_name(Index a) const override { return model_.symmetry_name(a); }
  void symmetry_generator(Index a, const ConstVectorRef& q, VectorRef out) const override {
    model_.symmetry_generator(a, q.data(), out.data());
  }

  void invariants(const ConstVectorRef& q, VectorRef pi) const override { model_.invariants(q.data(), pi.data()); }
  const SparsityPattern& invariant_pattern() const override { return invariant_pattern_; }
  void invariant_jacobian(const ConstVectorRef& q, VectorRef values) const override {
    std::array<First, K> pi;
    model_.invariants(seed_first(q).data(), pi.data());
    for (int k = 0; k < K; ++k)
      for (int j = 0; j < N; ++j) values[k * N + j] = pi[k].grad[j];
  }
  std::array<double, 4> invariant_potential(Index k, double pi) const override {
    return three_derivatives(pi, [&](const auto& x) { return model_.invariant_potential(static_cast<int>(k), x); });
  }
  std::array<double, 4> penalty_function(double y) const override {
    return three_derivatives(y, [&](const auto& x) { return model_.penalty_function(x); });
  }
  void regular_potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const override {
    const First u = model_.potential(First(t), seed_first(q).data());
    for (int j = 0; j < N; ++j) out[j] = u.grad[j];
  }
  void split_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& c, const ConstVectorRef& lambda,
                     VectorRef values) const override {
    const auto x = seed_second(q);
    std::array<Second, M> g;
    model_.constraints(Second(t), x.data(), g.data());
    Second sum = model_.potential(Second(t), x.data());
    for (int i = 0; i < M; ++i) sum += lambda[i] * g[i];
    if constexpr (K > 0) {
      std::array<Second, K> pi;
      model_.invariants(x.data(), pi.data());
      for (int k = 0; k < K; ++k) sum += c[k] * pi[k];
    }
    store(sum, values);
  }

 private:
  /// Where U and g are declared at most quadratic, their Hessians are constants: columns g_1..g_m, then U. A model that
  /// cannot be evaluated at the origin is left to evaluate them where it is.
  void keep_constant_hessians() {
    const auto quadratic = [](int degree) { return degree != SystemTraits::not_polynomial && degree <= 2; };
    if (traits_.time_dependent || !quadratic(traits_.potential_degree) ||
        (M > 0 && !quadratic(traits_.constraint_degree)))
      return;
    Matrix hessians(N * N, M + 1);
    const Vector origin = Vector::Zero(N);
    try {
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

  /// T = sum_i y_i^2 / (2 d_i), M = L D L^T, L y = p: no root, nothing on the heap.
  template <class S>
  S kinetic(const S* q, const S* p) const {
    std::array<S, N * N> m;
    model_.mass_matrix(q, m.data());
    std::array<S, N> y;
    S sum(0.0);
    for (int i = 0; i < N; ++i) {
      y[i] = p[i];
      for (int k = 0; k < i; ++k) {  // row i of L, left of the diagonal, in place of M's
        S entry = m[i * N + k];
        for (int j = 0; j < k; ++j) entry -= m[i * N + j] * m[k * N + j] * m[j * N + j];
        m[i * N + k] = entry / m[k * N + k];
      }
      for (int k = 0; k < i; ++k) {
        m[i * N + i] -= m[i * N + k] * m[i * N + k] * m[k * N + k];
        y[i] -= m[i * N + k] * y[k];
      }
      sum += y[i] * y[i] / m[i * N + i];
    }
    return sum * 0.5;
  }

  template <class S>
  S full_potential(const S& t, const S* q) const {
    S u = model_.potential(t, q);
    if constexpr (K > 0) {
      std::array<S, K> pi;
      model_.invariants(q, pi.data());
      for (int k = 0; k < K; ++k) u += model_.invariant_potential(k, pi[k]);
    }
    return u;
  }

  /// {f, f', f'', f'''} of a function of one variable.
  template <class F>
  static std::array<double, 4> three_derivatives(double at, const F& f) {
    using D3 = Dual<Curve, 1>;
    D3 x;
    x.value.value.value = at;
    x.value.value.grad[0] = 1;
    x.value.grad[0].value = 1;
    x.grad[0].value.value = 1;
    const D3 v = f(x);
    return {v.value.value.value, v.value.value.grad[0], v.value.grad[0].grad[0], v.grad[0].grad[0].grad[0]};
  }

  static std::array<long double, N> extended(const ConstVectorRef& q, const ConstVectorRef& tail) {
    std::array<long double, N> x;
    for (int j = 0; j < N; ++j) x[j] = static_cast<long double>(q[j]) + tail[j];
    return x;
  }
  template <class S, int size = N>
  static std::array<S, size> unseeded(const ConstVectorRef& q) {
    std::array<S, size> x;
    for (int j = 0; j < size; ++j) x[j].value = q[j];
    return x;
  }
  static std::array<First, N> seed_first(const ConstVectorRef& q) {
    std::array<First, N> x;
    for (int j = 0; j < N; ++j) {
      x[j].value = q[j];
      x[j].grad[j] = 1;
    }
    return x;
  }
  /// All first derivatives, at rest in the other direction.
  template <class D>
  static std::array<D, N> unmoved(const ConstVectorRef& q) {
    std::array<D, N> x;
    for (int j = 0; j < N; ++j) {
      x[j].value.value = q[j];
      x[j].grad[j].value = 1;
    }
    return x;
  }
  static std::array<Along, N> seed_along(const ConstVectorRef& q, const ConstVectorRef& w) {
    std::array<Along, N> x;
    for (int j = 0; j < N; ++j) {
      x[j].value.value = q[j];
      x[j].value.grad[0] = w[j];
      x[j].grad[j].value = 1;
    }
    return x;
  }
  static std::array<Second, N> seed_second(const ConstVectorRef& q) {
    std::array<Second, N> x;
    for (int j = 0; j < N; ++j) {
      x[j].value.value = q[j];
      x[j].value.grad[j] = 1;
      x[j].grad[j].value = 1;
    }
    return x;
  }
  /// g along s -> (t + s, q + s v), to second order in s.
  void along_curve(double t, const ConstVectorRef& q, const ConstVectorRef& v, Curve* g) const {
    std::array<Curve, N> x;
    for (int j = 0; j < N; ++j) {
      x[j].value.value = q[j];
      x[j].value.grad[0] = v[j];
      x[j].grad[0].value = v[j];
    }
    Curve time(t);
    time.value.grad[0] = 1;
    time.grad[0].value = 1;
    model_.constraints(time, x.data(), g);
  }
  static void store(const Second& sum, VectorRef values) {
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) values[i * N + j] = sum.grad[i].grad[j];
  }

  Model model_;
  SystemTraits traits_;
  Mass mass_;
  Matrix constant_hessians_;
  SparsityPattern constraint_pattern_, hessian_pattern_, invariant_pattern_, multiplier_pattern_;
};

}  // namespace gnomon
