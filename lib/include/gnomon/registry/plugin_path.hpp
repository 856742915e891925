#pragma once
/// \file
/// Where modules lie, and loading the plug-ins of a search path.

#include <string>

#include "gnomon/registry/registry.hpp"

namespace gnomon {

/// Loads every `*.so` in the folders of a colon-separated list, the folders in order and their files by name; files
/// that `registry` has loaded already, and empty folder names, do not count. Throws Error(bad_plugin) for the first
/// module that is refused, or for what is no folder; what was loaded before stays.
GNOMON_EXPORT void load_plugin_path(Registry& registry, const std::string& folders);

/// The folders of the environment variable GNOMON_PLUGIN_PATH; "" where it is not set.
GNOMON_EXPORT std::string plugin_path_of_environment();

/// A file in the folder of libraries, where it is built or installed beside the running program: its path, or "" where
/// there is none.
GNOMON_EXPORT std::string library_beside_program(const std::string& path);

}  // namespace gnomon
