#include "line_integral_ggl/line_integral_ggl_equations.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "gnomon/scheme/requirements.hpp"

namespace gnomon::kernels {

LineIntegralGglEquations::LineIntegralGglEquations(const System& system, Index k, Index s, Index r)
    : system_(&system),
      at_(system),
      scales_(system),
      hessians_(system),
      applied_(system),
      friction_(system),
      bias_(system),
      frame_(system, k, s, r),
      table_(frame_.table),
      inverse_(system, table_.X, frame_.r()),
      v0_(system),
      n_(system.n()),
      m_(system.m()),
      s_(s),
      r_(frame_.r()),
      velocities_(system.parts().n_velocity_constraints()),
      quadratic_(quadratic_constraints(system)) {
  lay_out();
  buffers_.for_each([&](auto& b) {
    for (auto* v : {&b.q, &b.v, &b.du, &b.dy, &b.a, &b.push, &b.force}) v->setZero(n_);
    for (auto* v : {&b.mu, &b.lambda, &b.gamma, &b.rate, &b.row}) v->setZero(m_);
    b.at.allocate(system);
  });
  if (SimplifiedGglInverse::suits(m_, r_)) {
    nodes_.allocate(layout_.size(), system.constraint_pattern().nonzeros(), k);
    simplified_.emplace(system, *this, nodes_, table_, r_);
  }
  for (Vector* v : {&gradient0_, &work_, &no_velocity_}) v->setZero(n_);
  for (Vector* v : {&lambda_, &g_end0_}) v->setZero(m_);
  for (Vector* v : {&g_, &dgv_, &dgu_, &dgy_, &third_, &rate_, &turned_, &skew_})
    v->setZero(system.constraint_pattern().nonzeros());
  for (Vector* v : {&h_values_, &h_gamma_, &h_third_}) v->setZero(system.hessian_pattern().nonzeros());
  for (Matrix* sum : {&sum_hessian_, &sum_gamma_}) sum->setZero(system.hessian_pattern().nonzeros(), s_ * s_);
  for (Matrix* sum : {&sum_g_, &sum_turn_, &sum_rate_, &sum_turned_, &sum_change_})
    sum->setZero(system.constraint_pattern().nonzeros(), s_ * s_);
}

void LineIntegralGglEquations::begin(const State& z0, double h) {
  z0_ = &z0;
  h_ = h;
  t1_ = moving() ? time_after(z0, h) : z0.t + h;
  scales_.update(z0, h);
  frame_.begin(z0, h);
  system_->constraints_compensated(moving() ? t1_ : z0.t, z0.q.value(), z0.q.tail(), g_end0_, g_);
  inverse_.begin(z0, h);
  v0_.begin(z0.p);
  if (simplified_) {
    simplified_->begin(z0, v0_.at<double>(), h);
    nodes_.forget();
  }
}

void LineIntegralGglEquations::predict(VectorRef x) {
  x.setZero();
  const Vector& q0 = z0_->q.value();
  system_->potential_gradient(z0_->t, q0, gradient0_);
  at_.constraint_force(z0_->t, q0, z0_->lambda, work_);
  gradient0_ += work_;
  if (applied_.active()) gradient0_ -= applied_(z0_->t, q0, v0_.at<double>());
  if (friction_.active()) gradient0_ -= friction_(q0, v0_.at<double>(), z0_->lambda);
  system_->mass().solve(gradient0_, work_);
  x.segment(y_at(0), n_) = -h_ * work_;
  x.head(n_) = v0_.at<double>() + 0.5 * x.segment(y_at(0), n_);
  if (r_ > 0) x.segment(mu_at(0), m_) = h_ * z0_->lambda;
}

void LineIntegralGglEquations::step_multipliers(const Vector& x, Vector& lambda) const {
  lambda.setZero();
  for (Index i = 0; i < r_; ++i) lambda += table_.P_at_1[i] / h_ * x.segment(mu_at(i), m_);
}

void LineIntegralGglEquations::finish(const Vector& x, State& next) {
  auto& e = buffers_.at_extended;
  e.du = (x.head(n_).cast<Extended>() + low_.head(n_).cast<Extended>()) * Extended(h_);
  add(next.q, e.du, work_);
  e.dy = x.segment(y_at(0), n_).cast<Extended>() + low_.segment(y_at(0), n_).cast<Extended>();
  at_.mass_times(e.dy, e.force);
  add(next.p, e.force, work_);
  if (applied_.active() || friction_.active() || moving()) book(x, next.work);
}

void LineIntegralGglEquations::scales(VectorRef columns, VectorRef rows) const {
  for (Index j = 0; j < 2 * s_; ++j) {
    columns.segment(j * n_, n_) = scales_.velocity();
    rows.segment(j * n_, n_) = scales_.dp();
  }
  for (Index i = 0; i < 2 * r_; ++i) {
    columns.segment(mu_at(i), m_) = scales_.impulse();
    rows.segment(mu_at(i), m_) = scales_.hidden();
  }
  if (r_ > 0) rows.segment(mu_at(0), m_) = scales_.position() / std::abs(h_);
}

template <class S>
void LineIntegralGglEquations::evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
  auto& b = buffers_.get<S>();
  if (simplified_ && std::is_same_v<S, double>) nodes_.forget();
  add_inertia(x.data(), f.data(), b);
  for (Index l = 0; l < table_.k; ++l) {
    const double t = frame_.time(l);
    set_node(x.data(), l, b);
    b.at.set(at_, t, b.q, b.v);
    set_forces(b);
    if (moving()) {
      at_.constraint_rate_force(t, b.q, b.gamma, b.a);
      b.force += b.a * S(h_);
    }
    if (applied_.active()) b.force -= applied_(t, b.q, b.du) * S(h_);
    if (friction_.active()) {
      b.lambda = b.mu / S(h_);
      b.force -= friction_(b.q, b.du, b.lambda) * S(h_);
    }
    frame_.add_moments(l, -1, b.push, 0, 0, s_, f);
    frame_.add_moments(l, 1, b.force, y_at(0), 0, s_, f);
    keep(l, t, b);
    if (r_ <= 1 && velocities_ == 0) continue;
    if (moving()) at_.constraint_velocity(t, b.q, b.du, b.rate);
    for (Index i = m_ - velocities_; i < m_; ++i) f[mu_at(0) + i] += b.rate[i] * table_.at<S>().b[l];
    if (r_ <= 1) continue;
    frame_.add_moments(l, 1, b.rate, mu_at(0), 1, r_, f);
    frame_.add_moments(l, 1, b.row, gamma_at(0), 1, r_, f);
    add_rates(t, l, b, f);
  }

