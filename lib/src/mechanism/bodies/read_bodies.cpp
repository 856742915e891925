/// \file
/// Reads the tables of points, particles, bodies, joints, rods, springs, motors, loads and contacts of a model file.

#include <algorithm>
#include <map>

#include "mechanism/bodies/bodies.hpp"

namespace gnomon::mechanism {

namespace {

class BodyReader {
 public:
  BodyReader(const TomlFile& file, const Symbols& parameters) : file_(file), parameters_(parameters) {}

  Bodies read() {
    const toml::table& root = file_.root();
    if (const toml::node* node = root.get("planar")) all_.dimension = file_.flag(*node, "planar") ? 2 : 3;
    if (const toml::node* node = root.get("gravity")) all_.gravity = vector(*node, "gravity");
    // All names come first: things refer to each other in any order.
    each("points", [&](const TomlEntry& entry) { take(entry, Partner::Kind::point); });
    each("particles", [&](const TomlEntry& entry) { take(entry, Partner::Kind::particle); });
    each("bodies", [&](const TomlEntry& entry) { take_body(entry); });
    for (const char* key : {"joints", "rods", "springs", "motors", "loads", "contacts"})
      each(key, [&](const TomlEntry& entry) { take_name(entry); });

    each("points", [&](const TomlEntry& entry) { read_point(entry); });
    each("particles", [&](const TomlEntry& entry) { read_particle(entry); });
    each("bodies", [&](const TomlEntry& entry) { read_body(entry); });
    each("joints", [&](const TomlEntry& entry) { read_joint(entry); });
    each("rods", [&](const TomlEntry& entry) { read_rod(entry); });
    each("springs", [&](const TomlEntry& entry) { read_spring(entry); });
    each("motors", [&](const TomlEntry& entry) { read_motor(entry); });
    each("loads", [&](const TomlEntry& entry) { read_load(entry); });
    each("contacts", [&](const TomlEntry& entry) { read_contact(entry); });
    return std::move(all_);
  }

 private:
  std::size_t dimension() const { return static_cast<std::size_t>(all_.dimension); }

  template <class Use>
  void each(const char* key, const Use& use) const {
    if (const toml::node* node = file_.root().get(key))
      for (const TomlEntry& entry : file_.entries(file_.table(*node, key))) use(entry);
  }

  void take_name(const TomlEntry& entry) {
    const std::string& name = entry.key;
    if (!is_name(name) || name.find('.') != std::string::npos)
      throw error_at(entry.key_place, "\"" + name + "\" is no name: a name is of letters, digits and underscores");
    if (is_reserved(name)) throw error_at(entry.key_place, "\"" + name + "\" is a reserved word and cannot be a name");
    const auto [at, fresh] = names_.emplace(name, entry.key_place);
    if (!fresh)
      throw error_at(entry.key_place, "\"" + name + "\" is the name of something else already, in line " +
                                          std::to_string(at->second.line) + ", column " +
                                          std::to_string(at->second.column));
  }
  void take(const TomlEntry& entry, Partner::Kind kind) {
    take_name(entry);
    Partner partner;
    partner.kind = kind;
    partner.index = counts_[static_cast<std::size_t>(kind)]++;
    partner.name = entry.key;
    partners_.emplace(entry.key, partner);
  }
  void take_body(const TomlEntry& entry) {
    take(entry, Partner::Kind::body);
    Partner partner = partners_.at(entry.key);
    const toml::table& table = file_.table(*entry.value, "body " + entry.key);
    const toml::node* markers = table.get("markers");
    if (markers == nullptr) return;
    std::size_t count = 0;
    for (const TomlEntry& marker : file_.entries(file_.table(*markers, "markers of body " + entry.key))) {
      static const std::vector<std::string> reserved{"x",  "y",  "z",  "d",     "d1",    "d2",      "d3",     "mass",
                                                     "vx", "vy", "vz", "angle", "omega", "kinetic", "inertia"};
      if (!is_name(marker.key) || marker.key.find('.') != std::string::npos)
        throw error_at(marker.key_place,
                       "\"" + marker.key + "\" is no name: a name is of letters, digits and underscores");
      if (std::find(reserved.begin(), reserved.end(), marker.key) != reserved.end())
        throw error_at(marker.key_place, "a marker cannot be named \"" + marker.key + "\": " + entry.key + "." +
                                             marker.key + " means something else");
      partner.marker = count++;
      partner.name = entry.key + "." + marker.key;
      partners_.emplace(partner.name, partner);
    }
  }

