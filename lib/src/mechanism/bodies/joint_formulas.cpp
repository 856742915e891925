#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

#include "gnomon/base/numbers.hpp"
#include "mechanism/bodies/formula_writer.hpp"

namespace gnomon::mechanism {

namespace {

using Vector3 = Poses::Vector3;

class JointWriter : FormulaWriter {
 public:
  JointWriter(const Bodies& all, WrittenTables& written)
      : FormulaWriter(all, written), near_(all.bodies.size() > few && is_tree()) {}

  void write() {
    for (const Joint& joint : all_.joints) write_joint(joint);
    for (const Rod& rod : all_.rods) write_rod(rod);
    for (const Spring& spring : all_.springs) write_spring(spring);
    for (const Motor& motor : all_.motors) write_motor(motor);
    for (const Load& load : all_.loads) write_load(load);
    for (const PlaneContact& contact : all_.contacts) write_contact(contact);
  }

 private:
  /// A component of p_B - p_A, or of its rate.
  static std::string apart(const Partner& a, const Partner& b, const std::string& c) {
    return "(" + b.name + "." + c + " - " + a.name + "." + c + ")";
  }
  /// (p_B - p_A) . e
  std::string across(const Joint& joint, const std::string& e) const {
    return sum([&](const std::string& c) { return apart(joint.a, joint.b, c) + "*" + e + "." + c; });
  }
  static Texts negative(Texts vector) {
    for (std::string& text : vector) text = "-" + text;
    return vector;
  }
  /// The name of a unit vector of a joint that is fixed in A or in B; its components are written at its first use.
  std::string unit(const Joint& joint, bool of_a, JointType::Vector which) {
    static const std::array<std::string, 3> names{"n", "e1", "e2"};
    const std::string name = joint.name + "." + names[which] + (of_a ? "a" : "b");
    if (!written_.vectors.insert(name).second) return name;
    const Partner& partner = of_a ? joint.a : joint.b;
    const auto component = [joint, of_a, which](std::size_t k) {
      return [joint, of_a, which, k](const Poses& poses) {
        const Poses::Frames frames = poses.frames(joint);
        const Vector3 v = (of_a ? frames.a : frames.b).col(static_cast<Index>(which));
        return poses.in_axes(of_a ? joint.a : joint.b, v)[static_cast<Index>(k)];
      };
    };
    const bool of_body = partner.kind == Partner::Kind::body;
    for (std::size_t k = 0; k < dimension_; ++k)
      constant(name + "." + (of_body ? along_axes : letters)[k], joint.place, component(k));
    for (std::size_t c = 0; c < dimension_; ++c) {
      if (of_body) {
        const std::string& body = all_.bodies[partner.index].name;
        define(name + "." + letters[c], in_space(name, body, c, false), joint.place);
        define(name + ".v" + letters[c], in_space(name, body, c, true), joint.place);
      } else {
        constant(name + ".v" + letters[c], joint.place, [](const Poses&) { return 0.0; });
      }
    }
    return name;
  }

