#pragma once
/// \file
/// RecordedModel: a model with every part recorded, and the traits and the mass that follow. Both kinds of systems are
/// made from one.

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>

#include "gnomon/formula/tape_function.hpp"
#include "gnomon/model/autodiff/model_calls.hpp"

namespace gnomon::model {

/// M(q) at the point of recording, from its recording.
inline Matrix recorded_mass(const Function& function, const Vector& q, Index n) {
  Matrix mass(n, n);
  function.value(0, {q.data(), nullptr, nullptr}, mass.data());
  mass.transposeInPlace();
  return mass;
}

/// The parts that the model has, of a system that derives from all of them; the mass sets its own.
template <class System>
void set_parts(gnomon::Parts& parts, const FoundTraits& traits, const System& system) {
  if (traits.time_dependent) parts.time_dependence = &system;
  if (traits.has_force) parts.force = &system;
  if (traits.has_friction) parts.friction = &system;
  if (traits.n_obstacles > 0) parts.obstacles = &system;
  if (traits.friction_coefficients.size() > 0) parts.coulomb = &system;
  if (traits.n_symmetries > 0) parts.symmetries = &system;
  if (traits.n_integrals > 0) parts.integrals = &system;
  if (traits.n_invariants > 0) parts.split = &system;
  if (traits.penalty != ModelTraits::Penalty::none) parts.penalty = &system;
  parts.extended = &system;
  parts.angles = traits.angles.get();
}

template <class Model, bool Closed>
class RecordedModel {
 public:
  using Parts = ModelParts<Model, Closed>;

  /// \param start     where the functions are recorded and M(q) is taken; empty: at an ordinary point
  /// \param obstacles number of obstacles of a closed model; the open model's is found
  explicit RecordedModel(Model model, const Vector& start, Index obstacles = 0)
      : parts_(std::make_shared<const Parts>(std::move(model))),
        n_(coordinates_of(parts_->model())),
        m_(multipliers_of(parts_->model()) + Parts::rows_of_contact * obstacles),
        at_(ordinary_point(n_)) {
    traits_ = describe();
    if (start.size() != 0) {
      if (start.size() != n_)
        throw Error(ErrorCode::bad_size, "system " + traits_.name + ": the start has " + std::to_string(start.size()) +
                                             " coordinates, expected " + std::to_string(n_));
      at_.x = start;
    }
    traits_.n = n_;
    check_constraints();
    record_parts();
    traits_.m = m_ + traits_.n_velocity_constraints;
    complete_traits(traits_, recorded_);
    leave_out_constant(traits_, recorded_, at_.t, at_.x);
    traits_.constant_mass = !mass_depends_on_q();
    const AbsentParts& absent = traits_.absent;
    traits_.has_force = Parts::force_exists && !absent.force;
    traits_.has_friction = Parts::friction_exists && !absent.friction;
    if (recorded_.velocity_constraints) check_velocity_constraints(traits_, *recorded_.velocity_constraints);
    traits_.n_symmetries =
        count(Parts::symmetries_exist && !absent.symmetries, Parts::declared_symmetries(), traits_.n_symmetries);
    traits_.n_integrals = count(Parts::integrals_exist && !absent.integrals, -1, traits_.n_integrals);
    if (Parts::penalty_exists && traits_.penalty == ModelTraits::Penalty::none)
      traits_.penalty = ModelTraits::Penalty::not_convex;
    mass_ = make_mass();
  }

  const std::shared_ptr<const Parts>& parts() const { return parts_; }
  const FoundTraits& traits() const { return traits_; }
  const RecordingPoint& at() const { return at_; }
  RecordedParts& recorded() { return recorded_; }
  /// Null where the tapes have no switches.
  const std::shared_ptr<const Switches>& switches() const { return switches_; }
  void set_switches(std::shared_ptr<const Switches> switches) { switches_ = std::move(switches); }

  /// The model's mass(), or M at the start.
  const Mass& mass() const { return *mass_; }

