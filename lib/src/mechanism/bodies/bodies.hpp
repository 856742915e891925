#pragma once
/// \file
/// Bodies: what a model file says of points, particles, rigid bodies and what joins them, as formulas with places. All
/// positions are in space, of three numbers, or of two where the model is planar.

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechanism/bodies/mesh.hpp"
#include "mechanism/formula.hpp"
#include "mechanism/toml_places.hpp"

namespace gnomon::mechanism {

using Formulas = std::vector<Formula>;

/// The key of an entry, and where it stands.
struct Named {
  std::string name;
  Place place;
};

/// Where something is attached: a fixed point, a particle, the centre of mass of a body, or one of its markers.
struct Partner {
  enum class Kind { point, particle, body } kind = Kind::point;
  std::size_t index = 0;              ///< among things of its kind
  std::optional<std::size_t> marker;  ///< of a body
  std::string name;                   ///< as it is written: "O", "crank.left"
  Place place;
  bool has_axes() const { return kind != Kind::particle; }
};

/// A place in space: of something else, or numbers.
struct Target3 {
  std::optional<Partner> partner;
  Formulas position;
};

/// A point fixed in space, or moving with t.
/// How body axes stand in space, or in the axes of another body.
struct Orientation {
  /// numbers: axis of the turn (empty in the plane); angles about the fixed axes x, y, z one after the other; w, x, y,
  /// z; rows; the first axis, and a vector whose part at right angles to it is along the second one.
  /// along: the third axis.
  enum class Form { none, turn, rpy, quaternion, matrix, axes, along } form = Form::none;
  Formulas numbers;
  std::optional<Formula> angle;  ///< of a turn
  std::optional<std::size_t> relative;
  Place place;
};

enum class Shape { none, box, sphere, ellipsoid, cylinder, tube, capsule, disc, ring, plate, mesh };

/// A shape that is drawn and has no mass, in the axes and from the origin of a body, or in space from a point.
struct Look {
  Shape shape = Shape::none;
  Formulas sizes;
  std::vector<std::array<std::array<float, 3>, 3>> triangles;  ///< of a mesh, in units of its one size
  Formulas position;                                           ///< none: at the origin
  Orientation orientation;
};

struct FixedPoint : Named {
  Target3 position;
  bool moves = false;
  std::vector<Look> looks;
};

struct Particle : Named {
  Formula mass;
  Formulas position;
  std::optional<Formulas> velocity;  ///< none: assembled
  bool held = false;                 ///< by assembly
};

struct Marker {
  std::string name;  ///< in formulas: "crank.left"
  Place place;
  Formulas position;          ///< in body axes, from the centre of mass, or
  std::optional<Target3> at;  ///< where it is at the start
};

struct Body : Named {
  using Shape = mechanism::Shape;

