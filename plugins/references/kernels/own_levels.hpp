#pragma once
/// \file
/// What a reference's own run makes of the invariants. Its integrator controls the error of each step, not of energy
/// and constraints: where G loses rank for an instant it may go on along something that is no motion, and report
/// success. The levels tell.

#include <string>

#include "gnomon/run/reference.hpp"
#include "references/kernels/reference_model.hpp"

namespace gnomon::kernels {

class OwnLevels {
 public:
  /// A sound run drifts by rtol times what its steps add up to; the square root is far above that, and far below what
  /// any use of a reference can bear. Relative to: the largest of |T|, |U| and |grad U| L at the start; for constraint
  /// i sum_j |g_y|_ij L_j and sum_j |h_z|_ij Z_j at the start, with the natural sizes L and Z of y and z.
  OwnLevels(const ReferenceModel& model, double t0, double rtol);

  /// After a step.
  void record(double t, const Vector& y, const Vector& z);

  void report(const std::string& code, ReferenceReport& report) const;

 private:
  const ReferenceModel* model_;
  double doubtful_, energy0_ = 0, size_ = 0;
  Vector position_scale_, velocity_scale_;
  ReferenceModel::Levels now_;
  ReferenceLevels levels_;
};

}  // namespace gnomon::kernels
