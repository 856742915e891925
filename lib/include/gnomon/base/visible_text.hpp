#pragma once
/// \file
/// Text of models and tables where it is printed.

#include <string>
#include <string_view>

#include "gnomon/abi.h"

namespace gnomon {

/// The text on one line, as a terminal shows it and does not obey it: control characters, line ends, marks that turn
/// the direction of writing and bytes that are no UTF-8 are written "\n", "\r", "\t" or "\u001b". Others stay.
GNOMON_EXPORT std::string visible(std::string_view text);
/// The same of each line of a text.
GNOMON_EXPORT std::string visible_lines(std::string_view text);

}  // namespace gnomon
