// ida-ggl: the stabilised index-2 form, both constraint levels enforced, by IDA's BDF,
//
//     y = (q, v, lambda, mu)
//     0 = M (q' - v) + G^T mu
//     0 = M v' + grad U + G^T lambda - Q
//     0 = g
//     0 = G v + g_t
//
// mu = 0 on the exact solution. Gear, Leimkuhler and Gupta, Automatic integration of Euler-Lagrange equations with
// constraints, J. Comput. Appl. Math. 12-13 (1985) 77-90.
#include "gnomon/plugin.hpp"
#include "kernels/ida_reference.hpp"

namespace {

using gnomon::ConstVectorRef;
using gnomon::Index;
using gnomon::Matrix;
using gnomon::Vector;

class GglForm final : public gnomon::kernels::IdaForm {
 public:
  explicit GglForm(const gnomon::System& system) : IdaForm(system, 2 * system.m()) {}

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
    scatter(mass.pattern(), mass.values(), cj, j.topLeftCorner(n_, n_));
    scatter(mass.pattern(), mass.values(), -1, j.block(0, n_, n_, n_));
    momentum_jacobian(t, cj, q, lambda, j);
    if (m_ == 0) return;
    // d(G^T mu)/dq, one column after the other.
    Vector unit = Vector::Zero(n_), column(n_);
    for (Index k = 0; k < n_; ++k) {
      unit[k] = 1;
      system_.constraint_hessian_times(t, q, mu, unit, column);
      j.col(k).head(n_) += column;
      unit[k] = 0;
    }
    scatter_transposed(values_, 1, j.block(0, 2 * n_ + m_, n_, m_));
    scatter(values_, 1, j.block(2 * n_, 0, m_, n_));
    scatter(values_, 1, j.block(2 * n_ + m_, n_, m_, n_));
    system_.constraint_jacobian_derivative(t, q, v, values_);
    scatter(values_, 1, j.block(2 * n_ + m_, 0, m_, n_));
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
    return gnomon::kernels::start_ida<GglForm>(instance, options, name());
  }
};

}  // namespace

GNOMON_PLUGIN(ida_ggl) {
  registrar.add(std::unique_ptr<gnomon::Reference>(new IdaGgl));
}
