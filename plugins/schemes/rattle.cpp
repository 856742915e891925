/// \file
/// rattle: the symplectic baseline, in two systems solved in order.
///
///     positions  x = [dq | lambda]:   M dq/h - p0 + h/2 (F0 + G0^T lambda) = 0,    g(q1,t1) = 0
///     momenta    x = [dv | mu]:       M dv + h/2 (F1 + G1^T mu) = 0,               G1 (v_h + dv) + g_t(q1,t1) = 0
///     p_h = p0 - h/2 (F0 + G0^T lambda),  v_h = M^-1 p_h = dq/h,   p1 = p_h - h/2 (F1 + G1^T mu)
///     F0 = grad U(q0,t0) - Q(q0, dq/h, t0),   F1 = grad U(q1,t1) - Q(q1, dq/h, t1)
///
/// A force Q(q,v,t) has the velocity of the middle at both ends, which is symmetric: implicit in dq in the first half,
/// known in the second one. Its work is booked by the trapezoidal rule, dq.(Q0 + Q1)/2, of U and g that depend on time
/// by D_t U (kernels/common/ledger.hpp) and h (lambda.g_t(q0,t0) + mu.g_t(q1,t1))/2: of order 2, as the energy.
///
/// Order 2, symmetric, without forces symplectic; both constraint levels and the momentum maps are exact, the energy
/// oscillates at O(h^2). Source: Andersen, J. Comput. Phys. 52 (1983); Leimkuhler, Skeel, J. Comput. Phys. 112 (1994).

#include "gnomon/model/system_at.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/scheme/one_solve_step.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "kernels/common/extended_state.hpp"
#include "kernels/common/ledger.hpp"
#include "kernels/common/step_scales.hpp"
#include "rattle/rattle_tangent.hpp"

namespace {

using namespace gnomon;

/// What both systems read.
struct StepData {
  const State* z0 = nullptr;
  double h = 0, t1 = 0;
  Vector kick0;           ///< grad U(q0), without the force
  Vector q1;              ///< positions at the end, rounded
  Vector force0, force1;  ///< Q at both ends, empty without one
  Compensated p_half;
  kernels::StartVelocity v_half;

  explicit StepData(const System& system) : v_half(system) {
    for (Vector* v : {&kick0, &q1}) v->setZero(system.n());
    p_half.set(q1);
  }
};

class Positions final : public TemplatedEquations<Positions, true> {
 public:
  Positions(const System& system, const StepData& step, const kernels::StepScales& scales)
      : system_(&system),
        at_(system),
        step_(&step),
        scales_(&scales),
        n_(system.n()),
        m_(system.m()),
        quadratic_(quadratic_constraints(system)),
        applied_(system) {
    const SparsityPattern& g = system.constraint_pattern();
    const Block dq = layout_.unknown("dq", n_), lambda = layout_.unknown("lambda", m_);
    const Block balance = layout_.rows(n_), position = layout_.rows(m_);
    layout_.place(mass_, balance, dq, system.mass().pattern());
    layout_.place(force_, balance, lambda, g, Layout::transposed);
    layout_.place(position_, position, dq, g);
    applied_.place(layout_, applied_place_, balance, dq);
    finish_layout();
    v_.setZero(n_);
    q1_.setZero(n_);
    g0_.setZero(m_);
    g_start_.setZero(g.nonzeros());
    g_end_.setZero(g.nonzeros());
    buffers_.for_each([&](auto& b) {
      for (auto* v : {&b.dq, &b.qm, &b.mdq, &b.rate}) v->setZero(n_);
      for (auto* v : {&b.lambda, &b.g}) v->setZero(m_);
    });
  }

  void begin() {
    const State& z0 = *step_->z0;
    system_->constraint_jacobian(z0.t, z0.q.value(), g_start_);
    // g(q0,t1) is where the rows of moving constraints start from
    const double t = system_->parts().time_dependence ? step_->t1 : z0.t;
    system_->constraints_compensated(t, z0.q.value(), z0.q.tail(), g0_, g_end_);
  }
  const Vector& constraint_jacobian() const { return g_start_; }

