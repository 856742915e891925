#pragma once
/// \file
/// What the projections of the end of a step (q^, v^), with M(q) (q^, p^), have in common: the interface, the end, the
/// metric, the rows of the constraints and of the energy, and what is known of an energy projection.

#include <cmath>
#include <optional>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/nearest_solution.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/runge_kutta/energy_feasibility.hpp"

namespace gnomon::kernels {

class EndProjection : public NearestSolution {
 public:
  virtual NonlinearEquations& equations() = 0;
  /// From z0 with the increments dq_hat, d_hat of (q^, v^), with a mass M(q) of (q^, p^); energy_defect = H0 - H*. z0
  /// outlives the step.
  virtual Feasibility begin(const State& z0, const Vector& dq_hat, const Vector& d_hat, double h,
                            double energy_defect) = 0;
  /// D of energy_feasibility.hpp
  virtual double energy_left() const = 0;
  /// Corrections of q^ and v^ (p^) from the solution; d is left alone where the rule has no velocity.
  virtual void corrections(const ConstVectorRef& x, VectorOf<Extended>& dq, VectorOf<Extended>& d) const = 0;
};

/// The rows are solved with mu - eta l_q, nu - eta l_v and H - l_q.g - l_v.Psi in the places of mu, nu and H, l_q and
/// l_v of energy_feasibility.hpp: grad H may be so much longer than its tangential part, near a rest, and T_q by the
/// choice of coordinates, that a matrix with all of it would be singular to rounding.
template <class Inertia>
struct ProjectionFrame {
  ProjectionFrame(const System& system, const ProjectionRule& rule, const StepScales& scales)
      : system(&system),
        at(system),
        scales(&scales),
        rule(rule),
        metric(system, rule.mass_metric, scales),
        gram(system, rule.mass_metric),
        end(system) {
    if (rule.energy) energy_tangent.emplace(system, metric, gram);
    for (Vector* v : {&dq_hat, &d_hat, &g_at}) v->setZero(system.n());
    g_hat.setZero(system.constraint_pattern().nonzeros());
  }

  Feasibility begin(const State& z0, const Vector& dq, const Vector& d, double h, double energy_defect) {
    end.begin(z0, h, rule.energy);
    metric.update(z0, h, dq);
    this->h = h;
    dq_hat = dq;
    d_hat = d;
    if (system->parts().velocity_constraints) {
      end.place(dq_hat, g_at);
      system->constraint_jacobian(end.t(), g_at, g_hat);
    }
    defect = energy_defect;
    feasibility = Feasibility::regular;
    floor = thresholds::projection_rounding + (end.quadratic() ? 0 : scales->position_floor());
    if (!rule.energy) return feasibility;
    feasibility = energy_tangent->evaluate(end, dq_hat, d_hat, defect, scales->s());
    set_energy_scales();
    return feasibility;
  }

  /// The position rows of constraints of velocities, which leave positions free: the projection moves them by what
  /// these constraints allow, A(q^) (q - q^) = 0. That is why the order of a method is not changed by them.
  template <class S, class Points>
  void admissible(Points& b) {
    const Index r = system->parts().n_velocity_constraints(), first = b.g.size() - r;
    const SparsityPattern& g = system->constraint_pattern();
    for (Index i = first; i < b.g.size(); ++i) {
      b.g[i] = S(0.0);
      for (Index k = g.offsets[i]; k < g.offsets[i + 1]; ++k)
        b.g[i] += (b.step[g.indices[k]] - S(dq_hat[g.indices[k]])) * g_hat[k];
    }
  }
  /// The derivative of g and these rows, from G.
  void make_admissible(Vector& g_values) const {
    if (system->parts().velocity_constraints) velocity_rows(*system, g_values) = velocity_rows(*system, g_hat);
  }

  /// g, Psi = G v + g_t and H less l_q.g + l_v.Psi, at (q, v): rows from `first` on, the next ones `stride`
  /// later. Of the point b: increments step and gain from the start, q and second.
  template <class S, class Points>
  void rows(Index first, Index stride, const S& eta, Points& b, VectorRefOf<S> f) {
    const Index m = b.g.size();
    end.constraints(b.step, b.q, b.g);
    if (system->parts().velocity_constraints) admissible<S>(b);
    for (Index i = 0; i < m; ++i) f[first + i] = b.g[i];
    if (!rule.velocity) return;
    at.constraint_velocity(end.t(), b.q, end.velocity(b.q, b.second), b.g);
    for (Index i = 0; i < m; ++i) f[first + stride + i] = b.g[i];
    if (!rule.energy) return;
    S& last = f[f.size() - 1];
    // Of the throw-away step at the start, too, which sizes what this uses.
    last = end.energy_gain(b.step, b.q, b.gain, b.second) + S(defect);
    for (Index i = 0; i < m; ++i)
      last -= energy_tangent->l_q()[i] * f[first + i] + energy_tangent->l_v()[i] * f[first + stride + i];
    if (feasibility == Feasibility::reached) last = eta;
  }

  double energy_left() const { return rule.energy ? energy_tangent->defect() : 0; }
  /// The scales of eta and of the energy.
  void energy_scales(VectorRef columns, VectorRef rows) const {
    columns[columns.size() - 1] = eta_scale;
    rows[columns.size() - 1] = energy_scale;
  }

  const System* system;
  SystemAt at;
  const StepScales* scales;
  ProjectionRule rule;
  ProjectionMetric metric;
  ConstraintGram gram;
  typename Inertia::End end;
  std::optional<EnergyFeasibility<Inertia>> energy_tangent;
  double h = 1, defect = 0, eta_scale = 1, energy_scale = 1, floor = thresholds::residual_rounding;
  Feasibility feasibility = Feasibility::regular;
  Vector dq_hat, d_hat;
  Vector g_at, g_hat;  ///< q^ and G(q^), with constraints of velocities

 private:
  /// Of eta, which moves (q, v) by eta (t_q, t_v), and of the energy, which moves of typical size change.
  void set_energy_scales() {
    eta_scale = energy_scale = 1;
    if (feasibility == Feasibility::reached || !(energy_tangent->moves() > 0)) return;
    eta_scale = 1 / std::hypot(energy_tangent->tangent_q() / metric.dq(), energy_tangent->tangent_v() / metric.dv());
    energy_scale = energy_tangent->moves();
    floor += thresholds::spacing_of_doubles * energy_tangent->energy_now() / energy_scale;
  }
};

}  // namespace gnomon::kernels
