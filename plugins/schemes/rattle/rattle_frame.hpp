#pragma once
/// \file
/// What both systems of a rattle step read (rattle_equations.hpp).

#include "gnomon/model/system.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

/// Middle: what follows from p_h, at double and Extended; v_h of a constant mass, p_h itself where it depends on q.
template <class Middle>
struct RattleFrame {
  const State* z0 = nullptr;
  double h = 0, t1 = 0;
  Vector kick0;           ///< grad U(q0), without the force
  Vector q1;              ///< positions at the end, rounded
  Vector force0, force1;  ///< Q at both ends, empty without one
  Compensated p_half;
  Middle middle;

  explicit RattleFrame(const System& system) : middle(system) {
    for (Vector* v : {&kick0, &q1}) v->setZero(system.n());
    p_half.set(q1);
  }
};

}  // namespace gnomon::kernels
