#pragma once
/// \file
/// Which scheme a run takes where none is named, and at which order.
///
/// Steps of one size take energy-momentum, or energy-momentum-ggl where the former refuses the run.
///
/// The rule for steps of a tolerance. Schemes with an estimate of their error are candidates at several orders. A
/// table that ships with the library, written by `gnomon bench tolerance`, holds for each class of models and each
/// tolerance 1e-3, 1e-4, ... what runs of equal error cost by each candidate. Of the row of the nearest tolerance the
/// cheapest candidate is taken that takes the model and promises energy, g = 0 and G v + g_t = 0 at rounding level
/// for it; without any, or where it is 20 times as dear (of order 2, at tolerances of high order), the cheapest that
/// takes it, whose energy error is reported. Where the constraints leave no motion at the start nothing can be moved
/// to an energy, and no promise of it is wanted. Nothing is measured at run time: the choice is the same on every
/// machine.

#include <memory>
#include <string>
#include <vector>

#include "gnomon/base/options.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/run/integrator.hpp"

namespace gnomon {

class Model;
class Registry;
class System;

/// A scheme with the options that set its order.
struct GNOMON_EXPORT SchemeChoice {
  std::string scheme;
  int stages = 0;  ///< what sets the order; 0: the scheme has one order
  Assignments options;
};
/// "line-integral-ggl s=3 k=6"
GNOMON_EXPORT std::string to_string(const SchemeChoice& choice);

/// One row of the table.
struct SuitedRow {
  const char* model_class;  ///< class_of() a model
  double tolerance;
  const char* scheme;
  int stages;
  double cost;  ///< time of a run of equal error, the cheapest of its class and tolerance: 1
};
GNOMON_EXPORT const std::vector<SuitedRow>& suited_table();

/// "M(q)", or "constant mass, up to 60 coordinates, more than half of them bound" and the like: rigid bodies have more
/// constraints than freedom, points on rods have fewer.
GNOMON_EXPORT std::string class_of(const System& system);

/// Every scheme with an estimate at the orders that are worth while; line integrals with the nodes that integrate
/// polynomial U, g and obstacles exactly, k = s deg/2.
GNOMON_EXPORT std::vector<SchemeChoice> tolerance_candidates(const System& system);

/// What the choice is made for: the run, but for its scheme.
struct SuitedRun {
  ProblemInstance start;
  double relative = 0;  ///< the wanted tolerance; 0: steps of one size
  const SolverFactory* solver = nullptr;
  Options solver_options;
  IntegratorOptions options;
};

/// The choice by the rule. Throws Error(refused) with the reason of the cheapest where every candidate refuses the run.
GNOMON_EXPORT SchemeChoice suited_scheme(const Registry& registry, const SuitedRun& run);

/// The options for a scheme that was named without any: by the same rule among the candidates of this scheme; none for
/// one that is no candidate, or that refuses the run.
GNOMON_EXPORT Assignments suited_options(const Registry& registry, const SuitedRun& run, const std::string& scheme);

}  // namespace gnomon
