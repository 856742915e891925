#pragma once
/// \file
/// Loadable modules.

#include <string>

#include "gnomon/base/error.hpp"
#include "gnomon/registry/registry.hpp"

namespace gnomon {

/// Opens a shared module and checks that it is a plug-in built for this program. The module stays loaded for the life
/// of the process. Throws Error(bad_plugin) with the reason; the module is closed again then.
RegisterFunction open_module(const std::string& path);

Error refused_module(const std::string& path, const std::string& why);

}  // namespace gnomon
