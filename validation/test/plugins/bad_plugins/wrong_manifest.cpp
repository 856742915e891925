// Modules with something wrong in their manifest: WRONG says what.
#include <gnomon/registry/plugin.hpp>
#include <stdexcept>

#define QUOTE(name) #name
#define TEXT(name) QUOTE(name)

namespace {

gnomon_manifest wrong_manifest(const std::string& wrong) {
  gnomon_manifest manifest = gnomon::this_manifest();
  if (wrong == "version") manifest.abi_version += 1;
  if (wrong == "compiler") manifest.compiler = "another compiler";
  if (wrong == "standard") manifest.cpp_standard = 201402;
  if (wrong == "scalar") manifest.scalar_size = 4;
  if (wrong == "index") manifest.index_size = 4;
  if (wrong == "eigen") manifest.eigen_version += 1;
  if (wrong == "alignment") manifest.eigen_alignment *= 2;
  if (wrong == "sundials") manifest.sundials_version = "5.7.0";
  if (wrong == "nameless") manifest.compiler = nullptr;
  return manifest;
}

}  // namespace

extern "C" const gnomon_manifest* gnomon_plugin_manifest() {
  const std::string wrong = TEXT(WRONG);
  if (wrong == "null") return nullptr;
  if (wrong == "throwing") throw std::runtime_error("its manifest is secret");
  if (wrong == "throws_number") throw 42;
  static const gnomon_manifest manifest = wrong_manifest(wrong);
  return &manifest;
}

extern "C" void gnomon_plugin_register(gnomon::Registrar&) {
  throw "registration must not be reached";
}
