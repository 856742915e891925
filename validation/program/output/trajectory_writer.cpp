#include "program/output/trajectory_writer.hpp"

#include "program/run/state_blocks.hpp"

namespace gnomon::program {

TrajectoryWriter::TrajectoryWriter(const std::string& path, const Integrator& integrator, long every)
    : file_(path), integrator_(&integrator), every_(every) {
  header();
}

void TrajectoryWriter::header() {
  std::FILE* out = file_.stream();
  const InvariantMonitor& monitor = integrator_->monitor();
  const auto numbered = [out](const std::string& name, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) std::fprintf(out, ",%s%zu", name.c_str(), i);
  };
  std::fputs("t", out);
  const StateBlocks blocks = state_blocks(*integrator_);
  for (std::size_t block = 0; block < 3; ++block)
    numbered(blocks.names[block], static_cast<std::size_t>(blocks.values[block]->size()));
  std::fputs(
      integrator_->model().has_energy() ? ",energy_error,position_max,velocity_max" : ",position_max,velocity_max",
      out);
  numbered("momentum_error", monitor.momentum().size());
  numbered("integral_error", monitor.integrals().size());
  std::fputs("\n", out);
}

void TrajectoryWriter::values(const Vector& v) {
  for (Index i = 0; i < v.size(); ++i) std::fprintf(file_.stream(), ",%.17g", v[i]);
}

void TrajectoryWriter::row(const State& z) {
  std::FILE* out = file_.stream();
  const InvariantMonitor& monitor = integrator_->monitor();
  std::fprintf(out, "%.17g", z.t);
  for (const Vector* block : state_blocks(*integrator_, z).values) values(*block);
  if (integrator_->model().has_energy()) std::fprintf(out, ",%.17g", monitor.energy().last_error());
  integrator_->model().measure(z.view(), measured_);
  std::fprintf(out, ",%.17g,%.17g", measured_.position, measured_.velocity);
  for (const auto* drifts : {&monitor.momentum(), &monitor.integrals()})
    for (const Drift& drift : *drifts) std::fprintf(out, ",%.17g", drift.last_error());
  std::fputs("\n", out);
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
