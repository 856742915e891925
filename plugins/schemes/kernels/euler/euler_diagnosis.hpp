#pragma once
/// \file
/// Why a system of a symplectic Euler step was not solved, as far as the model tells, in one sentence.

#include <algorithm>
#include <cmath>
#include <string>

#include "gnomon/base/error.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "kernels/euler/term_equations.hpp"

namespace gnomon::kernels {

/// The vectors at `point` are those of the solver's last evaluation; psi0 are the multipliers at the start of the step.
/// Empty when neither a term is not finite nor g_y v_z p_z^-1 r_psi is (nearly) singular at the start or the end.
inline std::string euler_diagnosis(const OverdeterminedSystem& system, const TermEquations& equations,
                                   const EulerPoint& point, const Vector& psi0) {
  if (const Addend* bad = equations.not_finite()) {
    std::string text = "the " + std::string(to_string(bad->term)) + " is not finite at " +
                       system.traits().state_names[0] + " = " + vector_text(point[bad->y]) + ", " +
                       system.traits().state_names[1] + " = " + vector_text(point[bad->z]);
    if (bad->term == Term::multiplier_force)
      text += std::string(" and the ") + (bad->psi == Slot::first ? "first" : "second") + " multiplier " +
              system.traits().state_names[2] + " = " + vector_text(point[bad->psi]);
    return text;
  }
  constexpr Index largest = 400;  // dense algebra
  constexpr double nearly_singular = 1e8;
  if (system.traits().m == 0 || system.traits().nz > largest) return {};
  Index1 index1(system);
  const auto condition = [&](Slot y, Slot z, const Vector& psi) {
    return point[y].allFinite() && point[z].allFinite() ? index1.condition(point[y], point[z], psi) : 0;
  };
  const Slot last = equations.offset(Slot::z1) >= 0 ? Slot::z1 : Slot::Z;
  const double start = condition(Slot::y0, Slot::z0, psi0), end = condition(Slot::y1, last, psi0);
  if (std::max(start, end) < nearly_singular) return {};
  return "g_y v_z p_z^-1 r_psi, which determines the multipliers, is " +
         std::string(std::isfinite(std::max(start, end)) ? "nearly singular" : "singular") + " at the " +
         (start >= nearly_singular ? "start" : "end") + " of the step: its condition number is " +
         number_text(start >= nearly_singular ? start : end);
}

}  // namespace gnomon::kernels
