#include "mechanism/body_tables/table_reader.hpp"

#include <algorithm>

#include "gnomon/base/numbers.hpp"

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

std::string TableReader::type_of(const TomlEntry& entry) const {
  const std::string what = "joint " + entry.key;
  const toml::node* type = file_.table(*entry.value, what).get("type");
  return type ? file_.text(*type, "the type of " + what) : "";
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

Target3 TableReader::target(const toml::node& node, const std::string& what) const {
  Target3 result;
  if (node.is_array())
    result.position = vector(node, what);
  else
    result.partner = partner(node, what);
  return result;
}

std::pair<Partner, Partner> TableReader::between(const Keys& keys) const {
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
    throw error_at(b.place, what + " joins \"" + a.name + "\" and \"" + b.name + "\", and neither is moved by forces");
  return result;
}

std::pair<std::string, Place> TableReader::text_of(const toml::node& node, const std::string& what) const {
  if (node.is_string()) {
    std::string text = node.as_string()->get();
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (text.find_first_of("\"\\") != std::string::npos)
      throw error_at(file_.formula_place(node), what + " has a quotation mark or a backslash, which no formula has");
    return {text, file_.formula_place(node)};
  }
  return {number_text(file_.number(node, what), 17), file_.place(node)};
}

}  // namespace gnomon::mechanism
