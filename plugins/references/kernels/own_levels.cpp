#include "references/kernels/own_levels.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon::kernels {

OwnLevels::OwnLevels(const ReferenceModel& model, double t0, double rtol) : model_(&model), doubtful_(std::sqrt(rtol)) {
  const StartSlopes& start = model.start();
  const auto at_least = [](Vector scale) { return scale.cwiseMax(thresholds::no_division_by_zero).eval(); };
  position_scale_ = at_least(start.constraint_by_y.cwiseAbs() * model.sizes().y);
  velocity_scale_ = at_least(start.hidden_by_z.cwiseAbs() * model.sizes().z);
  levels_.conservative = model.conservative();
  model.levels(t0, start.y, start.z, now_);
  energy0_ = now_.energy;
  size_ = std::max(now_.size, model.energy_size());
}

void OwnLevels::record(double t, const Vector& y, const Vector& z) {
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

void OwnLevels::report(const std::string& code, ReferenceReport& report) const {
  report.levels = levels_;
  if (!levels_.doubtful_from) return;
  report.warning = code + " is no reference from t = " + number_text(*levels_.doubtful_from) +
                   " on: energy or constraints are off by more than " + number_text(doubtful_) +
                   ", the square root of rtol, of their sizes, perhaps past a position where G loses rank";
}

}  // namespace gnomon::kernels
