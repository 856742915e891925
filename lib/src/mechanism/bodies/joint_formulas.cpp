#include <cmath>
#include <limits>

#include "gnomon/base/numbers.hpp"
#include "gnomon/base/thresholds.hpp"
#include "mechanism/bodies/joining_writer.hpp"

namespace gnomon::mechanism {

namespace {

class JointWriter : JoiningWriter {
 public:
  using JoiningWriter::JoiningWriter;

  void write() {
    for (const Joint& joint : all_.joints) write_joint(joint);
  }
  void write_motors() {
    for (const Motor& motor : all_.motors) write_motor(motor);
  }

 private:
  /// (p_B - p_A) . e
  std::string across(const Joint& joint, const std::string& e) const {
    return sum([&](const std::string& c) { return apart(joint.a, joint.b, c) + "*" + e + "." + c; });
  }
  void write_joint(const Joint& joint) {
    const std::string& j = joint.name;
    const JointType& type = *joint.type;
    // Force and moment on B, from -G^T lambda.
    Texts force(dimension_), moment(planar() ? 1 : 3);
    std::string pressing;  // |force|^2
    if (planar() && type.coincide) draw(j, {point_of(joint.a.name)}, joint.place, "joints_drawn");
    if (type.coincide)
      for (std::size_t c = 0; c < dimension_; ++c) {
        constraint(later({&joint.a, &joint.b}), j + "." + letters[c],
                   joint.b.name + "." + letters[c] + " - " + joint.a.name + "." + letters[c], joint.place);
        force[c] += " - lambda." + j + "." + letters[c];
        pressing += " + lambda." + j + "." + letters[c] + "^2";
      }
    int number = 0;
    for (const auto& [of_a, of_b] : type.square) {
      const std::string a = unit(joint, true, of_a), b = unit(joint, false, of_b);
      const std::string row = j + ".turn" + std::to_string(++number);
      constraint(later({&joint.a, &joint.b}), row, dot(a, b), joint.place);
      for (std::size_t k = 0; k < moment.size(); ++k) {
        const std::string &x = letters[planar() ? 0 : (k + 1) % 3], &y = letters[planar() ? 1 : (k + 2) % 3];
        moment[k] +=
            " + lambda." + row + "*(" + a + "." + x + "*" + b + "." + y + " - " + a + "." + y + "*" + b + "." + x + ")";
      }
    }
    number = 0;
    for (const JointType::Vector e : type.along) {
      const std::string a = unit(joint, true, e), row = j + ".slide" + std::to_string(++number);
      constraint(later({&joint.a, &joint.b}), row, across(joint, a), joint.place);
      for (std::size_t c = 0; c < dimension_; ++c) force[c] += " - lambda." + row + "*" + a + "." + letters[c];
      pressing += " + lambda." + row + "^2";
    }
    write_joint_motion(joint);
    if (joint.dry_friction || joint.bearing) write_dry_friction(joint, pressing);
    for (std::size_t c = 0; c < dimension_; ++c)
      if (!force[c].empty()) output(j + ".force." + letters[c], force[c], "N", joint.place);
    for (std::size_t k = 0; k < moment.size(); ++k)
      if (!moment[k].empty()) output(j + ".moment" + (planar() ? "" : "." + letters[k]), moment[k], "N m", joint.place);
  }

