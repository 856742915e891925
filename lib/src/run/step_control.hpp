#pragma once
/// \file
/// Sizes of steps of a tolerance. Private to the core.
///
///     accepted:   h <- h clip(0.9 err^(-.7/(p+1)) err_old^(.4/(p+1)), .3, 3)      (PI; not above h after a rejection)
///     rejected:   h <- h max(.2, .9 err^(-1/(p+1)))
///     not solved: h <- h/4
///
/// err is that of tolerances.hpp. A step that was shortened to arrive somewhere does not count as err_old, and the size
/// that was proposed before it stays. Of a step that was cut at events e is the sum over its smooth pieces, of order
/// sum_i s_i^(p+1) < h^(p+1), s_i their lengths: it says whether the step is good, and not how large the next one may
/// be, which is not above h then. Gustafsson, ACM TOMS 17 (1991); Hairer, Wanner, Solving ODEs II, IV.2.

#include <cmath>

#include "gnomon/model/system.hpp"
#include "gnomon/run/event_driver.hpp"
#include "gnomon/run/tolerances.hpp"
#include "gnomon/scheme/state.hpp"
#include "gnomon/solve/scaled_equations.hpp"

namespace gnomon {

class StepControl final : public StepJudge, public AllowedErrors {
 public:
  /// order: of the estimate. In a run under way the size that is proposed changes with the tolerances.
  void set(const System& system, const Tolerances& tolerances, const StepLimits& limits, int order);
  /// The system and order of a control that was read.
  void attach(const System& system, int order);
  bool active() const { return order_ > 0; }
  int order() const { return order_; }
  const Tolerances& tolerances() const { return tolerances_; }
  const StepLimits& limits() const { return limits_; }
  const StepEstimates& estimates() const { return estimates_; }

  /// A run begins at z: the first step, unless StepLimits::first gives it, is that in which a motion of the shortest
  /// time scale T of (q,v) changes by a hundredth of what is allowed, T (tolerance/size/100)^(1/(p+1)) and at most T;
  /// where nothing changes, a thousandth of the way. Obstacles are open there, and friction is left out: it is a
  /// guess. It allocates. Throws Error(bad_value) where the tolerances are below rounding. After Hairer, Norsett,
  /// Wanner, Solving ODEs I, II.4, for y = (q,v), f = (v,a), with every derivative in units of its own.
  void start(const State& z);

  /// Throws Error(bad_value) where the tolerances are below the rounding of q and v as measured last.
  void require_attainable() const;

  /// Where nothing says at the start how fast anything changes: the first step is a thousandth of the way `span`, and
  /// sizes are what forces after that time make of them. It allocates.
  void look_ahead(const State& z, double span);
  /// The first try of a step where `rest` > 0 is left to the end; it is `rest` itself where that fits.
  double propose(double rest);
  /// The try between two states, of error error_q, error_v: err <= 1.
  bool passes(const State& before, const State& after);
  bool passes(const State& before, const State& after, const Vector& error_q, const Vector& error_v) override;
  double part(const EndErrors& errors, const ConstVectorRef& d) override;
  /// Whether speeds are more than this part of the largest so far. At rest errors that are allowed are motion.
  bool moves(double part) const;
  Vector& error_q() { return estimates_.error_q; }
  Vector& error_v() { return estimates_.error_v; }
  /// err of the last try.
  double error() const { return error_; }
  /// The next try after one with too large an error, or that was not solved; 0: StepLimits::smallest forbids it.
  double shorten(bool solved, double rest);
  /// The next step is at most one after which accelerations without obstacles and friction have changed the motion from
  /// z by what the tolerance allows: where nothing moves under forces that change. It allocates.
  void wait(const State& z);
  /// The cost of a step that takes Newton's method for s stages of n + m unknowns each, or that times estimate_cost for
  /// its error, or whose solution is followed from h -> 0; one whose stages and error are solved by approximate
  /// inverses costs 1. Measured on rods and loops: dF/dx couples the stages, and the larger it is the more its factors
  /// fill.
  static double newton_cost(double stages, Index unknowns) {
    return std::max(5., stages * stages * std::min(static_cast<double>(unknowns) / 500, 2.));
  }
  static constexpr double estimate_cost = 1.6, following_cost = 50;
  /// Whether a shorter step is tried before this one is taken at that cost: where the shorter one is no less than one
  /// by cost of what the error allows.
  bool spares(double cost) const;
  /// The next try after one that was spared.
  double ease(double rest);
  /// The cost of a step that was taken. It is untried where it was one of those above and no shorter step was tried
  /// before, and high where it was one of them and shorter steps did not do.
  enum class Cost { low, untried, high };
  /// interrupted: by events, see EventDriver::interrupted
  void accept(bool interrupted, Cost cost = Cost::low);
  /// The step was given up: everything as it was at propose().
  void give_up() { estimates_.next = before_; }

