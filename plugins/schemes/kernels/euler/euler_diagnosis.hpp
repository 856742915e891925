#pragma once
/// \file
/// Why a system of a symplectic Euler step was not solved, as far as the model tells, in one sentence.

#include <string>

#include "kernels/euler/term_equations.hpp"

namespace gnomon::kernels {

/// The vectors at `point` are those of the solver's last evaluation; psi0 are the multipliers at the start of the step.
/// Empty when neither a term is not finite nor g_y v_z p_z^-1 r_psi is (nearly) singular at the start or the end.
std::string euler_diagnosis(const OverdeterminedSystem& system, const TermEquations& equations, const EulerPoint& point,
                            const Vector& psi0);

}  // namespace gnomon::kernels
