#include "gnomon/start/verify.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/base/visible_text.hpp"
#include "gnomon/model/overdetermined.hpp"
#include "gnomon/start/consistency.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "model/contact_model.hpp"
#include "start/overdetermined_checker.hpp"
#include "start/system_checker.hpp"

namespace gnomon {

namespace {

using Checks = std::vector<ModelCheck>;

void append(Checks& to, Checks from) {
  for (ModelCheck& check : from) to.push_back(std::move(check));
}

std::string dependent_names(const System& system, const ConstraintRank& rank) {
  if (rank.dependent.empty()) return "";
  std::string names;
  for (const Index i : rank.dependent) names += ", \"" + constraint_name(system, i) + "\"";
  return names + (rank.dependent.size() == 1 ? " repeats others: handled" : " repeat others: handled");
}

Checks start_of(const System& system, double t0, const Vector& q0, const Vector& p0) {
  const ConstraintRank rank = check_start(system, t0, q0, p0);  // throws what is wrong
  Vector v(system.n()), g(system.m()), gv(system.m()), scratch(system.n());
  system.velocity(q0, p0, scratch, v);
  system.constraints(t0, q0, g);
  system.constraint_velocity(t0, q0, v, gv);
  Checks out{{"start-position", max_norm(g), {}, "max |g(q0)|: consistent"},
             {"start-velocity", max_norm(gv), {}, "max |G v0 + g_t|: consistent"}};
  if (system.m() == 0) return out;
  out.push_back({"rank",
                 static_cast<double>(rank.rank),
                 {},
                 "of G, with " + std::to_string(system.m()) + " constraints" + dependent_names(system, rank)});
  out.push_back({"condition", rank.condition, {}, "of G M^-1/2, rows scaled"});
  return out;
}

Checks start_of(const OverdeterminedSystem& system, const Vector& y0, const Vector& z0) {
  check_start(system, y0, z0);  // throws what is wrong
  Vector level(system.m()), psi = Vector::Zero(system.m()), slope = Vector::Zero(system.traits().nz);
  const OverdeterminedPoint start{y0, z0, psi};
  Checks out;
  system.evaluate(Term::constraint, start, level);
  out.push_back({"start-position", max_norm(level), {}, "max |g(y0)|: consistent"});
  system.evaluate(Term::hidden, start, level);
  out.push_back({"start-velocity", max_norm(level), {}, "max |g_y v| at y0, z0: consistent"});
  if (psi.size() == 0) return out;
  Index1(system).solve(y0, z0, slope, psi);
  out.push_back({"start-multiplier", max_norm(psi), {}, "max |psi| there"});
  return out;
}

/// Checks of forces outside U and g, which are seen where a system is taken as an overdetermined DAE. False where
/// constraints repeat others, so that no multiplier is determined.
bool add_forces(const System& start, const std::shared_ptr<const System>& system, double t0, const Vector& q0,
                const Vector& p0, Checks& out) {
  const Parts& parts = system->parts();
  const bool moving = parts.time_dependence || (parts.force && parts.force->force_depends_on_time());
  if (moving || parts.velocity_constraints || (!parts.force && !parts.friction)) return true;
  if (constraint_rank(*system, t0, q0).rank < system->m()) return false;
  Vector v(start.n()), scratch(start.n());
  start.velocity(q0, p0, scratch, v);
  append(out, check_overdetermined(*overdetermined_from(system), q0, v));
  return true;
}
ModelCheck forces_unchecked() {
  return {"forces", 0, {}, "not checked beside multipliers: constraints repeat others, so that none is determined"};
}

}  // namespace

bool ModelCheck::passed() const {
  return !tolerance || (std::isfinite(value) && value <= *tolerance);
}

bool all_passed(const std::vector<ModelCheck>& checks) {
  return std::all_of(checks.begin(), checks.end(), [](const ModelCheck& check) { return check.passed(); });
}

std::string to_text(const std::vector<ModelCheck>& checks) {
  char line[128];
  std::snprintf(line, sizeof line, "%-22s  %10s  %10s  %-5s\n", "check", "measured", "tolerance", "");
  std::string text = line;
  for (const ModelCheck& check : checks) {
    char tolerance[32] = "";
    if (check.tolerance) std::snprintf(tolerance, sizeof tolerance, "<= %.4g", *check.tolerance);
    std::snprintf(line, sizeof line, "  %10.4g  %10s  %-5s  ", check.value, tolerance,
                  check.passed() ? "pass" : "FAIL");
    const std::string name = visible(check.name);
    text += name + std::string(name.size() < 22 ? 22 - name.size() : 0, ' ') + line + visible(check.note) + "\n";
  }
  return text + (all_passed(checks) ? "all checks passed\n" : "some checks FAILED\n");
}

std::vector<ModelCheck> verify_functions(const Model& model, double t0, const Vector& q0, const Vector& p0) {
  if (const OverdeterminedSystem* dae = model.overdetermined()) return check_overdetermined(*dae, q0, p0);
  const System& system = *model.mechanical();
  const std::shared_ptr<const System> open(std::shared_ptr<const System>(), &system);
  if (!system.parts().obstacles) {
    Checks out = SystemChecker(system, t0, q0, p0).run();
    if (!add_forces(*open, open, t0, q0, p0, out)) out.push_back(forces_unchecked());
    return out;
  }
  // Obstacles are differentiated where they are held closed.
  const std::shared_ptr<const System> closed = system.parts().obstacles->with_obstacles_closed();
  Checks out = SystemChecker(*closed, t0, q0, p0).run();
  // All contacts without their slips, of which smooth ones have none; where these do not hold together, as two limits
  // of one joint, none of them.
  std::vector<Index> all(static_cast<std::size_t>(system.parts().n_obstacles()));
  std::iota(all.begin(), all.end(), Index{0});
  constexpr int neither = 2;  // sticks nor slides
  const std::vector<int> slip(system.parts().coulomb ? all.size() : 0, neither);
  const auto with = [&](const std::vector<Index>& contacts) {
    const std::vector<int> of_these(slip.begin(),
                                    slip.begin() + static_cast<long>(std::min(slip.size(), contacts.size())));
    return std::make_shared<ContactModel>(open, closed, contacts, of_these);
  };
  if (!add_forces(system, with(all), t0, q0, p0, out) && !add_forces(system, with({}), t0, q0, p0, out))
    out.push_back(forces_unchecked());
  return out;
}

std::vector<ModelCheck> verify(const Model& model, double t0, const Vector& q0, const Vector& p0) {
  const System* system = model.mechanical();
  Checks out = system ? start_of(*system, t0, q0, p0) : start_of(*model.overdetermined(), q0, p0);
  append(out, verify_functions(model, t0, q0, p0));
  return out;
}

std::vector<ModelCheck> verify(const ProblemInstance& instance) {
  Checks out = verify(*instance.model, instance.t0, instance.q0, instance.p0);
  if (!instance.exact) return out;
  Vector q(instance.q0.size()), p(instance.p0.size());
  instance.exact(instance.t0, q, p);
  const auto apart = [](const Vector& exact, const Vector& start) {
    const double size = max_norm(start);
    return max_norm(exact - start) / (size > 0 ? size : 1);
  };
  const double error = std::max(apart(q, instance.q0), apart(p, instance.p0));
  out.push_back({"exact-start", error, thresholds::exact_start, "closed form at t0 against the start"});
  return out;
}

}  // namespace gnomon
