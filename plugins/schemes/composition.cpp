/// \file
/// composition: a symmetric scheme Phi_h made more accurate by substeps, some of them backwards.
///
///     Psi_h = Phi_{c_s h} o ... o Phi_{c_1 h},     c_i = c_{s+1-i},   sum c_i = 1,   sum c_i^3 = 0 (order 4), ...
///
///     yoshida   order p to p+2: (a, 1-2a, a), a = 1/(2 - 2^(1/(p+1))); order 2 to 6 in seven substeps
///     suzuki    order p to p+2: (a, a, 1-4a, a, a), a = 1/(4 - 4^(1/(p+1))), with smaller substeps and errors
///
/// Sources: Suzuki, Phys. Lett. A 146 (1990); Yoshida, Phys. Lett. A 150 (1990), solution A; Hairer, Lubich, Wanner,
/// Geometric Numerical Integration, II.4 and V.3.2.
///
/// paired=yes replaces Phi_{c h} by Phi_{c h/2} o Phi_{c h/2}. A multiplier scheme that enforces g(q1) = 0 but not the
/// hidden constraint has the parasitic root -1 in d = G M^-1 p: every step turns d round and adds A lambda' h^2/6,
/// A = G M^-1 G^T. Substeps of different sizes then add up to O(h^2) in p, whatever their coefficients. Two equal
/// halves give d back as it was, to the third order, and are again a symmetric one-step map of order two: over pairs
/// the composition reaches its order in q and p. Schemes that solve the hidden constraint (rattle) do not need it.
///
/// lambda is the index-1 multiplier of the state that was reached, of the same order as q and p; a substep's own would
/// belong to the middle of that substep. (Over penalties, and where the model has a force, a variable mass or depends
/// on time, or G has lost rank, it is the last substep's.)
///
/// What every substep keeps is kept: energy, both constraint levels, momentum maps, the symplectic form.

#include <algorithm>
#include <cmath>
#include <optional>

#include "gnomon/error.hpp"
#include "gnomon/plugin.hpp"
#include "kernels/index1_multipliers.hpp"

namespace {

using namespace gnomon;

using Coefficients = std::vector<double>;

/// Every substep of `outer` replaced by the substeps of `inner`.
Coefficients refined(const Coefficients& outer, const Coefficients& inner) {
  Coefficients product;
  for (const double a : outer)
    for (const double b : inner) product.push_back(a * b);
  return product;
}

/// Symmetric coefficients that raise a symmetric map from one even order to another.
Coefficients coefficients(bool suzuki, int from, int to) {
  if (!suzuki && from == 2 && to == 6) {
    // Yoshida (1990), table 1, solution A, with the middle one from sum c_i = 1.
    const double c1 = .784513610477557263819497633866, c2 = .235573213359358133684793182979,
                 c3 = -1.17767998417887100694641568096;
    return {c1, c2, c3, 1 - 2 * (c1 + c2 + c3), c3, c2, c1};
  }
  Coefficients c{1};
  for (int order = from; order < to; order += 2) {
    const double copies = suzuki ? 4 : 2, a = 1 / (copies - std::pow(copies, 1. / (order + 1))), rest = 1 - copies * a;
    c = refined(suzuki ? Coefficients{a, a, rest, a, a} : Coefficients{a, rest, a}, c);
  }
  return c;
}

/// The systems are those of the inner scheme, visited once a substep; the states between are kept here.
class ComposedStep final : public StepEquations {
 public:
  ComposedStep(const System& system, bool constrained, std::unique_ptr<StepEquations> inner, Coefficients substeps)
      : inner_(std::move(inner)), substeps_(std::move(substeps)) {
    const SystemTraits& traits = system.traits();
    if (constrained && traits.m > 0 && traits.constant_mass && !traits.has_force && !traits.time_dependent)
      multipliers_.emplace(system);
  }

  Index n_systems() const override { return inner_->n_systems(); }
  NonlinearEquations& system(Index k) override { return inner_->system(k); }
  Index n_solves() const override { return static_cast<Index>(substeps_.size()) * inner_->n_solves(); }
  Index system_of(Index solve) const override { return inner_->system_of(solve % inner_->n_solves()); }

