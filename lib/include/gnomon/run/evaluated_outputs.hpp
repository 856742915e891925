#pragma once
/// \file
/// EvaluatedOutputs: the values of a problem's outputs in the states of a run.

#include <memory>
#include <vector>

#include "gnomon/model/outputs.hpp"
#include "gnomon/run/integrator.hpp"

namespace gnomon {

/// How many multipliers a state has in a run that opens and closes contacts: of the constraints, then one an obstacle,
/// then with Coulomb friction the tangential force of each, along dd/dq.
GNOMON_EXPORT Index n_state_multipliers(const Model& model);

/// The outputs of a ProblemInstance, which may have none. The multipliers that they read are those that belong to a
/// state by itself, with the sign of the equations of motion (system.hpp): the force of constraint i is -lambda_i grad
/// g_i, that of a closed contact +lambda_i grad c_i, and an open contact has zero. Where they do not exist, as in a
/// singular position, what reads them is NaN; so are those of obstacles that a scheme holds by itself.
class GNOMON_EXPORT EvaluatedOutputs {
 public:
  explicit EvaluatedOutputs(const ProblemInstance& instance);

  /// One entry a value.
  const std::vector<Output>& outputs() const { return outputs_; }
  /// In the state of a run that has started, contacts and friction included. Throws Error(bad_value) for one that has
  /// not. It allocates.
  Vector evaluate(const Integrator& run) const;
  /// In a state of the model of a run without obstacles. With obstacles the multipliers are those of the state's last
  /// step, State::lambda. It allocates.
  Vector evaluate(const State& z) const;

 private:
  Vector evaluate(const State& z, const Vector& lambda) const;

  std::shared_ptr<const Model> model_;
  std::shared_ptr<const OutputModel> of_model_;
  std::vector<Output> outputs_;
  Index n_multipliers_ = 0, rank_ = 0;
};

}  // namespace gnomon