  void scales(VectorRef columns, VectorRef rows) const override {
    columns.head(n_) = scales_->dq();
    columns.tail(m_) = scales_->lambda();
    rows.head(n_) = scales_->dp();
    rows.tail(m_) = scales_->position();
  }
  double rounding_floor() const override { return 1e-15 + (quadratic_ ? 0 : scales_->position_floor()); }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    auto& b = buffers_.get<S>();
    const State& z0 = *step_->z0;
    const double h = step_->h;
    b.dq = x.head(n_);
    b.lambda = x.tail(m_);
    at_.mass_times(b.dq, b.mdq);
    for (Index j = 0; j < n_; ++j)
      f[j] = ((b.mdq[j] / S(h) - z0.p.value()[j]) - z0.p.tail()[j]) + S(0.5 * h) * step_->kick0[j];
    const SparsityPattern& g = system_->constraint_pattern();
    for (Index i = 0; i < m_; ++i)
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) f[g.indices[k]] += b.lambda[i] * (0.5 * h) * g_start_[k];

    if (applied_.active()) {
      b.rate = b.dq / S(h);
      b.qm = z0.q.tail().template cast<S>() + z0.q.value().template cast<S>();
      const auto& force = applied_(z0.t, b.qm, b.rate);
      for (Index j = 0; j < n_; ++j) f[j] -= force[j] * S(0.5 * h);
    }

    // For quadratic g: g(q1) = g0 + G(q0 + dq/2) dq, without cancellation.
    const double fraction = quadratic_ ? 0.5 : 1;
    b.qm = (b.dq * fraction + z0.q.tail().template cast<S>()) + z0.q.value().template cast<S>();
    if (quadratic_) {
      at_.constraint_jacobian_times(step_->t1, b.qm, b.dq, b.g);
      b.g += g0_.template cast<S>();
    } else {
      at_.constraints(step_->t1, b.qm, b.g);
    }
    for (Index i = 0; i < m_; ++i) f[n_ + i] = b.g[i];
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    const State& z0 = *step_->z0;
    q1_ = (x.head(n_) + z0.q.tail()) + z0.q.value();
    values.setZero();
    mass_.add(values, system_->mass().values(), 1 / step_->h);
    force_.add(values, g_start_, 0.5 * step_->h);
    system_->constraint_jacobian(step_->t1, q1_, g_end_);
    position_.add(values, g_end_, 1);
    if (!applied_.active()) return;
    v_ = x.head(n_) / step_->h;
    applied_.linearise(z0.t, z0.q.value(), v_);
    applied_.add(applied_place_, 0, -0.5, values);
  }

 private:
  template <class S>
  struct Buffers {
    VectorOf<S> dq, qm, mdq, rate, lambda, g;
  };

  const System* system_;
  SystemAt at_;
  const StepData* step_;
  const kernels::StepScales* scales_;
  Index n_, m_;
  bool quadratic_;
  kernels::AppliedForce applied_;
  kernels::AppliedForce::Place applied_place_;
  BlockMap mass_, force_, position_;
  ForAllScalars<Buffers> buffers_;
  Vector q1_, v_, g0_, g_start_, g_end_;
};

/// Linear in its unknowns.
class Momenta final : public TemplatedEquations<Momenta, true> {
 public:
  Momenta(const System& system, const StepData& step, const kernels::StepScales& scales)
      : system_(&system), at_(system), step_(&step), scales_(&scales), n_(system.n()), m_(system.m()) {
    const SparsityPattern& g = system.constraint_pattern();
    const Block dv = layout_.unknown("dv", n_), mu = layout_.unknown("mu", m_);
    const Block balance = layout_.rows(n_), hidden = layout_.rows(m_);
    layout_.place(mass_, balance, dv, system.mass().pattern());
    layout_.place(force_, balance, mu, g, Layout::transposed);
    layout_.place(hidden_, hidden, dv, g);
    finish_layout();
    for (Vector* v : {&kick1_, &rest_}) v->setZero(n_);
    rate1_.setZero(m_);
    for (auto* buffer : {&dv_, &mdv_}) buffer->for_each([&](auto& v) { v.resize(n_); });
    g_end_.setZero(g.nonzeros());
  }

  void begin() {
    system_->potential_gradient(step_->t1, step_->q1, kick1_);
    system_->constraint_jacobian(step_->t1, step_->q1, g_end_);
    if (step_->force1.size() > 0) kick1_ -= step_->force1;
    if (system_->parts().time_dependence) system_->constraint_velocity(step_->t1, step_->q1, rest_, rate1_);
  }
  /// F1
  const Vector& kick() const { return kick1_; }
  const Vector& constraint_rate() const { return rate1_; }
  const Vector& constraint_jacobian() const { return g_end_; }

