#pragma once
/// \file
/// Curves of a model, for pictures and tables: rods, bodies, paths, strings, beams. A ProblemInstance has them.

#include <string>
#include <vector>

#include "gnomon/base/types.hpp"

namespace gnomon {

struct Curve {
  enum class Kind {
    line,
    outline,  ///< of a body that has a surface, see solids.hpp, or an area of the plane
    spring,   ///< between its two points
    trace,    ///< of one point: only the path of it is drawn
    joint,    ///< of one point, where two bodies of the plane are joined
    ground    ///< between two points: nothing gets to the right of it
  };
  std::string name;
  Index n_points = 0;     ///< one: a dot
  int dimension = 2;      ///< of its points, 2 or 3
  bool to_scale = true;   ///< its axes are directions in space; false: of a graph, the first one is where
  std::string unit = "";  ///< of its points, e.g. "m"; empty: not known
  int up = 2;             ///< of points in space: the axis that is drawn upwards
  Kind kind = Kind::line;
};

class GNOMON_EXPORT CurveModel {
 public:
  virtual ~CurveModel() = default;
  /// The same for every configuration.
  virtual std::vector<Curve> curves() const = 0;
  /// Points of curve k at q and t, one a column, dimension x n_points, in the model's unit of length.
  virtual void curve_points(Index k, double t, const ConstVectorRef& q, Matrix& points) const = 0;
};

}  // namespace gnomon
