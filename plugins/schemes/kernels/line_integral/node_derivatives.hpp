#pragma once
/// \file
/// The derivatives of what stands in the moments of one node of general_line_integral.hpp,
///
///     [H_q; H_p], with what the multipliers add to them, by z = (q,p), lambda and gamma
///
/// which is all that a node gives to the Newton matrix: its unknowns enter through z_l, lambda_l and gamma_l alone.

#include <type_traits>

#include "gnomon/base/types.hpp"

namespace gnomon::kernels {

struct NodeDerivatives {
  Matrix by_state;             ///< 2n x 2n
  Matrix by_lambda, by_gamma;  ///< 2n x m
  void allocate(Index n, Index m) {
    by_state.setZero(2 * n, 2 * n);
    for (Matrix* a : {&by_lambda, &by_gamma}) a->setZero(2 * n, m);
  }
};

/// Whether a Hamiltonian has void hessian(t, q, p, lambda, Matrix& out): out = Hess (H + lambda.g) by (q,p), 2n x 2n.
template <class Hamiltonian, class = void>
struct HasHessian : std::false_type {};
template <class Hamiltonian>
struct HasHessian<Hamiltonian, std::void_t<decltype(&Hamiltonian::hessian)>> : std::true_type {};

}  // namespace gnomon::kernels
