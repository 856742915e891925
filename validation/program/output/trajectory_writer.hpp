#pragma once
/// \file
/// The trajectory as CSV: t, state by block names, errors of the invariants, the problem's outputs; 17 significant
/// digits. An overdetermined DAE that declares no energy has no energy_error.

#include "gnomon/run/evaluated_outputs.hpp"
#include "gnomon/run/integrator.hpp"
#include "program/output/output_file.hpp"

namespace gnomon::program {

class TrajectoryWriter final : public Observer {
 public:
  /// Opens the file, see OutputFile, and writes the header. The integrator and the outputs must outlive the writer.
  TrajectoryWriter(const std::string& path, const Integrator& integrator, const EvaluatedOutputs& outputs, long every);

  /// Writes every `every`-th state, the one of step 0 included. It is the integrator's.
  bool observe(const State& z, long step) override;
  /// Writes the last state if it was not written, and makes the file appear.
  void finish(const State& last, long step);

 private:
  void header();
  void row(const State& z);
  void value(double x);
  void end_line();

  OutputFile file_;
  const Integrator* integrator_;
  const EvaluatedOutputs* outputs_;
  long every_, written_ = -1;
  Measured measured_;
  std::string line_;
};

}  // namespace gnomon::program
