/// \file
/// Loads, and contacts with planes.

#include <Eigen/Geometry>
#include <algorithm>

#include "mechanism/bodies/joining_writer.hpp"

namespace gnomon::mechanism {

namespace {

/// Two unit vectors perpendicular to n and to each other.
Poses::Vector3 across(const Poses::Vector3& n, int which) {
  Eigen::Index least = 0;
  n.cwiseAbs().minCoeff(&least);
  const Poses::Vector3 first = n.cross(Poses::Vector3(Poses::Vector3::Unit(least))).normalized();
  return which == 0 ? first : Poses::Vector3(n.cross(first));
}

class ContactWriter : JoiningWriter {
 public:
  using JoiningWriter::JoiningWriter;

  void write() {
    for (const Load& load : all_.loads) write_load(load);
    for (const PlaneContact& contact : all_.contacts) write_contact(contact);
  }

 private:
  void write_load(const Load& load) {
    for (std::size_t c = 0; c < dimension_; ++c)
      define(load.name + "." + letters[c], load.components[c].first, load.components[c].second);
    act(load.on, point_of(load.name), load.place);
  }

  void write_contact(const PlaneContact& contact) {
    const std::string& name = contact.name;
    const auto direction = [contact](const Poses& poses) {
      return poses.direction(contact.normal, "the normal of contact " + contact.name);
    };
    fixed_vector(name + ".normal", contact.base.value_or(Partner{}), direction, contact.place);
    const std::string point = contact.base ? contact.base->name : name + ".point";
    if (!contact.base)
      for (std::size_t c = 0; c < dimension_; ++c) number(point + "." + letters[c], contact.point[c], contact.place);
    if (planar()) draw_ground(contact, point);
    if (contact.restitution) number(name + ".restitution", *contact.restitution, contact.restitution->place);
    if (contact.friction) number(name + ".friction", *contact.friction, contact.friction->place);
    if (contact.radius)
      constant(name + ".radius", contact.radius->place, [contact](const Poses& poses) {
        const double radius = poses.number(*contact.radius);
        if (!(radius > 0))
          throw error_at(contact.radius->place, "the radius of contact " + contact.name + " is " + number_text(radius) +
                                                    ", expected above zero");
        return radius;
      });
    if (contact.friction && dimension_ == 3)
      for (const int which : {0, 1})
        fixed_vector(
            name + (which == 0 ? ".e1" : ".e2"), contact.base.value_or(Partner{}),
            [direction, which](const Poses& poses) { return across(direction(poses), which); }, contact.place);
    for (const Partner& on : contact.on) {
      const auto above = [&](const std::string& c) { return "(" + on.name + "." + c + " - " + point + "." + c + ")"; };
      const std::string upright = contact.axis.empty() ? "" : "*" + write_disc(contact, on);
      std::string text = "{ formula = " +
                         toml_string(sum([&](const std::string& c) { return name + ".normal." + c + "*" + above(c); }) +
                                     (contact.radius ? " - " + name + ".radius" + upright : ""));
      if (contact.restitution) text += ", restitution = " + toml_string(name + ".restitution");
      if (contact.friction)
        text +=
            ", slip = " + (dimension_ == 2 ? slip_in_plane(contact, on, above) : slip_in_space(contact, on, above)) +
            ", friction = " + toml_string(name + ".friction");
      line("obstacles", name + "." + on.name, text + " }", contact.place);
    }
  }

  /// As long as what touches is far away at the start.
  void draw_ground(const PlaneContact& contact, const std::string& point) {
    const std::string &name = contact.name, half = name + ".half";
    constant(half, contact.place, [contact](const Poses& poses) {
      const Vector3 from = contact.base ? poses.position(*contact.base) : poses.vector(contact.point);
      double reach = 0;
      for (const Partner& on : contact.on) reach = std::max(reach, (poses.position(on) - from).norm());
      return reach > 0 ? 1.5 * reach : 1.0;
    });
    const auto end = [&](const char* sign) {
      return Texts{point + ".x " + sign + " " + half + "*" + name + ".normal.y",
                   point + ".y - (0 " + sign + " " + half + ")*" + name + ".normal.x"};
    };
    draw(name, {end("-"), end("+")}, contact.place, "grounds");
  }

