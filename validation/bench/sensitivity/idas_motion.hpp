#pragma once
/// \file
/// Forward sensitivities of a mechanical system by IDAS, on the index-1 form x = (q, v, lambda),
///
///     0 = F(x, x', s) = ( q' - v,  M v' + grad U + G^T lambda,  G v' + v^T (Hess g) v )
///     0 = F_x dx + F_x' dx' + F_s,        dx = dx/ds
///
///     F_x dx + F_x' dx' = ( dq' - dv,  M dv' + Hess(U + lambda.g) dq + G^T dlambda,
///                           G dv' + 2 D(v) dv + (D(v') + D3) dq )
///
/// with D(w) = d(G w)/dq and D3 = d(v^T (Hess g) v)/dq from the model's own derivatives, F_s and dx(0) from differences
/// of models and starts with s changed. State and sensitivities are corrected together (IDA_SIMULTANEOUS).

#include <memory>
#include <string>
#include <vector>

#include "gnomon/run/sensitivities.hpp"

namespace gnomon::bench {

struct IdasOptions {
  double rtol = 1e-6;    ///< absolute tolerances are rtol times the sizes of q and v, and the size of lambda
  double newton = 0.33;  ///< coefficient of the Newton test, and IDAS' own
  bool derivatives = true;
  /// Differences of order six by changes of 2^-13 of a parameter's size, exact to about 1e-11 also where the size is a
  /// hundred lengths of the motion; else of order two by 2^-17, which cost less.
  bool exact = false;
};

/// A run by IDAS beside a run of Gnomon: the start and the models with s changed are those of `make`.
class IdasMotion {
 public:
  /// Throws Error(refused) for a model with parts that the equations above lack, such as forces, a mass that depends on
  /// q, or the use of t, and what `make` throws.
  IdasMotion(std::vector<Sensitivities::Parameter> parameters, const Sensitivities::Make& make,
             const IdasOptions& options);
  ~IdasMotion();

  /// Back to the start.
  void restart();
  /// Empty, or why t is not reached.
  std::string advance_to(double t);
  double start_time() const;
  long steps() const;  ///< of IDAS since the start

  Vector q() const;
  Vector v() const;
  /// dq/ds, dv/ds and dp/ds, n x parameters
  Matrix positions() const;
  Matrix velocities() const;
  Matrix momenta() const;

 private:
  struct Run;
  std::unique_ptr<Run> run_;
};

}  // namespace gnomon::bench