  /// The angle of b from x towards y, all unit vectors at right angles to one axis, and its rate.
  void write_turning(const std::string& joint, const std::string& number, const std::array<std::string, 3>& bxy,
                     const Place& place) {
    const auto& [b, x, y] = bxy;
    const std::string cosine = joint + ".cos" + number, sine = joint + ".sin" + number;
    define(cosine, dot(b, x), place);
    define(sine, dot(b, y), place);
    define(joint + ".angle" + number, "winding(" + sine + ", " + cosine + ")", place);
    define(joint + ".speed" + number,
           cosine + "*(" + rate_of_dot(b, y) + ") - " + sine + "*(" + rate_of_dot(b, x) + ")", place);
    show(joint + ".angle" + number, "rad", place);
    show(joint + ".speed" + number, "rad/s", place);
  }
  /// Is zero where bodies are as the file has them, and stays so where they are assembled.
  void hold(const std::string& name, const std::string& text, const Place& place) {
    formula("holds", name + ".held", text, place);
  }
  /// The tangent of half the angle, which is not zero at half a turn as the sine is.
  void hold_angle(const std::string& joint, const std::string& number, const Place& place) {
    hold(joint + ".angle" + number, joint + ".sin" + number + "/(1 + " + joint + ".cos" + number + ")", place);
  }
  /// Angles and distance from the start, and the springs and dampers between them.
  void write_joint_motion(const Joint& joint) {
    using V = JointType;
    const std::string& j = joint.name;
    const Place& place = joint.place;
    if (joint.type->turns) {
      const V::Vector first = planar() ? V::n : V::e1, second = planar() ? V::e1 : V::e2;
      write_turning(j, "", {unit(joint, false, first), unit(joint, true, first), unit(joint, true, second)}, place);
      if (joint.held) hold_angle(j, "", place);
    }
    if (joint.axes.size() == 2) {
      write_turning(j, "1", {unit(joint, false, V::n), unit(joint, true, V::e1), unit(joint, true, V::e2)}, place);
      write_turning(j, "2", {unit(joint, true, V::n), unit(joint, false, V::e1), unit(joint, false, V::e2)}, place);
      for (const char* number : {"1", "2"})
        if (joint.held) hold_angle(j, number, place);
    }
    if (joint.type->slides) {
      const std::string n = unit(joint, true, V::n);
      constant(j + ".start", place, [joint](const Poses& poses) {
        return (poses.position(joint.b) - poses.position(joint.a)).dot(poses.frames(joint).a.col(V::n));
      });
      define(j + ".distance", across(joint, n) + " - " + j + ".start", place);
      show(j + ".distance", "m", place);
      if (joint.held) hold(j + ".distance", j + ".distance", place);
      define(j + ".slip", sum([&](const std::string& c) {
               return apart(joint.a, joint.b, c) + "*" + n + ".v" + c + " + " + apart(joint.a, joint.b, "v" + c) + "*" +
                      n + "." + c;
             }),
             place);
      show(j + ".slip", "m/s", place);
    }
    const auto number_of = [&](const char* name, const std::optional<Formula>& f) {
      constant(j + "." + name, f ? f->place : place, [f](const Poses& poses) { return f ? poses.number(*f) : 0.0; });
    };
    if (joint.stiffness) {
      number_of("stiffness", joint.stiffness);
      number_of("rest", joint.rest);
      formula("potential", j + ".spring", j + ".stiffness/2*(" + motion_of(joint) + " - " + j + ".rest)^2", place);
    }
    if (joint.damping) {
      number_of("damping", joint.damping);
      drive(joint, "-" + j + ".damping*" + rate_of(joint), joint.type->turns, place);
    }
    if (joint.lower || joint.upper) write_limits(joint);
    write_start(joint);
  }

  /// Where assembly takes the motion of a joint, and its rate, d/dt (motion - speed t) = 0.
  void write_start(const Joint& joint) {
    const std::string &j = joint.name, motion = motion_of(joint);
    const bool turns = joint.type->turns;
    if (joint.start) {
      constant(j + ".at_start", joint.start->place, [joint, turns](const Poses& poses) {
        const double value = poses.number(*joint.start);
        constexpr double pi = 3.14159265358979323846;
        if (turns && !(std::abs(value) < pi))
          throw error_at(joint.start->place, "the angle of joint " + joint.name + " at the start is " +
                                                 number_text(value) + " rad, expected between -pi and pi");
        return value;
      });
      hold(motion,
           turns ? j + ".sin/(1 + " + j + ".cos) - tan(" + j + ".at_start/2)" : motion + " - " + j + ".at_start",
           joint.place);
    }
    if (!joint.speed) return;
    number(j + ".start_speed", *joint.speed, joint.speed->place);
    formula("speeds", motion + ".given", motion + " - " + j + ".start_speed*t", joint.place);
  }

