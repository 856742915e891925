#pragma once
/// \file
/// What functions of the C interface check and keep of their arguments.

#include <string>

#include "c_api/c_api_matrix.hpp"
#include "c_api/c_api_memory.hpp"
#include "gnomon/base/error.hpp"

namespace gnomon::c_api {

inline std::string text(const char* given, const char* what) {
  if (!given) throw Error(ErrorCode::bad_value, std::string(what) + " is NULL");
  return given;
}

/// An empty matrix like the user's, which may be gone when it is needed.
inline SharedMatrix copy_of(const char* what, SUNMatrix matrix) {
  if (!matrix) return nullptr;
  check_indices(what, matrix);
  SharedMatrix copy(SUNMatClone(matrix), [](SUNMatrix m) { SUNMatDestroy(m); });
  if (!copy || SUNMatCopy(matrix, copy.get()) != 0) throw std::bad_alloc();
  return copy;
}

template <class F>
F required(F function, const std::string& what) {
  if (!function) throw Error(ErrorCode::bad_value, what + " is NULL");
  return function;
}

inline void check_degree(int degree) {
  if (degree < SystemTraits::not_polynomial)
    throw Error(ErrorCode::bad_value, "degree " + std::to_string(degree) + " is below -1 (no polynomial)");
}

/// As many as model files may have.
inline void check_count(sunindextype count, const std::string& names) {
  constexpr sunindextype most = 50000000;
  if (count < 0 || count > most)
    throw Error(ErrorCode::bad_value,
                "the number of " + names + " is " + std::to_string(count) + ", expected 0 to " + std::to_string(most));
}

inline void set_rows(RowCallbacks& rows, const std::string& name, sunindextype count, GnomonConstraintFn function) {
  check_count(count, name + "s");
  if (count > 0) required(function, "the " + name + " function");
  rows.rows = count;
  rows.function = function;
}

/// The number of something, as the user counts it. Throws Error(bad_value) where there is no such.
inline std::size_t counted(long which, std::size_t count, const char* what) {
  if (which < 0 || static_cast<std::size_t>(which) >= count)
    throw Error(ErrorCode::bad_value,
                "there is no " + std::string(what) + " " + std::to_string(which) + " among " + std::to_string(count));
  return static_cast<std::size_t>(which);
}

}  // namespace gnomon::c_api
