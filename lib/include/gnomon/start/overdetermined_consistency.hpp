#pragma once
/// \file
/// Consistent data of an overdetermined DAE: is a start on the manifold, and which slope and multiplier belong to it.

#include <memory>
#include <string>

#include "gnomon/model/overdetermined.hpp"

namespace gnomon {

/// Solves the equations that hold at one point (y, z) of the manifold. Up to 100 unknowns (z and psi together) the
/// linear algebra is dense and nothing is allocated after construction, beyond that it is sparse. Factors are kept from
/// call to call as long as their matrix stays the same. m = 0 is legal. Keeps a reference to the system.
class GNOMON_EXPORT Index1 {
 public:
  explicit Index1(const OverdeterminedSystem& system);
  ~Index1();

  /// z with p(y, z) = p by Newton's method from the start value in z; one iteration where p is linear in z. Throws
  /// CannotEvaluate when it does not converge or p_z is singular.
  void solve_momentum(const ConstVectorRef& y, const ConstVectorRef& p, VectorRef z);
  /// The slope w = z' and the multipliers with
  ///     p_z w + p_y v = f + r(psi),    h_y v + h_z w = 0    (h = g_y v)
  /// by Newton's method from the start value in psi, or from psi = 1 where r or r_psi is not finite or singular at the
  /// start value (a power of psi at zero); a step that leads where r cannot be evaluated is halved. Throws
  /// Error(rank_deficient) when h_z p_z^-1 r_psi is singular, with its condition number, and CannotEvaluate when the
  /// iteration does not converge or a term is not finite.
  void solve(const ConstVectorRef& y, const ConstVectorRef& z, VectorRef w, VectorRef psi);
  /// Condition number of h_z p_z^-1 r_psi at a point, its rows and columns scaled by those of h_z D^-1 and D p_z^-1
  /// r_psi, D = |diag p_z|^1/2: large where a multiplier force hardly moves its constraint, whatever the units.
  /// Infinity where the matrix is singular or not finite. Dense algebra.
  double condition(const ConstVectorRef& y, const ConstVectorRef& z, const ConstVectorRef& psi);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Checks a start: sizes, finite values of all terms, g(y0) = 0 and g_y v = 0 to 1e-8 relative, and that
/// h_z p_z^-1 r_psi is nonsingular at the consistent multiplier (of systems up to some hundred unknowns also that its
/// condition is below 1e12). Throws Error.
GNOMON_EXPORT void check_start(const OverdeterminedSystem& system, const Vector& y0, const Vector& z0);

/// A number, or the first six of several in brackets, for a sentence.
GNOMON_EXPORT std::string vector_text(const ConstVectorRef& v);

}  // namespace gnomon
