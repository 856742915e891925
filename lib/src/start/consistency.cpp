#include "gnomon/start/consistency.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/base/thrown.hpp"
#include "gnomon/base/uniform.hpp"
#include "gnomon/model/constraint_sizes.hpp"
#include "gnomon/model/start_velocity.hpp"
#include "start/saddle_point.hpp"

namespace gnomon {

namespace {

/// In how many directions beside a position its rank is looked at.
constexpr int directions_beside = 2;

std::string subject(const System& system) {
  return "system " + system.traits().name + ": ";
}

void check_size(const System& system, const char* name, Index size) {
  if (size != system.n())
    throw Error(ErrorCode::bad_size, subject(system) + "the start " + name + " has " + std::to_string(size) +
                                         " entries, expected " + std::to_string(system.n()));
}

void check_finite(const System& system, const char* name, const Vector& x) {
  for (Index j = 0; j < x.size(); ++j)
    if (!std::isfinite(x[j]))
      throw Error(ErrorCode::not_finite, subject(system) + "the start " + name + "[" + std::to_string(j) +
                                             "] = " + number_text(x[j]) + " is not a finite number");
}

void check_arguments(const System& system, double t, const Vector& q, const Vector& p) {
  check_size(system, "q0", q.size());
  check_size(system, "p0", p.size());
  if (!std::isfinite(t))
    throw Error(ErrorCode::not_finite,
                subject(system) + "the start time t0 = " + number_text(t) + " is not a finite number");
  check_finite(system, "q0", q);
  check_finite(system, "p0", p);
}

/// Calls the functions of a System once each and turns what goes wrong into an Error that names the function.
class Probe {
 public:
  explicit Probe(const System& system) : system_(system) {}

  /// evaluate() returns one number or fills `out`.
  template <class F>
  void operator()(const char* function, Vector& out, F&& evaluate) const {
    try {
      evaluate(out);
    } catch (...) {
      failed(function, thrown_text().c_str());
    }
    for (Index i = 0; i < out.size(); ++i)
      if (!std::isfinite(out[i])) not_finite(function, out.size() > 1 ? i : -1, out[i]);
  }

 private:
  [[noreturn]] void failed(const char* function, const char* why) const {
    throw Error(ErrorCode::callback_failed, subject(system_) + function + " cannot be evaluated at the start: " + why);
  }
  [[noreturn]] void not_finite(const char* function, Index entry, double value) const {
    throw Error(ErrorCode::not_finite, subject(system_) + function + " is " + number_text(value) + " at the start" +
                                           (entry < 0 ? "" : " (entry " + std::to_string(entry) + ")"));
  }

