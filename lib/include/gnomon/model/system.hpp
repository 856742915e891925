#pragma once
/// \file
/// System: what a mechanical model is, to every scheme, solver and reference.
///
///     q' = dH/dp    p' = -dH/dq - G(q)^T lambda + Q(q,v,t) + R(q,v,lambda)    0 = g(q,t)    (hidden: 0 = G(q) v + g_t)
///     H = T + U(q,t),    T = p^T M^-1 p / 2,  M constant or M(q),    G = dg/dq  (m x n)
///
/// The user supplies M, U and g. Everything below is at double and type-erased; AutodiffSystem (autodiff_system.hpp)
/// derives all of it from U and g written once.

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/base/sparsity.hpp"
#include "gnomon/base/types.hpp"
#include "gnomon/model/mass.hpp"

namespace gnomon {

/// What a system declares about itself; schemes and their promises depend on it.
struct SystemTraits {
  static constexpr int not_polynomial = -1;
  /// A penalty function R of the model's own, see System::penalty_function.
  enum class Penalty { none, convex, not_convex };

  std::string name;
  Index n = 0;                             ///< coordinates
  Index m = 0;                             ///< position constraints
  Index n_obstacles = 0;                   ///< unilateral constraints c(q) >= 0
  Index n_symmetries = 0;                  ///< linear-in-p momentum maps
  Index n_integrals = 0;                   ///< first integrals beyond energy and momentum maps, see System::integral
  Index n_invariants = 0;                  ///< quadratic invariants pi_k in which U is written, see System::invariants
  int potential_degree = not_polynomial;   ///< degree of U in q, or not_polynomial
  int constraint_degree = not_polynomial;  ///< degree of g in q, or not_polynomial
  int obstacle_degree = not_polynomial;    ///< degree of c in q, or not_polynomial
  bool constant_mass = true;
  bool has_force = false;                ///< a force Q(q,v,t) outside the potential
  bool has_friction = false;             ///< a force R(q,v,lambda) that depends on the multipliers
  bool time_dependent = false;           ///< U or g depends on t
  bool time_dependent_force = false;     ///< Q depends on t
  Penalty penalty = Penalty::none;       ///< whether R(g) of the model's own is convex
  bool approximate_derivatives = false;  ///< some derivative comes from differences
  std::array<std::string, 3> state_names{"q", "p", "lambda"};
  std::vector<Block> blocks;                  ///< named ranges of q, e.g. one a body
  std::vector<std::string> constraint_names;  ///< one a constraint
  std::vector<std::string> obstacle_names;    ///< one an obstacle
  /// Quadrature weights w_i of a penalty sum_i w_i r(g_i)/(2 eps) over constraints, then obstacles; empty: ones.
  Vector constraint_weights;
};

/// What the forces outside the potential are functions of: positions, velocities, multipliers.
enum class ForceArgument { q, v, lambda };

/// Traits of a system that declares no more than its name and the polynomial degrees of U and g.
inline SystemTraits polynomial_traits(std::string name, int potential_degree, int constraint_degree) {
  SystemTraits traits;
  traits.name = std::move(name);
  traits.potential_degree = potential_degree;
  traits.constraint_degree = constraint_degree;
  return traits;
}

/// A mechanical system. All functions are const, thread-safe and allocate nothing. Arguments: t in the model's time
/// unit, q and v of length n, lambda of length m. Outputs are overwritten. A function may throw CannotEvaluate, or
/// return values that are not finite, to say "not here": solvers treat both as a failed evaluation.
class GNOMON_EXPORT System {
 public:
  virtual ~System() = default;

  virtual const SystemTraits& traits() const = 0;
  Index n() const { return traits().n; }
  Index m() const { return traits().m; }

  /// \name Mass
  ///@{
  /// Constant mass matrix. With traits().constant_mass == false: M at a typical configuration, which is a scale of the
  /// unknowns and a metric, never the mass in an equation.
  virtual const Mass& mass() const = 0;
  ///@}