  /// The lowest point of the rim of a disc with the axis w is at -R (n - s w)/k from its middle, s = n.w, k = |n x w|.
  /// Returns k.
  std::string write_disc(const PlaneContact& contact, const Partner& on) {
    const std::string at = contact.name + "." + on.name, w = at + ".axis", n = contact.name + ".normal",
                      way = at + ".way", upright = at + ".upright";
    fixed_vector(
        w, on,
        [contact](const Poses& poses) { return poses.direction(contact.axis, "the axis of contact " + contact.name); },
        contact.place);
    define(at + ".lean", dot(n, w), contact.place);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string &u = letters[(i + 1) % 3], &v = letters[(i + 2) % 3];
      define(way + "." + letters[i], n + "." + u + "*" + w + "." + v + " - " + n + "." + v + "*" + w + "." + u,
             contact.place);
    }
    define(upright, "sqrt(" + dot(way, way) + ")", contact.place);
    // Where the disc lies flat its rim has no lowest point.
    define(at + ".flat", "1 - " + upright + "^2", contact.place);
    show(at + ".flat", "", contact.place, "0.9998");
    return upright;
  }

  /// The normal turned by a right angle is a vector of the plane, by which the point slips, and a disc rolls.
  template <class Above>
  std::string slip_in_plane(const PlaneContact& contact, const Partner& on, const Above& above) {
    const std::string& name = contact.name;
    std::string slip = name + ".normal.y*" + above("x") + " - " + name + ".normal.x*" + above("y");
    if (contact.radius && on.kind == Partner::Kind::body) {
      slip += " + " + name + ".radius*(" + body_of(on) + ".angle";
      if (contact.base && contact.base->kind == Partner::Kind::body) slip += " - " + body_of(*contact.base) + ".angle";
      slip += ")";
    }
    return toml_string(slip);
  }

  /// The velocity of the point that touches, in the plane: that of the body less that of the plane, along two
  /// perpendicular vectors. A ball touches at -R n from its middle.
  template <class Above>
  std::string slip_in_space(const PlaneContact& contact, const Partner& on, const Above& above) {
    const std::string &name = contact.name, at = name + "." + on.name;
    const bool turns = contact.base && contact.base->kind == Partner::Kind::body,
               rolls = contact.radius && on.kind == Partner::Kind::body;
    if (rolls)
      for (const std::string& l : letters) {
        const std::string n = name + ".normal." + l;
        define(
            at + ".arm." + l,
            "-" + name + ".radius*" +
                (contact.axis.empty() ? n
                                      : "(" + n + " - " + at + ".lean*" + at + ".axis." + l + ")/" + at + ".upright"),
            contact.place);
      }
    if (turns)
      for (const std::string& l : letters)
        define(at + ".from_plane." + l, above(l) + (rolls ? " + " + at + ".arm." + l : ""), contact.place);
    for (std::size_t i = 0; i < 3; ++i) {
      std::string slip = on.name + ".v" + letters[i];
      if (rolls) slip += " + " + turned(on, at + ".arm", i);
      if (contact.base) slip += " - " + contact.base->name + ".v" + letters[i];
      if (turns) slip += " - (" + turned(*contact.base, at + ".from_plane", i) + ")";
      define(at + ".slip." + letters[i], slip, contact.place);
    }
    return "[" + toml_string(dot(at + ".slip", name + ".e1")) + ", " + toml_string(dot(at + ".slip", name + ".e2")) +
           "]";
  }
};

}  // namespace

void write_contacts(const Bodies& all, WrittenTables& written) {
  ContactWriter(all, written).write();
}

}  // namespace gnomon::mechanism
