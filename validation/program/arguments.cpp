#include "arguments.hpp"

#include <cmath>
#include <cstdlib>

#include "gnomon/error.hpp"

namespace gnomon::program {

double parse_real(const std::string& text, const std::string& flag) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value))
    throw Error(ErrorCode::bad_value, flag + " = \"" + text + "\" is not a finite number");
  return value;
}

long parse_count(const std::string& text, const std::string& flag, long minimum) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || value != std::floor(value) || !(value >= static_cast<double>(minimum)) ||
      !(value <= 1e15))
    throw Error(ErrorCode::bad_value,
                flag + " = \"" + text + "\" is not a whole number between " + std::to_string(minimum) + " and 1e15");
  return static_cast<long>(value);
}

Assignments parse_assignments(const std::vector<std::string>& texts, const std::string& flag) {
  Assignments assignments;
  for (const auto& text : texts) assignments.push_back(parse_assignment(text, flag));
  return assignments;
}

CLI::Option* add_repeatable(CLI::App& app, const std::string& flag, std::vector<std::string>& values,
                            const std::string& value, const std::string& help) {
  return app.add_option(flag, values, help)->type_size(1)->allow_extra_args(false)->type_name(value);
}

}  // namespace gnomon::program