 private:
  /// Throws Error(bad_value) for M(q) that is not symmetric at the start.
  Mass make_mass() const {
    if constexpr (Parts::mass_matrix_exists) {
      if (!recorded_.mass_matrix) {
        // Not used: mass() gives it.
      } else if (recorded_.mass_matrix->recorded()) {
        const TapeFunction function(recorded_.mass_matrix->tape, TapeFunction::Patterns::none);
        const Mass at_start = given_mass(traits_, recorded_mass(function, at_.x, n_));
        if (!Parts::mass_exists || traits_.constant_mass) return at_start;
      } else if (!Parts::mass_exists) {
        throw Error(ErrorCode::callback_failed, "system " + traits_.name +
                                                    ": mass_matrix cannot be evaluated where the mass is needed: " +
                                                    recorded_.mass_matrix->failure);
      }
    }
    if constexpr (Parts::mass_exists) {
      try {
        return given_mass(traits_, parts_->model().mass());
      } catch (const Error& error) {
        const std::string text = error.what(), prefix = "system " + traits_.name;
        throw Error(error.code(), text.compare(0, prefix.size(), prefix) == 0 ? text : prefix + ": " + text);
      }
    } else {
      throw Error(ErrorCode::bad_value, "system " + traits_.name + ": no mass");
    }
  }

  FoundTraits describe() const {
    FoundTraits traits;
    if constexpr (has_function_describe<Model>) traits = FoundTraits(ModelTraits(parts_->model().describe()));
    if (traits.name.empty()) traits.name = class_name(typeid(Model).name());
    if constexpr (Closed) close(traits);
    return traits;
  }
  /// The traits of the model with its obstacles as constraints.
  void close(FoundTraits& traits) const {
    const bool open = m_ > multipliers_of(parts_->model());
    const bool no_constraints = multipliers_of(parts_->model()) == 0;
    const bool polynomial = open && traits.obstacle_degree != SystemTraits::not_polynomial &&
                            (no_constraints || traits.constraint_degree != SystemTraits::not_polynomial);
    traits.constraint_degree = !polynomial      ? SystemTraits::not_polynomial
                               : no_constraints ? traits.obstacle_degree
                                                : std::max(traits.constraint_degree, traits.obstacle_degree);
    std::vector<std::string> names = traits.obstacle_names;
    const auto name = [&](Index i) {
      const auto k = static_cast<std::size_t>(i);
      return k < traits.obstacle_names.size() ? traits.obstacle_names[k] : "c[" + std::to_string(i) + "]";
    };
    for (Index i = 0; has_slips && i < traits.friction_coefficients.size(); ++i) names.push_back("slip of " + name(i));
    for (const Index i : traits.slips_in_space)
      for (const char* which : {"first", "second"}) names.push_back(std::string(which) + " slip of " + name(i));
    const auto of_velocities =
        std::min(traits.constraint_names.size(), static_cast<std::size_t>(multipliers_of(parts_->model())));
    traits.constraint_names.insert(traits.constraint_names.begin() + static_cast<std::ptrdiff_t>(of_velocities),
                                   names.begin(), names.end());
    if (has_slips) traits.constraint_degree = SystemTraits::not_polynomial;
    traits.friction_coefficients.resize(0);
    traits.slips_in_space.clear();
    traits.obstacle_names.clear();
    traits.obstacle_degree = SystemTraits::not_polynomial;
    traits.n_obstacles = traits.n_symmetries = traits.n_integrals = 0;
  }

  static constexpr bool has_slips = Parts::rows_of_contact == 2;
  static Index count(bool exists, int declared, Index described) {
    if (!exists) return 0;
    return declared >= 0 ? declared : described > 0 ? described : 1;
  }

  /// With sizes at run time; of the others the compiler says it.
  void check_constraints() const {
    const Index m = multipliers_of(parts_->model());
    if (m > 0 && !has_function_constraints<Model>)
      throw Error(ErrorCode::bad_value, "system " + traits_.name + " has " + std::to_string(m) +
                                            " constraints, but the model has no member function \"constraints\"");
    if (m == 0 && has_function_constraints<Model> && !traits_.absent.constraints)
      throw Error(ErrorCode::bad_value, "system " + traits_.name +
                                            " has no constraints (m = 0), but the model has a member function "
                                            "\"constraints\"");
  }

