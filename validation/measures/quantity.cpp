#include "measures/quantity.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gnomon::validation {

std::string short_number(double value) {
  return fmt::format("{:.4g}", value);
}

bool Gate::accepts(double value) const {
  if (!std::isfinite(value)) return false;
  if (min && value < *min) return false;
  if (max && value > *max) return false;
  return !near || std::abs(value - *near) <= within;
}

bool Gate::beaten_by(double value) const {
  if (!std::isfinite(value) || accepts(value) || better == Better::none) return false;
  const bool above = near ? value > *near : max && value > *max;
  return above == (better == Better::above);
}

Gate Gate::or_better(Better side) const {
  Gate gate = *this;
  gate.better = side;
  return gate;
}

std::string Gate::text() const {
  if (near) return short_number(*near) + " +- " + short_number(within);
  if (min && max) return short_number(*min) + " .. " + short_number(*max);
  if (min) return ">= " + short_number(*min);
  if (max) return "<= " + short_number(*max);
  return "";
}

}  // namespace gnomon::validation
