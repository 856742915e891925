#include "line_integral_ggl/simplified_ggl_inverse.hpp"

#include "gnomon/model/constraint_sizes.hpp"
#include "gnomon/scheme/requirements.hpp"

namespace gnomon::kernels {

void NodeConstraints::allocate(Index unknowns, Index nonzeros, Index nodes) {
  x.setZero(unknowns);
  jacobian.setZero(nonzeros, nodes + 1);
  turn.setZero(nonzeros, nodes + 1);
  forget();
}

SimplifiedGglInverse::SimplifiedGglInverse(const System& system, NonlinearEquations& equations,
                                           const NodeConstraints& nodes, const LegendreTable& table, Index r)
    : system_(&system),
      equations_(&equations),
      nodes_(&nodes),
      table_(&table),
      n_(system.n()),
      m_(system.m()),
      position_rows_(m_ - system.parts().n_velocity_constraints()),
      s_(table.s),
      r_(r) {
  const Index sn = s_ * n_, rm = r_ * m_, nonzeros = system.constraint_pattern().nonzeros();
  residual_.setZero(2 * sn + 2 * rm);
  for (Vector* v : {&g_, &c_, &c_of_q_, &e_, &third_}) v->setZero(nonzeros);
  for (Vector* v : {&row_, &solved_, &q_, &v_, &acceleration_}) v->setZero(n_);
  for (Vector* v : {&a_, &f1_, &y_, &stiff_}) v->setZero(sn);
  lambda_.setZero(m_);
  lengths_.setOnes(m_);
  hessian_.setZero(system.hessian_pattern().nonzeros());
  quadratic_ = quadratic_constraints(system);
  right_.setZero(2 * rm);
  R_.setZero(rm, sn);
  Q_.setZero(rm, sn);
  for (RowMatrix* a : {&forces_, &positions_, &pushes_, &stiffness_}) a->setZero(sn, 2 * rm);
  lu_.resize(2 * rm);
  for (Matrix* a : {&moments_, &inner_}) a->setZero(table.k, r_ * s_);
  for (Index i = 0; i < r_; ++i)
    for (Index j = 0; j < s_; ++j)
      for (Index l = 0; l < table.k; ++l) {
        moments_(l, i * s_ + j) = table.b[l] * table.P(l, i) * table.P(l, j);
        inner_(l, i * s_ + j) = table.b[l] * table.P(l, i) * table.I(l, j);
      }
  if (system.mass().is_diagonal()) inverse_mass_ = system.mass().diagonal_entries().cwiseInverse();
}

void SimplifiedGglInverse::begin(const State& z0, const Vector& v0, double h) {
  z0_ = &z0;
  v0_ = &v0;
  h_ = h;
}

bool SimplifiedGglInverse::update(const ConstVectorRef& x) {
  if (nodes_->x != x) equations_->residual(x, residual_);
  set_middle(x);
  for (Index i = 0; i < r_; ++i)
    for (Index j = 0; j < s_; ++j) {
      sum_nodes(i, j, i > 0 || position_rows_ < m_);
      set_rows(i, j);
      set_forces(i, j);
    }
  const Index rm = r_ * m_, width = 2 * rm;
  pushes_.leftCols(rm).setZero();
  pushes_.rightCols(rm) = forces_.leftCols(rm);
  positions_ = pushes_;
  add_moments(-1, width, forces_.data(), positions_.data());
  add_stiffness(1, width, positions_.data(), stiffness_.data(), forces_.data());
  positions_ = pushes_;
  add_moments(-1, width, forces_.data(), positions_.data());
  RowMatrix& a = lu_.matrix();
  a.setZero();
  for (Index i = 0; i < rm; ++i) {
    add_product(1, R_, i, positions_, a.row(i).data());
    add_product(1, Q_, i, positions_, a.row(rm + i).data());
    add_product(-1, R_, i, forces_, a.row(rm + i).data());
  }
  // Rows by their lengths, among which pivots are chosen.
  g_ = nodes_->jacobian.col(table_->k);
  row_lengths(system_->constraint_pattern(), g_, system_->mass().diagonal_entries(), lengths_);
  for (Index i = 0; i < 2 * rm; ++i) a.row(i) /= lengths_[i % m_];
  return lu_.factorise();
}

void SimplifiedGglInverse::solve(const ConstVectorRef& f, VectorRef d) {
  const Index sn = s_ * n_, rm = r_ * m_;
  f1_ = f.head(sn);
  y_ = f.segment(sn, sn);
  for (Vector* v : {&f1_, &y_})
    for (Index j = 0; j < s_; ++j) divide_by_mass(1, v->data() + j * n_);
  a_ = f1_;
  add_moments(1, 1, y_.data(), a_.data());
  add_stiffness(-1, 1, a_.data(), stiff_.data(), y_.data());
  a_ = f1_;
  add_moments(1, 1, y_.data(), a_.data());
  for (Index i = 0; i < rm; ++i) {
    double position = f[2 * sn + i], velocity = f[2 * sn + rm + i];
    const double *const r = R_.data() + i * sn, *const q = Q_.data() + i * sn;
    const Index last = columns_of(i);
    for (Index c = 0; c < last; ++c) {
      position -= r[c] * a_[c];
      velocity -= r[c] * y_[c] + q[c] * a_[c];
    }
    right_[i] = position;
    right_[rm + i] = velocity;
  }
  for (Index i = 0; i < 2 * rm; ++i) right_[i] /= lengths_[i % m_];
  lu_.solve(right_.data());
  for (Index c = 0; c < sn; ++c) {
    const double *const force = forces_.data() + c * 2 * rm, *const push = pushes_.data() + c * 2 * rm;
    for (Index i = 0; i < 2 * rm; ++i) y_[c] -= force[i] * right_[i];
    for (Index i = rm; i < 2 * rm; ++i) f1_[c] += push[i] * right_[i];
  }
  add_moments(1, 1, y_.data(), f1_.data());
  d.head(sn) = f1_;
  d.segment(sn, sn) = y_;
  d.tail(2 * rm) = right_;
}

void SimplifiedGglInverse::sum_nodes(Index i, Index j, bool rows) {
  const Index count = g_.size(), pair = i * s_ + j;
  const double *const of_g = moments_.data() + pair * table_->k, *const of_q = inner_.data() + pair * table_->k;
  for (Index e = 0; e < count; ++e) {
    const double *G = nodes_->jacobian.data() + e, *C = nodes_->turn.data() + e;
    double g = 0, c = 0, q = 0;
    for (Index l = 0; l < table_->k; ++l, G += count, C += count) {
      g += of_g[l] * *G;
      c += of_g[l] * *C;
      if (rows) q += of_q[l] * *C;
    }
    g_[e] = g;
    c_[e] = h_ * c;
    c_of_q_[e] = h_ * q;
  }
}

void SimplifiedGglInverse::set_rows(Index i, Index j) {
  if (i == 0 && j > 0 && position_rows_ == m_) return;
  const SparsityPattern& g = system_->constraint_pattern();
  const auto end_g = nodes_->jacobian.col(table_->k), end_c = nodes_->turn.col(table_->k);
  const double of_e = h_ * table_->X(i, j);
  for (Index a = 0; a < m_; ++a)
    for (Index e = g.offsets[a]; e < g.offsets[a + 1]; ++e) {
      const Index column = j * n_ + g.indices[e];
      if (i > 0 || a >= position_rows_)
        R_(i * m_ + a, column) = g_[e] + c_of_q_[e];
      else if (j == 0)
        R_(a, column) = end_g[e];
      if (i > 0)
        Q_(i * m_ + a, column) = c_[e] + of_e * e_[e];
      else if (j == 0)
        Q_(a, column) = h_ * end_c[e];
    }
}

void SimplifiedGglInverse::set_forces(Index i, Index j) {
  const SparsityPattern& g = system_->constraint_pattern();
  const Index rm = r_ * m_;
  for (Index a = 0; a < m_; ++a) {
    set_force(g, a, g_, j, i * m_ + a);
    set_force(g, a, c_, j, rm + i * m_ + a);
  }
}

void SimplifiedGglInverse::set_force(const SparsityPattern& g, Index a, const Vector& values, Index j, Index column) {
  const Index width = 2 * r_ * m_;
  double* const to = forces_.data() + j * n_ * width + column;
  if (inverse_mass_.size() > 0) {
    for (Index e = g.offsets[a]; e < g.offsets[a + 1]; ++e)
      to[g.indices[e] * width] = values[e] * inverse_mass_[g.indices[e]];
    return;
  }
  row_.setZero();
  for (Index e = g.offsets[a]; e < g.offsets[a + 1]; ++e) row_[g.indices[e]] = values[e];
  system_->mass().solve(row_, solved_);
  for (Index c = 0; c < n_; ++c) to[c * width] = solved_[c];
}

void SimplifiedGglInverse::set_middle(const ConstVectorRef& x) {
  const double t = z0_->t + 0.5 * h_;
  q_ = z0_->q.value() + 0.5 * h_ * x.head(n_);
  acceleration_ = x.segment(s_ * n_, n_);
  lambda_ = x.segment(2 * s_ * n_, m_) / h_;
  system_->lagrangian_hessian(t, q_, lambda_, hessian_);
  if (r_ == 1) return;
  system_->constraint_jacobian_derivative(t, q_, acceleration_, e_);
  if (quadratic_) return;
  v_ = *v0_ + 0.5 * acceleration_;
  system_->constraint_third(t, q_, v_, v_, third_);
  e_ += h_ * third_;
}

void SimplifiedGglInverse::add_stiffness(double sign, Index width, const double* of, double* scratch, double* out) {
  const SparsityPattern& pattern = system_->hessian_pattern();
  for (Index j = 0; j < s_; ++j)
    for (Index c = 0; c < n_; ++c) {
      double* const to = scratch + (j * n_ + c) * width;
      for (Index e = 0; e < width; ++e) to[e] = 0;
      for (Index k = pattern.offsets[c]; k < pattern.offsets[c + 1]; ++k) {
        const double weight = h_ * h_ * hessian_[k];
        if (weight == 0) continue;
        const double* const from = of + (j * n_ + pattern.indices[k]) * width;
        for (Index e = 0; e < width; ++e) to[e] += weight * from[e];
      }
    }
  for (Index j = 0; j < s_; ++j) divide_by_mass(width, scratch + j * n_ * width);
  add_moments(sign, width, scratch, out);
}

void SimplifiedGglInverse::add_product(double factor, const RowMatrix& a, Index i, const RowMatrix& b,
                                       double* out) const {
  const Index width = b.cols(), last = columns_of(i);
  const double *const row = a.data() + i * a.cols(), *from = b.data();
  for (Index k = 0; k < last; ++k, from += width) {
    const double weight = factor * row[k];
    if (weight == 0) continue;
    for (Index c = 0; c < width; ++c) out[c] += weight * from[c];
  }
}

void SimplifiedGglInverse::add_moments(double sign, Index width, const double* of, double* out) const {
  const Index size = n_ * width;
  add_scaled(sign * table_->X(0, 0), size, of, out);
  for (Index j = 1; j < s_; ++j) {
    add_scaled(sign * table_->X(j - 1, j), size, of + j * size, out + (j - 1) * size);
    add_scaled(sign * table_->X(j, j - 1), size, of + (j - 1) * size, out + j * size);
  }
}

void SimplifiedGglInverse::add_scaled(double factor, Index size, const double* of, double* out) {
  for (Index e = 0; e < size; ++e) out[e] += factor * of[e];
}

void SimplifiedGglInverse::divide_by_mass(Index width, double* x) {
  if (inverse_mass_.size() > 0) {
    for (Index c = 0; c < n_; ++c)
      for (Index e = 0; e < width; ++e) x[c * width + e] *= inverse_mass_[c];
    return;
  }
  for (Index e = 0; e < width; ++e) {
    for (Index c = 0; c < n_; ++c) row_[c] = x[c * width + e];
    system_->mass().solve(row_, solved_);
    for (Index c = 0; c < n_; ++c) x[c * width + e] = solved_[c];
  }
}

}  // namespace gnomon::kernels
