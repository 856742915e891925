#pragma once
// Random changes of good model files: every one is taken, or refused with a sentence that names the file and a place.

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <functional>
#include <random>
#include <regex>
#include <string>
#include <vector>

namespace gnomon::test {

/// `complaint` is what is said of a file "test.toml", "" if nothing. GNOMON_MUTATIONS says how many changes there are.
inline void check_changed_files(const std::vector<std::string>& files,
                                const std::function<std::string(const std::string&)>& complaint) {
  const char* const wanted = std::getenv("GNOMON_MUTATIONS");
  const std::size_t count = wanted ? std::strtoul(wanted, nullptr, 10) : 1000;
  const std::string alphabet = "0123456789.+-*/^()[]{}<>=!,:\"'# \nabcxyztnlm_";
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  std::size_t taken = 0, placed = 0;
  for (std::size_t k = 0; k < count; ++k) {
    std::string text = files[k % files.size()];
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text.erase(at, 1 + below(8));
          break;
        case 1:
          text.insert(at, 1, alphabet[below(alphabet.size())]);
          break;
        case 2:
          text[at] = alphabet[below(alphabet.size())];
          break;
        default:
          text.insert(at, text.substr(below(text.size()), 1 + below(20)));
      }
    }
    const std::string said = complaint(text);
    if (said.empty()) {
      ++taken;
      continue;
    }
    BOOST_TEST(said.find('\n') == std::string::npos, said);
    if (std::regex_search(said, std::regex("^test.toml:[1-9][0-9]*:[1-9][0-9]*: ")))
      ++placed;
    else
      BOOST_TEST_MESSAGE("no place: " << said << "\n" << text);
  }
  BOOST_TEST_MESSAGE(taken << " of " << count << " taken, " << placed << " refused with a place");
  BOOST_TEST(taken > 0u);
  BOOST_TEST(taken + placed == count);
}

}  // namespace gnomon::test
