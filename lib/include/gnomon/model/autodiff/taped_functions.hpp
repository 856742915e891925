#pragma once
/// \file
/// The functions of an AutodiffModel as tapes, recorded when they are asked for.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gnomon/model/autodiff/model_calls.hpp"

namespace gnomon::model {

template <class Parts>
class TapedModel final : public TapedFunctions {
 public:
  TapedModel(std::shared_ptr<const Parts> parts, const FoundTraits& traits)
      : parts_(std::move(parts)), traits_(traits) {}

  std::optional<Tape> tape(Which which) const override {
    const Index n = traits_.n, m = traits_.position_constraints(), contacts = traits_.n_obstacles;
    switch (which) {
      case Which::potential:
        return record("potential", PotentialCall<Parts>{parts_, 0}, {n, 0, 0}, 1);
      case Which::invariants:
        if constexpr (Parts::invariants_exist)
          if (traits_.n_invariants > 0)
            return record("invariants", InvariantsCall<Parts>{parts_, traits_.n_invariants}, {n, 0, 0},
                          traits_.n_invariants);
        return std::nullopt;
      case Which::constraints:
        if (m == 0) return std::nullopt;
        return record("constraints", ConstraintsCall<Parts>{parts_, m}, {n, 0, 0}, m);
      case Which::obstacles:
        if constexpr (Parts::obstacles_exist)
          if (contacts > 0) return record("obstacles", ObstaclesCall<Parts>{parts_, contacts}, {n, 0, 0}, contacts);
        return std::nullopt;
      case Which::slips:
        if constexpr (Parts::slips_exist)
          if (contacts > 0) return record("slips", SlipsCall<Parts>{parts_, contacts}, {n, 0, 0}, contacts);
        return std::nullopt;
      case Which::slip_velocities:
        if constexpr (Parts::slips_in_space && Parts::obstacles_exist)
          if (const auto rows = 2 * static_cast<Index>(traits_.slips_in_space.size()))
            return record("slip_velocities", SlipVelocitiesCall<Parts>{parts_, rows}, {n, n, 0}, rows);
        return std::nullopt;
      case Which::force:
        if constexpr (Parts::force_exists)
          if (traits_.has_force) return record("force", ForceCall<Parts>{parts_, n}, {n, n, 0}, n);
        return std::nullopt;
      case Which::friction:
        if constexpr (Parts::friction_exists)
          if (traits_.has_friction)
            return record("friction", FrictionCall<Parts>{parts_, n}, {n, n, traits_.m + contacts}, n);
        return std::nullopt;
      case Which::velocity_constraints:
        if constexpr (Parts::velocity_constraints_exist)
          if (traits_.n_velocity_constraints > 0)
            return record("velocity_constraints", VelocityConstraintsCall<Parts>{parts_, 0}, {n, n, 0},
                          traits_.n_velocity_constraints);
        return std::nullopt;
      case Which::mass_matrix:
        if constexpr (Parts::mass_matrix_exists)
          if (!traits_.constant_mass) return record("mass_matrix", MassCall<Parts>{parts_, n}, {n, 0, 0}, n * n);
        return std::nullopt;
    }
    return std::nullopt;
  }

  Tape invariant_potential_tape(Index k) const override {
    return record("invariant_potential", InvariantPotentialCall{parts_, static_cast<int>(k)}, {1, 0, 0}, 1);
  }

 private:
  struct InvariantPotentialCall {
    std::shared_ptr<const Parts> parts;
    int k;
    Index scratch() const { return 0; }
    void operator()(const Recorded&, const CallArguments<Recorded>& x, Recorded* out, Recorded*) const {
      out[0] = parts->invariant_potential(k, x[0][0]);
    }
  };

  template <class Call>
  Tape record(const char* name, const Call& call, const std::array<Index, 3>& sizes, Index outputs) const {
    const std::string what = "system " + traits_.name + ": " + name;
    RecordedPart part = record_call(call, sizes, outputs, ordinary_point(sizes[0] + sizes[1] + sizes[2]), what);
    if (!part.complete())
      throw Error(ErrorCode::refused, what + (part.recorded() ? " branches on a value: " + part.tape.branch
                                                              : " cannot be recorded: " + part.failure));
    return std::move(part.tape);
  }

  std::shared_ptr<const Parts> parts_;
  FoundTraits traits_;
};

}  // namespace gnomon::model
