#pragma once
/// \file
/// The state of a run, as one value: copying it is a checkpoint.

#include <algorithm>
#include <utility>
#include <vector>

#include "gnomon/base/types.hpp"
#include "gnomon/formula/dual.hpp"

namespace gnomon {

class Archive;
struct StateView;

/// A vector as an unevaluated sum value + tail, |tail| <= ulp(value)/2: increments are added without losing the digits
/// below the last place of the value (Neumaier, TwoSum).
class GNOMON_EXPORT Compensated {
 public:
  void set(const ConstVectorRef& v) {
    value_ = v;
    tail_ = Vector::Zero(v.size());
  }
  /// The first entries of another one, and zeros up to this size.
  void set_resized(const Compensated& other, Index size);
  /// value + tail += d
  void add(const ConstVectorRef& d);
  /// The same for a d that was found at Extended: rounded, then what rounding left.
  void add_extended(const VectorOf<Extended>& d);
  /// Entry j of start + d, where d is found entry by entry.
  [[gnu::always_inline]] void set_sum(Index j, const Compensated& start, Extended d) {
    const double high = static_cast<double>(d);
    double value = start.value_[j], tail = start.tail_[j] + static_cast<double>(d - high);
    add(value, tail, high);
    value_[j] = value;
    tail_[j] = tail;
  }
  const Vector& value() const { return value_; }
  const Vector& tail() const { return tail_; }
  void swap(Compensated& other) {
    value_.swap(other.value_);
    tail_.swap(other.tail_);
  }
  void serialize(Archive& archive);

  /// (value, tail) += d as a double-double sum: the rounding error of value + d goes to the tail (Knuth's TwoSum), and
  /// the pair is normalised so that |tail| <= ulp(value)/2 (FastTwoSum).
  [[gnu::always_inline]] static void add(double& value, double& tail, double d) {
    const double sum = value + d;
    const double part = sum - value;
    const double low = ((value - (sum - part)) + (d - part)) + tail;
    value = sum + low;
    tail = low - (value - sum);
  }

 private:
  Vector value_, tail_;
};

/// Solutions of earlier steps, for predictors and multi-step schemes. Columns are a ring: at(0) is the newest. It has
/// two more than it shows: so many pushes can be taken back.
class GNOMON_EXPORT History {
 public:
  void resize(Index size, Index depth) {
    columns_.setZero(size, depth + spare);
    count_ = 0;
    head_ = 0;
  }
  void clear() { count_ = 0; }
  void push(const ConstVectorRef& x) {
    head_ = (head_ + 1) % columns_.cols();
    columns_.col(head_) = x;
    if (count_ < depth()) ++count_;
  }
  /// Where it stands, and back to there after at most two pushes, and clear().
  struct Mark {
    Index count, head;
  };
  Mark mark() const { return {count_, head_}; }
  void rewind(const Mark& mark) {
    count_ = mark.count;
    head_ = mark.head;
  }
  void swap(History& other) {
    columns_.swap(other.columns_);
    std::swap(count_, other.count_);
    std::swap(head_, other.head_);
  }
  Index count() const { return count_; }
  Index size() const { return columns_.rows(); }
  Index depth() const { return std::max<Index>(columns_.cols() - spare, 0); }
  auto at(Index age) const { return columns_.col((head_ - age + columns_.cols()) % columns_.cols()); }

  /// Throws Error(bad_file) where what it reads is no history.
  void serialize(Archive& archive);

 private:
  static constexpr Index spare = 2;

  Matrix columns_;
  Index count_ = 0, head_ = 0;
};

/// The energy balance of a run since its start, in units of energy. Each term is a sum over the steps; of a
/// discrete-derivative scheme H1 - H0 = total(), to rounding, with
///
///     force        Q.dq                      friction and other forces outside H
///     potential    D_t U                     a potential that moves in time
///     position     lambda.D_t g              constraints g(q,t) that move in time
///     velocity     gamma.D_t Psi             their velocity level Psi = G M^-1 p + dg/dt
///
/// D_t f = [f(z0,t1) - f(z0,t0) + f(z1,t1) - f(z1,t0)]/2 is an increment. Which of position and velocity a moving
/// support's work is booked under depends on the scheme: each has its own multipliers.
struct GNOMON_EXPORT Work {
  long double force = 0, potential = 0, position = 0, velocity = 0;

  static constexpr int terms = 4;
  long double term(int i) const { return i == 0 ? force : i == 1 ? potential : i == 2 ? position : velocity; }
  static const char* name(int i) { return i == 0 ? "force" : i == 1 ? "potential" : i == 2 ? "position" : "velocity"; }

  long double total() const { return force + potential + position + velocity; }
  Work& operator+=(const Work& other) {
    force += other.force;
    potential += other.potential;
    position += other.position;
    velocity += other.velocity;
    return *this;
  }
  void serialize(Archive& archive);
};

/// {t, q, p, multipliers of the last step, scheme-owned history}. Copied and restored as a whole: a failed step leaves
/// it as it was.
struct GNOMON_EXPORT State {
  double t = 0, t_tail = 0;  ///< time, compensated like q and p
  Compensated q, p;
  Vector lambda;      ///< multipliers of the last step (of the start: index-1 multipliers)
  double last_h = 0;  ///< size of the step that led here, 0 at the start
  Work work;          ///< done on the system since the start by what is outside H
  History history;
  /// Largest |T| and |U| of the run up to here, and what steps have left of the conserved energy to be moved because
  /// the rounding of these is larger.
  double energy_scale = 0, energy_left = 0;
  /// What a scheme carries from step to step beside q, p and lambda; projected-rk: accelerations first.
  Vector scheme_data;
  /// Where constraints repeat others, the position at which what holds them was found: [q, t] of Border::take().
  Vector border;

  /// Quarter turns of the model's angles, then the sides of its switches: see gnomon/formula/winding.hpp.
  std::vector<int> turns;

  /// History and step size of one substep of a composition: every substep extrapolates from its own past.
  struct Substep {
    History history;
    double last_h = 0;
    void serialize(Archive& archive);
  };
  std::vector<Substep> substeps;
  std::vector<Index> closed;  ///< closed contacts of a system with obstacles, ascending
  /// With Coulomb friction, one a closed contact: -1 or 1 where it slides, d' of that sign; sticks; or loose.
  std::vector<int> slip;
  Vector held;                  ///< and where it was when it began to stick or slide: d
  std::vector<Index> released;  ///< open ones whose multiplier reached zero and whose gap has not opened yet

  /// Entries of slip beside -1 and 1: a contact whose d is held; one whose d is not a constraint of its own, for it has
  /// no friction, or other constraints hold it too.
  static constexpr int sticks = 0, loose = 2;

  /// What a Model measures.
  StateView view() const;
  /// Takes everything from the state before, its history away instead of copying it.
  void take_over(State& before);
  void swap(State& other);
  /// Takes everything but the substeps from another state of the same run.
  void assign_without_substeps(const State& other);
  void advance_time(double h);
  /// Takes everything but history and substeps, contacts from another state of the same run.
  void assign_without_histories(const State& other);
  void serialize(Archive& archive);
};

}  // namespace gnomon