  /// \name Mass M(q), with traits().constant_mass == false: dense, for systems of few coordinates
  /// The kinetic energy T(q,p) = p^T M(q)^-1 p / 2; its derivative by p is the velocity, v = T_p = M(q)^-1 p.
  ///@{
  /// M(q), n x n
  virtual void mass_matrix(const ConstVectorRef& q, Matrix& out) const;
  virtual double kinetic_energy(const ConstVectorRef& q, const ConstVectorRef& p) const;
  /// T at the compensated state (q + q_tail, p + p_tail), for the energy balance.
  virtual long double kinetic_compensated(const ConstVectorRef& q, const ConstVectorRef& q_tail,
                                          const ConstVectorRef& p, const ConstVectorRef& p_tail) const;
  virtual void kinetic_gradient(const ConstVectorRef& q, const ConstVectorRef& p, VectorRef t_q, VectorRef t_p) const;
  /// [out_q; out_p] = (Hess T) [w_q; w_p], the Hessian by (q,p)
  virtual void kinetic_hessian_times(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w_q,
                                     const ConstVectorRef& w_p, VectorRef out_q, VectorRef out_p) const;
  /// [out_q; out_p] = d/de (Hess T)(q + e u_q, p + e u_p) [w_q; w_p] at e = 0
  virtual void kinetic_third(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w_q,
                             const ConstVectorRef& w_p, const ConstVectorRef& u_q, const ConstVectorRef& u_p,
                             VectorRef out_q, VectorRef out_p) const;
  ///@}

  /// out = q' = T_p, whatever the mass.
  void velocity(const ConstVectorRef& q, const ConstVectorRef& p, VectorRef scratch, VectorRef out) const {
    if (traits().constant_mass)
      mass().solve(p, out);
    else
      kinetic_gradient(q, p, scratch, out);
  }

