#pragma once
/// \file
/// The page of `gnomon advise`.

#include <string>

#include "bench/precision/advice.hpp"
#include "pages/page.hpp"

namespace gnomon::program {

/// The advice with its command lines, time against error, every run, and what was left out. `given` names the problem
/// on a command line, with its parameters.
pages::Page advise_page(const bench::Advice& advice, const bench::AdviceRequest& request, const std::string& given);

}  // namespace gnomon::program
