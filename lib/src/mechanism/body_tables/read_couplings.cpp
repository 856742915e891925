/// \file
/// Reads the tables of couplings: gears, rolling bodies and bushings.

#include <algorithm>
#include <tuple>

#include "mechanism/body_tables/table_reader.hpp"

namespace gnomon::mechanism {

namespace {

class CouplingReader : TableReader {
 public:
  using TableReader::TableReader;

  void read() {
    std::vector<TomlEntry> gears;
    each("joints", [&](const TomlEntry& entry) {
      const std::string type = type_of(entry);
      if (type == "gear")
        gears.push_back(entry);
      else if (type == "rolling")
        read_rolling(entry);
      else if (type == "bushing")
        read_bushing(entry);
    });
    for (const TomlEntry& entry : gears) read_gear(entry);
  }

 private:
  void read_rolling(const TomlEntry& entry) {
    const Keys keys = keys_of(
        entry, "joint", {"type", "between", "normal", "radius", "radii", "inside", "axis", "friction", "side_slip"});
    const std::string& what = keys.what;
    Rolling rolling = named<Rolling>(entry);
    std::tie(rolling.a, rolling.b) = between(keys);
    for (const Partner* one : {&rolling.a, &rolling.b})
      if (!one->has_axes() || (one == &rolling.b && one->kind != Partner::Kind::body))
        throw error_at(one->place, what + ": \"" + one->name + "\" is no body " +
                                       (one == &rolling.b ? "that rolls" : "with a plane, and no point"));
    rolling.friction = optional(keys, "friction");
    if (keys.table.get("normal") == nullptr && all_.dimension == 2)
      return read_rolling_on_disc(keys, std::move(rolling));
    for (const char* key : {"radii", "inside"})
      if (const toml::node* node = keys.table.get(key))
        throw error_at(
            file_.place(*node),
            what + " has " + key + ", which is for a disc on another one, in the plane and without a normal");
    rolling.normal = vector(required(keys, "normal"), "the normal of " + what);
    rolling.radius = optional(keys, "radius");
    const Body& body = all_.bodies[rolling.b.index];
    if (!rolling.radius && !is_round(body.shape))
      throw error_at(entry.key_place, what + " has no radius, and body " + body.name + " no shape that has one");
    if (!rolling.radius) rolling.radius = body.sizes.front();
    if (const toml::node* axis = keys.table.get("axis")) {
      if (all_.dimension == 2) throw error_at(file_.place(*axis), what + " has an axis, which is for space");
      rolling.axis = vector(*axis, "the axis of " + what);
    }
    rolling.wheel = all_.dimension == 3 && (!rolling.axis.empty() || is_wheel(body.shape));
    if (const toml::node* slips = keys.table.get("side_slip")) {
      rolling.slips_sideways = file_.flag(*slips, "side_slip of " + what);
      if (!rolling.wheel)
        throw error_at(file_.place(*slips), what + " has a side_slip, and body " + body.name +
                                                " is no wheel in space: expected an axis, a cylinder or a disc");
    }
    all_.rollings.push_back(std::move(rolling));
  }

  /// On the disc of A, or inside it.
  void read_rolling_on_disc(const Keys& keys, Rolling rolling) {
    for (const char* key : {"radius", "axis", "side_slip"})
      if (const toml::node* node = keys.table.get(key))
        throw error_at(file_.place(*node), keys.what + " has neither a normal nor a use for its " + key +
                                               ": expected normal = [..] of a plane, or radii = [..] of two discs");
    if (const toml::node* inside = keys.table.get("inside"))
      rolling.inside = file_.flag(*inside, "inside of " + keys.what);
    if (const toml::node* radii = keys.table.get("radii")) {
      Formulas both = numbers(*radii, "radii of " + keys.what, 2);
      rolling.base_radius = std::move(both[0]);
      rolling.radius = std::move(both[1]);
    } else {
      for (const auto& [partner, radius] :
           {std::pair{&rolling.a, &rolling.base_radius}, {&rolling.b, &rolling.radius}}) {
        if (partner->kind != Partner::Kind::body || !is_round(all_.bodies[partner->index].shape))
          throw error_at(partner->place,
                         keys.what + " has no normal, and \"" + partner->name +
                             "\" is no disc: expected the normal of a plane, or radii = [..] of two discs");
        *radius = all_.bodies[partner->index].sizes.front();
      }
    }
    all_.rollings.push_back(std::move(rolling));
  }

