#pragma once
/// \file
/// A text as an entry of a .csv file.

#include <string>

namespace gnomon::tables {

/// In quotation marks where it has a comma, a quotation mark or the end of a line, as RFC 4180 says.
std::string csv_field(std::string text);

}  // namespace gnomon::tables
