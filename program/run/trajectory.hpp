#pragma once
/// \file
/// A run, whatever makes its steps: a scheme with its integrator, or a reference.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/registry.hpp"
#include "gnomon/run/integrator.hpp"
#include "program/run/run_arguments.hpp"
#include "program/summary/run_page.hpp"
#include "program/summary/run_report.hpp"
#include "tables/state_columns.hpp"

namespace gnomon::program {

class Trajectory {
 public:
  explicit Trajectory(ProblemInstance instance) : instance_(std::move(instance)) {}
  Trajectory(const Trajectory&) = delete;
  virtual ~Trajectory() = default;

  /// The problem, with the start of the run.
  const ProblemInstance& instance() const { return instance_; }
  double t_end() const { return t_end_; }
  virtual const State& state() const = 0;
  /// "energy-momentum, h = 0.01", "ida-ggl, rtol = 1e-12"
  virtual std::string label() const = 0;
  /// Null: there is none.
  virtual const InvariantMonitor* monitor() const { return nullptr; }
  /// How many steps there will be; 0: not known.
  virtual long planned_steps() const { return 0; }

  /// Shows the observer the state now, and after every step. It may stop the run, and outlives it.
  virtual void observe(Observer& observer) = 0;
  /// Columns behind those of the state: derivatives, where they are asked for.
  virtual std::vector<tables::Column> further_columns() const { return {}; }
  /// The state as a row: values, one a column, the further ones last.
  virtual void fill(tables::StateColumns& columns, double* values) const = 0;
  /// An observer of this run that makes rows of the states at these times and changes no step. How it finds those
  /// between two steps is between_steps().
  using Row = std::function<void(const double* values)>;
  virtual std::unique_ptr<Observer> rows_at(std::vector<double> times, tables::StateColumns& columns, Row row) = 0;
  virtual const char* between_steps() const = 0;
  /// An observer of this run that draws it on the page.
  virtual std::unique_ptr<Observer> trace(RunPage& page) = 0;

  /// To the end. False: it failed or was stopped.
  virtual bool advance() = 0;
  /// Writes what is left of its own files. Throws Error(bad_file).
  virtual void finish() {}
  /// What became of it, with the references beside it.
  virtual RunReport report(std::vector<ReferenceOutcome> references) const = 0;

 protected:
  ProblemInstance instance_;
  double t_end_ = 0;
};

/// Starts the run that is asked for, of a scheme or a reference of that name. Changes the arguments to what is run.
/// Throws Error naming the flag, and what Registry::integrator and Reference::start throw.
std::unique_ptr<Trajectory> start_trajectory(const Registry& registry, ProblemInstance instance,
                                             RunArguments& arguments);

}  // namespace gnomon::program
