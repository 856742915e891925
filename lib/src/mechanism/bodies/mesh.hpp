#pragma once
/// \file
/// Closed surfaces of triangles, from files of the STL format.

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

namespace gnomon::mechanism {

/// The volume that a surface encloses, its centre, and int x x^T dV about that.
struct Mesh {
  double volume = 0;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second_moments = Eigen::Matrix3d::Zero();
  std::vector<std::array<std::array<float, 3>, 3>> triangles;  ///< as the file has them
};

/// Reads STL, binary or as text. Throws std::runtime_error with a sentence about the file for one that cannot be read,
/// and for a surface that is not closed, or turned inside out.
Mesh read_mesh(const std::string& path);

}  // namespace gnomon::mechanism
