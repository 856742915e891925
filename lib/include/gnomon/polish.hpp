#pragma once
/// \file
/// Why a Newton solve ends with one correction more than its tests ask for, with the last matrix and without a new one.
///
/// A last Newton correction d leaves an error of the size of |d|^2: at |d| = 1e-7 below the rounding of the residual,
/// which therefore cannot show it, but of the same sign in every step. The energy then drifts by 1e-16 a step: 1e-12
/// after 1e4 steps of line-integral-ggl on the double spherical pendulum, 2e-14 with the correction
///
///     x -= J(x')^-1 F(x),     x' the iterate before x
///
/// which leaves |d| times as much and costs a back substitution (and KINSOL a residual, since it keeps its own).

namespace gnomon {

/// Corrections smaller than this, in the norm of the step tolerance, leave nothing to take away.
constexpr double polished_step = 1e-9;

}  // namespace gnomon
