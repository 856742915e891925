#pragma once
/// \file
/// What a reference's own run makes of the invariants. Its integrator controls the error of each step, not of energy
/// and constraints: where G loses rank for an instant it may go on along something that is no motion, and report
/// success. The levels tell.

#include <algorithm>
#include <cmath>
#include <string>

#include "gnomon/base/finite.hpp"
#include "gnomon/run/reference.hpp"
#include "reference_model.hpp"

namespace gnomon::kernels {

class OwnLevels {
 public:
  /// A sound run drifts by rtol times what its steps add up to; the square root is far above that, and far below what
  /// any use of a reference can bear. Relative to: the largest of |T|, |U| and |grad U| L at the start; for constraint i sum_j |g_y|_ij L_j and
  /// sum_j |h_z|_ij Z_j at the start, with the natural sizes L and Z of y and z.
  OwnLevels(const ReferenceModel& model, double t0, double rtol) : model_(&model), doubtful_(std::sqrt(rtol)) {
    const StartSlopes& start = model.start();
    const auto at_least = [](Vector scale) { return scale.cwiseMax(1e-300).eval(); };
    position_scale_ = at_least(start.constraint_by_y.cwiseAbs() * model.sizes().y);
    velocity_scale_ = at_least(start.hidden_by_z.cwiseAbs() * model.sizes().z);
    levels_.conservative = model.conservative();
    model.levels(t0, start.y, start.z, now_);
    energy0_ = now_.energy;
    size_ = std::max(now_.size, model.energy_size());
  }

  /// After a step.
  void record(double t, const Vector& y, const Vector& z) {
    model_->levels(t, y, z, now_);
    double worst = 0;
    if (levels_.conservative) {
      const double error = std::abs(now_.energy - energy0_);
      size_ = std::max(size_, now_.size);
      levels_.energy = std::max(levels_.energy, error);
      if (size_ > 0) worst = error / size_;
    }
    const auto constraint = [&](const Vector& rows, const Vector& scale, double& level) {
      level = std::max(level, max_norm(rows));
      if (rows.size() > 0) worst = std::max(worst, rows.cwiseQuotient(scale).lpNorm<Eigen::Infinity>());
    };
    constraint(now_.position, position_scale_, levels_.position);
    constraint(now_.velocity, velocity_scale_, levels_.velocity);
    if (!(worst <= doubtful_) && !levels_.doubtful_from) levels_.doubtful_from = t;
  }

  void report(const std::string& code, ReferenceReport& report) const {
    report.levels = levels_;
    if (!levels_.doubtful_from) return;
    report.warning = code + " is no reference from t = " + number_text(*levels_.doubtful_from) +
                     " on: energy or constraints are off by more than " + number_text(doubtful_) +
                     ", the square root of rtol, of their sizes, perhaps past a position where G loses rank";
  }

 private:
  const ReferenceModel* model_;
  double doubtful_, energy0_ = 0, size_ = 0;
  Vector position_scale_, velocity_scale_;
  ReferenceModel::Levels now_;
  ReferenceLevels levels_;
};

}  // namespace gnomon::kernels
