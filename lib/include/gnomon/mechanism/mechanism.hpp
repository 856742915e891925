#pragma once
/// \file
/// Mechanism: bodies and joints in C++, with the words of model files.
///
///     Mechanism m("pendulum of a rod");
///     m.gravity({0, 0, -9.81});
///     Attachment O = m.point("O", {0, 0, 0});
///     MechanismBody rod = m.body("rod").box({1, .1, .1}).density(1000).marker("end", {-.5, 0, 0}).place("end", O);
///     m.joint("pivot", "revolute", O, rod.at("end")).axis({0, 1, 0});
///     ProblemInstance problem = m.build();
///
/// Each call adds an entry to the text of a model file, text(), which build() reads: what is wrong is found there, and
/// named. A Value is a number, or a formula of parameters and, where model files allow it, of t and names of the model.

#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/model/problem.hpp"

namespace gnomon {

/// A number or a formula.
class GNOMON_EXPORT Value {
 public:
  Value(double number);                                      // NOLINT: numbers and formulas are values
  Value(int number) : Value(static_cast<double>(number)) {}  // NOLINT
  Value(const char* formula);                                // NOLINT
  Value(const std::string& formula);                         // NOLINT
  const std::string& toml() const { return toml_; }

 private:
  std::string toml_;
};
using Values3 = std::vector<Value>;  ///< of two or three numbers, or as many as a key says

/// A point, a particle, a body, or a marker of one.
struct Attachment {
  std::string name;
};

/// One entry of a table of a model file. set() takes every key that the file knows.
class GNOMON_EXPORT MechanismEntry {
 public:
  MechanismEntry& set(const std::string& key, const Value& value);
  MechanismEntry& set(const std::string& key, const Values3& values);
  /// Keys whose values have the same shape everywhere.
  MechanismEntry& axis(const Values3& v) { return set("axis", v); }
  MechanismEntry& velocity(const Values3& v) { return set("velocity", v); }
  MechanismEntry& stiffness(const Value& v) { return set("stiffness", v); }
  MechanismEntry& damping(const Value& v) { return set("damping", v); }
  MechanismEntry& rest_length(const Value& v) { return set("rest_length", v); }
  MechanismEntry& length(const Value& v) { return set("length", v); }
  MechanismEntry& angle(const Value& v) { return set("angle", v); }
  MechanismEntry& torque(const Value& v) { return set("torque", v); }
  MechanismEntry& distance(const Value& v) { return set("distance", v); }
  MechanismEntry& force(const Value& v) { return set("force", v); }
  MechanismEntry& restitution(const Value& v) { return set("restitution", v); }
  MechanismEntry& friction(const Value& v) { return set("friction", v); }
  MechanismEntry& normal(const Values3& v) { return set("normal", v); }
  MechanismEntry& radius(const Value& v) { return set("radius", v); }
  MechanismEntry& limits(const Value& lower, const Value& upper) { return set("limits", Values3{lower, upper}); }
  MechanismEntry& friction_torque(const Value& v) { return set("friction_torque", v); }
  MechanismEntry& friction_force(const Value& v) { return set("friction_force", v); }
  /// Friction by the reaction; the radius is that of a joint that turns.
  MechanismEntry& bearing(const Value& coefficient) { return set("bearing.coefficient", coefficient); }
  MechanismEntry& bearing(const Value& coefficient, const Value& radius) {
    return bearing(coefficient).set("bearing.radius", radius);
  }
  MechanismEntry& tension(const Value& v) { return set("tension", v); }
  MechanismEntry& energy(const Value& v) { return set("energy", v); }

