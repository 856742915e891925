#pragma once
/// \file
/// What schemes with a refined solution x + low take from a state, and add to it, beyond double precision.

#include "gnomon/model/system_at.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

/// z += d; `work` is scratch of its size.
inline void add(Compensated& z, const VectorOf<Extended>& d, Vector& work) {
  work = d.cast<double>();
  z.add(work);
  work = (d - work.cast<Extended>()).cast<double>();
  z.add(work);
}

/// v0 = M^-1 p0, of a constant mass. At Extended it is correct to eps^2 cond(M): M v0 = p0 is refined once.
class StartVelocity {
 public:
  explicit StartVelocity(const System& system) : at_(system) {
    for (Vector* v : {&value_, &work_}) v->setZero(system.n());
    for (auto* v : {&extended_, &rest_}) v->setZero(system.n());
  }

  void begin(const Compensated& p0) {
    const Mass& mass = at_.system().mass();
    mass.solve(p0.value(), value_);
    extended_ = value_.cast<Extended>();
    at_.mass_times(extended_, rest_);
    work_ = ((p0.value().cast<Extended>() - rest_) + p0.tail().cast<Extended>()).cast<double>();
    mass.solve(work_, value_);
    extended_ += value_.cast<Extended>();
    value_ = extended_.cast<double>();
  }
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
