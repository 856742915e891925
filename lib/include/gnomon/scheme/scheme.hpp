#pragma once
/// \file
/// Scheme -> StepEquations: a method is its equation, its source, its order and its promises.

#include <memory>
#include <string>
#include <vector>

#include "gnomon/base/types.hpp"

namespace gnomon {

class NonlinearEquations;
class Options;
class Model;
class System;
struct OptionSpec;
struct State;
using OptionSpecs = std::vector<OptionSpec>;

/// What a scheme declares, for the model it is bound to. The conformance cases test every one of them.
struct Promises {
  int order = 0;           ///< of q and p, at fixed step size
  int momentum_order = 0;  ///< of p where it is not that of q; 0: the same
  /// q and p tend to the constrained motion as h -> 0; not so for penalties and for iterations that stop short of it.
  bool constrained_limit = true;
  bool energy = false;  ///< H at rounding level for every step size
  bool discrete_energy =
      false;                ///< at rounding level: the energy that the scheme names, StepEquations::discrete_energy
  bool position = false;    ///< g(q) = 0 at rounding level
  bool hidden = false;      ///< G v + g_t = 0 at rounding level
  bool momentum = false;    ///< every declared momentum map at rounding level
  bool symmetric = false;   ///< step(-h) undoes step(h)
  bool symplectic = false;  ///< on the constraint manifold's cotangent bundle
  /// Steps of any sizes may follow each other: one step starts from q and p alone, and p is tangent at its end. Where p
  /// is not, the multiplier has order 0 under steps of random sizes, and the hidden constraint does a random walk.
  bool variable_steps = false;
};
/// E.g. "order 2, energy, position, momentum, symmetric".
GNOMON_EXPORT std::string to_string(const Promises& promises);

/// What to do after one of a step's systems was solved.
enum class Next {
  advance,  ///< go on to the next solve
  repeat,   ///< solve this system again: parameters changed (augmented Lagrangian)
  fail,     ///< the step failed although the solver converged
};

/// The equations of one step of one scheme for one model. Owns all scratch memory. One step is
///
///     begin(z0, h);  for each solve k: { predict(k, x); solve system_of(k) for x; accept(k, x); }  finish(z1)
class GNOMON_EXPORT StepEquations {
 public:
  virtual ~StepEquations() = default;

  virtual Index n_systems() const = 0;
  virtual NonlinearEquations& system(Index k) = 0;
  /// Number of solves in a step, and which system each one uses: compositions visit the same systems several times.
  /// They hold for the step that began last.
  virtual Index n_solves() const { return n_systems(); }
  virtual Index system_of(Index solve) const { return solve; }

  /// Sizes the scheme-owned part of a fresh state (history).
  virtual void prepare(State& z) const = 0;
  /// How many of the first entries of State::scheme_data the end of a step is a smooth function of. Those beyond are
  /// tails, sizes of steps, estimates and marks.
  virtual Index carried_arguments(const State& z) const;
  /// Sets the step: from z0, over h (negative steps are legal). z0 outlives the step.
  virtual void begin(const State& z0, double h) = 0;
  /// Start value of solve k, unscaled.
  virtual void predict(Index solve, VectorRef x) = 0;
  /// Takes the solution of solve k, unscaled.
  virtual Next accept(Index solve, const ConstVectorRef& x) = 0;
  /// next enters as a copy of z0 and leaves as the state after the step, time included. It may have taken the history
  /// of z0, which z0 gets back if the step is refused: finish may clear it and push into it, at most twice.
  virtual void finish(State& next) = 0;

  /// Why accept() returned Next::fail, for the step's report.
  virtual const char* failure() const { return "the scheme gave up its iteration"; }
  /// What the scheme knows of the reason, for the step's report, after the solver failed in a solve; nullptr: nothing.
  virtual const char* diagnosis(Index solve) const {
    static_cast<void>(solve);
    return nullptr;
  }

  /// What the scheme conserves together with H, at a state: the penalty potential of a penalty scheme, else zero. The
  /// monitor's energy is H plus this, less the work booked in the state.
  virtual long double added_energy(const State& z) {
    static_cast<void>(z);
    return 0;
  }

