#include "kernels/common/finer_solution.hpp"

#include <utility>

#include "gnomon/base/thresholds.hpp"

namespace gnomon::kernels {

bool led(const State& z0, const State& z1, double h) {
  return std::abs(((z1.t - z0.t) + (z1.t_tail - z0.t_tail)) - h) <= thresholds::end_of_step * std::abs(h);
}

FinerSolution::FinerSolution(NonlinearEquations& equations, ApproximateInverse& inverse, const AlgebraTable& table,
                             Vector of_q, Vector of_v)
    : equations_(&equations),
      inverse_(&inverse),
      matrix_(newton_matrix(equations, table)),
      of_q_(std::move(of_q)),
      of_v_(std::move(of_v)) {
  for (Vector* v : {&x_, &f_, &step_, &d_, &columns_, &rows_}) v->setZero(equations.size());
  for (Vector* v : {&q_, &v_, &change_q_, &change_v_}) v->setZero(of_q_.size());
}

}  // namespace gnomon::kernels
