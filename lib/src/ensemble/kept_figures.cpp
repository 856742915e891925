#include "gnomon/ensemble/kept_figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/model/outputs.hpp"
#include "gnomon/registry/coordinate_names.hpp"
#include "gnomon/run/evaluated_outputs.hpp"

namespace gnomon {

namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// A number of a whole run.
struct RunFigure {
  const char* name;
  bool of_partial_run;  ///< means something for a run that did not reach its end
  double (*value)(const Integrator& run);
};

double largest(const std::vector<Drift>& drifts) {
  double found = 0;
  for (const Drift& drift : drifts) found = std::max(found, drift.max_abs_error());
  return found;
}

const std::vector<RunFigure>& run_figures() {
  static const std::vector<RunFigure> figures = {
      {"max_energy_error", false,
       [](const Integrator& run) {
         return run.model().has_energy() ? run.monitor().relative_energy_error() : not_known;
       }},
      {"energy_slope", false,
       [](const Integrator& run) { return run.model().has_energy() ? run.monitor().energy().slope() : not_known; }},
      {"max_position_error", false, [](const Integrator& run) { return run.monitor().position_max(); }},
      {"max_velocity_error", false, [](const Integrator& run) { return run.monitor().velocity_max(); }},
      {"max_momentum_error", false, [](const Integrator& run) { return largest(run.monitor().momentum()); }},
      {"steps", true, [](const Integrator& run) { return static_cast<double>(run.counters().steps); }},
      {"iterations", true, [](const Integrator& run) { return static_cast<double>(run.counters().iterations); }},
      {"refused_steps", true, [](const Integrator& run) { return static_cast<double>(run.counters().refused_steps); }},
      {"events", true, [](const Integrator& run) { return static_cast<double>(run.events().size()); }},
      {"t_end", true, [](const Integrator& run) { return run.state().t; }},
  };
  return figures;
}

enum class Group { position, velocity, momentum, output };

/// An entry of a state.
struct Entry {
  Group group;
  Index index;
};

enum class Over { end, largest, smallest, mean };

/// One column.
struct Figure {
  const RunFigure* of_run = nullptr;  // null: of a state, or seconds
  bool seconds = false;
  Over over = Over::end;
  Entry entry{Group::position, 0};
};

/// A value over the states of a run.
struct Accumulated {
  double value = 0, last = 0;
};

}  // namespace

struct KeptFigures::Impl {
  std::vector<std::string> columns, coordinates;
  std::vector<Output> outputs;
  std::vector<Figure> figures;
  std::vector<std::size_t> watched;  // places of the figures over all states
  bool reads_velocity = false, reads_outputs = false;

  // Of the instance that a run is of.
  std::unique_ptr<EvaluatedOutputs> evaluated;

  // Of a run.
  std::vector<Accumulated> accumulated;  // one a watched figure
  double t_start = 0, t_last = 0;
  Vector v, scratch, output_values;

  /// Places of X, der(X), p(X) and of outputs in a state.
  bool find(const std::string& name, Entry& entry) const {
    const auto within = [&](const std::string& before, const std::string& after, Group group) {
      if (name.size() < before.size() + after.size() || name.compare(0, before.size(), before) != 0 ||
          name.compare(name.size() - after.size(), after.size(), after) != 0)
        return false;
      const std::string inner = name.substr(before.size(), name.size() - before.size() - after.size());
      const auto found = std::find(coordinates.begin(), coordinates.end(), inner);
      if (found == coordinates.end()) return false;
      entry = {group, found - coordinates.begin()};
      return true;
    };
    if (within("", "", Group::position) || within("der(", ")", Group::velocity) || within("p(", ")", Group::momentum))
      return true;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].name == name) {
        entry = {Group::output, static_cast<Index>(i)};
        return true;
      }
    return false;
  }

  std::vector<std::string> known() const {
    std::vector<std::string> names;
    for (const RunFigure& figure : run_figures()) names.emplace_back(figure.name);
    for (const char* name : {"seconds", "q_end", "v_end", "p_end", "outputs_end"}) names.emplace_back(name);
    for (const std::string& name : coordinates) names.push_back(name);
    for (const std::string& name : coordinates) names.push_back("der(" + name + ")");
    for (const std::string& name : coordinates) names.push_back("p(" + name + ")");
    for (const Output& output : outputs) names.push_back(output.name);
    return names;
  }

  void add(const std::string& column, const Figure& figure) {
    if (std::find(columns.begin(), columns.end(), column) != columns.end())
      throw Error(ErrorCode::bad_value, "the figure \"" + column + "\" is kept twice");
    columns.push_back(column);
    if (figure.over != Over::end) watched.push_back(figures.size());
    if (!figure.of_run && !figure.seconds) {
      reads_velocity = reads_velocity || figure.entry.group == Group::velocity;
      reads_outputs = reads_outputs || figure.entry.group == Group::output;
    }
    figures.push_back(figure);
  }

  void add_state(Group group) {
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      const std::string& name = coordinates[i];
      add(group == Group::position ? name : (group == Group::velocity ? "der(" : "p(") + name + ")",
          {nullptr, false, Over::end, {group, static_cast<Index>(i)}});
    }
  }

  void add_named(const std::string& name) {
    for (const RunFigure& figure : run_figures())
      if (name == figure.name) return add(name, {&figure});
    if (name == "seconds") return add(name, {nullptr, true});
    if (name == "q_end") return add_state(Group::position);
    if (name == "v_end") return add_state(Group::velocity);
    if (name == "p_end") return add_state(Group::momentum);
    if (name == "outputs_end") {
      for (std::size_t i = 0; i < outputs.size(); ++i)
        add(outputs[i].name, {nullptr, false, Over::end, {Group::output, static_cast<Index>(i)}});
      return;
    }
    Entry entry;
    if (find(name, entry)) return add(name, {nullptr, false, Over::end, entry});
    const std::pair<const char*, Over> forms[] = {
        {"max(", Over::largest}, {"min(", Over::smallest}, {"mean(", Over::mean}};
    for (const auto& [before, over] : forms) {
      const std::string start = before;
      if (name.compare(0, start.size(), start) != 0 || name.back() != ')') continue;
      const std::string inner = name.substr(start.size(), name.size() - start.size() - 1);
      if (find(inner, entry)) return add(name, {nullptr, false, over, entry});
    }
    throw unknown_name("figure", name, known());
  }

  /// Reads what the entries need of the state that the run is in.
  void read(const Integrator& run) {
    if (reads_velocity) run.model().velocity(run.state().view(), scratch, v);
    if (reads_outputs) output_values = evaluated->evaluate(run);
  }
  double value(const Entry& entry, const Integrator& run) const {
    switch (entry.group) {
      case Group::position:
        return run.state().q.value()[entry.index];
      case Group::velocity:
        return v[entry.index];
      case Group::momentum:
        return run.state().p.value()[entry.index];
      default:
        return output_values[entry.index];
    }
  }
};

