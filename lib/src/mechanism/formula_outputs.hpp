#pragma once
/// \file
/// The outputs of a model file.

#include <memory>

#include "gnomon/model/outputs.hpp"
#include "mechanism/elaborated.hpp"

namespace gnomon::mechanism {

/// The outputs that the file declares; null where there are none. Evaluates each once at (0, q, v, lambda = 0): its
/// value may be anything there. Throws Error(bad_value) for an index outside its range.
std::shared_ptr<const OutputModel> formula_outputs(std::shared_ptr<const Elaborated> all, const Vector& q,
                                                   const Vector& v);

}  // namespace gnomon::mechanism
