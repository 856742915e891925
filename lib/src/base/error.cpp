#include "gnomon/base/error.hpp"

#include "gnomon/base/names.hpp"
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

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  const std::vector<std::string> near = near_names(name, known);
  return near.empty() ? "" : near.front();
}

Error unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string>& known) {
  std::string text = "unknown " + std::string(kind) + " \"" + std::string(name) + "\"";
  const std::string near = did_you_mean(name, known);
  if (!near.empty()) return {ErrorCode::unknown_name, text + near};
  if (known.empty()) return {ErrorCode::unknown_name, text + "; there is none to choose from"};
  text += "; known: ";
  for (std::size_t i = 0; i < known.size(); ++i) text += (i ? ", " : "") + known[i];
  return {ErrorCode::unknown_name, text};
}

std::string number_text(double value) {
  return number_text(value, 9);
}

}  // namespace gnomon
