/// The kinetic energy of a FunctionSystem with M(q), from M and L(q,v) = v^T M(q) v / 2 alone: with M v = p
///
///     T = p.v / 2 (as a sum of squares over the pivots of M)      T_q = -L_q      T_p = v
///
/// and along (w_q, w_p), with M dv = w_p - L_vq w_q,
///
///     dT_q = -(L_qq w_q + L_qv dv)      dT_p = dv
///
/// A second time, along u too: d2v = -M^-1 D3L(., w, u)_v, d2T_q = -(D3L(., w, u)_q + L_qv d2v), d2T_p = d2v, w and u
/// with their dv. Of w.T_p for a constant w, with M y = w and the matrices A = L_vq at v and C = L_vq at y, whose
/// columns are M_j v and M_j y,
///
///     (w.T_p)_qq = -(y^T M v)_qq + A^T M^-1 C + C^T M^-1 A      (w.T_p)_pq = -M^-1 C      (w.T_p)_pp = 0
///
/// where D3L along (0, y) and (e_j, 0) is column j of (y^T M v)_qq and of C. M is factorised at numbers, and a tape of
/// its factors is never differentiated.

#include <algorithm>
#include <vector>

#include "gnomon/model/autodiff/function_system.hpp"
#include "gnomon/model/autodiff/kinetic_energy.hpp"

namespace gnomon::model {

namespace {

/// Work space of the thread, beside that of the functions, which are called meanwhile.
template <class S>
S* own_space(std::size_t count) {
  thread_local std::vector<S> space;
  if (space.size() < count) space.resize(count);
  return space.data();
}

/// v = M^-1 p and the factors of M, at S.
template <class S>
struct Velocity {
  Velocity(Index size, std::size_t vectors) : n(size) {
    const auto count = static_cast<std::size_t>(n);
    factors = own_space<S>(count * (count + vectors));
  }
  S* vector(std::size_t k) const { return factors + n * n + static_cast<Index>(k) * n; }
  /// out = M^-1 p
  void solve(const S* p, S* out) const { solve_factors(factors, p, out, static_cast<int>(n)); }
  /// Takes M(q), and v = M^-1 p.
  void start(const Function& mass_matrix, const ConstVectorRef& q, const ConstVectorRef& p, S* v) {
    mass_matrix.value(0, {q.data(), nullptr, nullptr}, factors);
    factorise(factors, static_cast<int>(n));
    solve(p.data(), v);
  }