  void record_parts() {
    const std::string prefix = "system " + traits_.name + ": ";
    traits_.n_invariants = 0;
    if constexpr (Parts::invariants_exist) {
      traits_.n_invariants = Parts::declared_invariants();
      if (traits_.n_invariants < 0) {
        const RecordedPart part =
            record_call(InvariantsCall<Parts>{parts_, 0}, {n_, 0, 0}, any_number, at_, prefix + "invariants");
        traits_.n_invariants = number_of(part, "invariants");
      }
    }
    traits_.n_obstacles = 0;
    if constexpr (Parts::obstacles_exist) {
      const Index declared = Parts::declared_obstacles();
      recorded_.obstacles = record_call(ObstaclesCall<Parts>{parts_, 0}, {n_, 0, 0},
                                        declared < 0 ? any_number : declared, at_, prefix + "obstacles");
      traits_.n_obstacles = declared < 0 ? number_of(*recorded_.obstacles, "obstacles") : declared;
    }
    if constexpr (Parts::slips_exist)
      recorded_.slips = record_call(SlipsCall<Parts>{parts_, 0}, {n_, 0, 0}, traits_.n_obstacles, at_,
                                    prefix + "slips, one an obstacle");
    if constexpr (!Closed) check_friction(traits_, Parts::slips_exist);
    if constexpr (!Closed && Parts::slips_in_space)
      check_slip_velocities(traits_, record_call(SlipVelocitiesCall<Parts>{parts_, 0}, {n_, n_, 0}, any_number,
                                                 ordinary_point(2 * n_), prefix + "slip_velocities"));
    recorded_.potential =
        record_call(PotentialCall<Parts>{parts_, traits_.n_invariants}, {n_, 0, 0}, 1, at_, prefix + "potential");
    if (traits_.n_invariants > 0) {
      traits_.regular_degree = SystemTraits::not_polynomial;
      recorded_.regular_potential =
          record_call(PotentialCall<Parts>{parts_, 0}, {n_, 0, 0}, 1, at_, prefix + "potential");
    }
    recorded_.constraints =
        record_call(ConstraintsCall<Parts>{parts_, m_}, {n_, 0, 0}, m_, at_, prefix + "constraints");
    RecordingPoint at = ordinary_point(2 * n_);
    at.t = at_.t;
    at.x.head(n_) = at_.x;
    if constexpr (Parts::velocity_constraints_exist) {
      RecordedPart& part = recorded_.velocity_constraints.emplace(record_call(
          VelocityConstraintsCall<Parts>{parts_, 0}, {n_, n_, 0}, any_number, at, prefix + "velocity_constraints"));
      traits_.n_velocity_constraints = number_of(part, "velocity_constraints");
      if (traits_.n_velocity_constraints == 0) recorded_.velocity_constraints.reset();
    }
    if constexpr (Parts::force_exists)
      if (!traits_.absent.force)
        recorded_.force = record_call(ForceCall<Parts>{parts_, n_}, {n_, n_, 0}, n_, at, prefix + "force");
    if constexpr (Parts::mass_matrix_exists)
      if (!traits_.absent.mass_matrix)
        recorded_.mass_matrix =
            record_call(MassCall<Parts>{parts_, n_}, {n_, 0, 0}, n_ * n_, at_, prefix + "mass_matrix");
  }
  Index number_of(const RecordedPart& part, const char* what) const {
    if (!part.recorded())
      throw Error(ErrorCode::callback_failed,
                  "system " + traits_.name + ": the number of " + what +
                      " cannot be found, they fail where they are recorded: " + part.failure);
    return static_cast<Index>(part.tape.outputs.size());
  }

  bool mass_depends_on_q() const {
    if constexpr (!Parts::mass_matrix_exists) {
      return false;
    } else {
      if (!recorded_.mass_matrix) return false;
      const RecordedPart& part = *recorded_.mass_matrix;
      const bool found = !part.complete() || part.tape.dependences(0).nonzeros() > 0;
      if constexpr (has_constant_mass<Model>) {
        if (Model::constant_mass && found)
          throw Error(ErrorCode::bad_value,
                      "system " + traits_.name + " declares a constant mass, but its mass_matrix depends on q");
        return !Model::constant_mass;
      }
      return found;
    }
  }

  std::shared_ptr<const Parts> parts_;
  Index n_, m_;
  RecordingPoint at_;
  FoundTraits traits_;
  RecordedParts recorded_;
  std::shared_ptr<const Switches> switches_;
  std::optional<Mass> mass_;
};

}  // namespace gnomon::model