  void scales(VectorRef columns, VectorRef rows) const override {
    columns.head(n_) = scales_->velocity();
    columns.tail(m_) = scales_->lambda();
    rows.head(n_) = scales_->dp();
    rows.tail(m_) = scales_->hidden();
  }

  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    const double h = step_->h;
    const SparsityPattern& g = system_->constraint_pattern();
    const auto& v_half = step_->v_half.template at<S>();
    VectorOf<S>&dv = dv_.get<S>(), &mdv = mdv_.get<S>();
    dv = x.head(n_);
    at_.mass_times(dv, mdv);
    for (Index j = 0; j < n_; ++j) f[j] = mdv[j] + S(0.5 * h) * kick1_[j];
    for (Index i = 0; i < m_; ++i) {
      S sum(rate1_[i]);
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) {
        const Index j = g.indices[k];
        f[j] += x[n_ + i] * (0.5 * h) * g_end_[k];
        sum += (dv[j] + S(v_half[j])) * g_end_[k];
      }
      f[n_ + i] = sum;
    }
  }

  void jacobian(const ConstVectorRef&, VectorRef values) override {
    values.setZero();
    mass_.add(values, system_->mass().values(), 1);
    force_.add(values, g_end_, 0.5 * step_->h);
    hidden_.add(values, g_end_, 1);
  }

 private:
  const System* system_;
  SystemAt at_;
  const StepData* step_;
  const kernels::StepScales* scales_;
  Index n_, m_;
  BlockMap mass_, force_, hidden_;
  Vector kick1_, rest_, rate1_, g_end_;
  ForAllScalars<VectorOf> dv_, mdv_;
};

class RattleStep final : public StepEquations {
 public:
  explicit RattleStep(const System& system)
      : system_(&system),
        step_(system),
        scales_(system),
        positions_(system, step_, scales_),
        momenta_(system, step_, scales_),
        tangent_(system),
        times_(system),
        applied_(system) {
    const Index n = system.n(), m = system.m();
    for (Vector* v : {&dp_, &work_, &velocity_}) v->setZero(n);
    for (Vector* v : {&lambda_, &rate0_}) v->setZero(m);
    if (applied_.active())
      for (Vector* v : {&step_.force0, &step_.force1}) v->setZero(n);
    for (auto* v : {&impulse_, &force_}) v->setZero(n);
    multipliers_.setZero(m);
    x_.setZero(2 * (n + m));
    dq_low_.setZero(n);
  }

  Index n_systems() const override { return 2; }
  NonlinearEquations& system(Index k) override {
    if (k == 0) return positions_;
    return momenta_;
  }
  void prepare(State& z) const override { z.history.resize(x_.size(), predictor_depth); }

  void begin(const State& z0, double h) override {
    step_.z0 = &z0;
    step_.h = h;
    times_.begin(z0, h);
    step_.t1 = times_.end();
    scales_.update(z0, h);
    system_->potential_gradient(z0.t, z0.q.value(), step_.kick0);
    positions_.begin();
    if (changes_) tangent_.begin(*changes_);
  }

  void predict(Index solve, VectorRef x) override {
    const Index n = system_->n(), m = system_->m();
    const State& z0 = *step_.z0;
    if (solve == 0) {
      extrapolated_ = extrapolate(z0, step_.h, x_);
      if (extrapolated_) {
        x = x_.head(n + m);
        return;
      }
      multiply_transposed(system_->constraint_pattern(), positions_.constraint_jacobian(), z0.lambda, dp_);
      dp_ += step_.kick0;
      if (applied_.active()) {
        system_->mass().solve(z0.p.value(), velocity_);
        dp_ -= applied_(z0.t, z0.q.value(), velocity_);
      }
      work_ = z0.p.value() - 0.5 * step_.h * dp_;
      system_->mass().solve(work_, dp_);
      x.head(n) = step_.h * dp_;
      x.tail(m) = z0.lambda;
    } else if (extrapolated_) {
      x = x_.tail(n + m);
    } else {
      x.head(n).setZero();
      x.tail(m) = z0.lambda;
    }
  }

