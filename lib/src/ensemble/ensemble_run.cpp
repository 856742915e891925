#include "ensemble/ensemble_run.hpp"

#include <algorithm>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/base/interrupt.hpp"
#include "gnomon/base/thrown.hpp"
#include "gnomon/model/start_velocity.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/registry/coordinate_names.hpp"

namespace gnomon {

namespace {

bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

/// What stands between `before` and `after`, or "".
std::string between(const std::string& text, const std::string& before, const std::string& after) {
  if (text.size() <= before.size() + after.size() || !starts_with(text, before) ||
      text.compare(text.size() - after.size(), after.size(), after) != 0)
    return {};
  return text.substr(before.size(), text.size() - before.size() - after.size());
}

bool of_start(Target target) {
  return target == Target::start_position || target == Target::start_velocity || target == Target::start_momentum;
}
bool of_method(Target target) {
  return target == Target::scheme || target == Target::solver || target == Target::scheme_option ||
         target == Target::solver_option || target == Target::relative_tolerance;
}

}  // namespace

bool varies(const std::vector<Place>& places, Target target) {
  return std::any_of(places.begin(), places.end(), [target](const Place& place) { return place.target == target; });
}

Place place_of(const Registry& registry, const EnsembleSetup& setup, const Variable& variable) {
  const std::string& name = variable.name;
  const std::pair<const char*, Target> words[] = {{"scheme", Target::scheme},
                                                  {"solver", Target::solver},
                                                  {"step", Target::step},
                                                  {"rtol", Target::relative_tolerance},
                                                  {"until", Target::until}};
  const std::pair<const char*, Target> families[] = {{"option.", Target::scheme_option},
                                                     {"solver-option.", Target::solver_option}};
  const std::string parameter = starts_with(name, "set.") ? name.substr(4) : name;
  std::vector<std::string> known;
  for (const OptionSpec& spec : registry.problem(setup.problem).parameters()) {
    known.push_back(spec.name);
    if (parameter == spec.name || (spec.nested && starts_with(parameter, spec.name + ".")))
      return {Target::parameter, parameter};
  }
  for (const auto& [word, target] : words) {
    known.emplace_back(word);
    if (name == word) return {target, {}};
  }
  for (const auto& [family, target] : families)
    if (!between(name, family, "").empty()) return {target, between(name, family, "")};
  if (const std::string entry = between(name, "start.", ""); !entry.empty()) {
    if (const std::string x = between(entry, "der(", ")"); !x.empty()) return {Target::start_velocity, x};
    if (const std::string x = between(entry, "p(", ")"); !x.empty()) return {Target::start_momentum, x};
    return {Target::start_position, entry};
  }
  for (const char* form : {"start.X", "start.der(X)", "start.p(X)", "option.NAME", "solver-option.NAME"})
    known.emplace_back(form);
  throw unknown_name("variable", name, known);
}

EnsembleRunner::EnsembleRunner(const Registry& registry, const EnsembleSetup& setup, const Design& design,
                               const std::vector<Place>& places, std::size_t width)
    : registry_(&registry), setup_(&setup), design_(&design), places_(&places), width_(width), watcher_(*this) {}

bool EnsembleRunner::Watcher::observe(const State&, long) {
  runner_->figures_->observe(*runner_->integrator_);
  return true;
}

void EnsembleRunner::build() {
  Assignments parameters = setup_->parameters;
  for (std::size_t j = 0; j < places_->size(); ++j)
    if ((*places_)[j].target == Target::parameter)
      parameters.emplace_back((*places_)[j].name, design_->variables()[j].values.value_text(values_[j]));
  integrator_.reset();
  has_instance_ = false;
  instance_ = registry_->build(setup_->problem, parameters);
  if (setup_->t0) instance_.t0 = *setup_->t0;
  if (figures_)
    figures_->bind(instance_);
  else
    figures_ = std::make_unique<KeptFigures>(setup_->keep, instance_);
  has_instance_ = true;
}

void EnsembleRunner::make_integrator() {
  std::string scheme = setup_->scheme, solver = setup_->solver;
  Assignments scheme_options = setup_->scheme_options, solver_options = setup_->solver_options;
  IntegratorOptions options = setup_->integrator;
  options.interrupt = &interrupt_;
  std::optional<Tolerances> tolerances = setup_->tolerances;
  for (std::size_t j = 0; j < places_->size(); ++j) {
    const Place& place = (*places_)[j];
    const std::string text = design_->variables()[j].values.value_text(values_[j]);
    if (place.target == Target::scheme) scheme = text;
    if (place.target == Target::solver) solver = text;
    if (place.target == Target::scheme_option) scheme_options.emplace_back(place.name, text);
    if (place.target == Target::solver_option) solver_options.emplace_back(place.name, text);
    if (place.target == Target::relative_tolerance) {
      if (!tolerances) tolerances = Tolerances(values_[j]);
      tolerances->relative = values_[j];
    }
    if (of_start(place.target)) options.project_start = true;
  }
  integrator_.reset();
  integrator_.emplace(registry_->integrator(instance_, scheme, solver, scheme_options, solver_options, options));
  if (tolerances) integrator_->set_tolerances(*tolerances);
  if (figures_->watches()) integrator_->add_observer(watcher_);
}

void EnsembleRunner::take_start(Vector& q, Vector& p) const {
  q = setup_->q0.value_or(instance_.q0);
  p = setup_->v0.value_or(instance_.p0);
  if (q.size() != instance_.q0.size() || p.size() != instance_.p0.size())
    throw Error(ErrorCode::bad_size, "the start has " + std::to_string(q.size()) + " and " + std::to_string(p.size()) +
                                         " entries: expected " + std::to_string(instance_.q0.size()) + " and " +
                                         std::to_string(instance_.p0.size()));
  if (setup_->v0 && instance_.model->mechanical()) p = momenta(*instance_.model->mechanical(), q, p);
}

void EnsembleRunner::start() {
  Vector q, p;
  take_start(q, p);
  if (std::any_of(places_->begin(), places_->end(), [](const Place& place) { return of_start(place.target); })) {
    const std::vector<std::string> names = coordinate_names(*instance_.model);
    const auto replace = [&](Target target, Vector& entries) {
      for (std::size_t j = 0; j < places_->size(); ++j) {
        if ((*places_)[j].target != target) continue;
        const auto found = std::find(names.begin(), names.end(), (*places_)[j].name);
        if (found == names.end()) throw unknown_name("coordinate", (*places_)[j].name, names);
        entries[found - names.begin()] = values_[j];
      }
    };
    const System* const system = instance_.model->mechanical();
    const bool by_velocity = varies(*places_, Target::start_velocity);
    if (!system && (by_velocity || varies(*places_, Target::start_momentum)))
      throw Error(ErrorCode::refused,
                  "the start of problem " + setup_->problem + " is y and z: only entries of y, start.X, can vary");
    // A start is meant by its velocities: they stay where q changes a mass that depends on q.
    Vector v;
    const bool keeps_velocity = system && (by_velocity || system->parts().mass);
    if (keeps_velocity) {
      Vector scratch(q.size());
      v.resize(q.size());
      system->velocity(q, p, scratch, v);
    }
    replace(Target::start_position, q);
    if (keeps_velocity) {
      replace(Target::start_velocity, v);
      p = momenta(*system, q, v);
    }
    replace(Target::start_momentum, p);
  }
  step_ = setup_->step;
  until_ = setup_->until;
  for (std::size_t j = 0; j < places_->size(); ++j) {
    if ((*places_)[j].target == Target::step) step_ = values_[j];
    if ((*places_)[j].target == Target::until) until_ = values_[j];
  }
  if (!integrator_->tolerances() && !(step_ > 0))
    throw Error(ErrorCode::bad_value, "the step is " + number_text(step_) + ": expected a number above zero");
  if (setup_->steps == 0 && !(until_ > instance_.t0))
    throw Error(ErrorCode::bad_value,
                "the end time " + number_text(until_) + " is not after the start time " + number_text(instance_.t0));
  integrator_->start(instance_.t0, q, p);
}

void EnsembleRunner::prepare(long run) {
  design_->values(run, values_);
  bool new_model = !has_instance_, new_method = !integrator_;
  for (std::size_t j = 0; j < values_.size() && j < built_.size(); ++j)
    if (built_[j] != values_[j]) {
      new_model = new_model || (*places_)[j].target == Target::parameter;
      new_method = new_method || of_method((*places_)[j].target);
    }
  if (new_model) build();
  if (new_model || new_method) make_integrator();
  built_ = values_;
  start();
}

StepReport EnsembleRunner::advance() {
  if (integrator_->tolerances()) return integrator_->advance_to(until_);
  return setup_->steps > 0 ? integrator_->advance(setup_->steps, step_) : integrator_->advance_to(until_, step_);
}

void EnsembleRunner::set_time_frame(bool under_way) {
  const std::lock_guard<std::mutex> lock(mutex_);
  under_way_ = under_way;
  if (!under_way) return;
  late_ = false;
  set_flag(interrupt_, stopped_);
  begin_ = Clock::now();
}

void EnsembleRunner::stop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  stopped_ = true;
  set_flag(interrupt_, 1);
}