  Formula formula(const toml::node& node, const std::string& what, bool timed = false) const {
    Formula result = file_.formula(node, what, parameters_);
    for (const Formula::Node& part : result.nodes)
      if (part.kind == Formula::Kind::time && !timed)
        throw error_at(result.place_of(part), what + " must not depend on the time");
    return result;
  }
  std::optional<Formula> optional(const toml::table& table, const char* key, const std::string& what) const {
    const toml::node* node = table.get(key);
    return node ? std::optional<Formula>(formula(*node, key + (" of " + what))) : std::nullopt;
  }
  Formulas vector(const toml::node& node, const std::string& what, bool timed = false) const {
    return numbers(node, what, dimension(), timed);
  }
  Formulas numbers(const toml::node& node, const std::string& what, std::size_t count, bool timed = false) const {
    const toml::array& array = file_.array(node, what);
    if (array.size() != count)
      throw error_at(file_.place(node),
                     what + " has " + std::to_string(array.size()) + " entries, expected " + std::to_string(count));
    Formulas result;
    for (const toml::node& one : array) result.push_back(formula(one, what, timed));
    return result;
  }
  const toml::node& required(const toml::table& table, const char* key, const std::string& what,
                             const Place& place) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) throw error_at(place, what + " has no " + key);
    return *node;
  }

  Partner partner(const toml::node& node, const std::string& what) const {
    const std::string name = file_.text(node, what);
    const auto at = partners_.find(name);
    if (at == partners_.end()) {
      // Of a body that is known the markers are listed, else everything.
      const std::size_t dot = name.find('.');
      const std::string of = dot == std::string::npos ? "" : name.substr(0, dot + 1);
      std::vector<std::string> known;
      for (const auto& [other, unused] : partners_)
        if (of.empty() || partners_.count(name.substr(0, dot)) == 0 || other.compare(0, of.size(), of) == 0)
          known.push_back(other);
      if (known.empty())
        throw error_at(file_.formula_place(node), "\"" + name + "\": " + name.substr(0, dot) + " has no markers");
      throw error_at(file_.formula_place(node), unknown_name("point, particle, body or marker", name, known).what());
    }
    Partner result = at->second;
    result.place = file_.formula_place(node);
    return result;
  }
  std::pair<Partner, Partner> between(const toml::table& table, const std::string& what, const Place& place) const {
    const toml::node& node = required(table, "between", what, place);
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

  void read_point(const TomlEntry& entry) {
    const std::string what = "point " + entry.key;
    FixedPoint point;
    point.name = entry.key;
    point.place = entry.key_place;
    const toml::node* position = entry.value;
    if (entry.value->is_table()) {
      const toml::table& table = *entry.value->as_table();
      file_.check_keys(table, what, {"position"});
      position = &required(table, "position", what, entry.key_place);
    }
    point.position = vector(*position, "the position of " + what, true);
    for (const Formula& one : point.position)
      for (const Formula::Node& node : one.nodes) point.moves = point.moves || node.kind == Formula::Kind::time;
    all_.points.push_back(std::move(point));
  }

  /// A velocity, or none for "assembled".
  std::optional<Formulas> velocity(const toml::table& table, const char* key, const std::string& what,
                                   std::size_t count) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    if (node->is_string() && node->as_string()->get() == "assembled") return std::nullopt;
    if (count == 1) return Formulas{formula(*node, key + (" of " + what))};
    if (!node->is_array())
      throw error_at(file_.place(*node), std::string(key) + " of " + what + ": expected \"assembled\" or " +
                                             std::to_string(count) + " numbers");
    return numbers(*node, key + (" of " + what), count);
  }

  void read_particle(const TomlEntry& entry) {
    const std::string what = "particle " + entry.key;
    const toml::table& table = file_.table(*entry.value, what);
    file_.check_keys(table, what, {"mass", "position", "velocity"});
    Particle particle;
    particle.name = entry.key;
    particle.place = entry.key_place;
    particle.mass = formula(required(table, "mass", what, entry.key_place), "the mass of " + what);
    particle.position = vector(required(table, "position", what, entry.key_place), "the position of " + what);
    particle.velocity = velocity(table, "velocity", what, dimension());
    all_.particles.push_back(std::move(particle));
  }

