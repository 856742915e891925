#pragma once
/// \file
/// Names of coordinates, one each, for the columns of tables.

#include <array>
#include <string>
#include <vector>

#include "gnomon/model/model.hpp"

namespace gnomon {

/// One name a coordinate of a System, or an entry of y, no two equal. A block of one is its name, one that is named by
/// as many words as it has entries, "theta1 theta2", has one for each, a block of two or three else is a point or
/// vector "bob1.x", "bob1.y", "bob1.z", a longer one is "nodes[0]", "nodes[1]", ..., and what is in no block is "q[0]"
/// ("y[0]") by its place. In models of files every family is as in their formulas: "r[0]", "r[1]". A name that is there
/// already gets its place: "x_q[3]".
GNOMON_EXPORT std::vector<std::string> coordinate_names(const Model& model);

/// The coordinates that are x, y and z of one point ("A.x", "y[3]") or of a vector of a body ("A.d1.x"); -1: there is
/// none, as in the plane.
struct NamedAxes {
  std::array<Index, 3> at{-1, -1, -1};
  bool is_point = true;
};
/// All that have x and y, by their names.
GNOMON_EXPORT std::vector<NamedAxes> named_axes(const Model& model);

}  // namespace gnomon