KeptFigures::KeptFigures(const std::vector<std::string>& names, const ProblemInstance& instance)
    : impl_(std::make_unique<Impl>()) {
  impl_->coordinates = coordinate_names(*instance.model);
  impl_->evaluated = std::make_unique<EvaluatedOutputs>(instance);
  impl_->outputs = impl_->evaluated->outputs();
  for (const std::string& name : names) impl_->add_named(name);
  impl_->accumulated.resize(impl_->watched.size());
  impl_->v.setZero(static_cast<Index>(impl_->coordinates.size()));
  impl_->scratch.setZero(impl_->v.size());
}
KeptFigures::~KeptFigures() = default;
KeptFigures::KeptFigures(KeptFigures&&) noexcept = default;

const std::vector<std::string>& KeptFigures::columns() const {
  return impl_->columns;
}

void KeptFigures::bind(const ProblemInstance& instance) {
  const std::vector<std::string> coordinates = coordinate_names(*instance.model);
  auto evaluated = std::make_unique<EvaluatedOutputs>(instance);
  const auto differ = [](const std::string& what, std::size_t count, std::size_t expected) {
    return Error(ErrorCode::refused, "the model of this run has " + std::to_string(count) + " " + what +
                                         " where the first one has " + std::to_string(expected) +
                                         ", or other names for them: the figures kept of both would not be the same");
  };
  if (coordinates != impl_->coordinates) throw differ("coordinates", coordinates.size(), impl_->coordinates.size());
  const std::vector<Output>& outputs = evaluated->outputs();
  if (!std::equal(outputs.begin(), outputs.end(), impl_->outputs.begin(), impl_->outputs.end(),
                  [](const Output& a, const Output& b) { return a.name == b.name; }))
    throw differ("outputs", outputs.size(), impl_->outputs.size());
  impl_->evaluated = std::move(evaluated);
}

void KeptFigures::start(const Integrator& run) {
  impl_->t_start = impl_->t_last = run.state().t;
  if (!watches()) return;
  impl_->read(run);
  for (std::size_t k = 0; k < impl_->watched.size(); ++k) {
    const Figure& figure = impl_->figures[impl_->watched[k]];
    const double now = impl_->value(figure.entry, run);
    impl_->accumulated[k] = {figure.over == Over::mean ? 0 : now, now};
  }
}

bool KeptFigures::watches() const {
  return !impl_->watched.empty();
}

void KeptFigures::observe(const Integrator& run) {
  impl_->read(run);
  const double h = run.state().t - impl_->t_last;
  impl_->t_last = run.state().t;
  for (std::size_t k = 0; k < impl_->watched.size(); ++k) {
    const Figure& figure = impl_->figures[impl_->watched[k]];
    Accumulated& so_far = impl_->accumulated[k];
    const double now = impl_->value(figure.entry, run);
    // A NaN stays seen.
    if (figure.over == Over::mean)
      so_far.value += h * (so_far.last + now) / 2;
    else if (std::isnan(now) || (figure.over == Over::largest ? now > so_far.value : now < so_far.value))
      so_far.value = now;
    so_far.last = now;
  }
}

void KeptFigures::finish(const Integrator& run, bool reached, double seconds, double* out) {
  if (reached) impl_->read(run);
  std::size_t k = 0;
  for (std::size_t j = 0; j < impl_->figures.size(); ++j) {
    const Figure& figure = impl_->figures[j];
    double& value = out[j];
    if (figure.seconds)
      value = seconds;
    else if (figure.of_run)
      value = reached || figure.of_run->of_partial_run ? figure.of_run->value(run) : not_known;
    else if (figure.over == Over::end)
      value = reached ? impl_->value(figure.entry, run) : not_known;
    else {
      const Accumulated& so_far = impl_->accumulated[k++];
      value = figure.over == Over::mean ? so_far.value / (impl_->t_last - impl_->t_start) : so_far.value;
      if (!reached) value = not_known;
    }
  }
}

}  // namespace gnomon
