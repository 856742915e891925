#pragma once
/// \file
/// IDA on a System: what its index-1 and its stabilised index-2 form share, x = (q, v, multipliers).

#include <utility>
#include <vector>

#include "references/kernels/ida_form.hpp"

namespace gnomon::kernels {

class MechanicalForm : public IdaForm {
 public:
  MechanicalForm(const MechanicalModel& model, Index sets);

  bool has_jacobian() const final { return has_jacobian_; }

 protected:
  /// r = M v' + grad U + G^T lambda - Q; leaves G in values_.
  void momentum_rows(double t, const Point& at, VectorRef r);
  /// Their derivatives, in rows n..2n: Hess U + sum lambda_i Hess g_i - Q_q, cj M - Q_v, G^T; leaves G in values_.
  void momentum_jacobian(double t, double cj, const Point& at, Eigen::Ref<Matrix> j);

  /// block += factor * values_, as m x n, and += values_^T.
  void scatter_constraints(double factor, Eigen::Ref<Matrix> block) const {
    add_dense(system_.constraint_pattern(), values_, factor, block);
  }
  void scatter_reaction(Eigen::Ref<Matrix> block) const {
    add_dense(system_.constraint_pattern(), values_, 1, block.transpose());
  }

  const System& system_;
  Index n_;
  Vector values_;   // on the constraint pattern
  Vector hessian_;  // on the Hessian pattern

 private:
  std::vector<std::pair<ForceArgument, Vector>> force_;  // values of its derivatives
  bool has_jacobian_;
};

}  // namespace gnomon::kernels
