// A module with a manifest and nothing to register.
#include <gnomon/registry/plugin.hpp>

extern "C" const gnomon_manifest* gnomon_plugin_manifest() {
  static const gnomon_manifest manifest = gnomon::this_manifest();
  return &manifest;
}
