#include "kernels/discrete_gradient/printed_start.hpp"

#include <utility>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon::kernels {

PrintedStart::PrintedStart(const System& system, std::unique_ptr<StepEquations> step)
    : step_(std::move(step)), system_(&system) {
  const Index n = system.n();
  for (Vector* v : {&velocity_, &before_, &middle_, &rate_, &momentum_, &t_q_, &t_p_, &gradient_}) v->setZero(n);
  mass_.setZero(n, n);
}

void PrintedStart::begin(const State& z0, double h) {
  z0_ = &z0;
  h_ = h;
  starting_ = z0.last_h == 0;
  if (!starting_) return step_->begin(z0, h);
  shifted_ = z0;
  repetitions_ = 0;
  system_->parts().mass->kinetic_gradient(z0.q.value(), z0.p.value(), t_q_, velocity_);
  step_->begin(shifted_, h);
}

Next PrintedStart::accept(Index k, const ConstVectorRef& x) {
  const Next next = step_->accept(k, x);
  if (!starting_ || next != Next::advance) return next;
  constexpr int most = 100;
  find_momentum(x.head(system_->n()));
  const double change = (momentum_ - shifted_.p.value()).lpNorm<Eigen::Infinity>();
  if (change <= thresholds::change_rounding * (1 + momentum_.lpNorm<Eigen::Infinity>()) ||
      (repetitions_ > 3 && change >= change_))
    return Next::advance;
  if (++repetitions_ > most) return Next::fail;
  change_ = change;
  momentum_ = 0.5 * (momentum_ + shifted_.p.value());
  shifted_.p.set(momentum_);
  step_->begin(shifted_, h_);
  return Next::repeat;
}

void PrintedStart::finish(State& next) {
  if (starting_) next.p = shifted_.p;
  step_->finish(next);
}

const char* PrintedStart::failure() const {
  return starting_ ? "the momentum of the printed start does not settle" : step_->failure();
}

void PrintedStart::find_momentum(const ConstVectorRef& dq) {
  before_ = 2 * h_ * velocity_ - dq;  // q^0 - q^{-1}
  middle_ = z0_->q.value() - 0.5 * before_;
  rate_ = before_ / h_;
  system_->parts().mass->mass_matrix(middle_, mass_);
  momentum_.noalias() = mass_ * rate_;
  system_->parts().mass->kinetic_gradient(middle_, momentum_, t_q_, t_p_);
  system_->potential_gradient(z0_->t - 0.5 * h_, middle_, gradient_);
  momentum_ -= 0.5 * h_ * (t_q_ + gradient_);
}

}  // namespace gnomon::kernels