  Index n;
  S* factors;
};

}  // namespace

void FunctionSystem::mass_matrix(const ConstVectorRef& q, Matrix& out) const {
  f_.mass_matrix->value(0, {q.data(), nullptr, nullptr}, out.data());
  out.transposeInPlace();  // the function writes rows, the matrix is stored by columns
}

double FunctionSystem::kinetic_energy(const ConstVectorRef& q, const ConstVectorRef& p) const {
  Velocity<double> at(n(), 1);
  f_.mass_matrix->value(0, {q.data(), nullptr, nullptr}, at.factors);
  return model::kinetic_energy(at.factors, p.data(), at.vector(0), static_cast<int>(n()));
}

long double FunctionSystem::kinetic_compensated(const ConstVectorRef& q, const ConstVectorRef& q_tail,
                                                const ConstVectorRef& p, const ConstVectorRef& p_tail, VectorRef,
                                                VectorRef) const {
  Velocity<long double> at(n(), 2);
  f_.mass_matrix->extended(0, {q.data(), nullptr, nullptr}, {q_tail.data(), nullptr, nullptr}, at.factors);
  long double* const wide = at.vector(0);
  for (Index j = 0; j < n(); ++j) wide[j] = static_cast<long double>(p[j]) + p_tail[j];
  return model::kinetic_energy(at.factors, wide, at.vector(1), static_cast<int>(n()));
}

bool FunctionSystem::extended_kinetic_gradient(const ConstVectorRef& q, const ConstVectorRef& q_tail,
                                               const ConstVectorRef& p, const ConstVectorRef& p_tail,
                                               VectorRefOf<Extended> out) const {
  const Index n = this->n();
  Velocity<long double> at(n, 3);
  f_.mass_matrix->extended(0, {q.data(), nullptr, nullptr}, {q_tail.data(), nullptr, nullptr}, at.factors);
  factorise(at.factors, static_cast<int>(n));
  long double *const wide = at.vector(0), *const v = at.vector(1);
  for (Index j = 0; j < n; ++j) wide[j] = static_cast<long double>(p[j]) + p_tail[j];
  at.solve(wide, v);
  Velocity<double> parts(n, 2);
  double *const high = parts.vector(0), *const low = parts.vector(1);
  for (Index j = 0; j < n; ++j) {
    high[j] = static_cast<double>(v[j]);
    low[j] = static_cast<double>(v[j] - high[j]);
  }
  // [L_q; L_v], of which L_v = p is not needed.
  if (!f_.inertia->extended_jacobian(0, {q.data(), high, nullptr}, {q_tail.data(), low, nullptr}, out.data()))
    return false;
  for (Index j = 0; j < n; ++j) {
    out[j] = -out[j];
    out[n + j] = v[j];
  }
  return true;
}

void FunctionSystem::kinetic_gradient(const ConstVectorRef& q, const ConstVectorRef& p, VectorRef t_q,
                                      VectorRef t_p) const {
  Velocity<double> at(n(), 0);
  at.start(*f_.mass_matrix, q, p, t_p.data());
  f_.inertia->gradient(0, {q.data(), t_p.data(), nullptr}, {t_q.data(), nullptr, nullptr});
  t_q = -t_q;
}

void FunctionSystem::kinetic_hessian_times(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w_q,
                                           const ConstVectorRef& w_p, VectorRef out_q, VectorRef out_p) const {
  const Index n = this->n();
  Velocity<double> at(n, 2);
  double *const v = at.vector(0), *const rest = at.vector(1);
  at.start(*f_.mass_matrix, q, p, v);
  const Function::Blocks z{q.data(), v, nullptr};
  f_.inertia->product(0, z, &single_weight, {w_q.data(), nullptr, nullptr}, {nullptr, rest, nullptr});
  for (Index j = 0; j < n; ++j) rest[j] = w_p[j] - rest[j];
  at.solve(rest, out_p.data());
  f_.inertia->product(0, z, &single_weight, {w_q.data(), out_p.data(), nullptr}, {out_q.data(), nullptr, nullptr});
  out_q = -out_q;
}

void FunctionSystem::kinetic_third(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w_q,
                                   const ConstVectorRef& w_p, const ConstVectorRef& u_q, const ConstVectorRef& u_p,
                                   VectorRef out_q, VectorRef out_p) const {
  const Index n = this->n();
  Velocity<double> at(n, 4);
  double *const v = at.vector(0), *const rest = at.vector(1), *const dw = at.vector(2), *const du = at.vector(3);
  at.start(*f_.mass_matrix, q, p, v);
  const Function::Blocks z{q.data(), v, nullptr};
  const auto along = [&](const ConstVectorRef& by_q, const ConstVectorRef& by_p, double* dv) {
    f_.inertia->product(0, z, &single_weight, {by_q.data(), nullptr, nullptr}, {nullptr, rest, nullptr});
    for (Index j = 0; j < n; ++j) rest[j] = by_p[j] - rest[j];
    at.solve(rest, dv);
  };
  along(w_q, w_p, dw);
  along(u_q, u_p, du);
  f_.inertia->third_product(0, z, {w_q.data(), dw, nullptr}, {u_q.data(), du, nullptr}, {out_q.data(), rest, nullptr});
  for (Index j = 0; j < n; ++j) rest[j] = -rest[j];
  at.solve(rest, out_p.data());
  f_.inertia->product(0, z, &single_weight, {nullptr, out_p.data(), nullptr}, {rest, nullptr, nullptr});
  for (Index j = 0; j < n; ++j) out_q[j] = -(out_q[j] + rest[j]);
}

/// T_pp = M^-1, T_pq = -M^-1 L_vq, T_qp its transpose, T_qq = -L_qq - L_qv T_pq.
void FunctionSystem::kinetic_hessian(const ConstVectorRef& q, const ConstVectorRef& p, VectorRef, Matrix& out) const {
  const Index n = this->n();
  Velocity<double> at(n, 4);
  double *const v = at.vector(0), *const unit = at.vector(1), *const by_q = at.vector(2), *const by_v = at.vector(3);
  at.start(*f_.mass_matrix, q, p, v);
  std::fill_n(unit, n, 0.0);
  auto t_qq = out.topLeftCorner(n, n), t_qp = out.topRightCorner(n, n), t_pq = out.bottomLeftCorner(n, n),
       t_pp = out.bottomRightCorner(n, n);
  for (Index j = 0; j < n; ++j) {
    unit[j] = 1;
    f_.inertia->product(0, {q.data(), v, nullptr}, &single_weight, {unit, nullptr, nullptr}, {by_q, by_v, nullptr});
    t_qq.col(j) = -Eigen::Map<const Vector>(by_q, n);
    t_qp.row(j) = Eigen::Map<const Vector>(by_v, n);  // L_vq, until it is used
    at.solve(by_v, by_q);
    t_pq.col(j) = -Eigen::Map<const Vector>(by_q, n);
    at.solve(unit, by_q);
    t_pp.col(j) = Eigen::Map<const Vector>(by_q, n);
    unit[j] = 0;
  }
  t_qq.noalias() -= t_qp.lazyProduct(t_pq);
  t_qp = t_pq.transpose();
}

void FunctionSystem::velocity_hessian(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w,
                                      VectorRef, Matrix& out) const {
  const Index n = this->n();
  Velocity<double> at(n, 5);
  double *const v = at.vector(0), *const y = at.vector(1), *const unit = at.vector(2), *const by_q = at.vector(3),
                *const by_v = at.vector(4);
  at.start(*f_.mass_matrix, q, p, v);
  at.solve(w.data(), y);
  std::fill_n(unit, n, 0.0);
  auto by_qq = out.topLeftCorner(n, n), by_qp = out.topRightCorner(n, n), by_pq = out.bottomLeftCorner(n, n),
       by_pp = out.bottomRightCorner(n, n);
  const Function::Blocks z{q.data(), v, nullptr};
  for (Index j = 0; j < n; ++j) {
    unit[j] = 1;
    f_.inertia->third_product(0, z, {nullptr, y, nullptr}, {unit, nullptr, nullptr}, {by_q, by_v, nullptr});
    by_qq.col(j) = -Eigen::Map<const Vector>(by_q, n);
    at.solve(by_v, by_q);
    by_pq.col(j) = -Eigen::Map<const Vector>(by_q, n);
    f_.inertia->product(0, z, &single_weight, {unit, nullptr, nullptr}, {nullptr, by_v, nullptr});
    by_qp.row(j) = Eigen::Map<const Vector>(by_v, n);  // A^T, until it is used
    unit[j] = 0;
  }
  by_pp.noalias() = by_qp.lazyProduct(by_pq);  // -A^T M^-1 C
  by_qq -= by_pp + by_pp.transpose();
  by_qp = by_pq.transpose();
  by_pp.setZero();
}

}  // namespace gnomon::model
