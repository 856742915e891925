#pragma once
/// \file
/// The two sweeps over a tape at any scalar: values forwards, adjoints backwards.

#include <new>

#include "gnomon/formula/dual.hpp"
#include "gnomon/formula/recorded.hpp"
#include "gnomon/formula/tape.hpp"
#include "gnomon/formula/winding.hpp"

namespace gnomon {

/// Writes one node's value, whatever was in the memory before.
template <class S>
void put(S* v, const S& value) {
  ::new (static_cast<void*>(v)) S(value);
}

/// Whether a select takes its first argument, where its switch has this value.
template <class S>
bool takes_first(const Tape::Switch& one, const S& value) {
  const int held = Windings::of(one.number);
  return held != 0 ? held > 0 : one.first(value);
}
template <class S>
const S& selected(const Tape::Switch& one, const S& value, const S& first, const S& second) {
  return takes_first(one, value) ? first : second;
}
/// The tape itself is recorded: both are.
inline Recorded selected(const Tape::Switch& one, const Recorded& value, const Recorded& first,
                         const Recorded& second) {
  return select(one.takes, value, first, second, one.name);
}

/// Values of all nodes; those of t and x, v[0 .. size_of_x], are set already.
template <class S>
void forward(const Tape& tape, S* v) {
  using std::acos, std::asin, std::atan, std::atan2, std::cbrt, std::cos, std::cosh, std::erf, std::exp, std::expm1,
      std::hypot, std::log, std::log1p, std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
  using Base = typename DualBase<S>::type;
  const Index constants = static_cast<Index>(tape.constants.size()), first = tape.first_constant();
  for (Index k = 0; k < constants; ++k)
    put(v + first + k, S(static_cast<Base>(tape.constants[static_cast<std::size_t>(k)])));
  S* out = v + tape.first_step();
  auto angle = tape.angles.begin();
  auto choice = tape.switches.begin();
  for (const Tape::Step& step : tape.steps) {
    const S &a = v[step.a], &b = v[step.b];
    switch (step.operation) {
      case Operation::input:
      case Operation::constant:
        break;
      case Operation::add:
        put(out, S(a + b));
        break;
      case Operation::subtract:
        put(out, S(a - b));
        break;
      case Operation::multiply:
        put(out, S(a * b));
        break;
      case Operation::divide:
        put(out, S(a / b));
        break;
      case Operation::negate:
        put(out, S(-a));
        break;
      case Operation::power:
        put(out, S(pow(a, b)));
        break;
      case Operation::winding:
        put(out, counted_angle(a, b, *angle++));
        break;
      case Operation::select:
        put(out, S(selected(*choice, v[choice->node], a, b)));
        ++choice;
        break;
#define GNOMON_BINARY(f)  \
  case Operation::f:      \
    put(out, S(f(a, b))); \
    break;
#define GNOMON_UNARY(f) \
  case Operation::f:    \
    put(out, S(f(a)));  \
    break;
        GNOMON_BINARY(atan2)
        GNOMON_BINARY(hypot)
        GNOMON_ELEMENTARY_FUNCTIONS(GNOMON_UNARY)
#undef GNOMON_BINARY
#undef GNOMON_UNARY
    }
    ++out;
  }
}

/// d a^b: what an adjoint of the power gives to base and exponent. A whole exponent is right at zero, and one that is a
/// constant asks for no logarithm.
template <class S>
void reverse_power(const S& a, const S& b, const S& value, const S& adjoint, S& to_a, S& to_b, bool constant) {
  using std::log, std::pow;
  to_a += adjoint * (b * S(pow(a, S(b - S(1.0)))));
  if (!constant) to_b += adjoint * (value * S(log(a)));
}

/// g df/da, where f is a function of a alone.
template <class S>
S reverse_unary(Operation operation, const S& a, const S& f, const S& g) {
  using std::cos, std::cosh, std::exp, std::sin, std::sinh, std::sqrt;
  const S one(1.0);
  switch (operation) {
    case Operation::sqrt:
      return g * 0.5 / f;
    case Operation::cbrt:
      return g / (3.0 * (f * f));
    case Operation::exp:
      return g * f;
    case Operation::expm1:
      return g * S(exp(a));
    case Operation::log:
      return g / a;
    case Operation::log1p:
      return g / (one + a);
    case Operation::sin:
      return g * S(cos(a));
    case Operation::cos:
      return -(g * S(sin(a)));
    case Operation::tan:
      return g * (one + f * f);
    case Operation::sinh:
      return g * S(cosh(a));
    case Operation::cosh:
      return g * S(sinh(a));
    case Operation::tanh:
      return g * ((one - f) * (one + f));
    case Operation::asin:
      return g / S(sqrt((one - a) * (one + a)));
    case Operation::acos:
      return -(g / S(sqrt((one - a) * (one + a))));
    case Operation::atan:
      return g / (one + a * a);
    case Operation::erf: {
      constexpr auto slope = static_cast<typename DualBase<S>::type>(1.128379167095512573896158903121545172L);
      return g * (slope * S(exp(-(a * a))));  // 2/pi^(1/2)
    }
    default:
      return S(0.0);
  }
}

/// Adds to the adjoints of t and x, d[0 .. size_of_x], what the adjoints d of the outputs say; v as forward() left it.
template <class S>
void reverse(const Tape& tape, const S* v, S* d) {
  const Tape::Node first_constant = static_cast<Tape::Node>(tape.first_constant());
  const Tape::Node first_step = static_cast<Tape::Node>(tape.first_step());
  auto choice = tape.switches.rbegin();
  for (Index k = static_cast<Index>(tape.steps.size()); k-- > 0;) {
    const Tape::Step& step = tape.steps[static_cast<std::size_t>(k)];
    const S& g = d[first_step + k];
    if (step.operation == Operation::select) {
      d[takes_first(*choice, v[choice->node]) ? step.a : step.b] += g;
      ++choice;
      continue;
    }
    if (vanishes(g)) continue;
    const S &a = v[step.a], &b = v[step.b], &f = v[first_step + k];
    S &da = d[step.a], &db = d[step.b];
    switch (step.operation) {
      case Operation::input:
      case Operation::constant:
        break;
      case Operation::add:
        da += g;
        db += g;
        break;
      case Operation::subtract:
        da += g;
        db -= g;
        break;
      case Operation::multiply:
        if (step.a == step.b) {
          da += 2.0 * (g * a);
        } else {
          da += g * b;
          db += g * a;
        }
        break;
      case Operation::divide: {
        const S share = g / b;
        da += share;
        if (step.b < first_constant || step.b >= first_step) db -= share * f;
        break;
      }
      case Operation::negate:
        da -= g;
        break;
      case Operation::power:
        reverse_power(a, b, f, g, da, db, step.b >= first_constant && step.b < first_step);
        break;
      case Operation::atan2:
      case Operation::winding: {
        const S share = g / (a * a + b * b);
        da += share * b;
        db -= share * a;
        break;
      }
      case Operation::hypot: {
        const S share = g / f;
        da += share * a;
        db += share * b;
        break;
      }
      default:
        da += reverse_unary(step.operation, a, f, g);
    }
  }
}

}  // namespace gnomon
