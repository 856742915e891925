#pragma once
/// \file
/// A locale whose decimal point is a comma, made on the spot: hardly a machine of a build has one.

#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace gnomon::test {

/// LC_NUMERIC is that locale as long as this lives, or the usual one where localedef could not make it.
class CommaLocale {
 public:
  CommaLocale() {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "source") << "LC_CTYPE\ncopy \"POSIX\"\nEND LC_CTYPE\nLC_NUMERIC\ndecimal_point \",\"\n"
                                         "thousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";
    const std::string command = "cd '" + folder_.string() + "' && localedef -c -i source ./comma >/dev/null 2>&1";
    static_cast<void>(std::system(command.c_str()));  // it warns of the categories that are left out
    setenv("LOCPATH", folder_.c_str(), 1);
    made_ = std::setlocale(LC_NUMERIC, "comma") != nullptr && std::strtod("1,5", nullptr) == 1.5;
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;
  ~CommaLocale() {
    std::setlocale(LC_NUMERIC, "C");
    unsetenv("LOCPATH");
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  bool made() const { return made_; }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("gnomon_test_locale_" + std::to_string(getpid()));
  bool made_ = false;
};

}  // namespace gnomon::test
