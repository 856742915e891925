#pragma once
/// \file
/// Polylines: what a problem looks like, for pictures. A rod from the origin to the point q[0], q[1], and a dot there:
///
///     instance.curves = polylines(in_plane(), {{"rod", {fixed(0, 0), at(0)}}, {"bob", {at(0)}}});

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/model/curves.hpp"

namespace gnomon::problems {

/// A point of a polyline: coordinates q[first], q[first + 1], ..., or a fixed place.
struct PolylinePoint {
  Index first = -1;
  Vector place;
};
inline PolylinePoint at(Index first) {
  return {first, {}};
}
inline PolylinePoint fixed(double x, double y) {
  return {-1, Eigen::Vector2d(x, y)};
}
inline PolylinePoint fixed(double x, double y, double z) {
  return {-1, Eigen::Vector3d(x, y, z)};
}

/// A curve by its points, or by a function that fills them, one a column.
struct Polyline {
  using Fill = std::function<void(double t, const ConstVectorRef& q, Matrix& points)>;

  Polyline(std::string curve, std::vector<PolylinePoint> along)
      : name(std::move(curve)), points(std::move(along)), n_points(static_cast<Index>(points.size())) {}
  Polyline(std::string curve, Index count, Fill function)
      : name(std::move(curve)), n_points(count), fill(std::move(function)) {}

  std::string name;
  std::vector<PolylinePoint> points;
  Index n_points;
  Fill fill;
};

/// A fixed curve: `count` points x(s), s from 0 to 1.
template <class Place>
Polyline fixed_curve(const std::string& name, Index count, const Place& x) {
  std::vector<PolylinePoint> points;
  for (Index k = 0; k < count; ++k) points.push_back({-1, x(static_cast<double>(k) / static_cast<double>(count - 1))});
  return {name, std::move(points)};
}

class Polylines final : public CurveModel {
 public:
  /// \param look dimension, unit and scale of all of them
  Polylines(const Curve& look, std::vector<Polyline> lines) : lines_(std::move(lines)) {
    for (const Polyline& line : lines_) {
      curves_.push_back(look);
      curves_.back().name = line.name;
      curves_.back().n_points = line.n_points;
    }
  }
  std::vector<Curve> curves() const override { return curves_; }
  void curve_points(Index k, double t, const ConstVectorRef& q, Matrix& points) const override {
    const Polyline& line = lines_[static_cast<std::size_t>(k)];
    if (line.fill) return line.fill(t, q, points);
    for (Index i = 0; i < line.n_points; ++i) {
      const PolylinePoint& point = line.points[static_cast<std::size_t>(i)];
      if (point.first < 0)
        points.col(i) = point.place;
      else
        points.col(i) = q.segment(point.first, points.rows());
    }
  }

 private:
  std::vector<Polyline> lines_;
  std::vector<Curve> curves_;
};

inline Curve in_plane(const std::string& unit = "m") {
  return {"", 0, 2, true, unit};
}
/// \param up the axis that points upwards, from 0
inline Curve in_space(const std::string& unit = "m", int up = 2) {
  return {"", 0, 3, true, unit, up};
}
/// A graph: the first axis says where, the second how much.
inline Curve as_graph() {
  return {"", 0, 2, false, ""};
}
inline std::shared_ptr<const CurveModel> polylines(const Curve& look, std::vector<Polyline> lines) {
  return std::make_shared<const Polylines>(look, std::move(lines));
}

}  // namespace gnomon::problems
