#include "c_api/c_api_system.hpp"

#include <cmath>

#include "c_api/c_api_scratch.hpp"

namespace gnomon::c_api {

namespace {

int largest_degree(const RowCallbacks& g, const RowCallbacks& c) {
  if (g.rows == 0) return c.degree;
  return g.degree == not_polynomial || c.degree == not_polynomial ? not_polynomial : std::max(g.degree, c.degree);
}

}  // namespace

CallbackForces::Scratch::Scratch(const Callbacks& calls, bool closed)
    : g("the constraints", "the Jacobian of the constraints", "the pattern of G", calls.constraints, calls.n,
        calls.context),
      c("the obstacles", "the Jacobian of the obstacles", "the pattern of C", calls.obstacles, calls.n, calls.context),
      velocities(calls.n_velocity_constraints, calls.n, calls.context),
      hessian("the pattern of H", calls.hessian.like, calls.n, calls.n, calls.context),
      q(calls.n, calls.context),
      v(calls.n, calls.context),
      vector_n(calls.n, calls.context),
      lambda(calls.constraints.rows, calls.context),
      psi(calls.obstacles.rows, calls.context),
      multipliers(calls.constraints.rows + calls.n_velocity_constraints + calls.obstacles.rows, calls.context),
      switches(calls.n_switches, calls.context) {
  const Index n = calls.n, m = calls.constraints.rows, of_velocities = calls.n_velocity_constraints,
              all = m + of_velocities + calls.obstacles.rows;
  const auto derivative = [&](const char* name, const SharedMatrix& like, Index cols) {
    return std::make_unique<Derivative>(name, like, n, cols, calls.context);
  };
  PatternBuilder rows(closed ? all : m + of_velocities, n), bends(n, n);
  rows.add(g.pattern(), 0, 0);
  bends.add(hessian.pattern(), 0, 0);
  if (closed) {
    rows.add(c.pattern(), m, 0);
    if (c.calls.degree == not_polynomial || c.calls.degree > 1) {
      obstacle_hessian = derivative("the pattern of the obstacles' H", calls.obstacle_hessian.like, n);
      bends.add(obstacle_hessian->pattern(), 0, 0);
    }
  }
  const auto fill = [n](PatternBuilder& builder, Index first, Index count) {
    for (Index i = first; i < first + count; ++i)
      for (Index j = 0; j < n; ++j) builder.add(i, j);
  };
  fill(rows, closed ? all - of_velocities : m, of_velocities);
  if (of_velocities > 0) fill(bends, 0, n);
  constraint_pattern = rows.build();
  hessian_pattern = bends.build();
  hessian_map = BlockMap(hessian_pattern, hessian.pattern(), 0, 0);
  if (obstacle_hessian) {
    obstacle_hessian_map = BlockMap(hessian_pattern, obstacle_hessian->pattern(), 0, 0);
    obstacle_values.setZero(obstacle_hessian->pattern().nonzeros());
  }
  if (calls.force) {
    force.push_back(derivative("the pattern of dQ/dq", calls.force_jacobian[0].like, n));
    force.push_back(derivative("the pattern of dQ/dv", calls.force_jacobian[1].like, n));
  }
  if (calls.friction) {
    friction.push_back(derivative("the pattern of dR/dq", calls.friction_jacobian[0].like, n));
    friction.push_back(derivative("the pattern of dR/dv", calls.friction_jacobian[1].like, n));
    friction.push_back(derivative("the pattern of dR/dlambda", calls.friction_jacobian[2].like, all));
  }
  for (Level* level : {&potential, &gradient}) {
    level->at.setZero(n);
    level->value.setZero(n);
  }
  for (Vector* x : {&direction, &sum}) x->setZero(n);
  zero_lambda.setZero(m);
  for (Vector* x : {&product_m, &all_zero, &of_positions}) x->setZero(constraint_pattern.rows);
  for (Vector* x : {&values, &bent, &rate_values, &later_values}) x->setZero(constraint_pattern.nonzeros());
  for (Vector* x : {&rate_energy, &later_energy}) x->setZero(1);
  for (Vector* x : {&rate_rows, &more_rate_rows, &later_rows, &later_velocity}) x->setZero(constraint_pattern.rows);
  for (Vector* x : {&rate_hessian, &later_hessian}) x->setZero(hessian_pattern.nonzeros());
  for (Vector* x : {&hessian_values, &hessian_more}) x->setZero(hessian.pattern().nonzeros());
}

CallbackSystem::CallbackSystem(const Callbacks& callbacks, bool closed) : CallbackForces(callbacks), closed_(closed) {
  const auto missing = [](const char* what, const char* setter) {
    throw Error(ErrorCode::bad_value, std::string("the system has no ") + what + ": call " + setter + " first");
  };
  if (!calls_.mass) missing("mass", "GnomonSetMassDiagonal or GnomonSetMassMatrix");
  if (!calls_.potential) missing("potential", "GnomonSetPotentialFn");
  if (calls_.mass->size() != calls_.n)
    throw Error(ErrorCode::bad_size, "y has " + std::to_string(2 * calls_.n) + " entries, expected " +
                                         std::to_string(2 * calls_.mass->size()) + " for a mass of " +
                                         std::to_string(calls_.mass->size()) + " rows: q and p, and no multipliers");
  const RowCallbacks &g = calls_.constraints, &c = calls_.obstacles;
  if (!g.function && g.jacobian.function) missing("constraints whose Jacobian was set", "GnomonSetConstraintFn");
  if (!c.function && c.jacobian.function) missing("obstacles whose Jacobian was set", "GnomonSetObstacleFn");
  traits_ = polynomial_traits("callbacks", calls_.potential_degree, closed ? largest_degree(g, c) : g.degree);
  traits_.n = calls_.n;
  traits_.m = g.rows + (closed ? c.rows : 0) + calls_.n_velocity_constraints;
  traits_.blocks = calls_.blocks;
  const auto add_names = [this](const RowCallbacks& rows, const char* letter) {
    for (Index i = 0; i < rows.rows; ++i)
      traits_.constraint_names.push_back(rows.names.empty() ? letter + ("[" + std::to_string(i) + "]")
                                                            : rows.names[static_cast<std::size_t>(i)]);
  };
  add_names(g, "g");
  if (closed) add_names(c, "c");
  for (Index i = 0; i < calls_.n_velocity_constraints; ++i)
    traits_.constraint_names.push_back("psi[" + std::to_string(i) + "]");
  if (!closed) {
    if (c.rows > 0) parts_.obstacles = this;
    if (!calls_.symmetries.empty()) parts_.symmetries = this;
    if (!calls_.integrals.empty()) parts_.integrals = this;
  }
  if (calls_.n_velocity_constraints > 0) parts_.velocity_constraints = this;
  if (calls_.time_dependent) parts_.time_dependence = this;
  if (calls_.force) parts_.force = this;
  if (calls_.friction) parts_.friction = this;
  if (calls_.n_switches > 0) parts_.switches = this;
  scratch_ = std::make_unique<Scratch>(calls_, closed);
  traits_.approximate_derivatives = differences() != "none";
}

void CallbackSystem::obstacles(const ConstVectorRef& q, VectorRef out) const {
  evaluate(scratch_->c, 0, q, out);
}

std::shared_ptr<const System> CallbackSystem::with_obstacles_closed() const {
  auto closed = std::make_shared<CallbackSystem>(calls_, true);
  closed->force_depends_on_time_ = force_depends_on_time_;
  closed->fatal_ = fatal_;
  return closed;
}

double CallbackSystem::potential(double t, const ConstVectorRef& q) const {
  double u = 0;
  call("the potential", [&] { return calls_.potential(t, scratch_->q(q.data()), &u, calls_.user_data); });
  return u;
}

void CallbackSystem::potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const {
  if (calls_.gradient) {
    call("the gradient of the potential",
         [&] { return calls_.gradient(t, scratch_->q(q.data()), scratch_->vector_n(out.data()), calls_.user_data); });
    return;
  }
  Vector& e = scratch_->direction;
  for (Index j = 0; j < calls_.n; ++j) {
    e.setZero();
    e[j] = 1;
    difference(size_of(q), q, e, traits_.potential_degree, scratch_->potential, out.segment(j, 1),
               [&](const Vector& x, auto&& u) { u[0] = potential(t, x); });
  }
}

void CallbackSystem::potential_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& w,
                                             VectorRef out) const {
  if (calls_.hessian.function) {
    hessian_at(t, q, scratch_->zero_lambda, scratch_->hessian_more);
    multiply(scratch_->hessian.pattern(), scratch_->hessian_more, w, out);
    return;
  }
  difference(size_of(q), q, w, lower(traits_.potential_degree), scratch_->gradient, out,
             [&](const Vector& x, auto&& gradient) { potential_gradient(t, x, gradient); });
}

