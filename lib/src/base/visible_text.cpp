#include "gnomon/base/visible_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace gnomon {

namespace {

unsigned byte(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
}

/// The bytes of the character of UTF-8 that begins here, and its code; no bytes where there is none.
struct Character {
  std::size_t bytes = 0;
  unsigned code = 0;
  Character(std::string_view text, std::size_t at) {
    const unsigned first = byte(text, at);
    const std::size_t size = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
    if (size == 0) return;
    code = size == 1 ? first : first & (0xffU >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
      if ((byte(text, at + i) & 0xc0U) != 0x80) return;
      code = code << 6U | (byte(text, at + i) & 0x3fU);
    }
    const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
    if (!overlong && code < 0x110000 && (code < 0xd800 || code > 0xdfff)) bytes = size;
  }
};

/// It moves the cursor, ends a line, or turns what stands beside it.
bool is_obeyed(unsigned code) {
  constexpr std::array<std::pair<unsigned, unsigned>, 6> ranges{
      {{0, 0x1f}, {0x7f, 0x9f}, {0x61c, 0x61c}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}}};
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](const auto& range) { return range.first <= code && code <= range.second; });
}

std::string escaped(unsigned code) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "\\u%04x", code);
  return text.data();
}

}  // namespace

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character here(text, at);
    if (here.bytes == 0 || is_obeyed(here.code))
      out += escaped(here.bytes == 0 ? byte(text, at) : here.code);
    else
      out += text.substr(at, here.bytes);
    at += std::max<std::size_t>(here.bytes, 1);
  }
  return out;
}

std::string visible_lines(std::string_view text) {
  std::string out;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find('\n', begin);
    out += visible(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return out;
    out += '\n';
    begin = end + 1;
  }
}

}  // namespace gnomon
