#pragma once
/// \file
/// QuadraticFunction: f at most quadratic in x, time only in terms without x,
///
///     f_i = c_i(t) + b_i . x + x^T H_i x / 2,    row i of G = b_i + H_i x,    Hess f_i = H_i
///
/// b and H are found once; every derivative is then a sparse sum of products. Values come from the tape, in the order
/// of operations in which the author wrote them.

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
  void gradient(double t, const Blocks& x, const Results& out) const override;
  void third_product(double t, const Blocks& x, const Blocks& w, const Blocks& u, const Results& out) const override;
  void product(double t, const Blocks& x, const double* mu, const Blocks& w, const Results& out) const override;

 private:
  /// One entry of one H_i, in the row of the Jacobian's entry (i, j): H_i(j, column) = factor.
  struct Coupling {
    Index column;
    double factor;
    Index place;  ///< of (j, column) in the values of the Hessian
  };
  /// (H_i x)_j for the entry k = (i, j) of the Jacobian.
  double coupled(Index k, const double* x) const {
    double sum = 0;
    for (Index c = starts_[static_cast<std::size_t>(k)]; c < starts_[static_cast<std::size_t>(k) + 1]; ++c) {
      const Coupling& at = couplings_[static_cast<std::size_t>(c)];
      sum += at.factor * x[at.column];
    }
    return sum;
  }

  std::vector<double> linear_;  ///< b, one per entry of the Jacobian
  std::vector<Index> starts_;   ///< of each entry's couplings
  std::vector<Coupling> couplings_;
};

}  // namespace gnomon