  void read_body(const TomlEntry& entry) {
    const std::string what = "body " + entry.key;
    const toml::table& table = file_.table(*entry.value, what);
    file_.check_keys(
        table, what,
        {"mass", "inertia", "shape", "markers", "orientation", "position", "place", "velocity", "angular_velocity"});
    Body body;
    body.name = entry.key;
    body.place = entry.key_place;
    body.mass = optional(table, "mass", what);
    if (const toml::node* node = table.get("shape")) read_shape(*node, what, body);
    if (const toml::node* node = table.get("inertia")) read_inertia(*node, what, body);
    if (!body.mass && !body.density)
      throw error_at(entry.key_place, what + " has no mass: give a mass, or a shape with a density");
    if (body.inertia.empty() && body.shape == Body::Shape::none)
      throw error_at(entry.key_place, what + " has no inertia: give an inertia, or a shape");
    if (const toml::node* node = table.get("markers"))
      for (const TomlEntry& marker : file_.entries(file_.table(*node, "markers of " + what)))
        body.markers.push_back(
            {marker.key, marker.key_place, vector(*marker.value, "marker " + marker.key + " of " + what)});
    if (const toml::node* node = table.get("orientation")) read_orientation(*node, what, body);
    const toml::node *position = table.get("position"), *place = table.get("place");
    if ((position == nullptr) == (place == nullptr))
      throw error_at(entry.key_place, what + (position ? " has a position and a place, expected one of them"
                                                       : " has no position: give a position of its centre of mass, or "
                                                         "a place of a marker"));
    if (position) body.position = vector(*position, "the position of " + what);
    if (place) read_place(file_.table(*place, "the place of " + what), entry.key, what, body, file_.place(*place));
    body.velocity = velocity(table, "velocity", what, dimension());
    body.angular_velocity = velocity(table, "angular_velocity", what, all_.dimension == 2 ? 1 : 3);
    all_.bodies.push_back(std::move(body));
  }

  void read_shape(const toml::node& node, const std::string& what, Body& body) const {
    const toml::table& table = file_.table(node, "the shape of " + what);
    file_.check_keys(table, "the shape of " + what, {"box", "sphere", "cylinder", "disc", "density"});
    body.density = optional(table, "density", "the shape of " + what);
    if (body.density && body.mass)
      throw error_at(body.density->place, what + " has a mass and a density, expected one of them");
    const char* found = nullptr;
    for (const char* key : {"box", "sphere", "cylinder", "disc"}) {
      const toml::node* size = table.get(key);
      if (size == nullptr) continue;
      if (found) throw error_at(file_.place(*size), "the shape of " + what + " is a " + found + " and a " + key);
      found = key;
      const std::string of = std::string("the ") + key + " of " + what;
      const bool disc = std::string(key) == "disc", sphere = std::string(key) == "sphere";
      if (all_.dimension == 2 && (sphere || std::string(key) == "cylinder"))
        throw error_at(file_.place(*size), of + " is not planar: expected a box or a disc");
      if (all_.dimension == 3 && disc)
        throw error_at(file_.place(*size), of + " is planar: expected a box, a sphere or a cylinder");
      if (std::string(key) == "box") {
        body.shape = Body::Shape::box;
        body.sizes = vector(*size, of);
      } else if (sphere || disc) {
        body.shape = Body::Shape::sphere;
        body.sizes = {formula(*size, of)};
      } else {
        body.shape = Body::Shape::cylinder;
        body.sizes = numbers(*size, of, 2);
      }
    }
    if (found == nullptr)
      throw error_at(file_.place(node), "the shape of " + what + " is none of box, " +
                                            (all_.dimension == 2 ? "disc" : "sphere, cylinder"));
  }

  void read_inertia(const toml::node& node, const std::string& what, Body& body) const {
    const std::string of = "the inertia of " + what;
    body.inertia_place = file_.place(node);
    if (all_.dimension == 2) {
      body.inertia = {formula(node, of)};
      return;
    }
    const toml::array& rows = file_.array(node, of);
    if (rows.size() != 3)
      throw error_at(file_.place(node), of + " has " + std::to_string(rows.size()) +
                                            " entries, expected 3 principal moments, or a matrix of three rows");
    for (const toml::node& row : rows) {
      if (!row.is_array()) {
        body.inertia.push_back(formula(row, of));
        continue;
      }
      for (Formula& one : numbers(row, of, 3)) body.inertia.push_back(std::move(one));
    }
    if (body.inertia.size() != 3 && body.inertia.size() != 9)
      throw error_at(file_.place(node), of + " mixes rows and numbers");
  }

  void read_orientation(const toml::node& node, const std::string& what, Body& body) const {
    const std::string of = "the orientation of " + what;
    if (!node.is_table()) {
      if (all_.dimension == 3) throw error_at(file_.place(node), of + " in space is { axis = [..], angle = .. }");
      body.angle = formula(node, of);
      return;
    }
    const toml::table& table = *node.as_table();
    file_.check_keys(table, of, {"axis", "angle"});
    body.angle = formula(required(table, "angle", of, file_.place(node)), "the angle of " + of);
    if (all_.dimension == 3)
      body.axis = vector(required(table, "axis", of, file_.place(node)), "the axis of " + of);
    else if (const toml::node* axis = table.get("axis"))
      body.axis = numbers(*axis, "the axis of " + of, 3);
  }

