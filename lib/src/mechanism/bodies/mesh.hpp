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

/// Triangles of an STL file, binary or as text; they need not be closed. Throws std::runtime_error with a sentence
/// about the file for one that cannot be read.
std::vector<std::array<std::array<float, 3>, 3>> read_triangles(const std::string& path);
/// At most so many triangles that look alike: points in one cell of a grid become one.
std::vector<std::array<std::array<float, 3>, 3>> simplified(const std::vector<std::array<std::array<float, 3>, 3>>& all,
                                                            std::size_t most);

/// Reads STL, binary or as text. Throws std::runtime_error with a sentence about the file for one that cannot be read,
/// and for a surface that is not closed, or turned inside out.
Mesh read_mesh(const std::string& path);

}  // namespace gnomon::mechanism
