#pragma once
/// \file
/// RecordedSystem: the System of a model of any size, from the tapes of its parts. A part that branches on a value has
/// no tape that stands for it: its derivatives are dense and come from forward duals, up to 200 coordinates.

#include <array>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "gnomon/formula/chunked_function.hpp"
#include "gnomon/formula/tape_function.hpp"
#include "gnomon/model/autodiff/function_system.hpp"
#include "gnomon/model/autodiff/one_variable.hpp"
#include "gnomon/model/autodiff/recorded_model.hpp"
#include "gnomon/model/autodiff/recorded_switches.hpp"
#include "gnomon/model/autodiff/taped_functions.hpp"
#include "gnomon/model/named_formulas.hpp"

namespace gnomon::model {

/// Above it a part that branches is refused.
inline constexpr Index branching_limit = 200;

/// The part as a function, from its tape where that stands for it.
template <class Call>
std::unique_ptr<const Function> part_function(const std::string& system, const char* name, RecordedPart part,
                                              const Call& call, const std::array<Index, 3>& sizes, Index outputs,
                                              TapeFunction::Patterns patterns = TapeFunction::Patterns::all) {
  if (part.complete()) return make_function(std::move(part.tape), patterns);
  if (sizes[0] > branching_limit)
    throw Error(ErrorCode::refused, "system " + system + ": its " + name +
                                        (part.recorded() ? " branches on a value (" + part.tape.branch + ")"
                                                         : " fails where it is recorded (" + part.failure + ")") +
                                        ", which is supported up to " + std::to_string(branching_limit) +
                                        " coordinates, and it has " + std::to_string(sizes[0]));
  return std::make_unique<ChunkedFunction<Call>>(call, sizes, outputs);
}

template <class Written, class = void>
struct has_named_formulas : std::false_type {};
template <class Written>
struct has_named_formulas<Written, std::void_t<decltype(&Written::not_finite)>> : std::true_type {};

template <class Written, bool Closed = false>
class RecordedSystem final : public FunctionSystem, public NamedFormulas {
  using Parts = ModelParts<Written, Closed>;
  static_assert(sizeof(Parts) > 0, "the parts of the model");

 public:
  /// \param start where the parts are recorded, and M(q) is taken if the model has no mass(); empty: an ordinary point
  explicit RecordedSystem(Written model, const Vector& start = {})
      : RecordedSystem(RecordedModel<Written, Closed>(std::move(model), start), start) {}
  /// Of a closed model.
  RecordedSystem(Written model, const Vector& start, Index obstacles)
      : RecordedSystem(RecordedModel<Written, Closed>(std::move(model), start, obstacles), start) {}

  const Written& model() const { return calls_->model(); }
  /// Empty of a model that does not say it.
  std::string not_finite(double t, const ConstVectorRef& q, const ConstVectorRef& v) const override {
    if constexpr (has_named_formulas<Written>::value) return model().not_finite(t, q, v);
    return {};
  }

  std::shared_ptr<const System> with_obstacles_closed() const override {
    if constexpr (Parts::obstacles_exist)
      return std::make_shared<RecordedSystem<Written, true>>(model(), start_, traits_.n_obstacles);
    else
      return nullptr;
  }
  std::string integral_name(Index a) const override { return calls_->integral_name(a); }
  double integral(Index a, double t, const ConstVectorRef& q, const ConstVectorRef& p) const override {
    return calls_->integral(a, t, q.data(), p.data());
  }
  std::string symmetry_name(Index a) const override { return calls_->symmetry_name(a); }
  void symmetry_generator(Index a, const ConstVectorRef& q, VectorRef out) const override {
    calls_->symmetry_generator(a, q.data(), out.data(), n());
  }
  std::array<Extended, 4> extended_invariant_potential(Index k, Extended pi) const override {
    return three_derivatives(pi, [&](const auto& x) { return calls_->invariant_potential(static_cast<int>(k), x); });
  }
  std::array<double, 4> invariant_potential(Index k, double pi) const override {
    return three_derivatives(pi, [&](const auto& x) { return calls_->invariant_potential(static_cast<int>(k), x); });
  }
  std::array<double, 4> penalty_function(double y) const override {
    return three_derivatives(y, [&](const auto& x) { return calls_->penalty_function(x); });
  }

 private:
  RecordedSystem(RecordedModel<Written, Closed> recorded, const Vector& start)
      : FunctionSystem(recorded.traits(), recorded.mass(), functions(recorded)),
        calls_(recorded.parts()),
        tapes_(calls_, traits_),
        switches_(recorded.switches()),
        start_(start) {
    set_parts(parts_, traits_, *this);
    parts_.switches = switches_.get();
    parts_.tapes = &tapes_;
  }