  if (r_ == 0) return;
  set_end(x, b);
  if (quadratic_) {  // g(q1) = g0 + G(q0 + dq/2) dq, without cancellation
    b.a = b.q - b.du * S(0.5 * h_);
    b.at.set_constraints(at_, t1_, b.a, b.v);
    multiply_jacobian(b, b.du, b.row);
    for (Index i = 0; i < m_; ++i) f[mu_at(0) + i] = b.row[i] + S(g_end0_[i] / h_);
  } else {
    end_constraints(b);
    for (Index i = 0; i < m_ - velocities_; ++i) f[mu_at(0) + i] = b.row[i] / S(h_);
  }
  b.at.set_constraints(at_, t1_, b.q, b.v);
  keep(table_.k, t1_, b);
  if (moving())
    at_.constraint_velocity(t1_, b.q, b.v, b.row);
  else
    multiply_jacobian(b, b.v, b.row);
  for (Index i = 0; i < m_; ++i) f[gamma_at(0) + i] = b.row[i];
  mark(x);
}

void LineIntegralGglEquations::jacobian(const ConstVectorRef& x, VectorRef values) {
  auto& b = buffers_.at_double;
  values.setZero();
  const Vector& mass = system_->mass().values();
  for (Index j = 0; j < s_; ++j) {
    uu(j, j).mass.add(values, mass, 1);
    yy(j, j).mass.add(values, mass, 1);
    for (Index i = 0; i < s_; ++i)
      if (table_.X(i, j) != 0) uy_mass_[pair(i, j)].add(values, mass, -table_.X(i, j));
  }
  for (Matrix* sum : {&sum_hessian_, &sum_gamma_, &sum_g_, &sum_turn_, &sum_rate_, &sum_turned_, &sum_change_})
    sum->setZero();
  for (Index l = 0; l < table_.k; ++l) {
    const double t = frame_.time(l);
    set_node(x.data(), l, b);
    add_node_hessians(t, l);
    if (applied_.active()) {
      applied_.linearise(t, b.q, b.du);
      for (Index j = 0; j < s_; ++j)
        for (Index i = 0; i < s_; ++i) {
          const double w = -h_ * table_.b[l] * table_.P(l, j);
          applied_.add(force_[pair(j, i)], w * h_ * table_.I(l, i), w * table_.P(l, i), values);
        }
    }
    if (friction_.active()) add_friction(l, values);
    system_->constraint_jacobian(t, b.q, g_);
    system_->constraint_jacobian_derivative(t, b.q, b.v, dgv_);
    if (moving()) {
      system_->parts().time_dependence->constraint_rate_jacobian(t, b.q, rate_);
      dgv_ += rate_;
    }
    for (Index j = 0; j < s_; ++j)
      for (Index i = 0; i < r_; ++i) {
        const double w = table_.b[l] * table_.P(l, j) * table_.P(l, i);
        add_scaled(w, g_, sum_g_, pair(j, i));
        add_scaled(w * h_, dgv_, sum_turn_, pair(j, i));
      }
    if (r_ > 1 || velocities_ > 0) add_node_rows(t, l);
  }
  place_sums(values);
  set_end(x, b);
  if (r_ == 0) return;
  const Multipliers& at = multipliers_[pair(0, 0)];
  system_->constraint_jacobian(t1_, b.q, g_);
  at.gamma_y.add(values, g_, 1);
  velocity_rows(*system_, g_).setZero();
  at.mu_u.add(values, g_, 1);
  system_->constraint_jacobian_derivative(t1_, b.q, b.v, g_);
  if (moving()) {
    system_->parts().time_dependence->constraint_rate_jacobian(t1_, b.q, rate_);
    g_ += rate_;
  }
  at.gamma_u.add(values, g_, h_);
}

