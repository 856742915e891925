#include "kernels/common/estimated_step.hpp"

namespace gnomon::kernels {

EndValueError::EndValueError(const System& system) : system_(&system), index1_(system), n_(system.n()) {
  for (Vector* v : {&v0_, &v1_, &q_, &p_, &a_, &slope_}) v->setZero(n_);
  lambda_.setZero(system.m());
}

void EndValueError::record(State& z, bool multipliers) {
  if (!prepared(z)) prepare(z);  // a state from before errors were estimated
  auto a = z.scheme_data.head(n_), slope = z.scheme_data.segment(n_, n_);
  lambda_ = z.lambda;
  const bool known = index1_.solve(z.t, z.q.value(), z.p.value(), lambda_, a, slope);
  z.scheme_data[2 * n_] = known ? 1 : 0;
  if (known && multipliers) z.lambda = lambda_;
}

bool EndValueError::estimate(const State& z0, const State& z1, VectorRef error_q, VectorRef error_v) {
  if (!known(z1)) return false;
  lambda_ = z0.lambda;
  if (known(z0)) {
    a_ = z0.scheme_data.head(n_);
    slope_ = z0.scheme_data.segment(n_, n_);
  } else if (!index1_.solve(z0.t, z0.q.value(), z0.p.value(), lambda_, a_, slope_)) {
    return false;
  }
  const auto a1 = z1.scheme_data.head(n_), slope1 = z1.scheme_data.segment(n_, n_);
  const double h = (z1.t - z0.t) + (z1.t_tail - z0.t_tail);

  system_->velocity(z0.q.value(), z0.p.value(), q_, v0_);
  system_->velocity(z1.q.value(), z1.p.value(), q_, v1_);
  error_q = (z1.q.value() - z0.q.value()) + (z1.q.tail() - z0.q.tail());
  error_q -= h / 2 * (v0_ + v1_) - h * h / 12 * (a1 - a_);

  if (system_->parts().mass) {
    error_v = v1_ - v0_;
  } else {
    p_ = (z1.p.value() - z0.p.value()) + (z1.p.tail() - z0.p.tail());
    system_->velocity(z1.q.value(), p_, q_, error_v);
  }
  error_v -= h / 6 * (a_ + a1);
  q_ = 0.5 * (z0.q.value() + z1.q.value()) + h / 8 * (v0_ - v1_);
  p_ = 0.5 * (z0.p.value() + z1.p.value()) + h / 8 * (slope_ - slope1);
  lambda_ = z1.lambda;
  if (!index1_.solve(z0.t + 0.5 * h, q_, p_, lambda_, a_, slope_)) return false;
  error_v -= 4 * h / 6 * a_;
  return true;
}

}  // namespace gnomon::kernels
