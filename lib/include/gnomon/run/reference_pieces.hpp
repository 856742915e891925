#pragma once
/// \file
/// Reference solutions that are put together from pieces, each of a model of its own.

#include <functional>
#include <memory>

#include "gnomon/model/problem.hpp"
#include "gnomon/run/reference.hpp"

namespace gnomon {

/// Functions of the solution, its own multipliers included; where one falls through zero the integration ends early,
/// and the report's `roots` says which did.
struct RootFunctions {
  Index count = 0;
  std::function<void(double t, const Vector& q, const Vector& p, const Vector& lambda, VectorRef out)> evaluate;
};

/// Starts a piece: the instance has the model of the piece, no obstacles, and a consistent start.
using StartPiece = std::function<std::unique_ptr<ReferenceSolution>(const ProblemInstance&, const RootFunctions&)>;

/// What a piece did, added to what those before it did.
GNOMON_EXPORT void add_piece(const ReferenceReport& piece, ReferenceReport& all);

/// start(instance, roots) where the constraints of the instance have full rank. Where some repeat others, pieces of the
/// bordered system, whose multipliers are those of least norm (gnomon/start/border.hpp): a new one where the border is
/// renewed. Throws what Border::find and `start` throw.
GNOMON_EXPORT std::unique_ptr<ReferenceSolution> bordered_reference(const ProblemInstance& instance,
                                                                    const RootFunctions& roots, StartPiece start);

}  // namespace gnomon
