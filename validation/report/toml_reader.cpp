#include "report/toml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "gnomon/base/error.hpp"
#include "gnomon/base/long_keys.hpp"
#include "gnomon/base/names.hpp"

namespace gnomon::validation {

toml::table read_toml(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const std::size_t at = stream ? long_key(text) : std::string::npos;
  if (at == std::string::npos) return toml::parse_file(path);
  throw Error(
      ErrorCode::bad_file,
      fmt::format("{}, line {}: a key has more than {} parts joined by dots", path,
                  1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'), most_key_parts));
}

void TomlReader::refuse(const std::string& key, const std::string& what) const {
  throw Error(ErrorCode::bad_file, fmt::format("{}: key \"{}\" {}", where_, key, what));
}

const toml::node* TomlReader::node(const std::string& key) {
  read_.insert(key);
  asked_.insert(key);
  return table_->get(key);
}

std::string TomlReader::text(const std::string& key) {
  const toml::node* found = node(key);
  if (!found) refuse(key, "is missing");
  if (!found->is_string()) refuse(key, "is not a text in quotes");
  return found->as_string()->get();
}

std::string TomlReader::text(const std::string& key, const std::string& otherwise) {
  return has(key) ? text(key) : otherwise;
}

double TomlReader::number(const std::string& key) {
  const toml::node* found = node(key);
  if (!found) refuse(key, "is missing");
  if (!found->is_number()) refuse(key, "is not a number");
  return *found->value<double>();
}

double TomlReader::number(const std::string& key, double otherwise) {
  return has(key) ? number(key) : otherwise;
}

long TomlReader::count(const std::string& key, long otherwise) {
  const toml::node* found = node(key);
  if (!found) return otherwise;
  if (!found->is_integer() || found->as_integer()->get() < 1) refuse(key, "is not a whole number above zero");
  return static_cast<long>(found->as_integer()->get());
}

std::vector<double> TomlReader::numbers(const std::string& key) {
  const toml::node* found = node(key);
  if (!found) return {};
  if (found->is_number()) return {number(key)};
  std::vector<double> values;
  const toml::array* array = found->as_array();
  if (!array || array->empty()) refuse(key, "is not a number or a list of numbers");
  for (const auto& element : *array) {
    if (!element.is_number()) refuse(key, "is not a number or a list of numbers");
    values.push_back(*element.value<double>());
  }
  return values;
}

std::vector<std::string> TomlReader::texts(const std::string& key) {
  const toml::node* found = node(key);
  std::vector<std::string> values;
  if (!found) return values;
  const toml::array* array = found->as_array();
  if (!array) refuse(key, "is not a list of texts");
  for (const auto& element : *array) {
    if (!element.is_string()) refuse(key, "is not a list of texts");
    values.push_back(element.as_string()->get());
  }
  return values;
}

Assignments TomlReader::assignments(const std::string& key) {
  Assignments result;
  const toml::table* found = table(key);
  if (!found) return result;
  for (const auto& [name, value] : *found) {
    if (value.is_string())
      result.emplace_back(name.str(), value.as_string()->get());
    else if (value.is_integer())
      result.emplace_back(name.str(), std::to_string(value.as_integer()->get()));
    else if (value.is_floating_point())
      result.emplace_back(name.str(), fmt::format("{:.17g}", value.as_floating_point()->get()));
    else
      refuse(key + "." + std::string(name.str()), "is not a number or a text");
  }
  return result;
}

const toml::table* TomlReader::table(const std::string& key) {
  const toml::node* found = node(key);
  if (!found) return nullptr;
  if (!found->is_table()) refuse(key, "is not a table { name = value }");
  return found->as_table();
}

void TomlReader::finish() const {
  for (const auto& [key, value] : *table_) {
    const std::string name(key.str());
    if (read_.count(name)) continue;
    refuse(name, "is not known here" + did_you_mean(name, {asked_.begin(), asked_.end()}));
  }
}

}  // namespace gnomon::validation
