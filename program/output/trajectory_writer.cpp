#include "program/output/trajectory_writer.hpp"

namespace gnomon::program {

TrajectoryWriter::TrajectoryWriter(const std::string& path, Json::Value provenance, Trajectory& run, long every,
                                   const std::vector<double>& times)
    : columns_(run.instance()), run_(&run), every_(every) {
  std::vector<tables::Column> columns = columns_.columns();
  for (tables::Column& column : run.further_columns()) columns.push_back(std::move(column));
  values_.resize(columns.size());
  if (!times.empty()) {
    provenance["between_steps"] = run.between_steps();
    at_times_ = run.rows_at(times, columns_, [this](const double* values) { table_->row(values); });
  }
  table_ = tables::open_table(path, {columns, provenance});
}

bool TrajectoryWriter::observe(const State& z, long step) {
  if (at_times_) return at_times_->observe(z, step);
  due_ = true;
  if (step % every_ == 0) write();
  return true;
}

void TrajectoryWriter::write() {
  run_->fill(columns_, values_.data());
  table_->row(values_.data());
  due_ = false;
}

void TrajectoryWriter::finish() {
  if (due_) write();
  table_->commit();
}

}  // namespace gnomon::program