void LineIntegralGglEquations::book(const Vector& x, Work& work) {
  auto& b = buffers_.at_double;
  for (Index l = 0; l < table_.k; ++l) {
    const double t = frame_.time(l);
    const long double weight = table_.b[l], h = h_;
    set_node(x.data(), l, b);
    b.lambda = b.mu / h_;
    if (applied_.active()) work.force += weight * h * applied_.work(t, b.q, b.du, b.du);
    if (friction_.active()) work.force += weight * h * friction_.work(b.q, b.du, b.lambda, b.du);
    if (!moving()) continue;
    work.potential += weight * h * system_->parts().time_dependence->potential_rate(t, b.q);
    at_.constraint_jacobian_times(t, b.q, b.du, b.row);
    work.position -= weight * b.mu.dot(b.row);
    at_.constraint_jacobian_times(t, b.q, b.dy, b.row);
    work.velocity -= weight * b.gamma.dot(b.row);
    at_.constraint_curvature(t, b.q, b.v, b.du, b.row);
    at_.constraint_rate_force(t, b.q, b.gamma, b.a);
    work.velocity -= weight * h * (b.gamma.dot(b.row) + b.a.dot(b.du));
  }
}

void LineIntegralGglEquations::add_friction(Index l, VectorRef values) {
  auto& b = buffers_.at_double;
  b.lambda = b.mu / h_;
  for (Index j = 0; j < s_; ++j)
    for (Index i = 0; i < s_; ++i) {
      const double w = -h_ * table_.b[l] * table_.P(l, j);
      friction_.add(friction_places_[pair(j, i)], b.q, b.du, b.lambda, w * h_ * table_.I(l, i), w * table_.P(l, i),
                    i < r_ ? w * table_.P(l, i) / h_ : 0, values);
    }
}

template <class S>
void LineIntegralGglEquations::keep(Index l, double t, const Buffers<S>& b) {
  if constexpr (std::is_same_v<S, double>) {
    if (!simplified_) return;
    nodes_.jacobian.col(l) = b.at.jacobian;
    nodes_.turn.col(l) = b.at.turn;
    if (!moving()) return;
    system_->parts().time_dependence->constraint_rate_jacobian(t, b.q, rate_);
    nodes_.turn.col(l) += rate_;
  }
}

template <class X>
void LineIntegralGglEquations::mark(const X& x) {
  if constexpr (std::is_same_v<typename X::Scalar, double>)
    if (simplified_) nodes_.x = x;
}

