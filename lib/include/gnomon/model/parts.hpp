#pragma once
/// \file
/// Parts: what a mechanical model may have beyond the core of System. Each part is an interface of its own; a model
/// derives from System and from the parts that it has, and a scheme asks for a part and may get null.
///
///     class Bead final : public System, public Force { Bead() { parts_.force = this; } ... };
///     if (const Force* force = system.parts().force) force->force(t, q, v, out);
///
/// As those of System, all functions are const, thread-safe and allocate nothing unless they return an object, outputs
/// are overwritten, and a function may throw CannotEvaluate, or return values that are not finite, to say "not here".
/// q, p and v have n entries, lambda has m. A part lives as long as its system.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/base/sparsity.hpp"
#include "gnomon/base/types.hpp"
#include "gnomon/formula/dual.hpp"

namespace gnomon {

class System;
class Tape;
struct UnitVectorForm;

/// A mass matrix that depends on the configuration: dense, for systems of few coordinates.
///
///     T(q,p) = p^T M(q)^-1 p / 2;  its derivative by p is the velocity, v = T_p = M(q)^-1 p
///
/// System::mass() is then M at a typical configuration: a scale and a metric, never the mass in an equation.
class GNOMON_EXPORT ConfigurationMass {
 public:
  virtual ~ConfigurationMass() = default;
  /// out = M(q), n x n
  virtual void mass_matrix(const ConstVectorRef& q, Matrix& out) const = 0;
  virtual double kinetic_energy(const ConstVectorRef& q, const ConstVectorRef& p) const = 0;
  /// t_q = T_q, t_p = T_p
  virtual void kinetic_gradient(const ConstVectorRef& q, const ConstVectorRef& p, VectorRef t_q,
                                VectorRef t_p) const = 0;
  /// [out_q; out_p] = (Hess T) [w_q; w_p], the Hessian by (q,p)
  virtual void kinetic_hessian_times(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w_q,
                                     const ConstVectorRef& w_p, VectorRef out_q, VectorRef out_p) const = 0;
  /// [out_q; out_p] = d/de (Hess T)(q + e u_q, p + e u_p) [w_q; w_p] at e = 0
  virtual void kinetic_third(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w_q,
                             const ConstVectorRef& w_p, const ConstVectorRef& u_q, const ConstVectorRef& u_p,
                             VectorRef out_q, VectorRef out_p) const = 0;
  /// \name All columns in one call
  /// For Newton matrices. Default: the columns one by one, by the functions above; `scratch` of length 3n.
  ///@{
  /// out = Hess T by (q,p), 2n x 2n
  virtual void kinetic_hessian(const ConstVectorRef& q, const ConstVectorRef& p, VectorRef scratch, Matrix& out) const;
  /// out = Hess (w.T_p) by (q,p), w constant, 2n x 2n
  virtual void velocity_hessian(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w,
                                VectorRef scratch, Matrix& out) const;
  ///@}
  /// T at the compensated state (q + q_tail, p + p_tail), for the energy balance. Default: the first-order form
  /// T + T_q.q_tail + T_p.p_tail; models that can evaluate in extended precision override it. t_q and t_p are scratch
  /// of length n.
  virtual long double kinetic_compensated(const ConstVectorRef& q, const ConstVectorRef& q_tail,
                                          const ConstVectorRef& p, const ConstVectorRef& p_tail, VectorRef t_q,
                                          VectorRef t_p) const;
  /// out = [T_q; T_p] at the compensated state, at Extended, for iterative refinement. False: not offered, and the
  /// first-order form by kinetic_hessian_times is taken.
  virtual bool extended_kinetic_gradient(const ConstVectorRef& q, const ConstVectorRef& q_tail, const ConstVectorRef& p,
                                         const ConstVectorRef& p_tail, VectorRefOf<Extended> out) const;
};

/// U or g depends on t; the part gives their rates. A model without it is the same at every time.
class GNOMON_EXPORT TimeDependence {
 public:
  virtual ~TimeDependence() = default;
  /// dU/dt, whose integral along the motion is work
  virtual double potential_rate(double t, const ConstVectorRef& q) const = 0;
  /// values = dG/dt on System::constraint_pattern()
  virtual void constraint_rate_jacobian(double t, const ConstVectorRef& q, VectorRef values) const = 0;
  /// values = sum_i lambda_i Hess (dg_i/dt) on System::hessian_pattern()
  virtual void constraint_rate_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                       VectorRef values) const = 0;
};

