#pragma once
/// \file
/// What the program prints for people: names in it come from models, tables and command lines.

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

#include "gnomon/base/visible_text.hpp"

namespace gnomon::program {

template <class T>
constexpr bool is_text = std::is_convertible_v<const T&, std::string_view>;
template <class T>
using Shown = std::conditional_t<is_text<T>, std::string, T>;

/// A text as visible() shows it, anything else as it is.
template <class T>
std::conditional_t<is_text<T>, std::string, const T&> shown(const T& value) {
  if constexpr (is_text<T>)
    return visible(value);
  else
    return value;
}

/// As fmt::print, with each text among the arguments on one line and without control characters.
template <class... Arguments>
void say(std::FILE* out, fmt::format_string<Shown<Arguments>...> format, const Arguments&... arguments) {
  fmt::print(out, format, shown(arguments)...);
}
template <class... Arguments>
void say(fmt::format_string<Shown<Arguments>...> format, const Arguments&... arguments) {
  say(stdout, format, arguments...);
}
/// Lines, without control characters.
inline void say_lines(std::FILE* out, std::string_view text) {
  fmt::print(out, "{}", visible_lines(text));
}
inline void say_lines(std::string_view text) {
  say_lines(stdout, text);
}

}  // namespace gnomon::program