  /// Where the constraint of two partners stands: in a tree of many bodies with those of the later one, so that
  /// matrices of chains are banded; else after all bodies, in the order of the tables.
  std::size_t later(const Partner& a, const Partner& b) const {
    if (!near_) return all_.bodies.size() + 1;
    std::size_t body = 0;
    for (const Partner* one : {&a, &b})
      if (one->kind == Partner::Kind::body) body = std::max(body, one->index + 1);
    return body;
  }
  /// Whether joints and rods close no loop.
  bool is_tree() const {
    // Fixed points are one; then particles and bodies. Each points towards the root of what it is joined to.
    std::vector<std::size_t> towards(1 + all_.particles.size() + all_.bodies.size());
    std::iota(towards.begin(), towards.end(), std::size_t(0));
    const auto root = [&](const Partner& partner) {
      std::size_t at = partner.kind == Partner::Kind::point      ? 0
                       : partner.kind == Partner::Kind::particle ? 1 + partner.index
                                                                 : 1 + all_.particles.size() + partner.index;
      while (towards[at] != at) at = towards[at] = towards[towards[at]];
      return at;
    };
    const auto joins = [&](const Partner& a, const Partner& b) {
      const std::size_t from = root(a), to = root(b);
      towards[from] = to;
      return from != to;
    };
    for (const Joint& joint : all_.joints)
      if (!joins(joint.a, joint.b)) return false;
    for (const Rod& rod : all_.rods)
      if (!joins(rod.a, rod.b)) return false;
    return true;
  }
  void write_joint(const Joint& joint) {
    const std::string& j = joint.name;
    const JointType& type = *joint.type;
    // Force and moment on B, from -G^T lambda.
    Texts force(dimension_), moment(planar() ? 1 : 3);
    if (type.coincide)
      for (std::size_t c = 0; c < dimension_; ++c) {
        constraint(later(joint.a, joint.b), j + "." + letters[c],
                   joint.b.name + "." + letters[c] + " - " + joint.a.name + "." + letters[c], joint.place);
        force[c] += " - lambda." + j + "." + letters[c];
      }
    int number = 0;
    for (const auto& [of_a, of_b] : type.square) {
      const std::string a = unit(joint, true, of_a), b = unit(joint, false, of_b);
      const std::string row = j + ".turn" + std::to_string(++number);
      constraint(later(joint.a, joint.b), row, dot(a, b), joint.place);
      for (std::size_t k = 0; k < moment.size(); ++k) {
        const std::string &x = letters[planar() ? 0 : (k + 1) % 3], &y = letters[planar() ? 1 : (k + 2) % 3];
        moment[k] +=
            " + lambda." + row + "*(" + a + "." + x + "*" + b + "." + y + " - " + a + "." + y + "*" + b + "." + x + ")";
      }
    }
    number = 0;
    for (const JointType::Vector e : type.along) {
      const std::string a = unit(joint, true, e), row = j + ".slide" + std::to_string(++number);
      constraint(later(joint.a, joint.b), row, across(joint, a), joint.place);
      for (std::size_t c = 0; c < dimension_; ++c) force[c] += " - lambda." + row + "*" + a + "." + letters[c];
    }
    write_joint_motion(joint);
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
    const bool rates = !moves(joint.a) && !moves(joint.b);
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
      if (rates) {
        define(j + ".slip", sum([&](const std::string& c) {
                 return apart(joint.a, joint.b, c) + "*" + n + ".v" + c + " + " + apart(joint.a, joint.b, "v" + c) +
                        "*" + n + "." + c;
               }),
               place);
        show(j + ".slip", "m/s", place);
      }
    }
    const std::string motion = joint.type->turns ? ".angle" : ".distance";
    const auto number_of = [&](const char* name, const std::optional<Formula>& f) {
      constant(j + "." + name, f ? f->place : place, [f](const Poses& poses) { return f ? poses.number(*f) : 0.0; });
    };
    if (joint.stiffness) {
      number_of("stiffness", joint.stiffness);
      number_of("rest", joint.rest);
      formula("potential", j + ".spring", j + ".stiffness/2*(" + j + motion + " - " + j + ".rest)^2", place);
    }
    if (joint.damping) {
      number_of("damping", joint.damping);
      drive(joint, "-" + j + ".damping*" + j + (joint.type->turns ? ".speed" : ".slip"), joint.type->turns, place);
    }
  }
  bool moves(const Partner& partner) const {
    return partner.kind == Partner::Kind::point && all_.points[partner.index].moves;
  }
  /// A torque about n, or a force along it, on B; the opposite on A.
  void drive(const Joint& joint, const std::string& size, bool turning, const Place& place) {
    if (turning && planar()) {
      turn(joint.b, {size}, place);
      turn(joint.a, {"-(" + size + ")"}, place);
      return;
    }
    const std::string n = unit(joint, true, JointType::n);
    const Texts vector = components([&](const std::string& c) { return "(" + size + ")*" + n + "." + c; });
    if (turning) {
      turn(joint.b, vector, place);
      turn(joint.a, negative(vector), place);
    } else {
      act(joint.b, vector, place);
      act(joint.a, negative(vector), place);
    }
  }

  void write_rod(const Rod& rod) {
    const std::string& r = rod.name;
    constant(r + ".length", rod.place, [rod](const Poses& poses) {
      const double length =
          rod.length ? poses.number(*rod.length) : (poses.position(rod.b) - poses.position(rod.a)).norm();
      if (!(length > 0))
        throw error_at(rod.place,
                       "rod " + rod.name + " has the length " + number_text(length) + ", expected above zero");
      return length;
    });
    constraint(later(rod.a, rod.b), r, "(" + square(rod.a, rod.b) + " - " + r + ".length^2)/2", rod.place);
    output(r + ".tension", "lambda." + r + "*" + r + ".length", "N", rod.place);
    draw(r, {point_of(rod.a.name), point_of(rod.b.name)}, rod.place);
  }
  /// |p_B - p_A|^2
  std::string square(const Partner& a, const Partner& b) const {
    return sum([&](const std::string& c) { return apart(a, b, c) + "^2"; });
  }

