#include "mechanism/toml_places.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "gnomon/base/long_keys.hpp"

namespace gnomon::mechanism {

TomlFile::TomlFile(const std::string& text, std::string file) : file_(std::move(file)), text_(text), line_begins_{0} {
  for (std::size_t k = 0; k < text_.size(); ++k)
    if (text_[k] == '\n') line_begins_.push_back(k + 1);
  if (const std::size_t at = long_key(text_); at != std::string::npos) {
    const auto line = std::upper_bound(line_begins_.begin(), line_begins_.end(), at);
    throw error_at(
        {file_, static_cast<int>(line - line_begins_.begin()), static_cast<int>(at - *(line - 1)) + 1},
        "not TOML that is read: a key has more than " + std::to_string(most_key_parts) + " parts joined by dots");
  }
  try {
    root_ = toml::parse(std::string_view(text_));
  } catch (const toml::parse_error& error) {
    std::string sentence(error.description());
    std::replace(sentence.begin(), sentence.end(), '\n', ' ');
    // A formula without quotation marks breaks off at its first operation.
    for (const char* operation : {"'*'", "'/'", "'^'", "'('"})
      if (sentence.find(operation) != std::string::npos) {
        sentence += " (a formula stands in quotation marks)";
        break;
      }
    throw error_at(place(error.source()), "not TOML: " + sentence);
  }
}

void TomlFile::add_generated(const std::string& text, std::vector<Place> places) {
  places_ = std::move(places);
  generated_ = toml::parse(std::string_view(text), std::string_view("generated"));
}

std::vector<const toml::node*> TomlFile::nodes(const std::string& key) const {
  std::vector<const toml::node*> result;
  for (const toml::table* root : {&generated_, &root_})
    if (const toml::node* node = root->get(key)) result.push_back(node);
  return result;
}

Place TomlFile::formula_place(const toml::node& node) const {
  Place at = place(node);
  if (!node.is_string() || is_generated(node.source())) return at;
  // The quotation mark of a string over several lines is three characters.
  const std::size_t begin = std::min(
      line_begins_[static_cast<std::size_t>(at.line - 1)] + static_cast<std::size_t>(at.column - 1), text_.size());
  const bool three = text_.compare(begin, 3, "\"\"\"") == 0 || text_.compare(begin, 3, "'''") == 0;
  at.column += three ? 3 : 1;
  return at;
}

std::vector<TomlEntry> TomlFile::entries(const toml::table& table) const {
  using Position = std::pair<std::size_t, std::size_t>;
  std::vector<std::pair<Position, TomlEntry>> sorted;
  for (const auto& [key, value] : table) {
    const toml::source_position begin = key.source().begin;
    sorted.push_back({{begin.line, begin.column}, {std::string(key.str()), place(key.source()), &value}});
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<TomlEntry> result;
  for (auto& [position, entry] : sorted) result.push_back(std::move(entry));
  return result;
}

void TomlFile::check_keys(const toml::table& table, const std::string& where,
                          const std::vector<std::string>& known) const {
  for (const TomlEntry& entry : entries(table))
    if (std::find(known.begin(), known.end(), entry.key) == known.end())
      throw error_at(entry.key_place, unknown_name(where.empty() ? "key" : "key of " + where, entry.key, known).what());
}

void TomlFile::refuse(const toml::node& node, const std::string& what, const std::string& expected) const {
  std::ostringstream type;
  type << node.type();
  throw error_at(place(node), what + " is of the type " + type.str() + ", expected " + expected);
}

const toml::table& TomlFile::table(const toml::node& node, const std::string& what) const {
  if (!node.is_table()) refuse(node, what, "a table");
  return *node.as_table();
}
const toml::array& TomlFile::array(const toml::node& node, const std::string& what) const {
  if (!node.is_array()) refuse(node, what, "an array");
  return *node.as_array();
}
std::string TomlFile::text(const toml::node& node, const std::string& what) const {
  if (!node.is_string()) refuse(node, what, "a string");
  return node.as_string()->get();
}
bool TomlFile::flag(const toml::node& node, const std::string& what) const {
  if (!node.is_boolean()) refuse(node, what, "true or false");
  return node.as_boolean()->get();
}
double TomlFile::number(const toml::node& node, const std::string& what) const {
  if (!node.is_number()) refuse(node, what, "a number");
  const double value = *node.value<double>();
  if (!std::isfinite(value)) throw error_at(place(node), what + " is not a finite number");
  return value;
}

Formula TomlFile::formula(const toml::node& node, const std::string& what, const Symbols& symbols,
                          const std::vector<std::string>& loops) const {
  if (node.is_string()) return parse_formula(node.as_string()->get(), formula_place(node), symbols, loops);
  if (!node.is_number()) refuse(node, what, "a formula (a string) or a number");
  return number_formula(number(node, what), place(node));
}

}  // namespace gnomon::mechanism
