/// \file
/// Reads the tables of joints, but for couplings, of motors, loads and contacts of a model file.

#include <algorithm>
#include <tuple>

#include "gnomon/base/numbers.hpp"
#include "mechanism/body_tables/table_reader.hpp"

namespace gnomon::mechanism {

namespace {

class JointReader : TableReader {
 public:
  using TableReader::TableReader;

  void read() {
    each("joints", [&](const TomlEntry& entry) {
      if (!is_coupling(type_of(entry)) && folded_.count(entry.key) == 0) read_joint(entry);
    });
    each("motors", [&](const TomlEntry& entry) { read_motor(entry); });
    each("loads", [&](const TomlEntry& entry) { read_load(entry); });
    each("contacts", [&](const TomlEntry& entry) { read_contact(entry); });
  }

 private:
  void read_joint(const TomlEntry& entry) {
    const Keys keys =
        keys_of(entry, "joint",
                {"type", "between", "frame", "axis", "axes", "stiffness", "rest", "damping", "limits", "restitution",
                 "stop_stiffness", "stop_damping", "friction_torque", "friction_force", "bearing", "start", "hold"});
    const std::string& what = keys.what;
    Joint joint = named<Joint>(entry);
    const toml::node& type = required(keys, "type");
    const std::string name = file_.text(type, "the type of " + what);
    std::vector<std::string> known;
    for (const JointType& one : joint_types(all_.dimension)) {
      known.push_back(one.name);
      if (one.name == name) joint.type = &one;
    }
    known.insert(known.end(), coupling_types().begin(), coupling_types().end());
    if (joint.type == nullptr)
      throw error_at(file_.formula_place(type),
                     unknown_name(all_.dimension == 2 ? "joint in the plane" : "joint", name, known).what());
    const toml::node* frame = keys.table.get("frame");
    const Keys directions =
        frame ? keys_of(*frame, "the frame of " + what, file_.place(*frame), {"origin", "axis", "axes"}) : keys;
    if (frame)
      read_frame(keys, directions, joint);
    else
      std::tie(joint.a, joint.b) = between(keys);
    const bool needs_b = !joint.type->square.empty() || joint.type->turns;
    const bool needs_a = needs_b || !joint.type->along.empty();
    if (needs_a && !joint.a.has_axes())
      throw error_at(joint.a.place,
                     what + ": particle " + joint.a.name + " has no axes for a joint of the type " + name);
    if (needs_b && !joint.b.has_axes())
      throw error_at(joint.b.place,
                     what + ": particle " + joint.b.name + " has no axes for a joint of the type " + name);
    const toml::node *axis = directions.table.get("axis"), *axes = directions.table.get("axes");
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
    read_motion(keys, joint);
    read_start(keys, joint);
    joint.held = held(keys);
    if (joint.held && !joint.type->turns && !joint.type->slides && joint.type->axes != 2)
      throw error_at(entry.key_place, what + " of the type " + name + " has neither an angle nor a distance to hold");
    all_.joints.push_back(std::move(joint));
  }
  /// A joint by one frame in space at the start, between two bodies, or a body and the ground: a marker on each.
  void read_frame(const Keys& keys, const Keys& frame, Joint& joint) {
    const std::string& what = keys.what;
    for (const char* key : {"axis", "axes"})
      if (const toml::node* twice = keys.table.get(key))
        throw error_at(file_.place(*twice),
                       what + " has a frame and " + key + " beside it, expected " + key + " in the frame");
    const Target3 origin = target(required(frame, "origin"), "the origin of " + frame.what);
    const toml::node& node = required(keys, "between");
    const toml::array& array = file_.array(node, "between of " + what);
    if (array.size() != 2)
      throw error_at(file_.place(node),
                     "between of " + what + " has " + std::to_string(array.size()) + " entries, expected 2");
    for (const bool first : {true, false}) {
      const toml::node& one = *array.get(first ? 0 : 1);
      (first ? joint.a : joint.b) = placed(one, file_.text(one, "between of " + what), origin, joint, what);
    }
    if (joint.a.kind == joint.b.kind && (joint.a.kind == Partner::Kind::point || joint.a.index == joint.b.index))
      throw error_at(file_.place(node), what + " is between \"" + file_.text(*array.get(0), what) + "\" and \"" +
                                            file_.text(*array.get(1), what) +
                                            "\", expected two bodies, or one and "
                                            "the ground");
  }
  Partner placed(const toml::node& node, const std::string& name, const Target3& origin, const Joint& joint,
                 const std::string& what) {
    Partner result;
    const auto known = partners_.find(name);
    if (name == "ground" && known == partners_.end()) {
      FixedPoint point;
      point.name = joint.name + ".ground";
      point.place = joint.place;
      point.position = origin;
      result.index = all_.points.size();
      result.name = point.name;
      all_.points.push_back(std::move(point));
    } else {
      result = partner(node, "between of " + what);
      const bool whole = !result.marker || massless_.count(name) > 0;
      if (result.kind != Partner::Kind::body || !whole)
        throw error_at(result.place,
                       what + " has a frame and is between \"" + name + "\": expected a body, or \"ground\"");
      result.name = name + "." + joint.name;
      if (partners_.count(result.name) > 0)
        throw error_at(joint.place, what + " makes the marker " + result.name + ", and there is one of this name");
      std::vector<Marker>& markers = all_.bodies[result.index].markers;
      result.marker = markers.size();
      markers.push_back({result.name, joint.place, {}, origin});
      partners_.emplace(result.name, result);
    }
    result.place = file_.formula_place(node);
    return result;
  }

