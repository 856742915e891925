#pragma once
/// \file
/// The start of a run of either kind of model: checked, and completed to what a state has.

#include "gnomon/model/model.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon {

/// A System starts from q0 and p0; an overdetermined DAE from y0 and z0, with p = p(y,z).
struct ConsistentStart {
  Vector q, p, z, lambda;  ///< of a state; z of an overdetermined DAE only
  Vector v, a;             ///< q' and q'', or y' and z'
  ConstraintRank rank;     ///< of a System
};

/// Throws what check_start and acceleration, or check_start and Index1 throw. project: a System's start is moved onto
/// the constraints first, see project_start; refused for an overdetermined DAE.
GNOMON_EXPORT ConsistentStart consistent_start(const Model& model, double t0, const Vector& q0, const Vector& p0,
                                               bool project);

/// The multipliers that belong to a state by itself: those for which the constraints differentiated twice hold there,
/// as accurate as q and p are. Those of a step (State::lambda) may belong to another time, or be its mean. at.lambda is
/// where the iteration starts that forces nonlinear in the multipliers need. Throws what acceleration and Index1 throw;
/// rank as there. It allocates.
GNOMON_EXPORT Vector index1_multipliers(const Model& model, const StateView& at, Index rank = 0);

}  // namespace gnomon
