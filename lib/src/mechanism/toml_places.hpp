#pragma once
/// \file
/// Reading TOML with places: tables in the order of the file, keys that are known, formulas and targets.

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include <string>
#include <vector>

#include "mechanism/formula.hpp"

namespace gnomon::mechanism {

/// One key of a table with its value.
struct TomlEntry {
  std::string key;
  Place key_place;
  const toml::node* value;
};

class TomlFile {
 public:
  /// Throws Error(bad_value) with the place of what is no TOML.
  TomlFile(const std::string& text, std::string file);

  /// Adds a text that the program wrote from this one: `places` has the places in the file that its lines stand for.
  void add_generated(const std::string& text, std::vector<Place> places);

  static bool is_generated(const toml::source_region& source) { return source.path != nullptr; }

  const std::string& file() const { return file_; }
  const toml::table& root() const { return root_; }
  /// What a key of the root has, generated and in the file.
  std::vector<const toml::node*> nodes(const std::string& key) const;
  Place place(const toml::node& node) const { return place(node.source()); }
  /// The place of the formula in a string: after its quotation mark.
  Place formula_place(const toml::node& node) const;
  /// The entries of a table in the order in which they stand in the file.
  std::vector<TomlEntry> entries(const toml::table& table) const;
  /// Throws for a key that is none of `known`.
  void check_keys(const toml::table& table, const std::string& where, const std::vector<std::string>& known) const;

  /// These throw for another type; `what` names the value, e.g. "the potential".
  const toml::table& table(const toml::node& node, const std::string& what) const;
  const toml::array& array(const toml::node& node, const std::string& what) const;
  std::string text(const toml::node& node, const std::string& what) const;
  bool flag(const toml::node& node, const std::string& what) const;
  double number(const toml::node& node, const std::string& what) const;
  /// A string or a number.
  Formula formula(const toml::node& node, const std::string& what, const Symbols& symbols,
                  const std::vector<std::string>& loops = {}) const;

 private:
  Place place(const toml::source_region& source) const {
    if (is_generated(source)) return places_[static_cast<std::size_t>(source.begin.line) - 1];
    return {file_, static_cast<int>(source.begin.line), static_cast<int>(source.begin.column)};
  }
  [[noreturn]] void refuse(const toml::node& node, const std::string& what, const std::string& expected) const;

  std::string file_, text_;
  std::vector<std::size_t> line_begins_;  // of text_
  toml::table root_, generated_;
  std::vector<Place> places_;  // of the lines of what was generated
};

}  // namespace gnomon::mechanism