  /// Steps are of a tolerance at the moment, and their errors decide.
  bool judges = false;

  void serialize(Archive& archive);

 private:
  double scale() const;
  /// w_i of tolerances.hpp; `absolute`: of each component, or empty.
  double weight(const Vector& absolute, const Vector& natural, const Vector& size, Index i) const {
    const double given = absolute.size() == 0 ? tolerances_.absolute : absolute[i];
    return given > 0 ? given + tolerances_.relative * size[i] : tolerances_.relative * (natural[i] + size[i]) / 2;
  }
  /// The natural sizes of q and v at a start, and of what they become in the time |q|/(|v| + (|a| |q|)^(1/2)), in the
  /// mass norm: motion may begin at rest, or at zero. Returns the accelerations; empty where they are not defined.
  Vector begin_sizes(const State& z);
  /// |M^-1 grad U| + |M^-1 G^T lambda| at z, in the mass norm.
  double forces_at(const State& z, const Vector& lambda);
  /// The sizes that q and v have had so far, of a block together, and a thousandth of the largest one for all.
  void spread(const Vector& largest, Vector& natural) const;
  /// The shortest time in which forces change (q,v) at z, where the accelerations are a, by their size, and that size
  /// over the tolerances; zero where nothing changes. otherwise: the time in which forces are looked at again where
  /// nothing moves.
  struct Pace {
    double time = 0, size = 0;
  };
  Pace pace(const State& z, const Vector& a, double otherwise);
  /// The time in which a motion of that pace changes by `part` of what the tolerance allows.
  double time_of(const Pace& pace, double part) const {
    return pace.time * std::pow(part / pace.size, 1. / (order_ + 1));
  }
  double fit(double h, double rest) const;
  /// The step that the error of the last one allows.
  double error_allows() const;
  /// Where constraints move by themselves the error of free motions says nothing of the motion that they prescribe: how
  /// much the step of q bends, |q1 - q0 - h (v0 + v1)/2|, against what is allowed, as an error of this order, and
  /// against the tolerance: the smaller one.
  double bend(const State& before, const State& after);
  /// |q_i| and |v_i|, the larger ones of both ends.
  void measure(const State& before, const State& after);
  /// At rest nothing says how large velocities are, and what is left is the rounding of forces that cancel. Where the
  /// velocities of a step are below what it makes, in the step or in the time (|q|/|forces|)^(1/2), out = error without
  /// the entries that are below what it makes in the step. integrals: 1 of an error of q, 0 of v.
  const Vector& beyond_rounding(const Vector& error, double h, int integrals, Vector& out) const;
  /// rms of x over the tolerances
  double norm(const ConstVectorRef& x_q, const ConstVectorRef& x_v) const;

  Tolerances tolerances_;
  StepLimits limits_;
  StepEstimates estimates_;
  const System* system_ = nullptr;
  int order_ = 0;  // 0: there are no tolerances
  double error_ = 0, error_before_ = 1;
  double easy_ = 0;                // largest step that is not costly, as far as known; 0: not known
  double growth_ = 1;              // of easy_, in the next step
  double eased_ = 1;               // part of the first try of this step
  double lately_ = 0;              // how many steps were eased, a sum that forgets
  double tried_ = 0, before_ = 0;  // of the step under way
  bool rejected_ = false;
  double forces_ = 0;             // where the run began, or last waited
  double resting_speed_ = 0;      // what their rounding makes in the time (|q|/|forces|)^(1/2)
  Vector size_q_, size_v_;        // of both ends of the last step
  Vector largest_q_, largest_v_;  // of the run
  Vector reached_q_, reached_v_;  // the same with the step under way
  Vector natural_q_, natural_v_;  // see spread()
  Vector left_q_, left_v_;
  Vector v0_, v1_, scratch_, rates_, none_;
};

}  // namespace gnomon
