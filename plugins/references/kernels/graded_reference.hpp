#pragma once
/// \file
/// A reference without a tolerance of its own choice: the tightest one with which it comes to the end.

#include <functional>
#include <memory>

#include "gnomon/base/options.hpp"
#include "gnomon/run/reference.hpp"

namespace gnomon::kernels {

/// A solution with the options rtol and atol set.
using StartWith = std::function<std::unique_ptr<ReferenceSolution>(const Options&)>;

/// start(options) where they have an rtol above zero; atol = rtol/10 unless it is above zero. Else a solution that
/// begins with rtol = tightest and, where that stops, goes from the start again with ten times as much, up to 1e-5:
/// which one a code can keep depends on the model, whose constraints, stiffness and time dependence its Newton test
/// sees. A second solution with ten times the tolerance says how accurate it is (ReferenceReport::own_error).
std::unique_ptr<ReferenceSolution> graded_reference(const Options& options, StartWith start);

}  // namespace gnomon::kernels