  /// start = { angle = .., speed = .. }, or a distance and a speed
  void read_start(const Keys& keys, Joint& joint) const {
    const toml::node* node = keys.table.get("start");
    if (node == nullptr) return;
    const bool turns = joint.type->turns;
    if (!turns && !joint.type->slides)
      throw error_at(file_.place(*node), keys.what + " of the type " + joint.type->name +
                                             " has neither an angle nor a distance that starts");
    const Keys own =
        keys_of(*node, "start of " + keys.what, file_.place(*node), {turns ? "angle" : "distance", "speed"});
    joint.start = optional(own, turns ? "angle" : "distance");
    joint.speed = optional(own, "speed");
    if (joint.start && keys.table.get("hold"))
      throw error_at(joint.start->place, keys.what + " has a start and hold, expected one of them");
  }

  /// Reads springs, limits and friction of the angle or the distance of a joint.
  void read_motion(const Keys& keys, Joint& joint) const {
    const std::string &what = keys.what, &type = joint.type->name;
    const bool turns = joint.type->turns, slides = joint.type->slides;
    const auto refuse = [&](const char* key, const std::string& why) {
      if (const toml::node* node = keys.table.get(key)) throw error_at(file_.place(*node), what + why);
    };
    if (!turns && !slides)
      for (const char* key : {"stiffness", "damping", "limits", "friction_torque", "friction_force", "bearing"})
        refuse(key, std::string(" of the type ") + type + " has neither an angle nor a distance for " +
                        (key == std::string("stiffness") || key == std::string("damping") ? "a spring" : key));
    if (joint.rest && !joint.stiffness) throw error_at(joint.rest->place, what + " has a rest and no stiffness");
    refuse(turns ? "friction_force" : "friction_torque", " of the type " + type +
                                                             (turns ? " turns: its dry friction is a friction_torque"
                                                                    : " slides: its dry friction is a friction_force"));
    joint.dry_friction = optional(keys, turns ? "friction_torque" : "friction_force");
    if (const toml::node* node = keys.table.get("bearing")) {
      std::vector<std::string> keys_known{"coefficient"};
      if (turns) keys_known.emplace_back("radius");
      const Keys own = keys_of(*node, "bearing of " + what, file_.place(*node), keys_known);
      joint.bearing = formula(required(own, "coefficient"), "the coefficient of " + own.what);
      if (turns) joint.bearing_radius = formula(required(own, "radius"), "the radius of " + own.what);
    }
    read_limits(keys, joint);
  }
  /// limits = [lower, upper], or { lower = .. } or { upper = .. } for one of them
  void read_limits(const Keys& keys, Joint& joint) const {
    const std::string& what = keys.what;
    const toml::node* limits = keys.table.get("limits");
    if (limits && limits->is_table()) {
      const Keys own = keys_of(*limits, "limits of " + what, file_.place(*limits), {"lower", "upper"});
      joint.lower = optional(own, "lower");
      joint.upper = optional(own, "upper");
    } else if (limits) {
      Formulas both = numbers(*limits, "limits of " + what, 2);
      joint.lower = std::move(both[0]);
      joint.upper = std::move(both[1]);
    }
    joint.restitution = optional(keys, "restitution");
    joint.stop_stiffness = optional(keys, "stop_stiffness");
    joint.stop_damping = optional(keys, "stop_damping");
    for (const char* key : {"restitution", "stop_stiffness", "stop_damping"})
      if (const toml::node* node = keys.table.get(key); node && !joint.lower && !joint.upper)
        throw error_at(file_.place(*node), what + " has a " + key + " and no limits");
    if (joint.restitution && (joint.stop_stiffness || joint.stop_damping))
      throw error_at(joint.restitution->place,
                     what + " has a restitution beside a stiffness or damping of its stops, expected one of them");
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
    const Keys keys = keys_of(entry, "contact", {"plane", "on", "radius", "axis", "restitution", "friction"});
    const std::string& what = keys.what;
    PlaneContact contact = named<PlaneContact>(entry);
    const toml::node& node = required(keys, "plane");
    const Keys plane = keys_of(node, "the plane of " + what, file_.place(node), {"point", "normal"});
    const toml::node& point = required(plane, "point");
    if (point.is_string())
      contact.base = partner(point, "the point of " + plane.what);
    else
      contact.point = vector(point, "the point of " + plane.what);
    if (contact.base && !contact.base->has_axes())
      throw error_at(contact.base->place, what + ": particle " + contact.base->name + " has no axes for a plane");
    contact.normal = vector(required(plane, "normal"), "the normal of " + plane.what);
    for (const toml::node& one : file_.array(required(keys, "on"), "on of " + what)) {
      Partner on = pushed(one, what);
      if (contact.base && contact.base->kind == on.kind && contact.base->index == on.index)
        throw error_at(on.place, what + " is between \"" + on.name + "\" and a plane of the same body");
      for (const Partner& other : contact.on)
        if (other.kind == on.kind && other.index == on.index && other.marker == on.marker)
          throw error_at(on.place, what + " is on \"" + on.name + "\" twice, expected once");
      contact.on.push_back(std::move(on));
    }
    if (contact.on.empty())
      throw error_at(entry.key_place, what + " is on nothing, expected bodies, particles or markers");
    contact.restitution = optional(keys, "restitution");
    contact.friction = optional(keys, "friction");
    contact.radius = optional(keys, "radius");
    if (const toml::node* axis = keys.table.get("axis")) {
      if (all_.dimension == 2) throw error_at(file_.place(*axis), what + " has an axis, which is for space");
      if (!contact.radius) throw error_at(file_.place(*axis), what + " has an axis and no radius: a disc needs both");
      for (const Partner& on : contact.on)
        if (on.kind != Partner::Kind::body)
          throw error_at(file_.place(*axis), what + " has an axis, which particle " + on.name + " does not have");
      contact.axis = vector(*axis, "the axis of " + what);
    }
    all_.contacts.push_back(std::move(contact));
  }
};

}  // namespace

void read_joints(const TomlFile& file, const Symbols& parameters, TableReader::Found& found) {
  JointReader(file, parameters, found).read();
}

}  // namespace gnomon::mechanism
