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
PolylinePoint at(Index first);
PolylinePoint fixed(double x, double y);
PolylinePoint fixed(double x, double y, double z);

/// A curve by its points, or by a function that fills them, one a column.
struct Polyline {
  using Fill = std::function<void(double t, const ConstVectorRef& q, Matrix& points)>;

  Polyline(std::string curve, std::vector<PolylinePoint> along);
  Polyline(std::string curve, Index count, Fill function);

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

Curve in_plane(const std::string& unit = "m");
/// \param up the axis that points upwards, from 0
Curve in_space(const std::string& unit = "m", int up = 2);
/// A graph: the first axis says where, the second how much.
Curve as_graph();
/// \param style dimension, unit and scale of all of them
std::shared_ptr<const CurveModel> polylines(const Curve& style, std::vector<Polyline> lines);

}  // namespace gnomon::problems
