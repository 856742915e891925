#pragma once
/// \file
/// FunctionSystem: a System whose parts are Functions, sparse and of any size.

#include <memory>

#include "gnomon/formula/velocity_rows.hpp"
#include "gnomon/model/autodiff/found_traits.hpp"

namespace gnomon::model {

inline constexpr double single_weight = 1;  ///< of the output of a function that has one

/// The parts; null for those that a system does not have. potential and constraints always exist.
struct SystemFunctions {
  std::unique_ptr<const Function> potential;          ///< (q) -> U, the whole of it
  std::unique_ptr<const Function> constraints;        ///< (q) -> g, with velocity constraints VelocityRows
  std::unique_ptr<const Function> obstacles;          ///< (q) -> c
  std::unique_ptr<const Function> slips;              ///< (q) -> d
  std::unique_ptr<const Function> regular_potential;  ///< (q) -> U2, with invariants
  std::unique_ptr<const Function> invariants;         ///< (q) -> pi
  std::unique_ptr<const Function> force;              ///< (q, v) -> Q
  std::unique_ptr<const Function> friction;           ///< (q, v, lambda) -> R
  std::unique_ptr<const Function> mass_matrix;        ///< (q) -> M, n x n, row by row; with a mass that depends on q
  std::unique_ptr<const Function> inertia;            ///< (q, v) -> v^T M v / 2, with a mass that depends on q
};

class GNOMON_EXPORT FunctionSystem : public System,
                                     public ConfigurationMass,
                                     public TimeDependence,
                                     public VelocityConstraints,
                                     public Force,
                                     public Friction,
                                     public Obstacles,
                                     public CoulombFriction,
                                     public Symmetries,
                                     public FirstIntegrals,
                                     public SplitPotential,
                                     public ModelPenalty,
                                     public ExtendedPrecision {
 public:
  const SystemTraits& traits() const final { return traits_; }
  const Mass& mass() const final { return mass_; }

  void mass_matrix(const ConstVectorRef& q, Matrix& out) const final;
  double kinetic_energy(const ConstVectorRef& q, const ConstVectorRef& p) const final;
  long double kinetic_compensated(const ConstVectorRef& q, const ConstVectorRef& q_tail, const ConstVectorRef& p,
                                  const ConstVectorRef& p_tail, VectorRef t_q, VectorRef t_p) const final;
  bool extended_kinetic_gradient(const ConstVectorRef& q, const ConstVectorRef& q_tail, const ConstVectorRef& p,
                                 const ConstVectorRef& p_tail, VectorRefOf<Extended> out) const final;
  void kinetic_gradient(const ConstVectorRef& q, const ConstVectorRef& p, VectorRef t_q, VectorRef t_p) const final;
  void kinetic_hessian_times(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w_q,
                             const ConstVectorRef& w_p, VectorRef out_q, VectorRef out_p) const final;
  void kinetic_third(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w_q,
                     const ConstVectorRef& w_p, const ConstVectorRef& u_q, const ConstVectorRef& u_p, VectorRef out_q,
                     VectorRef out_p) const final;

  void kinetic_hessian(const ConstVectorRef& q, const ConstVectorRef& p, VectorRef scratch, Matrix& out) const final;
  void velocity_hessian(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w, VectorRef scratch,
                        Matrix& out) const final;

  double potential(double t, const ConstVectorRef& q) const final;
  long double potential_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                    VectorRef gradient) const final;
  bool extended_gradient(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                         VectorRefOf<Extended> out) const final;
  bool extended_jacobian(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                         VectorRefOf<Extended> values) const final {
    return f_.constraints->extended_jacobian(t, at(q), at(tail), values.data());
  }
  bool extended_invariants(const ConstVectorRef& q, const ConstVectorRef& tail, VectorRefOf<Extended> pi) const final {
    f_.invariants->extended(0, at(q), at(tail), pi.data());
    return true;
  }
  bool extended_invariant_jacobian(const ConstVectorRef& q, const ConstVectorRef& tail,
                                   VectorRefOf<Extended> values) const final {
    return f_.invariants->extended_jacobian(0, at(q), at(tail), values.data());
  }
  bool extended_regular_gradient(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                 VectorRefOf<Extended> out) const final;
  void potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const final {
    f_.potential->gradient(t, at(q), into(out));
  }
  void potential_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& w, VectorRef out) const final {
    f_.potential->product(t, at(q), &single_weight, at(w), into(out));
  }

  const SparsityPattern& constraint_pattern() const final { return f_.constraints->pattern(); }
  void constraints(double t, const ConstVectorRef& q, VectorRef out) const final {
    f_.constraints->value(t, at(q), out.data());
  }
  void constraints_compensated(double t, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                               VectorRef) const final {
    f_.constraints->compensated(t, at(q), at(tail), out.data());
  }
  bool extended_constraints(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                            VectorRefOf<Extended> out) const final {
    f_.constraints->extended(t, at(q), at(tail), out.data());
    return true;
  }
  void constraint_jacobian(double t, const ConstVectorRef& q, VectorRef values) const final {
    f_.constraints->jacobian(0, t, at(q), values.data());
  }
  void constraint_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                const ConstVectorRef& w, VectorRef out) const final {
    f_.constraints->product(t, at(q), lambda.data(), at(w), into(out));
  }
  void constraint_jacobian_derivative(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                      VectorRef values) const final {
    f_.constraints->jacobian_derivative(t, at(q), v.data(), values.data());
  }
  void constraint_third(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& w,
                        VectorRef values) const final {
    f_.constraints->third(t, at(q), v.data(), w.data(), values.data());
  }
  void constraint_velocity(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const final {
    f_.constraints->along(t, at(q), v.data(), out.data(), nullptr);
  }
  void constraint_bias(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const final {
    f_.constraints->along(t, at(q), v.data(), nullptr, out.data());
  }
  double potential_rate(double t, const ConstVectorRef& q) const final;
  void constraint_rate_jacobian(double t, const ConstVectorRef& q, VectorRef values) const final {
    f_.constraints->rate_jacobian(t, at(q), values.data());
  }
  void constraint_rate_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                               VectorRef values) const final;

  Index n_velocity_constraints() const final { return traits_.n_velocity_constraints; }
  void constraint_turn(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef values) const final {
    velocity_rows_->turn(t, at(q), v.data(), values.data());
  }

  const SparsityPattern& hessian_pattern() const final { return hessian_pattern_; }
  void lagrangian_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                          VectorRef values) const final;
  bool constraint_hessian_derivative(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                     const ConstVectorRef& v, VectorRef values) const final {
    values.setZero();
    f_.constraints->add_hessian_derivative(t, at(q), lambda.data(), v.data(), constraint_places_.data(), values.data());
    return true;
  }

  void force(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const final {
    f_.force->value(t, at(q, v), out.data());
  }
  bool force_depends_on_time() const final { return traits_.time_dependent_force; }
  const SparsityPattern& force_pattern(ForceArgument by) const final;
  void force_jacobian(ForceArgument by, double t, const ConstVectorRef& q, const ConstVectorRef& v,
                      VectorRef values) const final;
  void friction(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                VectorRef out) const final {
    f_.friction->value(0, at(q, v, lambda), out.data());
  }
  const SparsityPattern& friction_pattern(ForceArgument by) const final { return f_.friction->pattern(block_of(by)); }
  void friction_jacobian(ForceArgument by, const ConstVectorRef& q, const ConstVectorRef& v,
                         const ConstVectorRef& lambda, VectorRef values) const final {
    f_.friction->jacobian(block_of(by), 0, at(q, v, lambda), values.data());
  }
  Index n_obstacles() const final { return traits_.n_obstacles; }
  std::vector<std::string> obstacle_names() const final { return traits_.obstacle_names; }
  void obstacles(const ConstVectorRef& q, VectorRef out) const final { f_.obstacles->value(0, at(q), out.data()); }
  const Vector& friction_coefficients() const final { return traits_.friction_coefficients; }
  void slips(const ConstVectorRef& q, VectorRef out) const final { f_.slips->value(0, at(q), out.data()); }
  const std::vector<Index>& slips_in_space() const final { return traits_.slips_in_space; }
  Index n_symmetries() const final { return traits_.n_symmetries; }
  Index n_integrals() const final { return traits_.n_integrals; }
  bool penalty_is_convex() const final { return traits_.penalty == ModelTraits::Penalty::convex; }

  Index n_invariants() const final { return traits_.n_invariants; }
  void invariants(const ConstVectorRef& q, VectorRef pi) const final { f_.invariants->value(0, at(q), pi.data()); }
  const SparsityPattern& invariant_pattern() const final { return f_.invariants->pattern(); }
  void invariant_jacobian(const ConstVectorRef& q, VectorRef values) const final {
    f_.invariants->jacobian(0, 0, at(q), values.data());
  }
  void regular_potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const final {
    f_.regular_potential->gradient(t, at(q), into(out));
  }
  void split_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& c, const ConstVectorRef& lambda,
                     VectorRef values) const final;

 protected:
  FunctionSystem(FoundTraits traits, Mass mass, SystemFunctions functions);

  FoundTraits traits_;

 private:
  static Function::Blocks at(const ConstVectorRef& q) { return {q.data(), nullptr, nullptr}; }
  static Function::Blocks at(const ConstVectorRef& q, const ConstVectorRef& v) { return {q.data(), v.data(), nullptr}; }
  static Function::Blocks at(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda) {
    return {q.data(), v.data(), lambda.data()};
  }
  static Function::Results into(VectorRef& q) { return {q.data(), nullptr, nullptr}; }
  static std::size_t block_of(ForceArgument by) { return by == ForceArgument::q ? 0 : by == ForceArgument::v ? 1 : 2; }
  /// Where a function's Hessian lies in hessian_pattern_.
  std::vector<Index> places_of(const Function& function) const;

  Mass mass_;
  SystemFunctions f_;
  const VelocityRows* velocity_rows_;  ///< f_.constraints, or null
  SparsityPattern hessian_pattern_;
  Vector at_rest_;  ///< v = 0
  std::vector<Index> potential_places_, constraint_places_, regular_places_, invariant_places_;
};

}  // namespace gnomon::model
