#pragma once
/// \file
/// Linear complementarity problems of contact. Private to the core.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "gnomon/base/types.hpp"

namespace gnomon {

/// z >= 0, w = M z + q >= 0, z^T w = 0 by Lemke's algorithm: complementary pivots from the covering vector (1, ..., 1),
/// ties broken lexicographically. M is square, of any kind. Empty: it ends in a ray, or not at all.
/// Source: Cottle, Pang, Stone, The Linear Complementarity Problem (1992), algorithms 4.4.5 and 4.9.3.
std::optional<Vector> lemke(const Matrix& M, const Vector& q);

/// Contacts with Coulomb friction at one level: rates and impulses, or accelerations and forces. Of every contact k
/// there is a normal, of every one that neither slides nor is smooth a slip u_k too, of one row j with the contact
/// normal_of[j], or in space of two that follow each other:
///
///     w = W_nn P + W_nt T + w_0,    u = W_tn P + W_tt T + u_0
///     0 <= w _|_ P >= 0;    |T_k| <= mu_k P_k where u_k = 0,    T_k = -mu_k P_k u_k/|u_k| elsewhere
struct FrictionProblem {
  Matrix W_nn, W_nt, W_tn, W_tt;
  Vector w_0, u_0, mu;
  std::vector<Index> normal_of;

  struct Solution {
    Vector P, T, w, u;
  };
  /// In a plane by solve_in_plane, in space by cones.cpp, with so many sweeps over the contacts. Empty: none was found.
  std::optional<Solution> solve(int sweeps = 1000) const {
    return in_space() ? solve_in_space(sweeps) : solve_in_plane();
  }
  bool in_space() const { return std::adjacent_find(normal_of.begin(), normal_of.end()) != normal_of.end(); }
  /// P and T with what they make.
  Solution with_rates(Vector P, Vector T) const {
    Vector w = W_nn * P + W_nt * T + w_0, u = W_tn * P + W_tt * T + u_0;
    return {std::move(P), std::move(T), std::move(w), std::move(u)};
  }

 private:
  /// As the complementarity problem of P, P_R = mu P + T and u^- with w, u^+ and P_L = mu P - T.
  /// Source: Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts (1996), sections 6.3 and 8.2.
  std::optional<Solution> solve_in_plane() const;
  std::optional<Solution> solve_in_space(int sweeps) const;
};

}  // namespace gnomon
