/// \file
/// composition: a symmetric scheme Phi_h made more accurate by substeps, some of them backwards.
///
///     Psi_h = Phi_{c_s h} o ... o Phi_{c_1 h},     c_i = c_{s+1-i},   sum c_i = 1,   sum c_i^3 = 0 (order 4), ...
///
///     yoshida   order p to p+2: (a, 1-2a, a); order 2 to 6 in seven substeps, to 8 in fifteen
///     suzuki    order p to p+2: (a, a, 1-4a, a, a), with smaller substeps and errors
///     optimal   order 2 to 6 in nine substeps, to 8 in seventeen; else as suzuki
///
/// The coefficients and their sources: composition/coefficients.hpp. Hairer, Lubich, Wanner, Geometric Numerical
/// Integration, II.4 and V.3.2.
///
/// paired=yes replaces Phi_{c h} by Phi_{c h/2} o Phi_{c h/2}. A multiplier scheme that enforces g(q1) = 0 but not the
/// hidden constraint has the parasitic root -1 in d = G M^-1 p: every step turns d round and adds A lambda' h^2/6,
/// A = G M^-1 G^T. Substeps of different sizes then add up to O(h^2) in p, whatever their coefficients. Two equal
/// halves give d back as it was, to the third order, and are again a symmetric one-step map of order two: over pairs
/// the composition reaches its order in q and p. Schemes that solve the hidden constraint (rattle) do not need it.
///
/// lambda is the index-1 multiplier of the state that was reached, of the same order as q and p; a substep's own would
/// belong to the middle of that substep. (Over penalties, where G has lost rank, and with friction in large models, it
/// is the last substep's: state_multipliers.hpp.)
///
/// What every substep keeps is kept: energy, both constraint levels, momentum maps, the symplectic form.

#include <algorithm>
#include <cmath>
#include <memory>

#include "composition/coefficients.hpp"
#include "composition/state_multipliers.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/options.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "gnomon/scheme/state.hpp"

namespace {

using namespace gnomon;

/// A fraction of the step by the inner scheme, or by its adjoint.
struct Substep {
  double fraction;
  bool adjoint;
};

/// The systems are those of the inner scheme and of its adjoint, visited once a substep; the states between are kept
/// here. Every substep has its own history in the state.
class ComposedStep final : public StepEquations {
 public:
  /// adjoint may be null. The multipliers of the state that is reached come from `multipliers`, if there are any.
  ComposedStep(std::unique_ptr<StepEquations> inner, std::unique_ptr<StepEquations> adjoint,
               std::vector<Substep> substeps, std::unique_ptr<kernels::StateMultipliers> multipliers)
      : inner_(std::move(inner)),
        adjoint_(std::move(adjoint)),
        substeps_(std::move(substeps)),
        multipliers_(std::move(multipliers)) {}

  Index n_systems() const override { return inner_->n_systems() + (adjoint_ ? adjoint_->n_systems() : 0); }
  NonlinearEquations& system(Index k) override {
    return k < inner_->n_systems() ? inner_->system(k) : adjoint_->system(k - inner_->n_systems());
  }
  /// A substep knows how many solves it has when it has begun; of those to come every one has at least one.
  Index n_solves() const override {
    return first_ + of(substep_).n_solves() + static_cast<Index>(substeps_.size() - substep_) - 1;
  }
  /// Of a solve of the current substep.
  Index system_of(Index solve) const override {
    return of(substep_).system_of(solve - first_) + (substeps_[substep_].adjoint ? inner_->n_systems() : 0);
  }

