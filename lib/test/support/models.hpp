#pragma once
/// \file
/// Small models for the tests of the core.

#include "gnomon/model/autodiff_system.hpp"

namespace gnomon::test {

/// Everything a System can have, nothing of it polynomial of low degree: cubic and time-dependent constraints, two
/// quadratic invariants, a dense mass, a force. Only its derivatives make sense.
struct Nonlinear : AutodiffModel<4, 2> {
  static constexpr int n_invariants = 2;
  static constexpr int n_symmetries = 1;
  static constexpr int n_obstacles = 1;
  static constexpr bool has_force = true;

  ModelTraits describe() const {
    ModelTraits traits;
    traits.name = "nonlinear";
    traits.time_dependent = true;
    traits.constraint_names = {"cubic", "twisted"};
    return traits;
  }
  Mass mass() const {
    Matrix matrix(4, 4);
    matrix << 3, 1, 0, 0.5, 1, 2, 0.25, 0, 0, 0.25, 1, 0.125, 0.5, 0, 0.125, 4;
    return Mass::dense(matrix);
  }
  template <class S>
  S potential(const S& t, const S* q) const {
    using std::cos;
    return cos(t) * q[0] * q[1] + 0.5 * q[2] * q[2] - q[3] * t;
  }
  template <class S>
  void invariants(const S* q, S* pi) const {
    pi[0] = q[0] * q[0] + q[1] * q[1];
    pi[1] = (q[2] - q[0]) * (q[3] + 0.5 * q[1]);
  }
  template <class S>
  S invariant_potential(int k, const S& pi) const {
    using std::exp;
    using std::sqrt;
    return k == 0 ? S(0.5 * sqrt(pi) * pi) : S(exp(-0.3 * pi));
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    using std::exp;
    using std::sin;
    g[0] = q[0] * q[0] * q[0] - 2.0 * q[1] * q[2] * q[3] + sin(t) * q[3] * q[3];
    g[1] = exp(0.4 * q[2]) * q[0] - t * t * q[1] + sin(q[3] * q[0]);
  }
  std::string symmetry_name(Index) const { return "turn"; }
  void symmetry_generator(Index, const double* q, double* xi) const {
    xi[0] = -q[1];
    xi[1] = q[0];
    xi[2] = xi[3] = 0;
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    c[0] = 2.0 - q[2];
  }
  template <class S>
  void force(const S& t, const S* q, const S* v, S* out) const {
    for (int j = 0; j < 4; ++j) out[j] = t * q[j] - 0.1 * v[j];
  }
};

/// The same with the mass matrix (1 + |q|^2) M.
struct NonlinearMass : Nonlinear {
  static constexpr bool constant_mass = false;

  template <class S>
  void mass_matrix(const S* q, S* m) const {
    const Mass constant = mass();
    S factor(1.0);
    for (int j = 0; j < 4; ++j) factor += q[j] * q[j];
    for (int k = 0; k < 16; ++k) m[k] = factor * constant.values()[k];
  }
};

/// Two point masses on rods in the plane, (x1, y1, x2, y2), U = 9.81 (m1 y1 + m2 y2); `copies` of the second rod's
/// constraint make G rank deficient, and a moving pivot x = sway sin(t) makes g depend on time.
template <int Copies = 0>
struct Rods : AutodiffModel<4, 2 + Copies> {
  double length1 = 1, length2 = 2, mass1 = 1.5, mass2 = 0.5, sway = 0;

  ModelTraits describe() const {
    ModelTraits traits;
    traits.name = "rods";
    traits.potential_degree = 1;
    traits.constraint_degree = 2;
    traits.time_dependent = sway != 0;
    traits.constraint_names = {"upper rod", "lower rod"};
    return traits;
  }
  Mass mass() const { return Mass::diagonal((Vector(4) << mass1, mass1, mass2, mass2).finished()); }
  template <class S>
  S potential(const S&, const S* q) const {
    return 9.81 * (mass1 * q[1] + mass2 * q[3]);
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    using std::sin;
    const S x = q[0] - sway * sin(t), dx = q[2] - q[0], dy = q[3] - q[1];
    g[0] = 0.5 * (x * x + q[1] * q[1] - length1 * length1);
    for (int i = 0; i <= Copies; ++i) g[1 + i] = (1.0 + i) * 0.5 * (dx * dx + dy * dy - length2 * length2);
  }
};

/// g = 1 + q^2 has no root.
struct NoSolution : AutodiffModel<1, 1> {
  SystemTraits describe() const {
    SystemTraits traits;
    traits.name = "no-solution";
    return traits;
  }
  Mass mass() const { return Mass::diagonal(Vector::Ones(1)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return q[0] * q[0];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = 1.0 + q[0] * q[0];
  }
};

}  // namespace gnomon::test
