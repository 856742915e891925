#include "run/bordered_step.hpp"

#include <cmath>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon {

namespace {

/// Everything but q and p.
void copy_beside_coordinates(const State& from, State& to) {
  to.t = from.t;
  to.t_tail = from.t_tail;
  to.lambda = from.lambda;
  to.last_h = from.last_h;
  to.work = from.work;
  to.energy_scale = from.energy_scale;
  to.energy_left = from.energy_left;
  to.history = from.history;
  to.scheme_data = from.scheme_data;
  to.turns = from.turns;
  if (!from.substeps.empty() || !to.substeps.empty()) to.substeps = from.substeps;
}

void copy_resized(const State& from, Index size, State& to) {
  copy_beside_coordinates(from, to);
  to.q.set_resized(from.q, size);
  to.p.set_resized(from.p, size);
}

}  // namespace

BorderedStep::BorderedStep(std::unique_ptr<StepEquations> inner, std::shared_ptr<Border> border, Index n)
    : inner_(std::move(inner)),
      border_(std::move(border)),
      root_mass_(border_->system()->mass().diagonal_entries().cwiseSqrt()),
      n_(n),
      wide_(root_mass_.size()),
      of_velocities_(border_->system()->parts().velocity_constraints != nullptr) {
  error_q_.setZero(wide_);
  error_v_.setZero(wide_);
  watched_.setOnes(wide_ - n_);
  for (const Index j : border_->mixed()) watched_[j] = 0;
}

void BorderedStep::prepare(State& z) const {
  if (z.border.size() != n_ + 1 || !border_->take(z.border) || border_->is_outgrown(z.t, z.q.value(), 0)) {
    Border::set_position(z.t, z.q.value(), z.border);
    border_->take(z.border);
  }
  border_->set_time(z.t);
  State wide;
  copy_resized(z, wide_, wide);
  inner_->prepare(wide);
  copy_resized(wide, n_, z);
}

void BorderedStep::begin(const State& z0, double h) {
  if (z0.border.size() == n_ + 1) border_->take(z0.border);
  border_->set_time(z0.t);
  copy_resized(z0, wide_, start_);
  if (changes_) spread_changes();
  inner_->begin(start_, h);
}

void BorderedStep::finish(State& next) {
  copy_resized(next, wide_, end_);
  inner_->finish(end_);
  copy_resized(end_, n_, next);
  if (changes_) gather_changes();
}

void BorderedStep::require_agreement() const {
  const Vector& q = end_.q.value();
  const double size = q.head(n_).cwiseProduct(root_mass_.head(n_)).lpNorm<Eigen::Infinity>();
  const double apart = q.tail(wide_ - n_).cwiseProduct(watched_).lpNorm<Eigen::Infinity>();
  if (estimates_ && apart > thresholds::border_of_step * size && apart <= thresholds::contradicting_border * size)
    throw CannotEvaluate("a long step leaves constraints that repeat others apart by " + number_text(apart / size) +
                         " of the size of the mechanism, which is more than rounding");
  if (!(apart <= thresholds::contradicting_border * size))
    throw CannotEvaluate("constraints that repeat others contradict them by " + number_text(apart / size) +
                         " of the size of the mechanism");
  if (of_velocities_) {
    const Vector& p = end_.p.value();
    const double speed = std::hypot(p.head(n_).cwiseQuotient(root_mass_.head(n_)).lpNorm<Eigen::Infinity>(),
                                    std::sqrt(2 * static_cast<double>(end_.energy_scale)));
    const double rate = p.tail(wide_ - n_).lpNorm<Eigen::Infinity>();
    if (!(rate <= thresholds::contradicting_border * speed))
      throw CannotEvaluate("constraints of velocities that repeat others contradict them by " +
                           number_text(rate / speed) + " of the velocities");
  }
}

bool BorderedStep::differentiate(Matrix* changes) {
  changes_ = changes;
  if (changes) wide_changes_.setZero(2 * wide_, changes->cols());
  return inner_->differentiate(changes ? &wide_changes_ : nullptr);
}

void BorderedStep::spread_changes() {
  wide_changes_.setZero(2 * wide_, changes_->cols());
  wide_changes_.topRows(n_) = changes_->topRows(n_);
  wide_changes_.middleRows(wide_, n_) = changes_->bottomRows(n_);
}

void BorderedStep::gather_changes() {
  changes_->topRows(n_) = wide_changes_.topRows(n_);
  changes_->bottomRows(n_) = wide_changes_.middleRows(wide_, n_);
}

bool BorderedStep::local_error(const State& before, const State& after, VectorRef error_q, VectorRef error_v) {
  copy_resized(before, wide_, start_);
  copy_resized(after, wide_, end_);
  if (!inner_->local_error(start_, end_, error_q_, error_v_)) return false;
  error_q = error_q_.head(n_);
  error_v = error_v_.head(n_);
  return true;
}

const State& BorderedStep::widened(const State& z) {
  copy_resized(z, wide_, measured_);
  return measured_;
}

const char* BorderedStep::warning() const {
  const auto* inner = dynamic_cast<const StepWarning*>(inner_.get());
  return inner ? inner->warning() : nullptr;
}

}  // namespace gnomon