  const System& system_;
};

/// v = M^-1 p
Vector velocity(const System& system, const Probe& probe, const Vector& q, const Vector& p) {
  Vector v(p.size());
  probe("the velocity M^-1 p", v, [&](Vector& out) {
    Vector scratch(p.size());
    system.velocity(q, p, scratch, out);
  });
  return v;
}

void probe_potential(const System& s, const Probe& probe, double t, const Vector& q, const Vector& w) {
  Vector one(1), n(s.n());
  probe("potential U", one, [&](Vector& out) { out[0] = s.potential(t, q); });
  const Vector tail = Vector::Zero(s.n());
  probe("potential U in extended precision", one,
        [&](Vector& out) { out[0] = static_cast<double>(s.potential_compensated(t, q, tail, n)); });
  probe("potential gradient grad U", n, [&](Vector& out) { s.potential_gradient(t, q, out); });
  probe("potential Hessian product (Hess U) w", n, [&](Vector& out) { s.potential_hessian_times(t, q, w, out); });
  Vector hessian(s.hessian_pattern().nonzeros());
  const Vector lambda = Vector::Ones(s.m());
  probe("Hessian of U + lambda.g", hessian, [&](Vector& out) { s.lagrangian_hessian(t, q, lambda, out); });
}

void probe_constraints(const System& s, const Probe& probe, double t, const Vector& q, const Vector& v,
                       const Vector& w) {
  if (s.m() == 0) return;
  Vector m(s.m()), n(s.n()), values(s.constraint_pattern().nonzeros());
  const Vector lambda = Vector::Ones(s.m());
  probe("constraint g", m, [&](Vector& out) { s.constraints(t, q, out); });
  const Vector tail = Vector::Zero(s.n());
  probe("constraint g in extended precision", m,
        [&](Vector& out) { s.constraints_compensated(t, q, tail, out, values); });
  probe("constraint Jacobian G", values, [&](Vector& out) { s.constraint_jacobian(t, q, out); });
  probe("constraint Hessian product d(G^T lambda)/dq w", n,
        [&](Vector& out) { s.constraint_hessian_times(t, q, lambda, w, out); });
  probe("derivative d(G v)/dq", values, [&](Vector& out) { s.constraint_jacobian_derivative(t, q, v, out); });
  probe("third derivative of g", values, [&](Vector& out) { s.constraint_third(t, q, v, w, out); });
  probe("constraint velocity G v + g_t", m, [&](Vector& out) { s.constraint_velocity(t, q, v, out); });
  probe("constraint bias v^T (Hess g) v + 2 G_t v + g_tt", m, [&](Vector& out) { s.constraint_bias(t, q, v, out); });
}

void probe_split(const System& s, const Probe& probe, double t, const Vector& q) {
  const SplitPotential* split = s.parts().split;
  if (!split) return;
  Vector n(s.n()), four(4);
  Vector pi(split->n_invariants()), values(split->invariant_pattern().nonzeros());
  probe("invariant pi", pi, [&](Vector& out) { split->invariants(q, out); });
  probe("invariant Jacobian", values, [&](Vector& out) { split->invariant_jacobian(q, out); });
  for (Index k = 0; k < split->n_invariants(); ++k)
    probe("potential V of an invariant", four, [&](Vector& out) {
      const auto derivatives = split->invariant_potential(k, pi[k]);
      for (Index i = 0; i < 4; ++i) out[i] = derivatives[static_cast<std::size_t>(i)];
    });
  probe("gradient of the potential's regular part", n,
        [&](Vector& out) { split->regular_potential_gradient(t, q, out); });
  Vector hessian(s.hessian_pattern().nonzeros());
  const Vector c = Vector::Ones(split->n_invariants()), lambda = Vector::Ones(s.m());
  probe("split Hessian", hessian, [&](Vector& out) { split->split_hessian(t, q, c, lambda, out); });
}

void probe_parts(const System& s, const Probe& probe, double t, const Vector& q, const Vector& p, const Vector& v) {
  const Parts& parts = s.parts();
  Vector n(s.n());
  Vector one(1);
  for (Index a = 0; a < parts.n_integrals(); ++a)
    probe("first integral", one, [&](Vector& out) { out[0] = parts.integrals->integral(a, t, q, p); });
  if (parts.force) probe("force Q", n, [&](Vector& out) { parts.force->force(t, q, v, out); });
  if (parts.obstacles) {
    Vector c(parts.n_obstacles());
    probe("obstacle c", c, [&](Vector& out) { parts.obstacles->obstacles(q, out); });
  }
  for (Index a = 0; a < parts.n_symmetries(); ++a)
    probe("symmetry generator xi", n, [&](Vector& out) { parts.symmetries->symmetry_generator(a, q, out); });
  if (parts.penalty) {
    Vector four(4);
    probe("penalty function r(0)", four, [&](Vector& out) {
      const auto derivatives = parts.penalty->penalty_function(0);
      for (Index i = 0; i < 4; ++i) out[i] = derivatives[static_cast<std::size_t>(i)];
    });
  }
  probe_split(s, probe, t, q);
}

/// The sizes of the terms of g at x = q, or of G v at x = v.
Vector constraint_scale(const System& system, const Vector& values, const Vector& x) {
  Vector scale(system.m());
  constraint_sizes(system.constraint_pattern(), values, system.mass().diagonal_entries(), x, scale);
  return scale;
}
Vector position_scale(const System& system, const Vector& values, const Vector& q) {
  return given_position_sizes(system.constraint_pattern(), values, system.mass().diagonal_entries(), q);
}

/// Of velocities, which may all be zero while constraints move, or motion begins: and the speed
/// (sizes of g times |(G a)_i| + |bias_i|)^(1/2) that accelerations a = M^-1 grad U make of positions, for rounding.
Vector velocity_scale(const System& system, double t, const Vector& values, const Vector& q, const Vector& v) {
  const Index n = system.n();
  Vector gradient(n), a(n), bias(system.m()), pull(system.m());
  system.potential_gradient(t, q, gradient);
  a = gradient.cwiseQuotient(system.mass().diagonal_entries()).cwiseAbs();
  multiply(system.constraint_pattern(), values.cwiseAbs(), a, pull);
  system.constraint_bias(t, q, v, bias);
  const Vector pulled = constraint_scale(system, values, q).cwiseProduct(pull + bias.cwiseAbs());
  return constraint_scale(system, values, v) + thresholds::begun_motion * pulled.cwiseSqrt();
}

/// Largest |r_i| / scale_i and its index.
double worst(const Vector& r, const Vector& scale, Index& at) {
  return r.binaryExpr(scale, &part_of).cwiseAbs().maxCoeff(&at);
}

void check_residual(const System& system, const char* formula, const Vector& r, const Vector& scale, double tolerance) {
  Index at = 0;
  if (!r.allFinite() || !scale.allFinite())
    throw Error(ErrorCode::not_finite, subject(system) + formula + " is not finite at the start");
  if (worst(r, scale, at) <= tolerance) return;
  throw Error(ErrorCode::inconsistent_start,
              subject(system) + "the start violates constraint \"" + constraint_name(system, at) + "\": " + formula +
                  " = " + number_text(r[at]) + ", at most " + number_text(tolerance * scale[at]) +
                  " is allowed; a projection in the mass metric would repair it");
}

/// No obstacle may be penetrated.
void check_obstacles(const System& system, double t, const Vector& q) {
  const Obstacles* obstacles = system.parts().obstacles;
  if (!obstacles) return;
  const Index count = obstacles->n_obstacles();
  Vector c(count);
  obstacles->obstacles(q, c);
  const auto closed = obstacles->with_obstacles_closed();  // its rows are g, -c, and those of slips and velocities
  Vector values(closed->constraint_pattern().nonzeros());
  closed->constraint_jacobian(t, q, values);
  const double size = std::max(q.lpNorm<Eigen::Infinity>(), thresholds::no_division_by_zero);
  const std::vector<Index>& offsets = closed->constraint_pattern().offsets;
  for (Index i = 0; i < count; ++i) {
    const auto row = static_cast<std::size_t>(system.m() - system.parts().n_velocity_constraints() + i);
    if (c[i] >=
        -thresholds::touching_gap * values.segment(offsets[row], offsets[row + 1] - offsets[row]).lpNorm<1>() * size)
      continue;
    const auto names = obstacles->obstacle_names();
    const auto k = static_cast<std::size_t>(i);
    throw Error(ErrorCode::inconsistent_start, subject(system) + "the start is inside obstacle \"" +
                                                   (k < names.size() ? names[k] : "c[" + std::to_string(i) + "]") +
                                                   "\": c = " + number_text(c[i]) + ", expected at least 0");
  }
}

/// The rank that G is taken to have on the way to the constraints.
struct Ranks {
  bool loose;        ///< singular values below a hundred times the misfit count as zero
  Index there = 0;   ///< that on the constraints: so many singular values count. Zero: not known, found
  bool full = true;  ///< found: each was m
};

/// W dq + G^T mu = 0, G dq = -g, until g no longer shrinks below the accuracy of its own evaluation; false, with q
/// where g was least, where it does not come so far. Constraints that repeat others do so on the constraints only:
/// beside them by the distance d the singular values of what repeats are of the size of d, and dq must not follow
/// these.
bool project_position(const System& system, const Probe& probe, double t, const PositionMetric* metric, Ranks& ranks,
                      Vector& q) {
  constexpr int most_iterations = 50;
  constexpr double beside_misfit = 100;
  const Index m = system.m();
  const Vector zero = Vector::Zero(system.n()), given = q;
  Vector r(m), values(system.constraint_pattern().nonzeros()), step, multipliers, best = q;
  Index at = 0, rank = m;
  double error = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    probe("constraint g", r, [&](Vector& out) { system.constraints(t, q, out); });
    probe("constraint Jacobian G", values, [&](Vector& out) { system.constraint_jacobian(t, q, out); });
    const double now = worst(r, position_scale(system, values, q), at);
    const bool stagnates = !(now < 0.5 * error);
    if (now < error) {
      error = now;
      best = q;
    }
    if (error == 0 || (stagnates && error <= thresholds::on_constraints)) break;
    const double threshold =
        ranks.loose ? std::clamp(beside_misfit * now, thresholds::rank, thresholds::loosest_rank) : thresholds::rank;
    const SaddlePoint saddle_point(system, t, q, threshold, metric, true, ranks.there);
    rank = saddle_point.rank();
    ranks.full = ranks.full && rank == m;
    saddle_point.solve(zero, -r, step, multipliers);
    q += step;
  }
  if (error <= thresholds::on_constraints) {
    q = best;
    ranks.there = rank;
    return true;
  }
  q = ranks.loose ? given : best;
  return false;
}

/// Why the projection failed: what is left of the worst constraint.
std::string misfit_text(const System& system, double t, const Vector& q) {
  Vector r(system.m());
  Index at = 0;
  system.constraints(t, q, r);
  worst(r, Vector::Ones(system.m()), at);
  return subject(system) + "the projection of the start onto the constraints did not converge: constraint \"" +
         constraint_name(system, at) + "\" still has g = " + number_text(r[at]) + ", expected 0";
}

}  // namespace

