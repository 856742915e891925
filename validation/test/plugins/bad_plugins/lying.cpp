// Modules with something wrong in their manifest: LIE says what.
#include <gnomon/plugin.hpp>
#include <stdexcept>

#define QUOTE(name) #name
#define TEXT(name) QUOTE(name)

namespace {

gnomon_manifest lying_manifest(const std::string& lie) {
  gnomon_manifest manifest = gnomon::this_manifest();
  if (lie == "version") manifest.abi_version += 1;
  if (lie == "compiler") manifest.compiler = "another compiler";
  if (lie == "standard") manifest.cpp_standard = 201402;
  if (lie == "scalar") manifest.scalar_size = 4;
  if (lie == "index") manifest.index_size = 4;
  if (lie == "eigen") manifest.eigen_version += 1;
  if (lie == "alignment") manifest.eigen_alignment *= 2;
  if (lie == "sundials") manifest.sundials_version = "5.7.0";
  if (lie == "nameless") manifest.compiler = nullptr;
  return manifest;
}

}  // namespace

extern "C" const gnomon_manifest* gnomon_plugin_manifest() {
  const std::string lie = TEXT(LIE);
  if (lie == "null") return nullptr;
  if (lie == "throwing") throw std::runtime_error("its manifest is secret");
  if (lie == "rude") throw 42;
  static const gnomon_manifest manifest = lying_manifest(lie);
  return &manifest;
}

extern "C" void gnomon_plugin_register(gnomon::Registrar&) {
  throw "registration must not be reached";
}
