/// \file
/// The shapes that a model file knows, and the words of bodies.

#include "mechanism/bodies/bodies.hpp"

namespace gnomon::mechanism {

const std::vector<ShapeType>& shape_types(int dimension) {
  using Shape = Body::Shape;
  static const std::vector<ShapeType> in_space{{"box", Shape::box, 3, false, false},
                                               {"sphere", Shape::sphere, 1, false, false},
                                               {"ellipsoid", Shape::ellipsoid, 3, false, false},
                                               {"cylinder", Shape::cylinder, 2, false, true},
                                               {"tube", Shape::tube, 3, false, true},
                                               {"capsule", Shape::capsule, 2, false, false},
                                               {"disc", Shape::disc, 1, true, true},
                                               {"ring", Shape::ring, 1, true, true},
                                               {"plate", Shape::plate, 2, true, false},
                                               {"mesh", Shape::mesh, 1, false, false}};
  static const std::vector<ShapeType> in_plane{{"box", Shape::box, 2, false, false},
                                               {"disc", Shape::sphere, 1, false, false}};
  return dimension == 2 ? in_plane : in_space;
}

const std::vector<std::string>& words_of_bodies() {
  static const std::vector<std::string> words{"x",  "y",  "z",  "d1",    "d2",    "d3",      "mass",
                                              "vx", "vy", "vz", "angle", "omega", "kinetic", "inertia"};
  return words;
}

ShapeMoments shape_moments(Shape shape, const Eigen::Vector3d& sizes, bool planar) {
  using Vector3 = Eigen::Vector3d;
  constexpr double pi = 3.14159265358979323846;
  const double r = sizes[0], l = sizes[1];
  switch (shape) {
    case Shape::box:
      return {planar ? r * l : sizes.prod(), sizes.cwiseAbs2() / 12};
    case Shape::sphere:
      if (planar) return {pi * r * r, Vector3(r * r / 4, r * r / 4, 0)};
      return {4 * pi * r * r * r / 3, Vector3::Constant(r * r / 5)};
    case Shape::ellipsoid:
      return {4 * pi * sizes.prod() / 3, sizes.cwiseAbs2() / 5};
    case Shape::cylinder:
      return {pi * r * r * l, Vector3(r * r / 4, r * r / 4, l * l / 12)};
    case Shape::tube: {
      const double across = (r * r + l * l) / 4;
      return {pi * (r * r - l * l) * sizes[2], Vector3(across, across, sizes[2] * sizes[2] / 12)};
    }
    case Shape::capsule: {
      const double between = r * r * l, ends = 4 * r * r * r / 3, all = between + ends;
      const double across = (between * r * r / 4 + ends * r * r / 5) / all;
      const double along = (between * l * l / 12 + ends * (r * r / 5 + 3 * r * l / 8 + l * l / 4)) / all;
      return {pi * all, Vector3(across, across, along)};
    }
    case Shape::ring:
      return {2 * pi * r, Vector3(r * r / 2, r * r / 2, 0)};
    case Shape::disc:
      return {pi * r * r, Vector3(r * r / 4, r * r / 4, 0)};
    case Shape::plate:
      return {r * l, Vector3(r * r / 12, l * l / 12, 0)};
    case Shape::mesh:
    case Shape::none:
      break;
  }
  return {};
}

}  // namespace gnomon::mechanism