std::string constraint_name(const System& system, Index i) {
  const auto& names = system.traits().constraint_names;
  const auto k = static_cast<std::size_t>(i);
  return k < names.size() && !names[k].empty() ? names[k] : "g[" + std::to_string(i) + "]";
}

void require_dependence(const System& system) {
  const auto require = [&system](const SparsityPattern& pattern, Index first, Index end, const auto& name) {
    for (Index i = first; i < end; ++i)
      if (pattern.offsets[i] == pattern.offsets[i + 1])
        throw Error(ErrorCode::bad_value, "system " + system.name() + ": " + name(i) +
                                              " depends on no coordinate, so that no motion keeps or breaks it");
  };
  require(system.constraint_pattern(), 0, system.m(),
          [&](Index i) { return "constraint \"" + constraint_name(system, i) + "\""; });
  if (!system.parts().obstacles) return;
  const std::vector<std::string> names = system.parts().obstacles->obstacle_names();
  const auto closed = system.parts().obstacles->with_obstacles_closed();
  const Index first = system.m() - system.parts().n_velocity_constraints();
  require(closed->constraint_pattern(), first, first + system.parts().n_obstacles(), [&](Index i) {
    const auto k = static_cast<std::size_t>(i - first);
    return "obstacle " + (names.empty() ? std::to_string(k) : "\"" + names[k] + "\"");
  });
}

