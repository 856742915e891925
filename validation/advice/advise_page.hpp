#pragma once
/// \file
/// The page of what bench::advise found.

#include "advice/advice_text.hpp"
#include "pages/page.hpp"

namespace gnomon::advice {

/// The advice and how to run it, time against error, every run, what was left out, and the program and the machine.
pages::Page advise_page(const bench::Advice& advice, const bench::AdviceRequest& request, const Words& words,
                        pages::Facts surroundings);

}  // namespace gnomon::advice
