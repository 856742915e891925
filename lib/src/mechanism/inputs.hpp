#pragma once
/// \file
/// Entries of [inputs]: functions of time by values that are parameters.
///
///     { value = 0 }                                       a parameter, which may change between steps
///     { times = [0, 1], values = [2, "k"] }               a value for each time
///     { from = 0, every = 0.1, count = 20, value = 0 }    the same for equal spans
///
/// held until the next time; or hold = "linear"; or hold = "cubic", cubics whose slope at a time is that of the
/// parabola through its value and the two beside it, at the ends that of the line.

#include <optional>

#include "mechanism/toml_places.hpp"

namespace gnomon::mechanism {

/// The times of an entry, without the number of its first parameter; nothing where it has none. Throws
/// Error(bad_value) with the place of what is wrong.
std::optional<Input> read_input_times(const TomlFile& file, const TomlEntry& entry);

}  // namespace gnomon::mechanism
