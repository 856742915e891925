#pragma once
/// \file
/// The processes that share an ensemble: one, or those that mpirun or srun started.

#include <memory>
#include <string>

namespace gnomon::ensembles {

/// Messages between processes. Only the main thread calls it.
class Processes {
 public:
  virtual ~Processes() = default;
  /// 0 .. size() - 1. Rank 0 hands out the runs and writes the table.
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// How many of them are on this machine.
  virtual int on_this_host() const = 0;
  virtual const std::string& host() const = 0;
  /// Does not wait. Messages from one rank to another arrive in their order.
  virtual void send(int to, const std::string& message) = 0;
  /// False where no message is there.
  virtual bool receive(int& from, std::string& message) = 0;
  /// Ends all of them at once, with this exit status.
  [[noreturn]] virtual void abort(int status) = 0;
};

/// This process alone; or, started by mpirun or srun, through MPI: the module libgnomon_mpi.so, which is loaded then
/// and lies where this program finds its libraries. Throws Error(refused) where it is missing, or is of another MPI
/// than the one that started the processes.
std::unique_ptr<Processes> join_processes();
/// This process alone.
std::unique_ptr<Processes> single_process();

/// What the module has, as extern "C": the name of its only function.
constexpr const char* join_function = "gnomon_join_processes";
using JoinFunction = Processes* (*)();

}  // namespace gnomon::ensembles
