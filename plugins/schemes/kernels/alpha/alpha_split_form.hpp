#pragma once
/// \file
/// The minimisation form of the alpha-schemes whose constraint force is at the end, (97), for quadratic U and
/// constraints |p_j| = 1, p = B x + c:
///
///     (M/h + h alpha A) delta - b + sum_j theta_j sigma B_j^T p_j = 0,   p = sigma B delta + B (x + base) + c
///
/// with b = -h grad U(x), theta = 2 h lambda/sigma: what Algorithm 2 solves in a step.

#include "gnomon/model/split_form.hpp"
#include "gnomon/model/system.hpp"
#include "kernels/alpha/alpha_frame.hpp"

namespace gnomon::kernels {

class AlphaSplitForm : public SplitForm {
 public:
  bool has_split_form() const override { return form_ != nullptr; }
  int dimension() const override { return form_->dimension; }
  Index n_points() const override { return m_; }
  const SparsityPattern& quadratic_pattern() const override { return pattern_; }
  const SparsityPattern& split_pattern() const override { return form_->pattern; }
  const Vector& split_weights() const override { return weights_; }

  void quadratic(VectorRef a, VectorRef b, VectorRef split, VectorRef c) override;
  void take_apart(const ConstVectorRef& x, VectorRef y, VectorRef theta) override;
  void put_together(const ConstVectorRef& y, const ConstVectorRef& theta, VectorRef x) override;

 protected:
  /// Has the form only where `wanted` and the system has. The frame outlives this object, and is that of the step.
  AlphaSplitForm(const System& system, double alpha, bool wanted, const AlphaFrame& frame);
  /// Values of A on the Hessian's pattern.
  virtual const Vector& quadratic_part() const = 0;

 private:
  const System* system_;
  const AlphaFrame* frame_;
  double alpha_;
  Index m_;
  const UnitVectorForm* form_ = nullptr;
  SparsityPattern pattern_;
  BlockMap mass_, hessian_;
  Vector weights_, point_;
};

}  // namespace gnomon::kernels