  void prepare(State& z) const override {
    z.substeps.clear();
    for (const Substep& substep : substeps_) {
      (substep.adjoint ? *adjoint_ : *inner_).prepare(z);
      z.substeps.push_back({z.history, 0});
    }
  }
  Index carried_arguments(const State& z) const override { return inner_->carried_arguments(z); }
  void begin(const State& z0, double h) override {
    h_ = h;
    between_.assign_without_substeps(z0);
    memory_ = z0.substeps;
    if (changes_) carried_ = *changes_;
    first_ = 0;
    begin_substep(0);
  }
  const char* failure() const override { return of(substep_).failure(); }
  const char* diagnosis(Index solve) const override { return of(substep_).diagnosis(solve - first_); }
  void predict(Index solve, VectorRef x) override { of(substep_).predict(solve - first_, x); }
  Next accept(Index solve, const ConstVectorRef& x) override {
    const Next then = of(substep_).accept(solve - first_, x);
    if (then != Next::advance || solve - first_ + 1 < of(substep_).n_solves() || substep_ + 1 == substeps_.size())
      return then;
    after_.assign_without_substeps(between_);
    finish_substep(after_);
    std::swap(between_, after_);
    first_ = solve + 1;
    begin_substep(substep_ + 1);
    return then;
  }
  void finish(State& next) override {
    // The sum of the substeps is h up to rounding: time is advanced once, by h itself.
    State time;
    time.t = next.t;
    time.t_tail = next.t_tail;
    time.advance_time(h_);
    after_.assign_without_substeps(between_);
    finish_substep(after_);
    if (changes_) *changes_ = carried_;
    next.assign_without_histories(after_);
    next.substeps = memory_;
    next.t = time.t;
    next.t_tail = time.t_tail;
    next.last_h = h_;
    if (multipliers_) multipliers_->solve(next);
  }
  long double added_energy(const State& z) override { return inner_->added_energy(z); }

  /// Every substep carries the changes on; they are kept when the whole step is.
  bool differentiate(Matrix* changes) override {
    Matrix* const carried = changes ? &carried_ : nullptr;
    changes_ = changes;
    if (inner_->differentiate(carried) && (!adjoint_ || adjoint_->differentiate(carried))) return true;
    inner_->differentiate(nullptr);
    changes_ = nullptr;
    return false;
  }

 private:
  StepEquations& of(std::size_t substep) const { return substeps_[substep].adjoint ? *adjoint_ : *inner_; }
  void begin_substep(std::size_t k) {
    substep_ = k;
    between_.history = memory_[k].history;
    between_.last_h = memory_[k].last_h;
    of(k).begin(between_, substeps_[k].fraction * h_);
  }
  /// state: a copy of between_, which leaves as the state after the substep.
  void finish_substep(State& state) {
    of(substep_).finish(state);
    memory_[substep_].history = state.history;
    memory_[substep_].last_h = state.last_h;
  }

  std::unique_ptr<StepEquations> inner_, adjoint_;
  std::vector<Substep> substeps_;
  std::unique_ptr<kernels::StateMultipliers> multipliers_;
  double h_ = 0;
  std::size_t substep_ = 0;
  Index first_ = 0;  ///< solve with which the current substep begins
  State between_, after_;
  std::vector<State::Substep> memory_;
  Matrix* changes_ = nullptr;
  Matrix carried_;  ///< *changes_ after the substeps so far
};

class Composition final : public Scheme {
 public:
  explicit Composition(const SchemeTable& schemes) : schemes_(&schemes) {}