  std::optional<Formula> mass, density;
  Shape shape = Shape::none;
  /// box: edges; sphere: radius; ellipsoid: half axes; along the third axis cylinder: radius, length, tube: outer and
  /// inner radius, length, capsule: radius, length between the centres of its ends; without thickness along it disc
  /// and ring: radius, plate: edges.
  Formulas sizes;
  Formulas inertia;  ///< about the centre of mass: the principal moments, or a matrix by rows; planar: one number
  Place inertia_place;
  bool repaired = false;                   ///< an inertia that no body has is replaced by the nearest that is one
  std::shared_ptr<const Mesh> mesh;        ///< in units of its one size
  std::optional<Formulas> centre_of_mass;  ///< in body axes; markers and `position` are from their origin then
  bool massless = false;                   ///< it moves with what it is welded to, and has a place only
  /// The axis along which it has no thickness: d_a of the directors is the product of the other two.
  std::optional<std::size_t> thin;
  std::vector<Marker> markers;
  Orientation orientation;
  Formulas position;                                   ///< of the centre of mass, or
  std::vector<std::pair<std::size_t, Target3>> puts;   ///< one marker or two with where they are
  std::optional<Formulas> velocity, angular_velocity;  ///< none: assembled
  bool held = false;                                   ///< by assembly
  std::optional<std::vector<Look>> looks;              ///< in place of its shape
};

/// Rows of a joint between A and B, with unit vectors n, e1, e2 that are fixed in A and in B, the same at the start.
struct JointType {
  enum Vector { n, e1, e2 };
  std::string name;
  bool coincide = false;                          ///< p_B - p_A = 0
  std::vector<std::pair<Vector, Vector>> square;  ///< a . b = 0 for a of A and b of B
  std::vector<Vector> along;                      ///< (p_B - p_A) . a = 0 for a of A
  int axes = 0;                                   ///< how many are given
  bool turns = false, slides = false;             ///< it has an angle, or a distance, about or along n
};

struct Joint : Named {
  const JointType* type = nullptr;
  Partner a, b;
  std::vector<Formulas> axes;  ///< in space at the start
  std::optional<Formula> stiffness, rest, damping;
  std::optional<Formula> lower, upper;                               ///< of its angle or distance
  std::optional<Formula> restitution, stop_stiffness, stop_damping;  ///< there
  std::optional<Formula> dry_friction;                               ///< a torque or a force
  std::optional<Formula> bearing, bearing_radius;                    ///< friction by the reaction
  std::optional<Formula> start, speed;                               ///< of its angle or distance at the start
  bool held = false;                                                 ///< by assembly: its angles and its distance
};

/// sum_k c_k motion_k = 0: gears, racks, screws, belts, differentials.
struct Gear : Named {
  struct Motion {
    std::string name;  ///< a definition of formulas: "A.angle", "B.distance", "crank.angle"
    bool turns = false;
    std::optional<std::size_t> body;  ///< planar, whose angle it is
    std::vector<Partner> partners;
  };
  std::vector<Motion> motions;
  Formulas ratios;  ///< one: of the second motion to the first; else one a motion
};

/// A sphere, a wheel or a disc, B, that rolls on a plane through A; in the plane without a normal on a disc about A.
struct Rolling : Named {
  Partner a, b;
  Formulas normal;                     ///< of the plane, towards B
  std::optional<Formula> base_radius;  ///< of the disc of A
  bool inside = false;                 ///< one disc is inside the other
  std::optional<Formula> radius;       ///< none: that of the shape of B
  Formulas axis;  ///< of a wheel, in space at the start; empty: that of a cylinder, or none of a sphere
  std::optional<Formula> friction;
  bool wheel = false, slips_sideways = false;
};

/// Springs and dampers along and about axes that are fixed in A. Vectors have one entry an axis, or none.
struct Bushing : Named {
  Partner a, b;
  std::vector<Formulas> axes;  ///< in space at the start: none, one in the plane, two in space
  Formulas stiffness, damping, turn_stiffness, turn_damping;
};

/// Massless and rigid.
struct Rod : Named {
  Partner a, b;
  std::optional<Formula> length;  ///< none: that of the start
};

struct Spring : Named {
  /// k (length - rest length), or a formula of length and rate for the tension, or one of the length for the potential.
  enum class Law { stiffness, tension, energy } law = Law::stiffness;
  Partner a, b;
  Formula stiffness;
  std::optional<Formula> rest_length, damping;
  std::string value;  ///< of the other laws
  Place value_place;
};

/// Through several points; it does not push.
struct Rope : Named {
  std::vector<Partner> through;
  std::string length;  ///< a formula; empty: that of the start
  Place length_place;
  std::optional<Formula> restitution, stiffness, damping;
};

/// A prescribed angle or distance of a joint, as a function of t, or a torque or force of t, angle and speed.
struct Motor : Named {
  enum class Kind { angle, distance, torque, force } kind = Kind::angle;
  std::size_t joint = 0;
  std::string value;
  Place value_place;
};

/// A force at a point, of components in space.
struct Load : Named {
  Partner on;
  std::vector<std::pair<std::string, Place>> components;
};

/// Points that stay on one side of a plane, which moves with a body or a point where it has one.
struct PlaneContact : Named {
  std::optional<Partner> base;
  Formulas point, normal;  ///< point: without a base
  std::vector<Partner> on;
  std::optional<Formula> radius, restitution, friction;
  Formulas axis;  ///< of discs with the radius, in space at the start; empty: balls
};

/// A weld of a body without mass: a place of it and what that is welded to are at one point.
struct Carried {
  std::string weld;
  Place place;
  Partner of, on;
};

struct Bodies {
  int dimension = 3;
  Formulas gravity;  ///< empty: none
  std::vector<FixedPoint> points;
  std::vector<Particle> particles;
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<Rod> rods;
  std::vector<Spring> springs;
  std::vector<Rope> ropes;
  std::vector<Gear> gears;
  std::vector<Rolling> rollings;
  std::vector<Bushing> bushings;
  std::vector<Carried> carried;
  std::vector<Motor> motors;
  std::vector<Load> loads;
  std::vector<PlaneContact> contacts;
};

/// A shape by its key, in space or in the plane.
struct ShapeType {
  const char* name;
  Body::Shape shape;
  std::size_t sizes;
  bool thin = false, rolls_as_wheel = false;
};
const std::vector<ShapeType>& shape_types(int dimension);

/// The words that follow the name of a body and a point in formulas; no marker is named so.
const std::vector<std::string>& words_of_bodies();

/// The volume, area or length of a shape but a mesh, and second moments of a unit mass about its centre.
struct ShapeMoments {
  double volume = 0;
  Eigen::Vector3d moments = Eigen::Vector3d::Zero();
};
ShapeMoments shape_moments(Shape shape, const Eigen::Vector3d& sizes, bool planar);
inline bool is_wheel(Body::Shape shape) {
  for (const ShapeType& type : shape_types(3))
    if (type.shape == shape) return type.rolls_as_wheel;
  return false;
}
inline bool is_round(Body::Shape shape) {
  return shape == Body::Shape::sphere || is_wheel(shape);
}

/// The partner itself, or what says where it is: the body without mass that it was a place of.
inline const Partner& placed_by(const Bodies& all, const Partner& partner) {
  if (partner.kind != Partner::Kind::body || !partner.marker) return partner;
  const std::optional<Target3>& at = all.bodies[partner.index].markers[*partner.marker].at;
  return at && at->partner ? *at->partner : partner;
}

/// The keys of a model file that belong to bodies.
const std::vector<std::string>& body_keys();
bool has_bodies(const TomlFile& file);
/// Throws Error(bad_value) with the place of what is wrong. `parameters` has the parameters only.
Bodies read_bodies(const TomlFile& file, const Symbols& parameters);

/// What there is, line by line, for people.
std::string description_of(const Bodies& bodies);

/// Joints in space and in the plane, in the order of their names in messages.
const std::vector<JointType>& joint_types(int dimension);

}  // namespace gnomon::mechanism
