#include "program/output/trajectory_writer.hpp"

namespace gnomon::program {

TrajectoryWriter::TrajectoryWriter(const std::string& path, const ProblemInstance& instance, Json::Value provenance,
                                   const Integrator& integrator, Rows rows)
    : columns_(instance), integrator_(&integrator), every_(rows.every), values_(columns_.size()) {
  if (!rows.times.empty()) {
    provenance["between_steps"] =
        "a step of the scheme from the start of the step to the time; where it fails, the polynomial of degree 5 "
        "through "
        "both ends";
    at_times_ = std::make_unique<StatesAtTimes>(
        integrator, std::move(rows.times), [this](const State& at, bool end) { row_between(at, end); },
        std::move(rows.side), true);
  }
  table_ = tables::open_table(path, {columns_.columns(), provenance});
}

void TrajectoryWriter::row() {
  columns_.fill(*integrator_, values_.data());
  table_->row(values_.data());
}

void TrajectoryWriter::row_between(const State& at, bool end) {
  if (end)
    columns_.fill(*integrator_, values_.data());
  else
    columns_.fill(*integrator_, at, integrator_->state(), values_.data());
  values_[0] = at.t;  // of an end of a step, what the time is called
  table_->row(values_.data());
}

bool TrajectoryWriter::observe(const State& z, long step) {
  if (at_times_) return at_times_->observe(z, step);
  if (step % every_ != 0) return true;
  row();
  written_ = step;
  return true;
}

void TrajectoryWriter::finish() {
  if (!at_times_ && integrator_->counters().steps != written_) row();
  table_->commit();
}

}  // namespace gnomon::program