  Target3 target(const toml::node& node, const std::string& what) const {
    Target3 result;
    if (node.is_array())
      result.position = vector(node, what);
    else
      result.partner = partner(node, what);
    return result;
  }
  /// { marker = "left", at = "O" }, or { left = "O", right = [1, 2, 0] }.
  void read_place(const toml::table& table, const std::string& name, const std::string& what, Body& body,
                  const Place& place) const {
    const auto put = [&](const std::string& marker, const Place& at, const toml::node& where) {
      std::vector<std::string> known;
      for (const Marker& one : body.markers) known.push_back(one.name);
      const auto found = std::find(known.begin(), known.end(), marker);
      if (found == known.end()) throw error_at(at, unknown_name("marker of " + what, marker, known).what());
      Target3 target3 = target(where, "the place of " + what);
      if (target3.partner && target3.partner->kind == Partner::Kind::body &&
          partners_.at(name).index == target3.partner->index)
        throw error_at(target3.partner->place, "the place of " + what + " is on itself");
      body.puts.emplace_back(static_cast<std::size_t>(found - known.begin()), std::move(target3));
    };
    const std::vector<TomlEntry> entries = file_.entries(table);
    if (table.get("marker") && table.get("at")) {
      file_.check_keys(table, "the place of " + what, {"marker", "at"});
      put(file_.text(*table.get("marker"), "the marker"), file_.formula_place(*table.get("marker")), *table.get("at"));
      return;
    }
    if (entries.empty() || entries.size() > 2)
      throw error_at(place, "the place of " + what + " says where " + std::to_string(entries.size()) +
                                " markers are, expected one or two");
    for (const TomlEntry& entry : entries) put(entry.key, entry.key_place, *entry.value);
  }

  void read_joint(const TomlEntry& entry) {
    const std::string what = "joint " + entry.key;
    const toml::table& table = file_.table(*entry.value, what);
    file_.check_keys(table, what, {"type", "between", "axis", "axes", "stiffness", "rest", "damping"});
    Joint joint;
    joint.name = entry.key;
    joint.place = entry.key_place;
    const toml::node& type = required(table, "type", what, entry.key_place);
    const std::string name = file_.text(type, "the type of " + what);
    std::vector<std::string> known;
    for (const JointType& one : joint_types(all_.dimension)) {
      known.push_back(one.name);
      if (one.name == name) joint.type = &one;
    }
    if (joint.type == nullptr) throw error_at(file_.formula_place(type), unknown_name("joint", name, known).what());
    std::tie(joint.a, joint.b) = between(table, what, entry.key_place);
    const bool needs_b = !joint.type->square.empty() || joint.type->turns;
    const bool needs_a = needs_b || !joint.type->along.empty();
    if (needs_a && !joint.a.has_axes())
      throw error_at(joint.a.place,
                     what + ": particle " + joint.a.name + " has no axes for a joint of the type " + name);
    if (needs_b && !joint.b.has_axes())
      throw error_at(joint.b.place,
                     what + ": particle " + joint.b.name + " has no axes for a joint of the type " + name);
    const toml::node *axis = table.get("axis"), *axes = table.get("axes");
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
    joint.stiffness = optional(table, "stiffness", what);
    joint.rest = optional(table, "rest", what);
    joint.damping = optional(table, "damping", what);
    if ((joint.stiffness || joint.damping) && !joint.type->turns && !joint.type->slides)
      throw error_at(entry.key_place,
                     what + " of the type " + name + " has neither an angle nor a distance for a spring");
    if (joint.rest && !joint.stiffness) throw error_at(joint.rest->place, what + " has a rest and no stiffness");
    if (joint.damping) refuse_moving(joint.a, joint.b, what);
    all_.joints.push_back(std::move(joint));
  }
  /// The velocity of a point that moves with t is not known as a formula.
  void refuse_moving(const Partner& a, const Partner& b, const std::string& what) const {
    for (const Partner* one : {&a, &b})
      if (one->kind == Partner::Kind::point && all_.points[one->index].moves)
        throw error_at(one->place, what + " needs the velocity of point " + one->name + ", which moves with t");
  }

  void read_rod(const TomlEntry& entry) {
    const std::string what = "rod " + entry.key;
    const toml::table& table = file_.table(*entry.value, what);
    file_.check_keys(table, what, {"between", "length"});
    Rod rod;
    rod.name = entry.key;
    rod.place = entry.key_place;
    std::tie(rod.a, rod.b) = between(table, what, entry.key_place);
    rod.length = optional(table, "length", what);
    all_.rods.push_back(std::move(rod));
  }