/// Constraints of velocities, Psi = A(q,t) v + b(q,t) = 0, that are no derivatives of a g(q,t): blades, rolling. Their
/// force is -A^T mu. They are the last of the m constraints of System, whose functions have for these rows, with
/// A'[w] = d A(q + e w)/de,
///
///     constraints                     0             constraint_hessian_times(mu, w)   A'[w]^T mu
///     constraint_jacobian             A             constraint_jacobian_derivative    d(A v)/dq
///     constraint_velocity             A v + b       constraint_third(v, w)            d(A'[w] v)/dq
///     constraint_bias                 d/dt Psi - A v'
///     lagrangian_hessian              d(A^T mu)/dq, which is not symmetric
///     TimeDependence: the part is there where b is, or where A depends on t
///     constraint_rate_jacobian        db/dq         constraint_rate_hessian(mu)      Hess (mu.b)
class GNOMON_EXPORT VelocityConstraints {
 public:
  virtual ~VelocityConstraints() = default;
  /// At least one.
  virtual Index n_velocity_constraints() const = 0;
  /// values on System::constraint_pattern() = how its Jacobian changes along the motion: G'[v] + G_t, which is
  /// d(G v + g_t)/dq, and A'[v] + A_t, which is not d(A v + b)/dq.
  virtual void constraint_turn(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef values) const = 0;
};

/// What the forces outside the potential are functions of: positions, velocities, multipliers.
enum class ForceArgument { q, v, lambda };

