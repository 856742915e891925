#pragma once
/// \file
/// The outputs of a model file, and its pictures: polylines of its [drawing], and bodies as surfaces.

#include <memory>

#include "gnomon/model/curves.hpp"
#include "gnomon/model/outputs.hpp"
#include "gnomon/model/solids.hpp"
#include "mechanism/bodies/poses.hpp"
#include "mechanism/elaborated.hpp"

namespace gnomon::mechanism {

/// The outputs that the file declares; null where there are none. Evaluates each once at (0, q, v, lambda = 0): its
/// value may be anything there. Throws Error(bad_value) for an index outside its range.
std::shared_ptr<const OutputModel> formula_outputs(std::shared_ptr<const Elaborated> all, const Vector& q,
                                                   const Vector& v);

/// Null where there is nothing to draw. Throws Error(bad_value) with its place for a point that is none at t and q.
std::shared_ptr<const CurveModel> make_curves(const std::shared_ptr<const Elaborated>& all, double t, const Vector& q);
/// Null where there are no bodies in space.
std::shared_ptr<const SolidModel> make_solids(const std::shared_ptr<const Elaborated>& all, const Poses& poses);

}  // namespace gnomon::mechanism
