#pragma once
/// \file
/// Mechanisms in Gnomon beside other multibody programs, at equal error. Simbody and MuJoCo run in drivers, programs of
/// their own that are built where these are installed (drivers/driver.hpp); IDA and CVODE through the references.
///
/// Every method runs at a series of tolerances or steps. Its error is the largest distance of a centre of mass from
/// that of one reference solution at the end; its time is the processor time of the steps, the median of interleaved
/// runs. A longer run then shows what becomes of the energy and of the joints at a setting that meets the first error.

#include <functional>
#include <string>
#include <vector>

#include "gnomon/mechanism/rigid_mechanism.hpp"
#include "gnomon/registry/registry.hpp"

namespace gnomon::bench {

struct PeersBench {
  std::vector<std::string> mechanisms;     ///< names of peer_mechanisms() or model files; empty: all of the former
  std::vector<double> until;               ///< ends of the runs; empty: those of each mechanism
  std::vector<double> errors{1e-3, 1e-6};  ///< in units of length
  int repetitions = 3;
  double limit = 5;     ///< seconds of processor time a run
  double longer = 20;   ///< times as long as the runs: where energy and joints are looked at
  std::string drivers;  ///< the folder of the drivers
};

/// A mechanism that the bench knows by name.
struct PeerMechanism {
  std::string name;
  std::vector<double> until;
  std::function<ProblemInstance()> build;
};
const std::vector<PeerMechanism>& peer_mechanisms();

/// One method of one program at one setting.
struct PeerRun {
  std::string mechanism, program, method;
  double until = 0, setting = 0, seconds = 0, error = 0, energy = 0, gap = 0;
  std::string failure;  ///< empty, or why there is no result
};

/// What an error costs in one program: its cheapest method.
struct PeerCost {
  std::string method;  ///< empty: none reaches the error
  double seconds = 0, setting = 0;
};

/// One mechanism to one time.
struct PeerTable {
  std::string mechanism;
  double until = 0, uncertainty = 0;
  std::vector<std::string> programs;         ///< in the order of costs
  std::vector<std::vector<PeerCost>> costs;  ///< by error, then by program
  std::vector<PeerRun> longer;               ///< one a program that reaches the first error
};

/// Which of the programs have a driver in the folder, in words: "Simbody and MuJoCo", "none".
std::string peers_found(const std::string& drivers);

/// Throws Error(unknown_name) for a mechanism that is neither known nor a model file.
void check_peers(const PeersBench& bench);

/// Every run, and every table, goes to its function as soon as it is known. Throws what check_peers and rigid_mechanism
/// throw.
void run_peers(const Registry& registry, const PeersBench& bench, const std::function<void(const PeerRun&)>& run,
               const std::function<void(const PeerTable&)>& table);

/// The mechanism as the drivers read it.
std::string mechanism_text(const RigidMechanism& mechanism);

}  // namespace gnomon::bench
