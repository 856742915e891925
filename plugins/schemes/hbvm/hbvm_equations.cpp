#include "hbvm/hbvm_equations.hpp"

#include <algorithm>
#include <string>

namespace gnomon::kernels {

HbvmEquations::HbvmEquations(const System& system, Index k, Index s, Index r, bool printed)
    : system_(&system),
      at_(system),
      scales_(system),
      applied_(system),
      friction_(system),
      frame_(system, k, s, r),
      inverse_(system, frame_),
      n_(system.n()),
      m_(system.m()),
      s_(s),
      r_(frame_.r()),
      printed_(printed),
      w_(frame_.table.row_weights()) {
  lay_out();
  buffers_.for_each([&](auto& b) {
    for (auto* v : {&b.q, &b.force, &b.work}) v->setZero(n_);
    for (auto* v : {&b.lambda, &b.g}) v->setZero(m_);
    b.phi.setZero(s_ * n_);
  });
  for (Vector* v : {&q_, &work_, &force_, &qdot_}) v->setZero(n_);
  lambda_.setZero(m_);
  for (Vector* v : {&g_values_, &dg_values_, &rate_values_}) v->setZero(system.constraint_pattern().nonzeros());
  hessian_values_.setZero(system.hessian_pattern().nonzeros());
}

void HbvmEquations::begin(const State& z0, double h) {
  p0_ = &z0.p;
  scales_.update(z0, h);
  frame_.begin(z0, h);
  floor_ = frame_.rounding_floor(scales_);
}

void HbvmEquations::predict(VectorRef x) {
  const State& z0 = frame_.z0();
  const Vector& q0 = z0.q.value();
  system_->potential_gradient(z0.t, q0, force_);
  at_.constraint_force(z0.t, q0, z0.lambda, work_);
  force_ += work_;
  if (applied_.active()) {
    system_->mass().solve(p0_->value(), q_);
    force_ -= applied_(z0.t, q0, q_);
  }
  x.setZero();
  for (Index i = 0; i < s_; ++i) {
    work_ = (-frame_.h() * frame_.table.X(i, 0)) * force_;
    if (i == 0) work_ += p0_->value();
    system_->mass().solve(work_, q_);
    x.segment(i * n_, n_) = q_;
  }
  if (r_ > 0) x.segment(lambda_at(0), m_) = z0.lambda;
}

void HbvmEquations::scales(VectorRef columns, VectorRef rows) const {
  for (Index j = 0; j < s_; ++j) {
    columns.segment(j * n_, n_) = scales_.velocity();
    rows.segment(j * n_, n_) = scales_.dp();
  }
  for (Index i = 0; i < r_; ++i) {
    columns.segment(lambda_at(i), m_) = scales_.lambda();
    rows.segment(lambda_at(i), m_) = scales_.hidden();
  }
}

void HbvmEquations::increments(const Vector& x, VectorOf<Extended>& dq, VectorOf<Extended>& dp) {
  auto& b = buffers_.at_extended;
  const auto& X = frame_.table.at<Extended>().X;
  dp.setZero();
  for (Index i = s_ - 1; i >= 0; i -= 2) {
    gamma(x, i, b.q);
    at_.mass_times(b.q, b.force);
    if (i == 0) b.force -= p0_->value().cast<Extended>() + p0_->tail().cast<Extended>();
    if (i + 1 < s_) b.force -= X(i, i + 1) * dp;
    dp = b.force / X(i, std::max<Index>(i - 1, 0));
  }
  gamma(x, 0, b.q);
  dq = b.q * Extended(frame_.h());
}

void HbvmEquations::finish(const Vector& x, State& next) {
  if (m_ > 0) next.lambda = x.segment(lambda_at(0), m_);
  if (!applied_.active() && !friction_.active() && !frame_.moving()) return;
  for (Index l = 0; l < frame_.table.k; ++l) {
    const double t = frame_.time(l);
    const long double weight = static_cast<long double>(frame_.h()) * frame_.table.b[l];
    frame_.position(x, l, q_);
    frame_.velocity(x, l, qdot_);
    if (applied_.active()) next.work.force += weight * applied_.work(t, q_, qdot_, qdot_);
    if (r_ > 0) frame_.multiplier(x, lambda_at(0), l, lambda_);
    if (friction_.active()) next.work.force += weight * friction_.work(q_, qdot_, lambda_, qdot_);
    if (!frame_.moving()) continue;
    next.work.potential += weight * system_->parts().time_dependence->potential_rate(t, q_);
    if (r_ == 0) continue;
    at_.constraint_force(t, q_, lambda_, work_);
    next.work.position -= weight * work_.dot(qdot_);
  }
}

template <class S>
void HbvmEquations::evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
  auto& b = buffers_.get<S>();
  for (Index j = 0; j < s_; ++j) {
    b.q = x.segment(j * n_, n_);
    at_.mass_times(b.q, b.force);
    f.segment(j * n_, n_) = b.force;
  }
  for (Index a = 0; a < n_; ++a) f[a] = (f[a] - p0_->value()[a]) - p0_->tail()[a];
  b.phi.setConstant(S(0.0));
  if (printed_)
    f.tail(r_ * m_).setConstant(S(0.0));
  else
    frame_.start_constraint_rows(lambda_at(0), f);
  for (Index l = 0; l < frame_.table.k; ++l) {
    frame_.position(x, l, b.q);
    force_at(x, l, b);
    frame_.add_moments(l, 1, b.force, 0, 0, s_, b.phi);
    if (r_ == 0) continue;
    frame_.velocity(x, l, b.force);
    frame_.add_constraint_rows(l, b.q, b.force, b.g, lambda_at(0), f);
  }
  add_forces<S>(b.phi, f);
}

