#include "gnomon/registry/plugin_path.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <vector>

#include "gnomon/base/error.hpp"

namespace gnomon {

namespace {

namespace fs = std::filesystem;

/// One name for a file, however it is reached.
std::string real_path(const std::string& path) {
  std::error_code ignored;
  return fs::weakly_canonical(path, ignored).string();
}

std::vector<std::string> find_modules(const std::string& folders) {
  std::vector<std::string> modules;
  std::istringstream list(folders);
  std::string folder;
  while (std::getline(list, folder, ':')) {
    if (folder.empty()) continue;
    std::error_code failure;
    const fs::directory_iterator entries(folder, failure);
    if (failure)
      throw Error(ErrorCode::bad_plugin, "plug-in folder \"" + folder + "\" cannot be searched: " + failure.message());
    std::vector<std::string> files;
    for (const auto& entry : entries)
      if (entry.path().extension() == ".so") files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    modules.insert(modules.end(), files.begin(), files.end());
  }
  return modules;
}

/// The modules that have registered something.
std::set<std::string> loaded_modules(const Registry& registry) {
  std::set<std::string> modules;
  for (const auto& names : {registry.schemes(), registry.solvers(), registry.problems(), registry.references()})
    for (const std::string& name : names) modules.insert(real_path(registry.origin(name)));
  return modules;
}

}  // namespace

void load_plugin_path(Registry& registry, const std::string& folders) {
  std::set<std::string> loaded = loaded_modules(registry);
  for (const std::string& module : find_modules(folders))
    if (loaded.insert(real_path(module)).second) registry.load(module);
}

std::string plugin_path_of_environment() {
  const char* folders = std::getenv("GNOMON_PLUGIN_PATH");
  return folders ? folders : "";
}

std::string library_beside_program(const std::string& path) {
  std::error_code none;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", none).parent_path().parent_path();
  for (const char* folder : {"lib", GNOMON_LIBRARY_FOLDER})
    if (fs::exists(prefix / folder / path, none)) return (prefix / folder / path).string();
  return "";
}

}  // namespace gnomon
