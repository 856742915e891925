#pragma once
/// \file
/// The trajectory of a run as a table, see tables/table.hpp and tables/state_columns.hpp.

#include "program/run/trajectory.hpp"

namespace gnomon::program {

class TrajectoryWriter final : public Observer {
 public:
  /// Opens the file. Rows are every K-th state of the run or, unless they are empty, its states at given times. The run
  /// must outlive the writer.
  TrajectoryWriter(const std::string& path, Json::Value provenance, Trajectory& run, long every,
                   const std::vector<double>& times);

  /// Before the first step, and after every step of the run.
  bool observe(const State& z, long step) override;
  /// Without times, writes the last state if it was not written. Makes the file appear.
  void finish();

 private:
  void write();

  tables::StateColumns columns_;
  std::unique_ptr<tables::Writer> table_;
  Trajectory* run_;
  std::unique_ptr<Observer> at_times_;
  long every_;
  bool due_ = false;
  std::vector<double> values_;
};

}  // namespace gnomon::program
