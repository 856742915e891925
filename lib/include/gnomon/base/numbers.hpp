#pragma once
/// \file
/// Numbers from text and to text, with a point whatever the locale of the program says.

#include <string>
#include <string_view>

#include "gnomon/abi.h"

namespace gnomon {

/// False, with `value` untouched, where `text` is not one decimal number from its first character to its last, or one
/// beyond the range of double. "+1", "inf" and "nan" are numbers.
GNOMON_EXPORT bool read_number(std::string_view text, double& value);

/// The same for a whole number in the range of long: no point, no exponent.
GNOMON_EXPORT bool read_number(std::string_view text, long& value);

/// As %.<digits>g writes it.
GNOMON_EXPORT std::string number_text(double value, int digits);

/// The fewest digits that read_number makes the same number of.
GNOMON_EXPORT std::string shortest_text(double value);

}  // namespace gnomon
