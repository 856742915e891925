#pragma once
/// \file
/// The trajectory of a run as a table, see tables/table.hpp and tables/state_columns.hpp.

#include "gnomon/run/states_at_times.hpp"
#include "tables/state_columns.hpp"

namespace gnomon::program {

/// Which states are rows: every K-th, or those at given times.
struct Rows {
  long every = 1;
  std::vector<double> times;      ///< empty: every K-th step
  StatesAtTimes::SideMaker side;  ///< a second integrator like the one of the run, for states between its steps
};

class TrajectoryWriter final : public Observer {
 public:
  /// Opens the file. The integrator must outlive the writer.
  TrajectoryWriter(const std::string& path, const ProblemInstance& instance, Json::Value provenance,
                   const Integrator& integrator, Rows rows);

  /// Before the first step, and after every step of the integrator.
  bool observe(const State& z, long step) override;
  /// Without times, writes the last state if it was not written. Makes the file appear.
  void finish();

 private:
  void row();
  void row_between(const State& at, bool end);

  tables::StateColumns columns_;
  std::unique_ptr<tables::Writer> table_;
  const Integrator* integrator_;
  std::unique_ptr<StatesAtTimes> at_times_;
  long every_, written_ = -1;
  std::vector<double> values_;
};

}  // namespace gnomon::program
