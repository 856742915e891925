#pragma once
/// \file
/// Models of texts, and what is said of texts that are wrong.

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/base/error.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon::test {

inline ProblemInstance build(const std::string& text, const Assignments& set = {}) {
  const auto problem = read_model_text(text, "test.toml");
  return problem->build(Options("problem test", problem->parameters(), set));
}
inline const System& system_of(const ProblemInstance& instance) {
  return *instance.model->mechanical();
}
/// The message of the error that a text raises; "" if there is none.
inline std::string complaint(const std::string& text) {
  try {
    build(text);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}
inline std::string with(const std::string& text, const std::string& from, const std::string& to) {
  std::string changed = text;
  const std::size_t at = changed.find(from);
  BOOST_REQUIRE_MESSAGE(at != std::string::npos, from);
  return changed.replace(at, from.size(), to);
}
/// Every text is refused with one sentence that has these words.
inline void check_complaints(const std::vector<std::pair<std::string, const char*>>& texts) {
  for (const auto& [text, expected] : texts) {
    const std::string said = complaint(text);
    BOOST_TEST_CONTEXT(expected) BOOST_TEST(said.find(expected) != std::string::npos, said);
    BOOST_TEST(said.find('\n') == std::string::npos);
  }
}

}  // namespace gnomon::test