  /// The energy that a scheme conserves at another level than t_n, as two-step schemes do at t_n - h/2, less the work
  /// booked up to there: its name, nullptr without one, and its value for the step that led to z. The monitor measures
  /// it beside H.
  virtual const char* discrete_energy_name() const { return nullptr; }
  virtual long double discrete_energy(const State& z) {
    static_cast<void>(z);
    return 0;
  }

  /// The exact derivative of the step's map (q0, p0) -> (q1, p1): from the next begin() on, every finish() turns the
  /// columns [dq; dp] of `changes`, changes of the state before the step, into those of the state after it,
  /// dx = -F_x^-1 F_{z0} dz0 through the systems of the step in order. After a step that failed they mean nothing.
  /// nullptr: no longer. False: this scheme does not offer it. For measures: it allocates and takes dense algebra.
  virtual bool differentiate(Matrix* changes) {
    static_cast<void>(changes);
    return false;
  }

  /// Whether steps estimate their local error, for steps of a tolerance: from the next prepare() on. Returns the order
  /// p of the end values that it follows, e = O(h^(p+1)); 0: this scheme offers none. Until then nothing is spent on
  /// it.
  virtual int estimate_errors(bool on) {
    static_cast<void>(on);
    return 0;
  }
  /// Whether local_error() is false, too, where it would take Newton's method for an estimate, which costs as much as
  /// many steps.
  virtual void spare_estimates(bool on) { static_cast<void>(on); }
  /// After finish(after): the estimated error of the step from `before` in q (n), in units of q, and in v = M^-1 p (n),
  /// in units of q per unit of time; signs mean nothing. False: this step gives no estimate. It allocates nothing.
  virtual bool local_error(const State& before, const State& after, VectorRef error_q, VectorRef error_v) {
    static_cast<void>(before), static_cast<void>(after), static_cast<void>(error_q), static_cast<void>(error_v);
    return false;
  }
};

/// A StepEquations together with what it promises for this model.
struct Binding {
  std::unique_ptr<StepEquations> equations;
  Promises promises;
};

/// A method. Stateless; bind makes the stateful part.
class GNOMON_EXPORT Scheme {
 public:
  virtual ~Scheme() = default;
  virtual std::string name() const = 0;
  virtual std::string description() const = 0;  ///< one line
  virtual std::string source() const = 0;       ///< paper and equation numbers
  virtual OptionSpecs options() const;          ///< default: none
  /// The promises at best, for lists; bind returns those that hold for a given model.
  virtual Promises promises() const = 0;
  /// Throws Error(refused) with the reason when the scheme does not fit the model. The model must outlive the result.
  virtual Binding bind(const Model& model, const Options& options) const = 0;
  /// The equations of this scheme keep obstacles c(q) >= 0 by themselves. For others the integrator opens and closes
  /// contacts, see contact.hpp.
  virtual bool holds_obstacles() const { return false; }
  /// Why systems with constraints of velocities (VelocityConstraints) are refused, the end of a sentence that begins
  /// with "it has constraints of velocities,"; empty where they are held.
  virtual std::string refuses_velocity_constraints() const { return "which this scheme does not hold"; }
  /// Name of the scheme whose step over h undoes a step of this one over -h, or "" when none is known.
  virtual std::string adjoint() const { return {}; }
};

/// A scheme for mechanical systems, as most are: it refuses overdetermined DAEs.
class GNOMON_EXPORT MechanicalScheme : public Scheme {
 public:
  Binding bind(const Model& model, const Options& options) const final;
  /// As Scheme::bind.
  virtual Binding bind(const System& system, const Options& options) const = 0;
};

/// Schemes by name, for a scheme that wraps others. A Registrar hands it out.
class GNOMON_EXPORT SchemeTable {
 public:
  virtual ~SchemeTable() = default;
  /// Throws Error(unknown_name) with the nearest known name.
  virtual const Scheme& scheme(const std::string& name) const = 0;
};

}  // namespace gnomon
