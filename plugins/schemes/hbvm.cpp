/// \file
/// hbvm: Hamiltonian Boundary Value Methods HBVM(k,s) with a polynomial multiplier, for H = p^T M^-1 p/2 + U(q).
///
/// Nodes c_l and weights b_l of the k-point Gauss-Legendre quadrature on [0,1], P_j the shifted orthonormal Legendre
/// polynomials, I_j their integrals from 0, X = P^T Omega I (kernels/legendre.hpp). Over a step
///
///     q(ch) = q0 + h sum_{j<s} I_j(c) gamma_j,    q'(ch) = sum_{j<s} P_j(c) gamma_j,    lambda(ch) = sum_{i<r} P_i(c)
///     lambda_i F_l = grad U(q_l) + G(q_l)^T lambda(c_l h),         phi_j = sum_l b_l P_j(c_l) F_l p(ch) = p0 - h
///     sum_{j<s} I_j(c) phi_j
///
/// and the equations, in the unknowns gamma_j (velocities) and lambda_i, are
///
///     M gamma_i - delta_i0 p0 + h sum_{j<s} X_ij phi_j = 0                     i < s      (50), (54)
///     sum_l b_l P_i(c_l) G(q_l) q'(c_l h) + delta_i0 g(q0)/h = 0               i < r      i = 0: (51) divided by h
///     q1 = q0 + h gamma_0,    p1 = p0 - h phi_0                                           (52)
///
/// r = 1 is the paper. Energy: X + X^T = e_1 e_1^T and sum_j phi_j.gamma_j = sum_l b_l F_l.q'_l give
///     H1 - H0 = [U1 - U0 - h sum_l b_l grad U(q_l).q'_l] - h sum_{i<r} lambda_i.(sum_l b_l P_i(c_l) G(q_l) q'_l),
/// the first bracket is zero where the quadrature integrates grad U(q).q', of degree s deg U - 1, exactly, and the rest
/// by the constraint rows, whatever their quadrature error. The row i = 0 is [g(q1) - g(q0)]/h + O(h^2k), exact for k
/// >= s deg g/2; its last term takes the rounding errors of earlier steps out of g.
///
/// Orders, measured from starts with lambda' != 0: q has min(2s, 4 ceil(r/2)), that is 2r + 2 for odd and 2r for even
/// r; p has 2 ceil(r/2), because G q' is orthogonal to polynomials of degree r-1 only and G M^-1 p is left over at the
/// end; p projected onto G M^-1 p = 0 has the order of q.
///
/// Source: Brugnano, Gurioli, Iavernaro, Weinmueller: Line integral solution of Hamiltonian systems with holonomic
/// constraints, ASC Report 3/2018, (42)-(55). The printed I = P X holds for k = s only, P^T Omega I = X always. The
/// paper proves order 2 for q; with s >= 2 it is 4.

#include <algorithm>

#include "gnomon/plugin.hpp"
#include "gnomon/system_at.hpp"
#include "kernels/legendre.hpp"
#include "kernels/momentum_maps.hpp"
#include "kernels/predictor.hpp"
#include "kernels/requirements.hpp"
#include "kernels/step_scales.hpp"

namespace {

using namespace gnomon;

constexpr Index max_nodes = 20;

class LineIntegralEquations final : public TemplatedEquations<LineIntegralEquations> {
 public:
  LineIntegralEquations(const System& system, Index k, Index s, Index r)
      : system_(&system),
        at_(system),
        scales_(system),
        n_(system.n()),
        m_(system.m()),
        k_(k),
        s_(s),
        r_(m_ > 0 ? r : 0),
        table_(k, s),
        w_(table_.X * table_.P.transpose() * table_.b.asDiagonal()) {
    build_pattern();
    allocate(pattern_.cols);
    allocate_buffers(double_);
    allocate_buffers(dual_);
    for (Vector* v : {&q_, &work_, &phi0_, &qdot_, &tail_}) v->setZero(n_);
    for (Vector* v : {&lambda_, &g0_, &g_floor_}) v->setZero(m_);
    for (Vector* v : {&g_values_, &dg_values_}) v->setZero(system.constraint_pattern().nonzeros());
    hessian_values_.setZero(system.hessian_pattern().nonzeros());
  }

