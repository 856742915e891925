#include "traces/run_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "gnomon/model/system.hpp"
#include "gnomon/registry/coordinate_names.hpp"

namespace gnomon::traces {

namespace {

using pages::Chart;
using pages::Series;
using Runs = std::vector<const RunTrace*>;
using SeriesOf = std::function<const DecimatedSeries&(const RunTrace&)>;

constexpr std::size_t most_coordinates = 12;
/// The most points of a quantity over time, and the most quantities.
constexpr std::size_t most_points = 500, most_quantities = 400;
/// The most events on the slider of a motion.
constexpr std::size_t most_events = 5000;

/// Mechanisms of bodies are in metres, kilograms and seconds; of other models the units are not known.
bool in_si(const RunTrace& run) {
  return !run.curves().empty() && run.curves().front().unit == "m";
}
void set_time(pages::Axis& axis, const Runs& runs) {
  axis.label = "t";
  if (in_si(*runs.front())) axis.unit = "s";
}

int group_of(std::size_t run) {
  return static_cast<int>(run);
}

std::optional<Series> series(const DecimatedSeries& values, std::string name, std::size_t run) {
  if (!values.has_values()) return std::nullopt;
  Series out;
  out.name = std::move(name);
  out.group = group_of(run);
  values.points(out.x, out.y);
  return out;
}

void add(Chart& chart, const DecimatedSeries& values, const std::string& name, std::size_t run) {
  if (auto one = series(values, name, run)) chart.series.push_back(std::move(*one));
}

Chart over_time(const Runs& runs, const std::string& title, const std::string& label, bool logarithmic,
                const SeriesOf& of) {
  Chart chart;
  chart.title = title;
  set_time(chart.x, runs);
  chart.y.label = label;
  chart.y.logarithmic = logarithmic;
  for (std::size_t i = 0; i < runs.size(); ++i) add(chart, of(*runs[i]), runs[i]->spec().name, i);
  return chart;
}

struct Extreme {
  double t = 0, value = 0;  ///< of the magnitude
};
std::optional<Extreme> largest(const DecimatedSeries& values) {
  if (!values.has_values()) return std::nullopt;
  std::vector<double> t, y;
  values.points(t, y);
  Extreme found{t.front(), 0};
  for (std::size_t i = 0; i < t.size(); ++i)
    if (std::abs(y[i]) > found.value) found = {t[i], std::abs(y[i])};
  return found;
}

/// c (t - t0)^power through the largest value of a curve.
void add_guide(Chart& chart, const Extreme& through, double t0, double t_end, double power, const std::string& name) {
  if (!(through.value > 0 && through.t > t0)) return;
  Series guide;
  guide.name = name;
  guide.style = Series::Style::guide;
  constexpr int pieces = 100;
  for (int i = 1; i <= pieces; ++i) {
    const double t = t0 + (t_end - t0) * i / pieces;
    guide.x.push_back(t);
    guide.y.push_back(through.value * std::pow((t - t0) / (through.t - t0), power));
  }
  chart.series.push_back(std::move(guide));
}

/// The energy by which errors are divided all over the page; empty where T and U are not known.
std::optional<double> energy_scale(const Runs& runs) {
  const double scale = runs.front()->energy_scale();
  if (scale > 0 && std::isfinite(scale)) return scale;
  return std::nullopt;
}

Chart energy_chart(const Runs& runs) {
  const std::optional<double> scale = energy_scale(runs);
  Chart chart = over_time(runs, "Energy error", scale ? "|H - H(t0) - booked work| / E" : "|H - H(t0) - booked work|",
                          true, &RunTrace::energy_error);
  if (!scale && in_si(*runs.front())) chart.y.unit = "J";
  for (std::size_t i = 0; i < runs.size(); ++i)
    add(chart, runs[i]->discrete_error(), runs[i]->spec().discrete_energy + ", " + runs[i]->spec().name, i);
  for (Series& one : chart.series)
    for (double& y : one.y) y /= scale.value_or(1);
  std::optional<Extreme> best, worst;
  for (const RunTrace* run : runs)
    if (const auto error = largest(run->energy_error())) {
      if (!best || error->value < best->value) best = error;
      if (!worst || error->value > worst->value) worst = error;
    }
  const RunTrace& first = *runs.front();
  for (auto* found : {&best, &worst})
    if (*found) (*found)->value /= scale.value_or(1);
  if (best) add_guide(chart, *best, first.instance().t0, first.spec().t_end, 0.5, "~ sqrt(t), rounding");
  if (worst && worst->value > best->value)
    add_guide(chart, *worst, first.instance().t0, first.spec().t_end, 1, "~ t, drift");
  for (const RunTrace* run : runs)
    if (!run->energy_error().has_values() && run->instance().model->has_energy() && !chart.series.empty())
      chart.note += fmt::format("{}Not known of {}: forces do work, which a reference does not book.",
                                chart.note.empty() ? "" : " ", run->spec().name);
  return chart;
}

/// Says what E is.
std::string energy_base(const Runs& runs) {
  const RunTrace& run = *runs.front();
  const std::optional<double> scale = energy_scale(runs);
  if (!run.instance().model->has_energy() || !scale) return {};
  return fmt::format(
      "Relative errors of energy, in the chart, the table and the summary, are parts of one energy: "
      "E = max(max |T|, max |U|) = {:.4g}{} of {}. ",
      *scale, in_si(run) ? " J" : "", runs.size() > 1 ? run.spec().name : "the run");
}

/// |q - q_ref|/|q_ref| at the targets of each reference, which are times of samples of the runs.
Chart distance_chart(const Runs& runs) {
  Chart chart;
  chart.title = "Distance from the references";
  set_time(chart.x, runs);
  chart.y.label = "|q - q_ref| / |q_ref|";
  chart.y.logarithmic = true;
  for (const RunTrace* reference : runs)
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const RunTrace& run = *runs[i];
      const auto& targets = reference->spec().targets;
      if (&run == reference || targets.empty() || run.spec().reference) continue;
      Series distance;
      distance.name = run.spec().name + " from " + reference->spec().name;
      const auto at = std::find(runs.begin(), runs.end(), reference) - runs.begin();
      distance.group = group_of(static_cast<std::size_t>(at));
      auto sample = run.samples().begin();
      for (std::size_t k = 0; k < reference->at_targets().size(); ++k) {
        while (sample != run.samples().end() && sample->t < targets[k]) ++sample;
        if (sample == run.samples().end() || sample->t != targets[k]) continue;
        const Vector& expected = reference->at_targets()[k];
        const double scale = expected.norm();
        distance.x.push_back(targets[k]);
        distance.y.push_back((sample->q - expected).norm() / (scale > 0 ? scale : 1));
      }
      if (!distance.x.empty()) chart.series.push_back(std::move(distance));
    }
  return chart;
}

Chart invariant_chart(const Runs& runs, const std::string& title,
                      const std::vector<RunTrace::Curve>& (RunTrace::*of)() const) {
  Chart chart;
  chart.title = title;
  set_time(chart.x, runs);
  chart.y.label = "|J - J(t0)|";
  chart.y.logarithmic = true;
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (const RunTrace::Curve& curve : (runs[i]->*of)())
      add(chart, curve.series, curve.name + ", " + runs[i]->spec().name, i);
  return chart;
}

Chart energies_chart(const RunTrace& run) {
  Chart chart;
  chart.title = "Energies of " + run.spec().name;
  set_time(chart.x, {&run});
  chart.y.label = "energy";
  if (in_si(run)) chart.y.unit = "J";
  const bool mechanical = run.instance().model->mechanical() != nullptr;
  add(chart, run.kinetic(), "T, kinetic", 0);
  add(chart, run.potential(), mechanical ? "U, potential" : "E", 1);
  const auto work = largest(run.work());
  if (work && work->value > 0) add(chart, run.work(), "work of forces", 2);
  return chart;
}

/// Rates over coordinates, each run of the first coordinates.
Chart phase_chart(const RunTrace& run) {
  Chart phase;
  const auto& samples = run.samples();
  const Index n = run.instance().q0.size(), shown = std::min<Index>(n, most_coordinates);
  if (samples.size() < 3 || samples.front().outputs.size() > 0) return phase;  // outputs say more than coordinates
  const auto names = coordinate_names(*run.instance().model);
  phase.title = "Phase plot of " + run.spec().name;
  phase.x.label = "coordinate";
  phase.y.label = "its rate";
  if (n > shown) phase.note = fmt::format("The first {} of {} coordinates.", shown, n);
  for (Index j = 0; j < shown; ++j) {
    Series rate;
    rate.name = names[static_cast<std::size_t>(j)];
    rate.group = static_cast<int>(j);
    bool moves = false;
    for (const RunTrace::Sample& sample : samples) {
      rate.x.push_back(sample.q[j]);
      rate.y.push_back(sample.v[j]);
      moves = moves || sample.q[j] != samples.front().q[j];
    }
    if (moves) phase.series.push_back(std::move(rate));
  }
  return phase;
}

/// Outputs of a mechanism, "crank.angle", beside those that its author declared, "lift".
bool is_of_a_part(const std::string& name) {
  return name.find('.') != std::string::npos;
}

/// Draws where the page opens what the author of a mechanism declared, as far as it changes; else, of at most two units
/// the first quantity that changes: angles and distances of joints before others, and before both nothing that only
/// grows or falls, as what a motor prescribes may.
void choose(pages::Quantities& quantities) {
  using One = pages::Quantities::One;
  std::vector<One>& all = quantities.all;
  constexpr double rounding = 1e-9;
  // The largest value of each unit, or what the motion makes of others: forces are energies over lengths.
  std::map<std::string, double> sizes{{"rad", 1}};
  for (const One& one : all)
    for (const double x : one.values)
      if (std::isfinite(x)) sizes[one.unit] = std::max(sizes[one.unit], std::abs(x));
  for (const std::string unit : {"rad", "m"}) {
    double& rate = sizes[unit + "/s"];
    rate = std::max(rate, sizes[unit] / (quantities.times.back() - quantities.times.front()));
  }
  if (sizes["m"] > 0) sizes["N"] = std::max(sizes["N"], sizes["J"] / sizes["m"]);
  sizes["N m"] = std::max(sizes["N m"], sizes["J"]);
  for (One& one : all) one.size = sizes[one.unit];
  const auto rank = [&](const One& one) {
    const auto [least, largest] = std::minmax_element(one.values.begin(), one.values.end());
    if (!(*largest - *least > rounding * one.size)) return 3;
    const auto ends = std::minmax(one.values.front(), one.values.back());
    if (*least >= ends.first && *largest <= ends.second) return 2;
    const std::size_t dot = std::min(one.name.rfind('.'), one.name.size());
    return one.name.substr(dot) == ".angle" || one.name.substr(dot) == ".distance" ? 0 : 1;
  };
  constexpr int most_declared = 4;
  const bool of_parts = std::any_of(all.begin(), all.end(), [](const One& one) { return is_of_a_part(one.name); });
  int declared = 0;
  for (One& one : all)
    if (of_parts && !is_of_a_part(one.name) && rank(one) < 3 && declared < most_declared) {
      one.chosen = true;
      ++declared;
    }
  if (declared > 0) return;
  std::set<std::string> units;
  for (const int wanted : {0, 1, 2})
    for (One& one : all)
      if (units.size() < 2 && rank(one) == wanted && units.insert(one.unit).second) one.chosen = true;
}

/// The outputs of a run, and its coordinates and their rates where none are outputs of parts of a mechanism.
std::optional<pages::Quantities> quantities_of(const RunTrace& run) {
  const auto& samples = run.samples();
  if (samples.size() < 3) return std::nullopt;
  pages::Quantities out;
  out.title = "Quantities";
  if (in_si(run)) out.time_unit = "s";
  const std::size_t stride = (samples.size() + most_points - 1) / most_points;
  std::vector<const RunTrace::Sample*> shown;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (i % stride == 0 || i + 1 == samples.size()) shown.push_back(&samples[i]);
  for (const RunTrace::Sample* sample : shown) out.times.push_back(sample->t);
  const auto add = [&](std::string name, std::string unit, const std::function<double(const RunTrace::Sample&)>& of) {
    pages::Quantities::One one{std::move(name), std::move(unit), {}, false};
    for (const RunTrace::Sample* sample : shown) one.values.push_back(of(*sample));
    out.all.push_back(std::move(one));
  };
  const Index n = run.instance().q0.size();
  const auto most = static_cast<Index>(most_quantities);
  const std::vector<Output>& outputs = run.outputs();
  const bool has_outputs = samples.front().outputs.size() > 0;
  if (has_outputs) {
    const Index count = std::min<Index>(static_cast<Index>(outputs.size()), most);
    for (Index k = 0; k < count; ++k)
      add(outputs[static_cast<std::size_t>(k)].name, outputs[static_cast<std::size_t>(k)].unit,
          [k](const RunTrace::Sample& sample) { return sample.outputs[k]; });
    if (static_cast<std::size_t>(count) < outputs.size())
      out.note = fmt::format("The first {} of {}; run --output writes all.", count, outputs.size());
  }
  if (!has_outputs ||
      std::none_of(outputs.begin(), outputs.end(), [](const Output& o) { return is_of_a_part(o.name); })) {
    const auto names = coordinate_names(*run.instance().model);
    const Index count = std::min(n, most / 2);
    for (const bool rates : {false, true})
      for (Index j = 0; j < count; ++j)
        add(rates ? "der(" + names[static_cast<std::size_t>(j)] + ")" : names[static_cast<std::size_t>(j)], "",
            [j, rates](const RunTrace::Sample& sample) { return rates ? sample.v[j] : sample.q[j]; });
    if (count < n) out.note += fmt::format("{}The first {} of {} coordinates.", out.note.empty() ? "" : " ", count, n);
  }
  choose(out);
  return out;
}

/// The largest errors, one row a run.
pages::Table drift_table(const Runs& runs) {
  pages::Table table;
  table.title = "Largest errors";
  table.columns = {"run",
                   "states",
                   in_si(*runs.front()) ? "energy [J]" : "energy",
                   "energy / E",
                   "|g|, positions",
                   "|G v + g_t|, velocities",
                   "momentum maps",
                   "promised to rounding"};
  const auto text = [](const std::optional<Extreme>& value) -> std::string {
    return value ? fmt::format("{:.2e}", value->value) : "-";
  };
  const std::optional<double> scale = energy_scale(runs);
  for (const RunTrace* run : runs) {
    std::optional<Extreme> momentum, energy = largest(run->energy_error()), part = energy;
    if (!scale) part.reset();
    if (part) part->value /= *scale;
    for (const RunTrace::Curve& curve : run->momentum())
      if (const auto one = largest(curve.series); one && (!momentum || one->value > momentum->value)) momentum = one;
    table.rows.push_back({run->spec().name, fmt::format("{}", run->states()), text(energy), text(part),
                          text(largest(run->position())), text(largest(run->velocity())), text(momentum),
                          run->spec().promises.empty() ? "-" : run->spec().promises});
  }
  return table;
}

/// The events of a run, and where it stopped. The slider ends where all runs have ended.
void add_events(pages::Motion& motion, const RunTrace& run) {
  const auto kind_of = [](const std::string& kind) {
    if (kind == "landing" || kind == "impact" || kind == "launch") return "contact";
    return kind == "switched" ? "switch" : "friction";
  };
  const std::map<std::string, std::string> says{
      {"landing", "landing"}, {"impact", "impact"},  {"launch", "lift-off"}, {"turning", "turning of the friction"},
      {"rest", "rest"},       {"stick", "sticking"}, {"slide", "sliding"},   {"switched", "switch"}};
  for (std::size_t i = 0; i < std::min(run.events().size(), most_events); ++i) {
    const RunTrace::Event& event = run.events()[i];
    const auto known = says.find(event.kind);
    const std::string what = known == says.end() ? event.kind : known->second;
    motion.events.push_back({event.t, event.where.empty() ? what : what + ", " + event.where, kind_of(event.kind)});
  }
  if (run.stopped()) motion.events.push_back({run.last_time(), "the run stopped", "stop"});
}

/// The times of the frames up to the last one that some run has got to.
std::vector<double> times_reached(const Runs& runs) {
  const RunTrace& first = *runs.front();
  std::size_t points = 0, most = 1;
  for (std::size_t k = 0; k < first.curves().size(); ++k) points += first.shown_points(k);
  points *= static_cast<std::size_t>(first.dimension());
  for (const RunTrace* run : runs) most = std::max(most, run->frames().size() / std::max<std::size_t>(points, 1));
  std::vector<double> times = first.frame_times();
  times.resize(std::min(times.size(), most));
  return times;
}

/// The frames that all runs have got to are common; one that stopped early is not there any more.
std::optional<pages::Motion> motion_of(const Runs& runs) {
  const RunTrace& first = *runs.front();
  if (first.curves().empty()) return std::nullopt;
  pages::Motion motion;
  motion.title = "Motion";
  motion.dimension = first.dimension();
  motion.times = times_reached(runs);
  if (in_si(first)) motion.time_unit = "s";
  for (const Solid& solid : first.solids()) {
    pages::MovingSolid one;
    one.name = solid.name;
    one.kind = solid.kind == Solid::Kind::body      ? "body"
               : solid.kind == Solid::Kind::inertia ? "inertia"
               : solid.kind == Solid::Kind::joint   ? "joint"
                                                    : "contact";
    for (const auto& point : solid.points) one.points.insert(one.points.end(), point.begin(), point.end());
    for (const auto& triangle : solid.triangles)
      one.triangles.insert(one.triangles.end(), triangle.begin(), triangle.end());
    motion.solids.push_back(std::move(one));
  }
  for (std::size_t k = 0; k < first.curves().size(); ++k) {
    const gnomon::Curve& curve = first.curves()[k];
    pages::MovingCurve one;
    one.name = curve.name;
    one.n_points = first.shown_points(k);
    using Kind = gnomon::Curve::Kind;
    one.kind = curve.kind == Kind::outline  ? "outline"
               : curve.kind == Kind::spring ? "spring"
               : curve.kind == Kind::trace  ? "trace"
               : curve.kind == Kind::joint  ? "joint"
               : curve.kind == Kind::ground ? "ground"
                                            : "line";
    one.traced = curve.n_points == 1 && curve.kind != Kind::joint;
    motion.up = curve.up;
    motion.unit = curve.unit;
    motion.equal = motion.equal && curve.to_scale;
    motion.curves.push_back(std::move(one));
  }
  std::size_t numbers = 0;
  for (const pages::MovingCurve& curve : motion.curves) numbers += curve.n_points;
  numbers *= motion.times.size() * static_cast<std::size_t>(motion.dimension);
  // A curve is fixed that stays where it is in all frames of all runs.
  std::size_t stride = 0;
  for (const pages::MovingCurve& curve : motion.curves)
    stride += curve.n_points * static_cast<std::size_t>(motion.dimension);
  std::size_t begin = 0;
  for (pages::MovingCurve& curve : motion.curves) {
    const std::size_t count = curve.n_points * static_cast<std::size_t>(motion.dimension);
    curve.fixed = std::all_of(runs.begin(), runs.end(), [&](const RunTrace* run) {
      const std::vector<double>& frames = run->frames();
      for (std::size_t at = begin; at + count <= frames.size(); at += stride)
        if (!std::equal(frames.begin() + static_cast<long>(at), frames.begin() + static_cast<long>(at + count),
                        first.frames().begin() + static_cast<long>(begin)))
          return false;
      return true;
    });
    curve.traced = curve.traced && !curve.fixed;
    begin += count;
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i]->frames().empty()) continue;
    pages::MovingRun run;
    run.name = runs[i]->spec().name;
    run.group = group_of(i);
    run.reference = runs[i]->spec().reference;
    run.points = runs[i]->frames();  // at most as many as there are times
    run.points.resize(numbers, std::nan(""));
    run.poses = runs[i]->poses();
    run.poses.resize(9 * motion.times.size() * motion.solids.size(), std::nan(""));
    motion.runs.push_back(std::move(run));
  }
  if (motion.runs.empty()) return std::nullopt;
  add_events(motion, first);
  if (first.point_stride() > 1)
    motion.note = fmt::format("Of each curve every {} point is drawn.",
                              first.point_stride() == 2   ? "second"
                              : first.point_stride() == 3 ? "third"
                                                          : fmt::format("{}th", first.point_stride()));
  return motion;
}

}  // namespace

