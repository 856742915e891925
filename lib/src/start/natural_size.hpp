#pragma once
/// \file
/// The size of a model's positions. Private to the core.

#include "gnomon/model/system.hpp"

namespace gnomon {

/// max |q|, or at the origin the way of the motion until it turns, v^2/a; one where nothing moves or where a cannot be
/// evaluated.
double natural_size(const System& system, double t, const Vector& q, const Vector& p);

}  // namespace gnomon
