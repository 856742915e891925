#include "pages/arrays.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace gnomon::pages {

namespace {

/// Little-endian whatever the machine is.
template <class Bits>
void append(std::string& bytes, Bits bits) {
  for (std::size_t k = 0; k < sizeof(Bits); ++k) bytes += static_cast<char>(bits >> (8 * k) & 0xff);
}

template <class Bits, class Number>
void append_number(std::string& bytes, Number number) {
  static_assert(sizeof(Bits) == sizeof(Number));
  Bits bits;
  std::memcpy(&bits, &number, sizeof bits);
  append(bytes, bits);
}

/// Whether a float in place of a double changes nothing that is seen.
bool single_will_do(const std::vector<double>& numbers, Precision precision) {
  if (precision == Precision::exact) return false;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double x : numbers) {
    if (!std::isfinite(x)) continue;
    if (std::abs(x) > std::numeric_limits<float>::max()) return false;
    if (x != 0 && std::abs(x) < std::numeric_limits<float>::min() && precision == Precision::relative) return false;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  if (precision == Precision::relative || low >= high) return precision == Precision::relative;
  constexpr double seen = 1e-5;
  return std::numeric_limits<float>::epsilon() * std::max(std::abs(low), std::abs(high)) < seen * (high - low);
}

}  // namespace

Json::Value Arrays::add(const std::vector<double>& numbers, Precision precision) {
  std::string bytes;
  if (single_will_do(numbers, precision)) {
    for (const double x : numbers) append_number<std::uint32_t>(bytes, static_cast<float>(x));
    return add_bytes(std::move(bytes), "f4");
  }
  for (const double x : numbers) append_number<std::uint64_t>(bytes, x);
  return add_bytes(std::move(bytes), "f8");
}

Json::Value Arrays::add(const std::vector<std::size_t>& numbers) {
  const bool small = std::all_of(numbers.begin(), numbers.end(), [](std::size_t n) { return n <= 0xffff; });
  std::string bytes;
  for (const std::size_t n : numbers)
    if (small)
      append(bytes, static_cast<std::uint16_t>(n));
    else
      append(bytes, static_cast<std::uint32_t>(n));
  return add_bytes(std::move(bytes), small ? "u2" : "u4");
}

Json::Value Arrays::add_bytes(std::string bytes, const char* type) {
  const auto [known, added] = known_.try_emplace(type + bytes);
  if (added) {
    known->second["i"] = json_.size();
    known->second["t"] = type;
    json_.append(base64(bytes));
  }
  return known->second;
}

std::string base64(const std::string& bytes) {
  constexpr const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - k);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) bits = bits << 8 | (j < count ? static_cast<unsigned char>(bytes[k + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j) text += j <= count ? letters[bits >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

}  // namespace gnomon::pages