template <class S>
void HbvmEquations::add_forces(const VectorOf<S>& phi, VectorRefOf<S> f) const {
  const auto& X = frame_.table.at<S>().X;
  const S h(frame_.h());
  for (Index i = 0; i < s_; ++i) {
    const Index before = std::max<Index>(i - 1, 0) * n_, after = (i + 1) * n_, row = i * n_;
    const S of_before(X(i, std::max<Index>(i - 1, 0))), of_after(i + 1 < s_ ? X(i, i + 1) : 0);
    for (Index a = 0; a < n_; ++a) {
      S sum = of_before * phi[before + a];
      if (i + 1 < s_) sum += of_after * phi[after + a];
      f[row + a] += h * sum;
    }
  }
}

void HbvmEquations::jacobian(const ConstVectorRef& x, VectorRef values) {
  const LegendreTable& table = frame_.table;
  const double h = frame_.h();
  values.setZero();
  for (Index i = 0; i < s_; ++i) mass_[at(i)].add(values, system_->mass().values(), 1);
  for (Index l = 0; l < table.k; ++l) {
    const double t = frame_.time(l);
    frame_.position(x, l, q_);
    frame_.multiplier(x, lambda_at(0), l, lambda_);
    frame_.velocity(x, l, qdot_);

    // d(M gamma_i + h sum_l W_il F_l): h^2 W_il I_lj (Hess U + lambda.Hess g)  and  h W_il P_lt G^T
    system_->lagrangian_hessian(t, q_, lambda_, hessian_values_);
    if (r_ > 0) {
      system_->constraint_jacobian(t, q_, g_values_);
      system_->constraint_jacobian_derivative(t, q_, qdot_, dg_values_);
      if (frame_.moving()) {
        system_->parts().time_dependence->constraint_rate_jacobian(t, q_, rate_values_);
        dg_values_ += rate_values_;
      }
    }
    if (applied_.active()) applied_.linearise(t, q_, qdot_);
    for (Index i = 0; i < s_; ++i) {
      for (Index j = 0; j < s_; ++j) {
        hessian_[at(i * s_ + j)].add(values, hessian_values_, h * h * w_(i, l) * table.I(l, j));
        if (applied_.active())
          applied_.add(places_[at(i * s_ + j)], -h * h * w_(i, l) * table.I(l, j), -h * w_(i, l) * table.P(l, j),
                       values);
      }
      for (Index t_i = 0; t_i < r_; ++t_i)
        multiplier_[at(i * r_ + t_i)].add(values, g_values_, h * w_(i, l) * table.P(l, t_i));
    }
    if (friction_.active()) add_friction(l, values);
    // d(sum_l b_l P_li G q'): b_l P_li (P_lj G + h I_lj d(G q')/dq)
    for (Index i = 0; i < r_; ++i)
      for (Index j = 0; j < s_; ++j) {
        const double factor = table.b[l] * table.P(l, i);
        constraint_[at(i * s_ + j)].add(values, g_values_, factor * table.P(l, j));
        constraint_[at(i * s_ + j)].add(values, dg_values_, factor * h * table.I(l, j));
      }
  }
}

