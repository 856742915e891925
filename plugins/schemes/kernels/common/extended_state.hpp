#pragma once
/// \file
/// What schemes with a refined solution x + low take from a state, and add to it, beyond double precision.

#include <type_traits>

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

/// z += d; `work` is scratch of its size.
void add(Compensated& z, const VectorOf<Extended>& d, Vector& work);

/// v0 = M^-1 p0, of a constant mass. At Extended it is correct to eps^2 cond(M): M v0 = p0 is refined once.
class StartVelocity {
 public:
  explicit StartVelocity(const System& system);

  void begin(const Compensated& p0);
  /// v0 at double, or at Extended.
  template <class S>
  const auto& at() const {
    if constexpr (std::is_same_v<S, Extended>)
      return extended_;
    else
      return value_;
  }

 private:
  SystemAt at_;
  Vector value_, work_;
  VectorOf<Extended> extended_, rest_;
};

}  // namespace gnomon::kernels
