#pragma once
/// \file
/// The derivative of one step of a run, along as many directions as there are. Private to the core.

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/base/gram_cholesky.hpp"
#include "gnomon/run/sensitivities.hpp"
#include "run/derivatives/state_change.hpp"
#include "run/derivatives/step_line.hpp"
#include "run/derivatives/step_transpose.hpp"
#include "run/derivatives/taken_steps.hpp"

namespace gnomon {

/// A change of the start of a step, along one number, and what it becomes.
struct Direction {
  Direction(std::size_t parameter, Sensitivities::Parameter of) : parameter(parameter), of(std::move(of)) {
    change = largest();
  }

  static constexpr std::size_t of_state = std::numeric_limits<std::size_t>::max();
  std::size_t parameter;  ///< of_state: of none, the start of the step alone changes
  Sensitivities::Parameter of;
  double change;    ///< a
  double none = 0;  ///< a derivative that moves the state by no more of it, after the largest change, is zero
  std::array<std::unique_ptr<Variant>, n_points> variants;
  StepLine::States at;  ///< the states at the points
  StateChange start, end;
  bool shows = false;  ///< a change has been above the rounding of the state

  double largest() const;
  /// Sets the size; changes of now are not larger than before.
  void resize(double size) {
    of.size = size;
    change = fresh_ ? largest() : std::min(change, largest());
    fresh_ = false;
  }
  void drop_variants() {
    for (auto& variant : variants) variant.reset();
  }
  /// Before the change of a step is looked for: from time to time with a larger one than in the step before, which may
  /// have become possible again. Returns the change.
  double begin(bool at_start);
  void change_by(double factor) {
    change *= factor;
    drop_variants();
  }
  /// at_first: what begin() returned.
  void end_search(double at_first);

 private:
  int patience_ = 0, steps_left_ = 0;
  bool tries_ = false, fresh_ = true;
};

class StepDerivative {
 public:
  /// The run has started and outlives it.
  StepDerivative(Integrator& run, Sensitivities::Make make);
  ~StepDerivative();

  /// Sets the step: a piece of one that was taken, or a shorter one from its start. after: the state at the end of the
  /// step, for scales; led_to: where the piece led, null where the run has not taken it. False: it is not found again.
  bool take(const SolvedStep& piece, bool whole, const State& after, const State* led_to);
  /// Sets what is differentiated to the start of the run.
  void take_start(const State& z);
  /// The model may depend on the parameter somewhere in the step. Times that are as near as rounding are the same.
  bool acts(const Direction& direction) const;
  /// direction.start with nothing but what a change of the model asks for: least changes that stay on its constraints,
  /// as far as the scheme keeps them; of positions alone, or of both.
  bool set_start(Direction& direction, bool velocities);
  /// direction.end from direction.start, and direction.at. False: there is none.
  bool find(Direction& direction);
  const std::string& failure() const { return failure_; }
  /// Where the step leads that was taken again.
  const State& end() const { return again_; }

  /// Whether the step that was taken has transposed equations: no events in it, and no iterations that end when they
  /// are good enough.
  bool has_transpose() const;
  /// dJ/dz0 from dJ/dz1 of the end and dJ/dy of y = f(z1), for changes with G dq0 = 0 where the scheme keeps that: by
  /// least changes of positions that leave the constraints it is zero. It is checked against the product with a change
  /// at random in every step. False: failure().
  bool pull_back(const StateChange& of_end, Index size, const Sensitivities::Measure& f, const Vector* of_values,
                 StateChange& of_start);
  /// df/ds along the points of a direction, by what the model has of s itself, too.
  Vector derivative(const Direction& direction, Index size, const Sensitivities::Measure& f);
  Variant& same() { return *same_; }
  /// The largest part by which formulas of order four and six differ.
  double largest_remainder() const { return largest_remainder_; }
  static std::string warning(double largest_remainder);

 private:
  using Event = std::pair<EventKind, Index>;  ///< and which contact or switch

  bool again(const SolvedStep& piece, const State* led_to);
  bool take_whole(Variant& with, const State& from, double h, State& to, std::vector<Event>& events);
  void move_onto_constraints(const Direction& direction, bool positions, bool velocities, Vector& dq, Vector& dp) const;
  bool carry_start(Direction& direction);
  bool carry(Direction& direction);
  bool has_own(const Direction& direction) const;
  bool make_variants(Direction& direction);
  /// Whether the end of the step has a border of its own: that of its position.
  bool renews_border() const;
  Variant& unchanged(std::size_t point);
  bool find_check();
  bool take_off_normals(Vector& of_q);
  bool add_gradient(Index size, const Sensitivities::Measure& f, const Vector& weights, bool again,
                    StateChange& covector);

  Integrator* run_;
  Sensitivities::Make make_;
  std::unique_ptr<Variant> same_;                             ///< as the run is
  std::array<std::unique_ptr<Variant>, n_points> unchanged_;  ///< the same, one a point
  StepLine line_;
  StepTranspose transpose_;
  ColouredQuotients measured_;  ///< of quantities by q and p
  std::unique_ptr<Direction> check_;
  struct Normals {
    SparsityPattern pattern;  ///< of the rows of G that are of positions
    GramCholesky factors;     ///< of G M^-1 G^T
    Vector values;            ///< of G
  };
  std::optional<Normals> normals_;
  std::mt19937 random_;
  double h_ = 0;               ///< 0: the start
  bool whole_ = false;         ///< events are in the step: whole integrators take it
  std::vector<Event> around_;  ///< those events
  State start_, after_, again_;
  Vector root_mass_;      ///< of its diagonal
  Vector off_q_, off_p_;  ///< of derivatives
  double largest_remainder_ = 0;
  std::string failure_;
};

}  // namespace gnomon
