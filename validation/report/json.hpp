#pragma once
/// \file
/// JSON with doubles at 17 significant digits; what is not finite becomes null.

#include <json/json.h>

#include <string>
#include <vector>

#include "gnomon/base/types.hpp"
#include "report/outcome.hpp"

namespace gnomon::validation {

Json::Value to_json(double value);
Json::Value to_json(const ConstVectorRef& vector);
Json::Value to_json(const Row& row);
/// The whole report of `gnomon validate`.
Json::Value report_json(const Outcome& outcome);
/// Adds the rows, cases and seconds of a report in a file. Throws Error(bad_file).
void read_report(const std::string& path, Outcome& outcome);
/// One object, indented, with a line end.
std::string json_text(const Json::Value& value);

}  // namespace gnomon::validation
