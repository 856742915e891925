#pragma once
/// \file
/// The trajectory as CSV: t, state by block names, errors of the invariants; 17 significant digits.

#include "gnomon/integrator.hpp"
#include "output_file.hpp"

namespace gnomon::program {

class TrajectoryWriter final : public Observer {
 public:
  /// Opens the file, see OutputFile, and writes the header. System and monitor must outlive the writer.
  TrajectoryWriter(const std::string& path, const System& system, const InvariantMonitor& monitor, long every);

  /// Writes every `every`-th state, the one of step 0 included.
  bool observe(const State& z, long step) override;
  /// Writes the last state if it was not written, and makes the file appear.
  void finish(const State& last, long step);

 private:
  void header();
  void row(const State& z);
  void values(const Vector& v);

  OutputFile file_;
  const System* system_;
  const InvariantMonitor* monitor_;
  long every_, written_ = -1;
  Vector v_, g_;
};

}  // namespace gnomon::program
