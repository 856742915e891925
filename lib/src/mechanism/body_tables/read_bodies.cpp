/// \file
/// Reads the tables of points, particles and bodies of a model file.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "gnomon/base/thresholds.hpp"
#include "mechanism/body_tables/table_reader.hpp"

namespace gnomon::mechanism {

namespace {

constexpr std::size_t most_triangles = 4000;  // of a shape that is drawn

class BodyReader : TableReader {
 public:
  using TableReader::TableReader;

  void read() {
    const toml::table& root = file_.root();
    if (const toml::node* node = root.get("planar")) all_.dimension = file_.flag(*node, "planar") ? 2 : 3;
    if (const toml::node* node = root.get("gravity")) all_.gravity = vector(*node, "gravity");
    // All names come first: things refer to each other in any order.
    each("points", [&](const TomlEntry& entry) { take(entry, Partner::Kind::point); });
    each("particles", [&](const TomlEntry& entry) { take(entry, Partner::Kind::particle); });
    each("bodies", [&](const TomlEntry& entry) { take_body(entry); });
    for (const char* key : {"joints", "rods", "springs", "ropes", "motors", "loads", "contacts"})
      each(key, [&](const TomlEntry& entry) { take_name(entry); });

    each("points", [&](const TomlEntry& entry) { read_point(entry); });
    each("particles", [&](const TomlEntry& entry) { read_particle(entry); });
    each("bodies", [&](const TomlEntry& entry) { read_body(entry); });
    carry_massless();
  }

 private:
  void take_name(const TomlEntry& entry) { names_.take(entry.key, entry.key_place, false); }
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
      const std::vector<std::string>& reserved = words_of_bodies();
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

  void read_point(const TomlEntry& entry) {
    FixedPoint point = named<FixedPoint>(entry);
    const std::string what = "point " + entry.key;
    const toml::node* position = entry.value;
    if (entry.value->is_table()) {
      const Keys keys = keys_of(entry, "point", {"position", "drawn"});
      position = &required(keys, "position");
      if (const toml::node* node = keys.table.get("drawn")) point.looks = looks(*node, what);
    }
    point.position.position = vector(*position, "the position of " + what, true);
    for (const Formula& one : point.position.position)
      for (const Formula::Node& node : one.nodes) point.moves = point.moves || node.kind == Formula::Kind::time;
    all_.points.push_back(std::move(point));
  }

  /// A velocity, or none for "assembled".
  std::optional<Formulas> velocity(const Keys& keys, const char* key, std::size_t count) const {
    const toml::node* node = keys.table.get(key);
    if (node == nullptr) return std::nullopt;
    if (node->is_string() && node->as_string()->get() == "assembled") return std::nullopt;
    const std::string what = key + (" of " + keys.what);
    if (count == 1) return Formulas{formula(*node, what)};
    if (!node->is_array())
      throw error_at(file_.place(*node), what + ": expected \"assembled\" or " + std::to_string(count) + " numbers");
    return numbers(*node, what, count);
  }

  void read_particle(const TomlEntry& entry) {
    const Keys keys = keys_of(entry, "particle", {"mass", "position", "velocity", "hold"});
    const std::string& what = keys.what;
    Particle particle = named<Particle>(entry);
    particle.mass = formula(required(keys, "mass"), "the mass of " + what);
    particle.position = vector(required(keys, "position"), "the position of " + what);
    particle.velocity = velocity(keys, "velocity", dimension());
    particle.held = held(keys);
    all_.particles.push_back(std::move(particle));
  }

