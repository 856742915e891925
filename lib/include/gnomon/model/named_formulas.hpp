#pragma once
/// \file
/// A model whose functions are formulas with names and places, as those of model files are.

#include <string>

#include "gnomon/base/types.hpp"

namespace gnomon {

class GNOMON_EXPORT NamedFormulas {
 public:
  virtual ~NamedFormulas() = default;
  /// The first formula whose value, or whose derivative along v, is not finite at t, q and v, with its place and
  /// what it is there; empty where there is none.
  virtual std::string not_finite(double t, const ConstVectorRef& q, const ConstVectorRef& v) const = 0;
};

}  // namespace gnomon
