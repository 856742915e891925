#include "program/summary/run_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "program/arguments.hpp"
#include "traces/motion_gltf.hpp"
#include "traces/run_page.hpp"

namespace gnomon::program {

namespace {

/// Of the motion of all runs together: 200 000 numbers of four bytes are a megabyte of text.
constexpr std::size_t most_numbers = 200000;
constexpr std::size_t most_events = 2000;

pages::Table event_table(const std::vector<std::array<std::string, 4>>& events) {
  pages::Table table;
  table.title = "Events";
  table.columns = {"t", "event", "obstacle", "energy change"};
  if (events.size() > most_events)
    table.note = fmt::format("The first {} of {}; --events lists them all.", most_events, events.size());
  for (std::size_t i = 0; i < std::min(events.size(), most_events); ++i)
    table.rows.push_back({events[i][0], events[i][1], events[i][2], events[i][3]});
  return table;
}

/// The events of a run for the slider of its motion.
std::vector<traces::RunTrace::Event> events_of(const std::vector<std::array<std::string, 4>>& rows) {
  std::vector<traces::RunTrace::Event> events;
  for (const auto& [t, kind, where, change] : rows) events.push_back({parse_real(t, "event"), kind, where});
  std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) { return a.t < b.t; });
  return events;
}

/// "step 120 from t = 0.7 over h = 1e-3: CAUSE (DETAILS)" as the cause, and what else there is.
std::vector<std::string> cause_first(const std::string& text) {
  const std::size_t colon = text.rfind("step ", 0) == 0 ? text.find(": ") : std::string::npos;
  if (colon == std::string::npos) return {text};
  std::string cause = text.substr(colon + 2), more = "This was " + text.substr(0, colon);
  std::size_t open = cause.size();
  if (!cause.empty() && cause.back() == ')')
    for (int depth = 0; open > 0;) {
      depth += cause[--open] == ')' ? 1 : cause[open] == '(' ? -1 : 0;
      if (depth == 0) break;
    }
  if (open > 1 && open < cause.size() && cause[open - 1] == ' ') {
    more += "; " + cause.substr(open + 1, cause.size() - open - 2);
    cause.resize(open - 1);
  }
  return {cause, more};
}

/// A box with what is to be known before the motion is looked at: that the run stopped and why, warnings, a model that
/// is not as it was given. Nothing where all is well.
std::optional<pages::Notice> notice_of(const std::vector<SummaryRow>& summary, double t, double t_end,
                                       const std::string& unit) {
  pages::Notice notice;
  const auto add = [&notice](std::string text) {
    if (!text.empty() && text.back() != '.') text += '.';
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() += 'A' - 'a';
    notice.paragraphs.push_back(std::move(text));
  };
  for (const SummaryRow& row : summary)
    if (row.label == "STOPPED") {
      notice.mark = pages::Mark::bad;
      notice.title = fmt::format("Stopped at t = {:.6g}{}, before the end at {:g}{}", t, unit, t_end, unit);
      for (const std::string& text : cause_first(row.text)) add(text);
    }
  for (const SummaryRow& row : summary) {
    if (row.label == "BROKEN") notice.mark = pages::Mark::bad;
    if (row.label == "singular") add("Singular position: " + row.text);
    if (row.label == "repaired") add("Repaired: " + row.text);
    if (row.label == "BROKEN") add("Broken " + row.text);
    if (row.label == "undetermined" || row.label == "exceeded" || row.label == "WARNING") add(row.text);
    if (row.label == "reference" && row.text.find(" stopped at t = ") != std::string::npos)
      add("Reference " + row.text);
  }
  if (notice.title.empty())
    notice.title = notice.mark == pages::Mark::bad ? "A promise is broken" : "Warnings of this run";
  if (notice.paragraphs.empty()) return std::nullopt;
  return notice;
}

/// The names that textbooks have, where the summary of a terminal is short.
std::string in_full(std::string text, const std::string& label) {
  const std::vector<std::pair<std::string, std::string>> names =
      label == "promises" ? std::vector<std::pair<std::string, std::string>>{{" position", " position constraints"},
                                                                             {" hidden", " velocity constraints"},
                                                                             {" momentum", " momentum maps"}}
      : label == "energy" ? std::vector<std::pair<std::string, std::string>>{{", slope ", ", drift "},
                                                                             {"(relative ", "(in parts of E: "}}
                          : std::vector<std::pair<std::string, std::string>>{};
  for (const auto& [brief, full] : names)
    if (const std::size_t at = text.find(brief); at != std::string::npos) text.replace(at, brief.size(), full);
  return text;
}

}  // namespace

