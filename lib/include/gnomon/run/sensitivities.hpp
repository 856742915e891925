#pragma once
/// \file
/// Sensitivities: how the states of a run change with parameters of its model and entries of its start,
///
///     dz(n+1) = Phi_z dz(n) + Phi_s,        z(n+1) = Phi(z(n), s, h(n)),        dz(0) = d z0/ds
///
/// the derivatives of the discrete motion: of the steps as they are taken, with their sizes held. A step finds its
/// unknowns x by F(x; z(n), s) = 0, and ends at z(n+1) = E(x; z(n), s). One factorisation of F_x serves all directions:
///
///     dx = -F_x^-1 (F_z dz(n) + F_s),        dz(n+1) = E_x dx + E_z dz(n) + E_s
///
/// with derivatives along (dz(n), 1) and (dx, dz(n), 1) by quotients of order six,
///
///     3/4 (f1 - f-1) - 3/20 (f2 - f-2) + 1/60 (f3 - f-3),        f(k) = F(x; z + k a dz, s + k a)/a
///
/// at Extended, from states at Extended, so that a may be a thousandth of the motion: the rounding that is divided by
/// it is that of Extended. Whatever a scheme keeps of a change it keeps here: G dq + g_s = 0, and DH dz of an energy
/// that is conserved.
///
/// Steps with events - contacts that close, open, stick or slip, switches - are functions of their start, too, as long
/// as the events are the same ones: their derivative is the quotient of such steps of six integrators beside the run,
/// each of which finds the events of its own. Where the events differ, as where a contact is grazed, there is none.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/model/problem.hpp"
#include "gnomon/run/evaluated_outputs.hpp"
#include "gnomon/run/integrator.hpp"

namespace gnomon {

class StepDerivative;
class TakenSteps;
struct Direction;
struct StateChange;

/// A run like another one, with a parameter of its model or an entry of its start changed.
struct GNOMON_EXPORT Variant {
  /// changed: of the model that the integrator has, which has started.
  Variant(ProblemInstance changed, Integrator run);

  ProblemInstance instance;
  Integrator integrator;
  EvaluatedOutputs outputs;
  /// Called with true before it is evaluated and with false afterwards: for models that read numbers which the caller
  /// owns. Empty: not needed.
  std::function<void(bool)> use;
};

/// [q | q' | multipliers | outputs] of a state of a variant: the multipliers are those that belong to the state by
/// itself (index1_multipliers), NaN where there are none.
GNOMON_EXPORT Index size_of_motion(const Variant& of);
GNOMON_EXPORT void measure_motion(Variant& of, const State& z, VectorRef out);

/// A step of a run as its solves took it: in the pieces that it was cut into, or, where events are in it, whole.
struct GNOMON_EXPORT Taken {
  std::vector<SolvedStep> pieces;
  bool whole = false;
};

/// An observer of a run. It allocates.
class GNOMON_EXPORT Sensitivities final : public Observer {
 public:
  struct Parameter {
    std::string name;
    double size = 1;       ///< a change that is large; not zero
    bool of_model = true;  ///< false: the start depends on it alone
    TimeSpan acts;         ///< when the model depends on it
  };
  /// Makes a run that has started, with the model, scheme and options of the run that is observed, where this parameter
  /// is changed by this much: `instance` with the start as it is given then, `integrator` with that moved onto the
  /// constraints, IntegratorOptions::project_start.
  using Make = std::function<std::unique_ptr<Variant>(std::size_t parameter, double change)>;

  /// The run has not taken a step and outlives it. Throws Error(refused) for an overdetermined DAE, and what
  /// `make` throws.
  Sensitivities(Integrator& run, std::vector<Parameter> parameters, Make make);
  ~Sensitivities() override;

  /// Once at the start, then after every step: add_observer. Stops the run where a step has no derivative, for the
  /// reason failure().
  bool observe(const State& z, long step) override;
  /// From now on until the next step the state is that of a step of the scheme from the start of the last one to t, or
  /// its end. False: it has no derivative.
  bool at(double t);
  const std::string& failure() const { return failure_; }

  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// dq/ds and dp/ds of the state, n x parameters
  Matrix positions() const;
  Matrix momenta() const;
  /// A function of model and state, of `size` numbers.
  using Measure = std::function<void(Variant& of, const State& z, VectorRef out)>;
  /// df/ds, size x parameters: along the motion, and by what the model has of s itself.
  Matrix derivative(Index size, const Measure& f) const;
  /// Those of measure_motion.
  Matrix motion() const;
  /// The largest part of the derivative of a step by which the same formula with four points is off: what six points
  /// leave is far smaller.
  double largest_remainder() const;
  /// A sentence on its accuracy, and on parameters that do not show in the motion; empty: there is nothing to say.
  std::string warning() const;

 private:
  void begin(const State& z);
  bool take(const SolvedStep& piece, bool solved);
  bool take_pieces(std::size_t count);

  std::vector<Parameter> parameters_;
  std::unique_ptr<TakenSteps> steps_;
  std::unique_ptr<StepDerivative> step_;
  std::vector<Direction> directions_;
  std::vector<StateChange> before_, carried_;  ///< dz at the start of the last step and at its end
  Taken last_;                                 ///< what led to end_
  State end_;                                  ///< of the last step; before the first one the start
  double shown_ = 0;                           ///< time of the state
  std::string failure_;
};

}  // namespace gnomon