  void read_body(const TomlEntry& entry) {
    const Keys keys = keys_of(entry, "body",
                              {"mass", "inertia", "repair", "shape", "centre_of_mass", "markers", "orientation",
                               "position", "place", "velocity", "angular_velocity", "hold", "drawn"});
    const std::string& what = keys.what;
    Body body = named<Body>(entry);
    body.mass = optional(keys, "mass");
    const bool inert = keys.table.get("inertia") || keys.table.get("shape");
    if (const toml::node* mass = keys.table.get("mass");
        !inert && mass && mass->is_number() && *mass->value<double>() == 0)
      read_massless(keys, body);
    if (const toml::node* node = keys.table.get("shape")) read_shape(*node, what, body);
    if (const toml::node* node = keys.table.get("inertia")) {
      body.thin.reset();
      read_inertia(*node, what, body);
    }
    if (const toml::node* node = keys.table.get("repair")) {
      body.repaired = file_.flag(*node, "repair of " + what);
      if (all_.dimension == 2 || body.inertia.empty())
        throw error_at(file_.place(*node), what + " has a repair, which is for an inertia in space");
    }
    if (const toml::node* node = keys.table.get("centre_of_mass"))
      body.centre_of_mass = vector(*node, "the centre_of_mass of " + what);
    if (!body.mass && !body.density)
      throw error_at(entry.key_place, what + " has no mass: give a mass, or a shape with a density");
    if (body.inertia.empty() && body.shape == Body::Shape::none && !body.massless)
      throw error_at(entry.key_place, what + " has no inertia: give an inertia, or a shape");
    if (const toml::node* node = keys.table.get("markers"))
      for (const TomlEntry& marker : file_.entries(file_.table(*node, "markers of " + what)))
        body.markers.push_back({entry.key + "." + marker.key, marker.key_place,
                                vector(*marker.value, "marker " + marker.key + " of " + what), std::nullopt});
    if (const toml::node* node = keys.table.get("orientation")) {
      if (!body.position.empty())
        throw error_at(file_.place(*node),
                       "the orientation of " + what + " stands beside the from and to of its shape");
      read_orientation(*node, what, body.orientation);
    }
    const toml::node *position = keys.table.get("position"), *place = keys.table.get("place");
    const bool drawn = !body.position.empty();  // from one point to another
    if (const toml::node* other = position ? position : place; drawn && other)
      throw error_at(file_.place(*other),
                     what + " has a " + (position ? "position" : "place") + " beside the from and to of its shape");
    if (!drawn && (position == nullptr) == (place == nullptr))
      throw error_at(entry.key_place, what + (position ? " has a position and a place, expected one of them"
                                                       : " has no position: give a position of its centre of mass, or "
                                                         "a place of a marker"));
    if (position) body.position = vector(*position, "the position of " + what);
    if (place) read_place(file_.table(*place, "the place of " + what), entry.key, what, body, file_.place(*place));
    body.velocity = velocity(keys, "velocity", dimension());
    body.angular_velocity = velocity(keys, "angular_velocity", all_.dimension == 2 ? 1 : 3);
    body.held = held(keys);
    if (const toml::node* node = keys.table.get("drawn")) {
      if (body.massless) throw error_at(file_.place(*node), what + " has drawn, which is for bodies with a mass");
      body.looks = looks(*node, what);
    }
    all_.bodies.push_back(std::move(body));
  }

