#include "report/print/text.hpp"

#include <fmt/format.h>

#include <sstream>

namespace gnomon::validation {

std::string wrapped(const std::string& text, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string result, line = margin;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (line.size() > indent && line.size() + 1 + word.size() > report_width) {
      result += line + "\n";
      line = margin;
    }
    line += (line.size() > indent ? " " : "") + word;
  }
  return line.size() > indent ? result + line + "\n" : result;
}

std::string painted(const std::string& text, Verdict verdict, bool colour) {
  if (!colour || verdict == Verdict::information) return text;
  const char* code = "\033[31m";
  if (verdict == Verdict::pass || verdict == Verdict::better) code = "\033[32m";
  if (verdict == Verdict::known_failure) code = "\033[33m";
  return code + text + "\033[0m";
}

const char* short_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
    case Verdict::unexpected_pass:
      return "FAIL";
    case Verdict::known_failure:
      return "known";
    case Verdict::better:
      return "better";
    case Verdict::information:
      break;
  }
  return "-";
}

std::string without_kind(const std::string& case_name) {
  return case_name.substr(case_name.find('/') + 1);
}

std::string counted(long number, const std::string& what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace gnomon::validation