  const SparsityPattern& pattern() const override { return pattern_; }
  const std::vector<Block>& blocks() const override { return blocks_; }
  Index n() const { return n_; }
  Index m() const { return m_; }

  void begin(const State& z0, double h) {
    z0_ = &z0;
    h_ = h;
    scales_.update(z0, h);
    system_->constraints_compensated(z0.t, z0.q.value(), z0.q.tail(), g0_, g_values_);
    estimate_floor();
  }

  /// Start value: extrapolation, else a constant force with the multipliers of the last step.
  void predict(VectorRef x) {
    if (kernels::extrapolate(*z0_, h_, x)) return;
    const Vector& q0 = z0_->q.value();
    system_->potential_gradient(z0_->t, q0, phi0_);
    at_.constraint_force(z0_->t, q0, z0_->lambda, work_);
    phi0_ += work_;
    x.setZero();
    for (Index i = 0; i < s_; ++i) {
      work_ = (-h_ * table_.X(i, 0)) * phi0_;
      if (i == 0) work_ += z0_->p.value();
      system_->mass().solve(work_, q_);
      x.segment(i * n_, n_) = q_;
    }
    if (r_ > 0) x.segment(s_ * n_, m_) = z0_->lambda;
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    for (Index j = 0; j < s_; ++j) {
      columns.segment(j * n_, n_) = scales_.velocity();
      rows.segment(j * n_, n_) = scales_.dp();
    }
    for (Index i = 0; i < r_; ++i) {
      columns.segment(s_ * n_ + i * m_, m_) = scales_.lambda();
      rows.segment(s_ * n_ + i * m_, m_) = scales_.hidden();
    }
  }
  double rounding_floor() const override { return floor_; }

  /// phi_0 = sum_l b_l F_l at the solution.
  const Vector& mean_force(const ConstVectorRef& x) {
    auto& b = double_;
    phi0_.setZero();
    for (Index l = 0; l < k_; ++l) {
      node_position(x, l, b.q);
      force_at(x, l, b);
      phi0_ += table_.b[l] * b.force;
    }
    return phi0_;
  }

