#pragma once
/// \file
/// A System as an overdetermined DAE. Private to the core.
///
///     y = q,  z = v = q',  p = M(q) v,  f = L_q + Q = -T_q(q, M v) - grad U + Q,  r = -G^T psi + R,  g,  h = G v + g_t
///
/// and for constraints of velocities g = 0, without entries in g_y, and h = A v + b, with T = p^T M^-1 p / 2, so that
/// L_q(q,v) = -T_q(q,p) - grad U at p = M v. Of a mass that depends on q the derivatives follow from those of T: at
/// fixed v, dp/dq w = -M T_pq w. A system that depends on time is taken as it is at one time.

#include <array>
#include <memory>
#include <vector>

#include "gnomon/model/overdetermined.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon {

/// Throws Error(refused).
[[noreturn]] void refuse_as_overdetermined(const System& system, const char* why);
/// The same where the system has obstacles.
void require_no_obstacles(const System& system);

class MechanicalOverdetermined final : public OverdeterminedSystem {
 public:
  /// The System has no obstacles.
  explicit MechanicalOverdetermined(std::shared_ptr<const System> system);

  /// The time at which U, g and Q are taken, 0 before.
  void hold(double t) { t_ = t; }

  const OverdeterminedTraits& traits() const override { return traits_; }
  void evaluate(Term term, const OverdeterminedPoint& at, VectorRef out) const override;
  void tangent(Term term, const OverdeterminedPoint& at, const OverdeterminedPoint& d, VectorRef out) const override;
  const SparsityPattern& pattern(Term term, Argument argument) const override;
  void jacobian(Term term, Argument argument, const OverdeterminedPoint& at, VectorRef values) const override;
  bool hidden_bias(const OverdeterminedPoint& at, VectorRef out) const override;
  double energy(const OverdeterminedPoint& at) const override;
  double power(const OverdeterminedPoint& at) const override;

 private:
  /// A derivative of f or r: the pattern of the sum, where in it the part outside the potential (Q or R) and the
  /// conservative one lie, and values of the former.
  struct Part {
    SparsityPattern pattern;
    BlockMap own, conservative;
    mutable Vector values;
  };

  static std::size_t index(Term term, Argument argument) {
    return 3 * static_cast<std::size_t>(term) + static_cast<std::size_t>(argument);
  }
  static ForceArgument by(Argument argument) {
    return argument == Argument::y   ? ForceArgument::q
           : argument == Argument::z ? ForceArgument::v
                                     : ForceArgument::lambda;
  }
  static Part part(Index rows, Index cols, const SparsityPattern* own, const SparsityPattern* conservative,
                   bool transposed, bool dense);
  const Part& part(Term term, Argument argument) const {
    return (term == Term::force ? force_ : reaction_)[static_cast<std::size_t>(argument)];
  }
  /// momentum_ = M(y) z, with mass_matrix_ = M(y)
  void legendre(const OverdeterminedPoint& at) const;
  /// Changes of p = M(y) z and of L_q without U, by (dy, dz), after legendre(at).
  void inertia_tangent(const OverdeterminedPoint& at, const ConstVectorRef& dy, const ConstVectorRef& dz) const;
  /// values = that of p, or values += that of L_q, column by column
  void inertia_jacobian(Term term, Argument argument, const OverdeterminedPoint& at, VectorRef values) const;

  /// values = d(G z + g_t)/dy on the constraint pattern
  void hidden_by_y(const OverdeterminedPoint& at, VectorRef values) const;

  std::shared_ptr<const System> system_;
  const Force* q_;
  const Friction* r_;
  const ConfigurationMass* mass_;
  double t_ = 0;
  OverdeterminedTraits traits_;
  SparsityPattern identity_, dense_, position_rows_;
  std::array<SparsityPattern, 18> none_;  // empty, of every shape
  std::array<Part, 3> force_, reaction_;  // by y, z and psi
  Vector zero_psi_;
  mutable Vector g_values_, g_rates_, hessian_, scratch_m_, scratch_n_;
  mutable Matrix mass_matrix_;
  mutable Vector momentum_, t_q_, t_p_, unit_, none_n_, dp_, dl_;
};

}  // namespace gnomon