bool is_motion_file(const std::optional<std::string>& output) {
  const std::string end = ".glb";
  return output && output->size() > end.size() && output->compare(output->size() - end.size(), end.size(), end) == 0;
}

RunPage::RunPage(const std::optional<std::string>& page, const std::optional<std::string>& motion,
                 const ProblemInstance& instance, double t_end, std::size_t runs)
    : file_(page), instance_(instance), t_end_(t_end), numbers_(most_numbers / std::max<std::size_t>(runs, 1)) {
  if (motion) motion_ = std::make_unique<tables::OutputFile>(*motion);
}

traces::RunTrace& RunPage::add(const std::string& name, const std::string& discrete_energy,
                               const std::string& promises) {
  traces::RunTrace::Spec spec;
  spec.name = name;
  spec.reference = !traces_.empty();
  spec.discrete_energy = discrete_energy;
  spec.promises = promises;
  spec.t_end = t_end_;
  spec.most_numbers = numbers_;
  if (spec.reference)
    for (const auto& sample : traces_.front()->samples()) spec.targets.push_back(sample.t);
  traces_.push_back(std::make_unique<traces::RunTrace>(instance_, std::move(spec)));
  return *traces_.back();
}

std::vector<double> RunPage::times() const {
  std::vector<double> times;
  for (const auto& trace : traces_) {
    times.insert(times.end(), trace->frame_times().begin(), trace->frame_times().end());
    times.insert(times.end(), trace->spec().targets.begin(), trace->spec().targets.end());
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

void RunPage::finish(const Texts& texts) {
  if (motion_) {
    const std::string bytes = traces::motion_gltf(*traces_.front());
    std::fwrite(bytes.data(), 1, bytes.size(), motion_->stream());
    motion_->commit();
  }
  if (!file_) return;
  pages::Page page(texts.title, texts.subtitle);
  pages::Facts facts;
  for (const SummaryRow& row : texts.summary)
    facts.rows.emplace_back(
        row.label, pages::Cell(in_full(row.text, row.label), row.alarming ? pages::Mark::warn : pages::Mark::none));
  std::vector<const traces::RunTrace*> runs;
  for (const auto& trace : traces_) runs.push_back(trace.get());
  const auto stopped = [](const SummaryRow& row) { return row.label == "STOPPED"; };
  traces::RunTrace& first = *traces_.front();
  first.set_events(events_of(texts.events), std::any_of(texts.summary.begin(), texts.summary.end(), stopped));
  const bool in_si = !first.curves().empty() && first.curves().front().unit == "m";
  std::optional<pages::Notice> notice = notice_of(texts.summary, first.last_time(), t_end_, in_si ? " s" : "");
  for (pages::Block& block : traces::run_blocks(runs)) {
    page.add(std::move(block));
    if (notice) page.add(*notice);  // below the head of the first section, above the motion
    notice.reset();
  }
  page.add(pages::Section{"Summary", ""});
  page.add(std::move(facts));
  if (!texts.events.empty()) page.add(event_table(texts.events));
  page.add(pages::Section{"Where it came from", ""});
  page.add(pages::Command{"The same run", texts.provenance["command"].asString()});
  page.add(surroundings());
  file_.write(page);
}

TraceObserver::TraceObserver(traces::RunTrace& trace, const Integrator* integrator)
    : trace_(&trace), integrator_(integrator) {
  if (!integrator) return;
  iterations_ = integrator->counters().iterations;
  events_ = integrator->events().size();
}

bool TraceObserver::observe(const State& z, long) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  traces::StepFigures figures{unknown, unknown};
  if (!integrator_) {
    trace_->add(z, figures);
    return true;
  }
  const InvariantMonitor& monitor = integrator_->monitor();
  const RunCounters& counters = integrator_->counters();
  if (integrator_->model().has_energy()) figures.energy_error = monitor.energy().last_error();
  figures.energy_scale = monitor.energy_scale();
  if (monitor.discrete_energy().count() > 0) figures.discrete_error = monitor.discrete_energy().last_error();
  if (trace_->states() > 0) figures.iterations = static_cast<double>(counters.iterations - iterations_);
  figures.jumped = integrator_->events().size() != events_;
  iterations_ = counters.iterations;
  events_ = integrator_->events().size();
  trace_->add(z, figures);
  return true;
}

}  // namespace gnomon::program