ConstraintRank constraint_rank(const System& system, double t, const Vector& q) {
  require_dependence(system);
  Vector values(system.constraint_pattern().nonzeros());
  if (system.m() > 0) system.constraint_jacobian(t, q, values);
  return rank_of(system, q, values);
}

ConstraintRank check_start(const System& system, double t, const Vector& q, const Vector& p, double tolerance) {
  check_arguments(system, t, q, p);
  require_dependence(system);
  const Probe probe(system);
  const Vector v = velocity(system, probe, q, p);
  const Vector w = Vector::Ones(system.n());
  probe_potential(system, probe, t, q, w);
  probe_constraints(system, probe, t, q, v, w);
  probe_parts(system, probe, t, q, p, v);
  check_obstacles(system, t, q);
  if (system.m() == 0) return {};

  Vector r(system.m()), values(system.constraint_pattern().nonzeros());
  system.constraint_jacobian(t, q, values);
  system.constraints(t, q, r);
  check_residual(system, "g", r, position_scale(system, values, q), tolerance);
  system.constraint_velocity(t, q, v, r);
  check_residual(system, "G v + g_t", r, velocity_scale(system, t, values, q, v), tolerance);

  return rank_of(system, q, values);
}

void project_positions(const System& system, double t, Vector& q, const PositionMetric* metric) {
  const Vector zero = Vector::Zero(system.n());
  check_arguments(system, t, q, zero);
  if (system.m() == 0) return;
  const Probe probe(system);
  probe_constraints(system, probe, t, q, zero, Vector::Ones(system.n()));
  const Vector& weights = metric ? metric->weights : system.mass().diagonal_entries();
  for (const bool loose : {true, false}) {
    Vector found = q;
    Ranks ranks{loose};
    if (!project_position(system, probe, t, metric, ranks, found)) {
      if (!loose) q = found;
      continue;
    }
    // Another rank beside the constraints than on them leads to a point that is not the nearest one. From far away the
    // known one may lead to another configuration.
    Vector nearer = q;
    Ranks known{false, ranks.there};
    const auto way = [&](const Vector& to) { return (to - q).cwiseAbs2().dot(weights); };
    if (!ranks.full && project_position(system, probe, t, metric, known, nearer) && way(nearer) < 2 * way(found))
      found = nearer;
    q = found;
    return;
  }
  throw Error(ErrorCode::inconsistent_start, misfit_text(system, t, q));
}

