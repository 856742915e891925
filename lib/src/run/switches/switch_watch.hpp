#pragma once
/// \file
/// Which side the switches of a model are on, from state to state. Private to the core.

#include <cmath>
#include <string>
#include <vector>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/model.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon {

/// The sides stand in State::turns, behind the angles. Windings has to hold those of the state while they are measured.
class SwitchWatch {
 public:
  /// The model outlives it.
  explicit SwitchWatch(const Model& model);

  bool any() const { return part_ != nullptr; }
  Index count() const { return values_.size(); }
  std::string name(Index i) const { return part_->switch_name(i); }

  /// The functions s of the switches at a state. rank: see index1_multipliers. It allocates where they depend on
  /// multipliers only.
  void measure(const State& z, Index rank);
  /// As measured last.
  const Vector& values() const { return values_; }

  /// Gives a side to the switches that have none, and to those that are clearly on the other one.
  void begin(State& z, Index rank);
  /// The run goes on from this state: flips elsewhere are those of steps that are none of it.
  void forget_flips(const State& z);
  /// The state that was measured is where the next step begins.
  void accept();
  /// s_i by its side in z: below zero beyond the switch.
  double margin(const State& z, Index i, double value) const { return z.turns[place(i)] * value; }
  /// The margin is below zero, by more than rounding.
  bool passed(const State& z, Index i, double value) const {
    return margin(z, i, value) <
           -(flipped_here(z, i) ? thresholds::switch_after_flip : thresholds::switch_rounding) * largest_[i];
  }
  bool passed(const State& z) const;
  /// The one of those that are passed at the end of a step whose straight line between both ends vanishes first.
  Index first_passed(const State& z, const Vector& at_start, const Vector& at_end) const;
  /// Between z and the state measured last, a time h after it, where none is passed: the part of the step after which
  /// one would be, by the parabola through both ends and the middle; 1: there is none.
  double dip(const State& z, const State& after, double h);
  /// It was flipped in a state that is at most this time away.
  bool flipped_within(const State& z, Index i, double span) const {
    return std::abs((z.t - flipped_[i]) + (z.t_tail - flipped_tail_[i])) <= span;
  }
  /// Both sides of a switch that is passed in `beyond` are different functions: they differ there. It allocates.
  bool differs(State& beyond, Index i);
  /// The time from z, which was measured, to where s_i would vanish at its present rate, and that switch; infinite:
  /// none does. As far as s depends on t and q.
  double time_to_zero(const State& z, Index& which);

  void flip(State& z, Index i);
  /// It was flipped in this state, and no step was taken since then.
  bool flipped_here(const State& z, Index i) const { return flipped_[i] == z.t && flipped_tail_[i] == z.t_tail; }
  /// s_i depends on t alone, as values near the first state show that is asked for: what jumps there is no impulse. The
  /// first call allocates.
  bool of_time_alone(const State& z, Index i);
  /// Such a switch is where the state is that was measured last, to the rounding of its time, and would be passed by
  /// the next step, of the sign of h.
  bool reached(const State& z, Index i, double h);
  /// A switch that a step from `before` to `after` went over: more of U is on the other side than the slopes of both
  /// make on the way. It allocates.
  bool steps_over_jump(const State& before, State& after, Index i);
  /// Both sides of a switch that is flipped in z: "" where U, g and what moves g are continuous there, else what jumps,
  /// and by how much. It allocates.
  std::string jump(State& z, Index i);
  /// The change of U by the flip of a switch in z.
  long double potential_change(State& z, Index i);
  /// Largest change of an acceleration by the flip of a switch in z. It allocates.
  double acceleration_change(State& z, Index i, Index rank);

  void serialize(Archive& archive);

 private:
  std::vector<bool> of_time_;
  std::size_t place(Index i) const { return static_cast<std::size_t>(first_ + i); }
  struct Sides;

  const System* system_;
  const Switches* part_;
  Index first_ = 0;  // of the sides in State::turns
  Vector values_, rates_, start_values_, middle_values_, largest_, flipped_, flipped_tail_, v_, start_v_, middle_q_,
      middle_v_, scratch_, lambda_;
};

}  // namespace gnomon
