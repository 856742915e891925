#include "kernels/common/finer_solution.hpp"

namespace gnomon::kernels {

bool led(const State& z0, const State& z1, double h) {
  return std::abs(((z1.t - z0.t) + (z1.t_tail - z0.t_tail)) - h) <= 1e-9 * std::abs(h);
}

FinerSolution::FinerSolution(NonlinearEquations& equations, ApproximateInverse& inverse, const AlgebraTable& table,
                             Index n)
    : equations_(&equations), inverse_(&inverse), matrix_(newton_matrix(equations, table)) {
  for (Vector* v : {&x_, &f_, &step_, &d_, &columns_, &rows_}) v->setZero(equations.size());
  for (Vector* v : {&q_, &v_, &change_q_, &change_v_}) v->setZero(n);
}

}  // namespace gnomon::kernels
