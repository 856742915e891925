#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/solve/minimum.hpp"
#include "gnomon/start/border.hpp"
#include "model/contact_model.hpp"

namespace gnomon {

namespace {

/// The active-set method of Nocedal, Wright, Numerical Optimization (2006), section 16.5, around minimise().
class ActiveSet {
 public:
  ActiveSet(std::shared_ptr<const System> system, double t, const Vector& q) : system_(std::move(system)), t_(t) {
    const Obstacles* obstacles = system_->parts().obstacles;
    found_.q = q;
    found_.lambda.setZero(system_->m() + system_->parts().n_obstacles());
    if (!obstacles) return;
    all_closed_ = obstacles->with_obstacles_closed();
    rows_.setZero(all_closed_->m());
    values_.setZero(all_closed_->constraint_pattern().nonzeros());
    size_.setZero(all_closed_->m());
    is_closed_.assign(static_cast<std::size_t>(obstacles->n_obstacles()), false);
    const Index n_sets = obstacles->n_obstacles();
    most_solves_ = 20 + 10 * n_sets;
    for (Index i = violated(q); i >= 0; i = violated(q)) is_closed_[static_cast<std::size_t>(i)] = true;
  }

  Minimum find() {
    while (found_.solves < most_solves_) {
      ++found_.solves;
      const Index left = solve();
      if (left >= 0) {
        is_closed_[static_cast<std::size_t>(left)] = true;
        continue;
      }
      if (found_.report.status != SolveStatus::converged) return finish();
      if (const Index pulls = weakest(); pulls >= 0) {
        is_closed_[static_cast<std::size_t>(pulls)] = false;
        continue;
      }
      judge();
      return finish();
    }
    found_.report.fail(SolveStatus::not_converged, "obstacles open and close again: no minimum was reached with " +
                                                       std::to_string(most_solves_) + " sets of closed obstacles");
    return finish();
  }

 private:
  /// From the last q with the obstacles that are closed; which one is met, or -1.
  Index solve() {
    found_.closed.clear();
    for (std::size_t i = 0; i < is_closed_.size(); ++i)
      if (is_closed_[i]) found_.closed.push_back(static_cast<Index>(i));
    // Closed obstacles with friction neither stick nor slide.
    const std::vector<int> slip(system_->parts().coulomb ? found_.closed.size() : 0, 2);
    held_ = all_closed_ ? std::make_shared<ContactModel>(system_, all_closed_, found_.closed, slip) : system_;
    border_ = held_->m() > 0 ? Border::find(held_, t_, found_.q) : nullptr;
    if (border_) held_ = border_->system();
    Vector q = Vector::Zero(held_->n());
    q.head(system_->n()) = found_.q;
    equations_ = std::make_unique<EquilibriumEquations>(*held_, t_, q, EquilibriumEquations::Method::exact);
    x_ = equations_->start(Vector::Zero(held_->m()));
    Inside inside{[this](const Vector& at) { return violated(at.head(system_->n())); }};
    const long before = iterations_;
    found_.report = minimise(*equations_, x_, &inside);
    iterations_ = before + found_.report.iterations;
    found_.q = equations_->position(x_).head(system_->n());
    const Vector lambda = equations_->multipliers(x_);
    found_.lambda.setZero();
    found_.lambda.head(system_->m()) = lambda.head(system_->m());
    for (std::size_t k = 0; k < found_.closed.size(); ++k)
      found_.lambda[system_->m() + found_.closed[k]] = lambda[system_->m() + static_cast<Index>(k)];
    return found_.report.status == SolveStatus::converged ? -1 : inside.left;
  }

  /// The closed obstacle that pulls most, or -1.
  Index weakest() {
    Index least = -1;
    double pulls = -thresholds::obstacle_rounding;
    for (const Index i : found_.closed)
      if (const double force = relative(i); force < pulls) {
        pulls = force;
        least = i;
      }
    return least;
  }
  /// The multiplier of a closed obstacle in its unit, in which the forces are one.
  double relative(Index i) const {
    Vector columns(equations_->pattern().cols), row_units(columns.size());
    equations_->scales(columns, row_units);
    const auto k = std::lower_bound(found_.closed.begin(), found_.closed.end(), i) - found_.closed.begin();
    return found_.lambda[system_->m() + i] / columns[equations_->n() + system_->m() + k];
  }

  void judge() {
    found_.second = second_order(*equations_, x_);
    std::string why;
    if (!found_.second.proved) why = "the end is " + found_.second.text();
    for (const Index i : found_.closed)
      if (relative(i) <= thresholds::obstacle_rounding) {
        why = "the end is stationary, not decided: obstacle " + name(i) + " is touched without a force";
        found_.second.proved = found_.second.decided = false;
      }
    if (!why.empty()) found_.report.fail(SolveStatus::not_converged, why);
  }
  std::string name(Index i) const {
    const std::vector<std::string> names = system_->parts().obstacles->obstacle_names();
    return names.empty() ? std::to_string(i) : "\"" + names[static_cast<std::size_t>(i)] + "\"";
  }

  /// An open obstacle with c_i < 0 by more than the rounding of q, or -1.
  Index violated(const Vector& q) {
    if (!all_closed_) return -1;
    all_closed_->constraints(t_, q, rows_);
    all_closed_->constraint_jacobian(t_, q, values_);
    multiply(all_closed_->constraint_pattern(), values_.cwiseAbs(), q.cwiseAbs(), size_);
    Index worst = -1;
    double most = 1;
    for (std::size_t i = 0; i < is_closed_.size(); ++i) {
      const Index row = system_->m() + static_cast<Index>(i);
      const double part =
          rows_[row] / (thresholds::obstacle_rounding * size_[row] + std::numeric_limits<double>::min());
      if (is_closed_[i] || !(part > most)) continue;
      most = part;
      worst = static_cast<Index>(i);
    }
    return worst;
  }

  Minimum finish() {
    found_.report.iterations = iterations_;
    return found_;
  }

  std::shared_ptr<const System> system_, all_closed_, held_;
  std::shared_ptr<Border> border_;
  double t_;
  Minimum found_;
  std::vector<bool> is_closed_;
  std::unique_ptr<EquilibriumEquations> equations_;
  Vector x_, rows_, values_, size_;
  long iterations_ = 0;
  long most_solves_ = 1;
};

}  // namespace

Minimum find_minimum(const std::shared_ptr<const System>& system, double t, const Vector& q) {
  return ActiveSet(system, t, q).find();
}

}  // namespace gnomon
