#include "mechanism/bodies/table_reader.hpp"

namespace gnomon::mechanism {

Formula TableReader::formula(const toml::node& node, const std::string& what, bool timed) const {
  Formula result = file_.formula(node, what, parameters_);
  for (const Formula::Node& part : result.nodes)
    if (part.kind == Formula::Kind::time && !timed)
      throw error_at(result.place_of(part), what + " must not depend on the time");
  return result;
}

TableReader::Keys TableReader::keys_of(const toml::node& node, const std::string& what, const Place& place,
                                       const std::vector<std::string>& known) const {
  const Keys keys{file_.table(node, what), what, place};
  file_.check_keys(keys.table, what, known);
  return keys;
}

std::optional<Formula> TableReader::optional(const Keys& keys, const char* key) const {
  const toml::node* node = keys.table.get(key);
  return node ? std::optional<Formula>(formula(*node, key + (" of " + keys.what))) : std::nullopt;
}

Formulas TableReader::vector(const toml::node& node, const std::string& what, bool timed) const {
  return numbers(node, what, dimension(), timed);
}

Formulas TableReader::numbers(const toml::node& node, const std::string& what, std::size_t count, bool timed) const {
  const toml::array& array = file_.array(node, what);
  if (array.size() != count)
    throw error_at(file_.place(node),
                   what + " has " + std::to_string(array.size()) + " entries, expected " + std::to_string(count) +
                       (count == 3 && array.size() == 2 ? " in space (for the plane write planar = true)" : ""));
  Formulas result;
  for (const toml::node& one : array) result.push_back(formula(one, what, timed));
  return result;
}

const toml::node& TableReader::required(const Keys& keys, const char* key) const {
  const toml::node* node = keys.table.get(key);
  if (node == nullptr) throw error_at(keys.place, keys.what + " has no " + key);
  return *node;
}

Partner TableReader::partner(const toml::node& node, const std::string& what) const {
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

}  // namespace gnomon::mechanism
