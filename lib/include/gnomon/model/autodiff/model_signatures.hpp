#pragma once
/// \file
/// Which signature each part of a model has, and a compile error of one sentence for a wrong one.

#include <string>
#include <utility>

#include "gnomon/formula/recorded.hpp"
#include "gnomon/model/autodiff/autodiff_model.hpp"
#include "gnomon/model/autodiff/model_names.hpp"
#include "gnomon/model/autodiff/model_traits.hpp"
#include "gnomon/model/mass.hpp"

namespace gnomon::model {

/// calls_<name><Model, Result, Arguments...>: model.name(arguments...) compiles on a const model and gives a Result.
#define GNOMON_MODEL_CALL(name)                                                                                      \
  template <class Result, class Model, class... Arguments>                                                           \
  auto try_##name(int)                                                                                               \
      ->std::bool_constant<                                                                                          \
          std::is_convertible_v<decltype(std::declval<const Model&>().name(std::declval<Arguments>()...)), Result>>; \
  template <class Result, class Model, class... Arguments>                                                           \
  std::false_type try_##name(...);                                                                                   \
  template <class Result, class Model, class... Arguments>                                                           \
  inline constexpr bool calls_##name = decltype(try_##name<Result, Model, Arguments...>(0))::value;
GNOMON_MODEL_PARTS(GNOMON_MODEL_CALL)
#undef GNOMON_MODEL_CALL

/// Calls are tried with the scalar that only a template fits.
using Any = Recorded;

template <class Model>
struct Signatures : NamesAreKnown<Model> {
  static constexpr int n = ModelSizes<Model>::n, m = ModelSizes<Model>::m;
  using In = const Any*;
  using Out = Any*;
  using T = const Any&;

  static constexpr bool timed_potential = calls_potential<Any, Model, T, In>;
  static constexpr bool timed_constraints = calls_constraints<void, Model, T, In, Out>;
  static constexpr bool timed_velocities = calls_velocity_constraints<void, Model, T, In, In, Out>;
  static constexpr bool timed_force = calls_force<void, Model, T, In, In, Out>;

/// A member function that is there has a form in which it is called.
#define GNOMON_MODEL_SIGNATURE(name, fits, form) \
  static_assert(!has_function_##name<Model> || fits, "the member function \"" #name "\" of the model must be " form)
  static_assert(has_function_potential<Model>,
                "the model has no member function \"potential\": U(t, q), or U2 with invariants");
  GNOMON_MODEL_SIGNATURE(potential, (timed_potential || calls_potential<Any, Model, In>),
                         "template <class S> S potential(const S& t, const S* q) const, or the same without t");
  static_assert(has_function_mass<Model> || has_function_mass_matrix<Model>,
                "the model has neither a member function \"mass\" (a constant mass) nor \"mass_matrix\" (M(q))");
  GNOMON_MODEL_SIGNATURE(mass, (calls_mass<Mass, Model> || calls_mass<Matrix, Model> || calls_mass<Vector, Model>),
                         "Mass mass() const, or give a Vector (the diagonal) or a Matrix");
  GNOMON_MODEL_SIGNATURE(mass_matrix, (calls_mass_matrix<void, Model, In, Out>),
                         "template <class S> void mass_matrix(const S* q, S* m) const");
  GNOMON_MODEL_SIGNATURE(
      constraints, (timed_constraints || calls_constraints<void, Model, In, Out>),
      "template <class S> void constraints(const S& t, const S* q, S* g) const, or the same without t");
  GNOMON_MODEL_SIGNATURE(velocity_constraints,
                         (timed_velocities || calls_velocity_constraints<void, Model, In, In, Out>),
                         "template <class S> void velocity_constraints(const S& t, const S* q, const S* v, S* psi) "
                         "const, or the same without t");
  static_assert(m <= 0 || has_function_constraints<Model>,
                "the model has m > 0 constraints in AutodiffModel<n, m>, but no member function \"constraints\"");
  static_assert(m != 0 || !has_function_constraints<Model>,
                "the model has a member function \"constraints\", but no constraints (m = 0) in AutodiffModel<n, m>");
  GNOMON_MODEL_SIGNATURE(
      force, (timed_force || calls_force<void, Model, In, In, Out>),
      "template <class S> void force(const S& t, const S* q, const S* v, S* f) const, or the same without t");
  GNOMON_MODEL_SIGNATURE(friction, (calls_friction<void, Model, In, In, In, Out>),
                         "template <class S> void friction(const S* q, const S* v, const S* lambda, S* f) const");
  GNOMON_MODEL_SIGNATURE(obstacles, (calls_obstacles<void, Model, In, Out>),
                         "template <class S> void obstacles(const S* q, S* c) const");
  GNOMON_MODEL_SIGNATURE(slips, (calls_slips<void, Model, In, Out>),
                         "template <class S> void slips(const S* q, S* d) const");
  GNOMON_MODEL_SIGNATURE(slip_velocities, (calls_slip_velocities<void, Model, In, In, Out>),
                         "template <class S> void slip_velocities(const S* q, const S* v, S* u) const");
  static_assert(!has_function_slips<Model> || has_function_obstacles<Model>,
                "the model has a member function \"slips\", but no \"obstacles\" that slip");
  static_assert(!has_function_slip_velocities<Model> || (has_function_obstacles<Model> && has_function_describe<Model>),
                "the model has a member function \"slip_velocities\", but no \"obstacles\" that slip, or no "
                "\"describe\" whose slips_in_space says which of them do");
  GNOMON_MODEL_SIGNATURE(invariants, (calls_invariants<void, Model, In, Out>),
                         "template <class S> void invariants(const S* q, S* pi) const");
  static_assert(
      has_function_invariants<Model> == has_function_invariant_potential<Model>,
      "the member functions \"invariants\" and \"invariant_potential\" of the model go together: one is missing");
  GNOMON_MODEL_SIGNATURE(invariant_potential, (calls_invariant_potential<Any, Model, int, T>),
                         "template <class S> S invariant_potential(int k, const S& pi) const");
  GNOMON_MODEL_SIGNATURE(penalty_function, (calls_penalty_function<Any, Model, T>),
                         "template <class S> S penalty_function(const S& y) const");
  GNOMON_MODEL_SIGNATURE(symmetry_generator, (calls_symmetry_generator<void, Model, Index, const double*, double*>),
                         "void symmetry_generator(Index a, const double* q, double* xi) const");
  GNOMON_MODEL_SIGNATURE(symmetry_name, (calls_symmetry_name<std::string, Model, Index>),
                         "std::string symmetry_name(Index a) const");
  static_assert(!has_function_symmetry_name<Model> || has_function_symmetry_generator<Model>,
                "the model has a member function \"symmetry_name\", but no \"symmetry_generator\"");
  GNOMON_MODEL_SIGNATURE(integral, (calls_integral<double, Model, Index, double, const double*, const double*>),
                         "double integral(Index a, double t, const double* q, const double* p) const");
  GNOMON_MODEL_SIGNATURE(integral_name, (calls_integral_name<std::string, Model, Index>),
                         "std::string integral_name(Index a) const");
  GNOMON_MODEL_SIGNATURE(describe, (calls_describe<ModelTraits, Model>), "SystemTraits describe() const");
#undef GNOMON_MODEL_SIGNATURE
};

}  // namespace gnomon::model