void HbvmEquations::add_friction(Index l, VectorRef values) {
  const double h = frame_.h();
  for (Index i = 0; i < s_; ++i)
    for (Index j = 0; j < s_; ++j) {
      const double w = -h * w_(i, l), p = w * frame_.table.P(l, j);
      friction_.add(friction_places_[at(i * s_ + j)], q_, qdot_, lambda_, w * h * frame_.table.I(l, j), p,
                    j < r_ ? p : 0, values);
    }
}

void HbvmEquations::lay_out() {
  const SparsityPattern& g = system_->constraint_pattern();
  std::vector<Block> gamma, lambda, motion, position;
  for (Index i = 0; i < s_; ++i) gamma.push_back(layout_.unknown("gamma" + std::to_string(i), n_));
  for (Index t = 0; t < r_; ++t) lambda.push_back(layout_.unknown("lambda" + std::to_string(t), m_));
  for (Index i = 0; i < s_; ++i) motion.push_back(layout_.rows(n_));
  for (Index t = 0; t < r_; ++t) position.push_back(layout_.rows(m_));
  mass_.resize(at(s_));
  hessian_.resize(at(s_ * s_));
  places_.resize(at(s_ * s_));
  friction_places_.resize(at(s_ * s_));
  multiplier_.resize(at(s_ * r_));
  constraint_.resize(at(r_ * s_));
  for (Index i = 0; i < s_; ++i) {
    layout_.place(mass_[at(i)], motion[at(i)], gamma[at(i)], system_->mass().pattern());
    for (Index j = 0; j < s_; ++j) {
      layout_.place(hessian_[at(i * s_ + j)], motion[at(i)], gamma[at(j)], system_->hessian_pattern());
      applied_.place(layout_, places_[at(i * s_ + j)], motion[at(i)], gamma[at(j)]);
      if (r_ > 0)
        friction_.place(layout_, friction_places_[at(i * s_ + j)], motion[at(i)], gamma[at(j)],
                        lambda[at(std::min(j, r_ - 1))]);
    }
    for (Index t = 0; t < r_; ++t) {
      layout_.place(multiplier_[at(i * r_ + t)], motion[at(i)], lambda[at(t)], g, Layout::transposed);
      layout_.place(constraint_[at(t * s_ + i)], position[at(t)], gamma[at(i)], g);
    }
  }
  finish_layout();
}

template <class S, class X>
void HbvmEquations::force_at(const X& x, Index l, Buffers<S>& b) {
  at_.potential_gradient(frame_.time(l), b.q, b.force);
  if (applied_.active()) {
    frame_.velocity(x, l, b.work);
    b.force -= applied_(frame_.time(l), b.q, b.work);
  }
  if (r_ == 0) return;
  frame_.multiplier(x, lambda_at(0), l, b.lambda);
  frame_.add_constraint_force(l, b.q, b.lambda, b.work, b.force);
  if (!friction_.active()) return;
  frame_.velocity(x, l, b.work);
  b.force -= friction_(b.q, b.work, b.lambda);
}

}  // namespace gnomon::kernels

template class gnomon::TemplatedEquations<gnomon::kernels::HbvmEquations, true>;
