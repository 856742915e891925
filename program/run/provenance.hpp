#pragma once
/// \file
/// Where a table came from.

#include <json/json.h>

#include "program/run/run_arguments.hpp"

namespace gnomon::program {

/// Of a run: problem, set, scheme, scheme_options, solver, solver_options, contact, step or rtol and atol, until or
/// steps, program and sundials with their versions, and command, a line that gives the same run.
Json::Value run_provenance(const RunArguments& arguments);
/// "gnomon VERB PROBLEM" and the flags of the run.
std::string command_of(const RunArguments& arguments, const std::string& verb);
/// ["name=value"]
Json::Value texts_json(const Assignments& assignments);

}  // namespace gnomon::program
