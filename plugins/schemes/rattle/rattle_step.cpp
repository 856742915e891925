#include "rattle/rattle_step.hpp"

#include <cmath>

#include "gnomon/scheme/one_solve_step.hpp"
#include "kernels/common/energy_balance.hpp"
#include "kernels/common/extended_state.hpp"
#include "kernels/common/step_scales.hpp"
#include "rattle/multiplier_equations.hpp"
#include "rattle/rattle_equations.hpp"
#include "rattle/rattle_tangent.hpp"

namespace gnomon::kernels {
namespace {

/// The positions are among the unknowns, of M(q) the momenta, too: those of a constant M are the sums of
/// their impulses.
template <class Inertia>
struct StateUnknowns {
  using Middle = typename Inertia::Middle;
  using Positions = RattlePositions<Inertia>;
  using Momenta = RattleMomenta<Inertia>;
  static constexpr bool solves_positions = true, solves_momenta = !Inertia::constant_mass;
};
/// The multipliers are all the unknowns.
struct MultiplierUnknowns {
  using Middle = NoMiddle;
  using Positions = MultiplierPositions;
  using Momenta = MultiplierMomenta;
  static constexpr bool solves_positions = false, solves_momenta = false;
};

template <class Unknowns>
class RattleStep final : public StepEquations {
 public:
  explicit RattleStep(const System& system)
      : system_(&system),
        scales_(system),
        step_(system, scales_),
        positions_(system, step_, scales_),
        momenta_(system, step_, scales_),
        tangent_(system),
        times_(system),
        applied_(system) {
    const Index n = system.n(), m = system.m();
    if (Unknowns::solves_positions)
      for (Vector* v : {&dq_, &dp_, &work_}) v->setZero(n);
    if (applied_.active() || times_.moving()) velocity_.setZero(n);
    for (Vector* v : {&lambda_, &rate0_}) v->setZero(m);
    if (applied_.active())
      for (Vector* v : {&step_.force0, &step_.force1}) v->setZero(n);
    p_end_.set(Vector::Zero(n));
    x_.setZero(positions_.size() + momenta_.size());
  }

  Index n_systems() const override { return 2; }
  NonlinearEquations& system(Index k) override {
    if (k == 0) return positions_;
    return momenta_;
  }
  void prepare(State& z) const override { z.history.resize(x_.size(), predictor_depth); }

  void begin(const State& z0, double h) override {
    times_.begin(z0, h);
    scales_.update(z0, h);
    step_.begin(z0, h, times_.end());
    positions_.begin();
    if (changes_) tangent_.begin(*changes_);
  }

  void predict(Index solve, VectorRef x) override {
    if (solve == 0) {
      extrapolated_ = extrapolate(*step_.z0, step_.h, x_);
      if (extrapolated_)
        x = x_.head(positions_.size());
      else
        start_positions(x);
    } else if (extrapolated_) {
      x = x_.tail(momenta_.size());
    } else {
      x.setZero();
      x.tail(system_->m()) = step_.z0->lambda;
    }
  }

  Next accept(Index solve, const ConstVectorRef& x) override {
    const Index n = system_->n(), m = system_->m();
    const State& z0 = *step_.z0;
    if (solve == 0) {
      x_.head(positions_.size()) = x;
      const Vector& low = positions_.low();
      if constexpr (Unknowns::solves_positions) {
        dq_ = x.head(n);
        for (Index j = 0; j < n; ++j) step_.end.set_sum(j, z0.q, static_cast<Extended>(x[j]) + low[j]);
        if (applied_.active()) apply_force();
      }
      if constexpr (Unknowns::solves_momenta) {
        for (Index j = 0; j < n; ++j) step_.p_half.set_sum(j, z0.p, static_cast<Extended>(x[n + j]) + low[n + j]);
      } else if constexpr (Unknowns::solves_positions) {
        work_ = step_.gradient0;
        if (applied_.active()) work_ -= step_.force0;
        impulses(work_, step_.g_start, x.tail(m), low.tail(m),
                 [&](Index j, Extended impulse) { step_.p_half.set_sum(j, z0.p, impulse); });
      } else {
        drift(x, low);
      }
      step_.middle.begin(step_.p_half);
      step_.arrive();
      momenta_.begin(step_);
      if (changes_) tangent_.positions(positions_, x, linearised());
    } else {
      x_.tail(momenta_.size()) = x;
      const Vector& low = momenta_.low();
      const auto take = [&](Index j, Extended impulse) { p_end_.set_sum(j, step_.p_half, impulse); };
      if constexpr (Unknowns::solves_momenta)
        for (Index j = 0; j < n; ++j) take(j, static_cast<Extended>(x[j]) + low[j]);
      else
        impulses(step_.gradient1, step_.g_end, x.tail(m), low.tail(m), take);
      if (changes_) tangent_.momenta(momenta_, x, linearised());
    }
    return Next::advance;
  }

