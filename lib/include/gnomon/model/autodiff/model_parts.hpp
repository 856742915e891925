#pragma once
/// \file
/// ModelParts: one way to call the parts of a model, whatever signatures it has and leaves out; and the same model with
/// its obstacles held closed.

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "gnomon/formula/dual.hpp"
#include "gnomon/model/autodiff/model_signatures.hpp"

namespace gnomon::model {

/// Outputs that a model leaves unset are zero. Duals are so from their construction.
template <class S>
void clear_outputs(S* out, Index count) {
  if constexpr (std::is_floating_point_v<S>) std::fill_n(out, count, S(0));
}

/// The numbers that an older model declares; -1: not declared. Zero says that a member function which is there is not
/// used.
template <class Model>
constexpr int declared_invariants() {
  if constexpr (has_n_invariants<Model>) return Model::n_invariants;
  return -1;
}
template <class Model>
constexpr int declared_obstacles() {
  if constexpr (has_n_obstacles<Model>) return Model::n_obstacles;
  return -1;
}
template <class Model>
constexpr int declared_symmetries() {
  if constexpr (has_n_symmetries<Model>) return Model::n_symmetries;
  return -1;
}

/// Whether the member function is there and an older model's flag does not switch it off.
template <class Model>
constexpr bool uses_force() {
  if constexpr (has_has_force<Model>) return Model::has_force && has_function_force<Model>;
  return has_function_force<Model>;
}
template <class Model>
constexpr bool uses_friction() {
  if constexpr (has_has_friction<Model>) return Model::has_friction && has_function_friction<Model>;
  return has_function_friction<Model>;
}

/// Forward duals up to this number of coordinates, tapes beyond.
inline constexpr int forward_limit = 16;

/// The functions of the model are evaluated on tapes, with both branches of its switches. Forward duals need the
/// numbers of invariants and obstacles at compile time; where they are to be found, tapes do it.
template <class Model>
constexpr bool on_tape() {
  if constexpr (has_has_switches<Model>)
    if (Model::has_switches) return true;
  constexpr int n = ModelSizes<Model>::n;
  return n == Dynamic || n > forward_limit || has_function_velocity_constraints<Model> ||
         has_function_slip_velocities<Model> || (has_function_invariants<Model> && declared_invariants<Model>() < 0) ||
         (has_function_obstacles<Model> && declared_obstacles<Model>() < 0);
}

/// The parts of Model. With Closed the obstacles are constraints: g = (g, -c), or (g, -c, d) with slips d, and before
/// the constraints of velocities those of slip velocities.
template <class Model, bool Closed = false>
class ModelParts {
  using Signature = Signatures<Model>;
  static_assert(sizeof(Signature) > 0, "the names and signatures of the model");

 public:
  static constexpr Branches branches = on_tape<Model>() ? Branches::both : Branches::one;
  static constexpr bool force_exists = uses_force<Model>(), friction_exists = uses_friction<Model>(),
                        obstacles_exist =
                            has_function_obstacles<Model> && model::declared_obstacles<Model>() != 0 && !Closed,
                        slips_in_space = has_function_slip_velocities<Model>,
                        slips_exist = obstacles_exist && (has_function_slips<Model> || slips_in_space),
                        invariants_exist = has_function_invariants<Model> && model::declared_invariants<Model>() != 0,
                        mass_matrix_exists = has_function_mass_matrix<Model>, mass_exists = has_function_mass<Model>,
                        constraints_exist =
                            has_function_constraints<Model> || (Closed && has_function_obstacles<Model>),
                        velocity_constraints_exist =
                            has_function_velocity_constraints<Model> || (Closed && slips_in_space),
                        penalty_exists = has_function_penalty_function<Model>,
                        symmetries_exist = has_function_symmetry_generator<Model> &&
                                           model::declared_symmetries<Model>() != 0 && !Closed,
                        integrals_exist = has_function_integral<Model> && !Closed;

  /// Constraints that a closed contact is: -c, and d.
  static constexpr int rows_of_contact = has_function_slips<Model> || slips_in_space ? 2 : 1;
  static constexpr int declared_invariants() { return model::declared_invariants<Model>(); }
  static constexpr int declared_obstacles() { return model::declared_obstacles<Model>(); }
  static constexpr int declared_symmetries() { return model::declared_symmetries<Model>(); }
  /// What an older model says of a part that exists or not: a contradiction is a compile error.
  static constexpr bool flags_agree() {
    if constexpr (has_has_force<Model>)
      static_assert(!Model::has_force || has_function_force<Model>,
                    "the model's flag \"has_force\" contradicts whether it has a member function \"force\"; leave the "
                    "flag out");
    if constexpr (has_has_friction<Model>)
      static_assert(
          Model::has_friction == has_function_friction<Model>,
          "the model's flag \"has_friction\" contradicts whether it has a member function \"friction\"; leave "
          "the flag out");
    if constexpr (has_constant_mass<Model>)
      static_assert(
          Model::constant_mass || has_function_mass_matrix<Model>,
          "the model's flag \"constant_mass\" is false, but it has no member function \"mass_matrix\"; leave the "
          "flag out");
    if constexpr (has_n_obstacles<Model>)
      static_assert(
          Model::n_obstacles == 0 || has_function_obstacles<Model>,
          "the model's number \"n_obstacles\" is positive, but it does not have a member function \"obstacles\"");
    if constexpr (has_n_invariants<Model>)
      static_assert(
          Model::n_invariants == 0 || has_function_invariants<Model>,
          "the model's number \"n_invariants\" is positive, but it does not have a member function \"invariants\"");
    if constexpr (has_n_symmetries<Model>)
      static_assert(Model::n_symmetries == 0 || has_function_symmetry_generator<Model>,
                    "the model's number \"n_symmetries\" is positive, but it does not have a member function "
                    "\"symmetry_generator\"");
    return true;
  }
  static_assert(flags_agree());

