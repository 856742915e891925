#pragma once
/// \file
/// A reference solution with obstacles: smooth pieces by any reference that finds roots, and between them the laws of
/// contact.hpp at events. Each piece is the model with its closed contacts as constraints (g, -c) and ends where the
/// first of these functions falls through zero:
///
///     c_i                      of an open contact: it lands
///     psi_k                    the reference's own multiplier of a closed contact: it opens
///     mu psi_k - |T_k|         of one that sticks: it slides
///     s_k d_k'                 of one that slides: its slip ends
///     |v| - s                  under friction that opposes the motion of the system: the speed, in the mass
///                              metric, from which a stop is extrapolated

#include <memory>

#include "gnomon/model/problem.hpp"
#include "gnomon/run/contact_options.hpp"
#include "gnomon/run/reference_pieces.hpp"

namespace gnomon {

/// The solution of an instance with obstacles. Its multipliers are those of the constraints and one for each obstacle.
/// Throws Error for a start that does not fit, and what `start` throws for the first piece; Error(bad_value) for
/// contact options outside their range and for time stepping.
GNOMON_EXPORT std::unique_ptr<ReferenceSolution> contact_reference(const ProblemInstance& instance,
                                                                   const ContactOptions& options, StartPiece start);

/// Of a run's contact options those that a reference with these options has too: restitution and zeno-speed. Its events
/// are always located.
GNOMON_EXPORT Assignments contact_of_reference(const Assignments& contact, const OptionSpecs& options);

}  // namespace gnomon
