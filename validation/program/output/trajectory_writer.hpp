#pragma once
/// \file
/// The trajectory of a run as a table, see tables/table.hpp and tables/state_columns.hpp.

#include "gnomon/run/integrator.hpp"
#include "tables/state_columns.hpp"

namespace gnomon::program {

class TrajectoryWriter final : public Observer {
 public:
  /// Opens the file. The integrator must outlive the writer.
  TrajectoryWriter(const std::string& path, const ProblemInstance& instance, const Json::Value& provenance,
                   const Integrator& integrator, long every);

  /// Writes every `every`-th state, the one of step 0 included. It is the integrator's.
  bool observe(const State& z, long step) override;
  /// Writes the last state if it was not written, and makes the file appear.
  void finish();

 private:
  void row();

  tables::StateColumns columns_;
  std::unique_ptr<tables::Writer> table_;
  const Integrator* integrator_;
  long every_, written_ = -1;
  std::vector<double> values_;
};

}  // namespace gnomon::program
