// A plug-in built against another version of the plug-in interface.
#include <gnomon/plugin.hpp>

extern "C" const gnomon_manifest* gnomon_plugin_manifest() {
  static const gnomon_manifest manifest = [] {
    gnomon_manifest other = gnomon::this_manifest();
    other.abi_version += 1;
    return other;
  }();
  return &manifest;
}

extern "C" void gnomon_plugin_register(gnomon::Registrar&) {
  throw "registration must not be reached";
}
