#pragma once
/// \file
/// What a measure returns: named numbers, some with a gate of their own.

#include <optional>
#include <string>
#include <vector>

namespace gnomon::validation {

/// The interval a measured number must lie in. Values that are not finite never do.
struct Gate {
  std::optional<double> min, max;
  std::optional<double> near;  ///< together with `within`: |value - near| <= within
  double within = 0;
  /// The side of the gate on which a value is better than what was promised or printed, and no failure.
  enum class Better { none, below, above };
  Better better = Better::none;

  static Gate at_most(double value) { return {std::nullopt, value, std::nullopt, 0}; }
  static Gate at_least(double value) { return {value, std::nullopt, std::nullopt, 0}; }
  static Gate around(double value, double within) { return {std::nullopt, std::nullopt, value, within}; }
  Gate or_better(Better side) const;

  bool accepts(double value) const;
  /// Whether it lies outside on the better side.
  bool beaten_by(double value) const;
  /// E.g. "<= 1e-14" or "2 +- 0.05".
  std::string text() const;
};

/// One measured number. Without a gate (its own or the case's) it is information.
struct Quantity {
  std::string name;
  double value = 0;
  std::string note;               ///< where the number comes from, or why it is not finite
  std::optional<Gate> gate = {};  ///< of the measure's own
  std::string excuse = {};        ///< why a value outside the gate is a known failure, where the measure knows that
  std::optional<double> printed = {};  ///< the same number in the paper, where it prints one
  std::string at = {};  ///< the row of the paper's table, "h = 0.1"; its column is `name` up to the last '-'
};

using Quantities = std::vector<Quantity>;

/// Short text of a number for tables: four significant digits.
std::string short_number(double value);

}  // namespace gnomon::validation
