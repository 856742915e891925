#pragma once
/// \file
/// What a user of `gnomon sweep` said, on the command line and in a sweep file.

#include "ensembles/definition.hpp"
#include "program/run/run_arguments.hpp"

namespace gnomon::program {

struct SweepArguments : RunArguments {
  Assignments vary;
  std::vector<std::string> keep, files;
  std::string samples, sampling, seed, time_limit, threads, shard;
  std::string file;  ///< the sweep file that was read, or ""
  bool resume = false;
};

/// Where PROBLEM is a sweep file, a .toml with a key `model`, reads it: what the command line says goes first. Throws
/// Error(bad_file) for what is wrong in it.
///
///     model = "NAME or FILE.toml"    relative to the sweep file
///     runs = 1000
///     seed = 1
///     sampling = "sobol"
///     keep = ["max_energy_error", "q_end"]
///     [vary]
///     k = "uniform(1,9)"
///
/// and set, scheme, option, solver, solver-option, contact, step, until, steps, rtol, atol, max-halvings, time-limit.
void read_sweep_file(SweepArguments& arguments);

/// The ensemble that is asked for. Changes the arguments to what is run: defaults of the problem, the scheme that a
/// tolerance chooses. Throws Error naming the flag.
EnsembleSetup sweep_setup(const Registry& registry, SweepArguments& arguments, const Design& design);
Design sweep_design(const SweepArguments& arguments);
ensembles::Shard sweep_shard(const SweepArguments& arguments);

/// The command that does one run of the ensemble again: `gnomon run`, or where its start varies, which `run` has no
/// flag for, `gnomon sweep` with lists of one value.
std::string command_of_run(const SweepArguments& arguments, const Assignments& values);

}  // namespace gnomon::program
