#pragma once
/// \file
/// QuadraticFunction: f at most quadratic in x, time only in terms without x,
///
///     f_i = c_i(t) + b_i . x + x^T H_i x / 2,    row i of G = b_i + H_i x,    Hess f_i = H_i
///
/// b and H are found once; every derivative is then a sparse sum of products. Values come from the tape, in the order
/// of operations in which the author wrote them. b and H are found at long double, where g is evaluated, too: G at
/// Extended is the derivative of that very g. With coefficients rounded to double it would be that of another function,
/// and a constraint would be moved along by the difference, in one direction for ever. Derivatives at double have them
/// rounded once.

#include "gnomon/formula/tape_function.hpp"

namespace gnomon {

class GNOMON_EXPORT QuadraticFunction final : public TapeFunction {
 public:
  static bool fits(const Tape& tape);
  /// fits(tape) must hold.
  explicit QuadraticFunction(Tape tape);

  void jacobian(std::size_t block, double t, const Blocks& x, double* values) const override;
  bool extended_jacobian(double t, const Blocks& x, const Blocks& tail, long double* values) const override;
  void jacobian_derivative(double t, const Blocks& x, const double* v, double* values) const override;
  void third(double t, const Blocks& x, const double* v, const double* w, double* values) const override;
  void rate_jacobian(double t, const Blocks& x, double* values) const override;
  void along(double t, const Blocks& x, const double* v, double* first, double* second) const override;
  void add_hessian(double t, const Blocks& x, const double* mu, const Index* places, double* values) const override;
  void add_rate_hessian(double t, const Blocks& x, const double* mu, const Index* places,
                        double* values) const override;
  void add_hessian_derivative(double t, const Blocks& x, const double* mu, const double* v, const Index* places,
                              double* values) const override;
  void gradient(double t, const Blocks& x, const Results& out) const override;
  void third_product(double t, const Blocks& x, const Blocks& w, const Blocks& u, const Results& out) const override;
  void product(double t, const Blocks& x, const double* mu, const Blocks& w, const Results& out) const override;

 private:
  /// One entry of one H_i, in the row of the Jacobian's entry (i, j): H_i(j, column) = factor.
  struct Coupling {
    int entry, j, column;
    int place;  ///< of (j, column) in the values of the Hessian
    double factor;
  };
  /// values += (H_i x)_j for every entry (i, j) of the Jacobian
  void add_coupled(const double* x, double* values) const;

  std::vector<double> linear_;             ///< b, one per entry of the Jacobian
  std::vector<Index> starts_;              ///< of each row's couplings
  std::vector<Coupling> couplings_;        ///< in the order of the entries
  std::vector<long double> wide_linear_;   ///< b before it is rounded; empty: double holds all coefficients
  std::vector<long double> wide_factors_;  ///< the factors of the couplings, in the same way
};

}  // namespace gnomon
