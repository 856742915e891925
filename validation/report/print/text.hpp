#pragma once
/// \file
/// Text of the report: lines of a fixed width, verdicts in colour.

#include <string>

#include "report/row.hpp"

namespace gnomon::validation {

/// Columns of the report, on a terminal and in a pipe alike.
constexpr std::size_t report_width = 100;

/// `text` in lines of at most report_width columns that begin with `indent` spaces, each with its line end.
std::string wrapped(const std::string& text, std::size_t indent);
/// `text`, in the colour of the verdict if colour is asked for.
std::string painted(const std::string& text, Verdict verdict, bool colour);
/// The verdict in at most six letters, for columns.
const char* short_text(Verdict verdict);
/// The case's name without its kind.
std::string without_kind(const std::string& case_name);
/// "1 row", "2 rows".
std::string counted(long number, const std::string& what);

}  // namespace gnomon::validation
