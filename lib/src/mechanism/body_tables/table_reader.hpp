#pragma once
/// \file
/// TableReader: what the readers of the tables of bodies and of joints have in common.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
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
    std::set<std::string> massless, folded;  ///< names of bodies, and of the welds that carry them
  };
  TableReader(const TomlFile& file, const Symbols& parameters, Found& found)
      : file_(file),
        parameters_(parameters),
        all_(found.all),
        partners_(found.partners),
        massless_(found.massless),
        folded_(found.folded) {}

 protected:
  std::size_t dimension() const { return static_cast<std::size_t>(all_.dimension); }
  template <class Use>
  void each(const char* key, const Use& use) const {
    if (const toml::node* node = file_.root().get(key))
      for (const TomlEntry& entry : file_.entries(file_.table(*node, key))) use(entry);
  }

  /// A table of known keys, with its name and place for error sentences.
  struct Keys {
    const toml::table& table;
    std::string what;
    Place place;
  };
  Keys keys_of(const toml::node& node, const std::string& what, const Place& place,
               const std::vector<std::string>& known) const;
  Keys keys_of(const TomlEntry& entry, const std::string& kind, const std::vector<std::string>& known) const {
    return keys_of(*entry.value, kind + " " + entry.key, entry.key_place, known);
  }
  /// The type of an entry of [joints]; empty: it has none.
  std::string type_of(const TomlEntry& entry) const;
  template <class Thing>
  static Thing named(const TomlEntry& entry) {
    Thing thing;
    thing.name = entry.key;
    thing.place = entry.key_place;
    return thing;
  }

  /// A formula of parameters, and of t where `timed`.
  Formula formula(const toml::node& node, const std::string& what, bool timed = false) const;
  std::optional<Formula> optional(const Keys& keys, const char* key) const;
  /// As many as there are dimensions.
  Formulas vector(const toml::node& node, const std::string& what, bool timed = false) const;
  Formulas numbers(const toml::node& node, const std::string& what, std::size_t count, bool timed = false) const;
  const toml::node& required(const Keys& keys, const char* key) const;
  /// hold = true
  bool held(const Keys& keys) const {
    const toml::node* node = keys.table.get("hold");
    return node && file_.flag(*node, "hold of " + keys.what);
  }
  Partner partner(const toml::node& node, const std::string& what) const;
  /// A place by name, or numbers.
  Target3 target(const toml::node& node, const std::string& what) const;
  /// The two partners of what joins them; of which one is moved by forces.
  std::pair<Partner, Partner> between(const Keys& keys) const;
  /// The text of a formula that is read with the formulas of the model, or a number.
  std::pair<std::string, Place> text_of(const toml::node& node, const std::string& what) const;

  const TomlFile& file_;
  const Symbols& parameters_;
  Bodies& all_;
  std::map<std::string, Partner>& partners_;
  std::set<std::string>&massless_, &folded_;
};

/// Types of [joints] that hold motions of others, roll, or are springs.
const std::vector<std::string>& coupling_types();
inline bool is_coupling(const std::string& type) {
  const std::vector<std::string>& types = coupling_types();
  return std::find(types.begin(), types.end(), type) != types.end();
}

/// Reads joints, motors, loads and contacts into found.all, and couplings, which refer to joints.
void read_couplings(const TomlFile& file, const Symbols& parameters, TableReader::Found& found);
void read_joints(const TomlFile& file, const Symbols& parameters, TableReader::Found& found);
/// Reads rods, springs and ropes into found.all.
void read_lines(const TomlFile& file, const Symbols& parameters, TableReader::Found& found);

}  // namespace gnomon::mechanism
