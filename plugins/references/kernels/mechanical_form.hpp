#pragma once
/// \file
/// IDA on a System: what its index-1 and its stabilised index-2 form share, x = (q, v, multipliers).

#include "ida_reference.hpp"

namespace gnomon::kernels {

class MechanicalForm : public IdaForm {
 public:
  MechanicalForm(const MechanicalModel& model, Index sets)
      : IdaForm(model, sets),
        system_(*model.system()),
        n_(system_.n()),
        m_(system_.m()),
        values_(system_.constraint_pattern().nonzeros()),
        hessian_(system_.hessian_pattern().nonzeros()),
        has_jacobian_(!system_.parts().time_dependence) {
    if (!system_.parts().force) return;
    try {
      for (const ForceArgument by : {ForceArgument::q, ForceArgument::v})
        force_.emplace_back(by, Vector(system_.parts().force->force_pattern(by).nonzeros()));
    } catch (const Error&) {
      has_jacobian_ = false;  // the system declares no derivatives of its force
    }
  }

  bool has_jacobian() const final { return has_jacobian_; }

 protected:
  /// r = M a + grad U + G^T lambda - Q; leaves G in values_.
  void momentum_rows(double t, const Vector& q, const Vector& v, const Vector& a, const Vector& lambda, VectorRef r) {
    Vector term(n_);
    system_.mass().apply(a, r);
    system_.potential_gradient(t, q, term);
    r += term;
    system_.constraint_jacobian(t, q, values_);
    multiply_transposed(system_.constraint_pattern(), values_, lambda, term);
    r += term;
    if (!system_.parts().force) return;
    system_.parts().force->force(t, q, v, term);
    r -= term;
  }

  /// Their derivatives, in rows n..2n: Hess U + sum lambda_i Hess g_i - Q_q, cj M - Q_v, G^T; leaves G in values_.
  void momentum_jacobian(double t, double cj, const Vector& q, const Vector& v, const Vector& lambda,
                         Eigen::Ref<Matrix> j) {
    system_.lagrangian_hessian(t, q, lambda, hessian_);
    scatter(system_.hessian_pattern(), hessian_, 1, j.block(n_, 0, n_, n_));
    scatter(system_.mass().pattern(), system_.mass().values(), cj, j.block(n_, n_, n_, n_));
    for (auto& [by, values] : force_) {
      system_.parts().force->force_jacobian(by, t, q, v, values);
      scatter(system_.parts().force->force_pattern(by), values, -1,
              j.block(n_, by == ForceArgument::q ? 0 : n_, n_, n_));
    }
    system_.constraint_jacobian(t, q, values_);
    scatter_reaction(j.block(n_, 2 * n_, n_, m_));
  }

  /// block += factor * values_, as m x n, and += values_^T.
  void scatter_constraints(double factor, Eigen::Ref<Matrix> block) const {
    scatter(system_.constraint_pattern(), values_, factor, block);
  }
  void scatter_reaction(Eigen::Ref<Matrix> block) const {
    scatter_transposed(system_.constraint_pattern(), values_, 1, block);
  }

  const System& system_;
  Index n_, m_;
  Vector values_;   // on the constraint pattern
  Vector hessian_;  // on the Hessian pattern

 private:
  std::vector<std::pair<ForceArgument, Vector>> force_;  // values of its derivatives
  bool has_jacobian_;
};

}  // namespace gnomon::kernels
