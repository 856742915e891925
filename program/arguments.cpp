#include "program/arguments.hpp"

#include <CLI/App.hpp>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"

namespace gnomon::program {

double parse_real(const std::string& text, const std::string& flag) {
  double value = 0;
  if (!read_number(text, value) || !std::isfinite(value))
    throw Error(ErrorCode::bad_value, flag + " = \"" + text + "\" is not a finite number");
  return value;
}

long parse_count(const std::string& text, const std::string& flag, long minimum) {
  double value = 0;
  if (!read_number(text, value) || value != std::floor(value) || !(value >= static_cast<double>(minimum)) ||
      !(value <= 1e15))
    throw Error(ErrorCode::bad_value,
                flag + " = \"" + text + "\" is not a whole number between " + std::to_string(minimum) + " and 1e15");
  return static_cast<long>(value);
}

Assignments parse_assignments(const std::vector<std::string>& texts, const std::string& flag) {
  Assignments assignments;
  for (const auto& text : texts) {
    assignments.push_back(parse_assignment(text, flag));
    const std::string& name = assignments.back().first;
    for (std::size_t i = 0; i + 1 < assignments.size(); ++i)
      if (assignments[i].first == name)
        throw Error(ErrorCode::bad_value, flag + " gives " + name + " twice, \"" + assignments[i].second + "\" and \"" +
                                              assignments.back().second + "\": only one of them can hold");
  }
  return assignments;
}

std::string shell_word(const std::string& text) {
  const char* const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

CLI::Option* add_repeatable(CLI::App& app, const std::string& flag, std::vector<std::string>& values,
                            const std::string& value, const std::string& help) {
  return app.add_option(flag, values, help)->type_size(1)->allow_extra_args(false)->type_name(value);
}

}  // namespace gnomon::program
