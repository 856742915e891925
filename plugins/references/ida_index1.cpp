/// \file
/// ida-index1: the equations of motion with the constraints differentiated twice, by IDA's BDF,
///
///     x = (q, v, lambda)                                  x = (y, z, psi)
///     0 = q' - v                                          0 = y' - v(y,z)
///     0 = M v' + grad U + G^T lambda - Q                  0 = p_y y' + p_z z' - f - r(y,z,psi)
///     0 = G v' + v^T (Hess g) v + 2 G_t v + g_tt          0 = h_y y' + h_z z',   h = g_y v
///
/// of a mechanical system without friction (of one whose mass depends on q in (q, p): 0 = q' - T_p, 0 = p' + H_q +
/// G^T lambda - Q, 0 = d/dt G T_p), and of an overdetermined DAE. g = 0 and h = 0 are not enforced: their drift
/// measures the accuracy. Hairer and Wanner, Solving Ordinary Differential Equations II, section VII.1 (index
/// reduction).
#include "gnomon/registry/plugin.hpp"
#include "references/kernels/ida_reference.hpp"
#include "references/kernels/mechanical_form.hpp"
#include "references/kernels/momentum_form.hpp"
#include "references/kernels/overdetermined_form.hpp"

namespace {

using namespace gnomon;
using namespace gnomon::kernels;

class MechanicalIndex1 final : public MechanicalForm {
 public:
  using MechanicalForm::MechanicalForm;

 private:
  void rows(double t, const Point& at, VectorRef r) override {
    r.head(n_) = at.dy - at.z;
    momentum_rows(t, at, r.segment(n_, n_));
    if (m_ == 0) return;
    Vector bias(m_);
    system_.constraint_bias(t, at.y, at.z, bias);
    multiply(system_.constraint_pattern(), values_, at.dz, r.tail(m_));
    r.tail(m_) += bias;
  }

  void derivatives(double t, double cj, const Point& at, Eigen::Ref<Matrix> j) override {
    j.topLeftCorner(n_, n_).diagonal().setConstant(cj);
    j.block(0, n_, n_, n_).diagonal().setConstant(-1);
    momentum_jacobian(t, cj, at, j);
    if (m_ == 0) return;
    // d/dq (G a + v^T (Hess g) v), and d/dv of the same plus cj G.
    auto dq = j.block(2 * n_, 0, m_, n_), dv = j.block(2 * n_, n_, m_, n_);
    scatter_constraints(cj, dv);
    system_.constraint_jacobian_derivative(t, at.y, at.z, values_);
    const VelocityConstraints* velocities = system_.parts().velocity_constraints;
    scatter_constraints(velocities ? 1 : 2, dv);
    if (velocities) {
      velocities->constraint_turn(t, at.y, at.z, values_);
      scatter_constraints(1, dv);
    }
    system_.constraint_jacobian_derivative(t, at.y, at.dz, values_);
    scatter_constraints(1, dq);
    system_.constraint_third(t, at.y, at.z, at.z, values_);
    scatter_constraints(1, dq);
  }
};

class MomentumIndex1 final : public MomentumForm {
 public:
  using MomentumForm::MomentumForm;

 private:
  void rows(double t, const Point& at, VectorRef r) override {
    momentum_rows(t, at, r.segment(n_, n_));
    r.head(n_) = at.dy - v_;
    if (m_ == 0) return;
    Vector bias(m_), turn(n_), a(n_);
    system_.parts().mass->kinetic_hessian_times(at.y, at.z, at.dy, at.dz, turn, a);  // a = d/dt T_p
    system_.constraint_bias(t, at.y, v_, bias);
    multiply(system_.constraint_pattern(), values_, a, r.tail(m_));
    r.tail(m_) += bias;
  }
};

class OverdeterminedIndex1 final : public OverdeterminedForm {
 public:
  using OverdeterminedForm::OverdeterminedForm;

 private:
  void rows(double, const Point& at, VectorRef r) override {
    dynamic_rows(at, r);
    r.tail(m_) = slope(Term::hidden, at);
  }

  void derivatives(double, double cj, const Point& at, Eigen::Ref<Matrix> j) override {
    dynamic_jacobian(cj, at, j);
    add_slope(Term::hidden, Argument::y, cj, at, j.bottomRows(m_));
    add_slope(Term::hidden, Argument::z, cj, at, j.bottomRows(m_));
  }
};

}  // namespace

GNOMON_PLUGIN(ida_index1) {
  registrar.add(
      ida_reference("ida-index1", "IDA on the index-1 form: multipliers from the constraints differentiated twice",
                    {1, make_form<MechanicalIndex1>, make_form<MomentumIndex1>, make_form<OverdeterminedIndex1>}));
}
