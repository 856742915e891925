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
/// Hess(g^T mu) is left out of the Jacobian on the right. Gear, Leimkuhler and Gupta, Automatic integration of
/// Euler-Lagrange equations with constraints, J. Comput. Appl. Math. 12-13 (1985) 77-90.
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

class MechanicalGgl final : public gnomon::kernels::MechanicalForm {
 public:
  static constexpr Index sets = 2;
  explicit MechanicalGgl(const gnomon::kernels::MechanicalModel& model) : MechanicalForm(model, sets) {}

  void residual(double t, const ConstVectorRef& y, const ConstVectorRef& yp, gnomon::VectorRef r) override {
    const Vector q = y.head(n_), v = y.segment(n_, n_), lambda = y.segment(2 * n_, m_), mu = y.tail(m_);
    momentum_rows(t, q, v, yp.segment(n_, n_), lambda, r.segment(n_, n_));
    const Vector slip = yp.head(n_) - v;
    Vector term(n_);
    system_.mass().apply(slip, r.head(n_));
    multiply_transposed(system_.constraint_pattern(), values_, mu, term);
    r.head(n_) += term;
    if (m_ == 0) return;
    system_.constraints(t, q, r.segment(2 * n_, m_));
    system_.constraint_velocity(t, q, v, r.tail(m_));
  }

  void jacobian(double t, double cj, const ConstVectorRef& y, const ConstVectorRef&, Eigen::Ref<Matrix> j) override {
    const Vector q = y.head(n_), v = y.segment(n_, n_), lambda = y.segment(2 * n_, m_), mu = y.tail(m_);
    const auto& mass = system_.mass();
    gnomon::kernels::scatter(mass.pattern(), mass.values(), cj, j.topLeftCorner(n_, n_));
    gnomon::kernels::scatter(mass.pattern(), mass.values(), -1, j.block(0, n_, n_, n_));
    momentum_jacobian(t, cj, q, v, lambda, j);
    if (m_ == 0) return;
    // d(G^T mu)/dq, one column after the other.
    Vector unit = Vector::Zero(n_), column(n_);
    for (Index k = 0; k < n_; ++k) {
      unit[k] = 1;
      system_.constraint_hessian_times(t, q, mu, unit, column);
      j.col(k).head(n_) += column;
      unit[k] = 0;
    }
    scatter_reaction(j.block(0, 2 * n_ + m_, n_, m_));
    scatter_constraints(1, j.block(2 * n_, 0, m_, n_));
    scatter_constraints(1, j.block(2 * n_ + m_, n_, m_, n_));
    system_.constraint_jacobian_derivative(t, q, v, values_);
    scatter_constraints(1, j.block(2 * n_ + m_, 0, m_, n_));
  }
};

class MomentumGgl final : public gnomon::kernels::MomentumForm {
 public:
  static constexpr Index sets = 2;
  explicit MomentumGgl(const gnomon::kernels::MechanicalModel& model) : MomentumForm(model, sets) {}

  void residual(double t, const ConstVectorRef& x, const ConstVectorRef& xp, gnomon::VectorRef r) override {
    const Vector q = x.head(n_), p = x.segment(n_, n_), lambda = x.segment(2 * n_, m_), mu = x.tail(m_);
    momentum_rows(t, q, p, xp.segment(n_, n_), lambda, r.segment(n_, n_));
    if (m_ == 0) {
      r.head(n_) = xp.head(n_) - v_;
      return;
    }
    system_.constraints(t, q, r.segment(2 * n_, m_));
    system_.constraint_velocity(t, q, v_, r.tail(m_));
    // q' = T_p(q, p - G^T mu), T_p linear in p
    Vector slipped(n_), turn(n_);
    multiply_transposed(system_.constraint_pattern(), values_, mu, slipped);
    slipped = p - slipped;
    system_.velocity(q, slipped, turn, v_);
    r.head(n_) = xp.head(n_) - v_;
  }
};

class OverdeterminedGgl final : public gnomon::kernels::OverdeterminedForm {
 public:
  static constexpr Index sets = 2;
  explicit OverdeterminedGgl(const gnomon::kernels::OverdeterminedModel& model) : OverdeterminedForm(model, sets) {}

  void residual(double, const ConstVectorRef& x, const ConstVectorRef& xp, gnomon::VectorRef r) override {
    const Point p = point(x, xp);
    const Vector mu = x.tail(m_);
    dynamic_rows(p, r);
    Vector term(ny_);
    multiply_transposed(system_.pattern(Term::constraint, Argument::y), values(Term::constraint, Argument::y, p), mu,
                        term);
    r.head(ny_) += term;
    r.segment(ny_ + nz_, m_) = value(Term::hidden, p);
    r.tail(m_) = value(Term::constraint, p);
  }

  void jacobian(double, double cj, const ConstVectorRef& x, const ConstVectorRef& xp, Eigen::Ref<Matrix> j) override {
    const Point p = point(x, xp);
    dynamic_jacobian(cj, p, j);
    gnomon::kernels::scatter_transposed(system_.pattern(Term::constraint, Argument::y),
                                        values(Term::constraint, Argument::y, p), 1, j.topRightCorner(ny_, m_));
    add(Term::hidden, Argument::y, p, 1, j.middleRows(ny_ + nz_, m_));
    add(Term::hidden, Argument::z, p, 1, j.middleRows(ny_ + nz_, m_));
    add(Term::constraint, Argument::y, p, 1, j.bottomRows(m_));
  }
};

class IdaGgl final : public gnomon::Reference {
 public:
  std::string name() const override { return "ida-ggl"; }
  std::string description() const override {
    return "IDA on the stabilised index-2 form (Gear, Gupta, Leimkuhler): position and velocity constraints enforced";
  }
  gnomon::OptionSpecs options() const override { return gnomon::kernels::ida_options(); }
  std::unique_ptr<gnomon::ReferenceSolution> start(const gnomon::ProblemInstance& instance,
                                                   const gnomon::Options& options) const override {
    return gnomon::kernels::start_ida<MechanicalGgl, MomentumGgl, OverdeterminedGgl>(instance, options, name());
  }
};

}  // namespace

GNOMON_PLUGIN(ida_ggl) {
  registrar.add(std::unique_ptr<gnomon::Reference>(new IdaGgl));
}
