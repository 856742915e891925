#pragma once
/// \file
/// What the recording of a model's parts shows, and the traits and the mass that follow from it.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/formula/tape.hpp"
#include "gnomon/model/autodiff/model_traits.hpp"
#include "gnomon/model/mass.hpp"

namespace gnomon::model {

/// What a model declares, with what is found: its parts and their numbers.
struct GNOMON_EXPORT FoundTraits : ModelTraits {
  FoundTraits() = default;
  FoundTraits(ModelTraits traits) : ModelTraits(std::move(traits)) {}

  bool constant_mass = true, has_force = false, has_friction = false;
  Index n_obstacles = 0, n_invariants = 0, n_velocity_constraints = 0;
  /// Those of the last constraints, "g[i]" without a name.
  std::vector<std::string> velocity_constraint_names() const;
  Index position_constraints() const { return m - n_velocity_constraints; }
};

/// The recording of one part.
struct RecordedPart {
  Tape tape;
  /// Why there is no tape: the part could not be evaluated where it was recorded. Empty: there is one.
  std::string failure;
  bool recorded() const { return failure.empty(); }
  /// The tape stands for the part everywhere.
  bool complete() const { return recorded() && tape.branch.empty(); }
};

/// One entry a part that the model has.
struct RecordedParts {
  std::optional<RecordedPart> potential, regular_potential, constraints, velocity_constraints, obstacles, slips, force,
      mass_matrix;
};

/// Fills in degrees, the use of time and SystemTraits::branches, from the tapes where these stand for the part. Of a
/// part that branches, or could not be recorded, what the model declares is kept: nothing declared is "not polynomial".
/// Throws Error(bad_value) where a declared degree is below the one that the terms of the part show; one above it is
/// replaced.
GNOMON_EXPORT void complete_traits(FoundTraits& traits, const RecordedParts& parts);

/// Where an additive constant makes up most of the potential at x, its tapes are without it and the traits name it.
GNOMON_EXPORT void leave_out_constant(FoundTraits& traits, RecordedParts& parts, double t, const Vector& x);

/// Throws Error(bad_value) where the friction coefficients of the traits are not one an obstacle, are negative or not
/// finite, or are there without slips; and where restitutions are not one an obstacle, or one is outside [0, 1].
GNOMON_EXPORT void check_friction(const FoundTraits& traits, bool slips);

/// Throws Error(bad_value) where the obstacles that slip in space are none of the model or not ascending, or their
/// slip velocities are not two each.
GNOMON_EXPORT void check_slip_velocities(const FoundTraits& traits, const RecordedPart& part);

/// Throws Error(refused) where velocity constraints branch, or stand beside obstacles.
GNOMON_EXPORT void check_velocity_constraints(const FoundTraits& traits, const RecordedPart& part);

/// The name of a class, without its namespaces.
GNOMON_EXPORT std::string class_name(const char* mangled);

/// "coordinate 4 (bob2)"
GNOMON_EXPORT std::string coordinate_name(const SystemTraits& traits, Index j);

/// The mass that a model's mass() gives in one of three forms. Throws Error(bad_value) and Error(bad_size) that name
/// the system and, for a diagonal entry that is not positive, the coordinate.
GNOMON_EXPORT Mass given_mass(const SystemTraits& traits, const Mass& mass);
GNOMON_EXPORT Mass given_mass(const SystemTraits& traits, const Vector& diagonal);
GNOMON_EXPORT Mass given_mass(const SystemTraits& traits, const Matrix& matrix);

}  // namespace gnomon::model
