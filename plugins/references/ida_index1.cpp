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
#include "gnomon/run/reference.hpp"
#include "kernels/mechanical_form.hpp"
#include "kernels/momentum_form.hpp"
#include "kernels/overdetermined_form.hpp"

namespace {

using gnomon::Argument;
using gnomon::ConstVectorRef;
using gnomon::Index;
using gnomon::Matrix;
using gnomon::Term;
using gnomon::Vector;

class MechanicalIndex1 final : public gnomon::kernels::MechanicalForm {
 public:
  static constexpr Index sets = 1;
  explicit MechanicalIndex1(const gnomon::kernels::MechanicalModel& model) : MechanicalForm(model, sets) {}

  void residual(double t, const ConstVectorRef& y, const ConstVectorRef& yp, gnomon::VectorRef r) override {
    const Vector q = y.head(n_), v = y.segment(n_, n_), lambda = y.tail(m_), a = yp.segment(n_, n_);
    r.head(n_) = yp.head(n_) - v;
    momentum_rows(t, q, v, a, lambda, r.segment(n_, n_));
    if (m_ == 0) return;
    Vector bias(m_);
    system_.constraint_bias(t, q, v, bias);
    multiply(system_.constraint_pattern(), values_, a, r.tail(m_));
    r.tail(m_) += bias;
  }

  void jacobian(double t, double cj, const ConstVectorRef& y, const ConstVectorRef& yp, Eigen::Ref<Matrix> j) override {
    const Vector q = y.head(n_), v = y.segment(n_, n_), lambda = y.tail(m_), a = yp.segment(n_, n_);
    j.topLeftCorner(n_, n_).diagonal().setConstant(cj);
    j.block(0, n_, n_, n_).diagonal().setConstant(-1);
    momentum_jacobian(t, cj, q, v, lambda, j);
    if (m_ == 0) return;
    // d/dq (G a + v^T (Hess g) v), and d/dv of the same plus cj G.
    auto dq = j.block(2 * n_, 0, m_, n_), dv = j.block(2 * n_, n_, m_, n_);
    scatter_constraints(cj, dv);
    system_.constraint_jacobian_derivative(t, q, v, values_);
    scatter_constraints(2, dv);
    system_.constraint_jacobian_derivative(t, q, a, values_);
    scatter_constraints(1, dq);
    system_.constraint_third(t, q, v, v, values_);
    scatter_constraints(1, dq);
  }
};

class MomentumIndex1 final : public gnomon::kernels::MomentumForm {
 public:
  static constexpr Index sets = 1;
  explicit MomentumIndex1(const gnomon::kernels::MechanicalModel& model) : MomentumForm(model, sets) {}

  void residual(double t, const ConstVectorRef& x, const ConstVectorRef& xp, gnomon::VectorRef r) override {
    const Vector q = x.head(n_), p = x.segment(n_, n_), lambda = x.tail(m_);
    const Vector dq = xp.head(n_), dp = xp.segment(n_, n_);
    momentum_rows(t, q, p, dp, lambda, r.segment(n_, n_));
    r.head(n_) = dq - v_;
    if (m_ == 0) return;
    Vector bias(m_), turn(n_), a(n_);
    system_.parts().mass->kinetic_hessian_times(q, p, dq, dp, turn, a);  // a = d/dt T_p
    system_.constraint_bias(t, q, v_, bias);
    multiply(system_.constraint_pattern(), values_, a, r.tail(m_));
    r.tail(m_) += bias;
  }
};

class OverdeterminedIndex1 final : public gnomon::kernels::OverdeterminedForm {
 public:
  static constexpr Index sets = 1;
  explicit OverdeterminedIndex1(const gnomon::kernels::OverdeterminedModel& model) : OverdeterminedForm(model, sets) {}

  void residual(double, const ConstVectorRef& x, const ConstVectorRef& xp, gnomon::VectorRef r) override {
    const Point p = point(x, xp);
    dynamic_rows(p, r);
    r.tail(m_) = slope(Term::hidden, p);
  }

  void jacobian(double, double cj, const ConstVectorRef& x, const ConstVectorRef& xp, Eigen::Ref<Matrix> j) override {
    const Point p = point(x, xp);
    dynamic_jacobian(cj, p, j);
    add_slope(Term::hidden, Argument::y, cj, p, j.bottomRows(m_));
    add_slope(Term::hidden, Argument::z, cj, p, j.bottomRows(m_));
  }
};

class IdaIndex1 final : public gnomon::Reference {
 public:
  std::string name() const override { return "ida-index1"; }
  std::string description() const override {
    return "IDA on the index-1 form: multipliers from the constraints differentiated twice";
  }
  gnomon::OptionSpecs options() const override { return gnomon::kernels::ida_options(); }
  std::unique_ptr<gnomon::ReferenceSolution> start(const gnomon::ProblemInstance& instance,
                                                   const gnomon::Options& options) const override {
    return gnomon::kernels::start_ida<MechanicalIndex1, MomentumIndex1, OverdeterminedIndex1>(instance, options,
                                                                                              name());
  }
};

}  // namespace

GNOMON_PLUGIN(ida_index1) {
  registrar.add(std::unique_ptr<gnomon::Reference>(new IdaIndex1));
}
