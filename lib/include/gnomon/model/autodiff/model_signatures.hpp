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
  static constexpr bool timed_force = calls_force<void, Model, T, In, In, Out>;

  static_assert(has_function_potential<Model>,
                "the model has no member function \"potential\": U(t, q), or U2 with invariants");
  static_assert(!has_function_potential<Model> || timed_potential || calls_potential<Any, Model, In>,
                "the member function \"potential\" of the model must be template <class S> S potential(const S& t, "
                "const S* q) const, or the same without t");
  static_assert(has_function_mass<Model> || has_function_mass_matrix<Model>,
                "the model has neither a member function \"mass\" (a constant mass) nor \"mass_matrix\" (M(q))");
  static_assert(
      !has_function_mass<Model> || calls_mass<Mass, Model> || calls_mass<Matrix, Model> || calls_mass<Vector, Model>,
      "the member function \"mass\" of the model must be Mass mass() const, or give a Vector (the diagonal) or "
      "a Matrix");
  static_assert(
      !has_function_mass_matrix<Model> || calls_mass_matrix<void, Model, In, Out>,
      "the member function \"mass_matrix\" of the model must be template <class S> void mass_matrix(const S* q, "
      "S* m) const");
  static_assert(
      !has_function_constraints<Model> || timed_constraints || calls_constraints<void, Model, In, Out>,
      "the member function \"constraints\" of the model must be template <class S> void constraints(const S& t, "
      "const S* q, S* g) const, or the same without t");
  static_assert(m <= 0 || has_function_constraints<Model>,
                "the model has m > 0 constraints in AutodiffModel<n, m>, but no member function \"constraints\"");
  static_assert(m != 0 || !has_function_constraints<Model>,
                "the model has a member function \"constraints\", but no constraints (m = 0) in AutodiffModel<n, m>");
  static_assert(
      !has_function_force<Model> || timed_force || calls_force<void, Model, In, In, Out>,
      "the member function \"force\" of the model must be template <class S> void force(const S& t, const S* q, "
      "const S* v, S* f) const, or the same without t");
  static_assert(
      !has_function_friction<Model> || calls_friction<void, Model, In, In, In, Out>,
      "the member function \"friction\" of the model must be template <class S> void friction(const S* q, const "
      "S* v, const S* lambda, S* f) const");
  static_assert(
      !has_function_obstacles<Model> || calls_obstacles<void, Model, In, Out>,
      "the member function \"obstacles\" of the model must be template <class S> void obstacles(const S* q, S* "
      "c) const");
  static_assert(!has_function_slips<Model> || calls_slips<void, Model, In, Out>,
                "the member function \"slips\" of the model must be template <class S> void slips(const S* q, S* d) "
                "const");
  static_assert(!has_function_slips<Model> || has_function_obstacles<Model>,
                "the model has a member function \"slips\", but no \"obstacles\" that slip");
  static_assert(!has_function_slips<Model> || !has_function_friction<Model>,
                "the model has the member functions \"slips\" (Coulomb friction at contacts) and \"friction\" (a force "
                "R(q,v,lambda)): expected one of them");
  static_assert(
      !has_function_invariants<Model> || calls_invariants<void, Model, In, Out>,
      "the member function \"invariants\" of the model must be template <class S> void invariants(const S* q, "
      "S* pi) const");
  static_assert(
      has_function_invariants<Model> == has_function_invariant_potential<Model>,
      "the member functions \"invariants\" and \"invariant_potential\" of the model go together: one is missing");
  static_assert(!has_function_invariant_potential<Model> || calls_invariant_potential<Any, Model, int, T>,
                "the member function \"invariant_potential\" of the model must be template <class S> S "
                "invariant_potential(int k, const S& pi) const");
  static_assert(!has_function_penalty_function<Model> || calls_penalty_function<Any, Model, T>,
                "the member function \"penalty_function\" of the model must be template <class S> S "
                "penalty_function(const S& y) const");
  static_assert(
      !has_function_symmetry_generator<Model> || calls_symmetry_generator<void, Model, Index, const double*, double*>,
      "the member function \"symmetry_generator\" of the model must be void symmetry_generator(Index a, const "
      "double* q, double* xi) const");
  static_assert(!has_function_symmetry_name<Model> || calls_symmetry_name<std::string, Model, Index>,
                "the member function \"symmetry_name\" of the model must be std::string symmetry_name(Index a) const");
  static_assert(!has_function_symmetry_name<Model> || has_function_symmetry_generator<Model>,
                "the model has a member function \"symmetry_name\", but no \"symmetry_generator\"");
  static_assert(
      !has_function_integral<Model> || calls_integral<double, Model, Index, double, const double*, const double*>,
      "the member function \"integral\" of the model must be double integral(Index a, double t, const double* "
      "q, const double* p) const");
  static_assert(!has_function_integral_name<Model> || calls_integral_name<std::string, Model, Index>,
                "the member function \"integral_name\" of the model must be std::string integral_name(Index a) const");
  static_assert(!has_function_describe<Model> || calls_describe<ModelTraits, Model>,
                "the member function \"describe\" of the model must be SystemTraits describe() const");
};

}  // namespace gnomon::model
