#include "gnomon/dense_output.hpp"

#include "gnomon/consistency.hpp"
#include "gnomon/error.hpp"

namespace gnomon {

StepInterpolant::StepInterpolant(const System& system) : system_(&system) {
  const SystemTraits& traits = system.traits();
  if (!traits.constant_mass || traits.n_obstacles > 0)
    throw Error(ErrorCode::refused, "system " + traits.name + " has " +
                                        (traits.constant_mass ? "obstacles" : "a mass that depends on q") +
                                        ", which dense output does not take");
  const Index n = system.n();
  c_.setZero(n, 6);
  for (Vector* x : {&v0_, &v1_, &a0_, &a1_}) x->setZero(n);
  lambda_.setZero(system.m());
}

void StepInterpolant::set(const State& z0, const State& z1) {
  const Vector &q0 = z0.q.value(), &q1 = z1.q.value();
  system_->mass().solve(z0.p.value(), v0_);
  system_->mass().solve(z1.p.value(), v1_);
  acceleration(*system_, z0.t, q0, v0_, a0_, lambda_);
  acceleration(*system_, z1.t, q1, v1_, a1_, lambda_);
  t0_ = z0.t;
  h_ = (z1.t - z0.t) + (z1.t_tail - z0.t_tail);
  // With d, u, w what is left of q1 - q0, h v1 and h^2 a1 / 2 after the terms of the start:
  //     c3 + c4 + c5 = d,   3 c3 + 4 c4 + 5 c5 = u,   3 c3 + 6 c4 + 10 c5 = w
  c_.col(0) = q0;
  c_.col(1) = h_ * v0_;
  c_.col(2) = h_ * h_ / 2 * a0_;
  const Vector d = ((q1 - q0) + (z1.q.tail() - z0.q.tail())) - c_.col(1) - c_.col(2);
  const Vector u = h_ * v1_ - c_.col(1) - 2 * c_.col(2);
  const Vector w = h_ * h_ / 2 * a1_ - c_.col(2);
  c_.col(3) = 10 * d - 4 * u + w;
  c_.col(4) = -15 * d + 7 * u - 2 * w;
  c_.col(5) = 6 * d - 3 * u + w;
}

void StepInterpolant::evaluate(double t, int k, VectorRef q, VectorRef p) const {
  if (k < 0 || k > 2)
    throw Error(ErrorCode::bad_value, "derivative " + std::to_string(k) + " of the solution is none of 0, 1 and 2");
  const double s = (t - t0_) / h_;
  // The k-th and the (k+1)-th derivative by s, scaled.
  const auto derivative = [&](int order) {
    Vector sum = Vector::Zero(c_.rows());
    for (int j = 5; j >= order; --j) {
      double factor = 1;
      for (int i = 0; i < order; ++i) factor *= (j - i) / h_;
      sum = sum * s + factor * c_.col(j);
    }
    return sum;
  };
  q = derivative(k);
  system_->mass().apply(derivative(k + 1), p);
}

}  // namespace gnomon
