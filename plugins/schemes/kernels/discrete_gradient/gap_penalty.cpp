#include "kernels/discrete_gradient/gap_penalty.hpp"

namespace gnomon::kernels {

GapPenalty::GapPenalty(const System& system, double eps) : two_sided_(system.m()) {
  const Vector& weights = system.traits().constraint_weights;
  stiffness_ = weights.size() > 0 ? weights : Vector::Ones(system.m() + system.parts().n_obstacles());
  stiffness_ /= eps;
}

long double GapPenalty::value(const Vector& y) const {
  long double sum = 0;
  for (Index i = 0; i < size(); ++i)
    if (pushes(i, y[i])) sum += 0.5L * stiffness_[i] * y[i] * y[i];
  return sum;
}

Dual1 GapPenalty::quotient(Index i, double a, const Dual1& b) const {
  const Branch<double> d = branch(i, a, b.value);
  return chain(b, 0.5 * stiffness_[i] * d.value, 0.5 * stiffness_[i] * d.slope);
}

}  // namespace gnomon::kernels
