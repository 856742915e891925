#include "gnomon/start/consistent_start.hpp"

#include "gnomon/base/error.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "start/friction_acceleration.hpp"

namespace gnomon {

namespace {

void require_finite(const Model& model, const ConsistentStart& start) {
  if (start.a.allFinite() && start.lambda.allFinite()) return;
  throw Error(ErrorCode::not_finite,
              "system " + model.name() + ": the accelerations or the multipliers of the start are not finite");
}

void complete(const System& system, double t0, bool project, ConsistentStart& start) {
  const Index n = system.n();
  if (project && start.q.size() == n && start.p.size() == n) project_start(system, t0, start.q, start.p);
  start.rank = check_start(system, t0, start.q, start.p);
  start.lambda.setZero(system.m());
  start.v.setZero(n);
  start.a.setZero(n);
  system.velocity(start.q, start.p, start.a, start.v);
  if (system.m() > 0) acceleration(system, t0, start.q, start.v, start.a, start.lambda);
  require_finite(system, start);
}

void complete(const OverdeterminedSystem& system, bool project, ConsistentStart& start) {
  const OverdeterminedTraits& traits = system.traits();
  if (project)
    throw Error(ErrorCode::refused,
                "an inconsistent start is repaired in the mass metric, which the overdetermined DAE \"" + traits.name +
                    "\" does not have: give a consistent one");
  start.z.swap(start.p);
  check_start(system, start.q, start.z);
  start.lambda.setZero(traits.m);
  start.v.setZero(traits.ny);
  start.a.setZero(traits.nz);
  Index1(system).solve(start.q, start.z, start.a, start.lambda);
  require_finite(system, start);
  const OverdeterminedPoint at{start.q, start.z, start.lambda};
  system.evaluate(Term::velocity, at, start.v);
  start.p.setZero(traits.nz);
  system.evaluate(Term::momentum, at, start.p);
}

}  // namespace

ConsistentStart consistent_start(const Model& model, double t0, const Vector& q0, const Vector& p0, bool project) {
  ConsistentStart start;
  start.q = q0;
  start.p = p0;
  if (const System* system = model.mechanical())
    complete(*system, t0, project, start);
  else
    complete(*model.overdetermined(), project, start);
  return start;
}

Vector index1_multipliers(const Model& model, const StateView& at, Index rank) {
  Vector lambda = at.lambda;
  if (lambda.size() != model.m()) lambda.setZero(model.m());
  if (lambda.size() == 0) return lambda;
  Vector slope;
  if (const System* system = model.mechanical()) {
    Vector velocity(system->n());
    slope.resize(system->n());
    system->velocity(at.q, at.p, slope, velocity);
    friction_acceleration(*system, at.t, at.q, velocity, slope, lambda, rank);
    return lambda;
  }
  slope.setZero(at.z.size());
  Index1(*model.overdetermined()).solve(at.q, at.z, slope, lambda);
  return lambda;
}

}  // namespace gnomon
