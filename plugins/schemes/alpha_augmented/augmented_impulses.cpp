#include "alpha_augmented/augmented_impulses.hpp"

#include "gnomon/scheme/one_solve_step.hpp"
#include "kernels/discrete_gradient/configuration_inertia.hpp"
#include "kernels/discrete_gradient/impulse_multiplier.hpp"
#include "kernels/discrete_gradient/midpoint_equations.hpp"

extern template class gnomon::TemplatedEquations<
    gnomon::kernels::MidpointEquations<gnomon::kernels::ImpulseMultiplier, gnomon::kernels::ConfigurationInertia>,
    false>;

namespace gnomon::kernels {

namespace {

class AugmentedImpulses {
 public:
  using Equations = MidpointEquations<ImpulseMultiplier, ConfigurationInertia>;
  using Step = OneSolveStep<Equations>;
  struct Rule {};

  AugmentedImpulses(Equations& equations, const Rule&)
      : equations_(&equations), n_(equations.model().n()), m_(equations.model().m()) {
    for (Vector* v : {&shift_, &unit_}) v->setZero(m_);
    for (Vector* v : {&start_force_, &turn_, &push_}) v->setZero(n_);
    work_.setZero(equations.size());
    values_.setZero(equations.pattern().nonzeros());
    end_.setZero(equations.model().constraint_pattern().nonzeros());
    by_lambda_.setZero(2 * n_, m_);
  }

  Index m() const { return m_; }
  Index unknowns() const { return 2 * n_ + m_; }
  double h() const { return equations_->step().h; }
  void prepare(State& z) const { z.scheme_data = z.lambda; }
  const Vector& start(const State& z0) const { return z0.scheme_data; }
  void set_lambda(const Vector& lambda) {
    shift_ = 2 * lambda - equations_->step().z0->lambda;
    equations_->multiplier().set_shift(shift_);
  }
  void predicted(const ConstVectorRef& x) { equations_->look_at_start(x); }
  const Vector& end_constraints(const Vector& x) {
    equations_->effective_multiplier(x);
    return equations_->multiplier().end_constraints();
  }
  void first_order(const Vector& g, Vector& lambda) const {
    for (Index i = 0; i < m_; ++i) lambda[i] += equations_->multiplier().gain(i) * g[i];
  }
  void store(const Vector& lambda, State& next) const { next.scheme_data = lambda; }

  /// Lambda_i enters as lambda = 2 e_i, with k = G(q0)^T 2 e_i as dp_m = -h/4 k, so that dF1 = h^2/4 T_pp k, dF2 = h/2
  /// k - h^2/4 T_qp k.
  void linearise(const Vector& x) {
    equations_->jacobian(x, values_);
    equations_->residual(x, work_);  // leaves its points
    const auto& b = equations_->point();
    for (Index i = 0; i < m_; ++i) {
      unit_.setZero();
      unit_[i] = 2;
      equations_->multiplier().start_force(unit_, start_force_);
      equations_->at().kinetic_hessian_times(b.qm, b.pm, start_force_, turn_, push_);
      by_lambda_.col(i).head(n_) = 0.25 * push_;
      by_lambda_.col(i).tail(n_) = 0.5 * start_force_ - 0.25 * h() * turn_;
    }
    equations_->model().constraint_jacobian(equations_->step().t1, b.q1, end_);
  }
  void scale(const Vector& root_mass, const Vector& lengths, Vector& columns, Vector& rows) const {
    columns << root_mass.cwiseInverse(), root_mass, lengths.cwiseInverse(), lengths.cwiseInverse();
    rows << root_mass.cwiseInverse(), root_mass, lengths / std::abs(h()), lengths;  // of T, p, g' and g
  }
  /// Unknowns d(dq), h d(dp), h^2 d(mu), the second rows times h.
  template <class Add>
  void for_each_entry(const Add& add) const {
    const SparsityPattern &pattern = equations_->pattern(), &g = equations_->model().constraint_pattern();
    for (Index i = 0; i < pattern.rows; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
        const Index j = pattern.indices[k];
        const double row = i < n_ || i >= 2 * n_ ? 1 : h(), column = j < n_       ? 1
                                                                     : j < 2 * n_ ? 1 / h()
                                                                                  : 1 / (h() * h());
        add(i, j, row * column * values_[k]);
      }
    for (Index i = 0; i < m_; ++i) {
      for (Index j = 0; j < 2 * n_; ++j) add(j, unknowns() + i, by_lambda_(j, i));
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) add(unknowns() + i, g.indices[k], end_[k]);
    }
  }
  void settle(const Vector&) const {}
  void move(const Vector& d, Vector& x) const {
    x.head(n_) += d.head(n_);
    x.segment(n_, n_) += d.segment(n_, n_) / h();
    x.tail(m_) += d.segment(2 * n_, m_) / (h() * h());
  }

 private:
  Equations* equations_;
  Index n_, m_;
  Vector shift_, unit_, start_force_, turn_, push_, work_, values_, end_;
  Matrix by_lambda_;
};

}  // namespace

std::unique_ptr<StepEquations> augmented_impulse_step(const AugmentedRule& rule, const System& system, double eps) {
  return std::make_unique<AugmentedStep<AugmentedImpulses>>(rule, AugmentedImpulses::Rule{}, system, MidpointRule{},
                                                            ImpulseMultiplier::Rule{true, eps});
}

}  // namespace gnomon::kernels
