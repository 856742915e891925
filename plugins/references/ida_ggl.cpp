/// \file
/// ida-ggl: the stabilised index-2 form, both constraint levels enforced, by IDA's BDF,
///
///     x = (q, v, lambda, mu)                            x = (y, z, psi, mu)
///     0 = M (q' - v) + G^T mu                           0 = y' - v(y,z) + g_y^T mu
///     0 = M v' + grad U + G^T lambda - Q                0 = p_y y' + p_z z' - f - r(y,z,psi)
///     0 = g                                             0 = h(y,z),   h = g_y v
///     0 = G v + g_t                                     0 = g(y)
///
/// of a mechanical system without friction (of one whose mass depends on q in (q, p): 0 = q' - T_p(q, p - G^T mu), 0 =
/// p' + H_q + G^T lambda - Q), and of an overdetermined DAE. mu = 0 on the exact solution, so its curvature
/// Hess(g^T mu) is left out of the Jacobian on the right. Constraints of velocities, which have no g, have mu = 0.
/// Gear, Leimkuhler and Gupta, Automatic integration of Euler-Lagrange equations with constraints, J. Comput. Appl.
/// Math. 12-13 (1985) 77-90.
#include "gnomon/registry/plugin.hpp"
#include "references/kernels/ida_reference.hpp"
#include "references/kernels/mechanical_form.hpp"
#include "references/kernels/momentum_form.hpp"
#include "references/kernels/overdetermined_form.hpp"

namespace {

using namespace gnomon;
using namespace gnomon::kernels;

/// g, and mu of constraints of velocities
void position_rows(const System& system, double t, const Vector& q, const Vector& mu, VectorRef r) {
  const Index velocities = system.parts().n_velocity_constraints();
  system.constraints(t, q, r);
  r.tail(velocities) = mu.tail(velocities);
}

class MechanicalGgl final : public MechanicalForm {
 public:
  using MechanicalForm::MechanicalForm;

 private:
  void rows(double t, const Point& at, VectorRef r) override {
    momentum_rows(t, at, r.segment(n_, n_));
    const Vector slip = at.dy - at.z;
    Vector term(n_);
    system_.mass().apply(slip, r.head(n_));
    multiply_transposed(system_.constraint_pattern(), values_, at.mu, term);
    r.head(n_) += term;
    if (m_ == 0) return;
    position_rows(system_, t, at.y, at.mu, r.segment(2 * n_, m_));
    system_.constraint_velocity(t, at.y, at.z, r.tail(m_));
  }

  void derivatives(double t, double cj, const Point& at, Eigen::Ref<Matrix> j) override {
    const auto& mass = system_.mass();
    add_dense(mass.pattern(), mass.values(), cj, j.topLeftCorner(n_, n_));
    add_dense(mass.pattern(), mass.values(), -1, j.block(0, n_, n_, n_));
    momentum_jacobian(t, cj, at, j);
    if (m_ == 0) return;
    // d(G^T mu)/dq, one column after the other.
    Vector unit = Vector::Zero(n_), column(n_);
    for (Index k = 0; k < n_; ++k) {
      unit[k] = 1;
      system_.constraint_hessian_times(t, at.y, at.mu, unit, column);
      j.col(k).head(n_) += column;
      unit[k] = 0;
    }
    scatter_reaction(j.block(0, 2 * n_ + m_, n_, m_));
    scatter_constraints(1, j.block(2 * n_, 0, m_, n_));
    const Index velocities = system_.parts().n_velocity_constraints(), first = 2 * n_ + m_ - velocities;
    j.middleRows(first, velocities).setZero();
    j.block(first, first + m_, velocities, velocities).diagonal().setOnes();
    scatter_constraints(1, j.block(2 * n_ + m_, n_, m_, n_));
    system_.constraint_jacobian_derivative(t, at.y, at.z, values_);
    scatter_constraints(1, j.block(2 * n_ + m_, 0, m_, n_));
  }
};

class MomentumGgl final : public MomentumForm {
 public:
  using MomentumForm::MomentumForm;

 private:
  void rows(double t, const Point& at, VectorRef r) override {
    momentum_rows(t, at, r.segment(n_, n_));
    if (m_ > 0) {
      position_rows(system_, t, at.y, at.mu, r.segment(2 * n_, m_));
      system_.constraint_velocity(t, at.y, v_, r.tail(m_));
      // q' = T_p(q, p - G^T mu), T_p linear in p
      Vector slipped(n_), turn(n_);
      multiply_transposed(system_.constraint_pattern(), values_, at.mu, slipped);
      slipped = at.z - slipped;
      system_.velocity(at.y, slipped, turn, v_);
    }
    r.head(n_) = at.dy - v_;
  }
};

class OverdeterminedGgl final : public OverdeterminedForm {
 public:
  using OverdeterminedForm::OverdeterminedForm;

 private:
  void rows(double, const Point& at, VectorRef r) override {
    dynamic_rows(at, r);
    Vector term(ny_);
    multiply_transposed(system_.pattern(Term::constraint, Argument::y), values(Term::constraint, Argument::y, at),
                        at.mu, term);
    r.head(ny_) += term;
    r.segment(ny_ + nz_, m_) = value(Term::hidden, at);
    r.tail(m_) = value(Term::constraint, at);
    for_rows_without_position([&](Index i) { r.tail(m_)[i] = at.mu[i]; });
  }

  void derivatives(double, double cj, const Point& at, Eigen::Ref<Matrix> j) override {
    dynamic_jacobian(cj, at, j);
    add_dense(system_.pattern(Term::constraint, Argument::y), values(Term::constraint, Argument::y, at), 1,
              j.topRightCorner(ny_, m_).transpose());
    add(Term::hidden, Argument::y, at, 1, j.middleRows(ny_ + nz_, m_));
    add(Term::hidden, Argument::z, at, 1, j.middleRows(ny_ + nz_, m_));
    add(Term::constraint, Argument::y, at, 1, j.bottomRows(m_));
    for_rows_without_position([&](Index i) { j.bottomRightCorner(m_, m_)(i, i) = 1; });
  }

  /// Constraints of velocities have no entries in g_y.
  template <class F>
  void for_rows_without_position(F f) const {
    const SparsityPattern& pattern = system_.pattern(Term::constraint, Argument::y);
    for (Index i = 0; i < m_; ++i)
      if (pattern.offsets[i] == pattern.offsets[i + 1]) f(i);
  }
};

}  // namespace

GNOMON_PLUGIN(ida_ggl) {
  registrar.add(ida_reference(
      "ida-ggl",
      "IDA on the stabilised index-2 form (Gear, Gupta, Leimkuhler): position and velocity constraints enforced",
      {2, make_form<MechanicalGgl>, make_form<MomentumGgl>, make_form<OverdeterminedGgl>}));
}
