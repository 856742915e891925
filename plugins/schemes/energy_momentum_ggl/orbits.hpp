#pragma once
/// \file
/// Directions orthogonal to the orbits of a system's symmetries, for equivariant discrete derivatives. Every generator
/// is affine in q: xi_a(q) = xi_a(0) + xi_a' q, and its lift to velocities is xi_a' v.
///
///     position:  n = dq - sum_a alpha_a xi_a(q_m),                      xi_b(q_m).M n = 0
///     phase:     (n_q, n_v) = (dq, y) - sum_a alpha_a (xi_a(q_m), xi_a' v_m),   orthogonal with (M, h^2 M)
///
/// by modified Gram-Schmidt, done twice, which differentiates through dual numbers and drops dependent generators
/// (three rotations of one point span a plane).

#include <vector>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/system_at.hpp"

namespace gnomon::kernels {

class Orbits {
 public:
  template <class S>
  struct Directions {
    VectorOf<S> q, v;  ///< the result
    std::vector<VectorOf<S>> base_q, base_v, mass_q, mass_v;
    VectorOf<S> inverse;  ///< 1 / squared length of each base vector, 0 for a dropped one
  };

  Orbits(const System& system, bool wanted);

  template <class S>
  Directions<S>& directions() {
    return directions_.get<S>();
  }

  /// d.q = n; returns n.M n.
  template <class S>
  S position(const VectorOf<S>& dq, const VectorOf<S>& qm, Directions<S>& d) {
    d.q = dq;
    for (Index a = 0; a < count_; ++a) generator(a, qm, false, d.base_q[static_cast<std::size_t>(a)]);
    return orthogonalise(d, false, 0);
  }
  /// (d.q, d.v) = n; returns n_q.M n_q + h^2 n_v.M n_v.
  template <class S>
  S phase(const VectorOf<S>& dq, const VectorOf<S>& y, const VectorOf<S>& qm, const VectorOf<S>& vm, double h,
          Directions<S>& d) {
    d.q = dq;
    d.v = y;
    for (Index a = 0; a < count_; ++a) {
      generator(a, qm, false, d.base_q[static_cast<std::size_t>(a)]);
      generator(a, vm, true, d.base_v[static_cast<std::size_t>(a)]);
    }
    return orthogonalise(d, true, h * h);
  }

 private:
  template <class S>
  void allocate(Directions<S>& d) {
    d.q.resize(n_);
    d.v.resize(n_);
    const auto count = static_cast<std::size_t>(count_);
    d.inverse.resize(count_);
    for (auto* list : {&d.base_q, &d.base_v}) list->assign(count, VectorOf<S>(n_));
    for (auto* list : {&d.mass_q, &d.mass_v}) list->assign(count + 1, VectorOf<S>(n_));
  }

  /// xi_a(x), or its linear part
  void generator(Index a, const Vector& x, bool linear, Vector& out);
  void generator(Index a, const VectorOf<Dual1>& x, bool linear, VectorOf<Dual1>& out);

  /// Rounded: what is orthogonal to it is so to the last place of Extended, whatever it is.
  void generator(Index a, const VectorOf<Extended>& x, bool linear, VectorOf<Extended>& out);

  /// Orthogonalises the bases among themselves and then (d.q, d.v) against them.
  template <class S>
  S orthogonalise(Directions<S>& d, bool lifted, double weight) {
    const auto count = static_cast<std::size_t>(count_);
    for (std::size_t a = 0; a < count; ++a) {
      const double before = value_of(apply_mass(d, d.base_q[a], d.base_v[a], a, lifted, weight));
      for (int pass = 0; pass < 2; ++pass) remove(d, d.base_q[a], d.base_v[a], a, lifted, weight);
      const S length = apply_mass(d, d.base_q[a], d.base_v[a], a, lifted, weight);
      d.inverse[static_cast<Index>(a)] =
          value_of(length) > thresholds::dependent_generator * before ? S(1.0) / length : S(0.0);
    }
    for (int pass = 0; pass < 2; ++pass) remove(d, d.q, d.v, count, lifted, weight);
    return apply_mass(d, d.q, d.v, count, lifted, weight);
  }
  /// Stores M q, M v in slot a; returns q.M q + weight v.M v.
  template <class S>
  S apply_mass(Directions<S>& d, const VectorOf<S>& q, const VectorOf<S>& v, std::size_t a, bool lifted,
               double weight) {
    at_.mass_times(q, d.mass_q[a]);
    S length = q.dot(d.mass_q[a]);
    if (!lifted) return length;
    at_.mass_times(v, d.mass_v[a]);
    return length + v.dot(d.mass_v[a]) * weight;
  }
  /// (q, v) -= its projection on the first `count` base vectors
  template <class S>
  void remove(Directions<S>& d, VectorOf<S>& q, VectorOf<S>& v, std::size_t count, bool lifted, double weight) {
    for (std::size_t a = 0; a < count; ++a) {
      S alpha = d.mass_q[a].dot(q);
      if (lifted) alpha += d.mass_v[a].dot(v) * weight;
      alpha *= d.inverse[static_cast<Index>(a)];
      for (Index j = 0; j < n_; ++j) q[j] -= d.base_q[a][j] * alpha;
      if (!lifted) continue;
      for (Index j = 0; j < n_; ++j) v[j] -= d.base_v[a][j] * alpha;
    }
  }

  const System* system_;
  SystemAt at_;
  Index n_, count_ = 0;
  Matrix offsets_;
  Vector zero_, point_, change_, xi_, tangent_;
  ForAllScalars<Directions> directions_;
};

}  // namespace gnomon::kernels
