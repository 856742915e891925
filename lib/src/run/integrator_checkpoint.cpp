#include <algorithm>
#include <utility>

#include "gnomon/base/error.hpp"
#include "run/integrator_impl.hpp"

namespace gnomon {

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
                                   {"dependent constraints", options.dependent_constraints ? "allowed" : "refused"},
                                   {"mode of contact", number(static_cast<int>(options.contact.mode))},
                                   {"restitution", number_text(options.contact.restitution)},
                                   {"zeno speed", number_text(options.contact.zeno_speed)}});
}

void Integrator::Impl::serialize_solvers(Archive& archive) {
  for (Solve& solve : solves) {
    solve.solver->serialize(archive);
    if (solve.fallback) solve.fallback->serialize(archive);
  }
}

void Integrator::Impl::serialize(Archive& archive) {
  archive(counters);
  if (driver) {
    archive(*driver);
    z = driver->state();
    if (archive.reading()) monitor.evaluate(z, -driver->impact_losses());
  } else {
    archive(z, rank.rank, rank.dependent, rank.condition);
    if (archive.reading()) resume();
    serialize_solvers(archive);
  }
  archive(monitor);
}

void Integrator::Impl::resume() {
  State fresh = z;
  binding.equations->prepare(fresh);
  if (fresh.history.size() != z.history.size() || fresh.history.depth() != z.history.depth() ||
      fresh.scheme_data.size() != z.scheme_data.size() || fresh.substeps.size() != z.substeps.size())
    throw Error(ErrorCode::bad_file, "its state is not what this scheme carries from step to step");
  Vector v = Vector::Zero(z.q.value().size()), scratch = v;
  model->velocity(z.view(), scratch, v);
  warm_up(v, v);
  backups.assign(static_cast<std::size_t>(options.max_halvings), z);
  monitor.evaluate(z, binding.equations->added_energy(z));
}

void RunCounters::serialize(Archive& archive) {
  archive(steps, iterations, residual_evaluations, jacobian_evaluations, factorisations, repeated_solves,
          fallback_solves, refused_steps);
}

void Integrator::serialize_solvers(Archive& archive) {
  impl_->serialize_solvers(archive);
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
  if (was_started) impl_->serialize(before);
  try {
    impl_->serialize(archive);
    if (!archive.at_end()) throw Error(ErrorCode::bad_file, "it holds more than this run can carry");
  } catch (const Error& error) {
    if (was_started) {
      Archive back(before.bytes());
      impl_->serialize(back);
      impl_->started = true;
    }
    throw refuse(error.what());
  }
  impl_->started = true;
}

}  // namespace gnomon
