#pragma once
/// \file
/// Forward automatic differentiation by fixed-width dual numbers, without heap.
///
/// Dual<T, N> carries a value and N directional derivatives: f(x + e) = f(x) + f'(x) e, e_i e_j = 0.
/// Nesting (T itself a Dual) gives higher derivatives. Model code calls sqrt, exp, ... unqualified after
/// `using std::sqrt;` and so works for double and for every nesting. The functions of one and two variables follow
/// the class.

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <type_traits>

namespace gnomon {

template <class T, int N>
struct Dual;

/// The floating-point type at the bottom of a nesting of duals.
template <class T>
struct DualBase {
  using type = T;
};
template <class T, int N>
struct DualBase<Dual<T, N>> : DualBase<T> {};

template <class T, int N>
struct Dual {
  using Base = typename DualBase<T>::type;
  T value{};
  std::array<T, N> grad{};

  Dual() = default;
  Dual(Base constant) : value(constant) {}  // NOLINT: arithmetic with constants must stay implicit
  template <class U, class = std::enable_if_t<std::is_same_v<U, T> && !std::is_same_v<U, Base>>>
  Dual(const U& inner) : value(inner) {}  // NOLINT

  // Where a model has many terms the compiler would call these three, at the cost of their copies.
  [[gnu::always_inline]] Dual& operator+=(const Dual& b) {
    value += b.value;
    for (int i = 0; i < N; ++i) grad[i] += b.grad[i];
    return *this;
  }
  [[gnu::always_inline]] Dual& operator-=(const Dual& b) {
    value -= b.value;
    for (int i = 0; i < N; ++i) grad[i] -= b.grad[i];
    return *this;
  }
  [[gnu::always_inline]] Dual& operator*=(const Dual& b) {
    for (int i = 0; i < N; ++i) grad[i] = grad[i] * b.value + value * b.grad[i];
    value *= b.value;
    return *this;
  }
  Dual& operator/=(const Dual& b) {
    const T inverse = T(1.0) / b.value;
    value *= inverse;
    for (int i = 0; i < N; ++i) grad[i] = (grad[i] - value * b.grad[i]) * inverse;
    return *this;
  }

