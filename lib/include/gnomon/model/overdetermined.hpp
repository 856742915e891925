#pragma once
/// \file
/// OverdeterminedSystem: the second, more general kind of model. Its force may be nonlinear in the multipliers, as
/// friction is.
///
///     y' = v(y,z)    d/dt p(y,z) = f(y,z) + r(y,z,psi)    0 = g(y)    0 = h(y,z) = g_y(y) v(y,z)
///
/// y in R^ny, z in R^nz, psi and g in R^m; p_z and g_y v_z p_z^-1 r_psi are nonsingular where it is integrated. Source:
/// Small, Jay, Symplectic Euler methods for overdetermined differential-algebraic equations, (3.1), with the remark on
/// p(y,z) that follows it. A System is one with y = q, z = v (the velocity), p = M z, f = -grad U, r = -G^T psi: see
/// overdetermined_from().

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/base/sparsity.hpp"
#include "gnomon/base/types.hpp"
#include "gnomon/model/model.hpp"

namespace gnomon {

/// The functions of the model, by their letters above.
enum class Term { velocity, momentum, force, multiplier_force, constraint, hidden };
constexpr std::array<Term, 6> all_terms{Term::velocity,         Term::momentum,   Term::force,
                                        Term::multiplier_force, Term::constraint, Term::hidden};
/// What they are functions of.
enum class Argument { y, z, psi };
constexpr std::array<Argument, 3> all_arguments{Argument::y, Argument::z, Argument::psi};

GNOMON_EXPORT const char* to_string(Term term);

/// A point at which the terms are evaluated.
struct OverdeterminedPoint {
  ConstVectorRef y, z, psi;
};

struct GNOMON_EXPORT OverdeterminedTraits : CommonTraits {
  OverdeterminedTraits() { state_names = {"y", "z", "psi"}; }

  Index ny = 0, nz = 0;
  bool affine = false;       ///< r is affine in psi
  bool hamiltonian = false;  ///< v = H_z, f = -H_y, r = -g_y^T psi, p = z (or p = H's momentum)
  bool has_energy = false;   ///< see OverdeterminedSystem::energy

  Index rows(Term term) const;
  Index size(Argument argument) const;
};

/// An overdetermined system of differential-algebraic equations. The functions allocate nothing and overwrite their
/// outputs; one object serves one thread at a time. A function may throw CannotEvaluate, or return values that are not
/// finite, to say "not here".
class GNOMON_EXPORT OverdeterminedSystem : public Model {
 public:
  const OverdeterminedTraits& traits() const override = 0;

  /// out = the term at the point, of length traits().rows(term)
  virtual void evaluate(Term term, const OverdeterminedPoint& at, VectorRef out) const = 0;
  /// out = its exact derivative at the point in the direction (dy, dz, dpsi)
  virtual void tangent(Term term, const OverdeterminedPoint& at, const OverdeterminedPoint& direction,
                       VectorRef out) const = 0;
  /// Pattern of the derivative by one argument, rows(term) x size(argument); without entries where it vanishes.
  virtual const SparsityPattern& pattern(Term term, Argument argument) const = 0;
  /// values of that derivative on its pattern
  virtual void jacobian(Term term, Argument argument, const OverdeterminedPoint& at, VectorRef values) const = 0;
  /// out = what d/dt h(y,z) is beside h_z z'. Default: false, and h_y v is taken from the Jacobian. Models whose g
  /// moves add to it.
  virtual bool hidden_bias(const OverdeterminedPoint& at, VectorRef out) const;

  /// \name Energy E(y,z), with traits().has_energy
  ///@{
  virtual double energy(const OverdeterminedPoint& at) const;
  /// P(y,z,psi) with dE/dt = P along solutions: the power of friction and of other forces outside E. Its integral, the
  /// work, is booked by schemes in State::work.
  virtual double power(const OverdeterminedPoint& at) const;
  ///@}

  /// \name Model
  ///@{
  std::vector<std::pair<std::string, Index>> sizes() const override;
  bool has_energy() const override { return traits().has_energy; }
  const OverdeterminedSystem* overdetermined() const override { return this; }
  const Vector& second_half(const StateView& at) const override { return at.z; }
  void velocity(const StateView& at, VectorRef scratch, VectorRef out) const override;
  bool measure(const StateView& at, Measured& out) const override;
  ///@}
};

/// The model as an overdetermined DAE: itself, or of a System y = q, z = q', p = M z, f = L_q + Q(q,v) with
/// L = z^T M z / 2 - U, r = -G^T psi + R(q,v,psi), energy H, power v.(Q + R), M constant or M(q). Throws Error(refused)
/// for time-dependent systems, and for obstacles, which may be open or closed (see contact.hpp).
GNOMON_EXPORT std::shared_ptr<const OverdeterminedSystem> overdetermined_from(std::shared_ptr<const Model> model);

}  // namespace gnomon