  void read_shape(const toml::node& node, const std::string& what, Body& body) const {
    std::vector<std::string> known{"density", "from", "to", "scale"};
    for (const int dimension : {2, 3})
      for (const ShapeType& type : shape_types(dimension))
        if (std::find(known.begin(), known.end(), type.name) == known.end()) known.emplace_back(type.name);
    const Keys keys = keys_of(node, "the shape of " + what, file_.place(node), known);
    body.density = optional(keys, "density");
    if (body.density && body.mass)
      throw error_at(body.density->place, what + " has a mass and a density, expected one of them");
    const ShapeType& type = shape_in(keys);
    const toml::node& size = *keys.table.get(type.name);
    const bool has_ends = all_.dimension == 2
                              ? type.shape == Body::Shape::box
                              : type.shape == Body::Shape::cylinder || type.shape == Body::Shape::capsule,
               mesh = type.shape == Body::Shape::mesh;
    for (const auto& [key, known_key] : {std::pair{"from", has_ends}, {"to", has_ends}, {"scale", mesh}})
      if (const toml::node* other = keys.table.get(key); other && !known_key)
        throw error_at(file_.place(*other), keys.what + " is a " + type.name + ", which has no " + key);
    const bool ends = keys.table.get("from") || keys.table.get("to");
    const std::string of = std::string("the ") + type.name + " of " + what +
                           (ends                           ? ", one size beside from and to,"
                            : has_ends && !size.is_array() ? " without from and to"
                                                           : "");
    body.shape = type.shape;
    if (mesh)
      read_surface(keys, size, body);
    else if (ends)
      read_ends(keys, formula(size, of), body);
    else
      body.sizes = sizes(size, of, type);
    if (type.thin) body.thin = 2;
  }
  /// The one shape among keys.
  const ShapeType& shape_in(const Keys& keys) const {
    const ShapeType* found = nullptr;
    std::string names;
    for (const ShapeType& type : shape_types(all_.dimension)) {
      names += (names.empty() ? "" : ", ") + std::string(type.name);
      const toml::node* size = keys.table.get(type.name);
      if (size == nullptr) continue;
      if (found) throw error_at(file_.place(*size), keys.what + " is a " + found->name + " and a " + type.name);
      found = &type;
    }
    if (found == nullptr) throw error_at(keys.place, keys.what + " is none of " + names);
    return *found;
  }
  Formulas sizes(const toml::node& node, const std::string& of, const ShapeType& type) const {
    return type.sizes == 1 ? Formulas{formula(node, of)} : numbers(node, of, type.sizes);
  }
  /// drawn = [{ box = [1, 2, 3], position = [0, 0, 1], orientation = { rpy = [0, 0, 1] } }, ..]
  std::vector<Look> looks(const toml::node& node, const std::string& what) const {
    if (all_.dimension == 2) throw error_at(file_.place(node), what + " has drawn, which is for mechanisms in space");
    std::vector<Look> out;
    std::vector<std::string> known{"scale", "position", "orientation"};
    for (const ShapeType& type : shape_types(3)) known.emplace_back(type.name);
    for (const toml::node& one : file_.array(node, "drawn of " + what)) {
      const Keys keys = keys_of(one, "a shape drawn of " + what, file_.place(one), known);
      const ShapeType& type = shape_in(keys);
      const toml::node &size = *keys.table.get(type.name), *scale = keys.table.get("scale");
      const std::string of = std::string("the ") + type.name + " drawn of " + what;
      Look look;
      look.shape = type.shape;
      if (type.shape == Body::Shape::mesh) {
        look.triangles = simplified(of_file(size, keys.what, &read_triangles), most_triangles);
        look.sizes = {scale ? formula(*scale, "the scale of " + of) : number_formula(1, file_.place(one))};
      } else {
        if (scale) throw error_at(file_.place(*scale), keys.what + " is a " + type.name + ", which has no scale");
        look.sizes = sizes(size, of, type);
      }
      if (const toml::node* position = keys.table.get("position"))
        look.position = vector(*position, "the position of " + of);
      if (const toml::node* orientation = keys.table.get("orientation"))
        read_orientation(*orientation, of, look.orientation);
      if (look.orientation.relative)
        throw error_at(look.orientation.place, "the orientation of " + of + " is relative, expected one in body axes");
      out.push_back(std::move(look));
    }
    return out;
  }
  /// Calls a function that reads a file beside the model file.
  template <class Read>
  auto of_file(const toml::node& node, const std::string& what, Read read) const -> decltype(read(what)) {
    const std::string name = file_.text(node, "the mesh of " + what);
    const std::filesystem::path beside = std::filesystem::path(file_.file()).parent_path() / name;
    try {
      return read(beside.string());
    } catch (const std::runtime_error& error) {
      throw error_at(file_.formula_place(node), "the mesh \"" + beside.string() + "\" " + error.what());
    }
  }
  /// A cylinder or capsule of a radius from one point in space to another one, in the plane a box of a width.
  void read_ends(const Keys& keys, Formula across, Body& body) const {
    const Formulas from = vector(required(keys, "from"), "from of " + keys.what),
                   to = vector(required(keys, "to"), "to of " + keys.what);
    const auto made = [&](const std::string& text) { return parse_formula(text, from.front().place, parameters_); };
    std::string square;
    Formulas way;
    for (std::size_t c = 0; c < dimension(); ++c) {
      const std::string a = "(" + from[c].text + ")", b = "(" + to[c].text + ")";
      way.push_back(made(b + " - " + a));
      body.position.push_back(made("(" + a + " + " + b + ")/2"));
      square += (c ? " + (" : "(") + b + " - " + a + ")^2";
    }
    body.orientation.place = keys.place;
    Formula length = made("sqrt(" + square + ")");
    if (all_.dimension == 3) {
      body.orientation.form = Orientation::Form::along;
      body.orientation.numbers = std::move(way);
      body.sizes = {std::move(across), std::move(length)};
    } else {
      body.orientation.form = Orientation::Form::turn;
      body.orientation.angle = made("atan2(" + way[1].text + ", " + way[0].text + ")");
      body.sizes = {std::move(length), std::move(across)};
    }
  }
  /// mesh = "part.stl", scale = 1e-3
  void read_surface(const Keys& keys, const toml::node& node, Body& body) const {
    body.mesh = std::make_shared<const Mesh>(of_file(node, keys.what, &read_mesh));
    const toml::node* scale = keys.table.get("scale");
    body.sizes = {scale ? formula(*scale, "the scale of " + keys.what) : number_formula(1, file_.place(node))};
  }

