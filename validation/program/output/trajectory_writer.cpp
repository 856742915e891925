#include "program/output/trajectory_writer.hpp"

namespace gnomon::program {

TrajectoryWriter::TrajectoryWriter(const std::string& path, const ProblemInstance& instance,
                                   const Json::Value& provenance, const Integrator& integrator, long every)
    : columns_(instance),
      table_(tables::open_table(path, {columns_.columns(), provenance})),
      integrator_(&integrator),
      every_(every),
      values_(columns_.size()) {}

void TrajectoryWriter::row() {
  columns_.fill(*integrator_, values_.data());
  table_->row(values_.data());
}

bool TrajectoryWriter::observe(const State&, long step) {
  if (step % every_ != 0) return true;
  row();
  written_ = step;
  return true;
}

void TrajectoryWriter::finish() {
  if (integrator_->counters().steps != written_) row();
  table_->commit();
}

}  // namespace gnomon::program