  void prepare(State& z) const override { inner_->prepare(z); }
  void begin(const State& z0, double h) override {
    h_ = h;
    between_ = z0;
    inner_->begin(between_, substeps_.front() * h_);
  }
  const char* failure() const override { return inner_->failure(); }
  const char* diagnosis(Index solve) const override { return inner_->diagnosis(solve % inner_->n_solves()); }
  void predict(Index solve, VectorRef x) override { inner_->predict(solve % inner_->n_solves(), x); }
  Next accept(Index solve, const ConstVectorRef& x) override {
    const Index solves = inner_->n_solves(), substep = solve / solves;
    const Next then = inner_->accept(solve % solves, x);
    if (then != Next::advance || solve % solves + 1 < solves || solve + 1 == n_solves()) return then;
    after_ = between_;
    inner_->finish(after_);
    std::swap(between_, after_);
    inner_->begin(between_, substeps_[static_cast<std::size_t>(substep) + 1] * h_);
    return then;
  }
  void finish(State& next) override {
    // The sum of the substeps is h up to rounding: time is advanced once, by h itself. last_h stays the last substep's,
    // which the history of the inner scheme belongs to.
    State time;
    time.t = next.t;
    time.t_tail = next.t_tail;
    time.advance_time(h_);
    next = between_;
    inner_->finish(next);
    next.t = time.t;
    next.t_tail = time.t_tail;
    if (multipliers_) multipliers_->solve(next.t, next.q.value(), next.p.value(), next.lambda);
  }
  long double added_energy(const State& z) override { return inner_->added_energy(z); }

 private:
  std::unique_ptr<StepEquations> inner_;
  Coefficients substeps_;
  std::optional<kernels::Index1Multipliers> multipliers_;
  double h_ = 0;
  State between_, after_;
};

class Composition final : public Scheme {
 public:
  explicit Composition(const SchemeTable& schemes) : schemes_(&schemes) {}

  std::string name() const override { return "composition"; }
  std::string description() const override {
    return "order 4 or 6 from any symmetric scheme, by substeps in pairs of equal halves";
  }
  std::string source() const override {
    return "Suzuki, Phys. Lett. A 146 (1990); Yoshida, Phys. Lett. A 150 (1990); paired half steps for schemes whose "
           "multipliers carry the parasitic root -1";
  }
  OptionSpecs options() const override {
    return {OptionSpec::scheme("inner", "energy-momentum", "the scheme of the substeps, symmetric"),
            OptionSpec::choice("order", {"4", "6"}, "order of the composition"),
            OptionSpec::choice("kind", {"suzuki", "yoshida"},
                               "suzuki: 5 substeps an order, small errors; yoshida: 3 (or 7 from order 2 to 6)"),
            OptionSpec::choice("paired", {"yes", "no"},
                               "every substep as two equal halves: needed for the order of p unless the inner scheme "
                               "keeps the hidden constraints")};
  }
  Promises promises() const override {
    Promises p;
    p.order = 6;
    p.energy = p.position = p.hidden = p.momentum = p.symmetric = p.symplectic = true;
    return p;
  }
  Binding bind(const System& system, const Options& options) const override {
    const std::string& inner_name = options.scheme("inner");
    const Scheme& inner = schemes_->scheme(inner_name);
    Binding binding = inner.bind(
        system, Options("scheme " + inner_name + " in scheme composition", inner.options(), options.nested("inner")));
    const Promises& each = binding.promises;
    if (!each.symmetric)
      throw Error(ErrorCode::refused, "scheme composition does not take inner=" + inner_name +
                                          ": it is not symmetric for system \"" + system.traits().name +
                                          "\" with these options, and only symmetric substeps raise the order");
    const int order = options.is("order", "4") ? 4 : 6;
    // Of q and p together: where only p is of order 2 (hbvm), the substeps must cancel its error as well.
    const int own = each.momentum_order > 0 ? std::min(each.order, each.momentum_order) : each.order;
    if (own % 2 != 0 || own >= order)
      throw Error(ErrorCode::refused, "scheme composition does not take inner=" + inner_name +
                                          " with order=" + std::to_string(order) + ": its own order is " +
                                          std::to_string(own) + ", expected an even one below that");

    Coefficients substeps = coefficients(options.is("kind", "suzuki"), own, order);
    const bool paired = options.is("paired", "yes");
    if (paired) substeps = refined(substeps, {.5, .5});
    Promises promised;
    const bool raised = paired || each.hidden || system.m() == 0;
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
    binding.equations = std::make_unique<ComposedStep>(system, each.constrained_limit, std::move(binding.equations),
                                                       std::move(substeps));
    return binding;
  }

 private:
  const SchemeTable* schemes_;
};

}  // namespace

GNOMON_PLUGIN(composition) {
  registrar.add(std::make_unique<Composition>(registrar.schemes()));
}
