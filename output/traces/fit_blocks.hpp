#pragma once
/// \file
/// The blocks of a page on a fit.

#include <vector>

#include "gnomon/fit/fit.hpp"
#include "pages/blocks.hpp"

namespace gnomon::traces {

/// Warnings, the parameters, their correlation, what is left of the columns; for each column a chart of what was
/// measured beside the fitted motion and one of what is left, a series a record.
std::vector<pages::Block> fit_blocks(const FitResult& result);
/// The charts of what is left alone.
std::vector<pages::Chart> residual_charts(const FitResult& result);

}  // namespace gnomon::traces
