#include "program/run/output_times.hpp"

#include <fmt/format.h>

#include <cmath>

#include "gnomon/base/error.hpp"
#include "program/arguments.hpp"

namespace gnomon::program {

namespace {

constexpr double most = 1e8;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

}  // namespace

std::vector<double> parse_times(const std::string& text, double start, double end) {
  const auto wrong = [&text](const std::string& why) {
    return Error(ErrorCode::bad_value, "--times = " + text + ": " + why);
  };
  std::vector<double> given, times;
  const bool grid = text.find(':') != std::string::npos;
  for (const std::string& part : split(text, grid ? ':' : ',')) given.push_back(parse_real(part, "--times"));
  if (!grid) {
    times = given;
  } else {
    if (given.size() != 3) throw wrong("a grid of times is FIRST:INTERVAL:LAST, such as 0:0.01:10");
    if (!(given[1] > 0)) throw wrong("the interval " + number_text(given[1]) + " is not above zero");
    if (given[2] < given[0])
      throw wrong("the last time, " + number_text(given[2]) + ", is before the first, " + number_text(given[0]));
    const double count = std::floor((given[2] - given[0]) / given[1] + 1e-9) + 1;
    if (!(count <= most)) throw wrong(fmt::format("these are {:g} times, at most {:g} are possible", count, most));
    for (double k = 0; k < count; ++k) times.push_back(given[0] + k * given[1]);
    if (std::abs(times.back() - given[2]) <= 1e-9 * given[1]) times.back() = given[2];
  }
  for (std::size_t k = 1; k < times.size(); ++k)
    if (!(times[k] > times[k - 1]))
      throw wrong(number_text(times[k]) + " is not after the time before it, " + number_text(times[k - 1]));
  if (times.front() < start)
    throw wrong(number_text(times.front()) + " is before the start of the run, t = " + number_text(start));
  if (times.back() > end + 1e-9 * std::abs(end - start))
    throw wrong(number_text(times.back()) + " is after the end of the run, t = " + number_text(end));
  times.back() = std::min(times.back(), end);
  return times;
}

}  // namespace gnomon::program
