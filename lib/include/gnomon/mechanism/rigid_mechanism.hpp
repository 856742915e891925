#pragma once
/// \file
/// RigidMechanism: the bodies and joints of a mechanism at its start, as numbers in space, for other programs.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "gnomon/model/problem.hpp"

namespace gnomon {

/// A mechanism in the plane stands in x and y, its bodies have the moment of inertia of the plane about every axis, and
/// its hinges turn about z.
struct RigidMechanism {
  using Vector3 = Eigen::Vector3d;
  using Matrix3 = Eigen::Matrix3d;

  struct Body {
    std::string name;
    double mass = 0;
    Matrix3 inertia;             ///< about the centre of mass, in body axes
    Vector3 position;            ///< of the centre of mass
    Matrix3 axes;                ///< its columns are the body axes
    Vector3 velocity, rotation;  ///< of the centre of mass; angular velocity, in space
  };
  struct Joint {
    std::string name, type;  ///< "revolute", "spherical", as in a model file
    Index a = -1, b = -1;    ///< bodies, or -1: what is fixed in space
    Vector3 point, axis;     ///< in space; the axis of length one, zero where the type has none
    bool closes = false;     ///< a loop: the others are a tree, in which `a` comes before `b`
  };

  Vector3 gravity = Vector3::Zero();
  bool planar = false;
  std::vector<Body> bodies;
  std::vector<Joint> joints;  ///< those of the tree first, each after the one of its `a`
};

/// Throws Error(refused) for a model that is no mechanism of bodies and joints alone, and names what else it has.
GNOMON_EXPORT RigidMechanism rigid_mechanism(const ProblemInstance& instance);

/// The centre of mass of body k at the position q of that mechanism.
GNOMON_EXPORT Eigen::Vector3d centre_of_mass(const RigidMechanism& mechanism, Index k, const ConstVectorRef& q);

}  // namespace gnomon
