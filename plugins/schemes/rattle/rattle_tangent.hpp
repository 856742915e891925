#pragma once
/// \file
/// The exact derivative of a rattle step, system by system, from the linearised equations
///
///     M ddq/h - dp0 + h/2 (L0 dq0 + G0^T dlambda) = 0,   G1 dq1 = 0                    L0 = (U_q + G^T lambda)_q at q0
///     M ddv + h/2 (L1 dq1 + G1^T dmu) = 0,               G1 dv1 + (G v)_q dq1 = 0      L1 = (U_q + G^T mu)_q at q1
///
/// with dq1 = dq0 + ddq, M dv_h = dp0 - h/2 (L0 dq0 + G0^T dlambda), dv1 = dv_h + ddv. With a mass M(q), and
/// [a_q; a_p](q) = (Hess T)(q,p_h) [dq0; dp0],
///
///     ddq - h/2 (a_p(q0) + a_p(q1)) - ... = 0,  ddp + h/2 (L0 dq0 + a_q(q0) + G0^T dlambda + ...) = 0,  G1 dq1 = 0
///     ddp + h/2 (L1 dq1 + b_q + G1^T dmu) = 0,    G1 (c_p + T_pp ddp) + (G v1)_q dq1 = 0
///
/// With the multipliers as the only unknowns the same in another order: G1 dq1 = 0 and G1 dv1 + (G v)_q dq1 = 0 for
/// dlambda and dmu, with dq1 and dv1 as they follow from them.
///
/// where [b_q; b_p] = (Hess T)(q1,p_h) [dq1; dp_h], [c_q; c_p] = (Hess T)(q1,p1) [dq1; dp_h], and dots stand for what
/// the matrix of the equations has.

#include "gnomon/model/system.hpp"
#include "kernels/common/implicit_change.hpp"

namespace gnomon::kernels {

class RattleTangent {
 public:
  /// A step of which the positions are known.
  struct Step {
    double t0, t1, h;
    const Vector &q0, &q1, &p_half;
  };

  explicit RattleTangent(const System& system) : system_(&system), n_(system.n()), m_(system.m()) {}

  /// changes: columns [dq; dp] of the start.
  void begin(const Matrix& changes);
  /// After the positions were solved, x = [dq | lambda] or [dq | dp | lambda].
  void positions(NonlinearEquations& equations, const ConstVectorRef& x, const Step& step);
  /// After the momenta were solved, x = [dv | mu] or [dp | mu].
  void momenta(NonlinearEquations& equations, const ConstVectorRef& x, const Step& step);
  /// changes: columns [dq; dp] of the end.
  void finish(Matrix& changes) const { changes << dq_, dp_; }

 private:
  struct Kinetic {
    Vector q, p;
  };
  /// (Hess T)(q,p) times column c of the changes
  Kinetic kinetic(const Vector& q, const Vector& p, Index c) const;
  Matrix constraints(double t, const Vector& q) const;
  /// (G v)_q
  Matrix constraint_turn(double t, const Vector& q, const Vector& v) const;
  /// (U_q + G^T lambda)_q dq
  Vector curvature(double t, const Vector& q, const Vector& lambda, const Vector& dq) const;

  const System* system_;
  Index n_, m_;
  Matrix dq_, dp_;
};

}  // namespace gnomon::kernels
