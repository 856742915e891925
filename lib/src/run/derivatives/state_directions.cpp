#include "run/derivatives/state_directions.hpp"

#include <algorithm>
#include <utility>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon {

namespace {

/// A change of q and one of p count as large after so many steps.
constexpr double long_time_in_steps = 16;

/// A derivative by what the scheme carries is zero where it moves the state, after the largest change, by less than
/// this part of it: schemes that do not depend on B, of the border of constraints that repeat others, differ by the
/// rounding of their solves.
constexpr double of_carried = 0x1p-36;

Direction of_state(const char* name, double none = 0) {
  Direction direction(Direction::of_state, {name, 1, false, {}});
  direction.none = none;
  return direction;
}

Direction carried() {
  return of_state("what the scheme carries", of_carried);
}

}  // namespace

StateDirections::StateDirections(Integrator& run)
    : run_(run), held_(held_constraints(run.system(), {})), beside_(carried()) {}

void StateDirections::set(const State& z, double h) {
  const Windings turns(z.turns);
  const Promises& promises = run_.promises();
  space_ = tangent_space(held_, z.t, z.q.value(), z.p.value(), promises.position, promises.hidden);
  const Index N = space_.positions.cols(), w = space_.velocities.cols();
  products_.setZero(N + w);
  const double q = z.q.value().lpNorm<Eigen::Infinity>();
  const double p = std::max(space_.root.matrixL().solve(z.p.value()).norm(), std::sqrt(2 * z.energy_scale));
  const double time = long_time_in_steps * std::abs(h);
  none_ = StateChange::zero(z);
  while (static_cast<Index>(basis_.size()) < N + w) basis_.push_back(of_state("the state"));
  basis_.erase(basis_.begin() + static_cast<std::ptrdiff_t>(N + w), basis_.end());
  for (Index k = 0; k < N + w; ++k) {
    Direction& direction = basis_[static_cast<std::size_t>(k)];
    direction.start = none_;
    double size = 0;
    if (k < N) {
      direction.start.q = space_.positions.col(k);
      direction.start.p = space_.carried.col(k);
      const double largest = direction.start.q.lpNorm<Eigen::Infinity>();
      size = q > 0 && largest > 0 ? q / largest : p * time;
    } else {
      direction.start.p = space_.mass * space_.velocities.col(k - N);
      size = p > 0 ? p : q / time;
    }
    direction.resize(size > 0 ? size : 1);
  }
  n_data_ = run_.equations().carried_arguments(z);
  n_lambda_ = z.lambda.size();
  n_border_ = z.border.size() > 0 ? z.q.value().size() : 0;
  carried_.setZero(n_data_ + n_lambda_ + n_border_);
  scales_.resize(carried_.size());
  const auto size_of = [](const ConstVectorRef& x) {
    return x.size() > 0 && x.squaredNorm() > 0 ? x.lpNorm<Eigen::Infinity>() : 1;
  };
  scales_.head(n_data_).setConstant(size_of(z.scheme_data.head(n_data_)));
  scales_.segment(n_data_, n_lambda_).setConstant(size_of(z.lambda));
  scales_.tail(n_border_).setConstant(size_of(z.q.value()));
}

void StateDirections::set_carried(Direction& direction, const Vector& entries) const {
  direction.start = none_;
  direction.start.data.head(n_data_) = entries.head(n_data_);
  direction.start.lambda = entries.segment(n_data_, n_lambda_);
  direction.start.border.head(n_border_) = entries.tail(n_border_);
}

Direction& StateDirections::beside(Index first, Index end) {
  Vector entries = Vector::Zero(carried_.size());
  for (Index k = first; k < end; ++k) {
    const double part = 1 + static_cast<double>(random_()) / static_cast<double>(std::mt19937::max());
    entries[k] = (random_() % 2 == 0 ? part : -part) * scales_[k] / 2;
  }
  set_carried(beside_, entries);
  return beside_;
}

Direction& StateDirections::entry(Index place) {
  while (static_cast<Index>(entries_.size()) < carried_.size()) entries_.push_back(carried());
  Direction& direction = entries_[static_cast<std::size_t>(place)];
  set_carried(direction, scales_[place] * Vector::Unit(carried_.size(), place));
  return direction;
}

StateChange StateDirections::covector() const {
  const Index N = space_.positions.cols();
  StateChange zb = none_;
  zb.p = space_.velocities * products_.tail(products_.size() - N);
  zb.q = space_.mass * (space_.positions * (products_.head(N) - space_.carried.transpose() * zb.p));
  const Vector carried = carried_.cwiseQuotient(scales_);
  zb.data.head(n_data_) = carried.head(n_data_);
  zb.lambda = carried.segment(n_data_, n_lambda_);
  zb.border.head(n_border_) = carried.tail(n_border_);
  return zb;
}

}  // namespace gnomon