  /// The motion of a joint stays between two numbers: by impacts of two obstacles, or by springs and dampers beyond
  /// them.
  void write_limits(const Joint& joint) {
    const std::string &j = joint.name, motion = motion_of(joint);
    if (joint.stop_stiffness)
      at_least_zero(j + ".stop_stiffness", *joint.stop_stiffness, "the stop_stiffness of joint " + j);
    if (joint.stop_damping) at_least_zero(j + ".stop_damping", *joint.stop_damping, "the stop_damping of joint " + j);
    if (joint.restitution) number(j + ".restitution", *joint.restitution, joint.restitution->place);
    std::string reaction;
    for (const bool upper : {false, true}) {
      const std::optional<Formula>& limit = upper ? joint.upper : joint.lower;
      if (!limit) continue;
      const std::string name = j + (upper ? ".upper" : ".lower"), bound = name + "_limit";
      constant(bound, limit->place, [joint, upper](const Poses& poses) { return limit_of(joint, upper, poses); });
      const std::string gap = upper ? bound + " - " + motion : motion + " - " + bound;
      if (!is_elastic(joint)) {
        line("obstacles", name,
             "{ formula = " + toml_string(gap) +
                 (joint.restitution ? ", restitution = " + toml_string(j + ".restitution") : "") + " }",
             joint.place);
        reaction += (upper ? " - lambda." : " + lambda.") + name;
        continue;
      }
      const std::string beyond = motion + (upper ? " > " : " < ") + bound;
      if (joint.stop_stiffness) {
        formula("potential", name, "if(" + beyond + ", " + j + ".stop_stiffness/2*(" + gap + ")^2, 0)", joint.place);
        reaction += " + if(" + beyond + ", " + j + ".stop_stiffness*(" + bound + " - " + motion + "), 0)";
      }
      if (joint.stop_damping) {
        const std::string size = "if(" + beyond + ", -" + j + ".stop_damping*" + rate_of(joint) + ", 0)";
        drive(joint, size, joint.type->turns, joint.place);
        reaction += " + " + size;
      }
    }
    if (!reaction.empty()) output(j + ".stop", reaction, joint.type->turns ? "N m" : "N", joint.place);
  }

  static bool is_elastic(const Joint& joint) { return joint.stop_stiffness || joint.stop_damping; }
  static double limit_of(const Joint& joint, bool upper, const Poses& poses) {
    const auto value = [&](const std::optional<Formula>& f, double without) { return f ? poses.number(*f) : without; };
    constexpr double none = std::numeric_limits<double>::infinity();
    const double lower_limit = value(joint.lower, -none), upper_limit = value(joint.upper, none),
                 start = value(joint.start, 0);
    if (!(lower_limit < upper_limit))
      throw error_at(joint.upper->place, "the limits of joint " + joint.name + " are " + number_text(lower_limit) +
                                             " and " + number_text(upper_limit) + ", expected the lower one first");
    if (!is_elastic(joint) && (start < lower_limit || start > upper_limit))
      throw error_at(joint.place, "joint " + joint.name + " stands at " + number_text(start) + " at the start, " +
                                      (start < lower_limit ? "below its lower limit " + number_text(lower_limit)
                                                           : "above its upper limit " + number_text(upper_limit)));
    return upper ? upper_limit : lower_limit;
  }

