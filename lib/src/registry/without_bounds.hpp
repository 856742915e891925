#pragma once
/// \file
/// Private to the core.

#include "gnomon/base/options.hpp"

namespace gnomon {

/// Real ones may be any numbers.
OptionSpecs without_bounds(OptionSpecs specs);

}  // namespace gnomon
