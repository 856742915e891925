#include "program/cli/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace gnomon::program {

bool is_terminal(std::FILE* out) {
  const char* const kind = std::getenv("TERM");
  return isatty(fileno(out)) == 1 && (kind == nullptr || std::string(kind) != "dumb");
}

bool wants_colour(std::FILE* out) {
  const char* const none = std::getenv("NO_COLOR");
  return is_terminal(out) && (none == nullptr || *none == '\0');
}

std::string row_label(std::FILE* out, const std::string& label, std::size_t width) {
  const std::string padded = fmt::format("{:{}}", label, width);
  const bool alarm =
      !label.empty() && std::all_of(label.begin(), label.end(), [](unsigned char c) { return std::isupper(c) != 0; });
  return alarm && wants_colour(out) ? "\033[31m" + padded + "\033[0m" : padded;
}

std::string time_left(double elapsed, double share) {
  constexpr double least_share = 1e-3, least_elapsed = 1;
  if (!(share >= least_share) || !(share < 1) || elapsed < least_elapsed) return "";
  const double left = elapsed * (1 - share) / share;
  if (!(left < 1e7)) return "";
  const long seconds = std::lround(std::ceil(left));
  if (seconds < 3600) return fmt::format(", {}:{:02} left", seconds / 60, seconds % 60);
  return fmt::format(", {}:{:02}:{:02} left", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string TimeLeft::text(double share) const {
  return time_left(std::chrono::duration<double>(Clock::now() - begin_).count(), share);
}

}  // namespace gnomon::program
