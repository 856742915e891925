#include "gnomon/fit/least_squares.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "gnomon/base/error.hpp"

namespace gnomon {

namespace {

/// The object of the module, which lies beside this library and stays loaded.
const LeastSquares* load_ceres() {
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&ceres_least_squares), &own);
  const std::filesystem::path folder = std::filesystem::path(own.dli_fname ? own.dli_fname : "").parent_path();
  void* const module = ::dlopen((folder / GNOMON_CERES_MODULE).c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto get = module ? reinterpret_cast<const LeastSquares* (*)()>(::dlsym(module, "gnomon_ceres")) : nullptr;
  if (!get)
    throw Error(ErrorCode::refused,
                std::string("what fits parameters, a module built with Ceres Solver (libceres-dev), is missing: ") +
                    ::dlerror());
  return get();
}

}  // namespace

const LeastSquares& ceres_least_squares() {
  static const LeastSquares* const loaded = load_ceres();
  return *loaded;
}

}  // namespace gnomon
