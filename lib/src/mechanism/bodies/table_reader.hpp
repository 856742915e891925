#pragma once
/// \file
/// TableReader: what the readers of the tables of bodies and of joints have in common.

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "mechanism/bodies/bodies.hpp"

namespace gnomon::mechanism {

class TableReader {
 public:
  /// What has been read, and the things that others may refer to.
  struct Found {
    Bodies all;
    std::map<std::string, Partner> partners;
  };
  TableReader(const TomlFile& file, const Symbols& parameters, Found& found)
      : file_(file), parameters_(parameters), all_(found.all), partners_(found.partners) {}

 protected:
  std::size_t dimension() const { return static_cast<std::size_t>(all_.dimension); }
  template <class Use>
  void each(const char* key, const Use& use) const {
    if (const toml::node* node = file_.root().get(key))
      for (const TomlEntry& entry : file_.entries(file_.table(*node, key))) use(entry);
  }

  /// A formula of parameters, and of t where `timed`.
  Formula formula(const toml::node& node, const std::string& what, bool timed = false) const;
  std::optional<Formula> optional(const toml::table& table, const char* key, const std::string& what) const;
  /// As many as there are dimensions.
  Formulas vector(const toml::node& node, const std::string& what, bool timed = false) const;
  Formulas numbers(const toml::node& node, const std::string& what, std::size_t count, bool timed = false) const;
  const toml::node& required(const toml::table& table, const char* key, const std::string& what,
                             const Place& place) const;
  Partner partner(const toml::node& node, const std::string& what) const;

  const TomlFile& file_;
  const Symbols& parameters_;
  Bodies& all_;
  std::map<std::string, Partner>& partners_;
};

/// Reads joints, rods, springs, motors, loads and contacts into found.all.
void read_joints(const TomlFile& file, const Symbols& parameters, TableReader::Found& found);

}  // namespace gnomon::mechanism
