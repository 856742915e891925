#pragma once
/// \file
/// The arguments of `gnomon fit`, and the request that they make.

#include <json/json.h>

#include <optional>
#include <string>
#include <vector>

#include "gnomon/fit/fit.hpp"
#include "program/run/run_arguments.hpp"
#include "program/summary/summary_row.hpp"

namespace gnomon::program {

struct FitArguments {
  RunArguments run;  ///< problem, scheme, steps
  std::vector<std::string> data, vary, columns, sigma;
  Assignments units;
  std::optional<std::string> start_time, output, plot, report;
  bool json = false;
};

/// The tables of the data as records, named by their files, with the columns that are fitted. Notes say what was left
/// out. Throws Error(bad_file) and Error(bad_value).
void read_records(const FitArguments& arguments, const ProblemInstance& instance, FitSetup& setup,
                  std::vector<std::string>& notes);
/// Numbers that are sought and held, by --vary and --set.
void read_parameters(const FitArguments& arguments, const Problem& problem, FitSetup& setup);

/// The table of parameters and what there is to know beside it.
void print_fit(std::FILE* out, const FitArguments& arguments, const FitResult& result,
               const std::vector<std::string>& notes);
Json::Value fit_json(const FitArguments& arguments, const FitSetup& setup, const FitResult& result);
/// A row a time of a record: its number, t, and for each column what was measured, what was fitted and what is left.
void write_residuals(const std::string& path, const FitArguments& arguments, const FitResult& result);

}  // namespace gnomon::program
