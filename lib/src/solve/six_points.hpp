#pragma once
/// \file
/// Derivatives by differences of six points, see linear_response.hpp.

#include <functional>
#include <string>
#include <vector>

#include "gnomon/base/types.hpp"

namespace gnomon {

/// f at a change of its argument; it may throw where it cannot be evaluated.
using Changed = std::function<void(double change, VectorRef out)>;

/// Entries of f up to `end`, from the end of the block before, which count against their largest derivative.
struct EntriesOf {
  Index end;
  std::string name;
  bool required = true;  ///< false: NaN where they have no derivative
};

/// df/da at zero; size: a change that is large; by: the name of what changes. Throws Error(refused) with the block of
/// required entries for which no change gives formulas of order four and six that agree.
Vector six_point_derivative(const Changed& f, double size, const std::vector<EntriesOf>& blocks, const std::string& by);

}  // namespace gnomon
