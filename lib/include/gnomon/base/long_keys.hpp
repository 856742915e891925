#pragma once
/// \file
/// Keys of TOML that would nest tables deeper than a parser's recursion reaches.

#include <cstddef>
#include <string_view>

namespace gnomon {

constexpr int most_key_parts = 64;

/// Where the first key of more than `most_key_parts` parts (a.b.c has three) gets too long; npos where there is none.
inline std::size_t long_key(std::string_view toml) {
  int dots = 0;
  for (std::size_t k = 0; k < toml.size(); ++k) {
    const char c = toml[k];
    if (c == '#') {
      k = toml.find('\n', k);
      if (k == toml.npos) break;
      dots = 0;
    } else if (c == '"' || c == '\'') {
      const std::size_t marks = toml.substr(k, 3) == std::string_view("\"\"\"'''").substr(c == '"' ? 0 : 3, 3) ? 3 : 1;
      const std::string_view end = toml.substr(k, marks);
      for (k += marks; k < toml.size() && toml.substr(k, marks) != end && (marks == 3 || toml[k] != '\n'); ++k)
        if (c == '"' && toml[k] == '\\') ++k;
      k += marks - 1;
    } else if (c == '.') {
      if (++dots == most_key_parts) return k;
    } else if (std::string_view("=\n[]{},").find(c) != std::string_view::npos) {
      dots = 0;
    }
  }
  return toml.npos;
}

}  // namespace gnomon
