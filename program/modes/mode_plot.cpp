#include "program/modes/mode_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/model/curves.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/start/consistency.hpp"
#include "program/output/gnuplot.hpp"
#include "program/output/snapshot_plot.hpp"

namespace gnomon::program {

namespace {

constexpr std::size_t most_frames = 6;
constexpr double part_of_drawing = 0.1;
/// A displacement that is small beside the drawing, for the speed of its points.
constexpr double small = 1e-4;

class DisplacedCurves {
 public:
  DisplacedCurves(const ProblemInstance& instance, double t, const Vector& q)
      : instance_(instance), curves_(instance.curves->curves()), t_(t), q_(q), rest_(at(q)) {
    Vector low = Vector::Constant(3, std::numeric_limits<double>::infinity()), high = -low;
    for (const Matrix& points : rest_.curves)
      for (Index c = 0; c < points.rows() && points.cols() > 0; ++c) {
        low[c] = std::min(low[c], points.row(c).minCoeff());
        high[c] = std::max(high[c], points.row(c).maxCoeff());
      }
    size_ = std::max((high - low).maxCoeff(), 0.0);
    if (!(size_ > 0)) size_ = 1;
  }

  const std::vector<Curve>& curves() const { return curves_; }
  const Snapshot& rest() const { return rest_; }
  /// To both sides.
  std::vector<Snapshot> along(const Vector& shape) const {
    const double length = std::max(q_.lpNorm<Eigen::Infinity>(), size_) / shape.lpNorm<Eigen::Infinity>();
    const double moved = farthest(at(q_ + small * length * shape));
    const double amplitude = moved > 0 ? part_of_drawing * size_ / moved * small * length : small * length;
    return {at(on_constraints(q_ + amplitude * shape)), at(on_constraints(q_ - amplitude * shape))};
  }

 private:
  Snapshot at(const Vector& q) const {
    Snapshot out;
    out.t = t_;
    for (std::size_t k = 0; k < curves_.size(); ++k) {
      out.curves.emplace_back(curves_[k].dimension, curves_[k].n_points);
      instance_.curves->curve_points(static_cast<Index>(k), t_, q, out.curves.back());
    }
    return out;
  }
  double farthest(const Snapshot& other) const {
    double most = 0;
    for (std::size_t k = 0; k < curves_.size(); ++k)
      if (rest_.curves[k].cols() > 0)
        most = std::max(most, (other.curves[k] - rest_.curves[k]).colwise().norm().maxCoeff());
    return most;
  }
  /// As it is where the projection does not find any.
  Vector on_constraints(Vector q) const {
    const Vector given = q;
    try {
      project_positions(*instance_.model->mechanical(), t_, q);
    } catch (const std::exception&) {
      return given;
    }
    return q;
  }

  const ProblemInstance& instance_;
  const std::vector<Curve> curves_;
  const double t_;
  const Vector q_;
  const Snapshot rest_;
  double size_ = 1;
};

}  // namespace

void require_mode_plot(const ProblemInstance& instance, const std::string& path) {
  if (!instance.curves || instance.curves->curves().empty())
    throw Error(ErrorCode::refused,
                "--plot is for problems with curves to draw, and " + instance.model->name() + " has none");
  require_picture(path);
}

void draw_modes(const ProblemInstance& instance, double t, const Vector& q, const std::vector<Mode>& modes,
                const std::string& title, const std::string& path) {
  const DisplacedCurves drawing(instance, t, q);
  std::vector<Snapshot> snapshots{drawing.rest()};
  std::vector<std::string> frames;
  for (std::size_t k = 0; k < modes.size() && frames.size() < most_frames; ++k) {
    if (!(modes[k].frequency() > 0)) continue;
    for (Snapshot& one : drawing.along(modes[k].shape.real())) snapshots.push_back(std::move(one));
    frames.push_back(fmt::format("mode {}: frequency {:.4g}", k + 1, modes[k].frequency()));
  }
  if (frames.empty())
    throw Error(ErrorCode::refused,
                "no mode of " + instance.model->name() + " oscillates here, and --plot draws those that do");
  draw(snapshot_plot({drawing.curves(), snapshots, {}, title, frames}, path), path);
}

}  // namespace gnomon::program
