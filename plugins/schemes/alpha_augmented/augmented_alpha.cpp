#include "alpha_augmented/augmented_alpha.hpp"

#include "kernels/alpha/alpha_step.hpp"

namespace gnomon::kernels {

namespace {

class AugmentedAlpha {
 public:
  using Step = AlphaStep;
  struct Rule {
    double eps;
  };

  AugmentedAlpha(AlphaEquations& equations, const Rule& rule)
      : equations_(&equations), eps_(rule.eps), n_(equations.model().n()), m_(equations.model().m()) {
    const System& system = equations.model();
    weights_ = Vector::Ones(m_);
    if (system.traits().constraint_weights.size() == m_) weights_ = system.traits().constraint_weights;
    for (Vector* v : {&centre_, &end_}) v->setZero(system.constraint_pattern().nonzeros());
    values_.setZero(equations.pattern().nonzeros());
    low_.setZero(n_);
  }

  Index m() const { return m_; }
  Index unknowns() const { return n_; }
  double h() const { return equations_->frame().h; }
  void prepare(State&) const {}
  const Vector& start(const State& z0) const { return z0.lambda; }
  void set_lambda(const Vector& lambda) { equations_->multiplier().set_lambda(lambda); }
  void predicted(const ConstVectorRef&) {}
  const Vector& end_constraints(const Vector& x) {
    equations_->effective_multiplier(x);
    return equations_->multiplier().end_constraints();
  }
  void first_order(const Vector& g, Vector& lambda) const { lambda += weights_.cwiseProduct(g) / eps_; }
  void store(const Vector& lambda, State& next) const {
    if (m_ > 0) next.lambda = lambda;
  }

  void linearise(const Vector& x) {
    equations_->jacobian(x, values_);
    equations_->constraint_jacobians(x, centre_, end_);
  }
  /// [h H, J_centre^T; sigma J_end, 0] for (delta, h^2 lambda)
  template <class Add>
  void for_each_entry(const Add& add) const {
    const double sigma = equations_->frame().sigma;
    const SparsityPattern &pattern = equations_->pattern(), &g = equations_->model().constraint_pattern();
    for (Index i = 0; i < n_; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) add(i, pattern.indices[k], h() * values_[k]);
    for (Index i = 0; i < m_; ++i)
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k) {
        add(g.indices[k], n_ + i, centre_[k]);
        add(n_ + i, g.indices[k], sigma * end_[k]);
      }
  }
  void scale(const Vector& root_mass, const Vector& lengths, Vector& columns, Vector& rows) const {
    columns << root_mass.cwiseInverse(), lengths.cwiseInverse();
    rows << root_mass, lengths;
  }
  void move(const Vector& d, Vector& x) const { x += d.head(n_); }
  /// low += d: the last update's multipliers, and g = 0 beyond double precision. lambda times what the tolerance leaves
  /// of g would be energy, in every step.
  void settle(const Vector& d) {
    low_ = equations_->low() + d.head(n_);
    equations_->set_low(low_);
  }

 private:
  AlphaEquations* equations_;
  double eps_;
  Index n_, m_;
  Vector weights_, values_, centre_, end_, low_;
};

}  // namespace

std::unique_ptr<StepEquations> augmented_alpha_step(const AugmentedRule& rule, const System& system,
                                                    const AlphaRule& alpha) {
  return std::make_unique<AugmentedStep<AugmentedAlpha>>(rule, AugmentedAlpha::Rule{alpha.multiplier.eps}, system,
                                                         nullptr, alpha);
}

}  // namespace gnomon::kernels