  template <class S>
  void evaluate(const VectorOf<S>& x, VectorOf<S>& f) {
    auto& b = buffers<S>();
    for (Index j = 0; j < s_; ++j) {
      b.q = x.segment(j * n_, n_);
      at_.mass_times(b.q, b.force);
      for (Index a = 0; a < n_; ++a) f[j * n_ + a] = b.force[a];
    }
    for (Index a = 0; a < n_; ++a) f[a] = (f[a] - z0_->p.value()[a]) - z0_->p.tail()[a];
    for (Index i = 0; i < r_; ++i)
      for (Index c = 0; c < m_; ++c) f[s_ * n_ + i * m_ + c] = S(i == 0 ? g0_[c] / h_ : 0.0);

    for (Index l = 0; l < k_; ++l) {
      node_position(x, l, b.q);
      force_at(x, l, b);
      for (Index i = 0; i < s_; ++i)
        for (Index a = 0; a < n_; ++a) f[i * n_ + a] += b.force[a] * (h_ * w_(i, l));
      if (r_ == 0) continue;
      node_velocity(x, l, b.force);
      constraint_rate_at(l, b);
      for (Index i = 0; i < r_; ++i)
        for (Index c = 0; c < m_; ++c) f[s_ * n_ + i * m_ + c] += b.g[c] * (table_.b[l] * table_.P(l, i));
    }
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    values.setZero();
    for (Index i = 0; i < s_; ++i) mass_[at(i)].add(values, system_->mass().values(), 1);
    for (Index l = 0; l < k_; ++l) {
      const double t = time_at(l), weight = table_.b[l];
      node_position(x, l, q_);
      node_multiplier(x, l, lambda_);
      node_velocity(x, l, qdot_);

      // d(M gamma_i + h sum_l W_il F_l): h^2 W_il I_lj (Hess U + lambda.Hess g)  and  h W_il P_lt G^T
      system_->lagrangian_hessian(t, q_, lambda_, hessian_values_);
      if (r_ > 0) {
        system_->constraint_jacobian(t, q_, g_values_);
        system_->constraint_jacobian_derivative(t, q_, qdot_, dg_values_);
      }
      for (Index i = 0; i < s_; ++i) {
        for (Index j = 0; j < s_; ++j)
          hessian_[at(i * s_ + j)].add(values, hessian_values_, h_ * h_ * w_(i, l) * table_.I(l, j));
        for (Index t_i = 0; t_i < r_; ++t_i)
          force_[at(i * r_ + t_i)].add(values, g_values_, h_ * w_(i, l) * table_.P(l, t_i));
      }
      // d(sum_l b_l P_li G q'): b_l P_li (P_lj G + h I_lj d(G q')/dq)
      for (Index i = 0; i < r_; ++i)
        for (Index j = 0; j < s_; ++j) {
          const double factor = weight * table_.P(l, i);
          constraint_[at(i * s_ + j)].add(values, g_values_, factor * table_.P(l, j));
          constraint_[at(i * s_ + j)].add(values, dg_values_, factor * h_ * table_.I(l, j));
        }
    }
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> q, force, work, lambda, g;
  };
  template <class S>
  Buffers<S>& buffers() {
    if constexpr (std::is_same_v<S, double>)
      return double_;
    else
      return dual_;
  }
  template <class S>
  void allocate_buffers(Buffers<S>& b) {
    for (auto* v : {&b.q, &b.force, &b.work}) v->resize(n_);
    for (auto* v : {&b.lambda, &b.g}) v->resize(m_);
  }
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  void build_pattern() {
    const SparsityPattern &g = system_->constraint_pattern(), &hessian = system_->hessian_pattern();
    const SparsityPattern& mass = system_->mass().pattern();
    const Index first = s_ * n_, size = first + r_ * m_;
    PatternBuilder builder(size, size);
    for (Index i = 0; i < s_; ++i) {
      blocks_.push_back({"gamma" + std::to_string(i), i * n_, n_});
      builder.add(mass, i * n_, i * n_);
      for (Index j = 0; j < s_; ++j) builder.add(hessian, i * n_, j * n_);
      for (Index t = 0; t < r_; ++t) {
        builder.add(g, i * n_, first + t * m_, true);
        builder.add(g, first + t * m_, i * n_);
      }
    }
    for (Index t = 0; t < r_; ++t) blocks_.push_back({"lambda" + std::to_string(t), first + t * m_, m_});
    pattern_ = builder.build();
    for (Index i = 0; i < s_; ++i) {
      mass_.emplace_back(pattern_, mass, i * n_, i * n_);
      for (Index j = 0; j < s_; ++j) hessian_.emplace_back(pattern_, hessian, i * n_, j * n_);
      for (Index t = 0; t < r_; ++t) force_.emplace_back(pattern_, g, i * n_, first + t * m_, true);
    }
    for (Index t = 0; t < r_; ++t)
      for (Index j = 0; j < s_; ++j) constraint_.emplace_back(pattern_, g, first + t * m_, j * n_);
  }

