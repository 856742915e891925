#pragma once
/// \file
/// The error of a run in fixed steps, estimated from a second run with halved steps beside it.

#include <array>
#include <string>

#include "gnomon/run/integrator.hpp"
#include "measures/run/growth_law.hpp"

namespace gnomon::validation {

/// The error of one part of the state. With x_h = x + C h^p + ..., the difference to the run with halved steps gives
///
///     |x_h - x| = |x_h - x_(h/2)| 2^p/(2^p - 1) + O(h^(p+1)),   2-norm.
struct PartEstimate {
  std::string name;            ///< q, v and lambda; of an overdetermined DAE y, z and psi
  int order = 0;               ///< p, as the scheme declares it
  double largest = 0, at = 0;  ///< over the run, and when
  double end = 0;
  double size = 0;  ///< largest |x_(h/2)| over the run: what relative errors are of
  double relative(double error) const { return size > 0 ? error / size : error; }
  double factor() const;  ///< 2^p/(2^p - 1)
};

struct ErrorEstimate {
  std::array<PartEstimate, 3> parts;
  double until = 0;        ///< time of the last comparison
  long left_out = 0;       ///< steps at whose end one run had met an event of contact and the other had not
  bool own_limit = false;  ///< the scheme does not tend to the constrained motion (a penalty): its limit is meant
  GrowthLaw growth;        ///< of the larger of the relative errors of the first two parts
  std::string message;     ///< why the second run ended before the first, or empty
};

/// Watches the run with h; takes two steps of h/2 of its own for each. The multipliers that are compared belong to the
/// same instant: the index-1 multipliers of both states. It allocates.
class StepHalving final : public Observer {
 public:
  /// `halved` is an integrator of the same model, scheme and options as `run`, both at the same start. `h` is the step.
  /// Throws Error(refused) for a scheme of order 0 on this model. `run` outlives it.
  StepHalving(const Integrator& run, Integrator halved, double h);

  bool observe(const State& z, long step) override;
  ErrorEstimate estimate() const;

 private:
  /// The three parts of a state, by the model.
  std::array<Vector, 3> parts(const Integrator& integrator) const;

  const Integrator* run_;
  Integrator halved_;
  double h_, t0_;
  ErrorEstimate found_;
  GrowthWatch growth_;
};

}  // namespace gnomon::validation
