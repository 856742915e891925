#include <algorithm>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thrown.hpp"
#include "gnomon/model/overdetermined.hpp"
#include "gnomon/model/system.hpp"
#include "run/integrator_impl.hpp"

namespace gnomon {

namespace {

/// Of the run, and of the obstacles that have their own.
std::string restitution_text(const Model& model, const ContactOptions& contact) {
  std::string text = number_text(contact.restitution);
  const System* system = model.mechanical();
  if (!system || system->traits().restitutions.size() == 0) return text;
  text += ", of the obstacles";
  for (const double e : system->traits().restitutions) text += " " + number_text(e);
  return text;
}

}  // namespace

void Integrator::Impl::identify(const Scheme& scheme, const Options& scheme_options, const SolverFactory& factory,
                                const Options& solver_options) {
  const auto number = [](auto value) { return std::to_string(value); };
  identity = {{"version of Gnomon", GNOMON_VERSION}, {"system", model->name()}};
  for (const auto& [name, size] : model->sizes()) identity.emplace_back(name, number(size));
  identity.insert(identity.end(), {{"scheme", scheme.name()},
                                   {"options of the scheme", scheme_options.to_text()},
                                   {"solver", factory.name()},
                                   {"options of the solver", solver_options.to_text()},
                                   {"source of the Jacobian", to_string(options.jacobian)},
                                   {"fallback", options.fallback ? options.fallback->name() : "none"},
                                   {"largest number of halvings", number(options.max_halvings)},
                                   {"mode of contact", number(static_cast<int>(options.contact.mode))},
                                   {"restitution", restitution_text(*model, options.contact)},
                                   {"zeno speed", number_text(options.contact.zeno_speed)}});
}

void Integrator::Impl::serialize_solvers(Archive& archive) {
  for (Solve& solve : solves) {
    solve.solver->serialize(archive);
    if (solve.fallback) solve.fallback->serialize(archive);
  }
}

void Integrator::Impl::serialize(Archive& archive) {
  archive(counters, control);
  if (archive.reading()) resume_control(archive);
  if (driver) {
    archive(*driver);
    z = driver->state();
    if (archive.reading()) monitor.evaluate(z, -driver->impact_losses());
  } else {
    bool repeat = border != nullptr;
    archive(z, repeat);
    require_fit(archive);
    archive.require(!repeat || model->mechanical(), "its constraints repeat others");
    if (archive.reading())
      set_border(repeat ? Border::read(shared_system(model), archive) : nullptr);
    else if (repeat)
      border->write(archive);
    if (archive.reading()) resume();
    serialize_solvers(archive);
    archive(flipped);
    if (switches.any()) archive(switches);
    if (archive.reading()) {
      binding.promises = bound;
      if (counters.refused_steps > 0 || control.estimates().last > 0)
        binding.promises.symmetric = binding.promises.symplectic = false;
    }
  }
  serialize_rank_watch(archive);
  archive(monitor);
  if (archive.reading()) monitor.require_on_constraints(z);
  if (archive.reading()) watch.start(z, promises(), monitor);
  archive(watch);
}

void Integrator::Impl::serialize_rank_watch(Archive& archive) {
  archive(rank.rank, rank.dependent, rank.condition, singular.step, singular.t, singular.pivot_ratio,
          singular.velocity_before, start_condition, largest_pivot, checked_at);
  const Index m = model->m();
  const auto is_row = [m](Index i) { return i >= 0 && i < m; };
  archive.require(rank.rank >= 0 && rank.rank <= m && std::all_of(rank.dependent.begin(), rank.dependent.end(), is_row),
                  "its rank of the constraints is none");
  archive.require(singular.step >= 0 && start_condition >= 1, "its singular position is none");
  if (archive.reading()) prepare_rank_watch();
}

void Integrator::Impl::require_fit(const Archive& archive) const {
  const System* system = model->mechanical();
  const Index m = model->m();
  const Index nq = system ? system->n() : model->overdetermined()->traits().ny;
  const Index np = system ? system->n() : model->overdetermined()->traits().nz;
  archive.require(z.q.value().size() == nq && z.p.value().size() == np && z.lambda.size() == m && z.closed.empty() &&
                      z.released.empty(),
                  "its state has other sizes than the model");
  archive.require(is_finite(z), "its state is not finite");
}

void Integrator::Impl::resume_control(const Archive& archive) {
  const System* system = model->mechanical();
  const int order = estimate_errors(control.active());
  archive.require(!control.active() || (system && order == control.order()), "its tolerance is for another scheme");
  if (control.active()) control.attach(*system, order);
}

void Integrator::Impl::resume() {
  const Windings turns(z.turns);
  find_turns();
  State fresh = z;
  binding.equations->prepare(fresh);
  if (!carries_the_same(fresh, z))
    throw Error(ErrorCode::bad_file, "its state is not what this scheme carries from step to step");
  warm_up();
  backups.assign(static_cast<std::size_t>(options.max_halvings), z);
  monitor.evaluate(z, binding.equations->added_energy(z));
}

void RunCounters::serialize(Archive& archive) {
  for (long* count : {&steps, &iterations, &residual_evaluations, &jacobian_evaluations, &factorisations,
                      &repeated_solves, &fallback_solves, &refused_steps, &error_test_failures, &refinement_passes,
                      &unrefined_solves, &followed_steps, &unconnected_steps, &switches, &overstepped_switches}) {
    archive(*count);
    archive.require(*count >= 0 && *count <= 1L << 53, "a counter is no number of things that were done");
  }
  archive(overstepped_change);
  archive.require(overstepped_change >= 0, "what steps over switches changed is no size");
}

void Integrator::serialize_solvers(Archive& archive) {
  impl_->serialize_solvers(archive);
  impl_->serialize_rank_watch(archive);
}

void Integrator::save(const std::string& file, const std::string& note) const {
  if (!impl_->started)
    throw Error(ErrorCode::bad_value, "the integrator was not started: there is no state to write to \"" + file + "\"");
  Archive archive;
  impl_->serialize(archive);
  write_checkpoint(file, {impl_->identity, note, archive.bytes()});
}

void Integrator::load(const std::string& file) {
  const Checkpoint checkpoint = read_checkpoint(file);
  const auto refuse = [&](const std::string& why) {
    return Error(ErrorCode::bad_file, "checkpoint \"" + file + "\" does not fit: " + why);
  };
  const Checkpoint::Identity &theirs = checkpoint.identity, &ours = impl_->identity;
  for (std::size_t k = 0; k < std::max(theirs.size(), ours.size()); ++k) {
    if (k >= theirs.size() || k >= ours.size() || theirs[k].first != ours[k].first)
      throw refuse("it was written for another kind of model");
    if (theirs[k].second != ours[k].second)
      throw refuse("its " + ours[k].first + " is \"" + theirs[k].second + "\", and \"" + ours[k].second +
                   "\" is expected");
  }
  Archive before, archive(checkpoint.state);
  const bool was_started = std::exchange(impl_->started, false);
  const StepControl control = impl_->control;
  if (was_started) impl_->serialize(before);
  try {
    impl_->serialize(archive);
    if (!archive.at_end()) throw Error(ErrorCode::bad_file, "it holds more than this run can carry");
  } catch (...) {
    const std::string why = thrown_text();
    impl_->control = control;
    impl_->estimate_errors(control.active());
    if (was_started) try {
        Archive back(before.bytes());
        impl_->serialize(back);
        impl_->started = true;
      } catch (...) {
        // A state at the limits of numbers, which its own checkpoint would not hold: the integrator is not started.
      }
    throw refuse(why);
  }
  impl_->started = true;
}

}  // namespace gnomon