template <class S>
void LineIntegralGglEquations::add_inertia(const S* x, S* f, Buffers<S>& b) const {
  const auto& X = table_.at<S>().X;
  const Vector &p0 = z0_->p.value(), &p0_tail = z0_->p.tail();
  S* const a = b.a.data();
  for (Index j = 0; j < s_; ++j) {
    const S* const u = x + j * n_;
    for (Index c = 0; c < n_; ++c) a[c] = u[c];
    for (Index i = 0; i < s_; ++i) {
      const auto w = X(j, i);
      if (w == 0) continue;
      const S* const y = x + y_at(i);
      for (Index c = 0; c < n_; ++c) a[c] -= y[c] * w;
    }
    mass_times(a, f + j * n_);
    mass_times(x + y_at(j), f + y_at(j));
  }
  for (Index c = 0; c < n_; ++c) f[c] = (f[c] - p0[c]) - p0_tail[c];
  for (Index i = mu_at(0); i < layout_.size(); ++i) f[i] = S(0.0);
}

template <class S>
void LineIntegralGglEquations::mass_times(const S* v, S* out) const {
  const SparsityPattern& mass = system_->mass().pattern();
  const double* const values = system_->mass().values().data();
  const Index *const offset = mass.offsets.data(), *const index = mass.indices.data();
  for (Index i = 0; i < n_; ++i) {
    S sum(0.0);
    for (Index k = offset[i]; k < offset[i + 1]; ++k) sum += v[index[k]] * values[k];
    out[i] = sum;
  }
}

template <class S>
void LineIntegralGglEquations::set_node(const S* x, Index l, Buffers<S>& b) const {
  const auto& numbers = table_.at<S>();
  const Vector &q0 = z0_->q.value(), &q0_tail = z0_->q.tail();
  const auto& v0 = v0_.at<S>();
  const auto *const P = &numbers.P(l, 0), *const I = &numbers.I(l, 0);  // of P_j at j k
  const Index k = table_.k;
  for (Index c = 0; c < n_; ++c) {
    S q(0.0), v(0.0), du(0.0), dy(0.0);
    const S *u = x + c, *y = x + y_at(0) + c;
    for (Index j = 0; j < s_; ++j, u += n_, y += n_) {
      q += *u * I[j * k];
      du += *u * P[j * k];
      v += *y * I[j * k];
      dy += *y * P[j * k];
    }
    b.q[c] = (q * h_ + q0_tail[c]) + q0[c];
    b.v[c] = v + v0[c];
    b.du[c] = du;
    b.dy[c] = dy;
  }
  for (Index c = 0; c < m_; ++c) {
    S mu(0.0), gamma(0.0);
    const S *of_mu = x + mu_at(0) + c, *of_gamma = x + gamma_at(0) + c;
    for (Index i = 0; i < r_; ++i, of_mu += m_, of_gamma += m_) {
      mu += *of_mu * P[i * k];
      gamma += *of_gamma * P[i * k];
    }
    b.mu[c] = mu;
    b.gamma[c] = gamma;
  }
}

template <class S>
void LineIntegralGglEquations::set_forces(Buffers<S>& b) const {
  const SparsityPattern& g = system_->constraint_pattern();
  const Index *const offset = g.offsets.data(), *const index = g.indices.data();
  const S *const gradient = b.at.gradient.data(), *const G = b.at.jacobian.data(), *const turn = b.at.turn.data();
  const S *const du = b.du.data(), *const dy = b.dy.data();
  S *const push = b.push.data(), *const force = b.force.data();
  for (Index c = 0; c < n_; ++c) {
    push[c] = S(0.0);
    force[c] = gradient[c] * h_;
  }
  for (Index i = 0; i < m_; ++i) {
    const S gamma = b.gamma[i], mu = b.mu[i], turning = gamma * h_;
    S rate(0.0), change(0.0), bend(0.0);
    for (Index k = offset[i]; k < offset[i + 1]; ++k) {
      const Index c = index[k];
      push[c] += G[k] * gamma;
      force[c] += G[k] * mu + turn[k] * turning;
      rate += G[k] * du[c];
      change += G[k] * dy[c];
      bend += turn[k] * du[c];
    }
    b.rate[i] = rate;
    b.row[i] = change + bend * h_;
  }
}

template <class S>
void LineIntegralGglEquations::multiply_jacobian(const Buffers<S>& b, const VectorOf<S>& v, VectorOf<S>& out) const {
  const SparsityPattern& g = system_->constraint_pattern();
  const Index *const offset = g.offsets.data(), *const index = g.indices.data();
  for (Index i = 0; i < m_; ++i) {
    S sum(0.0);
    for (Index k = offset[i]; k < offset[i + 1]; ++k) sum += b.at.jacobian[k] * v[index[k]];
    out[i] = sum;
  }
}

