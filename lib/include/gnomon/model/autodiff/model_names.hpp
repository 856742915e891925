#pragma once
/// \file
/// The names of a model's parts and what is easily written instead: the one list of both.

#include <type_traits>

namespace gnomon::model {

/// X(name): the member functions of a model that make a part of it exist, and the flags of older models.
#define GNOMON_MODEL_PARTS(X) \
  X(describe)                 \
  X(mass)                     \
  X(mass_matrix)              \
  X(potential)                \
  X(constraints)              \
  X(velocity_constraints)     \
  X(force)                    \
  X(friction)                 \
  X(obstacles)                \
  X(slips)                    \
  X(slip_velocities)          \
  X(invariants)               \
  X(invariant_potential)      \
  X(penalty_function)         \
  X(symmetry_name)            \
  X(symmetry_generator)       \
  X(integral_name)            \
  X(integral)                 \
  X(constant_mass)            \
  X(has_switches)             \
  X(has_force)                \
  X(has_friction)             \
  X(n_invariants)             \
  X(n_symmetries)             \
  X(n_obstacles)

/// X(wrong, right): member functions that nothing would call.
#define GNOMON_MODEL_MISSPELLINGS(X)           \
  X(constraint, constraints)                   \
  X(constrain, constraints)                    \
  X(constrains, constraints)                   \
  X(position_constraints, constraints)         \
  X(velocity_constraint, velocity_constraints) \
  X(rolling_constraints, velocity_constraints) \
  X(obstacle, obstacles)                       \
  X(contacts, obstacles)                       \
  X(slip, slips)                               \
  X(slip_coordinates, slips)                   \
  X(slip_velocity, slip_velocities)            \
  X(forces, force)                             \
  X(external_force, force)                     \
  X(frictions, friction)                       \
  X(friction_force, friction)                  \
  X(potentials, potential)                     \
  X(potential_energy, potential)               \
  X(energy, potential)                         \
  X(mass_matrices, mass_matrix)                \
  X(massmatrix, mass_matrix)                   \
  X(masses, mass)                              \
  X(invariant, invariants)                     \
  X(invariants_potential, invariant_potential) \
  X(invariant_potentials, invariant_potential) \
  X(penalty, penalty_function)                 \
  X(penalty_functions, penalty_function)       \
  X(symmetries, symmetry_generator)            \
  X(symmetry, symmetry_generator)              \
  X(symmetry_generators, symmetry_generator)   \
  X(generator, symmetry_generator)             \
  X(symmetry_names, symmetry_name)             \
  X(integrals, integral)                       \
  X(first_integral, integral)                  \
  X(integral_names, integral_name)             \
  X(description, describe)                     \
  X(traits, describe)

/// has_<name><Model>: the model has a member of this name, of whatever kind and signature. Model is a class that can be
/// derived from: a name that is in it too is ambiguous in a class derived from both.
#define GNOMON_MODEL_NAME(name)                                                                    \
  struct Other_##name {                                                                            \
    int name;                                                                                      \
  };                                                                                               \
  template <class Model>                                                                           \
  struct Both_##name : Model, Other_##name {};                                                     \
  template <class Both, class = void>                                                              \
  struct Ambiguous_##name : std::true_type {};                                                     \
  template <class Both>                                                                            \
  struct Ambiguous_##name<Both, std::void_t<decltype(&Both::name)>> : std::false_type {};          \
  template <class Model>                                                                           \
  inline constexpr bool has_##name = Ambiguous_##name<Both_##name<Model>>::value;                  \
  /* A data member, static or not: a parameter of the model, not a part of it. */                  \
  template <class Model, class = void>                                                             \
  struct Data_##name : std::false_type {};                                                         \
  template <class Model>                                                                           \
  struct Data_##name<Model, std::void_t<decltype(&Model::name)>>                                   \
      : std::bool_constant<!std::is_member_function_pointer_v<decltype(&Model::name)> &&           \
                           !std::is_function_v<std::remove_pointer_t<decltype(&Model::name)>>> {}; \
  template <class Model>                                                                           \
  inline constexpr bool has_function_##name = has_##name<Model> && !Data_##name<Model>::value;
#define GNOMON_MODEL_WRONG_NAME(wrong, right) GNOMON_MODEL_NAME(wrong)
GNOMON_MODEL_PARTS(GNOMON_MODEL_NAME)
GNOMON_MODEL_MISSPELLINGS(GNOMON_MODEL_WRONG_NAME)
#undef GNOMON_MODEL_NAME
#undef GNOMON_MODEL_WRONG_NAME

/// Instantiating it is the check: a compile error with a sentence for each wrong name whose right one is not there.
template <class Model>
struct NamesAreKnown {
#define GNOMON_MODEL_CHECK_NAME(wrong, right)                                \
  static_assert(!has_function_##wrong<Model> || has_function_##right<Model>, \
                "the model has a member function \"" #wrong "\", which nothing calls: did you mean \"" #right "\"?");
  GNOMON_MODEL_MISSPELLINGS(GNOMON_MODEL_CHECK_NAME)
#undef GNOMON_MODEL_CHECK_NAME
};

}  // namespace gnomon::model
