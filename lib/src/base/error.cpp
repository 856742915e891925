#include "gnomon/base/error.hpp"

#include <algorithm>
#include <numeric>

#include "gnomon/base/numbers.hpp"

namespace gnomon {

const char* to_string(ErrorCode code) {
  switch (code) {
#define GNOMON_ERROR_TEXT(name, NAME, value, message) \
  case ErrorCode::name:                               \
    return message;
    GNOMON_ERRORS(GNOMON_ERROR_TEXT)
#undef GNOMON_ERROR_TEXT
  }
  return "error";
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const auto& candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  if (best.empty() && name.size() >= 3)
    for (const auto& candidate : known)
      if (candidate.compare(0, name.size(), name) == 0) return candidate;
  return best;
}

Error unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string>& known) {
  std::string text = "unknown " + std::string(kind) + " \"" + std::string(name) + "\"";
  const std::string near = nearest_name(name, known);
  if (!near.empty()) return {ErrorCode::unknown_name, text + "; did you mean \"" + near + "\"?"};
  if (known.empty()) return {ErrorCode::unknown_name, text + "; there is none to choose from"};
  text += "; known: ";
  for (std::size_t i = 0; i < known.size(); ++i) text += (i ? ", " : "") + known[i];
  return {ErrorCode::unknown_name, text};
}

std::string number_text(double value) {
  return number_text(value, 9);
}

}  // namespace gnomon
