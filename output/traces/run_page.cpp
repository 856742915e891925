#include "traces/run_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "gnomon/model/system.hpp"
#include "gnomon/registry/coordinate_names.hpp"

namespace gnomon::traces {

namespace {

using pages::Chart;
using pages::Series;
using Runs = std::vector<const RunTrace*>;
using SeriesOf = std::function<const DecimatedSeries&(const RunTrace&)>;

constexpr std::size_t most_coordinates = 12;
/// Of outputs, in one chart and of one curve.
constexpr std::size_t most_outputs = 8, most_points = 500;

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
  chart.x.label = "t";
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

Chart energy_chart(const Runs& runs) {
  Chart chart = over_time(runs, "Energy error", "|H - H(t0) - booked work|", true, &RunTrace::energy_error);
  for (std::size_t i = 0; i < runs.size(); ++i)
    add(chart, runs[i]->discrete_error(), runs[i]->spec().discrete_energy + ", " + runs[i]->spec().name, i);
  std::optional<Extreme> best, worst;
  for (const RunTrace* run : runs)
    if (const auto error = largest(run->energy_error())) {
      if (!best || error->value < best->value) best = error;
      if (!worst || error->value > worst->value) worst = error;
    }
  const RunTrace& first = *runs.front();
  if (best) add_guide(chart, *best, first.instance().t0, first.spec().t_end, 0.5, "~ sqrt(t), rounding");
  if (worst && worst->value > best->value)
    add_guide(chart, *worst, first.instance().t0, first.spec().t_end, 1, "~ t, drift");
  for (const RunTrace* run : runs)
    if (!run->energy_error().has_values() && run->instance().model->has_energy() && !chart.series.empty())
      chart.note += fmt::format("{}Not known of {}: forces do work, which a reference does not book.",
                                chart.note.empty() ? "" : " ", run->spec().name);
  return chart;
}

/// |q - q_ref|/|q_ref| at the targets of each reference, which are times of samples of the runs.
Chart distance_chart(const Runs& runs) {
  Chart chart;
  chart.title = "Distance from the references";
  chart.x.label = "t";
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
  chart.x.label = "t";
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
  chart.x.label = "t";
  chart.y.label = "energy";
  const bool mechanical = run.instance().model->mechanical() != nullptr;
  add(chart, run.kinetic(), "T, kinetic", 0);
  add(chart, run.potential(), mechanical ? "U, potential" : "E", 1);
  const auto work = largest(run.work());
  if (work && work->value > 0) add(chart, run.work(), "work of forces", 2);
  return chart;
}

/// One chart of coordinates over time, one of rates over coordinates, each run of the first coordinates.
void add_coordinates(const RunTrace& run, std::vector<pages::Block>& blocks) {
  const auto& samples = run.samples();
  const Index n = run.instance().q0.size(), shown = std::min<Index>(n, most_coordinates);
  if (samples.size() < 3 || shown == 0) return;
  const auto names = coordinate_names(*run.instance().model);
  Chart motion, phase;
  motion.title = "Coordinates of " + run.spec().name;
  motion.x.label = "t";
  motion.y.label = "q";
  phase.title = "Phase plot of " + run.spec().name;
  phase.x.label = "coordinate";
  phase.y.label = "its rate";
  if (n > shown) phase.note = motion.note = fmt::format("The first {} of {} coordinates.", shown, n);
  for (Index j = 0; j < shown; ++j) {
    Series over, rate;
    over.name = names[static_cast<std::size_t>(j)];
    rate.name = over.name;
    over.group = rate.group = static_cast<int>(j);
    bool moves = false;
    for (const RunTrace::Sample& sample : samples) {
      over.x.push_back(sample.t);
      over.y.push_back(sample.q[j]);
      rate.x.push_back(sample.q[j]);
      rate.y.push_back(sample.v[j]);
      moves = moves || sample.q[j] != samples.front().q[j];
    }
    motion.series.push_back(std::move(over));
    if (moves) phase.series.push_back(std::move(rate));
  }
  blocks.emplace_back(std::move(motion));
  if (!phase.series.empty()) blocks.emplace_back(std::move(phase));
}

/// Charts of the outputs of a run, one for each unit, in the order of the outputs.
void add_outputs(const RunTrace& run, std::vector<pages::Block>& blocks) {
  const auto& samples = run.samples();
  const std::vector<Output>& outputs = run.outputs();
  if (samples.size() < 3 || samples.front().outputs.size() == 0) return;
  std::vector<Chart> charts;
  std::vector<std::size_t> of_unit;  // how many there are
  const std::size_t stride = (samples.size() + most_points - 1) / most_points;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::string label = outputs[k].unit.empty() ? "value" : outputs[k].unit;
    auto chart = std::find_if(charts.begin(), charts.end(), [&](const Chart& c) { return c.y.label == label; });
    if (chart == charts.end()) {
      chart = charts.emplace(charts.end());
      chart->title = outputs[k].unit.empty() ? "Outputs without a unit" : "Outputs in " + label;
      chart->x.label = "t";
      chart->y.label = label;
      of_unit.push_back(0);
    }
    ++of_unit[static_cast<std::size_t>(chart - charts.begin())];
    if (chart->series.size() == most_outputs) continue;
    Series curve;
    curve.name = outputs[k].name;
    curve.group = static_cast<int>(chart->series.size());
    for (std::size_t i = 0; i < samples.size(); ++i)
      if (i % stride == 0 || i + 1 == samples.size()) {
        curve.x.push_back(samples[i].t);
        curve.y.push_back(samples[i].outputs[static_cast<Index>(k)]);
      }
    chart->series.push_back(std::move(curve));
  }
  blocks.emplace_back(pages::Section{"Outputs", "Of " + run.spec().name + "."});
  for (std::size_t c = 0; c < charts.size(); ++c) {
    if (of_unit[c] > most_outputs)
      charts[c].note = fmt::format("The first {} of {}; run --output writes all.", most_outputs, of_unit[c]);
    blocks.emplace_back(std::move(charts[c]));
  }
}

/// The frames that all runs have got to are common; one that stopped early is not there any more.
std::optional<pages::Motion> motion_of(const Runs& runs) {
  const RunTrace& first = *runs.front();
  if (first.curves().empty()) return std::nullopt;
  pages::Motion motion;
  motion.title = "Motion";
  motion.dimension = first.dimension();
  motion.times = first.frame_times();
  for (std::size_t k = 0; k < first.curves().size(); ++k) {
    const gnomon::Curve& curve = first.curves()[k];
    pages::MovingCurve one;
    one.name = curve.name;
    one.n_points = first.shown_points(k);
    one.traced = curve.n_points == 1;
    motion.up = curve.up;
    motion.unit = curve.unit;
    motion.equal = motion.equal && curve.to_scale;
    motion.curves.push_back(std::move(one));
  }
  std::size_t numbers = 0;
  for (const pages::MovingCurve& curve : motion.curves) numbers += curve.n_points;
  numbers *= motion.times.size() * static_cast<std::size_t>(motion.dimension);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i]->frames().empty()) continue;
    pages::MovingRun run;
    run.name = runs[i]->spec().name;
    run.group = group_of(i);
    run.reference = runs[i]->spec().reference;
    run.points = runs[i]->frames();
    run.points.resize(numbers, std::nan(""));
    motion.runs.push_back(std::move(run));
  }
  if (motion.runs.empty()) return std::nullopt;
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
  blocks.emplace_back(pages::Section{"Invariants",
                                     "Largest and smallest values of equal intervals are kept, so that no extreme is "
                                     "missing. Zeros are gaps of a logarithmic axis."});
  add_chart(energy_chart(runs));
  add_chart(over_time(runs, "Position constraints", "|g|", true, &RunTrace::position));
  add_chart(over_time(runs, "Velocity constraints", "|G v + g_t|", true, &RunTrace::velocity));
  add_chart(invariant_chart(runs, "Momentum maps", &RunTrace::momentum));
  add_chart(invariant_chart(runs, "First integrals", &RunTrace::integrals));
  add_chart(distance_chart(runs));
  blocks.emplace_back(pages::Section{"Motion", ""});
  if (auto motion = motion_of(runs)) blocks.emplace_back(std::move(*motion));
  add_coordinates(first, blocks);
  add_chart(energies_chart(first));
  add_outputs(first, blocks);
  blocks.emplace_back(pages::Section{"Steps", ""});
  add_chart(over_time(runs, "Step size", "h", true, &RunTrace::step));
  add_chart(over_time(runs, "Iterations of the nonlinear solver a step", "iterations", false, &RunTrace::iterations));
  return blocks;
}

pages::Table drift_table(const Runs& runs) {
  pages::Table table;
  table.title = "Largest errors";
  table.columns = {"run", "states", "energy", "|g|", "|G v + g_t|", "momentum maps"};
  const auto text = [](const std::optional<Extreme>& value) -> std::string {
    return value ? fmt::format("{:.2e}", value->value) : "-";
  };
  for (const RunTrace* run : runs) {
    std::optional<Extreme> momentum;
    for (const RunTrace::Curve& curve : run->momentum())
      if (const auto one = largest(curve.series); one && (!momentum || one->value > momentum->value)) momentum = one;
    table.rows.push_back({run->spec().name, fmt::format("{}", run->states()), text(largest(run->energy_error())),
                          text(largest(run->position())), text(largest(run->velocity())), text(momentum)});
  }
  return table;
}

}  // namespace gnomon::traces
