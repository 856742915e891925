#pragma once
/// \file
/// The start of bodies and joints: positions that fit the joints, velocities that fit them and what was given.

#include <optional>
#include <vector>

#include "gnomon/model/system.hpp"
#include "mechanism/elaborated.hpp"

namespace gnomon::mechanism {

struct Misfit {
  Index constraint;
  double value;  ///< of g
};
/// The constraint that q violates most, if it violates one.
std::optional<Misfit> largest_misfit(const System& system, double t, const Vector& q);

/// Throws Error(bad_value) for the constraint that q violates most, with its place and by how much.
void check_assembled(const Elaborated& all, const System& system, double t, const Vector& q);

/// v <- argmin v^T M v/2 subject to G v + g_t = 0 and v_j as it is where given[j]. Throws Error(bad_value), with the
/// place, for a constraint that what was given violates.
void assemble_velocity(const Elaborated& all, const System& system, double t, const Vector& q,
                       const std::vector<bool>& given, Vector& v);

}  // namespace gnomon::mechanism
