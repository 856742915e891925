/// \file
/// The shapes that a model file knows.

#include "mechanism/bodies/bodies.hpp"

namespace gnomon::mechanism {

const std::vector<ShapeType>& shape_types(int dimension) {
  using Shape = Body::Shape;
  static const std::vector<ShapeType> in_space{
      {"box", Shape::box, 3, false, false},          {"sphere", Shape::sphere, 1, false, false},
      {"cylinder", Shape::cylinder, 2, false, true}, {"tube", Shape::tube, 3, false, true},
      {"capsule", Shape::capsule, 2, false, false},  {"disc", Shape::disc, 1, true, true},
      {"ring", Shape::ring, 1, true, true},          {"plate", Shape::plate, 2, true, false},
      {"mesh", Shape::mesh, 1, false, false}};
  static const std::vector<ShapeType> in_plane{{"box", Shape::box, 2, false, false},
                                               {"disc", Shape::sphere, 1, false, false}};
  return dimension == 2 ? in_plane : in_space;
}

}  // namespace gnomon::mechanism