void CallbackSystem::evaluate(Rows& rows, double t, const ConstVectorRef& q, VectorRef out) const {
  if (rows.calls.rows == 0) return;
  call(rows.name,
       [&] { return rows.calls.function(t, scratch_->q(q.data()), rows.vector(out.data()), calls_.user_data); });
}

void CallbackSystem::jacobian(Rows& rows, double t, const ConstVectorRef& q, VectorRef values) const {
  if (rows.calls.rows == 0) return;
  if (filled(rows.jacobian_name, rows.calls.jacobian.function, rows.derivative, values, t, scratch_->q(q.data())))
    return;
  rows.derivative.differences(size_of(q), rows.calls.degree, q, values,
                              [&](const Vector& x, auto&& out) { evaluate(rows, t, x, out); });
}

void CallbackSystem::bend(Rows& rows, double t, const ConstVectorRef& q, const ConstVectorRef& w,
                          VectorRef values) const {
  difference(size_of(q), q, w, rows.jacobian_degree(), rows.once, values,
             [&](const Vector& x, auto&& out) { jacobian(rows, t, x, out); });
}

void CallbackSystem::bend_again(Rows& rows, double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                const ConstVectorRef& w, VectorRef values) const {
  difference(size_of(q), q, w, lower(rows.jacobian_degree()), rows.twice, values,
             [&](const Vector& x, auto&& out) { bend(rows, t, x, v, out); });
}

