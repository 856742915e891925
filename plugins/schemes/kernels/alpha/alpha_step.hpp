#pragma once
/// \file
/// A step of an alpha-scheme. The two-step scheme is a one-step map (x^n, v^n) -> (x^{n+1}, v^{n+1}) with central
/// velocities v^n = (x^{n+1} - x^{n-1})/(2h): the equation at the start node, into which x^{-1} = x^1 - 2 h v^0 is put,
/// gives d+, and the equation at the next node the one after it, d++, hence v^{n+1} = (d++ + d+)/(2h). From a state
/// with such a v the start's equation has the two-step scheme's solution. So a step solves at its *end* node for the
/// increment of the step to come; `scheme_data` keeps that, and only at a start, or where h was changed, the
/// step's own increment is solved for first.
///
///     scheme_data = [d+ | d+'s tail | h, work at the node]

#include <cmath>
#include <memory>
#include <string>

#include "gnomon/scheme/scheme.hpp"
#include "gnomon/scheme/step_warning.hpp"
#include "kernels/alpha/alpha_equations.hpp"
#include "kernels/common/extended_state.hpp"

namespace gnomon::kernels {

class AlphaStep : public StepEquations, public StepWarning {
  std::shared_ptr<const System> owner_;

 public:
  /// owner: keeps `system` alive where it is not the caller's, else null.
  AlphaStep(const System& system, std::shared_ptr<const System> owner, const AlphaRule& rule);

  Index n_systems() const override { return 1; }
  Index n_solves() const override { return starting_ ? 2 : 1; }
  Index system_of(Index) const override { return 0; }
  NonlinearEquations& system(Index) override { return equations_; }
  void prepare(State& z) const override;
  Index carried_arguments(const State&) const override { return n_; }
  void begin(const State& z0, double h) override;
  void predict(Index k, VectorRef x) override;
  Next accept(Index k, const ConstVectorRef& x) override;
  void finish(State& next) override;

  /// (23)
  const char* warning() const override { return std::abs(h_) > equations_.limit() ? warning_.c_str() : nullptr; }

  /// The penalty's energy.
  long double added_energy(const State& z) override;
  const char* discrete_energy_name() const override { return "E at n+1/2"; }
  /// Of the step that begins at z, whose increment is known there.
  long double discrete_energy(const State& z) override;

 protected:
  AlphaEquations equations_;
  Vector x_;  ///< solution of the current solve

 private:
  void place_end();

  StartVelocity start_velocity_;
  Index n_, m_;
  double alpha_ = 0.25, h_ = 1, work_before_ = 0;
  bool starting_ = true;
  const State* z0_ = nullptr;
  std::string warning_;
  Compensated node_, increment_;
  VectorOf<Extended> delta_;  ///< of the current solve, x_ + low
  Vector x_start_, lambda_, zero_, sum_, momentum_, work_;
};

}  // namespace gnomon::kernels
