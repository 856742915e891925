#pragma once
/// \file
/// The definition of a sweep: everything that its results depend on, as one JSON object.

#include <json/json.h>

#include <algorithm>
#include <string>
#include <vector>

#include "gnomon/ensemble/ensemble.hpp"

namespace gnomon::ensembles {

/// Part index of count, 1 <= index <= count, of all runs: those from begin(runs) up to end(runs).
struct Shard {
  long index = 1, count = 1;

  long begin(long runs) const { return runs / count * (index - 1) + std::min(runs % count, index - 1); }
  long end(long runs) const { return Shard{index + 1, count}.begin(runs); }
  std::string text() const;
};

/// Of an ensemble: problem, set, scheme, scheme_options, solver, solver_options, contact, jacobian and so on, step or
/// rtol and atol, until or steps, vary ["NAME=DISTRIBUTION"], sampling, samples, seed, runs, keep, time_limit, columns,
/// and shard unless it is the whole. `origin` is an object whose members come first: program, commit, model (the text
/// of a model file).
Json::Value definition_of(const Ensemble& ensemble, const Shard& shard, const Json::Value& origin);

/// The first entry in which two differ, in a sentence with both values: `seed is 1 there and 2 here`; "" where they are
/// equal. What only `there` has, such as the figures of a finished table, is not compared.
std::string difference(const Json::Value& there, const Json::Value& here);

/// On one line.
std::string line_of(const Json::Value& value);
/// Throws Error(bad_file), calling the text `what`, where it is no JSON object.
Json::Value object_of(const std::string& text, const std::string& what);

}  // namespace gnomon::ensembles
