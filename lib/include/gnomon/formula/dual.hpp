#pragma once
/// \file
/// Forward automatic differentiation by fixed-width dual numbers, without heap.
///
/// Dual<T, N> carries a value and N directional derivatives: f(x + e) = f(x) + f'(x) e, e_i e_j = 0.
/// Nesting (T itself a Dual) gives higher derivatives. Model code calls sqrt, exp, ... unqualified after
/// `using std::sqrt;` and so works for double and for every nesting.

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <type_traits>

namespace gnomon {

template <class T, int N>
struct Dual {
  T value{};
  std::array<T, N> grad{};

  Dual() = default;
  Dual(double constant) : value(constant) {}  // NOLINT: arithmetic with constants must stay implicit
  template <class U, class = std::enable_if_t<std::is_same_v<U, T> && !std::is_same_v<U, double>>>
  Dual(const U& inner) : value(inner) {}  // NOLINT

  Dual& operator+=(const Dual& b) {
    value += b.value;
    for (int i = 0; i < N; ++i) grad[i] += b.grad[i];
    return *this;
  }
  Dual& operator-=(const Dual& b) {
    value -= b.value;
    for (int i = 0; i < N; ++i) grad[i] -= b.grad[i];
    return *this;
  }
  Dual& operator*=(const Dual& b) {
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
  friend Dual operator*(Dual a, const Dual& b) { return a *= b; }
  friend Dual operator/(Dual a, const Dual& b) { return a /= b; }
  friend Dual operator*(Dual a, double b) {
    a.value *= b;
    for (auto& g : a.grad) g *= b;
    return a;
  }
  friend Dual operator*(double a, const Dual& b) { return b * a; }
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

template <class T, int N>
Dual<T, N> sqrt(const Dual<T, N>& a) {
  using std::sqrt;
  const T root = sqrt(a.value);
  return chain(a, root, T(0.5) / root);
}
template <class T, int N>
Dual<T, N> exp(const Dual<T, N>& a) {
  using std::exp;
  const T e = exp(a.value);
  return chain(a, e, e);
}
template <class T, int N>
Dual<T, N> log(const Dual<T, N>& a) {
  using std::log;
  return chain(a, T(log(a.value)), T(1.0) / a.value);
}
template <class T, int N>
Dual<T, N> sin(const Dual<T, N>& a) {
  using std::cos;
  using std::sin;
  return chain(a, T(sin(a.value)), T(cos(a.value)));
}
template <class T, int N>
Dual<T, N> cos(const Dual<T, N>& a) {
  using std::cos;
  using std::sin;
  return chain(a, T(cos(a.value)), T(sin(a.value)) * -1.0);
}
template <class T, int N>
Dual<T, N> tan(const Dual<T, N>& a) {
  using std::tan;
  const T t = tan(a.value);
  return chain(a, t, T(1.0) + t * t);
}
/// Real power, for positive bases (or any base where pow(x, r) is differentiable). At x = 0 with r < 1 the slope is
/// infinite; a base that is zero to first order as well, as psi^2 at psi = 0, has the derivative zero there.
template <class T, int N>
Dual<T, N> pow(const Dual<T, N>& a, double r) {
  using std::pow;
  Dual<T, N> result = chain(a, T(pow(a.value, r)), r * T(pow(a.value, r - 1.0)));
  if (r < 1 && a.value == T(0.0))
    for (int i = 0; i < N; ++i)
      if (a.grad[i] == T(0.0)) result.grad[i] = T(0.0);
  return result;
}
template <class T, int N>
Dual<T, N> abs(const Dual<T, N>& a) {
  return a.value < T(0.0) ? -a : a;
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

/// The one-direction dual in which residuals are evaluated to get exact directional derivatives.
using Dual1 = Dual<double, 1>;

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

/// Value at double, whatever the nesting.
inline double value_of(double a) {
  return a;
}
template <class T, int N>
double value_of(const Dual<T, N>& a) {
  return value_of(a.value);
}

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
