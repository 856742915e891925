#pragma once
/// \file
/// Directions in phase space orthogonal to the orbits of a system's symmetries, for discrete derivatives by (q,p) that
/// keep momentum maps J_a = p.xi_a(q). Where xi_a(q) = xi_a(0) + xi_a' q is affine, the orbits have the tangents
///
///     X_a = (xi_a(q_m), -xi_a'^T p_m),     J_a(z1) - J_a(z0) = dp.xi_a(q_m) + p_m.xi_a' dq
///
/// and with n = dz - sum_a alpha_a X_a, X_b.W n = 0, a correction s W n in Hamilton's equations leaves every J_a as it
/// is (Gonzalez, Time integration and discrete Hamiltonian systems, J. Nonlinear Sci. 6 (1996), the equivariant
/// derivative). Modified Gram-Schmidt, done twice, drops dependent generators (three rotations of one point span a
/// plane).

#include <vector>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/system.hpp"
#include "kernels/common/step_frame.hpp"

namespace gnomon::kernels {

class LiftedOrbits {
 public:
  /// Of generators that are not affine (see affine_symmetries) there is none.
  explicit LiftedOrbits(const System& system);

  template <class S>
  struct Directions {
    VectorOf<S> q, p;  ///< n
    std::vector<VectorOf<S>> base_q, base_p;
    VectorOf<S> inverse;  ///< 1 / X.W X, 0 for one that depends on those before it

    void allocate(Index n, std::size_t count) {
      q.resize(n);
      p.resize(n);
      base_q.assign(count, VectorOf<S>(n));
      base_p.assign(count, VectorOf<S>(n));
      inverse.resize(static_cast<Index>(count));
    }
  };
  /// n of the last call.
  template <class S>
  const Directions<S>& direction() const {
    return const_cast<LiftedOrbits*>(this)->directions_.template get<S>();
  }
  /// n = (dq, dp) less its parts along the orbits, with W = diag(by_q, by_p); returns n.W n.
  template <class S>
  S direct(const StepPoint<S>& b, const Vector& by_q, const Vector& by_p) {
    Directions<S>& d = directions_.template get<S>();
    d.q = b.dq;
    d.p = b.dp;
    for (std::size_t a = 0; a < offset_.size(); ++a) {
      VectorOf<S>&x = d.base_q[a], &y = d.base_p[a];
      tangent(a, b, x, y);
      const double before = value_of(product(x, y, x, y, by_q, by_p));
      for (int pass = 0; pass < 2; ++pass) remove(d, x, y, a, by_q, by_p);
      const S length = product(x, y, x, y, by_q, by_p);
      d.inverse[static_cast<Index>(a)] =
          value_of(length) > thresholds::dependent_generator * before ? S(S(1.0) / length) : S(0.0);
    }
    for (int pass = 0; pass < 2; ++pass) remove(d, d.q, d.p, offset_.size(), by_q, by_p);
    return product(d.q, d.p, d.q, d.p, by_q, by_p);
  }

 private:
  void add(const Symmetries& symmetries, Index a);

  template <class S>
  void tangent(std::size_t a, const StepPoint<S>& b, VectorOf<S>& x, VectorOf<S>& y) const {
    const Matrix& linear = linear_[a];
    for (Index i = 0; i < n_; ++i) {
      x[i] = S(offset_[a][i]);
      y[i] = S(0.0);
      for (Index j = 0; j < n_; ++j) {
        if (linear(i, j) != 0) x[i] += b.qm[j] * linear(i, j);
        if (linear(j, i) != 0) y[i] -= b.pm[j] * linear(j, i);
      }
    }
  }
  template <class S>
  S product(const VectorOf<S>& x, const VectorOf<S>& y, const VectorOf<S>& u, const VectorOf<S>& v, const Vector& by_q,
            const Vector& by_p) const {
    S sum(0.0);
    for (Index j = 0; j < n_; ++j) sum += x[j] * u[j] * by_q[j] + y[j] * v[j] * by_p[j];
    return sum;
  }
  /// (x, y) -= its projection on the first `count` base vectors
  template <class S>
  void remove(Directions<S>& d, VectorOf<S>& x, VectorOf<S>& y, std::size_t count, const Vector& by_q,
              const Vector& by_p) const {
    for (std::size_t a = 0; a < count; ++a) {
      const S alpha = product(d.base_q[a], d.base_p[a], x, y, by_q, by_p) * d.inverse[static_cast<Index>(a)];
      for (Index j = 0; j < n_; ++j) {
        x[j] -= d.base_q[a][j] * alpha;
        y[j] -= d.base_p[a][j] * alpha;
      }
    }
  }

  Index n_;
  std::vector<Vector> offset_;
  std::vector<Matrix> linear_;
  ForAllScalars<Directions> directions_;
};

}  // namespace gnomon::kernels
