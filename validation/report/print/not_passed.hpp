#pragma once
/// \file
/// Everything that did not pass.

#include <string>
#include <vector>

#include "report/row.hpp"

namespace gnomon::validation {

/// What is better than promised and known failures, by reason; then the failures, each with what is known of it.
std::string not_passed(const std::vector<Row>& rows, bool colour);

}  // namespace gnomon::validation
