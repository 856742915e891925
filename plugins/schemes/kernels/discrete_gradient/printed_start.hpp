#pragma once
/// \file
/// The start of (40) as Glowinski and Holmstroem print it: the equation of n = 0, with the point before the start from
///
///     q^1 - q^{-1} = 2 h v^0,    v^0 = M(q^0)^-1 p^0
///
/// In (q,p) a step of the midpoint rule leads from q^{-1} to q^0 and the next one to q^1; both share the momentum
///
///     p* = M(q_-) v_- - (h/2) H_q(q_-, M(q_-) v_-),    q_- = (q^0 + q^{-1})/2,   v_- = (q^0 - q^{-1})/h
///
/// which is p^0 + O(h^2), and p^0 itself where v^0 = 0. As q^1 grows by h M^-1 dp*, the right-hand side falls by dp*
/// and O(h^2) of it: the first step is solved again from the mean of the last p* and that of its q^1 until they
/// agree, a contraction by O(h^2) each time.

#include <memory>

#include "gnomon/scheme/scheme.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

class PrintedStart final : public StepEquations {
 public:
  /// step: a midpoint step without constraints and forces, where the mass depends on q.
  PrintedStart(const System& system, std::unique_ptr<StepEquations> step);

  Index n_systems() const override { return step_->n_systems(); }
  NonlinearEquations& system(Index k) override { return step_->system(k); }
  void prepare(State& z) const override { step_->prepare(z); }
  Index carried_arguments(const State& z) const override { return step_->carried_arguments(z); }
  void begin(const State& z0, double h) override;
  void predict(Index k, VectorRef x) override { step_->predict(k, x); }

  Next accept(Index k, const ConstVectorRef& x) override;
  void finish(State& next) override;
  const char* failure() const override;
  const char* diagnosis(Index k) const override { return step_->diagnosis(k); }
  long double added_energy(const State& z) override { return step_->added_energy(z); }

 private:
  /// p* where q^1 - q^0 = dq
  void find_momentum(const ConstVectorRef& dq);

  std::unique_ptr<StepEquations> step_;
  const System* system_;
  const State* z0_ = nullptr;
  State shifted_;
  double h_ = 0, change_ = 0;
  int repetitions_ = 0;
  bool starting_ = false;
  Vector velocity_, before_, middle_, rate_, momentum_, t_q_, t_p_, gradient_;
  Matrix mass_;
};

}  // namespace gnomon::kernels
