#pragma once
/// \file
/// Quantities of a motion by name: positions `x`, velocities `der(x)`, multipliers `lambda.g` that belong to a state by
/// itself, and outputs of the model.

#include <string>
#include <utility>
#include <vector>

#include "gnomon/run/sensitivities.hpp"

namespace gnomon {

class GNOMON_EXPORT Quantities {
 public:
  /// Those of these names. Throws Error(unknown_name) with the nearest known name.
  Quantities(const ProblemInstance& instance, const std::vector<std::string>& names);

  Index size() const { return static_cast<Index>(chosen_.size()); }
  const std::string& unit(std::size_t k) const { return units_[k]; }
  /// In a state of the model of the variant; size() numbers. It allocates.
  void measure(const Variant& of, const State& z, VectorRef out) const;

 private:
  enum class Kind { position, velocity, multiplier, output };
  struct One {
    Kind kind;
    Index entry;
  };
  bool any(Kind kind) const;

  std::vector<One> chosen_;
  std::vector<std::string> units_;
};

/// All of them with their units, in the order positions, velocities, multipliers, outputs. Throws Error(refused) for an
/// overdetermined DAE.
GNOMON_EXPORT std::vector<std::pair<std::string, std::string>> all_quantities(const ProblemInstance& instance);

}  // namespace gnomon
