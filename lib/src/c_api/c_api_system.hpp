#pragma once
/// \file
/// A System made of the callbacks of a C program; what they leave out comes from differences (c_api_differences.hpp).

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "c_api/c_api_differences.hpp"
#include "c_api/c_api_forces.hpp"

namespace gnomon::c_api {

class CallbackSystem final : public System,
                             public TimeDependence,
                             public VelocityConstraints,
                             public Obstacles,
                             public CallbackForces {
 public:
  /// closed: with every obstacle held closed. Throws Error(bad_value) where something is missing that no difference
  /// can give, Error(bad_size) for matrices of the wrong size.
  explicit CallbackSystem(const Callbacks& callbacks, bool closed = false);

  const SystemTraits& traits() const override { return traits_; }
  const Mass& mass() const override { return *calls_.mass; }
  double potential(double t, const ConstVectorRef& q) const override;
  void potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const override;
  void potential_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& w,
                               VectorRef out) const override;
  const SparsityPattern& constraint_pattern() const override;
  void constraints(double t, const ConstVectorRef& q, VectorRef out) const override;
  void constraint_jacobian(double t, const ConstVectorRef& q, VectorRef values) const override;
  void constraint_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                const ConstVectorRef& w, VectorRef out) const override;
  void constraint_jacobian_derivative(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                      VectorRef values) const override;
  void constraint_third(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& w,
                        VectorRef values) const override;
  void constraint_velocity(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override;
  void constraint_bias(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override;
  const SparsityPattern& hessian_pattern() const override;
  void lagrangian_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                          VectorRef values) const override;
  Index n_velocity_constraints() const override { return calls_.n_velocity_constraints; }
  void constraint_turn(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef values) const override;
  double potential_rate(double t, const ConstVectorRef& q) const override;
  void constraint_rate_jacobian(double t, const ConstVectorRef& q, VectorRef values) const override;
  void constraint_rate_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                               VectorRef values) const override;
  Index n_obstacles() const override { return calls_.obstacles.rows; }
  void obstacles(const ConstVectorRef& q, VectorRef out) const override;
  std::shared_ptr<const System> with_obstacles_closed() const override;
  /// Finds out whether U, g or Q gives another value at another time, at the start and beside it.
  void watch_time(double t, const Vector& q, const Vector& v);
  /// Throws Error where a callback leaves an entry of g, c, grad U or Q unwritten at the start, or where a row of G is
  /// zero at the start and beside it.
  void require_written(double t, const Vector& q, const Vector& v);
  /// "potential gradient, Jacobian of the constraints", or "none".
  std::string differences() const;

 private:
  void evaluate(Rows& rows, double t, const ConstVectorRef& q, VectorRef out) const;
  void jacobian(Rows& rows, double t, const ConstVectorRef& q, VectorRef values) const;
  /// values = d/ds J(q + s w), and the derivative of d/ds J(q + s v) along w.
  void bend(Rows& rows, double t, const ConstVectorRef& q, const ConstVectorRef& w, VectorRef values) const;
  void bend_again(Rows& rows, double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& w,
                  VectorRef values) const;
  /// out = sum_i y_i (Hess r_i) w for these rows r
  void bent_times(Rows& rows, double t, const ConstVectorRef& q, const ConstVectorRef& y, const ConstVectorRef& w,
                  VectorRef out) const;
  /// The part of constraints of positions of a vector with one entry a row, or one a value of the Jacobian, and the
  /// other part.
  VectorRef of_positions(VectorRef out) const;
  VectorRef of_velocities(VectorRef out) const;
  /// How the Jacobian changes along w, at constant time.
  void turn(double t, const ConstVectorRef& q, const ConstVectorRef& w, VectorRef values) const;
  void psi(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const;
  void psi_linear(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const;
  void psi_matrix(double t, const ConstVectorRef& q, VectorRef values) const;
  void psi_matrix_along(double t, const ConstVectorRef& q, const ConstVectorRef& w, VectorRef values) const;
  template <class F>
  void psi_columns(Level& level, const ConstVectorRef& q, VectorRef values, F&& f) const;
  void psi_bend(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef values) const;
  void psi_third(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& w,
                 VectorRef values) const;
  void psi_bias(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const;
  void add_psi_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& mu, VectorRef values) const;
  void psi_rest_jacobian(double t, const ConstVectorRef& q, VectorRef values) const;
  void add_psi_rest_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& mu, VectorRef values) const;
  Vector beside(const Vector& q) const;
  void declare_time_dependence();
  void watch_velocity_constraints(double t, const std::array<const Vector*, 2>& positions, const Vector& v);
  void require_linear(double t, const Vector& q, const Vector& v) const;
  /// What each kind of row gives, g first and, where they are closed, -c; `head` is the size of the first part.
  template <class Evaluate>
  void stacked(Index head, VectorRef out, Evaluate&& evaluate) const;
  /// out = df/dt at t, f(time, out)
  template <class F>
  void rate(double t, Vector& value, VectorRef out, F&& f) const;
  template <class F>
  bool changes_in_time(double t, Index size, F&& f) const;
  void hessian_at(double t, const ConstVectorRef& q, const ConstVectorRef& lambda, VectorRef values) const;
  void obstacle_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& psi, VectorRef values) const;

  bool closed_;
  SystemTraits traits_;
};

/// f_t = (8 (f(t+d) - f(t-d)) - (f(t+2d) - f(t-2d))) / 12d, d a part of the time in which the system changes
/// noticeably.
template <class F>
void CallbackSystem::rate(double t, Vector& value, VectorRef out, F&& f) const {
  constexpr double time_step = 1.0 / 1024;  // of Callbacks::time; both are powers of two times the step
  const double d = calls_.time * time_step;
  out.setZero();
  for (const auto& [times, weight] : {std::pair{1.0, 8.0 / 12}, std::pair{2.0, -1.0 / 12}}) {
    f(t + times * d, value);
    out += weight / d * value;
    f(t - times * d, value);
    out -= weight / d * value;
  }
}

}  // namespace gnomon::c_api
