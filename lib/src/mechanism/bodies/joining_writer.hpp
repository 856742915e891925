#pragma once
/// \file
/// JoiningWriter: what writers of joints, lines between points, motors and contacts have in common.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mechanism/bodies/formula_writer.hpp"

namespace gnomon::mechanism {

class JoiningWriter : protected FormulaWriter {
 public:
  using FormulaWriter::FormulaWriter;

 protected:
  using Vector3 = Poses::Vector3;

  /// A component of p_B - p_A, or of its rate.
  static std::string apart(const Partner& a, const Partner& b, const std::string& c) {
    return "(" + b.name + "." + c + " - " + a.name + "." + c + ")";
  }
  /// |p_B - p_A|^2
  std::string square(const Partner& a, const Partner& b) const;
  static Texts negative(Texts vector);
  std::string body_of(const Partner& partner) const { return all_.bodies[partner.index].name; }
  /// Component i of omega x a, omega that of a partner's body.
  std::string turned(const Partner& partner, const std::string& a, std::size_t i) const;
  /// Does the point move with t?
  bool moves(const Partner& partner) const;
  /// Where the constraint of several partners stands: in a tree of many bodies with those of the last one, so that
  /// matrices of chains are banded; else after all bodies, in the order of the tables.
  std::size_t later(const std::vector<const Partner*>& partners) const;

  /// Components name.x, .. and rates name.vx, .. of a vector that is fixed in the body of a partner, or in space; `at`
  /// gives it at the start, in space. Written at its first use.
  void fixed_vector(const std::string& name, const Partner& partner, std::function<Vector3(const Poses&)> at,
                    const Place& place);
  /// The name of a unit vector of a joint that is fixed in A or in B.
  std::string unit(const Joint& joint, bool of_a, JointType::Vector which);
  /// A torque about n, or a force along it, on B; the opposite on A.
  void drive(const Joint& joint, const std::string& size, bool turning, const Place& place);

  /// A formula in which some names stand for others.
  static std::string with_names(const std::string& text, const std::map<std::string, std::string>& names);
};

/// Whether there are many bodies, and joints and rods close no loop.
bool is_large_tree(const Bodies& all);

}  // namespace gnomon::mechanism