  void read_inertia(const toml::node& node, const std::string& what, Body& body) const {
    const std::string of = "the inertia of " + what;
    body.inertia_place = file_.place(node);
    if (all_.dimension == 2) {
      body.inertia = {formula(node, of)};
      return;
    }
    const toml::array& rows = file_.array(node, of + ", in space three principal moments or a matrix,");
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
    if (body.inertia.size() == 3) body.thin = thin_axis(body.inertia);
  }
  /// The axis whose moment is the sum of the others, where all of them are numbers.
  static std::optional<std::size_t> thin_axis(const Formulas& moments) {
    double J[3];
    for (std::size_t k = 0; k < 3; ++k) {
      if (moments[k].nodes.size() != 1 || moments[k].nodes[0].kind != Formula::Kind::number) return std::nullopt;
      J[k] = moments[k].nodes[0].value;
    }
    for (std::size_t a = 0; a < 3; ++a) {
      const double others = J[(a + 1) % 3] + J[(a + 2) % 3];
      if (std::min(J[(a + 1) % 3], J[(a + 2) % 3]) > 0 && std::abs(J[a] - others) <= thresholds::thin_body * others)
        return a;
    }
    return std::nullopt;
  }

  /// One of axis and angle (in the plane an angle), rpy, quaternion, matrix, axes and along; relative to another body.
  void read_orientation(const toml::node& node, const std::string& what, Orientation& out) const {
    using Form = Orientation::Form;
    const std::string of = "the orientation of " + what;
    out.place = file_.place(node);
    if (!node.is_table()) {
      if (all_.dimension == 3)
        throw error_at(out.place, of + " in space is { axis = [..], angle = .. }, or another form");
      out.form = Form::turn;
      return read_angle(node, of, out);
    }
    const bool planar = all_.dimension == 2;
    if (planar && node.as_table()->get("axis")) throw error_at(out.place, of + " in the plane is one angle");
    const Keys keys = keys_of(
        node, of, out.place,
        planar ? std::vector<std::string>{"angle", "relative"}
               : std::vector<std::string>{"axis", "angle", "rpy", "quaternion", "matrix", "axes", "along", "relative"});
    if (const toml::node* relative = keys.table.get("relative")) {
      const Partner other = partner(*relative, "relative of " + of);
      if (other.kind != Partner::Kind::body || other.marker)
        throw error_at(other.place, of + " is relative to \"" + other.name + "\", expected a body");
      out.relative = other.index;
    }
    const auto rows = [&](const toml::node& value, const std::string& name, std::size_t count) {
      const toml::array& array = file_.array(value, name);
      if (array.size() != count)
        throw error_at(file_.place(value), name + " has " + std::to_string(array.size()) + " entries, expected " +
                                               std::to_string(count) + " of three numbers");
      for (const toml::node& row : array)
        for (Formula& one : numbers(row, name, 3)) out.numbers.push_back(std::move(one));
    };
    const std::pair<const char*, Form> known[] = {
        {"angle", Form::turn},    {"rpy", Form::rpy},   {"quaternion", Form::quaternion},
        {"matrix", Form::matrix}, {"axes", Form::axes}, {"along", Form::along}};
    const auto forms = std::count_if(std::begin(known), std::end(known),
                                     [&](const auto& one) { return keys.table.get(one.first) != nullptr; });
    const bool axis_alone = keys.table.get("axis") && !keys.table.get("angle");
    if (forms > 1 || (forms == 0 && !out.relative) || axis_alone)
      throw error_at(out.place,
                     of + (planar ? " has no angle"
                                  : ": expected one of axis and angle, rpy, quaternion, matrix, axes and along"));
    for (const auto& [key, form] : known) {
      const toml::node* value = keys.table.get(key);
      if (value == nullptr) continue;
      out.form = form;
      const std::string name = key + (" of " + of);
      if (form == Form::turn) read_angle(*value, of, out);
      if (form == Form::turn && !planar) out.numbers = vector(required(keys, "axis"), "the axis of " + of);
      if (form == Form::rpy) out.numbers = numbers(*value, name, 3);
      if (form == Form::quaternion) out.numbers = numbers(*value, name + ", w, x, y, z,", 4);
      if (form == Form::matrix) rows(*value, name, 3);
      if (form == Form::axes) rows(*value, name, 2);
      if (form == Form::along) out.numbers = numbers(*value, name, 3);
    }
  }
  void read_angle(const toml::node& node, const std::string& of, Orientation& out) const {
    out.angle = formula(node, of);
    constexpr double turn = 6.2831853072;
    if (node.is_number() && std::abs(*node.value<double>()) > turn)
      throw error_at(file_.place(node), of + " is " + out.angle->text + " rad, more than a turn: of degrees it is \"" +
                                            out.angle->text + "*deg\"");
  }

