/// \file
/// Case files with mistakes: read and checked, or refused with a sentence that names the file. A finding is any other
/// error; a crash is one by itself.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "campaign/tally.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/registry/registry.hpp"
#include "report/case_file.hpp"
#include "report/check_names.hpp"

namespace gnomon::campaign {

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}
  /// Half of them remain TOML, with another value in a few places.
  std::string operator()(std::string text) {
    const bool values = pick(2) == 0;
    for (std::size_t places = 1 + pick(4); places > 0 && text.size() > 1; --places)
      values ? replace_value(text) : mutate(text);
    return text;
  }
  std::size_t pick(std::size_t count) { return random_() % count; }

 private:
  void mutate(std::string& text) {
    static const std::vector<std::string> pieces{
        "[",     "]",        "{",         "}",     "\"",        "=",          ",",       "\n",
        "#",     "'''",      "nan",       "-inf",  "1e400",     "-1",         "0",       "1e9",
        "true",  "[[case]]", "[[start]]", "sweep", "{x}",       "\xff\xfe",   "\\u0000", "9223372036854775808",
        "steps", "step",     "gates",     "name",  "scheme = ", "1979-05-27", "..",      "max",
        "\t"};
    const std::size_t at = pick(text.size());
    switch (pick(6)) {
      case 0:
        text[at] = static_cast<char>(random_());
        break;
      case 1:
        text.erase(at, 1 + pick(20));
        break;
      case 2:
        text.insert(at, pieces[pick(pieces.size())]);
        break;
      case 3:
        text.insert(pick(text.size()), text.substr(at, 1 + pick(200)));
        break;
      case 4:
        text.resize(at);
        break;
      case 5: {  // a line somewhere else
        const std::size_t end = text.find('\n', at);
        if (end == std::string::npos) break;
        const std::size_t next = text.find('\n', end + 1);
        const std::string line = text.substr(end, next == std::string::npos ? next : next - end);
        text.erase(end, line.size());
        text.insert(pick(text.size() + 1), line);
        break;
      }
    }
  }
  void replace_value(std::string& text) {
    static const std::vector<std::string> values{"nan",
                                                 "-inf",
                                                 "1e308",
                                                 "-1",
                                                 "0",
                                                 "1000000000",
                                                 "true",
                                                 "[]",
                                                 "{}",
                                                 "\"\"",
                                                 "\"energy-momentum\"",
                                                 "1979-05-27",
                                                 "9223372036854775807",
                                                 "1e-300",
                                                 "[1, \"two\"]",
                                                 "{ max = 0 }",
                                                 "\"{name}\"",
                                                 "\"\\u0000\"",
                                                 "[[1]]",
                                                 "\"quick\""};
    const std::size_t equals = text.find('=', pick(text.size()));
    if (equals == std::string::npos) return;
    const std::size_t end = text.find_first_of(",\n}", equals);
    text.replace(equals + 1, end == std::string::npos ? end : end - equals - 1,
                 " " + values[pick(values.size())] + " ");
  }

  std::mt19937_64 random_;
};

}  // namespace

long cases(const Registry& registry, const Range& range, const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const fs::path& file : files) texts.push_back(text_of(file));
  if (texts.empty()) throw Error(ErrorCode::bad_file, "there are no case files in \"" + folder + "\"");

  const fs::path scratch = fs::temp_directory_path() / ("gnomon_campaign_" + std::to_string(getpid()));
  fs::create_directories(scratch / "cases");
  fs::create_directory_symlink(fs::absolute(folder).parent_path() / "data",
                               scratch / "data");  // tables are sought there
  Tally tally(range);
  for_each_number(range, [&](long number) {
    Mutator mutator(range.seed * 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(number));
    const std::size_t which = mutator.pick(texts.size());
    const fs::path own = scratch / "cases" / std::to_string(number);
    fs::create_directories(own);
    std::ofstream(own / "mutated.toml", std::ios::binary) << mutator(texts[which]);
    std::string outcome = "read", text;
    try {
      validation::check_names(registry, validation::read_case_files(own.string()));
    } catch (const Error& error) {
      text = error.what();
      const bool named = error.code() == ErrorCode::bad_file && text.find("mutated.toml") != std::string::npos;
      outcome = named ? "refused" : "finding";
      if (named && range.verbose) std::printf("refused: %s\n", text.c_str());
    } catch (const std::exception& error) {
      text = error.what();
      outcome = "finding";
    }
    fs::remove_all(own);
    tally.add(outcome);
    if (outcome == "finding") tally.found(number, files[which].string(), text);
  });
  fs::remove_all(scratch);
  return tally.print();
}

}  // namespace gnomon::campaign
