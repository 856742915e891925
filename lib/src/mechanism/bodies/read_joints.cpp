/// \file
/// Reads the tables of joints, rods, springs, motors, loads and contacts of a model file.

#include <algorithm>
#include <tuple>

#include "gnomon/base/numbers.hpp"
#include "mechanism/bodies/table_reader.hpp"

namespace gnomon::mechanism {

namespace {

class JointReader : TableReader {
 public:
  using TableReader::TableReader;

  void read() {
    each("joints", [&](const TomlEntry& entry) { read_joint(entry); });
    each("rods", [&](const TomlEntry& entry) { read_rod(entry); });
    each("springs", [&](const TomlEntry& entry) { read_spring(entry); });
    each("motors", [&](const TomlEntry& entry) { read_motor(entry); });
    each("loads", [&](const TomlEntry& entry) { read_load(entry); });
    each("contacts", [&](const TomlEntry& entry) { read_contact(entry); });
  }

 private:
  std::pair<Partner, Partner> between(const Keys& keys) const {
    const std::string& what = keys.what;
    const toml::node& node = required(keys, "between");
    const toml::array& array = file_.array(node, "between of " + what);
    if (array.size() != 2)
      throw error_at(file_.place(node),
                     "between of " + what + " has " + std::to_string(array.size()) + " entries, expected 2");
    std::pair<Partner, Partner> result{partner(*array.get(0), "between of " + what),
                                       partner(*array.get(1), "between of " + what)};
    const auto& [a, b] = result;
    if (a.kind == b.kind && a.index == b.index && a.kind != Partner::Kind::point)
      throw error_at(b.place, what + " joins \"" + a.name + "\" and \"" + b.name + "\", which move as one");
    if (a.kind == Partner::Kind::point && b.kind == Partner::Kind::point)
      throw error_at(b.place,
                     what + " joins \"" + a.name + "\" and \"" + b.name + "\", and neither is moved by forces");
    return result;
  }

  void read_joint(const TomlEntry& entry) {
    const Keys keys =
        keys_of(entry, "joint", {"type", "between", "axis", "axes", "stiffness", "rest", "damping", "hold"});
    const std::string& what = keys.what;
    Joint joint = named<Joint>(entry);
    const toml::node& type = required(keys, "type");
    const std::string name = file_.text(type, "the type of " + what);
    std::vector<std::string> known;
    for (const JointType& one : joint_types(all_.dimension)) {
      known.push_back(one.name);
      if (one.name == name) joint.type = &one;
    }
    if (joint.type == nullptr)
      throw error_at(file_.formula_place(type),
                     unknown_name(all_.dimension == 2 ? "joint in the plane" : "joint", name, known).what());
    std::tie(joint.a, joint.b) = between(keys);
    const bool needs_b = !joint.type->square.empty() || joint.type->turns;
    const bool needs_a = needs_b || !joint.type->along.empty();
    if (needs_a && !joint.a.has_axes())
      throw error_at(joint.a.place,
                     what + ": particle " + joint.a.name + " has no axes for a joint of the type " + name);
    if (needs_b && !joint.b.has_axes())
      throw error_at(joint.b.place,
                     what + ": particle " + joint.b.name + " has no axes for a joint of the type " + name);
    const toml::node *axis = keys.table.get("axis"), *axes = keys.table.get("axes");
    if (axis && joint.type->axes == 1) joint.axes.push_back(vector(*axis, "the axis of " + what));
    if (axes && joint.type->axes == 2) {
      const toml::array& list = file_.array(*axes, "the axes of " + what);
      for (const toml::node& one : list) joint.axes.push_back(vector(one, "an axis of " + what));
    }
    if (static_cast<int>(joint.axes.size()) != joint.type->axes || (axis && joint.type->axes != 1) ||
        (axes && joint.type->axes != 2))
      throw error_at(entry.key_place, what + " of the type " + name + " expects " +
                                          (joint.type->axes == 0   ? "no axis"
                                           : joint.type->axes == 1 ? "an axis"
                                                                   : "two axes: axes = [[..], [..]]"));
    joint.stiffness = optional(keys, "stiffness");
    joint.rest = optional(keys, "rest");
    joint.damping = optional(keys, "damping");
    if ((joint.stiffness || joint.damping) && !joint.type->turns && !joint.type->slides)
      throw error_at(entry.key_place,
                     what + " of the type " + name + " has neither an angle nor a distance for a spring");
    if (joint.rest && !joint.stiffness) throw error_at(joint.rest->place, what + " has a rest and no stiffness");
    if (joint.damping) refuse_moving(joint.a, joint.b, what);
    joint.held = held(keys);
    if (joint.held && !joint.type->turns && !joint.type->slides && joint.type->axes != 2)
      throw error_at(entry.key_place, what + " of the type " + name + " has neither an angle nor a distance to hold");
    all_.joints.push_back(std::move(joint));
  }
  /// The velocity of a point that moves with t is not known as a formula.
  void refuse_moving(const Partner& a, const Partner& b, const std::string& what) const {
    for (const Partner* one : {&a, &b})
      if (one->kind == Partner::Kind::point && all_.points[one->index].moves)
        throw error_at(one->place, what + " needs the velocity of point " + one->name + ", which moves with t");
  }

  void read_rod(const TomlEntry& entry) {
    const Keys keys = keys_of(entry, "rod", {"between", "length"});
    Rod rod = named<Rod>(entry);
    std::tie(rod.a, rod.b) = between(keys);
    rod.length = optional(keys, "length");
    all_.rods.push_back(std::move(rod));
  }