/// A force Q(q,v,t) outside the potential; its work is booked in the energy balance.
class GNOMON_EXPORT Force {
 public:
  virtual ~Force() = default;
  /// out = Q
  virtual void force(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const = 0;
  /// Pattern, n x n, of the derivative of Q by q or v. May throw Error(refused) when the model has no derivatives, as
  /// for ForceArgument::lambda.
  virtual const SparsityPattern& force_pattern(ForceArgument by) const = 0;
  /// values = dQ/dq or dQ/dv on its pattern
  virtual void force_jacobian(ForceArgument by, double t, const ConstVectorRef& q, const ConstVectorRef& v,
                              VectorRef values) const = 0;
  /// Whether Q uses t.
  virtual bool force_depends_on_time() const = 0;
};

/// Friction R(q,v,lambda): a force that depends on the multipliers, nonlinearly too. lambda has m + n_obstacles
/// entries: those of the constraints, then those of the obstacles, zero where a contact is open. Where v = 0 its
/// direction need not be defined. Its work is booked in the energy balance.
class GNOMON_EXPORT Friction {
 public:
  virtual ~Friction() = default;
  /// out = R
  virtual void friction(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                        VectorRef out) const = 0;
  /// Pattern of the derivative by one argument, n x n or n x (m + n_obstacles).
  virtual const SparsityPattern& friction_pattern(ForceArgument by) const = 0;
  /// values = that derivative on its pattern
  virtual void friction_jacobian(ForceArgument by, const ConstVectorRef& q, const ConstVectorRef& v,
                                 const ConstVectorRef& lambda, VectorRef values) const = 0;
};

/// Unilateral constraints c(q) >= 0.
class GNOMON_EXPORT Obstacles {
 public:
  virtual ~Obstacles() = default;
  /// At least one.
  virtual Index n_obstacles() const = 0;
  /// One an obstacle, or none at all.
  virtual std::vector<std::string> obstacle_names() const { return {}; }
  /// out = c(q)
  virtual void obstacles(const ConstVectorRef& q, VectorRef out) const = 0;
  /// The same model with every obstacle held closed: constraints (g, -c), so that the force of a contact is
  /// +(dc/dq)^T lambda with lambda >= 0 while it pushes. It has no obstacles, symmetries and first integrals. Throws
  /// Error(refused) when the model cannot make it. With CoulombFriction the constraints are (g, -c, d, S v), d one an
  /// obstacle, and S v, before other constraints of velocities, two for each that slips in space.
  virtual std::shared_ptr<const System> with_obstacles_closed() const = 0;
};

/// Coulomb friction at the contacts of a system with obstacles: contact i pushes with psi_i >= 0 and slips, in a plane,
/// by d_i(q), a length; in space by u_i = S_i(q) v, the two components of the velocity of the point that touches along
/// perpendicular directions of the plane of contact, which is no derivative of a function of q where bodies roll. Its
/// tangential force along u_i = d_i' or S_i v is T_i,
///
///     |T_i| <= mu_i psi_i where it sticks, u_i = 0;    T_i = -mu_i psi_i u_i/|u_i| where it slides
///
/// of every contact by itself. The rules of a run are in gnomon/contact/contact.hpp. A Friction beside it does not
/// depend on velocities: it is a reaction that presses a contact, as that of a bearing does.
class GNOMON_EXPORT CoulombFriction {
 public:
  virtual ~CoulombFriction() = default;
  /// mu_i >= 0, one an obstacle; with mu_i = 0 contact i is smooth.
  virtual const Vector& friction_coefficients() const = 0;
  /// out = d(q), one an obstacle; of those that slip in space zero
  virtual void slips(const ConstVectorRef& q, VectorRef out) const = 0;
  /// Obstacles that slip in space, ascending.
  virtual const std::vector<Index>& slips_in_space() const = 0;
};

/// Symmetries: the momentum maps J_a = p . xi_a(q) are conserved.
class GNOMON_EXPORT Symmetries {
 public:
  virtual ~Symmetries() = default;
  /// At least one.
  virtual Index n_symmetries() const = 0;
  virtual std::string symmetry_name(Index a) const = 0;
  /// out = xi_a(q), the infinitesimal generator
  virtual void symmetry_generator(Index a, const ConstVectorRef& q, VectorRef out) const = 0;
};

/// First integrals I_a(t,q,p) beyond the energy and the momentum maps. The motion conserves them and no scheme promises
/// to: their error measures the solution. The monitor shows them.
class GNOMON_EXPORT FirstIntegrals {
 public:
  virtual ~FirstIntegrals() = default;
  /// At least one.
  virtual Index n_integrals() const = 0;
  virtual std::string integral_name(Index a) const = 0;
  virtual double integral(Index a, double t, const ConstVectorRef& q, const ConstVectorRef& p) const = 0;
};

/// The potential in split form,
///
///     U(q) = U2(q) + sum_k V_k(pi_k(q)),
///
/// every invariant pi_k quadratic in q and invariant under the symmetries. With U2 of degree <= 2
/// (SystemTraits::regular_degree) it is what an equivariant discrete derivative needs (Gonzalez 1996).
class GNOMON_EXPORT SplitPotential {
 public:
  virtual ~SplitPotential() = default;
  /// At least one.
  virtual Index n_invariants() const = 0;
  /// pi = (pi_k(q))
  virtual void invariants(const ConstVectorRef& q, VectorRef pi) const = 0;
  /// Pattern, n_invariants x n, of the derivative of pi.
  virtual const SparsityPattern& invariant_pattern() const = 0;
  /// values = that derivative on its pattern
  virtual void invariant_jacobian(const ConstVectorRef& q, VectorRef values) const = 0;
  /// {V_k, V_k', V_k'', V_k'''} at pi
  virtual std::array<double, 4> invariant_potential(Index k, double pi) const = 0;
  /// out = grad U2
  virtual void regular_potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const = 0;
  /// values on System::hessian_pattern(): Hess U2 + sum_k c_k Hess pi_k + sum_i lambda_i Hess g_i
  virtual void split_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& c, const ConstVectorRef& lambda,
                             VectorRef values) const = 0;
};