void CallbackSystem::bent_times(Rows& rows, double t, const ConstVectorRef& q, const ConstVectorRef& y,
                                const ConstVectorRef& w, VectorRef out) const {
  bend(rows, t, q, w, rows.bent);
  multiply_transposed(rows.pattern(), rows.bent, y, out);
}

template <class Evaluate>
void CallbackSystem::stacked(Index head, VectorRef out, Evaluate&& evaluate) const {
  evaluate(scratch_->g, out.head(head));
  if (!closed_) return;
  evaluate(scratch_->c, out.tail(out.size() - head));
  out.tail(out.size() - head) *= -1;
}

const SparsityPattern& CallbackSystem::constraint_pattern() const {
  return scratch_->constraint_pattern;
}

VectorRef CallbackSystem::of_positions(VectorRef out) const {
  const bool values = out.size() != traits_.m;
  return out.head(out.size() - calls_.n_velocity_constraints * (values ? calls_.n : 1));
}

VectorRef CallbackSystem::of_velocities(VectorRef out) const {
  const bool values = out.size() != traits_.m;
  return out.tail(calls_.n_velocity_constraints * (values ? calls_.n : 1));
}

void CallbackSystem::constraints(double t, const ConstVectorRef& q, VectorRef out) const {
  of_velocities(out).setZero();
  stacked(calls_.constraints.rows, of_positions(out), [&](Rows& rows, VectorRef part) { evaluate(rows, t, q, part); });
}

void CallbackSystem::constraint_jacobian(double t, const ConstVectorRef& q, VectorRef values) const {
  stacked(scratch_->g.pattern().nonzeros(), of_positions(values),
          [&](Rows& rows, VectorRef part) { jacobian(rows, t, q, part); });
  if (n_velocity_constraints() > 0) psi_matrix(t, q, of_velocities(values));
}

void CallbackSystem::turn(double t, const ConstVectorRef& q, const ConstVectorRef& w, VectorRef values) const {
  stacked(scratch_->g.pattern().nonzeros(), of_positions(values),
          [&](Rows& rows, VectorRef part) { bend(rows, t, q, w, part); });
  if (n_velocity_constraints() > 0) psi_matrix_along(t, q, w, of_velocities(values));
}

void CallbackSystem::constraint_jacobian_derivative(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                                    VectorRef values) const {
  stacked(scratch_->g.pattern().nonzeros(), of_positions(values),
          [&](Rows& rows, VectorRef part) { bend(rows, t, q, v, part); });
  if (n_velocity_constraints() > 0) psi_bend(t, q, v, of_velocities(values));
}

void CallbackSystem::constraint_third(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                      const ConstVectorRef& w, VectorRef values) const {
  stacked(scratch_->g.pattern().nonzeros(), of_positions(values),
          [&](Rows& rows, VectorRef part) { bend_again(rows, t, q, v, w, part); });
  if (n_velocity_constraints() > 0) psi_third(t, q, v, w, of_velocities(values));
}

