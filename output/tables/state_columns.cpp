#include "tables/state_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "gnomon/base/error.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/model/overdetermined.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/registry/coordinate_names.hpp"
#include "gnomon/start/consistency.hpp"
#include "tables/drawn_points.hpp"

namespace gnomon::tables {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string indexed(const std::string& name, Index i) {
  return name + "[" + std::to_string(i) + "]";
}

/// Names of constraints, then of obstacles.
std::vector<std::string> multiplier_names(const Model& model) {
  std::vector<std::string> names;
  const System* system = model.mechanical();
  const std::vector<std::string>& declared = model.traits().constraint_names;
  for (Index i = 0; i < model.m(); ++i) {
    if (static_cast<std::size_t>(i) < declared.size())
      names.push_back(declared[static_cast<std::size_t>(i)]);
    else
      names.push_back(system ? constraint_name(*system, i) : indexed("g", i));
  }
  if (!system || !system->parts().obstacles) return names;
  const std::vector<std::string> obstacles = system->parts().obstacles->obstacle_names();
  for (Index i = 0; i < system->parts().n_obstacles(); ++i)
    names.push_back(static_cast<std::size_t>(i) < obstacles.size() ? obstacles[static_cast<std::size_t>(i)]
                                                                   : indexed("c", i));
  return names;
}

/// The unit of a derivative in time; none without a unit.
std::string rate(const std::string& unit) {
  return unit.empty() ? "" : unit + "/s";
}

bool nothing_does_work(const Model& model) {
  const System* system = model.mechanical();
  if (!system) return model.has_energy() && model.overdetermined()->traits().hamiltonian;
  const Parts& parts = system->parts();
  return !parts.force && !parts.friction && !parts.time_dependence && !parts.obstacles;
}

}  // namespace

StateColumns::StateColumns(const ProblemInstance& instance)
    : model_(instance.model), system_(model_->mechanical()), outputs_(instance) {
  name_columns(instance);
  conservative_ = nothing_does_work(*model_);
  scratch_.t = instance.t0;
  scratch_.q.set(instance.q0);
  if (system_) {
    scratch_.p.set(instance.p0);
  } else {
    scratch_.scheme_data = instance.p0;
    index1_.emplace(*model_->overdetermined());
    Vector p(model_->overdetermined()->traits().rows(Term::momentum));
    model_->overdetermined()->evaluate(Term::momentum, {instance.q0, instance.p0, Vector::Zero(model_->m())}, p);
    scratch_.p.set(p);
  }
  scratch_.lambda = Vector::Zero(model_->m());
  start_ = levels(scratch_);
}

void StateColumns::name_columns(const ProblemInstance& instance) {
  const auto add = [this](Kind kind, const std::string& name, const std::string& unit = {}) {
    columns_.push_back({name, unit, kind});
  };
  const std::vector<std::string> names = coordinate_names(*model_);
  std::vector<std::string> units(names.size());
  if (system_) units = drawn_units(instance, *system_);
  const auto known = std::find_if(units.begin(), units.end(), [](const std::string& unit) { return !unit.empty(); });
  const bool si = known != units.end() && *known == "m";

  add(Kind::time, "t", si ? "s" : "");
  for (std::size_t j = 0; j < names.size(); ++j) add(Kind::position, names[j], units[j]);
  if (system_) {
    for (std::size_t j = 0; j < names.size(); ++j) add(Kind::velocity, "der(" + names[j] + ")", rate(units[j]));
    for (std::size_t j = 0; j < names.size(); ++j)
      add(Kind::momentum, "p(" + names[j] + ")", units[j] == "m" ? "kg m/s" : "");
  } else {
    const OverdeterminedTraits& traits = model_->overdetermined()->traits();
    for (Index i = 0; i < traits.nz; ++i) add(Kind::velocity, indexed(traits.state_names[1], i));
    for (Index i = 0; i < traits.rows(Term::momentum); ++i) add(Kind::momentum, indexed("p", i));
  }
  const std::vector<std::string> multipliers = multiplier_names(*model_);
  n_multipliers_ = static_cast<Index>(multipliers.size());
  for (const std::string& name : multipliers)
    add(Kind::multiplier, (system_ ? "lambda." : model_->traits().state_names[2] + ".") + name);
  if (model_->has_energy()) {
    add(Kind::energy, "energy", si ? "J" : "");
    add(Kind::energy_error, "energy_error", si ? "J" : "");
  }
  add(Kind::constraint, "position_max");
  add(Kind::constraint, "velocity_max");
  if (system_) {
    const Parts& parts = system_->parts();
    for (Index a = 0; a < parts.n_symmetries(); ++a)
      add(Kind::invariant, "momentum_error." + parts.symmetries->symmetry_name(a));
    for (Index a = 0; a < parts.n_integrals(); ++a)
      add(Kind::invariant, "integral_error." + parts.integrals->integral_name(a));
  }
  for (const Output& output : outputs_.outputs()) add(Kind::output, output.name, output.unit);

  std::set<std::string> taken;
  for (Column& column : columns_) {
    if (column.kind == Kind::output && taken.count(column.name) > 0) column.name = "output." + column.name;
    const std::string wanted = column.name;
    for (int k = 2; !taken.insert(column.name).second; ++k) column.name = wanted + "#" + std::to_string(k);
  }
}

