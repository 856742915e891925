#pragma once
/// \file
/// Checkpoints of `gnomon run`: the state, and the arguments with which it goes on.

#include "gnomon/run/integrator.hpp"
#include "program/run/run_arguments.hpp"

namespace gnomon::program {

/// The arguments for a restart: problem, method and step as the checkpoint says, the rest as given. Throws
/// Error(bad_file), and Error(bad_value) for a flag that would change what the checkpoint fixes.
RunArguments with_checkpoint(const RunArguments& given);

/// 0: only at the end. Throws Error(bad_value) where there is no file to write to.
long parse_checkpoint_every(const RunArguments& arguments);

class CheckpointWriter final : public Observer {
 public:
  /// Writes the start, so that a file that cannot be written is found before the first step. The integrator must
  /// outlive the writer. Throws Error(bad_file).
  CheckpointWriter(const RunArguments& arguments, const Integrator& integrator, long every);
  /// A checkpoint that cannot be written costs no step: the one before it stays.
  bool observe(const State& z, long step) override;
  /// Writes the last state if it was not written. Throws Error(bad_file).
  void finish();

 private:
  void write();

  std::string file_, note_;
  const Integrator* integrator_;
  long every_, written_ = -1;
};

}  // namespace gnomon::program
