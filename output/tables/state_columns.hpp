#pragma once
/// \file
/// The columns of a state: what a row of a trajectory is, of a run of a scheme and of a reference alike.

#include <optional>
#include <vector>

#include "gnomon/run/evaluated_outputs.hpp"
#include "gnomon/run/reference.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "tables/table.hpp"

namespace gnomon::tables {

/// In this order, where X is the name of a coordinate, see coordinate_names.hpp, and G that of a constraint or
/// obstacle:
///
///     t                       time
///     X                       position:  bob1.x; theta; r[0]; of an overdetermined DAE y[0]
///     der(X)                  velocity, as formulas of model files write it; of an overdetermined DAE instead z[0]
///     p(X)                    momentum; of an overdetermined DAE p[0]
///     lambda.G                multiplier of the last step; of an overdetermined DAE psi.G
///     energy                  H
///     energy_error            H - H0 less the work of what is outside H, as the run's monitor has it
///     position_max            largest |g_i|
///     velocity_max            largest |(G v + g_t)_i|
///     momentum_error.NAME     J - J0 of a momentum map
///     integral_error.NAME     of a first integral
///     NAME                    output of the problem; output.NAME where a column has that name
///
/// A model without an energy has no energy and energy_error. Names that would be equal get a number: X, X#2. Units are
/// those of outputs, and where the picture of the problem is in metres and draws a point of q, those of a mechanical
/// model in SI; else none is known.
class StateColumns {
 public:
  /// The errors of a reference's states count from the start of the instance. Throws what the model throws at the
  /// start.
  explicit StateColumns(const ProblemInstance& instance);

  const std::vector<Column>& columns() const { return columns_; }
  std::size_t size() const { return columns_.size(); }

  /// The state after the last step of a run. values: one a column.
  void fill(const Integrator& run, double* values);
  /// A state within the last step of a run, from dense output: t, q, p (z) and multipliers; its work is NaN where it is
  /// not known. `end` is the state at the end of that step, which the run's monitor has seen.
  /// energy_error is NaN too where the scheme keeps H together with something of its own, such as a penalty.
  void fill(const Integrator& run, const State& within, const State& end, double* values);
  /// A state of a reference. energy_error is H - H0, and NaN where something may do work: forces, friction, impacts,
  /// dependence on time. z of an overdetermined DAE is what its p(y,z) belongs to.
  void fill(const ReferenceReport& at, double* values);

 private:
  struct Errors {
    double energy;
    std::vector<double> momentum, integrals;
  };
  void name_columns(const ProblemInstance& instance);
  /// H less the work that is booked, momentum maps and first integrals of a state.
  Errors levels(const State& z);
  /// Of the state that was measured last.
  void fill_with(const State& z, const Errors& errors, const Vector& outputs, double* values);

  std::shared_ptr<const Model> model_;
  const System* system_;  // null: an overdetermined DAE
  std::vector<Column> columns_;
  EvaluatedOutputs outputs_;
  Index n_multipliers_ = 0;
  bool conservative_ = false;
  Errors start_;
  std::optional<Index1> index1_;  // of an overdetermined DAE
  Measured measured_;
  State scratch_;
  Vector v_, w_;
};

}  // namespace gnomon::tables
