#pragma once
/// \file
/// The papers' printed numbers beside ours.

#include <string>
#include <vector>

#include "report/row.hpp"

namespace gnomon::validation {

/// A table for each paper, with the notes of its cases; "" without published cases. Cases for which a paper prints no
/// number are counted. Beside other kinds of cases a paper gets about two dozen lines, and the rest of it is counted.
std::string published_tables(const std::vector<Row>& rows, bool colour);

}  // namespace gnomon::validation
