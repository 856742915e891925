#include "gnomon/base/names.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace gnomon {

namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

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

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("-_./ "), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool is_word(std::string_view typed, std::string_view word) {
  constexpr std::size_t beginning = 3, letters_an_error = 4;
  if (typed == word || (typed.size() >= beginning && word.substr(0, typed.size()) == typed)) return true;
  return edit_distance(typed, word) <= typed.size() / letters_an_error;
}

/// Every word of `typed` is one of `words`, each of them once.
bool has_words(const std::vector<std::string_view>& typed, std::vector<std::string_view> words) {
  for (const std::string_view word : typed) {
    const auto found =
        std::find_if(words.begin(), words.end(), [word](std::string_view w) { return is_word(word, w); });
    if (found == words.end()) return false;
    words.erase(found);
  }
  return !typed.empty();
}

}  // namespace

std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& known) {
  const std::string typed = lower_case(name);
  std::vector<std::pair<std::size_t, std::string>> by_errors, by_words;
  for (const std::string& candidate : known) {
    const std::string lower = lower_case(candidate);
    by_errors.emplace_back(edit_distance(typed, lower), candidate);
    if (has_words(words_of(typed), words_of(lower))) by_words.emplace_back(words_of(lower).size(), candidate);
  }
  const auto nearest = std::min_element(by_errors.begin(), by_errors.end(),
                                        [](const auto& a, const auto& b) { return a.first < b.first; });
  if (nearest == by_errors.end()) return {};
  const std::size_t third = typed.size() / 3;
  if (nearest->first <= std::clamp<std::size_t>(third, 1, 2)) return {nearest->second};
  std::vector<std::string> names;
  std::stable_sort(by_words.begin(), by_words.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [words, candidate] : by_words) names.push_back(std::move(candidate));
  if (names.empty() && nearest->first <= std::max<std::size_t>(2, third)) names.push_back(nearest->second);
  return names;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t most = 5;
  std::vector<std::string> names = near_names(name, known);
  if (names.empty()) return "";
  names.resize(std::min(names.size(), most));
  std::string text = "; did you mean ";
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "\"" : i + 1 == names.size() ? " or \"" : ", \"") + names[i] + "\"";
  return text + "?";
}

}  // namespace gnomon
