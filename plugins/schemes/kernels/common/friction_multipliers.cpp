#include "kernels/common/friction_multipliers.hpp"

#include <limits>

#include "gnomon/model/constraint_sizes.hpp"

namespace gnomon::kernels {

FrictionMultipliers::FrictionMultipliers(const System& system)
    : system_(&system), friction_(system.m() > 0 ? system.parts().friction : nullptr), linear_(system), m_(system.m()) {
  if (!friction_) return;
  const Index n = system.n();
  for (Vector* v : {&v_, &force_, &jump_, &scratch_, &column_, &weighed_}) v->setZero(n);
  for (Vector* v : {&fixed_, &change_, &step_, &right_, &lengths_, &sizes_}) v->setZero(m_);
  all_.setZero(m_ + system.parts().n_obstacles());
  by_lambda_.setZero(friction_->friction_pattern(ForceArgument::lambda).nonzeros());
  matrix_.setZero(m_, m_);
  lu_ = Eigen::PartialPivLU<Matrix>(m_);
}

bool FrictionMultipliers::solve(double t, const Vector& q, const Vector& p, Vector& lambda, VectorRef acceleration,
                                VectorRef slope) {
  if (!friction_) return linear_.solve(t, q, p, lambda, acceleration, slope);
  if (!linear_.solve(t, q, p, fixed_, acceleration, slope)) return false;
  system_->velocity(q, p, scratch_, v_);
  if (!find(q, lambda)) return false;
  acceleration += jump_;
  slope += force_;
  ConstraintGram& gram = linear_.gram();
  gram.velocity(change_, jump_);
  acceleration -= jump_;
  multiply_transposed(system_->constraint_pattern(), gram.jacobian(), change_, scratch_);
  slope -= scratch_;
  return true;
}

bool FrictionMultipliers::find(const Vector& q, Vector& lambda) {
  constexpr int most = 50;
  row_lengths(system_->constraint_pattern(), linear_.gram().jacobian(), system_->mass().diagonal_entries(), lengths_);
  multiplier_sizes(lengths_, fixed_, sizes_);
  if (!evaluate(q, lambda)) {  // powers of lambda are not smooth at zero
    lambda = sizes_;
    if (!evaluate(q, lambda)) return false;
  }
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < most; ++i) {
    step_ = lambda - fixed_ - change_;
    set_matrix(q);
    lu_.compute(matrix_);
    solve_factorised();
    if (!step_.allFinite()) return false;
    const double change = largest_part(step_, lambda, sizes_);
    lambda -= step_;
    if (!evaluate(q, lambda)) return false;
    if (at_rounding(change, last)) return true;
    last = change;
  }
  return false;
}

void FrictionMultipliers::solve_factorised() {
  right_.noalias() = lu_.permutationP() * step_;
  lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(right_);
  lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(right_);
  step_ = right_;
}

bool FrictionMultipliers::evaluate(const Vector& q, const Vector& lambda) {
  all_.head(m_) = lambda;
  friction_->friction(q, v_, all_, force_);
  friction_->friction_jacobian(ForceArgument::lambda, q, v_, all_, by_lambda_);
  if (!force_.allFinite() || !by_lambda_.allFinite()) return false;
  system_->velocity(q, force_, scratch_, jump_);
  reach(jump_, change_);
  return true;
}

void FrictionMultipliers::reach(const Vector& x, VectorRef out) {
  linear_.gram().times(x, out);
  linear_.gram().solve(out);
}

void FrictionMultipliers::set_matrix(const Vector& q) {
  const SparsityPattern& pattern = friction_->friction_pattern(ForceArgument::lambda);
  for (Index j = 0; j < m_; ++j) {
    column_.setZero();
    bool any = false;
    for (Index i = 0; i < pattern.rows; ++i)
      if (const Index k = pattern.find(i, j); k >= 0) {
        column_[i] = by_lambda_[k];
        any = true;
      }
    if (any) {
      system_->velocity(q, column_, scratch_, weighed_);
      reach(weighed_, matrix_.col(j));
      matrix_.col(j) = -matrix_.col(j);
    } else {
      matrix_.col(j).setZero();
    }
    matrix_(j, j) += 1;
  }
}

}  // namespace gnomon::kernels