  void read_spring(const TomlEntry& entry) {
    const Keys keys = keys_of(entry, "spring", {"between", "stiffness", "rest_length", "damping"});
    const std::string& what = keys.what;
    Spring spring = named<Spring>(entry);
    std::tie(spring.a, spring.b) = between(keys);
    spring.stiffness = formula(required(keys, "stiffness"), "the stiffness of " + what);
    spring.rest_length = optional(keys, "rest_length");
    spring.damping = optional(keys, "damping");
    if (spring.damping) refuse_moving(spring.a, spring.b, what);
    all_.springs.push_back(std::move(spring));
  }

  /// The text of a formula that is read with the formulas of the model, or a number.
  std::pair<std::string, Place> text_of(const toml::node& node, const std::string& what) const {
    if (node.is_string()) {
      std::string text = node.as_string()->get();
      std::replace(text.begin(), text.end(), '\n', ' ');
      if (text.find_first_of("\"\\") != std::string::npos)
        throw error_at(file_.formula_place(node), what + " has a quotation mark or a backslash, which no formula has");
      return {text, file_.formula_place(node)};
    }
    return {number_text(file_.number(node, what), 17), file_.place(node)};
  }

  void read_motor(const TomlEntry& entry) {
    const Keys keys = keys_of(entry, "motor", {"joint", "angle", "distance", "torque", "force"});
    const std::string& what = keys.what;
    Motor motor = named<Motor>(entry);
    const toml::node& node = required(keys, "joint");
    const std::string name = file_.text(node, "the joint of " + what);
    std::vector<std::string> known;
    for (const Joint& joint : all_.joints) known.push_back(joint.name);
    const auto at = std::find(known.begin(), known.end(), name);
    if (at == known.end()) throw error_at(file_.formula_place(node), unknown_name("joint", name, known).what());
    motor.joint = static_cast<std::size_t>(at - known.begin());
    const Joint& joint = all_.joints[motor.joint];
    int given = 0;
    const std::pair<const char*, Motor::Kind> kinds[] = {{"angle", Motor::Kind::angle},
                                                         {"distance", Motor::Kind::distance},
                                                         {"torque", Motor::Kind::torque},
                                                         {"force", Motor::Kind::force}};
    for (const auto& [key, kind] : kinds) {
      const toml::node* value = keys.table.get(key);
      if (value == nullptr) continue;
      ++given;
      motor.kind = kind;
      std::tie(motor.value, motor.value_place) = text_of(*value, what);
      const bool turning = kind == Motor::Kind::angle || kind == Motor::Kind::torque;
      if (turning ? !joint.type->turns : !joint.type->slides)
        throw error_at(file_.place(*value), what + " has " +
                                                (turning ? "an angle or a torque" : "a distance or a force") +
                                                ", and joint " + joint.name + " of the type " + joint.type->name +
                                                (turning ? " does not turn about an axis" : " does not slide"));
      if (kind == Motor::Kind::torque || kind == Motor::Kind::force) refuse_moving(joint.a, joint.b, what);
    }
    if (given != 1)
      throw error_at(entry.key_place,
                     what + " has " + std::to_string(given) + " of angle, distance, torque and force, expected one");
    all_.motors.push_back(std::move(motor));
  }

  /// The body or marker that a load or a contact acts on.
  Partner pushed(const toml::node& node, const std::string& what) const {
    Partner on = partner(node, "on of " + what);
    if (on.kind == Partner::Kind::point)
      throw error_at(on.place, what + " is on point " + on.name + ", which no force moves");
    return on;
  }

  void read_load(const TomlEntry& entry) {
    const Keys keys = keys_of(entry, "load", {"on", "force"});
    const std::string& what = keys.what;
    Load load = named<Load>(entry);
    load.on = pushed(required(keys, "on"), what);
    const toml::node& node = required(keys, "force");
    const toml::array& array = file_.array(node, "the force of " + what);
    if (array.size() != dimension())
      throw error_at(file_.place(node), "the force of " + what + " has " + std::to_string(array.size()) +
                                            " entries, expected " + std::to_string(dimension()));
    for (const toml::node& one : array) load.components.push_back(text_of(one, "the force of " + what));
    all_.loads.push_back(std::move(load));
  }

  void read_contact(const TomlEntry& entry) {
    const Keys keys = keys_of(entry, "contact", {"plane", "on", "restitution", "friction"});
    const std::string& what = keys.what;
    PlaneContact contact = named<PlaneContact>(entry);
    const toml::node& node = required(keys, "plane");
    const Keys plane = keys_of(node, "the plane of " + what, file_.place(node), {"point", "normal"});
    contact.point = vector(required(plane, "point"), "the point of " + plane.what);
    contact.normal = vector(required(plane, "normal"), "the normal of " + plane.what);
    for (const toml::node& one : file_.array(required(keys, "on"), "on of " + what)) {
      Partner on = pushed(one, what);
      for (const Partner& other : contact.on)
        if (other.kind == on.kind && other.index == on.index && other.marker == on.marker)
          throw error_at(on.place, what + " is on \"" + on.name + "\" twice, expected once");
      contact.on.push_back(std::move(on));
    }
    contact.restitution = optional(keys, "restitution");
    contact.friction = optional(keys, "friction");
    if (contact.friction && all_.dimension == 3)
      throw error_at(contact.friction->place,
                     what +
                         " has friction: Coulomb friction is for planar = true, in space a contact slides in two "
                         "directions");
    all_.contacts.push_back(std::move(contact));
  }
};

}  // namespace

void read_joints(const TomlFile& file, const Symbols& parameters, TableReader::Found& found) {
  JointReader(file, parameters, found).read();
}

}  // namespace gnomon::mechanism