  static SystemFunctions functions(RecordedModel<Written, Closed>& model) {
    using Patterns = TapeFunction::Patterns;
    const FoundTraits& traits = model.traits();
    const auto& parts = model.parts();
    const Index n = traits.n, m = traits.position_constraints(), k = traits.n_invariants, contacts = traits.n_obstacles;
    RecordedParts& recorded = model.recorded();
    const auto record_more = [&](const char* name, const auto& call, const std::array<Index, 3>& sizes, Index outputs) {
      RecordingPoint at = ordinary_point(sizes[0] + sizes[1] + sizes[2]);
      at.t = model.at().t;
      at.x.head(n) = model.at().x;
      return record_call(call, sizes, outputs, at, "system " + traits.name + ": " + name);
    };
    std::optional<RecordedPart> friction, invariants, inertia;
    if constexpr (Parts::friction_exists)
      if (traits.has_friction)
        friction = record_more("friction", FrictionCall<Parts>{parts, n}, {n, n, traits.m + contacts}, n);
    if constexpr (Parts::invariants_exist)
      if (k > 0) invariants = record_more("invariants", InvariantsCall<Parts>{parts, k}, {n, 0, 0}, k);
    if constexpr (Parts::mass_matrix_exists)
      if (!traits.constant_mass) inertia = record_more("mass_matrix", InertiaCall<Parts>{parts, n}, {n, n, 0}, 1);
    // Constraints and obstacles last, so that the numbers are those of the model with its obstacles closed.
    std::vector<Tape*> tapes;
    for (auto* part : {&recorded.potential, &recorded.regular_potential, &invariants, &recorded.force, &friction,
                       &recorded.mass_matrix, &inertia, &recorded.constraints, &recorded.obstacles, &recorded.slips})
      if (*part && (*part)->complete()) tapes.push_back(&(*part)->tape);
    model.set_switches(
        RecordedSwitches::number(tapes, {n, n, traits.m + contacts}, traits.angles ? traits.angles->n_angles() : 0));

    SystemFunctions f;
    f.potential = part_function(traits.name, "potential", std::move(*recorded.potential),
                                PotentialCall<Parts>{parts, k}, {n, 0, 0}, 1);
    f.constraints = part_function(traits.name, "constraints", std::move(*recorded.constraints),
                                  ConstraintsCall<Parts>{parts, m}, {n, 0, 0}, m);
    if (recorded.velocity_constraints) {
      Tape tape = std::move(recorded.velocity_constraints->tape);
      tape.block_sizes = {2 * n, 0, 0};  // q and v in one block
      f.constraints =
          std::make_unique<VelocityRows>(std::move(f.constraints), make_function(std::move(tape)),
                                         traits.velocity_constraint_names(), "system " + traits.name + ": ");
    }
    if constexpr (Parts::obstacles_exist)
      if (contacts > 0)
        f.obstacles = part_function(traits.name, "obstacles", std::move(*recorded.obstacles),
                                    ObstaclesCall<Parts>{parts, contacts}, {n, 0, 0}, contacts, Patterns::none);
    if constexpr (Parts::slips_exist)
      f.slips = part_function(traits.name, "slips", std::move(*recorded.slips), SlipsCall<Parts>{parts, contacts},
                              {n, 0, 0}, contacts, Patterns::none);
    if constexpr (Parts::force_exists)
      if (traits.has_force)
        f.force = part_function(traits.name, "force", std::move(*recorded.force), ForceCall<Parts>{parts, n}, {n, n, 0},
                                n, Patterns::jacobian);
    if constexpr (Parts::friction_exists)
      if (friction)
        f.friction = part_function(traits.name, "friction", std::move(*friction), FrictionCall<Parts>{parts, n},
                                   {n, n, traits.m + contacts}, n, Patterns::jacobian);
    if constexpr (Parts::invariants_exist)
      if (invariants) {
        f.regular_potential = part_function(traits.name, "potential", std::move(*recorded.regular_potential),
                                            PotentialCall<Parts>{parts, 0}, {n, 0, 0}, 1);
        f.invariants = part_function(traits.name, "invariants", std::move(*invariants), InvariantsCall<Parts>{parts, k},
                                     {n, 0, 0}, k, Patterns::all);
      }
    if constexpr (Parts::mass_matrix_exists)
      if (inertia) {
        f.inertia = part_function(traits.name, "mass_matrix", std::move(*inertia), InertiaCall<Parts>{parts, n},
                                  {n, n, 0}, 1, Patterns::none);
        f.mass_matrix = part_function(traits.name, "mass_matrix", std::move(*recorded.mass_matrix),
                                      MassCall<Parts>{parts, n}, {n, 0, 0}, n * n, Patterns::none);
      }
    return f;
  }

  std::shared_ptr<const Parts> calls_;
  TapedModel<Parts> tapes_;
  std::shared_ptr<const Switches> switches_;
  Vector start_;
};

}  // namespace gnomon::model
