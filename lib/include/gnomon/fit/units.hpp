#pragma once
/// \file
/// Units of measured data beside those of a model.

#include <string>

#include "gnomon/abi.h"

namespace gnomon {

/// The number by which a value in the unit `from` becomes one in the unit `to`, as 0.001 of "mm" and "m". An empty `to`
/// stands for the unit of SI: a model that says nothing of its units has those, and radians. Units are products and
/// quotients of powers, "m/s^2", "N*m", "1/min", of
///
///     m km cm mm um in ft   s ms us min h   kg g mg t   rad mrad deg rev   N kN mN   J kJ   W kW   Pa kPa MPa   Hz rpm
///
/// Throws Error(bad_value), whose sentence begins with `subject`, for a unit that is not known and for two units of
/// different quantities; a unit that is the same text needs not be known.
GNOMON_EXPORT double unit_factor(const std::string& from, const std::string& to, const std::string& subject);

}  // namespace gnomon
