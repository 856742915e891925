#pragma once
/// \file
/// VelocityRows: constraints of positions, g(q,t), and behind them constraints of velocities, Psi(q,v,t) = A(q,t) v +
/// b(q,t), as one Function of q. Its last rows have no value, and derivatives in the places of those of g:
///
///     value               0                       third(v, w)         d(A'[w] v)/dq,  A'[w] = d A(q + e w)/de
///     jacobian            A                       rate_jacobian       db/dq
///     jacobian_derivative d(A v)/dq               along               Psi;  d/dt Psi - A v'
///     product(mu, w)      A'[w]^T mu              add_hessian         d(A^T mu)/dq, which is not symmetric
///                                                 add_rate_hessian    Hess (mu.b)
///
/// The pattern of Hessians is symmetric, and has the places of Hess (mu.(A v)) too.
///
/// G'[w] and d(G w)/dq are the same matrix. A'[w] and d(A w)/dq are not: turn() has the former.

#include <memory>
#include <string>
#include <vector>

#include "gnomon/formula/function.hpp"

namespace gnomon {

class GNOMON_EXPORT VelocityRows final : public Function {
 public:
  /// positions: g of q;  velocities: Psi of (q, v) in one block. `names` has one for each row of Psi. Throws
  /// Error(bad_value) where Psi is not linear in v, beginning with `what`.
  VelocityRows(std::unique_ptr<const Function> positions, std::unique_ptr<const Function> velocities,
               const std::vector<std::string>& names, const std::string& what);

  /// Rows of Psi.
  Index count() const { return velocities_->outputs(); }
  /// b or a change of A or b with time is there.
  bool drives() const { return drives_; }
  /// values: G'[v] + G_t and A'[v] + A_t, how the Jacobian changes along the motion
  void turn(double t, const Blocks& x, const double* v, double* values) const;

  void value(double t, const Blocks& x, double* out) const override;
  void extended(double t, const Blocks& x, const Blocks& tail, long double* out) const override;
  void compensated(double t, const Blocks& x, const Blocks& tail, double* out) const override;
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
  void product(double t, const Blocks& x, const double* mu, const Blocks& w, const Results& out) const override;
  /// Those of g.
  void gradient(double t, const Blocks& x, const Results& out) const override;
  void third_product(double t, const Blocks& x, const Blocks& w, const Blocks& u, const Results& out) const override;

 private:
  /// An entry of the Jacobian, or of the Hessian, of Psi, and where it is among the values of this one.
  struct Entry {
    Index from, to;
  };
  /// values = those of Psi's Jacobian in the places of v, or of q
  template <class Value>
  void put(const std::vector<Entry>& entries, const Value* from, Value* values, bool add = false) const;
  void check_linear(const std::vector<std::string>& names, const std::string& what) const;

  std::unique_ptr<const Function> positions_, velocities_;
  Index n_, rows_;
  bool drives_ = false;
  /// values[places[..]] += the entries of a Hessian, or of its rate, that `fill` writes one after the other.
  template <class Fill>
  void add_entries(const std::vector<Entry>& entries, Index count, const Fill& fill, const Index* places,
                   double* values) const;

  std::vector<Entry> by_q_, by_v_, bending_, bending_of_drive_, bending_of_g_;
  std::vector<Index> in_order_;  ///< 0, 1, ..: where a Hessian is written one entry after the other
};

}  // namespace gnomon