  friend Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend Dual operator-(Dual a, const Dual& b) { return a -= b; }
  [[gnu::always_inline]] friend Dual operator*(Dual a, const Dual& b) { return a *= b; }
  friend Dual operator/(Dual a, const Dual& b) { return a /= b; }
  friend Dual operator*(Dual a, Base b) {
    a.value *= b;
    for (auto& g : a.grad) g *= b;
    return a;
  }
  friend Dual operator*(Base a, const Dual& b) { return b * a; }
  friend Dual operator-(Dual a) { return a * -1.0; }
  friend Dual operator+(const Dual& a) { return a; }
  friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend bool operator!=(const Dual& a, const Dual& b) { return a.value != b.value; }
};

/// Chain rule: a dual with value f(a.value) and derivatives scaled by f'(a.value).
template <class T, int N>
Dual<T, N> chain(const Dual<T, N>& a, const T& f, const T& df) {
  Dual<T, N> r;
  r.value = f;
  for (int i = 0; i < N; ++i) r.grad[i] = df * a.grad[i];
  return r;
}

/// The one-direction dual in which residuals are evaluated to get exact directional derivatives.
using Dual1 = Dual<double, 1>;
/// The scalar in which residuals are evaluated for iterative refinement; 64 bits of mantissa on x86.
using Extended = long double;

/// Vectors and views of them, by scalar.
template <class S>
using VectorOf = Eigen::Matrix<S, Eigen::Dynamic, 1>;
template <class S>
using VectorRefOf = Eigen::Ref<VectorOf<S>>;
template <class S>
using ConstVectorRefOf = Eigen::Ref<const VectorOf<S>>;

/// The buffers of a residual that is written once for double and for Dual1: get<S>() is the one for S.
template <template <class> class T>
struct ForBothScalars {
  T<double> at_double;
  T<Dual1> at_dual;
  template <class S>
  T<S>& get() {
    if constexpr (std::is_same_v<S, double>)
      return at_double;
    else
      return at_dual;
  }
  /// For allocating both.
  template <class F>
  void for_each(const F& f) {
    f(at_double);
    f(at_dual);
  }
};

/// The same for residuals that are evaluated at Extended, too.
template <template <class> class T>
struct ForAllScalars : ForBothScalars<T> {
  T<Extended> at_extended;
  template <class S>
  T<S>& get() {
    if constexpr (std::is_same_v<S, Extended>)
      return at_extended;
    else
      return ForBothScalars<T>::template get<S>();
  }
  template <class F>
  void for_each(const F& f) {
    ForBothScalars<T>::for_each(f);
    f(at_extended);
  }
};

/// Value at double, whatever the nesting.
inline double value_of(double a) {
  return a;
}
template <class T, int N>
double value_of(const Dual<T, N>& a) {
  return value_of(a.value);
}

// The elementary functions.

/// The value at the bottom of a nesting, in its own type.
template <class T>
T base_value_of(const T& a) {
  return a;
}
template <class T, int N>
typename Dual<T, N>::Base base_value_of(const Dual<T, N>& a) {
  return base_value_of(a.value);
}

/// Whether a number is zero with all its derivatives.
template <class T>
bool vanishes(const T& a) {
  return a == T(0.0);
}
template <class T, int N>
bool vanishes(const Dual<T, N>& a) {
  if (!vanishes(a.value)) return false;
  for (const T& g : a.grad)
    if (!vanishes(g)) return false;
  return true;
}

/// f(a, b) with the partial derivatives fa and fb.
template <class T, int N>
Dual<T, N> chain(const Dual<T, N>& a, const Dual<T, N>& b, const T& f, const T& fa, const T& fb) {
  Dual<T, N> r;
  r.value = f;
  for (int i = 0; i < N; ++i) r.grad[i] = fa * a.grad[i] + fb * b.grad[i];
  return r;
}

/// y = f(x) with the slope df, at a dual a with the value x.
#define GNOMON_DUAL_FUNCTION(f, df)                                                                                  \
  template <class T, int N>                                                                                          \
  Dual<T, N> f(const Dual<T, N>& a) {                                                                                \
    using std::acos, std::asin, std::atan, std::cbrt, std::cos, std::cosh, std::erf, std::exp, std::expm1, std::log, \
        std::log1p, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;                                             \
    const T& x = a.value;                                                                                            \
    const T y = f(x);                                                                                                \
    return chain(a, y, T(df));                                                                                       \
  }
GNOMON_DUAL_FUNCTION(sqrt, T(0.5) / y)
GNOMON_DUAL_FUNCTION(cbrt, T(1.0) / (3.0 * y * y))
GNOMON_DUAL_FUNCTION(exp, y)
GNOMON_DUAL_FUNCTION(expm1, exp(x))
GNOMON_DUAL_FUNCTION(log, T(1.0) / x)
GNOMON_DUAL_FUNCTION(log1p, T(1.0) / (T(1.0) + x))
GNOMON_DUAL_FUNCTION(sin, cos(x))
GNOMON_DUAL_FUNCTION(cos, sin(x) * -1.0)
GNOMON_DUAL_FUNCTION(tan, T(1.0) + y * y)
GNOMON_DUAL_FUNCTION(sinh, cosh(x))
GNOMON_DUAL_FUNCTION(cosh, sinh(x))
GNOMON_DUAL_FUNCTION(tanh, (T(1.0) - y) * (T(1.0) + y))
GNOMON_DUAL_FUNCTION(asin, T(1.0) / sqrt((T(1.0) - x) * (T(1.0) + x)))
GNOMON_DUAL_FUNCTION(acos, T(-1.0) / sqrt((T(1.0) - x) * (T(1.0) + x)))
GNOMON_DUAL_FUNCTION(atan, T(1.0) / (T(1.0) + x * x))
#undef GNOMON_DUAL_FUNCTION
template <class T, int N>
Dual<T, N> erf(const Dual<T, N>& a) {
  using std::erf, std::exp;
  constexpr auto slope = static_cast<typename Dual<T, N>::Base>(1.128379167095512573896158903121545172L);  // 2/pi^(1/2)
  return chain(a, T(erf(a.value)), slope * T(exp(-(a.value * a.value))));
}
template <class T, int N>
Dual<T, N> abs(const Dual<T, N>& a) {
  return a.value < T(0.0) ? -a : a;
}

/// Power with a constant exponent, for positive bases, or any base where pow(x, r) is differentiable: whole exponents
/// are right at zero and at negative bases. At x = 0 with r < 1 the slope is infinite; a base that is zero to first
/// order as well, as psi^2 at psi = 0, has the derivative zero there.
template <class T, int N>
Dual<T, N> pow(const Dual<T, N>& a, typename Dual<T, N>::Base r) {
  using std::pow;
  if (r == 0) return Dual<T, N>(1.0);
  Dual<T, N> result = chain(a, T(pow(a.value, r)), r * T(pow(a.value, r - 1)));
  if (r < 1 && a.value == T(0.0))
    for (int i = 0; i < N; ++i)
      if (a.grad[i] == T(0.0)) result.grad[i] = T(0.0);
  return result;
}
/// Power with an exponent that varies, for positive bases; with one that is a constant as above.
template <class T, int N>
Dual<T, N> pow(const Dual<T, N>& a, const Dual<T, N>& b) {
  using std::log, std::pow;
  const auto exponent = base_value_of(b);
  if (vanishes(b - Dual<T, N>(exponent))) return pow(a, exponent);
  const T f = pow(a.value, b.value);
  return chain(a, b, f, T(b.value * pow(a.value, b.value - T(1.0))), T(f * log(a.value)));
}
template <class T, int N>
Dual<T, N> pow(typename Dual<T, N>::Base a, const Dual<T, N>& b) {
  using std::log, std::pow;
  const T f = pow(T(a), b.value);
  return chain(b, f, f * log(a));
}

template <class T, int N>
Dual<T, N> atan2(const Dual<T, N>& y, const Dual<T, N>& x) {
  using std::atan2;
  const T r2 = x.value * x.value + y.value * y.value;
  Dual<T, N> r;
  r.value = atan2(y.value, x.value);
  for (int i = 0; i < N; ++i) r.grad[i] = (x.value * y.grad[i] - y.value * x.grad[i]) / r2;
  return r;
}
template <class T, int N>
Dual<T, N> hypot(const Dual<T, N>& x, const Dual<T, N>& y) {
  using std::hypot;
  const T r = hypot(x.value, y.value);
  return chain(x, y, r, T(x.value / r), T(y.value / r));
}
/// `positive` where s > 0, else the other one: a switch where the function is on a tape.
template <class S>
S choose(const S& s, const S& positive, const S& otherwise) {
  return s > S(0.0) ? positive : otherwise;
}
template <class T, int N>
Dual<T, N> min(const Dual<T, N>& a, const Dual<T, N>& b) {
  return b < a ? b : a;
}
template <class T, int N>
Dual<T, N> max(const Dual<T, N>& a, const Dual<T, N>& b) {
  return a < b ? b : a;
}

// With a constant as one argument.
#define GNOMON_DUAL_WITH_CONSTANT(f)                               \
  template <class T, int N>                                        \
  Dual<T, N> f(const Dual<T, N>& a, typename Dual<T, N>::Base b) { \
    return f(a, Dual<T, N>(b));                                    \
  }                                                                \
  template <class T, int N>                                        \
  Dual<T, N> f(typename Dual<T, N>::Base a, const Dual<T, N>& b) { \
    return f(Dual<T, N>(a), b);                                    \
  }
GNOMON_DUAL_WITH_CONSTANT(atan2)
GNOMON_DUAL_WITH_CONSTANT(hypot)
GNOMON_DUAL_WITH_CONSTANT(min)
GNOMON_DUAL_WITH_CONSTANT(max)
#undef GNOMON_DUAL_WITH_CONSTANT

}  // namespace gnomon

namespace Eigen {
template <class T, int N>
struct NumTraits<gnomon::Dual<T, N>> : NumTraits<double> {
  using Real = gnomon::Dual<T, N>;
  using NonInteger = gnomon::Dual<T, N>;
  using Nested = gnomon::Dual<T, N>;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = N,
    MulCost = 2 * N
  };
};
template <class T, int N, class Op>
struct ScalarBinaryOpTraits<gnomon::Dual<T, N>, double, Op> {
  using ReturnType = gnomon::Dual<T, N>;
};
template <class T, int N, class Op>
struct ScalarBinaryOpTraits<double, gnomon::Dual<T, N>, Op> {
  using ReturnType = gnomon::Dual<T, N>;
};
}  // namespace Eigen
