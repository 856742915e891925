#pragma once
/// \file
/// BodyFormulas: bodies, joints and what else they have, written as the coordinates, mass, constraints and further
/// formulas of a model file.
///
/// A body in space has the coordinates r (centre of mass) and d1, d2, d3 (its axes: directors), T = m |r'|^2/2 +
/// sum_ij E_ij d_i'.d_j'/2 with the second moments E, and the constraints (d_i.d_j - delta_ij)/2 = 0. In the plane: r
/// and one axis d1, T = m |r'|^2/2 + J |d1'|^2/2, (d1.d1 - 1)/2 = 0; the second axis is d1 turned by a right angle.
///
/// A force F at the point r + sum_i a_i d_i acts on r with F and on d_i with a_i F; a torque tau on d_i with tau x
/// d_i/2 (in the plane on d1 with tau times the second axis): the same virtual work on rigid motions.

#include <functional>
#include <string>
#include <vector>

#include "mechanism/bodies/poses.hpp"

namespace gnomon::mechanism {

struct BodyFormulas {
  /// A number that follows from the parameters, which formulas use by name.
  struct Constant {
    std::string name;
    Place place;
    std::function<double(const Poses&)> value;
  };
  struct Coordinate {
    Place place;
    std::function<double(const Poses&)> position;
    /// At the positions q, where everything fits together; empty: assembled.
    std::function<double(const Poses&, const Vector& q)> velocity;
    /// A change counts as the square of a length by this factor, see Poses::reach2.
    std::function<double(const Poses&)> weight;
    bool held = false;  ///< by assembly
  };
  std::string toml;
  std::vector<Place> places;  ///< of the lines of toml
  std::vector<Constant> constants;
  std::vector<Coordinate> coordinates;  ///< in their order in toml
};

BodyFormulas formulas_of(const Bodies& bodies);

}  // namespace gnomon::mechanism
