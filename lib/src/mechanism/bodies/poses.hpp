#pragma once
/// \file
/// Poses: the numbers that bodies have with the values of the parameters: masses, inertias, and where everything is at
/// the start. Vectors have three entries, the third one zero in the plane.

#include <Eigen/Core>
#include <vector>

#include "mechanism/bodies/bodies.hpp"
#include "mechanism/evaluation.hpp"

namespace gnomon::mechanism {

class Poses {
 public:
  using Vector3 = Eigen::Vector3d;
  using Matrix3 = Eigen::Matrix3d;

  /// \param parameters one value a parameter
  /// \param assembled  the start is moved to where everything fits
  /// Throws Error(bad_value) for a mass or inertia that no body has, an axis of length zero, and places that depend on
  /// themselves.
  Poses(const Bodies& bodies, const std::vector<double>& parameters, bool assembled);

  double number(const Formula& formula) const;
  Vector3 vector(const Formulas& formulas) const;
  /// Of length one.
  Vector3 direction(const Formulas& formulas, const std::string& what) const;

  /// "link: 1, 2, 9 became 2, 3, 5": the principal moments of inertias that were repaired, one a line.
  const std::string& repaired() const { return repaired_; }

  double mass(std::size_t body) const { return masses_[body]; }
  /// E = int x x^T dm about the centre of mass in body axes; E = tr(J)/2 I - J.
  const Matrix3& second_moments(std::size_t body) const { return moments_[body]; }
  /// Planar: the moment of inertia.
  double inertia(std::size_t body) const { return moments_[body].trace(); }
  const Vector3& marker(std::size_t body, std::size_t k) const { return markers_[body][k]; }
  /// The mean square distance of the markers from the centre of mass, over the number of directors: a change d of each
  /// director moves the markers by reach2 |d|^2 in the mean. Without markers elsewhere the square of the radius of
  /// gyration takes its place.
  double reach2(std::size_t body) const;
  /// Where the centre of mass is from the origin of the body, in body axes.
  const Vector3& offset(std::size_t body) const { return offsets_[body]; }
  Matrix3 orientation(const Orientation& given, const std::string& of) const;
  const Vector3& centre(std::size_t body) const { return centres_[body]; }
  /// Its columns are the body axes.
  const Matrix3& axes(std::size_t body) const { return axes_[body]; }

  Vector3 position(const Partner& partner) const;
  Vector3 position(const Target3& target) const;
  /// The components of a vector in the axes of the partner's body, or in space.
  Vector3 in_axes(const Partner& partner, const Vector3& v) const;

  /// Planar: from -pi to pi.
  double angle(std::size_t body) const;

  /// The unit vectors of a joint at the start, in space: n, e1, e2 of A and of B.
  struct Frames {
    Matrix3 a, b;
  };
  Frames frames(const Joint& joint) const;

 private:
  void find_mass(const Body& body);
  void find_centre(const Body& body, const Vector3& of_mesh);
  Matrix3 repair(const Body& body, const Matrix3& inertia);
  void place_all();
  void check_carried() const;
  void place(std::size_t k);

  const Bodies& bodies_;
  bool assembled_;
  Values values_;
  std::vector<double> masses_;
  std::vector<Matrix3> moments_, axes_;
  std::vector<Vector3> centres_, offsets_;  ///< offsets: of the centre of mass in body axes from their origin
  std::vector<std::vector<Vector3>> markers_;
  std::string repaired_;
};

/// n and two unit vectors at right angles to it and to each other, along the axes where n is.
Poses::Matrix3 frame(const Poses::Vector3& n);

}  // namespace gnomon::mechanism
