#pragma once
/// \file
/// A [[case]] table with a sweep: one table that makes several cases.

#include <toml++/toml.h>

#include <string>
#include <vector>

namespace gnomon::validation {

/// The tables of the cases that `table` makes: itself without a sweep, otherwise one for each member of `sweep`, or for
/// each combination of members where it is a list of lists, with the member's keys in place of its own and {KEY} in
/// `name` and `formerly` replaced by the member's KEY (a text or a whole number; {options.s} is key s of its options).
/// Keys of the tables set, options, gates and so on are replaced one by one, and "order-{q,p}" in a table by quantities
/// is order-q and order-p. Throws Error(bad_file) naming file, case and key.
std::vector<toml::table> expand_sweep(toml::table table, const std::string& file, std::size_t number);

}  // namespace gnomon::validation
