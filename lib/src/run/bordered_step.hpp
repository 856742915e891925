#pragma once
/// \file
/// The steps of a scheme on a bordered system, with states of the given one: nu is zero between steps. The border is
/// that of the position in State::border. Private to the core.

#include <memory>
#include <vector>

#include "gnomon/scheme/scheme.hpp"
#include "gnomon/scheme/state.hpp"
#include "gnomon/scheme/step_warning.hpp"
#include "gnomon/start/border.hpp"

namespace gnomon {

class BorderedStep final : public StepEquations, public StepWarning {
 public:
  /// inner: bound to the bordered system of n + k coordinates.
  BorderedStep(std::unique_ptr<StepEquations> inner, std::shared_ptr<Border> border, Index n);

  Index n_systems() const override { return inner_->n_systems(); }
  NonlinearEquations& system(Index k) override { return inner_->system(k); }
  Index n_solves() const override { return inner_->n_solves(); }
  Index system_of(Index solve) const override { return inner_->system_of(solve); }
  void prepare(State& z) const override;
  Index carried_arguments(const State& z) const override { return inner_->carried_arguments(z); }
  void begin(const State& z0, double h) override;
  void predict(Index solve, VectorRef x) override { inner_->predict(solve, x); }
  Next accept(Index solve, const ConstVectorRef& x) override { return inner_->accept(solve, x); }
  void finish(State& next) override;
  /// After finish() of a step that is to be taken: throws CannotEvaluate where nu that are not mixed, or of constraints
  /// of velocities nu', are not zero: then constraints that repeat others contradict them. With estimates of errors it
  /// is zero to rounding, or the step is too long: at rest rounding of the reactions moves nu by h^2 as much.
  void require_agreement() const;
  const char* failure() const override { return inner_->failure(); }
  const char* diagnosis(Index solve) const override { return inner_->diagnosis(solve); }
  long double added_energy(const State& z) override { return inner_->added_energy(widened(z)); }
  const char* discrete_energy_name() const override { return inner_->discrete_energy_name(); }
  long double discrete_energy(const State& z) override { return inner_->discrete_energy(widened(z)); }
  bool differentiate(Matrix* changes) override;
  int estimate_errors(bool on) override {
    estimates_ = on;
    return inner_->estimate_errors(on);
  }
  void spare_estimates(bool on) override { inner_->spare_estimates(on); }
  bool local_error(const State& before, const State& after, VectorRef error_q, VectorRef error_v) override;
  const char* warning() const override;

 private:
  /// z with nu = 0 and no momentum of nu
  const State& widened(const State& z);
  /// Changes of q and p, with those of nu between.
  void spread_changes();
  void gather_changes();

  std::unique_ptr<StepEquations> inner_;
  std::shared_ptr<Border> border_;
  Vector root_mass_, watched_;  ///< watched: one for each nu, zero for the mixed ones
  Index n_, wide_;
  bool of_velocities_;
  bool estimates_ = false;
  State start_, end_, measured_;
  Matrix* changes_ = nullptr;
  Matrix wide_changes_;
  Vector error_q_, error_v_;
};

}  // namespace gnomon
