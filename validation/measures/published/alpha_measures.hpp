#pragma once
/// \file
/// Measures of the alpha-schemes.

#include "measures/measure.hpp"

namespace gnomon::validation {

/// Reference numbers of the alpha-schemes on two oscillators, row by row of the table, and the energy over `steps`.
Quantities measure_published_alpha(const Registry& registry, const Case& c);
/// Growth below and above the stability limit of an alpha-scheme.
Quantities measure_stability_limit(const Registry& registry, const Case& c);
/// The colliding strings up to t = 1 against the row of the table with their intervals, step and eps.
Quantities measure_colliding_strings(const Registry& registry, const Case& c);

}  // namespace gnomon::validation
