#pragma once
/// \file
/// What `gnomon advise` found, for programs, and its command lines.

#include <json/json.h>

#include <string>

#include "advice/advice_text.hpp"

namespace gnomon::program {

/// `gnomon run` with what is recommended; `given` is what names the problem on a command line, with its parameters.
std::string command_line(const bench::Choice& choice, const bench::AdviceRequest& request, const std::string& given);
/// The words of the command line. The request outlives them.
advice::Words words(const bench::AdviceRequest& request, const std::string& given);

/// {problem, until, error, reference {source, uncertainty, confirmed_by, agreement, good, agreed_until, message},
/// methods [{method, scheme | reference, options, order, end, runs [{step | rtol, seconds, error, energy, position,
/// velocity, message}]}], left_out [{name, reason}], advice and exact_energy {..., step, steps, solver, command} or
/// null, best_reference {..., rtol} or null, processor_s}; errors are those of
/// bench::Motion at ten instants.
Json::Value advice_json(const bench::Advice& measured, const bench::AdviceRequest& request, const std::string& given);

}  // namespace gnomon::program
