/// \file
/// Reads the tables of rods, springs and ropes of a model file.

#include <tuple>

#include "mechanism/body_tables/table_reader.hpp"

namespace gnomon::mechanism {

namespace {

class LineReader : TableReader {
 public:
  using TableReader::TableReader;

  void read() {
    each("rods", [&](const TomlEntry& entry) { read_rod(entry); });
    each("springs", [&](const TomlEntry& entry) { read_spring(entry); });
    each("ropes", [&](const TomlEntry& entry) { read_rope(entry); });
  }

 private:
  void read_rod(const TomlEntry& entry) {
    const Keys keys = keys_of(entry, "rod", {"between", "length"});
    Rod rod = named<Rod>(entry);
    std::tie(rod.a, rod.b) = between(keys);
    rod.length = optional(keys, "length");
    all_.rods.push_back(std::move(rod));
  }

  void read_spring(const TomlEntry& entry) {
    const Keys keys = keys_of(entry, "spring", {"between", "stiffness", "rest_length", "damping", "tension", "energy"});
    const std::string& what = keys.what;
    Spring spring = named<Spring>(entry);
    std::tie(spring.a, spring.b) = between(keys);
    int laws = 0;
    for (const auto& [key, law] : {std::pair{"stiffness", Spring::Law::stiffness},
                                   {"tension", Spring::Law::tension},
                                   {"energy", Spring::Law::energy}}) {
      const toml::node* node = keys.table.get(key);
      if (node == nullptr) continue;
      ++laws;
      spring.law = law;
      if (law == Spring::Law::stiffness)
        spring.stiffness = formula(*node, "the stiffness of " + what);
      else
        std::tie(spring.value, spring.value_place) = text_of(*node, "the " + std::string(key) + " of " + what);
    }
    if (laws != 1)
      throw error_at(entry.key_place, what + " has " + std::to_string(laws) +
                                          " of stiffness, tension = \"k*(length - l) + c*rate\" and energy = "
                                          "\"k/2*(length - l)^2\", expected one");
    spring.rest_length = optional(keys, "rest_length");
    spring.damping = optional(keys, "damping");
    for (const std::optional<Formula>* one : {&spring.rest_length, &spring.damping})
      if (*one && spring.law != Spring::Law::stiffness)
        throw error_at((*one)->place,
                       what + " has a " + (one == &spring.damping ? "damping" : "rest_length") + " and no stiffness");
    all_.springs.push_back(std::move(spring));
  }

  void read_rope(const TomlEntry& entry) {
    const Keys keys = keys_of(entry, "rope", {"through", "length", "restitution", "stiffness", "damping"});
    const std::string& what = keys.what;
    Rope rope = named<Rope>(entry);
    rope.length_place = entry.key_place;
    const toml::node& through = required(keys, "through");
    bool moved = false;
    for (const toml::node& one : file_.array(through, "through of " + what)) {
      rope.through.push_back(partner(one, "through of " + what));
      moved = moved || rope.through.back().kind != Partner::Kind::point;
    }
    if (rope.through.size() < 2)
      throw error_at(file_.place(through), "through of " + what + " has " + std::to_string(rope.through.size()) +
                                               (rope.through.size() == 1 ? " entry" : " entries") +
                                               ", expected the points of both ends, and those between them");
    if (!moved) throw error_at(file_.place(through), what + " goes through points that no force moves");
    if (const toml::node* node = keys.table.get("length"))
      std::tie(rope.length, rope.length_place) = text_of(*node, "the length of " + what);
    rope.restitution = optional(keys, "restitution");
    rope.stiffness = optional(keys, "stiffness");
    rope.damping = optional(keys, "damping");
    if (rope.stiffness && rope.restitution)
      throw error_at(rope.restitution->place, what + " has a restitution beside a stiffness, expected one of them");
    if (rope.damping && !rope.stiffness) throw error_at(rope.damping->place, what + " has a damping and no stiffness");
    all_.ropes.push_back(std::move(rope));
  }
};

}  // namespace

void read_lines(const TomlFile& file, const Symbols& parameters, TableReader::Found& found) {
  LineReader(file, parameters, found).read();
}

}  // namespace gnomon::mechanism
