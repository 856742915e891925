#pragma once
/// \file
/// Links and joints as the files of robots have them, and the model file that they make.

#include <Eigen/Dense>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/base/error.hpp"

namespace gnomon::mechanism {

struct Robot {
  using Vector3 = Eigen::Vector3d;
  using Matrix3 = Eigen::Matrix3d;

  /// x = R y + p
  struct Frame {
    Matrix3 R = Matrix3::Identity();
    Vector3 p = Vector3::Zero();
    Frame operator*(const Frame& other) const { return {R * other.R, R * other.p + p}; }
    Frame inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
  };

  /// The look of a link: a shape of the model file, or a file in the STL format.
  struct Look {
    std::string text;  ///< "box = [1, 2, 3]", or of a mesh its path
    double scale = 0;  ///< of a mesh
    Frame place;
  };

  struct Link {
    std::string given;  ///< its name in the file
    int line = 0;
    double mass = 0;
    Vector3 centre = Vector3::Zero();
    Matrix3 inertia = Matrix3::Zero();  ///< about the centre of mass, in the axes of the link
    bool fixed = false;                 ///< in space
    bool between = false;               ///< between two joints of a body: of no interest, not drawn
    std::vector<Look> looks;
    Frame place;  ///< in space where all joints are at zero; of what no joint leads to
  };

  /// Its axes are those of its frame at zero: `on_parent` in the parent link and `on_child` in the child.
  struct Joint {
    std::string given;
    std::string type;  ///< one of the model file's types, or "fixed" or "floating"
    int line = 0;
    std::size_t parent = 0, child = 0;
    Frame on_parent, on_child;
    std::optional<std::vector<double>> rpy;  ///< of on_parent, where the file has these angles
    std::vector<Vector3> axes;
    std::optional<double> lower, upper, stiffness;
    double rest = 0, damping = 0, friction = 0;
    /// c_k: this joint's motion is sum_k c_k x^k, x that of joint `followed`; none: it moves by itself.
    std::vector<double> follows;
    std::size_t followed = 0;
    std::optional<double> lead;  ///< distance by angle of a screw, whose type is cylindrical

    bool moves_by_one() const { return type == "revolute" || type == "prismatic"; }
  };

  /// sum_k ratios[k] * (motion of joints[k]) = 0
  struct Gear {
    std::string given;
    int line = 0;
    std::vector<std::size_t> joints;
    std::vector<double> ratios;
  };

  /// A force or torque by_control u gear - (by_position (x + reference) + by_speed x') gear^2 on a joint's motion x;
  /// u is the parameter NAME_control, zero where it is not set.
  struct Motor {
    std::string given;
    int line = 0;
    std::size_t joint = 0;
    double gear = 1, by_control = 1, by_position = 0, by_speed = 0, reference = 0;
  };

  std::string file, name;
  Vector3 gravity{0, 0, -9.81};
  std::vector<Link> links;
  std::vector<Joint> joints;
  std::vector<Gear> gears;
  std::vector<Motor> motors;
  std::vector<std::string> notes;                       ///< sentences about what was decided
  std::map<std::string, std::pair<int, int>> left_out;  ///< line of the first one, and how many
};

/// Notes that something has no counterpart.
GNOMON_EXPORT void leave_out(Robot& robot, const std::string& what, int line);
/// The rotation by these angles about the fixed axes x, y and z, in this order.
Robot::Matrix3 turned_by_rpy(const std::vector<double>& rpy);
/// The number of twelve decimals that x is but for the rounding of products, of lengths of such a size or of rotations.
GNOMON_EXPORT double without_rounding(double x, double size = 1);
GNOMON_EXPORT std::string shortest(double x);

/// Shapes that are drawn; what cannot be is left out. The path of a mesh may begin with file://, and with package:// or
/// model:// and the name of a folder above the file.
GNOMON_EXPORT void add_shape(Robot& robot, Robot::Link& link, const std::string& name, const std::vector<double>& sizes,
                             const Robot::Frame& place, int line);
GNOMON_EXPORT void add_mesh(Robot& robot, Robot::Link& link, const std::string& path, const Robot::Vector3& scale,
                            const Robot::Frame& place, int line);

/// The file that a path of a mesh in a robot's file means.
std::string mesh_path(const Robot& robot, const std::string& path);

/// The model file: links that fixed joints hold together are one body, named by the first of them from what is fixed in
/// space on, or from the first link of what is free; bodies are placed by the joints of a spanning tree, breadth first
/// in the order of the file, and the other joints close loops. Every joint of the tree that turns or slides starts at
/// the parameters NAME_start and NAME_speed. Paths of meshes are relative to `folder`, or absolute without one. Throws
/// Error(bad_value) with file and line for what moves without mass.
std::string robot_as_toml(const Robot& robot, const std::string& folder = "");

}  // namespace gnomon::mechanism
