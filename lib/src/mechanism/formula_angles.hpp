#pragma once
/// \file
/// The angles of a model file that count their turns: those that its definitions write as winding(y, x).

#include <memory>

#include "gnomon/model/parts.hpp"
#include "mechanism/elaborated.hpp"

namespace gnomon::mechanism {

/// Null where there are none.
std::shared_ptr<const ContinuousAngles> formula_angles(const std::shared_ptr<const Elaborated>& all);

}  // namespace gnomon::mechanism
