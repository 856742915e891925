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

#include <algorithm>
#include <utility>

#include "gnomon/scheme/scheme.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

/// Step: a midpoint step without constraints and forces, where the mass depends on q.
template <class Step>
class PrintedStart final : public StepEquations {
 public:
  template <class... Arguments>
  explicit PrintedStart(const System& system, Arguments&&... arguments)
      : step_(system, std::forward<Arguments>(arguments)...), system_(&system) {
    const Index n = system.n();
    for (Vector* v : {&velocity_, &before_, &middle_, &rate_, &momentum_, &t_q_, &t_p_, &gradient_}) v->setZero(n);
    mass_.setZero(n, n);
  }

  Index n_systems() const override { return step_.n_systems(); }
  NonlinearEquations& system(Index k) override { return step_.system(k); }
  void prepare(State& z) const override { step_.prepare(z); }
  void begin(const State& z0, double h) override {
    z0_ = &z0;
    h_ = h;
    starting_ = z0.last_h == 0;
    if (!starting_) return step_.begin(z0, h);
    shifted_ = z0;
    repetitions_ = 0;
    system_->parts().mass->kinetic_gradient(z0.q.value(), z0.p.value(), t_q_, velocity_);
    step_.begin(shifted_, h);
  }
  void predict(Index k, VectorRef x) override { step_.predict(k, x); }

  Next accept(Index k, const ConstVectorRef& x) override {
    const Next next = step_.accept(k, x);
    if (!starting_ || next != Next::advance) return next;
    constexpr int most = 100;
    constexpr double close = 1e-15;
    find_momentum(x.head(system_->n()));
    const double change = (momentum_ - shifted_.p.value()).lpNorm<Eigen::Infinity>();
    if (change <= close * (1 + momentum_.lpNorm<Eigen::Infinity>()) || (repetitions_ > 3 && change >= change_))
      return Next::advance;
    if (++repetitions_ > most) return Next::fail;
    change_ = change;
    momentum_ = 0.5 * (momentum_ + shifted_.p.value());
    shifted_.p.set(momentum_);
    step_.begin(shifted_, h_);
    return Next::repeat;
  }
  void finish(State& next) override {
    if (starting_) next.p = shifted_.p;
    step_.finish(next);
  }
  const char* failure() const override {
    return starting_ ? "the momentum of the printed start does not settle" : step_.failure();
  }
  const char* diagnosis(Index k) const override { return step_.diagnosis(k); }
  long double added_energy(const State& z) override { return step_.added_energy(z); }

 private:
  /// p* where q^1 - q^0 = dq
  void find_momentum(const ConstVectorRef& dq) {
    before_ = 2 * h_ * velocity_ - dq;  // q^0 - q^{-1}
    middle_ = z0_->q.value() - 0.5 * before_;
    rate_ = before_ / h_;
    system_->parts().mass->mass_matrix(middle_, mass_);
    momentum_.noalias() = mass_ * rate_;
    system_->parts().mass->kinetic_gradient(middle_, momentum_, t_q_, t_p_);
    system_->potential_gradient(z0_->t - 0.5 * h_, middle_, gradient_);
    momentum_ -= 0.5 * h_ * (t_q_ + gradient_);
  }

  Step step_;
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
