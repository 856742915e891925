#include "program/commands/case_folder.hpp"

#include <filesystem>

#include "gnomon/base/error.hpp"
#include "gnomon/mechanism/model_file.hpp"

namespace gnomon::program {

namespace {

/// share/gnomon beside the program's own folder.
std::filesystem::path installed_data() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / "share/gnomon";
}

}  // namespace

std::string case_folder(const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!given.empty()) {
    if (!fs::is_directory(given, ignored)) throw Error(ErrorCode::bad_file, "--cases = \"" + given + "\" is no folder");
    return given;
  }
  if (fs::is_directory(GNOMON_CASES_FOLDER, ignored)) return GNOMON_CASES_FOLDER;
  const fs::path installed = installed_data() / "cases";
  if (fs::is_directory(installed, ignored)) return installed.string();
  throw Error(ErrorCode::bad_file, "the case files are neither in \"" GNOMON_CASES_FOLDER "\" nor in \"" +
                                       installed.string() + "\": name their folder with --cases");
}

std::string model_path(const std::string& problem) {
  if (!is_model_file(problem)) return {};
  std::vector<std::string> paths{problem};
  for (const std::string& folder : model_folders()) paths.push_back(folder + "/" + problem);
  std::error_code ignored;
  for (const std::string& path : paths)
    if (std::filesystem::is_regular_file(path, ignored)) return path;
  return {};
}

std::vector<std::string> model_folders() {
  std::error_code ignored;
  if (std::filesystem::is_directory(GNOMON_MODELS_FOLDER, ignored))
    return {GNOMON_MODELS_FOLDER, GNOMON_CASES_FOLDER "/../data"};
  return {installed_data().string(), (installed_data() / "data").string()};
}

}  // namespace gnomon::program
