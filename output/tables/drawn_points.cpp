#include "tables/drawn_points.hpp"

#include <cmath>
#include <set>

namespace gnomon::tables {

namespace {

std::vector<double> key(const ConstVectorRef& point) {
  return {point.data(), point.data() + point.size()};
}

}  // namespace

std::vector<std::string> drawn_units(const ProblemInstance& instance, const System& system) {
  std::vector<std::string> units(static_cast<std::size_t>(system.n()));
  if (!instance.curves) return units;
  // A place where no point is drawn at a block by chance.
  Vector q = instance.q0;
  for (Index j = 0; j < q.size(); ++j) q[j] += 1e-3 * (1 + std::abs(q[j])) * std::sin(1.0 + static_cast<double>(j));
  std::set<std::vector<double>> drawn;
  std::string unit;
  try {
    const std::vector<Curve> curves = instance.curves->curves();
    for (std::size_t k = 0; k < curves.size(); ++k) {
      if (!curves[k].to_scale || curves[k].unit.empty()) continue;
      unit = curves[k].unit;
      Matrix points(curves[k].dimension, curves[k].n_points);
      instance.curves->curve_points(static_cast<Index>(k), instance.t0, q, points);
      for (Index i = 0; i < points.cols(); ++i) drawn.insert(key(points.col(i)));
    }
  } catch (const std::exception&) {
    return units;  // nothing can be drawn there
  }
  for (const Block& block : system.traits().blocks)
    if ((block.size == 2 || block.size == 3) && drawn.count(key(q.segment(block.offset, block.size))) > 0)
      for (Index i = 0; i < block.size; ++i) units[static_cast<std::size_t>(block.offset + i)] = unit;
  return units;
}

}  // namespace gnomon::tables