 private:
  friend class Mechanism;
  friend class MechanismBody;
  std::string table_, name_;
  std::vector<std::pair<std::string, std::string>> keys_;
  MechanismEntry& add(const std::string& key, std::string toml);
};

class GNOMON_EXPORT MechanismBody {
 public:
  MechanismBody& mass(const Value& v) { return set("mass", v); }
  MechanismBody& inertia(const Values3& v) { return set("inertia", v); }  ///< principal moments
  MechanismBody& inertia(const Value& v) { return set("inertia", v); }    ///< planar
  MechanismBody& box(const Values3& edges) { return set("shape.box", edges); }
  MechanismBody& cylinder(const Value& radius, const Value& length) {
    return set("shape.cylinder", Values3{radius, length});
  }
  MechanismBody& tube(const Value& outer, const Value& inner, const Value& length) {
    return set("shape.tube", Values3{outer, inner, length});
  }
  MechanismBody& capsule(const Value& radius, const Value& length) {
    return set("shape.capsule", Values3{radius, length});
  }
  MechanismBody& plate(const Values3& edges) { return set("shape.plate", edges); }
  MechanismBody& ring(const Value& radius) { return set("shape.ring", radius); }
  MechanismBody& sphere(const Value& radius) { return set("shape.sphere", radius); }
  MechanismBody& disc(const Value& radius) { return set("shape.disc", radius); }
  MechanismBody& density(const Value& v) { return set("shape.density", v); }
  /// In body axes, from the centre of mass.
  MechanismBody& marker(const std::string& name, const Values3& position);
  MechanismBody& orientation(const Values3& axis, const Value& angle);
  MechanismBody& orientation(const Value& angle) { return set("orientation", angle); }  ///< planar
  MechanismBody& position(const Values3& v) { return set("position", v); }
  /// Puts a marker where something else is; a second one turns the body too.
  MechanismBody& place(const std::string& marker, const Attachment& at);
  MechanismBody& place(const std::string& marker, const Values3& at);
  MechanismBody& velocity(const Values3& v) { return set("velocity", v); }
  MechanismBody& angular_velocity(const Values3& v) { return set("angular_velocity", v); }
  MechanismBody& angular_velocity(const Value& v) { return set("angular_velocity", v); }  ///< planar

  /// Any other key of the table.
  template <class T>
  MechanismBody& set(const std::string& key, const T& value) {
    entry_->set(key, value);
    return *this;
  }

  Attachment at(const std::string& marker) const { return {entry_->name_ + "." + marker}; }
  Attachment centre() const { return {entry_->name_}; }

 private:
  friend class Mechanism;
  explicit MechanismBody(MechanismEntry& entry) : entry_(&entry) {}
  MechanismEntry* entry_;
};

class GNOMON_EXPORT Mechanism {
 public:
  enum class Space { three_dimensional, planar };
  explicit Mechanism(std::string name = "mechanism", Space space = Space::three_dimensional);
  Mechanism(const Mechanism&) = delete;
  Mechanism& operator=(const Mechanism&) = delete;

  void gravity(const Values3& acceleration);
  void parameter(const std::string& name, double value);
  /// Fixed, or moving by formulas of t.
  Attachment point(const std::string& name, const Values3& position);
  Attachment particle(const std::string& name, const Value& mass, const Values3& position);
  Attachment particle(const std::string& name, const Value& mass, const Values3& position, const Values3& velocity);
  MechanismBody body(const std::string& name);
  /// Of the types that model files know: "revolute", ....
  MechanismEntry& joint(const std::string& name, const std::string& type, const Attachment& a, const Attachment& b);
  /// The motion of one joint is `ratio` times that of another: names of joints, or "C.angle", "C.distance".
  MechanismEntry& gear(const std::string& name, const std::string& first, const std::string& second,
                       const Value& ratio);
  /// The sum of ratio times motion is zero.
  MechanismEntry& gear(const std::string& name, const std::vector<std::string>& of, const Values3& ratios);
  MechanismEntry& rod(const std::string& name, const Attachment& a, const Attachment& b);
  MechanismEntry& spring(const std::string& name, const Attachment& a, const Attachment& b);
  MechanismEntry& rope(const std::string& name, const std::vector<Attachment>& through);
  MechanismEntry& motor(const std::string& name, const std::string& joint);
  void load(const std::string& name, const Attachment& on, const Values3& force);
  MechanismEntry& contact(const std::string& name, const Values3& point, const Values3& normal,
                          const std::vector<Attachment>& on);
  /// With a plane through a point or a body, with which it moves.
  MechanismEntry& contact(const std::string& name, const Attachment& point, const Values3& normal,
                          const std::vector<Attachment>& on);
  /// The cubic spline through points, a function NAME(u) in formulas.
  void table(const std::string& name, const Values3& x, const Values3& y);
  /// The start is moved to where everything fits.
  void assemble() { assemble_ = true; }
  /// A body or particle that assemble() does not move, or a joint whose angles and distance it keeps. Throws
  /// Error(unknown_name) for a name that none of them has.
  void hold(const std::string& name);
  /// Further tables of the model file, as text.
  void add(const std::string& toml) { further_ += toml + "\n"; }

  /// The model file.
  std::string text() const;
  /// Throws Error(bad_value) for what is wrong, with line and column of text().
  std::unique_ptr<const Problem> problem() const;
  ProblemInstance build(const Assignments& parameters = {}) const;

 private:
  MechanismEntry& entry(const std::string& table, const std::string& name);

  std::string name_, gravity_, parameters_, further_;
  Space space_;
  bool assemble_ = false;
  std::deque<MechanismEntry> entries_;
};

}  // namespace gnomon
