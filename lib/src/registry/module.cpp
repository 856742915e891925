#include "registry/module.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>

#include "gnomon/base/error.hpp"
#include "gnomon/registry/plugin.hpp"

namespace gnomon {

namespace {

namespace fs = std::filesystem;

std::string differs(const char* what, const std::string& mine, const std::string& theirs) {
  return std::string(what) + " is " + theirs + ", expected " + mine;
}
std::string difference(const char* what, long mine, long theirs) {
  return mine == theirs ? "" : differs(what, std::to_string(mine), std::to_string(theirs));
}
std::string difference(const char* what, const char* mine, const char* theirs) {
  if (!theirs) return differs(what, mine, "missing");
  return std::strcmp(mine, theirs) == 0 ? "" : differs(what, mine, theirs);
}

/// In the order of the manifest: what follows a difference may lie elsewhere in theirs.
std::string first_difference(const gnomon_manifest& mine, const gnomon_manifest& theirs) {
  std::string why = difference("its Gnomon ABI version", mine.abi_version, theirs.abi_version);
  if (why.empty()) why = difference("its compiler", mine.compiler, theirs.compiler);
  if (why.empty()) why = difference("its C++ standard", mine.cpp_standard, theirs.cpp_standard);
  if (why.empty()) why = difference("its scalar size", mine.scalar_size, theirs.scalar_size);
  if (why.empty()) why = difference("its index size", mine.index_size, theirs.index_size);
  if (why.empty()) why = difference("its Eigen version", mine.eigen_version, theirs.eigen_version);
  if (why.empty()) why = difference("its Eigen alignment", mine.eigen_alignment, theirs.eigen_alignment);
  if (why.empty()) why = difference("its SUNDIALS version", mine.sundials_version, theirs.sundials_version);
  return why;
}

/// Whether an ELF file ends before its section headers, which lie at its end. dlopen maps what a cut file promises and
/// then dies on the part that is missing.
bool is_cut_short(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  ElfW(Ehdr) header;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return false;  // dlopen says what it is
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  std::error_code ignored;
  return header.e_shoff + std::uintmax_t{header.e_shentsize} * header.e_shnum > fs::file_size(path, ignored);
}

using ManifestFunction = const gnomon_manifest* (*)();

std::string objection_to_manifest(ManifestFunction manifest) {
  try {
    const gnomon_manifest* theirs = manifest();
    if (!theirs) return "its manifest is null";
    return first_difference(this_manifest(), *theirs);
  } catch (const std::exception& error) {
    return std::string("its manifest threw: ") + error.what();
  } catch (...) {
    return "its manifest threw something that is no std::exception";
  }
}

}  // namespace

Error refused_module(const std::string& path, const std::string& why) {
  return {ErrorCode::bad_plugin, "plug-in \"" + path + "\" was refused: " + why};
}

RegisterFunction open_module(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) throw refused_module(path, "it is a folder and no module");
  if (!fs::is_regular_file(status)) throw refused_module(path, "there is no such file");
  if (is_cut_short(path)) throw refused_module(path, "it is no loadable module (the file is cut short)");
  void* module = dlopen(fs::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module) throw refused_module(path, std::string("it is no loadable module (") + dlerror() + ")");

  const auto manifest = reinterpret_cast<ManifestFunction>(dlsym(module, "gnomon_plugin_manifest"));
  const auto enter = reinterpret_cast<RegisterFunction>(dlsym(module, "gnomon_plugin_register"));
  const std::string objection =
      manifest && enter ? objection_to_manifest(manifest)
                        : "it has no gnomon_plugin_manifest and gnomon_plugin_register, so it is no Gnomon plug-in";
  if (objection.empty()) return enter;  // from here on objects of the module may exist, so it is never closed
  dlclose(module);
  throw refused_module(path, objection);
}

}  // namespace gnomon