  /// Coulomb friction of a joint, F or less while it sticks and F against the motion while it slides, is that of a
  /// coordinate which the force F presses on an obstacle, with a friction coefficient of one and the motion of the
  /// joint as slip:
  ///
  ///     s >= 0,  s(0) = 0,  F = F_0 + mu r |lambda|: U = F_0 s, and of the reaction R_s = -mu r |lambda|
  ///     =>   s = 0 and psi = F at all times.
  ///
  /// An impact elsewhere does not press s, and has no impulse by it. The mass of s is without influence. `pressing`:
  /// |lambda|^2, of the rows that hold the joint's points together, whose directions are orthonormal.
  void write_dry_friction(const Joint& joint, const std::string& pressing) {
    const std::string f = joint.name + ".friction", press = joint.name + ".pressed";
    const Partner& moved = joint.b.kind == Partner::Kind::point ? joint.a : joint.b;
    const std::string body = owner_of(moved);
    coordinate(press, body + ".mass",
               {joint.place, [](const Poses&) { return 0.0; }, [](const Poses&, const Vector&) { return 0.0; },
                [](const Poses&) { return 1.0; }, true});
    if (joint.dry_friction) {
      at_least_zero(f + ".size", *joint.dry_friction, "the dry friction of joint " + joint.name);
      formula("potential", f, f + ".size*" + press, joint.place);
    }
    if (joint.bearing) {
      const std::string bearing = joint.name + ".bearing";
      at_least_zero(bearing + ".coefficient", *joint.bearing, "the coefficient of the bearing of joint " + joint.name);
      std::string by = bearing + ".coefficient";
      if (joint.bearing_radius) {
        at_least_zero(bearing + ".radius", *joint.bearing_radius, "the radius of the bearing of joint " + joint.name);
        by += "*" + bearing + ".radius";
      }
      // The derivative of the root exists at zero with the least number under it.
      formula("friction", press, "-" + by + "*sqrt(" + number_text(thresholds::no_division_by_zero) + pressing + ")",
              joint.place);
    }
    line("obstacles", f,
         "{ formula = " + toml_string(press) + ", slip = " + toml_string(motion_of(joint)) +
             ", friction = 1, restitution = 0 }",
         joint.place);
    output(joint.name + (joint.type->turns ? ".friction_torque" : ".friction_force"), "lambda." + f + ".slip",
           joint.type->turns ? "N m" : "N", joint.place);
    output(f + "_limit", "lambda." + f, joint.type->turns ? "N m" : "N", joint.place);
  }
  static std::string motion_of(const Joint& joint) { return joint.name + (joint.type->turns ? ".angle" : ".distance"); }
  static std::string rate_of(const Joint& joint) { return joint.name + (joint.type->turns ? ".speed" : ".slip"); }

  void write_motor(const Motor& motor) {
    const Joint& joint = all_.joints[motor.joint];
    const std::string &name = motor.name, &j = joint.name;
    switch (motor.kind) {
      case Motor::Kind::angle:
        define(name + ".angle", motor.value, motor.value_place);
        constraint(later({&joint.a, &joint.b}), name,
                   j + ".sin*cos(" + name + ".angle) - " + j + ".cos*sin(" + name + ".angle)", motor.place);
        output(name + ".torque", "-lambda." + name, "N m", motor.place);
        break;
      case Motor::Kind::distance:
        define(name + ".distance", motor.value, motor.value_place);
        constraint(later({&joint.a, &joint.b}), name, j + ".distance - " + name + ".distance", motor.place);
        output(name + ".force", "-lambda." + name, "N", motor.place);
        break;
      case Motor::Kind::torque:
      case Motor::Kind::force: {
        const bool turning = motor.kind == Motor::Kind::torque;
        const std::string own = name + (turning ? ".torque" : ".force");
        define(own,
               with_names(motor.value, {{"angle", j + ".angle"},
                                        {"speed", j + (turning ? ".speed" : ".slip")},
                                        {"distance", j + ".distance"}}),
               motor.value_place);
        show(own, turning ? "N m" : "N", motor.place);
        drive(joint, own, turning, motor.place);
        break;
      }
    }
  }
};

}  // namespace

void write_joints(const Bodies& all, WrittenTables& written) {
  JointWriter(all, written).write();
}
void write_motors(const Bodies& all, WrittenTables& written) {
  JointWriter(all, written).write_motors();
}

}  // namespace gnomon::mechanism
