#pragma once
/// \file
/// The policies Inertia of the Runge-Kutta stages and projections: how T = p.M^-1 p/2 enters.
///
///     ConstantRkInertia        a state is (q, v), a stage has the acceleration W
///     ConfigurationRkInertia   M(q): a state is (q, p), a stage has the slopes V and P'

#include "kernels/runge_kutta/end_point.hpp"
#include "kernels/runge_kutta/stage_inertia.hpp"

namespace gnomon::kernels {

struct ConstantRkInertia {
  static constexpr bool constant_mass = true;
  using Stage = ConstantStageInertia;
  using End = ConstantEnd;
};

struct ConfigurationRkInertia {
  static constexpr bool constant_mass = false;
  using Stage = ConfigurationStageInertia;
  using End = ConfigurationEnd;
};

}  // namespace gnomon::kernels
