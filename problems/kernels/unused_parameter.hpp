#pragma once
/// \file
/// Parameters that act only together with another one.

#include <string>

#include "gnomon/base/error.hpp"
#include "gnomon/base/options.hpp"

namespace gnomon::problems {

/// Throws Error(bad_value) when the user assigned `name` although it acts only with `condition`, e.g. "start=spatial".
inline void refuse_unused(const Options& parameters, const std::string& problem, const std::string& name,
                          const std::string& condition) {
  if (parameters.assigned(name))
    throw Error(ErrorCode::bad_value,
                "problem " + problem + ": " + name + " was given, but it has an effect only with " + condition);
}

}  // namespace gnomon::problems
