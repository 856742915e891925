#include "gnomon/start/consistent_start.hpp"

#include "gnomon/base/error.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"

namespace gnomon {

namespace {

void complete(const System& system, double t0, bool project, bool allow_dependent, ConsistentStart& start) {
  const Index n = system.n();
  if (project && start.q.size() == n && start.p.size() == n)
    project_start(system, t0, start.q, start.p, allow_dependent);
  start.rank = check_start(system, t0, start.q, start.p, 1e-10, allow_dependent);
  start.lambda.setZero(system.m());
  start.v.setZero(n);
  start.a.setZero(n);
  system.velocity(start.q, start.p, start.a, start.v);
  if (system.m() > 0) acceleration(system, t0, start.q, start.v, start.a, start.lambda, allow_dependent);
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
  const OverdeterminedPoint at{start.q, start.z, start.lambda};
  system.evaluate(Term::velocity, at, start.v);
  start.p.setZero(traits.nz);
  system.evaluate(Term::momentum, at, start.p);
}

}  // namespace

ConsistentStart consistent_start(const Model& model, double t0, const Vector& q0, const Vector& p0, bool project,
                                 bool allow_dependent) {
  ConsistentStart start;
  start.q = q0;
  start.p = p0;
  if (const System* system = model.mechanical())
    complete(*system, t0, project, allow_dependent, start);
  else
    complete(*model.overdetermined(), project, start);
  return start;
}

}  // namespace gnomon
