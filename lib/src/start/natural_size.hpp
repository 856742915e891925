#pragma once
/// \file
/// The size of a model's positions. Private to the core.

#include "gnomon/model/system.hpp"

namespace gnomon {

/// max |q|, or at the origin the way of the motion until it turns: the lesser of v^2/a and of v/w, with
/// w^2 = |M^-1 (Hess U) v| / |v|. One where nothing moves, turns or can be evaluated.
double natural_size(const System& system, double t, const Vector& q, const Vector& p);

}  // namespace gnomon
