/// \file
/// constrained-trapezoidal: a plug-in scheme in one file, as a template for your own.
///
///     q1 - q0 = h M^-1 (p0 + p1)/2
///     p1 - p0 = -h/2 [grad U(q0) + grad U(q1) + (G(q0) + G(q1))^T lambda]
///     0 = g(q1)
///
/// Unknowns x = [dq | dp | lambda], g at most quadratic: then g(q1) = g0 + (G(q0) + G(q1)) dq/2 exactly, a row without
/// cancellation. Where U is at most quadratic too the averages are the values at the midpoint, and the scheme keeps the
/// energy exactly; otherwise it errs at O(h^2).

#include <gnomon/model/system_at.hpp>
#include <gnomon/registry/plugin.hpp>

namespace {

using namespace gnomon;

class Equations final : public TemplatedEquations<Equations> {
 public:
  explicit Equations(const System& system) : system_(&system), at_(system), n_(system.n()), m_(system.m()) {
    const SparsityPattern &g = system.constraint_pattern(), &mass = system.mass().pattern();
    blocks_ = {{"dq", 0, n_}, {"dp", n_, n_}, {"lambda", 2 * n_, m_}};
    PatternBuilder builder(2 * n_ + m_, 2 * n_ + m_);
    builder.add(mass, 0, 0);
    builder.add(SparsityPattern::diagonal(n_), 0, n_);
    builder.add(system.hessian_pattern(), n_, 0);
    builder.add(SparsityPattern::diagonal(n_), n_, n_);
    builder.add(g, n_, 2 * n_, true);
    builder.add(g, 2 * n_, 0);
    pattern_ = builder.build();
    mass_ = BlockMap(pattern_, mass, 0, 0);
    half_ = BlockMap(pattern_, SparsityPattern::diagonal(n_), 0, n_);
    hessian_ = BlockMap(pattern_, system.hessian_pattern(), n_, 0);
    one_ = BlockMap(pattern_, SparsityPattern::diagonal(n_), n_, n_);
    force_ = BlockMap(pattern_, g, n_, 2 * n_, true);
    position_ = BlockMap(pattern_, g, 2 * n_, 0);
    allocate(2 * n_ + m_);
    ones_.setOnes(n_);
    root_ = system.mass().diagonal_entries().cwiseSqrt();
    q1_.setZero(n_);
    resize(double_);
    resize(dual_);
    u0_.setZero(n_);
    start_.setZero(m_);
    g0_.setZero(g.nonzeros());
    g1_.setZero(g.nonzeros());
    hessian_values_.setZero(system.hessian_pattern().nonzeros());
  }

  const SparsityPattern& pattern() const override { return pattern_; }
  const std::vector<Block>& blocks() const override { return blocks_; }

  void begin(const State& z0, double h) {
    z0_ = &z0;
    h_ = h;
    system_->potential_gradient(z0.t, z0.q.value(), u0_);
    system_->constraints_compensated(z0.t, z0.q.value(), z0.q.tail(), start_, g1_);
    system_->constraint_jacobian(z0.t, z0.q.value(), g0_);
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    columns << h_ * root_.cwiseInverse(), root_, Vector::Constant(m_, 1 / h_);
    rows << root_, root_, Vector::Constant(m_, h_);
  }

  template <class S>
  void evaluate(const VectorOf<S>& x, VectorOf<S>& f) {
    auto& [dq, dp, lambda, q0, p0, q1, mdq, u1, force0, force1, g0dq, g1dq] = buffers<S>();
    dq = x.head(n_);
    dp = x.segment(n_, n_);
    lambda = x.tail(m_);
    q0 = z0_->q.value().template cast<S>();
    p0 = z0_->p.value().template cast<S>();
    q1 = (dq + z0_->q.tail().template cast<S>()) + q0;
    at_.mass_times(dq, mdq);
    at_.potential_gradient(z0_->t + h_, q1, u1);
    at_.constraint_force(z0_->t, q0, lambda, force0);
    at_.constraint_force(z0_->t + h_, q1, lambda, force1);
    at_.constraint_jacobian_times(z0_->t, q0, dq, g0dq);
    at_.constraint_jacobian_times(z0_->t + h_, q1, dq, g1dq);
    f.head(n_) = mdq * S(1 / h_) - p0 - dp * S(0.5);
    f.segment(n_, n_) = dp + (u0_.template cast<S>() + u1 + force0 + force1) * S(0.5 * h_);
    f.tail(m_) = start_.template cast<S>() + (g0dq + g1dq) * S(0.5);
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    q1_ = (x.head(n_) + z0_->q.tail()) + z0_->q.value();
    values.setZero();
    mass_.add(values, system_->mass().values(), 1 / h_);
    half_.add(values, ones_, -0.5);
    system_->lagrangian_hessian(z0_->t + h_, q1_, x.tail(m_), hessian_values_);
    hessian_.add(values, hessian_values_, 0.5 * h_);
    one_.add(values, ones_, 1);
    system_->constraint_jacobian(z0_->t + h_, q1_, g1_);
    force_.add(values, g0_, 0.5 * h_);
    force_.add(values, g1_, 0.5 * h_);
    position_.add(values, g1_, 1);
  }

