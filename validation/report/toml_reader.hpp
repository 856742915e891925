#pragma once
/// \file
/// Typed access to a TOML table that knows which keys were read: the others are errors.

#include <toml++/toml.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "measures/case.hpp"

namespace gnomon::validation {

/// The document in a file. Throws toml::parse_error, and Error(bad_file) for keys that would nest too deep.
toml::table read_toml(const std::string& path);

/// Throws Error(bad_file) with "file, entry: key ..." for a missing key, a wrong type or an unknown key.
class TomlReader {
 public:
  TomlReader(const toml::table& table, std::string where) : table_(&table), where_(std::move(where)) {}

  /// Whether the key is there; it counts as known from then on, but as read only when one of the others reads it.
  bool has(const std::string& key) {
    asked_.insert(key);
    return table_->contains(key);
  }
  std::string text(const std::string& key);
  std::string text(const std::string& key, const std::string& otherwise);
  double number(const std::string& key);
  double number(const std::string& key, double otherwise);
  long count(const std::string& key, long otherwise);
  /// A number or an array of numbers.
  std::vector<double> numbers(const std::string& key);
  std::vector<std::string> texts(const std::string& key);
  /// A table of scalars, as assignments.
  Assignments assignments(const std::string& key);
  /// A sub-table; nullptr when absent.
  const toml::table* table(const std::string& key);

  /// Throws for the first key that nothing asked for.
  void finish() const;
  const std::string& where() const { return where_; }
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const;

 private:
  const toml::node* node(const std::string& key);

  const toml::table* table_;
  std::string where_;
  std::set<std::string> read_, asked_;
};

}  // namespace gnomon::validation
