#include "gnomon/run/evaluated_outputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/start/consistency.hpp"
#include "gnomon/start/consistent_start.hpp"

namespace gnomon {

namespace {

/// What multipliers() returns, or nothing where the state has none.
template <class Multipliers>
Vector where_they_exist(const Multipliers& multipliers) {
  try {
    return multipliers();
  } catch (const CannotEvaluate&) {
  } catch (const Error& error) {
    if (error.code() == ErrorCode::bad_value) throw;
  }
  return {};
}

}  // namespace

Index n_state_multipliers(const Model& model) {
  const System* system = model.mechanical();
  if (!system) return model.m();
  return model.m() + system->parts().n_obstacles() + system->parts().n_slips();
}

EvaluatedOutputs::EvaluatedOutputs(const ProblemInstance& instance)
    : model_(instance.model), of_model_(instance.outputs) {
  if (!of_model_) return;
  outputs_ = of_model_->outputs();
  if (!of_model_->uses_multipliers()) return;
  const System* system = model_->mechanical();
  n_multipliers_ = n_state_multipliers(*model_);
  if (system && model_->m() > 0) rank_ = rank_beside(*system, instance.t0, instance.q0);
}

Vector EvaluatedOutputs::evaluate(const Integrator& run) const {
  Vector lambda;
  if (n_multipliers_ > 0) lambda = where_they_exist([&] { return run.index1_multipliers(); });
  return evaluate(run.state(), lambda);
}

Vector EvaluatedOutputs::evaluate(const State& z) const {
  Vector lambda;
  if (n_multipliers_ > model_->m())
    lambda = z.lambda;
  else if (n_multipliers_ > 0)
    lambda = where_they_exist([&] {
      const Windings turns(z.turns);
      return index1_multipliers(*model_, z.view(), rank_);
    });
  return evaluate(z, lambda);
}

Vector EvaluatedOutputs::evaluate(const State& z, const Vector& lambda) const {
  const Windings turns(z.turns);
  Vector values(static_cast<Index>(outputs_.size()));
  if (!of_model_) return values;
  Vector all = Vector::Constant(n_multipliers_, std::numeric_limits<double>::quiet_NaN());
  const Index known = std::min(lambda.size(), n_multipliers_);
  all.head(known) = lambda.head(known);
  const StateView at = z.view();
  Vector v = at.z;
  if (const System* system = model_->mechanical()) {
    Vector scratch(system->n());
    v.resize(system->n());
    system->velocity(at.q, at.p, scratch, v);
  }
  of_model_->evaluate(at.t, at.q, v, all, values);
  for (double& value : values)
    if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();  // no sign, which would be printed
  return values;
}

}  // namespace gnomon
