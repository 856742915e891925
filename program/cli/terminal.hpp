#pragma once
/// \file
/// What is done on a terminal only: progress and colour.

#include <chrono>
#include <cstdio>
#include <string>

namespace gnomon::program {

/// Lines may be written over: the stream is a terminal, and not a dumb one.
bool is_terminal(std::FILE* out);
/// Colour is wanted: on a terminal, unless the environment variable NO_COLOR is set and not empty (no-color.org).
bool wants_colour(std::FILE* out);

/// `label` in `width` columns; a label in capitals tells of something wrong, and stands in red where colour is wanted.
std::string row_label(std::FILE* out, const std::string& label, std::size_t width);

/// Time that is left, by the time that the part done has taken.
class TimeLeft {
 public:
  TimeLeft() : begin_(Clock::now()) {}
  /// ", 1:05 left", with hours "2:01:05"; "" while the share done, between 0 and 1, says too little.
  std::string text(double share) const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_;
};
/// The same of known times, in seconds.
std::string time_left(double elapsed, double share);

}  // namespace gnomon::program
