#pragma once
/// \file
/// Blocks of a page as the data that its program reads.

#include <json/json.h>

#include "pages/arrays.hpp"
#include "pages/blocks.hpp"

namespace gnomon::pages {

/// {"kind": "chart", ...}; numbers go to `arrays`. Throws std::invalid_argument as Page::add says.
Json::Value encode(const Block& block, Arrays& arrays);

/// What does not fit together throws std::invalid_argument.
void check(const Block& block);

/// Of more than `most` points the smallest and the largest of equal intervals of the list, the ends and the gaps.
void thin(Series& series, std::size_t most);

}  // namespace gnomon::pages