 private:
  /// Everything a step needs is allocated at the start.
  template <class S>
  struct Buffers {
    VectorOf<S> dq, dp, lambda, q0, p0, q1, mdq, u1, force0, force1, g0dq, g1dq;
  };
  template <class S>
  Buffers<S>& buffers() {
    if constexpr (std::is_same_v<S, double>)
      return double_;
    else
      return dual_;
  }
  template <class S>
  void resize(Buffers<S>& b) {
    for (auto* v : {&b.dq, &b.dp, &b.q0, &b.p0, &b.q1, &b.mdq, &b.u1, &b.force0, &b.force1}) v->resize(n_);
    for (auto* v : {&b.lambda, &b.g0dq, &b.g1dq}) v->resize(m_);
  }

  Buffers<double> double_;
  Buffers<Dual1> dual_;
  Vector root_, q1_;
  const System* system_;
  SystemAt at_;
  Index n_, m_;
  std::vector<Block> blocks_;
  SparsityPattern pattern_;
  BlockMap mass_, half_, hessian_, one_, force_, position_;
  const State* z0_ = nullptr;
  double h_ = 0;
  Vector ones_, u0_, start_, g0_, g1_, hessian_values_;
};

class Step final : public StepEquations {
 public:
  explicit Step(const System& system) : n_(system.n()), m_(system.m()), equations_(system), system_(&system) {
    x_.setZero(equations_.size());
    v_.setZero(n_);
  }
  Index n_systems() const override { return 1; }
  NonlinearEquations& system(Index) override { return equations_; }
  void prepare(State&) const override {}
  void begin(const State& z0, double h) override {
    z0_ = &z0;
    h_ = h;
    equations_.begin(z0, h);
  }
  void predict(Index, VectorRef x) override {
    system_->mass().solve(z0_->p.value(), v_);
    x << h_ * v_, Vector::Zero(n_), z0_->lambda;
  }
  Next accept(Index, const ConstVectorRef& x) override {
    x_ = x;
    return Next::advance;
  }
  void finish(State& next) override {
    next.q.add(x_.head(n_));
    next.p.add(x_.segment(n_, n_));
    next.lambda = x_.tail(m_);
    next.advance_time(h_);
  }

 private:
  Index n_, m_;
  Equations equations_;
  const System* system_;
  const State* z0_ = nullptr;
  double h_ = 0;
  Vector x_, v_;
};

class ConstrainedTrapezoidal final : public Scheme {
 public:
  std::string name() const override { return "constrained-trapezoidal"; }
  std::string description() const override { return "trapezoidal rule for forces and constraint forces"; }
  std::string source() const override { return "the plug-in template of Gnomon"; }
  Promises promises() const override {
    Promises p;
    p.order = 2;
    p.position = p.symmetric = true;
    return p;
  }
  Binding bind(const System& system, const Options&) const override {
    const SystemTraits& traits = system.traits();
    const auto quadratic = [](int degree) { return degree != SystemTraits::not_polynomial && degree <= 2; };
    if (!traits.constant_mass || traits.has_force || traits.time_dependent || !quadratic(traits.constraint_degree))
      throw Error(
          ErrorCode::refused,
          "scheme constrained-trapezoidal takes conservative systems with constant mass and quadratic constraints");
    Promises promised = promises();
    promised.energy = promised.momentum = quadratic(traits.potential_degree);
    return {std::make_unique<Step>(system), promised};
  }
};

}  // namespace

GNOMON_PLUGIN(constrained_trapezoidal) {
  registrar.add(std::make_unique<ConstrainedTrapezoidal>());
}