  Next accept(Index solve, const ConstVectorRef& x) override {
    const Index n = system_->n(), m = system_->m();
    const State& z0 = *step_.z0;
    if (solve == 0) {
      x_.head(n + m) = x;
      dq_low_ = positions_.low().head(n);
      step_.q1 = (x.head(n) + z0.q.tail()) + z0.q.value();
      if (applied_.active()) apply_force(x);
      work_ = step_.kick0;
      if (applied_.active()) work_ -= step_.force0;
      set_impulse(work_, positions_.constraint_jacobian(), x.tail(m), positions_.low().tail(m));
      step_.p_half = z0.p;
      kernels::add(step_.p_half, impulse_, work_);
      step_.v_half.begin(step_.p_half);
      momenta_.begin();
      if (changes_) tangent_.positions(positions_, x, linearised_at(step_.v_half.at<double>()));
    } else {
      x_.tail(n + m) = x;
      set_impulse(momenta_.kick(), momenta_.constraint_jacobian(), x.tail(m), momenta_.low().tail(m));
      if (changes_) tangent_.momenta(momenta_, x, linearised_at(step_.v_half.at<double>() + x.head(n)));
    }
    return Next::advance;
  }

  void finish(State& next) override {
    next.q.add(x_.head(system_->n()));
    next.q.add(dq_low_);
    next.p = step_.p_half;
    kernels::add(next.p, impulse_, work_);
    next.lambda = x_.tail(system_->m());
    if (applied_.active() || times_.moving()) book(next.work);
    remember(next, step_.h, x_);
    next.advance_time(step_.h);
    if (changes_) tangent_.finish(*changes_);
  }

  bool differentiate(Matrix* changes) override {
    if (applied_.active() || times_.moving()) return false;
    changes_ = changes;
    return true;
  }

 private:
  /// Q at both ends with the velocity of the middle
  void apply_force(const ConstVectorRef& x) {
    velocity_ = x.head(system_->n()) / step_.h;
    step_.force0 = applied_(step_.z0->t, step_.z0->q.value(), velocity_);
    step_.force1 = applied_(step_.t1, step_.q1, velocity_);
  }
  void book(Work& work) {
    const Vector& q0 = step_.z0->q.value();
    if (applied_.active()) {
      work_ = x_.head(system_->n());
      work.force += 0.5L * work_.dot(step_.force0 + step_.force1);
    }
    if (!times_.moving()) return;
    work.potential += times_.potential_work(q0, step_.q1);
    velocity_.setZero();
    system_->constraint_velocity(step_.z0->t, q0, velocity_, rate0_);
    lambda_ = x_.segment(system_->n(), system_->m());
    work.position += 0.5L * step_.h * (lambda_.dot(rate0_) + x_.tail(system_->m()).dot(momenta_.constraint_rate()));
  }
  /// impulse <- -h/2 (grad U + G^T (lambda + low)), at Extended
  void set_impulse(const Vector& gradient, const Vector& G, const ConstVectorRef& lambda, const ConstVectorRef& low) {
    multipliers_ = lambda.cast<Extended>() + low.cast<Extended>();
    force_ = gradient.cast<Extended>();
    const SparsityPattern& g = system_->constraint_pattern();
    for (Index i = 0; i < g.rows; ++i)
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) force_[g.indices[k]] += G[k] * multipliers_[i];
    impulse_ = -(0.5 * static_cast<Extended>(step_.h)) * force_;
  }
  kernels::RattleTangent::Step linearised_at(const Vector& v) const {
    return {step_.z0->t, step_.t1, step_.h, step_.z0->q.value(), step_.q1, v};
  }

  const System* system_;
  StepData step_;
  kernels::StepScales scales_;
  Positions positions_;
  Momenta momenta_;
  kernels::RattleTangent tangent_;
  kernels::StepTimes times_;
  kernels::AppliedForce applied_;
  Matrix* changes_ = nullptr;
  bool extrapolated_ = false;
  Vector x_, dq_low_, dp_, work_, velocity_, lambda_, rate0_;  // x_ = [dq | lambda | dv | mu]
  VectorOf<Extended> impulse_, force_, multipliers_;
};

class Rattle final : public MechanicalScheme {
 public:
  std::string name() const override { return "rattle"; }
  std::string description() const override { return "RATTLE: symplectic, both constraint levels; energy bounded"; }
  std::string source() const override {
    return "Andersen, J. Comput. Phys. 52 (1983); Leimkuhler, Skeel, J. Comput. Phys. 112 (1994)";
  }
  Promises promises() const override {
    Promises p;
    p.order = 2;
    p.position = p.hidden = p.momentum = p.symmetric = p.symplectic = p.variable_steps = true;
    return p;
  }
  Binding bind(const System& system, const Options&) const override {
    require_ledger(*this, system);
    return {std::make_unique<RattleStep>(system), ledger_promises(system, promises())};
  }
};

}  // namespace

GNOMON_PLUGIN(rattle) {
  registrar.add(std::make_unique<Rattle>());
}
