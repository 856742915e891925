#pragma once
/// \file
/// What `gnomon advise` found: for people, for programs, and as a picture.

#include <json/json.h>

#include <string>
#include <vector>

#include "bench/precision/advice.hpp"
#include "program/output/precision_plot.hpp"

namespace gnomon::program {

/// The reference, as soon as it is known.
void print_reference(const bench::TrustedSolution& reference, const bench::AdviceRequest& request);
/// The table, the advice and the command lines; `given` is what names the problem on one, with its parameters.
void print_advice(const bench::Advice& advice, const bench::AdviceRequest& request, const std::string& given);

/// Schemes before references, each from the cheapest at the wanted error on.
std::vector<const bench::Series*> by_cost(const bench::Advice& advice, double error);
/// "h = 0.01", "rtol = 1e-07"
std::string parameter_text(const bench::WorkPrecisionRow& run);
/// Which of ours and theirs is cheaper, and by how much: a sentence, or "".
std::string verdict_text(const bench::Advice& advice);
/// Why nothing can be advised: a sentence; "" where the reference is good for the wanted error.
std::string distrust_text(const bench::Advice& advice, const bench::AdviceRequest& request);

/// `gnomon run` with what is recommended.
std::string command_line(const bench::Choice& choice, const bench::AdviceRequest& request, const std::string& given);

/// {problem, until, error, reference {source, uncertainty, confirmed_by, agreement, good, agreed_until, message},
/// methods [{method, scheme | reference, options, order, end, runs [{step | rtol, seconds, error, energy, position,
/// velocity, message}]}], left_out [{name, reason}], advice and exact_energy {..., step, steps, solver, command} or
/// null, best_reference {..., rtol} or null, processor_s}; errors are the largest of |q - q_true|/|q_true| at ten instants.
Json::Value advice_json(const bench::Advice& advice, const bench::AdviceRequest& request, const std::string& given);

/// The best schemes at the wanted error, those that are recommended and all references.
PrecisionPanel advice_panel(const bench::Advice& advice, const bench::AdviceRequest& request);

}  // namespace gnomon::program
