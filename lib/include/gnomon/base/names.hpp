#pragma once
/// \file
/// What a user who typed an unknown name may have meant.

#include <string>
#include <string_view>
#include <vector>

#include "gnomon/abi.h"

namespace gnomon {

/// The known names that `name` may stand for, the most likely one first; empty where none is plausible:
///
///     one typing error or two, by edit distance      ratle           rattle
///     each word of it begins a word, or is near one  doble-pendulum  double-spherical-pendulum, driven-double-pendulum
///                                                    ida             ida-ggl, ida-index1
///     errors in up to a third of its letters         enrgymomntum    energy-momentum
///
/// The first of these that finds any decides. Words end at - _ . / and spaces; letters count in lower case.
GNOMON_EXPORT std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& known);

/// `; did you mean "a", "b" or "c"?`, at most five of them, or "".
GNOMON_EXPORT std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

}  // namespace gnomon