  /// An angle or a distance by name: of a joint, or in the plane of a body.
  Gear::Motion motion(const toml::node& node, const std::string& what) const {
    const std::string name = file_.text(node, what);
    const std::size_t dot = name.find('.');
    const std::string owner = name.substr(0, dot), part = dot == std::string::npos ? "" : name.substr(dot + 1);
    Gear::Motion result;
    std::vector<std::string> known;
    const auto take = [&](const std::string& of, const std::string& own, bool turns, bool only) {
      known.push_back(only ? of : of + "." + own);
      if (owner != of || (part != own && !(only && part.empty()))) return false;
      result.name = of + "." + own;
      result.turns = turns;
      return true;
    };
    for (const Joint& joint : all_.joints) {
      const bool both = joint.type->turns && joint.type->slides;
      if ((joint.type->turns && take(joint.name, "angle", true, !both)) ||
          (joint.type->slides && take(joint.name, "distance", false, !both)) ||
          (joint.axes.size() == 2 &&
           (take(joint.name, "angle1", true, false) || take(joint.name, "angle2", true, false)))) {
        result.partners = {joint.a, joint.b};
        return result;
      }
    }
    for (std::size_t k = 0; k < all_.bodies.size() && all_.dimension == 2; ++k)
      if (take(all_.bodies[k].name, "angle", true, true)) {
        result.body = k;
        result.partners = {partners_.at(all_.bodies[k].name)};
        return result;
      }
    throw error_at(file_.formula_place(node), unknown_name("angle or distance of a joint", name, known).what());
  }
  void read_gear(const TomlEntry& entry) {
    const Keys keys = keys_of(entry, "gear", {"type", "of", "ratio", "ratios"});
    const std::string& what = keys.what;
    Gear gear = named<Gear>(entry);
    const toml::node& of = required(keys, "of");
    for (const toml::node& one : file_.array(of, "of of " + what)) {
      gear.motions.push_back(motion(one, "of of " + what));
      for (std::size_t k = 0; k + 1 < gear.motions.size(); ++k)
        if (gear.motions[k].name == gear.motions.back().name)
          throw error_at(file_.formula_place(one), what + " is of " + gear.motions[k].name + " twice");
    }
    const std::size_t count = gear.motions.size();
    const toml::node *ratio = keys.table.get("ratio"), *ratios = keys.table.get("ratios");
    if (count < 2 || (ratio != nullptr) == (ratios != nullptr) || (ratio && count != 2))
      throw error_at(entry.key_place,
                     what + " is of " + std::to_string(count) + (count == 1 ? " motion" : " motions") +
                         ": expected two and their ratio, of = [\"A\", \"B\"], ratio = 2 where B turns by twice the "
                         "angle of A, or ratios = [..] whose sum of ratio times motion is zero, one for each motion");
    gear.ratios =
        ratio ? Formulas{formula(*ratio, "the ratio of " + what)} : numbers(*ratios, "ratios of " + what, count);
    all_.gears.push_back(std::move(gear));
  }

  void read_bushing(const TomlEntry& entry) {
    const Keys keys = keys_of(
        entry, "joint", {"type", "between", "axis", "axes", "stiffness", "damping", "turn_stiffness", "turn_damping"});
    const std::string& what = keys.what;
    Bushing bushing = named<Bushing>(entry);
    std::tie(bushing.a, bushing.b) = between(keys);
    const bool plane = all_.dimension == 2;
    if (const toml::node* node = keys.table.get(plane ? "axes" : "axis"))
      throw error_at(file_.place(*node), what + " of the type bushing expects " +
                                             (plane ? "an axis, that of its first stiffness"
                                                    : "two axes, axes = [[..], [..]], those of its first and second "
                                                      "stiffness"));
    if (const toml::node* node = keys.table.get("axis")) bushing.axes.push_back(vector(*node, "the axis of " + what));
    if (const toml::node* node = keys.table.get("axes")) {
      for (const toml::node& one : file_.array(*node, "the axes of " + what))
        bushing.axes.push_back(vector(one, "an axis of " + what));
      if (bushing.axes.size() != 2)
        throw error_at(file_.place(*node),
                       what + " has " + std::to_string(bushing.axes.size()) + " axes, expected two");
    }
    const std::size_t turns = plane ? 1 : 3;
    bool any = false;
    for (const auto& [key, values, count] : {std::tuple{"stiffness", &bushing.stiffness, dimension()},
                                             {"damping", &bushing.damping, dimension()},
                                             {"turn_stiffness", &bushing.turn_stiffness, turns},
                                             {"turn_damping", &bushing.turn_damping, turns}}) {
      const toml::node* node = keys.table.get(key);
      if (node == nullptr) continue;
      any = true;
      const std::string name = key + (" of " + what);
      if (node->is_array())
        *values = numbers(*node, name, count);
      else
        values->assign(count, formula(*node, name));
    }
    if (!any)
      throw error_at(entry.key_place, what + " has none of stiffness, damping, turn_stiffness and turn_damping");
    const bool turning = !bushing.turn_stiffness.empty() || !bushing.turn_damping.empty();
    for (const Partner* one : {&bushing.a, &bushing.b})
      if (!one->has_axes() && (turning || one == &bushing.a))
        throw error_at(one->place, what + ": particle " + one->name + " has no axes for a bushing");
    all_.bushings.push_back(std::move(bushing));
  }
};

}  // namespace

const std::vector<std::string>& coupling_types() {
  static const std::vector<std::string> types{"gear", "rolling", "bushing"};
  return types;
}

void read_couplings(const TomlFile& file, const Symbols& parameters, TableReader::Found& found) {
  CouplingReader(file, parameters, found).read();
}

}  // namespace gnomon::mechanism