void EnsembleRunner::check_time() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!under_way_ || late_ || setup_->time_limit <= 0) return;
  if (std::chrono::duration<double>(Clock::now() - begin_).count() < setup_->time_limit) return;
  late_ = true;
  set_flag(interrupt_, 1);
}

bool EnsembleRunner::run(long run, EnsembleRow& row) {
  set_time_frame(true);
  row.run = run;
  row.status = RunStatus::success;
  row.message.clear();
  bool started = false, reached = false;
  double seconds = 0;
  try {
    prepare(run);
    started = true;
    figures_->start(*integrator_);
    const StepReport end = advance();
    reached = end.success();
    if (!reached) {
      row.status = RunStatus::failed;
      row.message = end.message;
    } else if (const std::vector<BrokenPromise>& broken = integrator_->check_promises(); !broken.empty()) {
      row.status = RunStatus::promise_broken;
      row.message = broken.front().text();
    }
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    row.status = started ? RunStatus::failed : RunStatus::refused;
    row.message = thrown_text();
  }
  set_time_frame(false);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!reached && stopped_) return false;
    if (!reached && late_) {
      row.status = RunStatus::time_limit;
      row.message = "computed for longer than the time limit of " + number_text(setup_->time_limit) + " s";
      if (started) row.message += ", up to t = " + number_text(integrator_->state().t);
    }
    seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  row_.assign(values_.begin(), values_.end());
  row_.resize(width_, std::numeric_limits<double>::quiet_NaN());
  if (started) figures_->finish(*integrator_, reached, seconds, row_.data() + values_.size());
  // What a run that went wrong leaves behind is not passed on.
  if (!reached) {
    integrator_.reset();
    has_instance_ = false;
  }
  row.values = row_.data();
  return true;
}

}  // namespace gnomon
