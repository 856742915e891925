#include "program/arguments.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <cmath>
#include <sstream>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/base/visible_text.hpp"

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

void add_assignment(Assignments& assignments, const std::string& text, const std::string& flag) {
  const auto one = parse_assignment(text, flag);
  for (const auto& [name, value] : assignments)
    if (name == one.first)
      throw Error(ErrorCode::bad_value, flag + " gives " + name + " twice, \"" + value + "\" and \"" + one.second +
                                            "\": only one of them can hold");
  assignments.push_back(one);
}

std::vector<std::string> assignment_texts(const Assignments& assignments) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : assignments) texts.push_back(name + "=" + value);
  return texts;
}

std::vector<std::string> names_in(const std::vector<std::string>& lists, const std::string& flag,
                                  const std::string& example) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    std::istringstream text(list);
    for (std::string name; std::getline(text, name, ',');) {
      if (name.empty())
        throw Error(ErrorCode::bad_value, flag + " \"" + list + "\" has an empty name, expected e.g. " + example);
      names.push_back(name);
    }
  }
  return names;
}

std::string shell_word(const std::string& text) {
  const char* const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string out = visible(text) == text ? "'" : "$'";
  const bool escapes = out.size() > 1;
  for (const char c : text) {
    const unsigned byte = static_cast<unsigned char>(c);
    if (escapes && (byte < 0x20 || byte > 0x7e || c == '\'' || c == '\\'))
      out += fmt::format("\\{:03o}", byte);
    else
      out += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return out + "'";
}

CLI::Option* add_repeatable(CLI::App& app, const std::string& flag, std::vector<std::string>& values,
                            const std::string& value, const std::string& help) {
  return app.add_option(flag, values, help)->type_size(1)->allow_extra_args(false)->type_name(value);
}

CLI::Option* add_repeatable(CLI::App& app, const std::string& flag, Assignments& values, const std::string& help) {
  const auto parse = [&values, flag](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) add_assignment(values, text, flag);
  };
  return app.add_option_function<std::vector<std::string>>(flag, parse, help)
      ->type_size(1)
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
}

}  // namespace gnomon::program
