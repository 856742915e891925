#pragma once
/// \file
/// What a bench measured, in one form: for figures with gates, for --json, for gnomon bench compare.

#include <fmt/format.h>
#include <json/json.h>

#include <cstdio>
#include <string>
#include <vector>

#include "pages/blocks.hpp"
#include "program/cli/say.hpp"

namespace gnomon::program {

struct Measurement {
  std::string what;  ///< the same in every run of the same bench
  double value = 0;
  std::string unit;
};

/// Held against a gate.
struct Figure {
  std::string what;
  double measured = 0, gate = 0;
};

struct BenchResult {
  std::vector<Measurement> measurements;
  std::vector<Figure> figures;
  std::vector<pages::Block> blocks;  ///< for --report
  void append(const BenchResult& other);
};

/// The figures of a bench, which has its own type of them, printed and taken over.
template <class Figures>
void report_figures(const Figures& figures, BenchResult& result) {
  say("\n{:96} {:>9} {:>7}\n", "figure", "measured", "gate");
  for (const auto& figure : figures) {
    say("{:96} {:>9.2f} {:>7} {}\n", figure.what, figure.measured, fmt::format("<= {:g}", figure.gate),
        figure.measured <= figure.gate ? "met" : "not met");
    result.figures.push_back({figure.what, figure.measured, figure.gate});
  }
}

/// {"gnomon": version, "measurements": [{what, value, unit}], "figures": [{what, measured, gate}]}
Json::Value bench_json(const BenchResult& result);

/// Two files of --json: what is in both with the ratio of the second to the first, those that differ most first, then
/// the geometric mean, and what is in one only. Throws Error(bad_file).
void compare_benches(const std::string& before, const std::string& after);

}  // namespace gnomon::program