StateColumns::Errors StateColumns::levels(const State& z) {
  const Windings turns(z.turns);
  model_->measure(z.view(), measured_);
  Errors out;
  out.energy = static_cast<double>(measured_.energy - z.work.total());
  out.momentum.assign(measured_.momentum.begin(), measured_.momentum.end());
  out.integrals.assign(measured_.integrals.begin(), measured_.integrals.end());
  return out;
}

void StateColumns::fill(const Integrator& run, double* values) {
  const State& z = run.state();
  const Windings turns(z.turns);
  const InvariantMonitor& monitor = run.monitor();
  model_->measure(z.view(), measured_);
  Errors errors{monitor.energy().last_error(), {}, {}};
  for (const Drift& drift : monitor.momentum()) errors.momentum.push_back(drift.last_error());
  for (const Drift& drift : monitor.integrals()) errors.integrals.push_back(drift.last_error());
  fill_with(z, errors, outputs_.outputs().empty() ? Vector() : outputs_.evaluate(run), values);
}

void StateColumns::fill(const Integrator& run, const State& within, const State& end, double* values) {
  const InvariantMonitor& monitor = run.monitor();
  const Errors at_end = levels(end);
  // A scheme that keeps H and something of its own is known at the ends of steps only; impacts are no such thing.
  const bool own = !(system_ && system_->parts().obstacles) &&
                   std::abs(static_cast<double>(monitor.energy_now()) - at_end.energy) > 1e-12 * monitor.energy_scale();
  Errors errors = levels(within);
  errors.energy = own ? nan : errors.energy - at_end.energy + monitor.energy().last_error();
  for (std::size_t a = 0; a < errors.momentum.size(); ++a)
    errors.momentum[a] += monitor.momentum()[a].last_error() - at_end.momentum[a];
  for (std::size_t a = 0; a < errors.integrals.size(); ++a)
    errors.integrals[a] += monitor.integrals()[a].last_error() - at_end.integrals[a];
  fill_with(within, errors, outputs_.outputs().empty() ? Vector() : outputs_.evaluate(within), values);
}

void StateColumns::fill(const ReferenceReport& at, double* values) {
  State& z = scratch_;
  z.t = at.t;
  z.q.set(at.q);
  z.p.set(at.p);
  z.lambda = at.lambda;
  if (index1_) index1_->solve_momentum(at.q, at.p, z.scheme_data);
  Errors errors = levels(z);
  errors.energy = conservative_ ? errors.energy - start_.energy : nan;
  for (std::size_t a = 0; a < errors.momentum.size(); ++a) errors.momentum[a] -= start_.momentum[a];
  for (std::size_t a = 0; a < errors.integrals.size(); ++a) errors.integrals[a] -= start_.integrals[a];
  fill_with(z, errors, outputs_.outputs().empty() ? Vector() : outputs_.evaluate(z), values);
}

void StateColumns::fill_with(const State& z, const Errors& errors, const Vector& outputs, double* values) {
  const auto put = [&values](const auto& block) {
    for (const double x : block) *values++ = x;
  };
  *values++ = z.t;
  put(z.q.value());
  if (system_) {
    v_.resize(system_->n());
    w_.resize(system_->n());
    system_->velocity(z.q.value(), z.p.value(), w_, v_);
    put(v_);
  } else {
    put(z.scheme_data);
  }
  put(z.p.value());
  const Index known = std::min(z.lambda.size(), n_multipliers_);
  put(z.lambda.head(known));
  values = std::fill_n(values, n_multipliers_ - known, nan);
  if (model_->has_energy()) {
    *values++ = static_cast<double>(measured_.energy);
    *values++ = errors.energy;
  }
  *values++ = measured_.position;
  *values++ = measured_.velocity;
  put(errors.momentum);
  put(errors.integrals);
  put(outputs);
}

}  // namespace gnomon::tables
