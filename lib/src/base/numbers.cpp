#include "gnomon/base/numbers.hpp"

#include <charconv>

namespace gnomon {

namespace {

template <class Number>
bool read(std::string_view text, Number& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  Number found = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, found);
  if (error != std::errc() || rest != end) return false;
  value = found;
  return true;
}

}  // namespace

bool read_number(std::string_view text, double& value) {
  return read(text, value);
}

bool read_number(std::string_view text, long& value) {
  return read(text, value);
}

std::string number_text(double value, int digits) {
  char buffer[64];  // 17 digits, sign, point and exponent take 24
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits);
  return error == std::errc() ? std::string(buffer, end) : std::string("nan");
}

std::string shortest_text(double value) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return error == std::errc() ? std::string(buffer, end) : std::string("nan");
}

}  // namespace gnomon
