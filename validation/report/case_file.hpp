#pragma once
/// \file
/// Cases from TOML files.
///
///     kind = "published"                         # of every case in the file
///     tier = "quick"                             # likewise tier, measure, problem and scheme, where a case has no own
///
///     [[case]]
///     name = "double-spherical-pendulum-order"   # the report shows kind/name
///     tier = "quick"                             # short, quick, standard or full
///     measure = "order"                          # see measures/measure.cpp
///     problem = "double-spherical-pendulum"
///     set = { start = "collinear" }              # parameters of the problem
///     scheme = "energy-momentum"                 # the default; `options` are its options
///     solver = "kinsol-newton"                   # the default; `solver-options` are its options
///     step = [1e-2, 1e-3]                        # or one number
///     until = 1.0                                # or steps = 1000
///     gates.order-q = { near = 2, within = 0.05 }   # or min, max
///     gates."order-{p,lambda}" = { near = 2, within = 0.1 }   # of order-p and of order-lambda; so in all tables below
///     printed.order-q = 2                        # the number in the paper, for the report
///     known-failure.order-p = "why"              # must lie outside its gate; passing is a failure
///     known-failure.run = { reason = "why", message = "what the failed run says" }   # likewise of an error
///     note = "for whom reads the report"
///     formerly = "pendulum-order"                # an older name, by which it is found too
///
/// Cases that differ in a few keys are one table with a sweep: each member makes a case, its keys stand in place of the
/// table's own, and {KEY} in the name is the member's KEY. Tables (set, options, gates, ...) are overridden key by key.
/// A member's `name` is a label for {name} and nothing else. {options.s} is key s of the member's options.
///
///     [[case]]
///     name = "energy-constant/{scheme}-{name}"
///     measure = "long-run"
///     gates.energy = { max = 6e-14 }
///     sweep = [
///       { name = "soft", scheme = "penalty", options.mu = 1e3 },
///       { name = "stiff", scheme = "penalty", options.mu = 1e7, gates.energy = { max = 1e-12 } },
///     ]
///
/// Long members are written [[case.sweep]], one after the other, after all other keys of the case.
///
/// A sweep that is a list of lists has a case for each combination of one member from every list, the last list running
/// fastest; of their labels {name} is all, with "-" between them.
///
///     name = "exact/{name}"  # exact/pendulum-rattle, exact/pendulum-composition, exact/top-rattle, ...
///     sweep = [
///       [ { name = "pendulum", problem = "planar-pendulum" }, { name = "top", problem = "heavy-top" } ],
///       [ { name = "rattle", scheme = "rattle" }, { name = "composition", scheme = "composition" } ],
///     ]
///
/// A gate may have a better side, { near = 40, within = 2, better = "below" }: a number beyond it is better than
/// promised or printed, which is no failure, and better.QUANTITY = "why" says why (passing is then a failure, as
/// above).
///
/// A published file names its paper, source = "...": the report is sorted by it.
///
/// A conformance file has, beside cases, what the generated ones need: [[start]] (one a problem and set of
/// parameters; with the tier `short`, `validate` without options judges the promises of every scheme there) and
/// [[known-failure]] and [[better]] (scheme, or a list of schemes; problem, quantity, reason, and for a run its
/// message; a quantity of the long run of the full tier is written long-energy, say). [[variant]] has other options
/// of a scheme, and the steps of a short run: its promises, without orders, on every problem that the scheme takes
/// with them, in the standard tier; in a known failure they stand behind the problem, planar-pendulum/k=3-s=2-r=1.
///
/// A reference file may say with [[no-reference]] (problem or scheme, and a reason) what the generated reference rows
/// leave out.

#include <string>
#include <vector>

#include "gnomon/mechanism/model_file.hpp"
#include "measures/case.hpp"

namespace gnomon::validation {

/// A problem in the names of cases: that of a model file without its ending.
inline std::string problem_label(const std::string& problem) {
  return is_model_file(problem) ? problem.substr(0, problem.rfind('.')) : problem;
}

/// How a problem is run by the generated conformance cases.
struct ConformanceStart {
  std::string problem;
  std::string label;  ///< appended to the problem's name in the report; may be empty
  Assignments set;
  double step = 1e-3;
  long steps = 10000;        ///< the full tier takes ten times as many
  double order_until = 0.5;  ///< horizon of the order measurement; 0: order is not measured
  double symplectic_step = 0.02;
  Tier tier = Tier::quick;  ///< of its cases, none is of one below
  std::string file;         ///< where it was declared
};

/// Options of a scheme beside its default ones.
struct ConformanceVariant {
  std::string scheme;
  Assignments options;
  long steps = 10;
  std::string file;  ///< where it was declared
};

struct ConformanceFailure {
  std::string scheme, problem, quantity;
  KnownFailure known;
  bool better;       ///< the number is better than promised, no failure
  std::string file;  ///< where it was declared
};

/// Why a problem, or a scheme, is compared with no reference.
struct NoReference {
  std::string problem, scheme;  ///< one of them; the other is ""
  std::string reason;
  std::string file;  ///< where it was declared
};

struct CaseFiles {
  std::vector<Case> cases;
  std::vector<std::string> models;  ///< of the gallery, see gallery_models
  std::vector<ConformanceStart> starts;
  std::vector<ConformanceVariant> variants;
  std::vector<ConformanceFailure> failures;
  std::vector<NoReference> no_references;
};

/// Reads every .toml file of the folder and of the folders in it, in alphabetical order. Tables of data are sought in
/// the folder `data` beside one of the folders that hold the file. Throws Error(bad_file) naming file, case and key.
CaseFiles read_case_files(const std::string& folder);

/// The model files of the folder's `gallery`, "gallery/NAME.toml", in alphabetical order; none where there is no such
/// folder.
std::vector<std::string> gallery_models(const std::string& folder);

}  // namespace gnomon::validation
