#pragma once
/// \file
/// The pictures of a model file: polylines of its [drawing].

#include <memory>

#include "gnomon/model/curves.hpp"
#include "mechanism/elaborated.hpp"

namespace gnomon::mechanism {

/// Null where there is nothing to draw. Throws Error(bad_value) with its place for a point that is none at t and q.
std::shared_ptr<const CurveModel> make_curves(const std::shared_ptr<const Elaborated>& all, double t, const Vector& q);

}  // namespace gnomon::mechanism
