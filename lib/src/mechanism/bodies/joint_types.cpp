/// \file
/// The joints that a model file knows, each as the rows of its constraints. A row is at most quadratic in the
/// coordinates of bodies: p and the unit vectors are linear in them.
///
///     coincide            p_B - p_A = 0
///     square  (a, b)      a . b = 0,  a fixed in A and b fixed in B
///     along    a          (p_B - p_A) . a = 0

#include "mechanism/bodies/bodies.hpp"

namespace gnomon::mechanism {

const std::vector<JointType>& joint_types(int dimension) {
  using V = JointType;
  static const std::vector<JointType> in_space{
      {"revolute", true, {{V::n, V::e1}, {V::n, V::e2}}, {}, 1, true, false},
      {"spherical", true, {}, {}, 0, false, false},
      {"prismatic", false, {{V::n, V::e1}, {V::n, V::e2}, {V::e1, V::e2}}, {V::e1, V::e2}, 1, false, true},
      {"cylindrical", false, {{V::n, V::e1}, {V::n, V::e2}}, {V::e1, V::e2}, 1, true, true},
      // n of A is the first axis, n of B the second one, and each is e1 of the other's frame at the start.
      {"universal", true, {{V::n, V::n}}, {}, 2, false, false},
      {"planar", false, {{V::n, V::e1}, {V::n, V::e2}}, {V::n}, 1, false, false},
      {"weld", true, {{V::n, V::e1}, {V::n, V::e2}, {V::e1, V::e2}}, {}, 0, false, false},
      {"point-on-line", false, {}, {V::e1, V::e2}, 1, false, true},
      {"point-on-plane", false, {}, {V::n}, 1, false, false}};
  static const std::vector<JointType> in_plane{{"revolute", true, {}, {}, 0, true, false},
                                               {"prismatic", false, {{V::n, V::e1}}, {V::e1}, 1, false, true},
                                               {"weld", true, {{V::n, V::e1}}, {}, 0, false, false},
                                               {"point-on-line", false, {}, {V::e1}, 1, false, true}};
  return dimension == 2 ? in_plane : in_space;
}

}  // namespace gnomon::mechanism