  /// { marker = "left", at = "O" }, or { left = "O", right = [1, 2, 0] }.
  void read_place(const toml::table& table, const std::string& name, const std::string& what, Body& body,
                  const Place& place) const {
    const auto put = [&](const std::string& marker, const Place& at, const toml::node& where) {
      std::vector<std::string> known;
      for (const Marker& one : body.markers) known.push_back(one.name.substr(name.size() + 1));
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

  /// mass = 0
  void read_massless(const Keys& keys, Body& body) {
    for (const char* key : {"centre_of_mass", "velocity", "angular_velocity", "hold"})
      if (const toml::node* node = keys.table.get(key))
        throw error_at(file_.place(*node),
                       keys.what + " has the mass 0 and " + key + ": without mass it moves with what it is welded to");
    body.massless = true;
    massless_.insert(body.name);
  }
  /// Bodies without mass become markers of the body that they are welded to, through others without mass too, or fixed
  /// points. Their names stay.
  void carry_massless() {
    std::set<std::string> left = massless_;
    for (bool more = true; more && !left.empty();) {
      more = false;
      each("joints", [&](const TomlEntry& entry) {
        if (type_of(entry) != "weld" || folded_.count(entry.key) > 0) return;
        const toml::array* ends = file_.table(*entry.value, "joint " + entry.key)["between"].as_array();
        if (ends == nullptr || ends->size() != 2 || !ends->get(0)->is_string() || !ends->get(1)->is_string()) return;
        for (const std::size_t own : {0, 1}) {
          const auto name = [&](std::size_t k) { return ends->get(k)->as_string()->get(); };
          const std::string carried = name(own).substr(0, name(own).find('.')), other = name(1 - own),
                            carrier = other.substr(0, other.find('.'));
          const auto known = partners_.find(carrier);
          if (left.count(carried) == 0 || left.count(carrier) > 0 ||
              (known == partners_.end() && carrier != "ground") ||
              (known != partners_.end() && known->second.kind == Partner::Kind::particle))
            continue;
          // A joint by one frame has no places: both are where its origin is.
          const auto of = partners_.find(name(own)), on = partners_.find(other);
          if (of != partners_.end() && on != partners_.end())
            all_.carried.push_back({entry.key, entry.key_place, of->second, on->second});
          carry(carried, known == partners_.end() ? Partner{} : known->second);
          folded_.insert(entry.key);
          left.erase(carried);
          more = true;
          return;
        }
      });
    }
    for (const Body& body : all_.bodies)
      if (left.count(body.name) > 0)
        throw error_at(body.place,
                       "body " + body.name +
                           " has no mass and is welded to nothing that has one: expected a mass, or a weld to "
                           "a body or a point; two hinges that cross in it are a universal joint");
  }
  void carry(const std::string& name, const Partner& carrier) {
    for (auto& [own, partner] : partners_) {
      if (own != name && own.compare(0, name.size() + 1, name + ".") != 0) continue;
      const Partner place = partner;
      const std::size_t massless = place.index;
      Target3 at;
      at.partner = place;
      if (carrier.kind == Partner::Kind::point) {
        partner.kind = Partner::Kind::point;
        partner.index = all_.points.size();
        partner.marker.reset();
        FixedPoint point;
        point.name = own;
        point.place = all_.bodies[massless].place;
        point.position = at;
        all_.points.push_back(std::move(point));
      } else {
        std::vector<Marker>& markers = all_.bodies[carrier.index].markers;
        partner.index = carrier.index;
        partner.marker = markers.size();
        markers.push_back({own, all_.bodies[massless].place, {}, at});
      }
    }
  }

  TakenNames names_;
  std::size_t counts_[3] = {0, 0, 0};
};

}  // namespace

const std::vector<std::string>& body_keys() {
  static const std::vector<std::string> keys{"planar", "gravity", "points", "particles", "bodies", "joints",
                                             "rods",   "springs", "ropes",  "motors",    "loads",  "contacts"};
  return keys;
}

bool has_bodies(const TomlFile& file) {
  return std::any_of(body_keys().begin(), body_keys().end(),
                     [&](const std::string& key) { return file.root().get(key) != nullptr; });
}

Bodies read_bodies(const TomlFile& file, const Symbols& parameters) {
  TableReader::Found found;
  BodyReader(file, parameters, found).read();
  read_joints(file, parameters, found);
  read_couplings(file, parameters, found);
  read_lines(file, parameters, found);
  return std::move(found.all);
}

}  // namespace gnomon::mechanism