template <class S, class X>
void LineIntegralGglEquations::set_end(const X& x, Buffers<S>& b) {
  b.du = x.head(n_);
  b.q = (b.du * S(h_) + z0_->q.tail().template cast<S>()) + z0_->q.value().template cast<S>();
  b.v = x.segment(y_at(0), n_) + v0_.at<S>().template cast<S>();
}

void LineIntegralGglEquations::end_constraints(Buffers<double>& b) {
  work_ = (b.du * h_ + z0_->q.tail()) - (b.q - z0_->q.value());
  system_->constraints_compensated(t1_, b.q, work_, b.row, g_);
}

template <class S>
void LineIntegralGglEquations::end_constraints(Buffers<S>& b) {
  at_.constraints(t1_, b.q, b.row);
}

template <class S>
void LineIntegralGglEquations::add_rates(double t, Index l, Buffers<S>& b, VectorRefOf<S> f) {
  if (!moving()) return;
  b.a = (b.du + b.v) * S(0.5);
  bias_.of_time(t, b.q, b.a, b.lambda, b.row);
  frame_.add_moments(l, h_, b.row, gamma_at(0), 1, r_, f);
}

void LineIntegralGglEquations::add_node_hessians(double t, Index l) {
  auto& b = buffers_.at_double;
  lambda_ = b.mu / h_;
  system_->lagrangian_hessian(t, b.q, lambda_, h_values_);
  hessians_.weighted(t, b.q, b.gamma, h_, h_gamma_);
  if (!quadratic_) {
    hessians_.weighted_derivative(t, b.q, b.gamma, b.v, h_third_);
    h_values_ += h_third_;
  }
  if (moving()) {
    system_->parts().time_dependence->constraint_rate_hessian(t, b.q, b.gamma, h_third_);
    h_values_ += h_third_;
  }
  for (Index j = 0; j < s_; ++j)
    for (Index i = 0; i < s_; ++i) {
      const double w = table_.b[l] * table_.P(l, j) * table_.I(l, i) * h_;
      add_scaled(w, h_gamma_, sum_gamma_, pair(j, i));
      add_scaled(w * h_, h_values_, sum_hessian_, pair(j, i));
    }
}

void LineIntegralGglEquations::add_node_rows(double t, Index l) {
  auto& b = buffers_.at_double;
  system_->constraint_jacobian_derivative(t, b.q, b.du, dgu_);
  if (velocities_ > 0) system_->parts().velocity_constraints->constraint_turn(t, b.q, b.du, turned_);
  system_->constraint_jacobian_derivative(t, b.q, b.dy, dgy_);
  if (moving()) {
    dgu_ += rate_;
    work_ = (b.du + b.v) / 2;
    bias_.linearise_of_time(t, b.q, work_);
    dgy_ += h_ * bias_.by_q();
    if (velocities_ > 0) {  // the derivative of r by q' and by v is (A_t + db/dq)/2
      system_->parts().velocity_constraints->constraint_turn(t, b.q, no_velocity_, skew_);
      skew_ = (skew_ - rate_) / 2;
      turned_ -= skew_;
    }
  }
  if (!quadratic_) system_->constraint_third(t, b.q, b.v, b.du, third_);
  for (Index j = 0; j < s_; ++j)
    for (Index i = velocities_ > 0 ? 0 : 1; i < r_; ++i) {
      const double w = table_.b[l] * table_.P(l, i), wp = w * table_.P(l, j), wi = w * table_.I(l, j) * h_;
      const Index first = i == 0 ? g_.size() - velocity_rows(*system_, g_).size() : 0;
      add_scaled(wp, g_, sum_rate_, pair(j, i), first);
      add_scaled(wi, dgu_, sum_rate_, pair(j, i), first);
      if (i == 0) continue;
      if (velocities_ > 0) {
        add_scaled(wp, g_, sum_turned_, pair(j, i));
        add_scaled(wi, turned_, sum_turned_, pair(j, i));
      }
      add_scaled(wi, dgy_, sum_change_, pair(j, i));
      add_scaled(wp * h_, dgv_, sum_change_, pair(j, i));
      if (moving() && velocities_ > 0) add_scaled(wp * h_, skew_, sum_change_, pair(j, i));
      if (!quadratic_) add_scaled(wi * h_, third_, sum_change_, pair(j, i));
    }
}

