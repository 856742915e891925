#pragma once
/// \file
/// The real program, run in an empty folder of its own.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace gnomon::test {

namespace fs = std::filesystem;

struct Outcome {
  int status;
  std::string out, err;
};

inline std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// An empty folder to work in; the program's own output goes beside it.
struct Scratch {
  fs::path root = fs::temp_directory_path() / ("gnomon_test_program_" + std::to_string(getpid()));
  fs::path work = root / "work";
  std::string program = GNOMON_PROGRAM;

  Scratch() { fs::create_directories(work); }
  ~Scratch() { fs::remove_all(root); }

  Outcome gnomon(const std::string& arguments) const {
    const std::string command = "cd '" + work.string() + "' && '" + program + "' " + arguments + " >'" +
                                (root / "out").string() + "' 2>'" + (root / "err").string() + "' </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(root / "out"), read(root / "err")};
  }
  bool empty() const { return fs::is_empty(work); }

  /// Misuse: status 2, one line on standard error that has every one of `parts`, nothing else anywhere.
  void misuse(const std::string& arguments, const std::vector<std::string>& parts) const {
    const Outcome outcome = gnomon(arguments);
    BOOST_TEST_CONTEXT("gnomon " << arguments << "\n" << outcome.err) {
      BOOST_TEST(outcome.status == 2);
      BOOST_TEST(outcome.out == "");
      BOOST_TEST(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
      BOOST_TEST(outcome.err.rfind("gnomon: ", 0) == 0u);
      for (const auto& part : parts) BOOST_TEST(contains(outcome.err, part), "does not name " << part);
      BOOST_TEST(empty());
    }
  }
};

}  // namespace gnomon::test
