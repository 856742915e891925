#include "program/commands/case_folder.hpp"

#include <filesystem>

#include "gnomon/base/error.hpp"

namespace gnomon::program {

std::string case_folder(const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!given.empty()) {
    if (!fs::is_directory(given, ignored)) throw Error(ErrorCode::bad_file, "--cases = \"" + given + "\" is no folder");
    return given;
  }
  if (fs::is_directory(GNOMON_CASES_FOLDER, ignored)) return GNOMON_CASES_FOLDER;
  const fs::path installed =
      fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / "share/gnomon/cases";
  if (fs::is_directory(installed, ignored)) return installed.string();
  throw Error(ErrorCode::bad_file, "the case files are neither in \"" GNOMON_CASES_FOLDER "\" nor in \"" +
                                       installed.string() + "\": name their folder with --cases");
}

}  // namespace gnomon::program
