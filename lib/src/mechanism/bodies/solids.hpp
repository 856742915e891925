#pragma once
/// \file
/// Bodies, joints and planes of contact in space as surfaces.

#include <vector>

#include "gnomon/model/solids.hpp"
#include "mechanism/bodies/bodies.hpp"
#include "mechanism/bodies/formula_writer.hpp"
#include "mechanism/bodies/poses.hpp"

namespace gnomon::mechanism {

/// Formulas of origin and axes, one frame a solid, in the table "frames". None in the plane, and of many bodies.
void write_frames(const Bodies& all, WrittenTables& written);
/// In the same order.
std::vector<Solid> solids_of(const Bodies& all, const Poses& poses);

}  // namespace gnomon::mechanism
