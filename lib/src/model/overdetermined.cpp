#include "gnomon/model/overdetermined.hpp"

#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/model/system.hpp"
#include "model/mechanical_overdetermined.hpp"

namespace gnomon {

const char* to_string(Term term) {
  switch (term) {
    case Term::velocity:
      return "velocity v(y,z)";
    case Term::momentum:
      return "momentum p(y,z)";
    case Term::force:
      return "force f(y,z)";
    case Term::multiplier_force:
      return "multiplier force r(y,z,psi)";
    case Term::constraint:
      return "constraint g(y)";
    case Term::hidden:
      return "hidden constraint g_y v";
  }
  return "";
}

Index OverdeterminedTraits::rows(Term term) const {
  switch (term) {
    case Term::velocity:
      return ny;
    case Term::momentum:
    case Term::force:
    case Term::multiplier_force:
      return nz;
    case Term::constraint:
    case Term::hidden:
      return m;
  }
  return 0;
}

Index OverdeterminedTraits::size(Argument argument) const {
  return argument == Argument::y ? ny : argument == Argument::z ? nz : m;
}

bool OverdeterminedSystem::hidden_bias(const OverdeterminedPoint&, VectorRef) const {
  return false;
}

double OverdeterminedSystem::energy(const OverdeterminedPoint&) const {
  throw Error(ErrorCode::refused, "system " + traits().name + " declares no energy");
}

double OverdeterminedSystem::power(const OverdeterminedPoint&) const {
  throw Error(ErrorCode::refused, "system " + traits().name + " declares no energy");
}

std::vector<std::pair<std::string, Index>> OverdeterminedSystem::sizes() const {
  return {{"number of y", traits().ny}, {"number of z", traits().nz}, {"number of constraints", m()}};
}

void OverdeterminedSystem::velocity(const StateView& at, VectorRef, VectorRef out) const {
  evaluate(Term::velocity, {at.q, at.z, at.lambda}, out);
}

bool OverdeterminedSystem::measure(const StateView& at, Measured& out) const {
  out.g.resize(m());
  out.g_rate.resize(m());
  const OverdeterminedPoint point{at.q, at.z, at.lambda};
  evaluate(Term::constraint, point, out.g);
  out.position = max_norm(out.g);
  evaluate(Term::hidden, point, out.g_rate);
  out.velocity = max_norm(out.g_rate);
  if (has_energy()) out.energy = energy(point);
  return std::isfinite(out.position) && std::isfinite(out.velocity) && at.q.allFinite() && at.z.allFinite();
}

std::shared_ptr<const OverdeterminedSystem> overdetermined_from(std::shared_ptr<const Model> model) {
  if (model->overdetermined()) return {model, model->overdetermined()};
  std::shared_ptr<const System> system = shared_system(model);
  const Parts& parts = system->parts();
  if (parts.time_dependence || (parts.force && parts.force->force_depends_on_time()))
    refuse_as_overdetermined(*system, "it depends on time");
  require_no_obstacles(*system);
  return std::make_shared<MechanicalOverdetermined>(std::move(system));
}

}  // namespace gnomon
