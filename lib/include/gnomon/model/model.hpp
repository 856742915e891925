#pragma once
/// \file
/// Model: what a mechanical System (system.hpp) and an overdetermined DAE (overdetermined.hpp) have in common. What
/// runs, watches, stores or prints a model of either kind asks it here.

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/base/types.hpp"

namespace gnomon {

class OverdeterminedSystem;
class System;

/// What every model declares about itself.
struct CommonTraits {
  std::string name;
  Index m = 0;                           ///< constraints
  bool approximate_derivatives = false;  ///< some derivative comes from differences
  std::array<std::string, 3> state_names{"q", "p", "lambda"};
  std::vector<std::string> constraint_names;  ///< one a constraint
  /// The model as it is written adds this number to its energy and potential; all functions here leave it out.
  double energy_constant = 0;
};

/// A state of a run, see State::view(): q (y) and p, each as value and tail, z of an overdetermined DAE, multipliers.
struct StateView {
  double t;
  const Vector &q, &q_tail, &p, &p_tail, &z, &lambda;
};

/// Energy, constraints and invariants at a state.
struct Measured {
  long double kinetic = 0, potential = 0;  ///< T and U of a System
  long double energy = 0;                  ///< T + U, or E(y,z); 0 where the model has no energy
  double position = 0, velocity = 0;       ///< largest entries of the two that follow
  Vector g, g_rate;                        ///< g, and G v + g_t or g_y v
  Vector momentum, integrals;              ///< one entry a symmetry of a System, one a first integral
  Vector v, w, gradient;                   ///< scratch
};

class GNOMON_EXPORT Model {
 public:
  virtual ~Model() = default;

  virtual const CommonTraits& traits() const = 0;
  const std::string& name() const { return traits().name; }
  Index m() const { return traits().m; }
  /// The sizes that make it what it is, with their names, for checkpoints.
  virtual std::vector<std::pair<std::string, Index>> sizes() const = 0;
  virtual bool has_energy() const { return true; }

  /// The model as the kind that it is; null where it is of the other kind.
  virtual const System* mechanical() const { return nullptr; }
  virtual const OverdeterminedSystem* overdetermined() const { return nullptr; }

  /// The second half of a state as users give and read it: p, or z.
  virtual const Vector& second_half(const StateView& at) const = 0;
  /// out = q', or y'; `scratch` has the same length.
  virtual void velocity(const StateView& at, VectorRef scratch, VectorRef out) const = 0;
  /// Measures the compensated state (value + tail) in extended precision where the model allows. False where a value
  /// other than the energies is not finite; a callback may throw. Allocates nothing once `out` has been filled in.
  virtual bool measure(const StateView& at, Measured& out) const = 0;
};

/// The model as a shared System, null for an overdetermined DAE.
inline std::shared_ptr<const System> shared_system(const std::shared_ptr<const Model>& model) {
  return {model, model->mechanical()};
}

}  // namespace gnomon