  void read_spring(const TomlEntry& entry) {
    const std::string what = "spring " + entry.key;
    const toml::table& table = file_.table(*entry.value, what);
    file_.check_keys(table, what, {"between", "stiffness", "rest_length", "damping"});
    Spring spring;
    spring.name = entry.key;
    spring.place = entry.key_place;
    std::tie(spring.a, spring.b) = between(table, what, entry.key_place);
    spring.stiffness = formula(required(table, "stiffness", what, entry.key_place), "the stiffness of " + what);
    spring.rest_length = optional(table, "rest_length", what);
    spring.damping = optional(table, "damping", what);
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
    return {number_formula(file_.number(node, what), {}).text, file_.place(node)};
  }

  void read_motor(const TomlEntry& entry) {
    const std::string what = "motor " + entry.key;
    const toml::table& table = file_.table(*entry.value, what);
    file_.check_keys(table, what, {"joint", "angle", "distance", "torque", "force"});
    Motor motor;
    motor.name = entry.key;
    motor.place = entry.key_place;
    const toml::node& node = required(table, "joint", what, entry.key_place);
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
      const toml::node* value = table.get(key);
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

  void read_load(const TomlEntry& entry) {
    const std::string what = "load " + entry.key;
    const toml::table& table = file_.table(*entry.value, what);
    file_.check_keys(table, what, {"on", "force"});
    Load load;
    load.name = entry.key;
    load.place = entry.key_place;
    load.on = partner(required(table, "on", what, entry.key_place), "on of " + what);
    if (load.on.kind == Partner::Kind::point)
      throw error_at(load.on.place, what + " is on point " + load.on.name + ", which no force moves");
    const toml::node& node = required(table, "force", what, entry.key_place);
    const toml::array& array = file_.array(node, "the force of " + what);
    if (array.size() != dimension())
      throw error_at(file_.place(node), "the force of " + what + " has " + std::to_string(array.size()) +
                                            " entries, expected " + std::to_string(dimension()));
    for (const toml::node& one : array) load.components.push_back(text_of(one, "the force of " + what));
    all_.loads.push_back(std::move(load));
  }

  void read_contact(const TomlEntry& entry) {
    const std::string what = "contact " + entry.key;
    const toml::table& table = file_.table(*entry.value, what);
    file_.check_keys(table, what, {"plane", "on", "restitution", "friction"});
    PlaneContact contact;
    contact.name = entry.key;
    contact.place = entry.key_place;
    const toml::node& node = required(table, "plane", what, entry.key_place);
    const std::string of = "the plane of " + what;
    const toml::table& plane = file_.table(node, of);
    file_.check_keys(plane, of, {"point", "normal"});
    contact.point = vector(required(plane, "point", of, file_.place(node)), "the point of " + of);
    contact.normal = vector(required(plane, "normal", of, file_.place(node)), "the normal of " + of);
    for (const toml::node& one : file_.array(required(table, "on", what, entry.key_place), "on of " + what)) {
      contact.on.push_back(partner(one, "on of " + what));
      if (contact.on.back().kind == Partner::Kind::point)
        throw error_at(contact.on.back().place,
                       what + " is on point " + contact.on.back().name + ", which no force moves");
    }
    contact.restitution = optional(table, "restitution", what);
    contact.friction = optional(table, "friction", what);
    if (contact.friction && all_.dimension == 3)
      throw error_at(contact.friction->place,
                     what +
                         " has friction: Coulomb friction is for planar = true, in space a contact slides in two "
                         "directions");
    all_.contacts.push_back(std::move(contact));
  }

  const TomlFile& file_;
  const Symbols& parameters_;
  Bodies all_;
  std::map<std::string, Place> names_;
  std::map<std::string, Partner> partners_;
  std::size_t counts_[3] = {0, 0, 0};
};

}  // namespace

const std::vector<std::string>& body_keys() {
  static const std::vector<std::string> keys{"planar", "gravity", "points", "particles", "bodies",  "joints",
                                             "rods",   "springs", "motors", "loads",     "contacts"};
  return keys;
}

bool has_bodies(const TomlFile& file) {
  return std::any_of(body_keys().begin(), body_keys().end(),
                     [&](const std::string& key) { return file.root().get(key) != nullptr; });
}

Bodies read_bodies(const TomlFile& file, const Symbols& parameters) {
  return BodyReader(file, parameters).read();
}

}  // namespace gnomon::mechanism
