#include "kernels/polylines.hpp"

namespace gnomon::problems {

namespace {

class Polylines final : public CurveModel {
 public:
  Polylines(const Curve& style, std::vector<Polyline> lines) : lines_(std::move(lines)) {
    for (const Polyline& line : lines_) {
      curves_.push_back(style);
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

}  // namespace

PolylinePoint at(Index first) {
  return {first, {}};
}
PolylinePoint fixed(double x, double y) {
  return {-1, Eigen::Vector2d(x, y)};
}
PolylinePoint fixed(double x, double y, double z) {
  return {-1, Eigen::Vector3d(x, y, z)};
}

Polyline::Polyline(std::string curve, std::vector<PolylinePoint> along)
    : name(std::move(curve)), points(std::move(along)), n_points(static_cast<Index>(points.size())) {}
Polyline::Polyline(std::string curve, Index count, Fill function)
    : name(std::move(curve)), n_points(count), fill(std::move(function)) {}

Curve in_plane(const std::string& unit) {
  return {"", 0, 2, true, unit};
}
Curve in_space(const std::string& unit, int up) {
  return {"", 0, 3, true, unit, up};
}
Curve as_graph() {
  return {"", 0, 2, false, ""};
}

std::shared_ptr<const CurveModel> polylines(const Curve& style, std::vector<Polyline> lines) {
  return std::make_shared<const Polylines>(style, std::move(lines));
}

}  // namespace gnomon::problems