  explicit ModelParts(Model model) : model_(std::move(model)) {
    if constexpr (slips_in_space) rows_in_space_ = 2 * static_cast<Index>(model_.describe().slips_in_space.size());
  }
  const Model& model() const { return model_; }
  Index open_constraints() const { return multipliers_of(model_); }

  template <class S>
  S potential(const S& t, const S* q) const {
    if constexpr (Signature::timed_potential)
      return model_.potential(t, q);
    else
      return model_.potential(q);
  }
  /// `count`: all of them, of a closed model with its obstacles.
  template <class S>
  void constraints(const S& t, const S* q, S* g, Index count) const {
    clear_outputs(g, count);
    if constexpr (has_function_constraints<Model>) {
      if constexpr (Signature::timed_constraints)
        model_.constraints(t, q, g);
      else
        model_.constraints(q, g);
    }
    if constexpr (Closed && has_function_obstacles<Model>) {
      const Index first = open_constraints(), last = first + (count - first) / rows_of_contact;
      model_.obstacles(q, g + first);
      for (Index i = first; i < last; ++i) g[i] = -g[i];
      if constexpr (has_function_slips<Model>) model_.slips(q, g + last);
    }
  }
  /// `count`: where it is known.
  template <class S>
  void velocity_constraints(const S& t, const S* q, const S* v, S* psi, Index count) const {
    clear_outputs(psi, count);
    if constexpr (Closed && slips_in_space) {
      model_.slip_velocities(q, v, psi);
      psi += rows_in_space_;
    }
    if constexpr (Signature::timed_velocities)
      model_.velocity_constraints(t, q, v, psi);
    else if constexpr (has_function_velocity_constraints<Model>)
      model_.velocity_constraints(q, v, psi);
  }
  template <class S>
  void force(const S& t, const S* q, const S* v, S* f, Index n) const {
    clear_outputs(f, n);
    if constexpr (Signature::timed_force)
      model_.force(t, q, v, f);
    else if constexpr (has_function_force<Model>)
      model_.force(q, v, f);
  }
  template <class S>
  void friction(const S* q, const S* v, const S* lambda, S* f, Index n) const {
    clear_outputs(f, n);
    if constexpr (has_function_friction<Model>) model_.friction(q, v, lambda, f);
  }
  template <class S>
  void obstacles(const S* q, S* c, Index count) const {
    clear_outputs(c, count);
    if constexpr (has_function_obstacles<Model>) model_.obstacles(q, c);
  }
  template <class S>
  void slips(const S* q, S* d, Index count) const {
    clear_outputs(d, count);
    if constexpr (has_function_slips<Model>) model_.slips(q, d);
  }
  template <class S>
  void slip_velocities(const S* q, const S* v, S* u, Index count) const {
    clear_outputs(u, count);
    if constexpr (slips_in_space) model_.slip_velocities(q, v, u);
  }
  template <class S>
  void mass_matrix(const S* q, S* m, Index n) const {
    clear_outputs(m, n * n);
    if constexpr (has_function_mass_matrix<Model>) model_.mass_matrix(q, m);
  }
  template <class S>
  void invariants(const S* q, S* pi, Index count) const {
    clear_outputs(pi, count);
    if constexpr (has_function_invariants<Model>) model_.invariants(q, pi);
  }
  template <class S>
  S invariant_potential(int k, const S& pi) const {
    if constexpr (has_function_invariants<Model>)
      return model_.invariant_potential(k, pi);
    else
      return S(0.0);
  }
  template <class S>
  S penalty_function(const S& y) const {
    if constexpr (has_function_penalty_function<Model>)
      return model_.penalty_function(y);
    else
      return y * y;
  }

  void symmetry_generator(Index a, const double* q, double* xi, Index n) const {
    clear_outputs(xi, n);
    if constexpr (symmetries_exist) model_.symmetry_generator(a, q, xi);
  }
  std::string symmetry_name(Index a) const {
    if constexpr (has_function_symmetry_name<Model> && symmetries_exist) return model_.symmetry_name(a);
    return "momentum" + std::to_string(a + 1);
  }
  double integral(Index a, double t, const double* q, const double* p) const {
    if constexpr (integrals_exist) return model_.integral(a, t, q, p);
    return 0;
  }
  std::string integral_name(Index a) const {
    if constexpr (has_function_integral_name<Model> && integrals_exist) return model_.integral_name(a);
    return "integral" + std::to_string(a + 1);
  }

 private:
  Model model_;
  Index rows_in_space_ = 0;  // slip velocities
};

}  // namespace gnomon::model
