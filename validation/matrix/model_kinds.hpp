#pragma once
/// \file
/// The kinds of models that schemes tell apart, each with a small model that has just what the kind allows.

#include <optional>
#include <string>
#include <vector>

#include "gnomon/model/problem.hpp"

namespace gnomon::matrix {

struct ModelKind {
  std::string what;     ///< e.g. "M(q) and Q(q,v,t)"
  ProblemInstance any;  ///< as general as the kind is, with a consistent start
  /// The same with U, g and c at most quadratic in q. None where the kind says so of U and g itself.
  std::optional<ProblemInstance> quadratic;
};

/// In the order of the columns.
std::vector<ModelKind> model_kinds();

}  // namespace gnomon::matrix