void project_momenta(const System& system, double t, const Vector& q, Vector& p) {
  check_arguments(system, t, q, p);
  const Index m = system.m();
  if (m == 0) return;
  const Probe probe(system);
  const Vector zero = Vector::Zero(system.n());
  // M dv + G^T nu = 0, G dv = -(G v + g_t): linear, so the second pass removes only rounding.
  const SaddlePoint saddle_point(system, t, q);
  Vector r(m), step, multipliers;
  for (int pass = 0; pass < 2; ++pass) {
    system.constraint_velocity(t, q, velocity(system, probe, q, p), r);
    saddle_point.solve(zero, -r, step, multipliers);
    p += momenta(system, q, step);
  }
}

void project_start(const System& system, double t, Vector& q, Vector& p) {
  check_arguments(system, t, q, p);
  project_positions(system, t, q);
  project_momenta(system, t, q, p);
}

std::string moved_text(const System& system, const Vector& before, const Vector& after) {
  constexpr std::size_t most = 6;
  std::vector<Block> blocks = system.traits().blocks;
  for (Index j = 0; blocks.empty() && j < system.n(); ++j) blocks.push_back({"q[" + std::to_string(j) + "]", j, 1});
  std::vector<std::pair<std::string, double>> moved;
  for (const Block& block : blocks) {
    if (block.size == 0) continue;
    const double change = (after - before).segment(block.offset, block.size).cwiseAbs().maxCoeff();
    const std::string part = block.name.substr(0, block.name.find('.'));
    if (moved.empty() || moved.back().first != part) moved.emplace_back(part, 0);
    moved.back().second = std::max(moved.back().second, change);
  }
  const double size =
      thresholds::start_rounding * std::max(before.lpNorm<Eigen::Infinity>(), after.lpNorm<Eigen::Infinity>());
  const auto still = std::remove_if(moved.begin(), moved.end(), [&](const auto& one) { return one.second <= size; });
  moved.erase(still, moved.end());
  std::stable_sort(moved.begin(), moved.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t k = 0; k < std::min(moved.size(), most); ++k)
    text += (k == 0                  ? ""
             : k + 1 == moved.size() ? " and "
                                     : ", ") +
            moved[k].first + " by " + number_text(moved[k].second);
  if (moved.size() > most) text += " and " + std::to_string(moved.size() - most) + " others by less";
  return text.empty() ? "nothing" : text;
}

