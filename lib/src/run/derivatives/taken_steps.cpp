#include "run/derivatives/taken_steps.hpp"

#include <cmath>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon {

TakenSteps::TakenSteps(Integrator& run) : run_(&run), events_(events_seen()) {
  run.keep_solved_steps(true);
}

std::size_t TakenSteps::events_seen() const {
  return run_->events().size() + static_cast<std::size_t>(run_->counters().overstepped_switches);
}

void TakenSteps::get(const State& before, const State& after, Taken& step) {
  const double whole = (after.t - before.t) + (after.t_tail - before.t_tail);
  step.pieces = run_->solved_steps();
  double way = 0;
  for (const SolvedStep& piece : step.pieces) way += piece.h;
  // A switch at the end of a step, which it comes to, is none within it.
  const auto& all = run_->events();
  std::size_t at_end = 0;
  const double rounding = thresholds::same_time * std::max(std::abs(after.t), std::abs(whole));
  while (at_end < all.size() && all[all.size() - 1 - at_end].kind == EventKind::switched &&
         std::abs(all[all.size() - 1 - at_end].t - after.t) <= rounding)
    ++at_end;
  const std::size_t events = events_seen();
  step.whole =
      events != events_ || run_->system().parts().obstacles ||
      std::abs(whole - way) > thresholds::end_of_step * std::abs(way) + thresholds::same_time * std::abs(after.t);
  events_ = events;
  if (step.whole) step.pieces = {{before, whole, {}}};
}

}  // namespace gnomon