void CallbackSystem::constraint_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                              const ConstVectorRef& w, VectorRef out) const {
  turn(t, q, w, scratch_->bent);
  multiply_transposed(constraint_pattern(), scratch_->bent, lambda, out);
}

const SparsityPattern& CallbackSystem::hessian_pattern() const {
  return scratch_->hessian_pattern;
}

/// Hess U + sum_i lambda_i Hess g_i on its own pattern
void CallbackSystem::hessian_at(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                VectorRef values) const {
  Derivative& hessian = scratch_->hessian;
  if (filled("the Hessian", calls_.hessian.function, hessian, values, t, scratch_->q(q.data()),
             scratch_->lambda(lambda.data())))
    return;
  by_colours(hessian.pattern(), hessian.colours, hessian.direction, hessian.product, values,
             [&](const Vector& w, Vector& product) {
               potential_hessian_times(t, q, w, product);
               bent_times(scratch_->g, t, q, lambda, w, scratch_->sum);
               product += scratch_->sum;
             });
}

/// sum_i psi_i Hess c_i on its own pattern
void CallbackSystem::obstacle_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& psi,
                                      VectorRef values) const {
  Derivative& hessian = *scratch_->obstacle_hessian;
  if (filled("the Hessian of the obstacles", calls_.obstacle_hessian.function, hessian, values, t,
             scratch_->q(q.data()), scratch_->psi(psi.data())))
    return;
  by_colours(hessian.pattern(), hessian.colours, hessian.direction, hessian.product, values,
             [&](const Vector& w, Vector& product) { bent_times(scratch_->c, t, q, psi, w, product); });
}

void CallbackSystem::lagrangian_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                        VectorRef values) const {
  values.setZero();
  hessian_at(t, q, lambda.head(calls_.constraints.rows), scratch_->hessian_values);
  scratch_->hessian_map.add(values, scratch_->hessian_values, 1);
  if (const Index rows = n_velocity_constraints(); rows > 0) add_psi_hessian(t, q, lambda.tail(rows), values);
  if (!scratch_->obstacle_hessian) return;
  obstacle_hessian(t, q, lambda.segment(calls_.constraints.rows, calls_.obstacles.rows), scratch_->obstacle_values);
  scratch_->obstacle_hessian_map.add(values, scratch_->obstacle_values, -1);
}

std::string CallbackSystem::differences() const {
  std::string list;
  const auto add = [&](bool missing, const char* what, int degree) {
    if (!missing || degree == 0) return;
    list += (list.empty() ? "" : ", ") + std::string(what) +
            (degree > 0 && degree <= exact_degree ? " (exact but for rounding)" : "");
  };
  add(!calls_.gradient, "gradient of the potential", traits_.potential_degree);
  add(!calls_.hessian.function, "Hessian of the potential", lower(traits_.potential_degree));
  add(parts_.time_dependence && calls_.constraints.rows > 0, "derivatives of the constraints by time", not_polynomial);
  if (calls_.constraints.rows > 0) {
    add(!calls_.constraints.jacobian.function, "Jacobian of the constraints", calls_.constraints.degree);
    add(true, "second derivatives of the constraints", lower(calls_.constraints.degree));
  }
  if (calls_.obstacles.rows > 0) {
    add(!calls_.obstacles.jacobian.function, "Jacobian of the obstacles", calls_.obstacles.degree);
    add(true, "second derivatives of the obstacles", lower(calls_.obstacles.degree));
  }
  add(n_velocity_constraints() > 0, "derivatives of the constraints of velocities", not_polynomial);
  if (calls_.force) {
    add(!calls_.force_jacobian[0].function, "derivative of the force by q", not_polynomial);
    add(!calls_.force_jacobian[1].function, "derivative of the force by v", not_polynomial);
  }
  if (calls_.friction) {
    add(!calls_.friction_jacobian[0].function, "derivative of the friction by q", not_polynomial);
    add(!calls_.friction_jacobian[1].function, "derivative of the friction by v", not_polynomial);
    add(!calls_.friction_jacobian[2].function, "derivative of the friction by lambda", not_polynomial);
  }
  return list.empty() ? "none" : list;
}

}  // namespace gnomon::c_api
