#include "mechanism/import/sdf.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "gnomon/base/answering_process.hpp"
#include "gnomon/base/error.hpp"
#include "mechanism/import/robot.hpp"

namespace gnomon::mechanism {

namespace {

using Read = void(const std::string& xml, const std::string& file, Robot& robot);

/// The function of the module, which lies beside this library.
Read* reader(const std::string& file) {
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&sdf_as_toml), &own);
  const std::filesystem::path folder = std::filesystem::path(own.dli_fname ? own.dli_fname : "").parent_path();
  const std::string path = (folder / GNOMON_SDF_MODULE).string();
  void* const module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module)
    throw Error(ErrorCode::refused, file +
                                        ": what reads SDF, a module built with libsdformat (libsdformat-dev), is "
                                        "missing: " +
                                        ::dlerror());
  return reinterpret_cast<Read*>(::dlsym(module, "gnomon_read_sdf"));
}

}  // namespace

std::string sdf_as_toml(const std::string& xml, const std::string& file, const std::string& folder) {
  AnsweringProcess process("\"" + file + "\"", "SDFormat", [&]() -> AnsweringProcess::Answer {
    return [&, read = reader(file)](const std::string&) {
      Robot robot;
      read(xml, file, robot);
      return robot_as_toml(robot, folder);
    };
  });
  return process.ask("");
}

}  // namespace gnomon::mechanism