void LineIntegralGglEquations::add_scaled(double w, const Vector& values, Matrix& sum, std::size_t pair, Index first) {
  const double* const from = values.data();
  double* const to = sum.data() + static_cast<Index>(pair) * sum.rows();
  for (Index e = first; e < values.size(); ++e) to[e] += w * from[e];
}

void LineIntegralGglEquations::place_sums(VectorRef values) const {
  for (Index j = 0; j < s_; ++j)
    for (Index i = 0; i < s_; ++i) {
      const std::size_t at = pair(j, i);
      const auto column = static_cast<Index>(at);
      uu_[at].hessian.add(values, sum_gamma_.col(column), -1);
      yy_[at].hessian.add(values, sum_gamma_.col(column), 1);
      yu_[at].add(values, sum_hessian_.col(column), 1);
      if (i >= r_) continue;
      const Multipliers& to = multipliers_[at];
      to.u_gamma.add(values, sum_g_.col(column), -1);
      to.y_mu.add(values, sum_g_.col(column), 1);
      to.y_gamma.add(values, sum_turn_.col(column), 1);
      if (i > 0 || velocities_ > 0) to.mu_u.add(values, sum_rate_.col(column), 1);
      if (i == 0) continue;
      to.gamma_y.add(values, (velocities_ > 0 ? sum_turned_ : sum_rate_).col(column), 1);
      to.gamma_u.add(values, sum_change_.col(column), 1);
    }
}

void LineIntegralGglEquations::lay_out() {
  const SparsityPattern &g = system_->constraint_pattern(), &mass = system_->mass().pattern();
  const SparsityPattern& hessian = system_->hessian_pattern();
  const Block all_u = layout_.unknown("u", s_ * n_), all_y = layout_.unknown("y", s_ * n_);
  const Block all_mu = layout_.unknown("mu", r_ * m_), all_gamma = layout_.unknown("gamma", r_ * m_);
  layout_.rows(layout_.size());
  const auto pairs = static_cast<std::size_t>(s_ * s_);
  uu_.resize(pairs);
  yy_.resize(pairs);
  yu_.resize(pairs);
  uy_mass_.resize(pairs);
  multipliers_.resize(pairs);
  force_.resize(pairs);
  friction_places_.resize(pairs);
  for (Index j = 0; j < s_; ++j) {
    const Block u_j = all_u.part(j, n_), y_j = all_y.part(j, n_);  // unknowns and, at the same place, rows
    for (Index i = 0; i < s_; ++i) {
      const Block u = all_u.part(i, n_), y = all_y.part(i, n_);
      const std::size_t at = pair(j, i);
      layout_.place(uu_[at].hessian, u_j, u, hessian);
      // Hess g is symmetric, d(A^T gamma)/dq of constraints of velocities is not
      layout_.place(yy_[at].hessian, y_j, y, hessian, velocities_ > 0 ? Layout::transposed : Layout::as_is);
      layout_.place(yu_[at], y_j, u, hessian);
      applied_.place(layout_, force_[at], y_j, u);
      friction_.place(layout_, friction_places_[at], y_j, u, all_mu.part(std::min(i, r_ - 1), m_));
      if (table_.X(j, i) != 0) layout_.place(uy_mass_[at], u_j, y, mass);
    }
    layout_.place(uu_[pair(j, j)].mass, u_j, u_j, mass);
    layout_.place(yy_[pair(j, j)].mass, y_j, y_j, mass);
    for (Index i = 0; i < r_; ++i) {
      const Block mu = all_mu.part(i, m_), gamma = all_gamma.part(i, m_);
      Multipliers& at = multipliers_[pair(j, i)];
      layout_.place(at.u_gamma, u_j, gamma, g, Layout::transposed);
      layout_.place(at.y_mu, y_j, mu, g, Layout::transposed);
      layout_.place(at.y_gamma, y_j, gamma, g, Layout::transposed);
      if (i > 0 || j == 0 || velocities_ > 0) layout_.place(at.mu_u, mu, u_j, g);
      if (i == 0 && j > 0) continue;  // the ends of the step depend on u_0 and y_0 only
      layout_.place(at.gamma_u, gamma, u_j, g);
      layout_.place(at.gamma_y, gamma, y_j, g);
    }
  }
  finish_layout();
}

}  // namespace gnomon::kernels

template class gnomon::TemplatedEquations<gnomon::kernels::LineIntegralGglEquations, true>;
