#pragma once
/// \file
/// What bench::advise found, for people.

#include <functional>
#include <string>
#include <vector>

#include "advice/precision_panel.hpp"
#include "bench/precision/advice.hpp"

namespace gnomon::advice {

/// How the reader would say it: on a command line, or in a program.
struct Words {
  std::function<std::string(const bench::Choice&)> run;  ///< a run with what is recommended
  std::function<std::string(double)> until;              ///< the end time as it is given
};

/// "largest relative error of q, v and the multipliers", by what the true solution has.
std::string measure_text(const bench::Motion& truth);
/// The reference, in two lines or three.
std::string reference_text(const bench::TrustedSolution& reference, const bench::AdviceRequest& request);
/// The table, the advice and how to run it.
std::string advice_text(const bench::Advice& advice, const bench::AdviceRequest& request, const Words& words);

/// Schemes before references, each from the cheapest at the wanted error on.
std::vector<const bench::Series*> by_cost(const bench::Advice& advice, double error);
/// "h = 0.01", "rtol = 1e-07"
std::string parameter_text(const bench::WorkPrecisionRow& run);
/// Which of ours and theirs is cheaper, and by how much: a sentence, or "".
std::string verdict_text(const bench::Advice& advice);
/// Why nothing can be advised: a sentence; "" where the reference is good for the wanted error.
std::string distrust_text(const bench::Advice& advice, const bench::AdviceRequest& request, const Words& words);

/// The best schemes at the wanted error, those that are recommended and all references.
PrecisionPanel advice_panel(const bench::Advice& advice, const bench::AdviceRequest& request);

}  // namespace gnomon::advice
