#pragma once
/// \file
/// Index-1 accelerations under friction. Private to the core.

#include "gnomon/model/system.hpp"

namespace gnomon {

/// As acceleration() of consistency.hpp, under friction R(q,v,lambda), of a system that has it or not:
///     [M G^T; G 0] (a; lambda) = (Q - grad U + R(q,v,lambda); -bias),
/// lambda of least norm. By Newton's method from the start value in lambda, or from lambda = 1 where R is not finite
/// there. Throws CannotEvaluate when it does not converge or R is not finite. It allocates.
/// further: null, or a force more.
void friction_acceleration(const System& system, double t, const Vector& q, const Vector& v, Vector& a, Vector& lambda,
                           Index rank = 0, const Vector* further = nullptr);

/// The change of these accelerations by a further force.
Vector acceleration_by(const System& system, double t, const Vector& q, const Vector& force);

}  // namespace gnomon
