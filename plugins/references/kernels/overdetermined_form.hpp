#pragma once
/// \file
/// IDA on an OverdeterminedSystem: what its index-1 and its stabilised index-2 form share, x = (y, z, psi, ...),
///
///     0 = y' - v(y,z)
///     0 = p_y y' + p_z z' - f(y,z) - r(y,z,psi)
///
/// The Jacobian needs second derivatives of p (and of h in the index-1 form) only along the solution,
///
///     d/dy (h_y y' + h_z z') = lim [h_y(y + s y', z + s z') - h_y(y - s y', z - s z')] / 2s
///
/// because partial derivatives commute: one central difference of the model's first derivatives gives them to some ten
/// digits, for all columns at once.

#include "references/kernels/ida_form.hpp"

namespace gnomon::kernels {

class OverdeterminedForm : public IdaForm {
 public:
  OverdeterminedForm(const OverdeterminedModel& model, Index sets)
      : IdaForm(model, sets), system_(model.system()), sizes_(model.sizes()), none_(Vector::Zero(m_)) {}

  bool has_jacobian() const final { return true; }

 protected:
  /// d(term)/dy y' + d(term)/dz z'
  Vector slope(Term term, const Point& p) const;
  Vector value(Term term, const Point& p) const;
  Vector values(Term term, Argument argument, const Point& p) const;

  void dynamic_rows(const Point& p, VectorRef r) const;
  void dynamic_jacobian(double cj, const Point& p, Eigen::Ref<Matrix> j) const;

  /// rows += factor * d(term)/d(argument), in the argument's columns
  void add(Term term, Argument argument, const Point& p, double factor, Eigen::Ref<Matrix> rows) const;
  /// rows += d/d(argument) of slope(term), with cj for d(slope of the argument)/d(argument)
  void add_slope(Term term, Argument argument, double cj, const Point& p, Eigen::Ref<Matrix> rows) const;

  const OverdeterminedSystem& system_;

 private:
  Eigen::Ref<Matrix> columns(Argument argument, Eigen::Ref<Matrix> rows) const;

  const StateSizes sizes_;
  Vector none_;
};

}  // namespace gnomon::kernels