/// A penalty function of the model's own, R(g) = sum_i r(g_i), for penalty=model.
class GNOMON_EXPORT ModelPenalty {
 public:
  virtual ~ModelPenalty() = default;
  /// Whether r is convex; penalty schemes refuse one that is not.
  virtual bool penalty_is_convex() const = 0;
  /// {r, r', r'', r'''} at y, in units of g^2; r(0) = r'(0) = 0. Near 0 accurate relative to itself, not to one (as
  /// cosh y - 1 would be): the conserved energy contains mu r(g) with g of 1/mu.
  virtual std::array<double, 4> penalty_function(double y) const = 0;
};

/// U and g in extended precision, at the compensated position q + tail, |tail| <= ulp(q)/2. A model without this part
/// gets the first-order forms of System.
class GNOMON_EXPORT ExtendedPrecision {
 public:
  virtual ~ExtendedPrecision() = default;
  /// U(q + tail), for the energy balance; `gradient` is scratch of length n.
  virtual long double potential_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                            VectorRef gradient) const = 0;
  /// out = g(q + tail) with a rounding error below that of one evaluation at double (lambda times this error is what
  /// the energy of an exact scheme fluctuates by); `g_values` is scratch on the constraint pattern.
  virtual void constraints_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                                       VectorRef g_values) const = 0;
  /// out = g(q + tail), not rounded, for what is held at another value than zero: g - c at Extended. False: not
  /// offered.
  virtual bool extended_constraints(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                    VectorRefOf<Extended> out) const;
  /// \name First derivatives at q + tail, for iterative refinement
  /// False: not offered, and the first-order forms of SystemAt are taken, whose rounding errors are those of double.
  ///@{
  /// out = grad U
  virtual bool extended_gradient(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                 VectorRefOf<Extended> out) const;
  /// values = G on System::constraint_pattern()
  virtual bool extended_jacobian(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                 VectorRefOf<Extended> values) const;
  /// The same of a SplitPotential: pi; its derivative on invariant_pattern(); V_k with three derivatives; grad U2.
  virtual bool extended_invariants(const ConstVectorRef& q, const ConstVectorRef& tail, VectorRefOf<Extended> pi) const;
  virtual bool extended_invariant_jacobian(const ConstVectorRef& q, const ConstVectorRef& tail,
                                           VectorRefOf<Extended> values) const;
  virtual std::array<Extended, 4> extended_invariant_potential(Index k, Extended pi) const;
  virtual bool extended_regular_gradient(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                         VectorRefOf<Extended> out) const;
  ///@}
};

/// The derivatives of U and g at a point, and along a velocity there, in one call: for schemes that take many points in
/// a step, to whom a call of System for each of them costs more than its arithmetic. What System says of its functions
/// holds for these; they are of the same values, to rounding, and never of fewer digits.
class GNOMON_EXPORT PointDerivatives {
 public:
  virtual ~PointDerivatives() = default;
  /// gradient = grad U;  jacobian = G;  turn, row i = v^T Hess g_i: the change of G along v. The latter two are values
  /// on System::constraint_pattern().
  virtual void point_derivatives(double t, const double* q, const double* v, double* gradient, double* jacobian,
                                 double* turn) const = 0;
  /// The same at Extended, for iterative refinement.
  virtual void point_derivatives(double t, const Extended* q, const Extended* v, Extended* gradient, Extended* jacobian,
                                 Extended* turn) const = 0;
};

/// Angles of the model that count their turns along a run, see gnomon/formula/winding.hpp: those that its functions use
/// are taken near the quarter turns that Windings sets.
class GNOMON_EXPORT ContinuousAngles {
 public:
  virtual ~ContinuousAngles() = default;
  /// At least one.
  virtual Index n_angles() const = 0;
  virtual std::string angle_name(Index i) const = 0;
  /// out = the angles, near those quarter turns
  virtual void angles(double t, const ConstVectorRef& q, VectorRef out) const = 0;

  /// Moves `turns`, one an angle, to the quarter turns near the angles that they have there, which `found` receives.
  void count(double t, const ConstVectorRef& q, std::vector<int>& turns, Vector& found) const;
};