  double time_at(Index l) const { return z0_->t + table_.c[l] * h_; }
  /// out = q0 + h sum_j I_j(c_l) gamma_j, the increment summed first; tail_ = what rounding the sum took away
  template <class X, class Out>
  void node_position(const X& x, Index l, Out& out) {
    using S = typename Out::Scalar;
    out = z0_->q.tail().template cast<S>();
    for (Index j = 0; j < s_; ++j) out += x.segment(j * n_, n_) * S(h_ * table_.I(l, j));
    if constexpr (std::is_same_v<S, double>) tail_ = out;
    out += z0_->q.value().template cast<S>();
    if constexpr (std::is_same_v<S, double>) tail_ -= out - z0_->q.value();
  }
  /// out = sum_j P_j(c_l) gamma_j
  template <class X, class Out>
  void node_velocity(const X& x, Index l, Out& out) const {
    using S = typename Out::Scalar;
    out = x.head(n_) * S(table_.P(l, 0));
    for (Index j = 1; j < s_; ++j) out += x.segment(j * n_, n_) * S(table_.P(l, j));
  }
  /// out = sum_i P_i(c_l) lambda_i
  template <class X, class Out>
  void node_multiplier(const X& x, Index l, Out& out) const {
    using S = typename Out::Scalar;
    for (Index c = 0; c < m_; ++c) out[c] = S(0.0);
    for (Index i = 0; i < r_; ++i) out += x.segment(s_ * n_ + i * m_, m_) * S(table_.P(l, i));
  }
  /// b.force = grad U(q_l) + G(q_l)^T lambda(c_l), at b.q
  template <class X, class S>
  void force_at(const X& x, Index l, Buffers<S>& b) {
    at_.potential_gradient(time_at(l), b.q, b.force);
    if (r_ == 0) return;
    node_multiplier(x, l, b.lambda);
    at_.constraint_force(time_at(l), b.q, b.lambda, b.work);
    b.force += b.work;
    if constexpr (std::is_same_v<S, double>) {
      system_->constraint_hessian_times(time_at(l), b.q, b.lambda, tail_, b.work);
      b.force += b.work;
    }
  }
  /// b.g = G(q_l) q', at b.q. G belongs to q_l itself, not to its rounded value: the row takes back what a step
  /// errs in g, which costs the energy lambda.g, and with rounded q_l that was a walk of 1e-15 in 1e4 steps.
  template <class S>
  void constraint_rate_at(Index l, Buffers<S>& b) {
    at_.constraint_jacobian_times(time_at(l), b.q, b.force, b.g);
    if constexpr (std::is_same_v<S, double>) {
      system_->constraint_jacobian_derivative(time_at(l), b.q, b.force, dg_values_);
      multiply(system_->constraint_pattern(), dg_values_, tail_, b.lambda);
      b.g += b.lambda;
    }
  }

  /// The rows with G see q_l rounded to its last place: eps |Hess g||q| |q'| against their scale.
  void estimate_floor() {
    floor_ = 1e-15;
    if (r_ == 0) return;
    const SparsityPattern& g = system_->constraint_pattern();
    const auto speed = scales_.velocity();
    const auto hidden = scales_.hidden();
    system_->constraint_jacobian_derivative(z0_->t, z0_->q.value(), z0_->q.value(), dg_values_);
    for (Index i = 0; i < m_; ++i) {
      double size = 0;
      for (Index a = g.offsets[i]; a < g.offsets[i + 1]; ++a) size += std::abs(dg_values_[a]) * speed[g.indices[a]];
      g_floor_[i] = size / hidden[i];
    }
    floor_ += 1e-16 * g_floor_.maxCoeff();
  }

  const System* system_;
  SystemAt at_;
  kernels::StepScales scales_;
  Index n_, m_, k_, s_, r_;
  kernels::LegendreTable table_;
  Matrix w_;  // s x k, W = X P^T Omega
  std::vector<Block> blocks_;
  SparsityPattern pattern_;
  std::vector<BlockMap> mass_, hessian_, force_, constraint_;

  const State* z0_ = nullptr;
  double h_ = 0, floor_ = 1e-15;
  Buffers<double> double_;
  Buffers<Dual1> dual_;
  Vector q_, qdot_, tail_, work_, phi0_, lambda_, g0_, g_floor_, g_values_, dg_values_, hessian_values_;
};

class HbvmStep final : public StepEquations {
 public:
  HbvmStep(const System& system, Index k, Index s, Index r) : equations_(system, k, s, r) {
    x_.setZero(equations_.size());
    dq_.setZero(equations_.n());
    dp_.setZero(equations_.n());
    first_lambda_ = s * equations_.n();
  }

