#include "program/output/trajectory_writer.hpp"

#include <fmt/format.h>

#include <iterator>

#include "program/run/state_blocks.hpp"

namespace gnomon::program {

namespace {

/// A name as a column is called, in quotation marks where it has a comma: "tension [N]"
std::string column_name(const Output& output) {
  std::string name = output.unit.empty() ? output.name : output.name + " [" + output.unit + "]";
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  for (std::size_t at = 0; (at = name.find('"', at)) != std::string::npos; at += 2) name.insert(at, 1, '"');
  return '"' + name + '"';
}

}  // namespace

TrajectoryWriter::TrajectoryWriter(const std::string& path, const Integrator& integrator,
                                   const EvaluatedOutputs& outputs, long every)
    : file_(path), integrator_(&integrator), outputs_(&outputs), every_(every) {
  header();
}

void TrajectoryWriter::header() {
  const InvariantMonitor& monitor = integrator_->monitor();
  const auto numbered = [this](const std::string& name, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) line_ += fmt::format(",{}{}", name, i);
  };
  line_ = "t";
  const StateBlocks blocks = state_blocks(*integrator_);
  for (std::size_t block = 0; block < 3; ++block)
    numbered(blocks.names[block], static_cast<std::size_t>(blocks.values[block]->size()));
  line_ += integrator_->model().has_energy() ? ",energy_error,position_max,velocity_max" : ",position_max,velocity_max";
  numbered("momentum_error", monitor.momentum().size());
  numbered("integral_error", monitor.integrals().size());
  for (const Output& output : outputs_->outputs()) line_ += "," + column_name(output);
  end_line();
}

void TrajectoryWriter::value(double x) {
  fmt::format_to(std::back_inserter(line_), ",{:.17g}", x);
}

/// A stream that failed says so in the end, see OutputFile::commit.
void TrajectoryWriter::end_line() {
  line_ += '\n';
  std::fwrite(line_.data(), 1, line_.size(), file_.stream());
}

void TrajectoryWriter::row(const State& z) {
  const InvariantMonitor& monitor = integrator_->monitor();
  line_ = fmt::format("{:.17g}", z.t);
  for (const Vector* block : state_blocks(*integrator_, z).values)
    for (Index i = 0; i < block->size(); ++i) value((*block)[i]);
  if (integrator_->model().has_energy()) value(monitor.energy().last_error());
  integrator_->model().measure(z.view(), measured_);
  value(measured_.position);
  value(measured_.velocity);
  for (const auto* drifts : {&monitor.momentum(), &monitor.integrals()})
    for (const Drift& drift : *drifts) value(drift.last_error());
  if (!outputs_->outputs().empty())
    for (const double x : outputs_->evaluate(*integrator_)) value(x);
  end_line();
}

bool TrajectoryWriter::observe(const State& z, long step) {
  if (step % every_ != 0) return true;
  row(z);
  written_ = step;
  return true;
}

void TrajectoryWriter::finish(const State& last, long step) {
  if (step != written_) row(last);
  file_.commit();
}

}  // namespace gnomon::program