/// Branches of the model's functions, which a run holds during a step: see gnomon/formula/winding.hpp, where their
/// sides stand behind the angles. Branch i is on the side of the sign of s_i(t,q,v,lambda).
class GNOMON_EXPORT Switches {
 public:
  virtual ~Switches() = default;
  /// At least one.
  virtual Index n_switches() const = 0;
  virtual std::string switch_name(Index i) const = 0;
  /// False: the functions take the branch of the sign of s by themselves, whatever side is held.
  virtual bool sides_are_held() const { return true; }
  /// Some s_i depends on lambda.
  virtual bool switches_use_multipliers() const = 0;
  /// out = s; lambda: one a constraint and obstacle, not read where none is used
  virtual void switches(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                        VectorRef out) const = 0;
  /// out = ds/dt along q' = v, NaN of those that depend on v or lambda
  virtual void switch_rates(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                            VectorRef out) const = 0;
};

/// The functions of a model as tapes, for who writes them as formulas.
class GNOMON_EXPORT TapedFunctions {
 public:
  enum class Which {
    potential,
    invariants,
    constraints,
    obstacles,
    slips,
    force,
    friction,
    mass_matrix,
    velocity_constraints,  ///< of q and v
    slip_velocities,       ///< of q and v
  };
  static constexpr int count = 10;
  virtual ~TapedFunctions() = default;
  /// Recorded by this call; the potential of a model with invariants is U2. None: the model does not have it. Throws
  /// Error(refused) for a function that branches on a value.
  virtual std::optional<Tape> tape(Which which) const = 0;
  /// V_k(pi_k), of one input.
  virtual Tape invariant_potential_tape(Index k) const = 0;
};

/// The parts of a system; null are those that it does not have.
struct Parts {
  const ConfigurationMass* mass = nullptr;                    ///< M(q); null: the mass is constant
  const TimeDependence* time_dependence = nullptr;            ///< U or g depends on t
  const VelocityConstraints* velocity_constraints = nullptr;  ///< the last constraints are of velocities
  const Force* force = nullptr;                               ///< Q(q,v,t)
  const Friction* friction = nullptr;                         ///< R(q,v,lambda)
  const Obstacles* obstacles = nullptr;                       ///< c(q) >= 0
  const CoulombFriction* coulomb = nullptr;                   ///< Coulomb friction at the obstacles
  const Symmetries* symmetries = nullptr;                     ///< momentum maps
  const FirstIntegrals* integrals = nullptr;                  ///< beyond energy and momentum maps
  const SplitPotential* split = nullptr;                      ///< U in quadratic invariants
  const ModelPenalty* penalty = nullptr;                      ///< R(g) of the model's own
  const ExtendedPrecision* extended = nullptr;                ///< U and g at long double
  const PointDerivatives* point = nullptr;                    ///< derivatives of U and g in one call
  const TapedFunctions* tapes = nullptr;                      ///< the functions as tapes
  const ContinuousAngles* angles = nullptr;                   ///< angles that count their turns
  const Switches* switches = nullptr;                         ///< branches that a run holds during a step
  const UnitVectorForm* unit_vectors = nullptr;               ///< g_j = |p_j|^2 - 1, see split_form.hpp

  /// Sizes of the parts, zero without the part.
  Index n_velocity_constraints() const {
    return velocity_constraints ? velocity_constraints->n_velocity_constraints() : 0;
  }
  Index n_obstacles() const { return obstacles ? obstacles->n_obstacles() : 0; }
  /// The number of tangential forces: one an obstacle, and one more for each that slips in space.
  Index n_slips() const { return coulomb ? n_obstacles() + static_cast<Index>(coulomb->slips_in_space().size()) : 0; }
  Index n_symmetries() const { return symmetries ? symmetries->n_symmetries() : 0; }
  Index n_integrals() const { return integrals ? integrals->n_integrals() : 0; }
  Index n_angles() const { return angles ? angles->n_angles() : 0; }
  Index n_switches() const { return switches ? switches->n_switches() : 0; }
  Index n_invariants() const { return split ? split->n_invariants() : 0; }
};

}  // namespace gnomon