std::string moved_text(const System& system, const Vector& q_before, const Vector& v_before, const Vector& q_after,
                       const Vector& v_after) {
  const std::string positions = moved_text(system, q_before, q_after);
  const std::string velocities = moved_text(system, v_before, v_after);
  if (velocities == "nothing") return positions;
  return (positions == "nothing" ? "" : positions + "; ") + "velocities: " + velocities;
}

std::vector<Vector> positions_beside(const System& system, double t, const Vector& q) {
  std::vector<Vector> all;
  Uniform uniform(7);
  const double size = q.lpNorm<Eigen::Infinity>();
  for (int k = 0; k < directions_beside; ++k) try {
      Vector force(system.n()), along, lambda;
      for (Index j = 0; j < force.size(); ++j) force[j] = std::sqrt(system.mass().diagonal_entries()[j]) * uniform();
      SaddlePoint(system, t, q).solve(force, Vector::Zero(system.m()), along, lambda);
      const double length = along.lpNorm<Eigen::Infinity>();
      const double free = force.cwiseQuotient(system.mass().diagonal_entries()).lpNorm<Eigen::Infinity>();
      if (!(length > thresholds::free_motion * free)) return all;  // nothing is free to move
      Vector there = q + (thresholds::beside * (size > 0 ? size : 1) / length) * along, p = Vector::Zero(system.n());
      project_start(system, t, there, p);
      all.push_back(there);
    } catch (const Error&) {
      // No position was found in this direction.
    }
  return all;
}

Index rank_beside(const System& system, double t, const Vector& q) {
  Index rank = constraint_rank(system, t, q).rank;
  if (rank == system.m()) return rank;
  for (const Vector& other : positions_beside(system, t, q))
    rank = std::max(rank, constraint_rank(system, t, other).rank);
  return rank;
}

void acceleration(const System& system, double t, const Vector& q, const Vector& v, Vector& a, Vector& lambda,
                  Index rank) {
  Vector f(system.n()), bias(system.m()), force(system.n());
  system.potential_gradient(t, q, f);
  f = -f;
  if (system.parts().force) {
    system.parts().force->force(t, q, v, force);
    f += force;
  }
  if (system.m() > 0) system.constraint_bias(t, q, v, bias);
  const SaddlePoint saddle_point(system, t, q, thresholds::rank, nullptr, false, rank);
  if (saddle_point.rank() < rank) throw_rank_deficient(system, constraint_rank(system, t, q));
  if (!system.parts().mass) return saddle_point.solve(f, -bias, a, lambda);
  // With H = T(q,p) + U: v' = T_pq v + M^-1 p', p' = -T_q + f - G^T lambda.
  const Index n = system.n();
  const Vector p = momenta(system, q, v);
  Vector t_q(n), t_p(n), drift_q(n), drift(n);
  system.parts().mass->kinetic_gradient(q, p, t_q, t_p);
  system.parts().mass->kinetic_hessian_times(q, p, v, Vector::Zero(n), drift_q, drift);
  if (system.m() > 0) {
    Vector values(system.constraint_pattern().nonzeros()), along(system.m());
    system.constraint_jacobian(t, q, values);
    multiply(system.constraint_pattern(), values, drift, along);
    bias += along;
  }
  saddle_point.solve(f - t_q, -bias, a, lambda);
  a += drift;
}

}  // namespace gnomon
