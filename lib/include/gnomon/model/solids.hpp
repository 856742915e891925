#pragma once
/// \file
/// Bodies of a model as surfaces, for pictures in space. A ProblemInstance has them where its model has bodies.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gnomon/base/types.hpp"

namespace gnomon {

struct Solid {
  enum class Kind {
    body,
    inertia,  ///< a body without a shape, as the box that has its moments
    joint,    ///< a symbol where two bodies are joined
    contact   ///< a part of a plane that is touched
  };
  std::string name;
  Kind kind = Kind::body;
  std::vector<std::array<float, 3>> points;             ///< in the axes of the solid, from its origin
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< anticlockwise from outside
};

class GNOMON_EXPORT SolidModel {
 public:
  virtual ~SolidModel() = default;
  /// The same for every configuration.
  virtual const std::vector<Solid>& solids() const = 0;
  /// The origin of solid k and its three axes at q and t, as the columns of pose, 3 x 4.
  virtual void pose(Index k, double t, const ConstVectorRef& q, Matrix& pose) const = 0;
};

}  // namespace gnomon