  void write_spring(const Spring& spring) {
    const std::string& s = spring.name;
    const Place& place = spring.place;
    number(s + ".stiffness", spring.stiffness, spring.stiffness.place);
    const std::optional<Formula>& rest = spring.rest_length;
    const bool none =
        rest && rest->nodes.size() == 1 && rest->nodes[0].value == 0 && rest->nodes[0].kind == Formula::Kind::number;
    constant(s + ".rest_length", place, [spring, none](const Poses& poses) {
      const double apart = (poses.position(spring.b) - poses.position(spring.a)).norm();
      if (apart == 0 && !none)
        throw error_at(spring.place,
                       "the two ends of spring " + spring.name +
                           " are at one point at the start, where its force has no direction; expected two "
                           "points, or rest_length = 0");
      if (!spring.rest_length) return apart;
      const double length = poses.number(*spring.rest_length);
      if (!(length >= 0))
        throw error_at(spring.rest_length->place, "the rest length of spring " + spring.name + " is " +
                                                      number_text(length) + ", expected at least zero");
      return length;
    });
    const std::string length = "sqrt(" + square(spring.a, spring.b) + ")";
    const auto energy = [&](const std::string& pi) {
      return none ? s + ".stiffness/2*" + pi : s + ".stiffness/2*(sqrt(" + pi + ") - " + s + ".rest_length)^2";
    };
    if (moves(spring.a) || moves(spring.b))
      formula("potential", s + ".energy", energy("(" + square(spring.a, spring.b) + ")"), place);
    else
      line("invariants", s + ".square",
           "{ of = " + toml_string(square(spring.a, spring.b)) + ", potential = " + toml_string(energy(s + ".square")) +
               " }",
           place);
    output(s + ".length", length, "m", place);
    output(s + ".force", s + ".stiffness*(" + length + " - " + s + ".rest_length)", "N", place);
    draw(s, {point_of(spring.a.name), point_of(spring.b.name)}, place);
    if (!spring.damping) return;
    number(s + ".damping", *spring.damping, spring.damping->place);
    // The rate of the length over the length.
    define(s + ".rate",
           s + ".damping*(" + sum([&](const std::string& c) {
             return apart(spring.a, spring.b, c) + "*" + apart(spring.a, spring.b, "v" + c);
           }) + ")/(" +
               square(spring.a, spring.b) + ")",
           place);
    const Texts on_a = components([&](const std::string& c) { return s + ".rate*" + apart(spring.a, spring.b, c); });
    act(spring.a, on_a, place);
    act(spring.b, negative(on_a), place);
  }

  /// The words "angle", "speed" and "distance" of a motor's formula mean those of its joint.
  static std::string of_joint(const std::string& text, const std::string& joint) {
    std::string out;
    for (std::size_t k = 0; k < text.size();) {
      const auto part = [&](std::size_t at) {
        return at < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_' || text[at] == '.');
      };
      std::size_t end = k;
      while (part(end)) ++end;
      if (end == k) {
        out += text[k++];
        continue;
      }
      const std::string word = text.substr(k, end - k);
      out += word == "angle" || word == "speed" || word == "distance" ? joint + "." + word : word;
      k = end;
    }
    return out;
  }
  void write_motor(const Motor& motor) {
    const Joint& joint = all_.joints[motor.joint];
    const std::string &name = motor.name, &j = joint.name;
    switch (motor.kind) {
      case Motor::Kind::angle:
        define(name + ".angle", motor.value, motor.value_place);
        constraint(later(joint.a, joint.b), name,
                   j + ".sin*cos(" + name + ".angle) - " + j + ".cos*sin(" + name + ".angle)", motor.place);
        output(name + ".torque", "-lambda." + name, "N m", motor.place);
        break;
      case Motor::Kind::distance:
        define(name + ".distance", motor.value, motor.value_place);
        constraint(later(joint.a, joint.b), name, j + ".distance - " + name + ".distance", motor.place);
        output(name + ".force", "-lambda." + name, "N", motor.place);
        break;
      case Motor::Kind::torque:
      case Motor::Kind::force: {
        const bool turning = motor.kind == Motor::Kind::torque;
        const std::string own = name + (turning ? ".torque" : ".force");
        define(own, of_joint(motor.value, j), motor.value_place);
        show(own, turning ? "N m" : "N", motor.place);
        drive(joint, own, turning, motor.place);
        break;
      }
    }
  }

  void write_load(const Load& load) {
    for (std::size_t c = 0; c < dimension_; ++c)
      define(load.name + "." + letters[c], load.components[c].first, load.components[c].second);
    act(load.on, point_of(load.name), load.place);
  }

  void write_contact(const PlaneContact& contact) {
    const std::string& name = contact.name;
    for (std::size_t c = 0; c < dimension_; ++c) {
      number(name + ".point." + letters[c], contact.point[c], contact.place);
      constant(name + ".normal." + letters[c], contact.place, [contact, c](const Poses& poses) {
        return poses.direction(contact.normal, "the normal of contact " + contact.name)[static_cast<Index>(c)];
      });
    }
    if (contact.restitution) number(name + ".restitution", *contact.restitution, contact.restitution->place);
    if (contact.friction) number(name + ".friction", *contact.friction, contact.friction->place);
    for (const Partner& on : contact.on) {
      std::string text = "{ formula = " + toml_string(sum([&](const std::string& c) {
                           return name + ".normal." + c + "*(" + on.name + "." + c + " - " + name + ".point." + c + ")";
                         }));
      if (contact.restitution) text += ", restitution = " + toml_string(name + ".restitution");
      if (contact.friction)
        text +=
            ", slip = " + toml_string(name + ".normal.y*" + on.name + ".x - " + name + ".normal.x*" + on.name + ".y") +
            ", friction = " + toml_string(name + ".friction");
      line("obstacles", name + "." + on.name, text + " }", contact.place);
    }
  }

  static constexpr std::size_t few = 16;
  bool near_;
};

}  // namespace

void write_joints(const Bodies& all, WrittenTables& written) {
  JointWriter(all, written).write();
}

}  // namespace gnomon::mechanism
