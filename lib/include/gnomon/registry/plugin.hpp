#pragma once
/// \file
/// The entry of a plug-in, and the manifest that a loadable module carries.
///
/// A plug-in is one source file named after its entry, which includes this header and that of what it implements:
///
///     namespace { class MyScheme final : public gnomon::MechanicalScheme { ... }; }
///     GNOMON_PLUGIN(my_scheme) { registrar.add(std::make_unique<MyScheme>()); }
///
/// built by gnomon_add_plugin(my_scheme my_scheme.cpp). Its types live in an anonymous namespace.

#include <sundials/sundials_config.h>

#include <Eigen/Core>
#include <memory>
#include <string>

#include "gnomon/abi.h"

namespace gnomon {
class Registrar;
}

extern "C" {
/// Everything that must agree between the program and a module for C++ types to cross between them.
struct gnomon_manifest {
  int abi_version;       ///< first, and never moves
  const char* compiler;  ///< compiler family and major version of the C++ ABI
  long cpp_standard;     ///< __cplusplus
  int scalar_size;       ///< sizeof(double)
  int index_size;        ///< sizeof(Eigen::Index)
  int eigen_version;     ///< world * 10000 + major * 100 + minor
  int eigen_alignment;   ///< EIGEN_MAX_ALIGN_BYTES: instruction-set options change it
  const char* sundials_version;
};

/// What the registry looks for in a module, with dlsym; gnomon_add_plugin defines both.
GNOMON_EXPORT const gnomon_manifest* gnomon_plugin_manifest();
GNOMON_EXPORT void gnomon_plugin_register(gnomon::Registrar& registrar);
}

// g++ and clang share a C++ ABI; what must agree is the standard library and its string ABI.
#if defined(_LIBCPP_VERSION)
#define GNOMON_COMPILER_TAG "Itanium ABI, libc++"
#elif defined(__GLIBCXX__) && _GLIBCXX_USE_CXX11_ABI
#define GNOMON_COMPILER_TAG "Itanium ABI, libstdc++, cxx11 strings"
#elif defined(__GLIBCXX__)
#define GNOMON_COMPILER_TAG "Itanium ABI, libstdc++, old strings"
#else
#define GNOMON_COMPILER_TAG "other"
#endif

namespace gnomon {

class AlgebraFactory;
class AlgebraTable;
class Problem;
class Reference;
class Scheme;
class SchemeTable;
class SolverFactory;

/// What a plug-in's registration function is given.
class GNOMON_EXPORT Registrar {
 public:
  virtual ~Registrar() = default;
  virtual void add(std::unique_ptr<Scheme> scheme) = 0;
  virtual void add(std::unique_ptr<SolverFactory> solver) = 0;
  virtual void add(std::unique_ptr<AlgebraFactory> algebra) = 0;
  virtual void add(std::unique_ptr<Problem> problem) = 0;
  virtual void add(std::unique_ptr<Reference> reference) = 0;
  /// Another name by which an entry is found where no entry has it: a former one, say. Lists do not show it.
  virtual void add_alias(const std::string& alias, const std::string& name);
  /// Where a scheme that wraps others finds them when it is bound: it outlives everything that is registered here, and
  /// knows what is registered later too. Throws Error(refused) where schemes are not kept together.
  virtual const SchemeTable& schemes() const;
  /// The same for solvers, which find their linear algebra by name.
  virtual const AlgebraTable& algebras() const;
};

/// The manifest of the translation unit that includes this header.
inline gnomon_manifest this_manifest() {
  return {GNOMON_ABI_VERSION,
          GNOMON_COMPILER_TAG,
          __cplusplus,
          static_cast<int>(sizeof(double)),
          static_cast<int>(sizeof(Eigen::Index)),
          EIGEN_WORLD_VERSION * 10000 + EIGEN_MAJOR_VERSION * 100 + EIGEN_MINOR_VERSION,
          EIGEN_MAX_ALIGN_BYTES,
          SUNDIALS_VERSION};
}

}  // namespace gnomon

/// Defines the registration function of a plug-in; its argument is `gnomon::Registrar& registrar`.
#define GNOMON_PLUGIN(name) extern "C" void gnomon_register_##name(gnomon::Registrar& registrar)
