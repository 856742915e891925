#include "hbvm/hbvm_step.hpp"

#include "gnomon/scheme/one_solve_step.hpp"
#include "hbvm/hbvm_equations.hpp"
#include "kernels/common/extended_state.hpp"
#include "kernels/common/index1_multipliers.hpp"

namespace gnomon::kernels {
namespace {

/// What output=projected adds: the state shows P(q) p and the index-1 multipliers, while the scheme goes on from its
/// own p, which State::scheme_data keeps as [value | tail].
class HbvmStep final : public OneSolveStep<HbvmEquations> {
 public:
  HbvmStep(const System& system, Index k, Index s, Index r, bool printed, bool projected)
      : OneSolveStep(system, k, s, r, printed),
        system_(&system),
        projection_(system),
        projected_(projected && system.m() > 0) {
    for (Vector* v : {&dq_, &dp_, &p_}) v->setZero(system.n());
    for (auto* d : {&q_increment_, &p_increment_}) d->setZero(system.n());
    raw_.set(p_);
  }

  void prepare(State& z) const override {
    OneSolveStep::prepare(z);
    if (!projected_) return;
    z.scheme_data.resize(2 * equations_.n());
    z.scheme_data << z.p.value(), z.p.tail();
  }
  Index carried_arguments(const State&) const override { return projected_ ? equations_.n() : 0; }
  void begin(const State& z0, double h) override {
    OneSolveStep::begin(z0, h);
    if (!projected_) return;
    const Index n = equations_.n();
    raw_.set(z0.scheme_data.head(n));
    raw_.add(z0.scheme_data.tail(n));
    equations_.set_momentum(raw_);
  }
  /// projected: p and lambda of the state are not the scheme's own, except where G has lost rank.
  void finish(State& next) override {
    equations_.increments(x_, q_increment_, p_increment_);
    add(next.q, q_increment_, dq_);
    OneSolveStep::finish(next);
    if (!projected_) return add(next.p, p_increment_, dp_);
    add(raw_, p_increment_, dp_);
    next.scheme_data << raw_.value(), raw_.tail();
    p_ = raw_.value();
    projection_.project(next.t, next.q.value(), p_, next.lambda);
    next.p.set(p_);
  }
  /// What the scheme conserves with H: the energy of its own momentum above that of the projected one, T(p) - T(P p) =
  /// (p - P p).M^-1 (p + P p)/2.
  long double added_energy(const State& z) override {
    if (!projected_) return 0;
    const Index n = equations_.n();
    dp_ = (z.scheme_data.head(n) - z.p.value()) + z.scheme_data.tail(n);
    p_ = z.scheme_data.head(n) + z.p.value();
    system_->mass().solve(p_, dq_);
    return 0.5L * dp_.dot(dq_);
  }

 private:
  const System* system_;
  Index1Multipliers projection_;
  bool projected_;
  Compensated raw_;
  VectorOf<Extended> q_increment_, p_increment_;
  Vector dq_, dp_, p_;
};

}  // namespace

std::unique_ptr<StepEquations> hbvm_step(const System& system, Index k, Index s, Index r, bool printed,
                                         bool projected) {
  return std::make_unique<HbvmStep>(system, k, s, r, printed, projected);
}

}  // namespace gnomon::kernels