  Index n_systems() const override { return 1; }
  NonlinearEquations& system(Index) override { return equations_; }
  void prepare(State& z) const override { z.history.resize(equations_.size(), kernels::predictor_depth); }
  void begin(const State& z0, double h) override {
    h_ = h;
    equations_.begin(z0, h);
  }
  void predict(Index, VectorRef x) override { equations_.predict(x); }
  Next accept(Index, const ConstVectorRef& x) override {
    x_ = x;
    dq_ = h_ * x.head(equations_.n());
    dp_ = -h_ * equations_.mean_force(x_);
    return Next::advance;
  }
  /// lambda becomes the mean multiplier of the step, lambda_0.
  void finish(State& next) override {
    next.q.add(dq_);
    next.p.add(dp_);
    if (equations_.m() > 0) next.lambda = x_.segment(first_lambda_, equations_.m());
    kernels::remember(next, h_, x_);
    next.advance_time(h_);
  }

 private:
  LineIntegralEquations equations_;
  double h_ = 0;
  Index first_lambda_ = 0;
  Vector x_, dq_, dp_;
};

/// Nodes that integrate the derivative of a polynomial of this degree along q(t) exactly: 2k-1 >= s degree - 1.
Index exact_nodes(Index s, int degree) {
  return (s * degree + 1) / 2;
}
bool is_exact(Index k, Index s, int degree) {
  return degree != SystemTraits::not_polynomial && k >= exact_nodes(s, degree);
}

class Hbvm final : public Scheme {
 public:
  std::string name() const override { return "hbvm"; }
  std::string description() const override {
    return "line-integral method HBVM(k,s) with a polynomial multiplier; energy-exact for polynomials";
  }
  std::string source() const override {
    return "Brugnano, Gurioli, Iavernaro, Weinmueller, ASC Report 3/2018, (42)-(55)";
  }
  OptionSpecs options() const override {
    return {OptionSpec::integer("k", 0, 0, max_nodes,
                                "quadrature nodes, at least s; 0: the fewest that are exact for polynomial U and g, "
                                "s + 4 where they are not polynomial"),
            OptionSpec::integer("s", 2, 1, max_nodes, "degree of q(t) in a step"),
            OptionSpec::integer("r", 1, 1, max_nodes,
                                "coefficients of the multiplier, a polynomial of degree r - 1 in a step; at most s")};
  }
  Promises promises() const override {
    Promises p;
    p.order = 4;
    p.momentum_order = 2;
    p.energy = p.position = p.momentum = p.symmetric = true;
    return p;
  }
  Binding bind(const System& system, const Options& options) const override {
    kernels::require_conservative(*this, system);
    const Index s = options.integer("s"), r = options.integer("r");
    const SystemTraits& traits = system.traits();
    const int constraint_degree = system.m() > 0 ? traits.constraint_degree : 0;
    Index k = options.integer("k");
    if (k == 0) {
      k = s;
      for (const int degree : {traits.potential_degree, constraint_degree})
        k = std::max(k, degree == SystemTraits::not_polynomial ? s + 4 : exact_nodes(s, degree));
      k = std::min(k, max_nodes);
    }
    if (k < s)
      throw Error(ErrorCode::bad_value, "option k of scheme hbvm is " + std::to_string(k) +
                                            ", expected at least s = " + std::to_string(s) + " quadrature nodes");
    if (r > s)
      throw Error(ErrorCode::bad_value, "option r of scheme hbvm is " + std::to_string(r) + ", expected at most s = " +
                                            std::to_string(s) + " coefficients of the multiplier");
    Promises p;
    const bool constrained = system.m() > 0;
    const Index pairs = (r + 1) / 2;  // ceil(r/2)
    p.order = static_cast<int>(constrained ? std::min(2 * s, 4 * pairs) : 2 * s);
    p.momentum_order = static_cast<int>(constrained ? 2 * pairs : 2 * s);
    p.energy = is_exact(k, s, traits.potential_degree);
    p.position = is_exact(k, s, constraint_degree);
    p.momentum = k == s && kernels::symmetries_keep_constraints(system);
    p.symmetric = true;
    p.symplectic = !constrained && k == s;
    return {std::make_unique<HbvmStep>(system, k, s, r), p};
  }
};

}  // namespace

GNOMON_PLUGIN(hbvm) {
  registrar.add(std::make_unique<Hbvm>());
}
