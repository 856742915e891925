/// \file
/// constrained-trapezoidal: a plug-in scheme in one file, as a template for your own.
///
///     F1 = M dq/h - p0 - dp/2                                                  q1 = q0 + dq
///     F2 = dp + h/2 [grad U(q0) + grad U(q1) + (G(q0) + G(q1))^T lambda]       p1 = p0 + dp
///     F3 = g(q0) + (G(q0) + G(q1)) dq/2
///
/// x = [dq | dp | lambda]. g is at most quadratic: then F3 is g(q1), without cancellation. Where U is too, the averages
/// are the values at the midpoint and the energy is kept exactly. The Jacobian comes from dual numbers in evaluate().

#include <gnomon/model/system_at.hpp>
#include <gnomon/registry/plugin.hpp>
#include <gnomon/scheme/one_solve_step.hpp>
#include <gnomon/scheme/requirements.hpp>

namespace {
using namespace gnomon;

class Trapezoidal final : public TemplatedEquations<Trapezoidal> {
 public:
  explicit Trapezoidal(const System& system) : at_(system), root_(system.mass().diagonal_entries().cwiseSqrt()) {
    const Index n = system.n(), m = system.m();
    const SparsityPattern &g = system.constraint_pattern(), diagonal = SparsityPattern::diagonal(n);
    dq_ = layout_.unknown("dq", n), dp_ = layout_.unknown("dp", n), lambda_ = layout_.unknown("lambda", m);
    f1_ = layout_.rows(n), f2_ = layout_.rows(n), f3_ = layout_.rows(m);
    layout_.place(f1_, dq_, system.mass().pattern());
    layout_.place(f1_, dp_, diagonal);
    layout_.place(f2_, dq_, system.hessian_pattern());
    layout_.place(f2_, dp_, diagonal);
    layout_.place(f2_, lambda_, g, Layout::transposed);
    layout_.place(f3_, dq_, g);
    finish_layout();
    buffers_.for_each([&](auto& b) { b.u.setZero(n), b.force.setZero(n), b.row.setZero(m); });
    g0_.setZero(m), g_values_.setZero(g.nonzeros());
  }

  void begin(const State& z0, double h) {
    z0_ = &z0, h_ = h;
    at_.system().constraints_compensated(z0.t, z0.q.value(), z0.q.tail(), g0_, g_values_);
  }
  void predict(VectorRef x) { x << Vector::Zero(2 * dq_.size), z0_->lambda; }
  void scales(VectorRef columns, VectorRef rows) const override {
    columns << h_ * root_.cwiseInverse(), root_, Vector::Constant(lambda_.size, 1 / h_);
    rows << root_, root_, Vector::Constant(lambda_.size, h_);
  }
  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    auto& [q0, q1, dq, u, force, lambda, row] = buffers_.get<S>();
    dq = dq_(x), lambda = lambda_(x);
    q0 = z0_->q.value().template cast<S>();
    q1 = (dq + z0_->q.tail().template cast<S>()) + q0;
    at_.mass_times(dq, u);
    f1_(f) = u * S(1 / h_) - z0_->p.value().template cast<S>() - dp_(x) * S(0.5);
    f2_(f) = dp_(x), f3_(f) = g0_.template cast<S>();
    for (const auto& [t, q] : {std::pair{z0_->t, &q0}, std::pair{z0_->t + h_, &q1}}) {
      at_.potential_gradient(t, *q, u);
      at_.constraint_force(t, *q, lambda, force);
      f2_(f) += (u + force) * S(0.5 * h_);
      at_.constraint_jacobian_times(t, *q, dq, row);
      f3_(f) += row * S(0.5);
    }
  }
  void finish(const Vector& x, State& next) const { next.q.add(dq_(x)), next.p.add(dp_(x)), next.lambda = lambda_(x); }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> q0, q1, dq, u, force, lambda, row;
  };
  SystemAt at_;
  Vector root_, g0_, g_values_;
  Block dq_, dp_, lambda_, f1_, f2_, f3_;
  ForBothScalars<Buffers> buffers_;
  const State* z0_ = nullptr;
  double h_ = 0;
};

class ConstrainedTrapezoidal final : public MechanicalScheme {
  std::string name() const override { return "constrained-trapezoidal"; }
  std::string description() const override { return "trapezoidal rule for forces and constraint forces"; }
  std::string source() const override { return "the plug-in template of Gnomon"; }
  Promises promises() const override {
    Promises p;
    p.order = 2, p.energy = p.position = p.momentum = p.symmetric = true;
    return p;
  }
  Binding bind(const System& system, const Options&) const override {
    require_conservative(*this, system);
    require_quadratic_constraints(*this, system);
    Promises promised = promises();
    promised.energy = promised.momentum = quadratic_potential(system);
    return {std::make_unique<OneSolveStep<Trapezoidal>>(system), promised};
  }
};

}  // namespace

GNOMON_PLUGIN(constrained_trapezoidal) {
  registrar.add(std::make_unique<ConstrainedTrapezoidal>());
}
