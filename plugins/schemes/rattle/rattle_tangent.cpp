#include "rattle/rattle_tangent.hpp"

namespace gnomon::kernels {

void RattleTangent::begin(const Matrix& changes) {
  dq_ = changes.topRows(n_);
  dp_ = changes.bottomRows(n_);
}

void RattleTangent::positions(NonlinearEquations& equations, const ConstVectorRef& x, const Step& step) {
  const ImplicitChange solve(equations, x);
  const Matrix g0 = constraints(step.t0, step.q0), g1 = constraints(step.t1, step.q1);
  const Vector lambda = x.tail(m_);
  for (Index c = 0; c < dq_.cols(); ++c) {
    const Vector push = curvature(step.t0, step.q0, lambda, dq_.col(c));
    Vector known(x.size());
    if (system_->parts().mass) {
      const Kinetic start = kinetic(step.q0, step.p_half, c), end = kinetic(step.q1, step.p_half, c);
      known << -0.5 * step.h * (start.p + end.p), 0.5 * step.h * (push + start.q), g1 * dq_.col(c);
      const Vector dx = solve(known);
      dq_.col(c) += dx.head(n_);
      dp_.col(c) += dx.segment(n_, n_);
      continue;
    }
    if (x.size() == m_) {
      Vector dp = dp_.col(c) - 0.5 * step.h * push, dv(n_);
      system_->mass().solve(dp, dv);
      known = g1 * (dq_.col(c) + step.h * dv);
      dp -= 0.5 * step.h * (g0.transpose() * solve(known));
      system_->mass().solve(dp, dv);
      dq_.col(c) += step.h * dv;
      dp_.col(c) = dp;
      continue;
    }
    known << 0.5 * step.h * push - dp_.col(c), g1 * dq_.col(c);
    const Vector dx = solve(known);
    dq_.col(c) += dx.head(n_);
    dp_.col(c) -= 0.5 * step.h * (push + g0.transpose() * dx.tail(m_));
  }
}

void RattleTangent::momenta(NonlinearEquations& equations, const ConstVectorRef& x, const Step& step) {
  const ImplicitChange solve(equations, x);
  const bool only_multipliers = x.size() == m_;
  const Matrix g1 = constraints(step.t1, step.q1);
  const Vector mu = x.tail(m_);
  Vector p1 = step.p_half, v1(n_), t_q(n_);
  if (only_multipliers) {
    system_->potential_gradient(step.t1, step.q1, t_q);
    p1 -= 0.5 * step.h * (t_q + g1.transpose() * mu);
  }
  if (system_->parts().mass) p1 += x.head(n_);
  system_->velocity(step.q1, p1, t_q, v1);
  if (!system_->parts().mass && !only_multipliers) v1 += x.head(n_);
  const Matrix turn = constraint_turn(step.t1, step.q1, v1);
  for (Index c = 0; c < dq_.cols(); ++c) {
    const Vector push = curvature(step.t1, step.q1, mu, dq_.col(c)), dp = dp_.col(c);
    Vector dv(n_), known(x.size());
    if (system_->parts().mass) {
      known << 0.5 * step.h * (push + kinetic(step.q1, step.p_half, c).q),
          g1 * kinetic(step.q1, p1, c).p + turn * dq_.col(c);
      dp_.col(c) += solve(known).head(n_);
      continue;
    }
    if (only_multipliers) {
      const Vector half = dp - 0.5 * step.h * push;
      system_->mass().solve(half, dv);
      known = g1 * dv + turn * dq_.col(c);
      dp_.col(c) = half - 0.5 * step.h * (g1.transpose() * solve(known));
      continue;
    }
    system_->mass().solve(dp, dv);
    known << 0.5 * step.h * push, g1 * dv + turn * dq_.col(c);
    dp_.col(c) -= 0.5 * step.h * (push + g1.transpose() * solve(known).tail(m_));
  }
}

RattleTangent::Kinetic RattleTangent::kinetic(const Vector& q, const Vector& p, Index c) const {
  Kinetic out{Vector(n_), Vector(n_)};
  const Vector dq = dq_.col(c), dp = dp_.col(c);
  system_->parts().mass->kinetic_hessian_times(q, p, dq, dp, out.q, out.p);
  return out;
}

Matrix RattleTangent::constraints(double t, const Vector& q) const {
  Vector values(system_->constraint_pattern().nonzeros());
  system_->constraint_jacobian(t, q, values);
  return to_dense(system_->constraint_pattern(), values);
}

Matrix RattleTangent::constraint_turn(double t, const Vector& q, const Vector& v) const {
  Vector values(system_->constraint_pattern().nonzeros());
  system_->constraint_jacobian_derivative(t, q, v, values);
  return to_dense(system_->constraint_pattern(), values);
}

Vector RattleTangent::curvature(double t, const Vector& q, const Vector& lambda, const Vector& dq) const {
  Vector of_u(n_), of_g(n_);
  system_->potential_hessian_times(t, q, dq, of_u);
  system_->constraint_hessian_times(t, q, lambda, dq, of_g);
  return of_u + of_g;
}

}  // namespace gnomon::kernels
