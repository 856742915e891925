#include "report/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "report/toml_reader.hpp"

namespace gnomon::validation {

namespace {

/// The node at KEY or TABLE.KEY; nullptr when absent.
const toml::node* node_at(const toml::table& member, const std::string& key) {
  if (const toml::node* found = member.get(key)) return found;
  const std::size_t dot = key.find('.');
  if (dot == std::string::npos) return nullptr;
  const toml::node* outer = member.get(key.substr(0, dot));
  return outer && outer->is_table() ? outer->as_table()->get(key.substr(dot + 1)) : nullptr;
}

/// `text` with each {KEY} replaced by the member's KEY.
std::string filled(const std::string& text, const toml::table& member, const TomlReader& reader) {
  std::string result;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = text.find('{', at);
    const std::size_t close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) return result + text.substr(at);
    const std::string key = text.substr(open + 1, close - open - 1);
    const toml::node* found = node_at(member, key);
    if (!found) reader.refuse(key, "is missing: the case's name has {" + key + "}");
    if (!found->is_string() && !found->is_integer())
      reader.refuse(key, "is not a text or a whole number: the case's name has {" + key + "}");
    result += text.substr(at, open - at) +
              (found->is_string() ? found->as_string()->get() : std::to_string(found->as_integer()->get()));
    at = close + 1;
  }
}

/// Puts the member's keys in place of those of the case.
void override_keys(toml::table& target, const toml::table& member) {
  for (const auto& [key, value] : member) {
    if (key == "name") continue;  // a label for {name}
    toml::node* own = target.get(key);
    if (!own || !own->is_table() || !value.is_table()) {
      target.insert_or_assign(key, value);
      continue;
    }
    for (const auto& [inner, element] : *value.as_table()) own->as_table()->insert_or_assign(inner, element);
  }
}

/// The quantities order-q and order-p of the key "order-{q,p}".
std::vector<std::string> quantities_of(const std::string& key) {
  const std::size_t open = key.find('{'), close = key.find('}', open);
  if (close == std::string::npos || close == open + 1) return {key};
  std::vector<std::string> quantities;
  std::istringstream parts(key.substr(open + 1, close - open - 1));
  for (std::string part; std::getline(parts, part, ',');)
    quantities.push_back(key.substr(0, open) + part + key.substr(close + 1));
  return quantities;
}

/// Gives each quantity a key of its own.
void spell_out_quantities(toml::table& table, const TomlReader& reader) {
  for (const std::string name : {"gates", "printed", "known-failure", "better"}) {
    toml::table* by_quantity = table[name].as_table();
    if (!by_quantity) continue;
    toml::table spelled;
    for (const auto& [key, value] : *by_quantity)
      for (const std::string& quantity : quantities_of(std::string(key.str())))
        if (!spelled.insert(quantity, value).second) reader.refuse(name + "." + quantity, "is there twice");
    *by_quantity = std::move(spelled);
  }
}

/// The members of a sweep. Of a list of lists those are the combinations of one table from each, the last list running
/// fastest, with "-" between their names.
std::vector<toml::table> members_of(const toml::node& sweep, const TomlReader& reader) {
  const auto is_list = [](const toml::node& node) { return node.is_array_of_tables(); };
  const toml::array* list = sweep.as_array();
  const bool lists = list && !list->empty() && std::all_of(list->begin(), list->end(), is_list);
  if (!lists && !is_list(sweep)) reader.refuse("sweep", "is not a list of tables { key = value }");
  std::vector<toml::table> members(1);
  const auto combine_with = [&](const toml::array& tables) {
    std::vector<toml::table> combined;
    for (const toml::table& begun : members)
      for (const auto& element : tables) {
        toml::table table = *element.as_table();
        spell_out_quantities(table, reader);
        combined.push_back(begun);
        override_keys(combined.back(), table);
        const auto first = begun["name"].value<std::string>(), last = table["name"].value<std::string>();
        if (last) combined.back().insert_or_assign("name", first ? *first + "-" + *last : *last);
      }
    members = std::move(combined);
  };
  if (lists)
    for (const auto& one : *list) combine_with(*one.as_array());
  else
    combine_with(*list);
  return members;
}

}  // namespace

std::vector<toml::table> expand_sweep(toml::table table, const std::string& file, std::size_t number) {
  const std::string name = table["name"].value_or(std::string());
  const std::string where = file + ", case " + (name.empty() ? std::to_string(number) : "\"" + name + "\"");
  const TomlReader reader(table, where);
  spell_out_quantities(table, reader);
  const toml::node* sweep = table.get("sweep");
  if (!sweep) {
    if (name.find('{') != std::string::npos) reader.refuse("name", "has a {key}, but the case has no sweep");
    return {table};
  }
  const std::vector<toml::table> members = members_of(*sweep, reader);
  if (name.find('{') == std::string::npos)
    reader.refuse("name", "has no {key}: the cases of its sweep would all be named \"" + name + "\"");
  std::vector<toml::table> cases;
  for (const toml::table& member : members) {
    const TomlReader at(member, where + fmt::format(", member {} of its sweep", cases.size() + 1));
    for (const char* key : {"sweep", "formerly"})
      if (member.contains(key)) at.refuse(key, "belongs to the case, not to a member of its sweep");
    if (member.contains("name") && name.find("{name}") == std::string::npos)
      at.refuse("name", "is not used: the case's name has no {name}");
    cases.push_back(table);
    cases.back().erase("sweep");
    override_keys(cases.back(), member);
    for (const char* key : {"name", "formerly"})
      if (const auto* text = table[key].as_string())
        cases.back().insert_or_assign(key, filled(text->get(), member, at));
  }
  return cases;
}

}  // namespace gnomon::validation
