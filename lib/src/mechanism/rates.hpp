#pragma once
/// \file
/// Formulas along the motion: a definition d(t,q) at t + e, q + v e, e^2 = 0, has the value d + e d', and d' is der(d).
/// Here is what Dual, made for numbers, lacks where a formula is put on a tape: functions whose branches are switches.

#include <string>
#include <type_traits>

#include "gnomon/formula/dual.hpp"
#include "gnomon/formula/recorded.hpp"

namespace gnomon {

/// select() of values and rates, by the value of `at`.
inline Dual<Recorded, 1> select(Tape::Switch::Takes takes, const Dual<Recorded, 1>& at, const Dual<Recorded, 1>& first,
                                const Dual<Recorded, 1>& second, const std::string& name) {
  Dual<Recorded, 1> result(select(takes, at.value, first.value, second.value, name));
  result.grad[0] = select(takes, at.value, first.grad[0], second.grad[0], name);
  return result;
}
/// The rate of an angle does not depend on its turns.
inline Dual<Recorded, 1> counted_angle(const Dual<Recorded, 1>& y, const Dual<Recorded, 1>& x, std::size_t which) {
  Dual<Recorded, 1> result = atan2(y, x);
  result.value = counted_angle(y.value, x.value, which);
  return result;
}
inline Dual<Recorded, 1> erf(const Dual<Recorded, 1>& a) {
  const Recorded slope = 1.128379167095512573896158903121545172L;  // 2/pi^(1/2)
  return chain(a, Recorded(erf(a.value)), Recorded(slope * exp(-(a.value * a.value))));
}

namespace mechanism {

/// A value and its rate.
template <class S>
using WithRate = Dual<S, 1>;
using RecordedRate = WithRate<Recorded>;

/// Whether a formula at S is put on a tape.
template <class S>
constexpr bool is_recorded = std::is_same_v<S, Recorded> || std::is_same_v<S, RecordedRate>;
/// Whether a formula at S may contain der(d), which evaluates d at WithRate<S>.
template <class S>
constexpr bool takes_rates =
    std::is_same_v<S, double> || std::is_same_v<S, Extended> || std::is_same_v<S, Dual1> || std::is_same_v<S, Recorded>;

inline const Recorded& value_on_tape(const Recorded& x) {
  return x;
}
inline const Recorded& value_on_tape(const RecordedRate& x) {
  return x.value;
}
inline bool is_constant(const Recorded& x) {
  return x.is_constant();
}
inline bool is_constant(const RecordedRate& x) {
  return x.value.is_constant() && x.grad[0].is_constant();
}

/// a^r, r no whole number.
inline RecordedRate power(const RecordedRate& a, double r) {
  return chain(a, Recorded(gnomon::pow(a.value, Recorded(r))),
               Recorded(Recorded(r) * gnomon::pow(a.value, Recorded(r - 1))));
}
template <class S>
S power(const S& a, double r) {
  using std::pow;
  return S(pow(a, S(r)));
}

}  // namespace mechanism
}  // namespace gnomon
