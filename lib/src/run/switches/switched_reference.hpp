#pragma once
/// \file
/// References of models with switches, put together from pieces on one side of each. Private to the core.

#include <memory>

#include "gnomon/run/reference_pieces.hpp"

namespace gnomon {

/// start(instance, roots) where the model has no switches; else pieces that end where one falls through zero, which is
/// flipped there. Throws what `start` throws.
std::unique_ptr<ReferenceSolution> switched_reference(const ProblemInstance& instance, const RootFunctions& roots,
                                                      StartPiece start);

/// What a piece did, added to what those before it did; each counts its energy error from its own start.
void append_piece(const ReferenceReport& piece, ReferenceReport& all);

}  // namespace gnomon