  void finish(State& next) override {
    if (applied_.active() || times_.moving()) book(next.work);
    next.q.swap(step_.end);
    next.p.swap(p_end_);
    next.lambda = x_.tail(system_->m());
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
  /// The explicit step with the multipliers of the last step.
  void start_positions(VectorRef x) {
    if constexpr (!Unknowns::solves_positions) {
      x = step_.z0->lambda;
    } else {
      const Index n = system_->n();
      const State& z0 = *step_.z0;
      auto& inertia = positions_.inertia();
      multiply_transposed(system_->constraint_pattern(), step_.g_start, z0.lambda, dp_);
      dp_ += step_.gradient0;
      inertia.add_gradient(z0.q.value(), z0.p.value(), dp_);
      if (applied_.active()) {
        inertia.velocity(z0.q.value(), z0.p.value(), velocity_);
        dp_ -= applied_(z0.t, z0.q.value(), velocity_);
      }
      work_ = z0.p.value() - 0.5 * step_.h * dp_;
      if (Unknowns::solves_momenta) x.segment(n, n) = -0.5 * step_.h * dp_;
      inertia.velocity(z0.q.value(), work_, dp_);
      x.head(n) = step_.h * dp_;
      x.tail(system_->m()) = z0.lambda;
    }
  }
  /// p_h, and q1 = q0 + h M^-1 p_h, M diagonal
  void drift(const ConstVectorRef& lambda, const ConstVectorRef& low) {
    const Compensated &p0 = step_.z0->p, &q0 = step_.z0->q;
    const double *const mass = system_->mass().diagonal_entries().data(), *const p = p0.value().data(),
                        *const tail = p0.tail().data();
    OverMass<Extended> time_over_mass(step_.h);
    impulses(step_.gradient0, step_.g_start, lambda, low, [&](Index j, Extended impulse) {
      step_.p_half.set_sum(j, p0, impulse);
      step_.end.set_sum(j, q0, ((impulse + tail[j]) + p[j]) * time_over_mass(mass[j]));
    });
  }
  /// Q at both ends with the velocity of the middle
  void apply_force() {
    velocity_ = dq_ / step_.h;
    step_.force0 = applied_(step_.z0->t, step_.z0->q.value(), velocity_);
    step_.force1 = applied_(step_.t1, step_.q1(), velocity_);
  }
  void book(Work& work) {
    const Vector& q0 = step_.z0->q.value();
    if (applied_.active()) {
      work.force += 0.5L * dq_.dot(step_.force0 + step_.force1);
    }
    if (!times_.moving()) return;
    work.potential += times_.potential_work(q0, step_.q1());
    velocity_.setZero();
    system_->constraint_velocity(step_.z0->t, q0, velocity_, rate0_);
    lambda_ = x_.segment(positions_.size() - system_->m(), system_->m());
    work.position += 0.5L * step_.h * (lambda_.dot(rate0_) + x_.tail(system_->m()).dot(step_.rate1));
  }
  /// take(j, -h/2 [gradient + G^T (lambda + low)]_j) for every j, at Extended
  template <class Take>
  void impulses(const Vector& gradient, const Vector& G, const ConstVectorRef& lambda, const ConstVectorRef& low,
                const Take& take) const {
    const Extended factor = -(0.5 * static_cast<Extended>(step_.h));
    const double *const high = lambda.data(), *const rest = low.data();
    step_.columns.sums(
        gradient, G, [&](int i) { return static_cast<Extended>(high[i]) + rest[i]; },
        [&](Index j, Extended force) { take(j, force * factor); });
  }
  RattleTangent::Step linearised() const {
    return {step_.z0->t, step_.t1, step_.h, step_.z0->q.value(), step_.q1(), step_.p_half.value()};
  }

  const System* system_;
  StepScales scales_;
  RattleFrame<typename Unknowns::Middle> step_;
  typename Unknowns::Positions positions_;
  typename Unknowns::Momenta momenta_;
  RattleTangent tangent_;
  StepTimes times_;
  AppliedForce applied_;
  Matrix* changes_ = nullptr;
  bool extrapolated_ = false;
  Vector x_, dq_, dp_, work_, velocity_, lambda_, rate0_;  // x_ = the unknowns of both systems
  Compensated p_end_;
};

}  // namespace

std::unique_ptr<StepEquations> rattle_step(const System& system) {
  if (system.parts().mass) return std::make_unique<RattleStep<StateUnknowns<ConfigurationRattleInertia>>>(system);
  if (!system.parts().force && MultiplierMatrix::suits(system))
    return std::make_unique<RattleStep<MultiplierUnknowns>>(system);
  return std::make_unique<RattleStep<StateUnknowns<ConstantRattleInertia>>>(system);
}

}  // namespace gnomon::kernels