  /// \name Potential U(q,t)
  ///@{
  virtual double potential(double t, const ConstVectorRef& q) const = 0;
  /// U at the compensated position q + tail, for the energy balance: the default is U(q) + grad U(q).tail; `gradient`
  /// is scratch of length n. Systems that can evaluate in extended precision do.
  virtual long double potential_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                            VectorRef gradient) const;
  virtual void potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const = 0;
  /// out = (Hess U) w
  virtual void potential_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& w,
                                       VectorRef out) const = 0;
  ///@}

  /// \name Constraints g(q,t) = 0
  ///@{
  /// Pattern of G, m x n; G and its directional derivatives are value vectors on it.
  virtual const SparsityPattern& constraint_pattern() const = 0;
  virtual void constraints(double t, const ConstVectorRef& q, VectorRef out) const = 0;
  /// out = g at the compensated position q + tail, |tail| <= ulp(q)/2, with a rounding error below that of one
  /// evaluation at double where the system can (lambda times this error is what the energy of an exact scheme
  /// fluctuates by). Default: g(q) + G(q) tail; `g_values` is scratch on the constraint pattern.
  virtual void constraints_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                                       VectorRef g_values) const;
  virtual void constraint_jacobian(double t, const ConstVectorRef& q, VectorRef values) const = 0;
  /// out = d(G^T lambda)/dq w = sum_i lambda_i (Hess g_i) w
  virtual void constraint_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                        const ConstVectorRef& w, VectorRef out) const = 0;
  /// values = d(G v)/dq, row i = v^T Hess g_i
  virtual void constraint_jacobian_derivative(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                              VectorRef values) const = 0;
  /// values, row i = d(v^T (Hess g_i) w)/dq
  virtual void constraint_third(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& w,
                                VectorRef values) const = 0;
  /// out = G v + g_t, the first derivative of g along q(t)
  virtual void constraint_velocity(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const = 0;
  /// out = v^T (Hess g) v + 2 G_t v + g_tt: the second derivative of g along q(t) is G v' + out
  virtual void constraint_bias(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const = 0;
  ///@}

  /// \name Rates of the constraints, with traits().time_dependent; of a system that is not they vanish
  ///@{
  /// values = dG/dt on the constraint pattern
  virtual void constraint_rate_jacobian(double t, const ConstVectorRef& q, VectorRef values) const;
  /// values = sum_i lambda_i Hess (dg_i/dt) on hessian_pattern()
  virtual void constraint_rate_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                       VectorRef values) const;
  ///@}

  /// Pattern of Hess U + sum_i lambda_i Hess g_i, n x n, and its values.
  virtual const SparsityPattern& hessian_pattern() const = 0;
  virtual void lagrangian_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                  VectorRef values) const = 0;

  /// \name Force Q(q,v,t), with traits().has_force; its work is booked in the energy balance
  ///@{
  virtual void force(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const;
  /// Pattern, n x n, of the derivative of Q by q or v, and its values. Throws Error(refused) when the system has none.
  virtual const SparsityPattern& force_pattern(ForceArgument by) const;
  virtual void force_jacobian(ForceArgument by, double t, const ConstVectorRef& q, const ConstVectorRef& v,
                              VectorRef values) const;
  ///@}

  /// \name Friction R(q,v,lambda), with traits().has_friction: a force that depends on the multipliers, nonlinearly too
  /// lambda has m + n_obstacles entries: those of the constraints, then those of the obstacles, zero where a contact is
  /// open. Where v = 0 its direction need not be defined. Its work is booked in the energy balance.
  ///@{
  virtual void friction(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                        VectorRef out) const;
  /// Pattern of its derivative by one argument, n x n or n x (m + n_obstacles), and the values.
  virtual const SparsityPattern& friction_pattern(ForceArgument by) const;
  virtual void friction_jacobian(ForceArgument by, const ConstVectorRef& q, const ConstVectorRef& v,
                                 const ConstVectorRef& lambda, VectorRef values) const;
  ///@}

  /// \name Obstacles c(q) >= 0, with traits().n_obstacles > 0
  ///@{
  virtual void obstacles(const ConstVectorRef& q, VectorRef out) const;
  /// The same model with every obstacle held closed: constraints (g, -c), so that the force of a contact is
  /// +(dc/dq)^T lambda with lambda >= 0 while it pushes. No obstacles and no symmetries. Throws Error(refused) when the
  /// system cannot make it.
  virtual std::shared_ptr<const System> with_obstacles_closed() const;
  ///@}

  /// \name Symmetries: J_a = p . xi_a(q) is conserved
  ///@{
  virtual std::string symmetry_name(Index a) const;
  /// out = xi_a(q), the infinitesimal generator
  virtual void symmetry_generator(Index a, const ConstVectorRef& q, VectorRef out) const;
  ///@}

  /// \name First integrals I_a(t, q, p), beyond the energy and the momentum maps, with traits().n_integrals > 0
  /// The motion conserves them and no scheme promises to: their error measures the solution. The monitor shows them.
  ///@{
  virtual std::string integral_name(Index a) const;
  virtual double integral(Index a, double t, const ConstVectorRef& q, const ConstVectorRef& p) const;
  ///@}

  /// \name Quadratic invariants, with traits().n_invariants > 0
  /// The potential in split form: U(q) = U2(q) + sum_k V_k(pi_k(q)), U2 of degree <= 2 and every pi_k quadratic in q
  /// and invariant under the symmetries. It is what an equivariant discrete derivative needs (Gonzalez 1996).
  ///@{
  virtual void invariants(const ConstVectorRef& q, VectorRef pi) const;
  virtual const SparsityPattern& invariant_pattern() const;
  virtual void invariant_jacobian(const ConstVectorRef& q, VectorRef values) const;
  /// {V_k, V_k', V_k'', V_k'''} at pi
  virtual std::array<double, 4> invariant_potential(Index k, double pi) const;
  virtual void regular_potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const;  ///< grad U2
  /// values on hessian_pattern(): Hess U2 + sum_k c_k Hess pi_k + sum_i lambda_i Hess g_i
  virtual void split_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& c, const ConstVectorRef& lambda,
                             VectorRef values) const;
  ///@}

  /// \name Penalty function, with traits().penalty != none: R(g) = sum_i r(g_i), for penalty=model
  ///@{
  /// {r, r', r'', r'''} at y, in units of g^2; r(0) = r'(0) = 0. Near 0 accurate relative to itself, not to one (as
  /// cosh y - 1 would be): the conserved energy contains mu r(g) with g of 1/mu.
  virtual std::array<double, 4> penalty_function(double y) const;
  ///@}
};

}  // namespace gnomon