  std::string name() const override { return "composition"; }
  std::string description() const override {
    return "order 4, 6 or 8 from any scheme that is symmetric or has a known adjoint, by pairs of substeps";
  }
  std::string source() const override {
    return "Suzuki, Phys. Lett. A 146 (1990); Yoshida, Phys. Lett. A 150 (1990); Kahan, Li, Math. Comp. 66 (1997); "
           "paired half steps for schemes whose multipliers carry the parasitic root -1";
  }
  OptionSpecs options() const override {
    return {
        OptionSpec::scheme("inner", "energy-momentum", "the scheme of the substeps, symmetric or with a known adjoint"),
        OptionSpec::choice("order", {"4", "6", "8", "2"},
                           "order of the composition; 2 is the inner scheme and its adjoint"),
        OptionSpec::choice("kind", {"suzuki", "yoshida", "optimal"},
                           "suzuki: 5 substeps an order, small errors; yoshida: 3 (from order 2 to 6 seven, to 8 "
                           "fifteen); optimal: from order 2 to 6 nine, to 8 seventeen, with smaller errors"),
        OptionSpec::choice("paired", {"yes", "no"},
                           "every substep as two equal halves: needed for the order of p unless the inner scheme "
                           "keeps the hidden constraints")};
  }
  Promises promises() const override {
    Promises p;
    p.order = 8;
    p.energy = p.position = p.hidden = p.momentum = p.symmetric = p.symplectic = true;
    return p;
  }
  Binding bind(const Model& model, const Options& options) const override {
    const std::string& inner_name = options.scheme("inner");
    const Scheme& inner = schemes_->scheme(inner_name);
    Binding binding = inner.bind(
        model, Options("scheme " + inner_name + " in scheme composition", inner.options(), options.nested("inner")));
    const Promises& each = binding.promises;
    const bool with_adjoint = !each.symmetric && !inner.adjoint().empty();
    if (!each.symmetric && !with_adjoint)
      throw Error(ErrorCode::refused,
                  "scheme composition does not take inner=" + inner_name + ": it is not symmetric for system \"" +
                      model.name() +
                      "\" with these options and has no known adjoint, and only symmetric maps are raised in order");
    int order = 2;
    for (const int offered : {4, 6, 8})
      if (options.is("order", std::to_string(offered))) order = offered;
    // Of q and p together: where only p is of order 2 (hbvm), the substeps must cancel its error as well. A method of
    // order one and its adjoint are together of order 2.
    const int own = with_adjoint              ? each.order + 1
                    : each.momentum_order > 0 ? std::min(each.order, each.momentum_order)
                                              : each.order;
    if (own % 2 != 0 || own > order || (own == order && !with_adjoint))
      throw Error(ErrorCode::refused, "scheme composition does not take inner=" + inner_name +
                                          " with order=" + std::to_string(order) + ": its own order is " +
                                          std::to_string(own) + ", expected an even one below that");

    const bool paired = with_adjoint || options.is("paired", "yes");
    std::vector<Substep> substeps;
    const auto kind = options.is("kind", "suzuki")    ? kernels::CompositionKind::suzuki
                      : options.is("kind", "yoshida") ? kernels::CompositionKind::yoshida
                                                      : kernels::CompositionKind::optimal;
    for (const double c : kernels::composition_coefficients(kind, own, order)) {
      if (paired) substeps.push_back({c / 2, false});
      substeps.push_back({paired ? c / 2 : c, with_adjoint});
    }
    std::unique_ptr<StepEquations> adjoint;
    if (with_adjoint) {
      const Scheme& other = schemes_->scheme(inner.adjoint());
      adjoint = other
                    .bind(model, Options("scheme " + other.name() + " in scheme composition", other.options(),
                                         options.nested("inner")))
                    .equations;
    }
    Promises promised;
    const bool raised = paired || each.hidden || model.m() == 0;
    promised.order = raised ? order : each.order;
    if (!raised) promised.momentum_order = each.momentum_order;
    promised.constrained_limit = each.constrained_limit;
    promised.energy = each.energy;
    promised.position = each.position;
    promised.hidden = each.hidden;
    promised.momentum = each.momentum;
    promised.symmetric = true;
    promised.symplectic = each.symplectic;
    binding.promises = promised;
    std::unique_ptr<kernels::StateMultipliers> multipliers;
    if (promised.constrained_limit) multipliers = std::make_unique<kernels::StateMultipliers>(model);
    binding.equations = std::make_unique<ComposedStep>(std::move(binding.equations), std::move(adjoint),
                                                       std::move(substeps), std::move(multipliers));
    return binding;
  }

  const SchemeTable* schemes_;
};

}  // namespace

GNOMON_PLUGIN(composition) {
  registrar.add(std::make_unique<Composition>(registrar.schemes()));
}