std::vector<pages::Block> run_blocks(const Runs& runs) {
  std::vector<pages::Block> blocks;
  const auto add_chart = [&blocks](Chart chart) {
    if (!chart.series.empty()) blocks.emplace_back(std::move(chart));
  };
  const RunTrace& first = *runs.front();
  std::optional<pages::Motion> motion = motion_of(runs);
  std::optional<pages::Quantities> quantities = quantities_of(first);
  if (motion || quantities) blocks.emplace_back(pages::Section{motion ? "Motion" : "Quantities", ""});
  if (motion) blocks.emplace_back(std::move(*motion));
  if (quantities) blocks.emplace_back(std::move(*quantities));
  blocks.emplace_back(pages::Section{"Energy and constraints",
                                     energy_base(runs) +
                                         "Largest and smallest values of equal intervals are kept, so that no extreme "
                                         "is missing. Zeros are gaps of a logarithmic axis."});
  blocks.emplace_back(drift_table(runs));
  add_chart(energy_chart(runs));
  add_chart(over_time(runs, "Position constraints", "|g|", true, &RunTrace::position));
  add_chart(over_time(runs, "Velocity constraints", "|G v + g_t|", true, &RunTrace::velocity));
  add_chart(invariant_chart(runs, "Momentum maps", &RunTrace::momentum));
  add_chart(invariant_chart(runs, "First integrals", &RunTrace::integrals));
  add_chart(distance_chart(runs));
  add_chart(energies_chart(first));
  add_chart(phase_chart(first));
  blocks.emplace_back(pages::Section{"Steps", ""});
  Chart steps = over_time(runs, "Step size", "h", true, &RunTrace::step);
  steps.y.unit = steps.x.unit;
  add_chart(std::move(steps));
  add_chart(over_time(runs, "Iterations of the nonlinear solver a step", "iterations", false, &RunTrace::iterations));
  return blocks;
}

}  // namespace gnomon::traces
