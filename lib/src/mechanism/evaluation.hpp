#pragma once
/// \file
/// Evaluation: the value of a formula at any scalar.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "gnomon/formula/recorded.hpp"
#include "gnomon/formula/winding.hpp"
#include "mechanism/formula.hpp"
#include "mechanism/rates.hpp"

namespace gnomon::mechanism {

/// Entries of one name: one, or those of an array over ranges of indices, the last index running fastest.
struct Family {
  struct Range {
    Index first = 0, count = 0;
  };
  Index offset = 0;
  std::vector<Range> ranges;
  Index size() const;
};

struct Definition {
  Target target;
  Formula formula;
  std::vector<std::size_t> before;  ///< definitions without indices that are evaluated before it, not by deep recursion
};

/// What the names of formulas stand for.
struct Values {
  std::vector<double> parameters;
  std::vector<Family> coordinates, constraints;
  const std::vector<Definition>* definitions = nullptr;
  std::vector<Family> definition_entries;  ///< one a definition
  Index n_definition_entries = 0;
};

/// Throws Error(bad_value) for an index outside its range, with the place of `node` in the formula.
Index entry_of(const Family& family, const std::array<Index, 4>& indices, const Formula& formula,
               const Formula::Node& node);
/// Throws Error(bad_value) for what is no whole number, with the place of `node`.
Index whole_number(double value, const Formula& formula, const Formula::Node& node);

constexpr double most_terms = 1e6;  ///< of a sum, with those of the sums in it
/// Throws Error(bad_value) for a sum of more terms.
[[noreturn]] void refuse_sum(const Formula& formula, const Formula::Node& node, double terms);

/// What formulas depend on; null where they do not.
template <class S>
struct Arguments {
  const S *t = nullptr, *q = nullptr, *v = nullptr, *lambda = nullptr;
};

/// The values that definitions have during one call of a function of the model: each is evaluated once, on demand. The
/// memory is the thread's, and grows at the first call only.
template <class S>
class DefinitionValues {
 public:
  explicit DefinitionValues(const Values& values) : memory_(memory()) {
    const auto count = static_cast<std::size_t>(values.n_definition_entries);
    if (memory_.entries.size() < count) memory_.entries.resize(count);
    call_ = ++memory_.calls;
  }
  const S* find(Index entry) const {
    const Entry& found = memory_.entries[static_cast<std::size_t>(entry)];
    return found.call == call_ ? &found.value : nullptr;
  }
  void keep(Index entry, const S& value) { memory_.entries[static_cast<std::size_t>(entry)] = {value, call_}; }

  /// The arguments at t + e, q + v e, and the values of definitions there.
  struct Rates {
    Rates(const Values& values, const Arguments<S>& at) : definitions(values) {
      if (at.t != nullptr) {
        time() = WithRate<S>(*at.t);
        time().grad[0] = S(1.0);
        arguments.t = &time();
      }
      if (at.q == nullptr || at.v == nullptr) return;
      const Family& last = values.coordinates.back();
      const auto n = static_cast<std::size_t>(last.offset + last.size());
      if (positions().size() < n) positions().resize(n);
      for (std::size_t j = 0; j < n; ++j) {
        positions()[j] = WithRate<S>(at.q[j]);
        positions()[j].grad[0] = at.v[j];
      }
      arguments.q = positions().data();
    }
    DefinitionValues<WithRate<S>> definitions;
    Arguments<WithRate<S>> arguments;

   private:
    static WithRate<S>& time() {
      thread_local WithRate<S> of_thread;
      return of_thread;
    }
    static std::vector<WithRate<S>>& positions() {
      thread_local std::vector<WithRate<S>> of_thread;
      return of_thread;
    }
  };
  Rates& rates(const Values& values, const Arguments<S>& at) {
    if (!rates_) rates_.emplace(values, at);
    return *rates_;
  }

 private:
  struct Entry {
    S value{};
    std::uint64_t call = 0;
  };
  struct Memory {
    std::vector<Entry> entries;
    std::uint64_t calls = 0;
  };
  static Memory& memory() {
    thread_local Memory of_thread;
    return of_thread;
  }
  struct None {};
  Memory& memory_;
  std::uint64_t call_;
  std::optional<std::conditional_t<takes_rates<S>, Rates, None>> rates_;
};

/// a^n by multiplications.
template <class S>
S whole_power(const S& a, int n) {
  S result = a;
  bool begun = false;
  S square = a;
  for (int rest = n; rest > 0; rest /= 2) {
    if (rest % 2 == 1) {
      result = begun ? S(result * square) : square;
      begun = true;
    }
    if (rest > 1) square = S(square * square);
  }
  return result;
}

template <class S>
class Evaluation {
 public:
  using NodeIndex = Formula::NodeIndex;
  using Slots = std::array<Index, Formula::max_slots>;

  /// \param definitions may be left out where the formula uses none
  Evaluation(const Values& values, const Arguments<S>& arguments, const Slots& slots = {},
             DefinitionValues<S>* definitions = nullptr)
      : values_(values), arguments_(arguments), slots_(slots), definitions_(definitions) {}

  S operator()(const Formula& formula) { return node(formula, formula.root()); }
  S node(const Formula& formula, NodeIndex k);

 private:
  template <class>
  friend class Evaluation;
  static constexpr int largest_multiplied_power = 16;

  /// An evaluation of the parts of a formula that are made of numbers, parameters and loop variables.
  Evaluation<double> of_constants() const {
    Evaluation<double> result(values_, {}, slots_);
    result.terms_ = terms_;
    return result;
  }

  S argument(const Formula& formula, const Formula::Node& node, std::size_t k) {
    return this->node(formula, node.arguments[k]);
  }
  Index whole(const Formula& formula, const Formula::Node& node, std::size_t k) {
    const double value = of_constants().node(formula, node.arguments[k]);
    return whole_number(value, formula, formula.at(node.arguments[k]));
  }
  Index entry(const Formula& formula, const Formula::Node& node, const Family& family) {
    std::array<Index, 4> indices{};
    for (std::size_t k = 0; k < node.count(); ++k) indices[k] = whole(formula, node, k);
    return entry_of(family, indices, formula, node);
  }
  S power(const Formula& formula, const Formula::Node& node);
  S function(const Formula& formula, const Formula::Node& node);
  S definition(const Formula& formula, const Formula::Node& node);
  S rate(const Formula& formula, const Formula::Node& node);
  S kept(std::size_t id, Index at);
  bool compare(int comparison, const S& a, const S& b) const;
  using Takes = Tape::Switch::Takes;
  S recorded_angle(const Formula& formula, const Formula::Node& node, const S& y, const S& x);
  S recorded_choice(const Formula& formula, const Formula::Node& node);
  /// The switch by which a function takes one of two values.
  S recorded_switch(const Formula& formula, const Formula::Node& node, Takes takes, const S& at, const S& first,
                    const S& second) {
    return select(takes, at, first, second, switch_name(formula, node));
  }

  const Values& values_;
  Arguments<S> arguments_;
  Slots slots_;
  DefinitionValues<S>* definitions_;
  double terms_ = 1;  ///< of the sums around the place that is evaluated
};

template <class S>
S Evaluation<S>::node(const Formula& formula, NodeIndex k) {
  using Kind = Formula::Kind;
  const Formula::Node& n = formula.at(k);
  if constexpr (!std::is_same_v<S, double>)
    if (n.constant) return S(of_constants().node(formula, k));
  const auto id = static_cast<std::size_t>(n.id);
  switch (n.kind) {
    case Kind::number:
      return S(n.value);
    case Kind::parameter:
      return S(values_.parameters[id]);
    case Kind::index:
      return S(static_cast<double>(slots_[id]));
    case Kind::time:
      return *arguments_.t;
    case Kind::position:
      return arguments_.q[entry(formula, n, values_.coordinates[id])];
    case Kind::velocity:
      return arguments_.v[entry(formula, n, values_.coordinates[id])];
    case Kind::multiplier:
      return arguments_.lambda[entry(formula, n, values_.constraints[id])];
    case Kind::definition:
      return definition(formula, n);
    case Kind::rate:
      if constexpr (takes_rates<S>) return rate(formula, n);
      return S(0.0);  // never: potentials of invariants have no definitions, and der(..) of der(..) is refused
    case Kind::negate:
      return S(-argument(formula, n, 0));
    case Kind::add:
      return S(argument(formula, n, 0) + argument(formula, n, 1));
    case Kind::subtract:
      return S(argument(formula, n, 0) - argument(formula, n, 1));
    case Kind::multiply:
      return S(argument(formula, n, 0) * argument(formula, n, 1));
    case Kind::divide:
      return S(argument(formula, n, 0) / argument(formula, n, 1));
    case Kind::power:
      return power(formula, n);
    case Kind::function:
      return function(formula, n);
    case Kind::choose:
      if constexpr (is_recorded<S>) return recorded_choice(formula, n);
      return compare(n.id, argument(formula, n, 0), argument(formula, n, 1)) ? argument(formula, n, 2)
                                                                             : argument(formula, n, 3);
    case Kind::sum: {
      const Index first = whole(formula, n, 0), last = whole(formula, n, 1);
      const double before = terms_;
      terms_ *= static_cast<double>(std::max<Index>(0, last - first + 1));
      if (terms_ > most_terms) refuse_sum(formula, n, terms_);
      S total(0.0);
      for (slots_[id] = first; slots_[id] <= last; ++slots_[id]) total = S(total + argument(formula, n, 2));
      terms_ = before;
      return total;
    }
  }
  return S(0.0);
}

template <class S>
S Evaluation<S>::power(const Formula& formula, const Formula::Node& n) {
  using std::pow;
  const S base = argument(formula, n, 0);
  if (!formula.at(n.arguments[1]).constant) return S(pow(base, argument(formula, n, 1)));
  const double exponent = of_constants().node(formula, n.arguments[1]);
  if (exponent == 0) return S(1.0);
  if (exponent == std::floor(exponent) && std::abs(exponent) <= largest_multiplied_power) {
    const S product = whole_power(base, static_cast<int>(std::abs(exponent)));
    return exponent > 0 ? product : S(S(1.0) / product);
  }
  return mechanism::power(base, exponent);
}

template <class S>
S Evaluation<S>::function(const Formula& formula, const Formula::Node& n) {
  using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cbrt, std::cos, std::cosh, std::erf, std::exp,
      std::expm1, std::hypot, std::log, std::log1p, std::max, std::min, std::pow, std::sin, std::sinh, std::sqrt,
      std::tan, std::tanh;
  const S a = argument(formula, n, 0);
  if constexpr (is_recorded<S>) {
    const auto which = static_cast<FormulaFunction>(n.id);
    if (which == FormulaFunction::atan2) return recorded_angle(formula, n, a, argument(formula, n, 1));
    if (which == FormulaFunction::abs) return recorded_switch(formula, n, Takes::not_negative, a, a, -a);
    if (which == FormulaFunction::min || which == FormulaFunction::max) {
      const S b = argument(formula, n, 1);
      return recorded_switch(formula, n, Takes::positive, which == FormulaFunction::min ? a - b : b - a, b, a);
    }
  }
  switch (static_cast<FormulaFunction>(n.id)) {
#define GNOMON_FUNCTION(f) \
  case FormulaFunction::f: \
    return S(f(a));
#define GNOMON_FUNCTION_OF_TWO(f) \
  case FormulaFunction::f:        \
    return S(f(a, argument(formula, n, 1)));
    GNOMON_ELEMENTARY_FUNCTIONS(GNOMON_FUNCTION)
    GNOMON_FUNCTION(abs)
    GNOMON_FUNCTION_OF_TWO(atan2)
    GNOMON_FUNCTION_OF_TWO(hypot)
    GNOMON_FUNCTION_OF_TWO(pow)
    GNOMON_FUNCTION_OF_TWO(min)
    GNOMON_FUNCTION_OF_TWO(max)
    case FormulaFunction::winding:
      return S(counted_angle(a, argument(formula, n, 1), static_cast<std::size_t>(n.value) - 1));
#undef GNOMON_FUNCTION
#undef GNOMON_FUNCTION_OF_TWO
  }
  return S(0.0);
}

/// atan2, whose cut is a switch: on each side of it the angle goes on beyond it.
template <class S>
S Evaluation<S>::recorded_angle(const Formula& formula, const Formula::Node& n, const S& y, const S& x) {
  if (is_constant(x) && (is_constant(y) || value_on_tape(x).value() > 0)) return atan2(y, x);
  const S quarter(static_cast<double>(quarter_turn));
  const S above = quarter + atan2(S(-x), y), below = atan2(x, S(-y)) - quarter;
  const S left = recorded_switch(formula, n, Takes::not_negative, y, above, below);
  return is_constant(x) ? left : recorded_switch(formula, n, Takes::positive, x, atan2(y, x), left);
}

/// Both values where the comparison depends on more than constants; only the one that is taken where it does not.
template <class S>
S Evaluation<S>::recorded_choice(const Formula& formula, const Formula::Node& n) {
  const S a = argument(formula, n, 0), b = argument(formula, n, 1);
  if (is_constant(a) && is_constant(b)) return argument(formula, n, compare(n.id, a, b) ? 2 : 3);
  // In the order of comparison_names(): < > <= >= == !=.
  const bool greater = n.id == 1 || n.id == 3, zero = n.id >= 4, swapped = n.id == 5;
  const Takes takes = zero ? Takes::zero : n.id >= 2 ? Takes::not_negative : Takes::positive;
  const S yes = argument(formula, n, 2), no = argument(formula, n, 3);
  return recorded_switch(formula, n, takes, greater ? a - b : b - a, swapped ? no : yes, swapped ? yes : no);
}

/// The formula of the definition, with its indices as its loop variables.
template <class S>
S Evaluation<S>::definition(const Formula& formula, const Formula::Node& n) {
  const auto id = static_cast<std::size_t>(n.id);
  const Index at = entry(formula, n, values_.definition_entries[id]);
  if (const S* known = definitions_->find(at)) return *known;
  Evaluation inner(values_, arguments_, {}, definitions_);
  inner.terms_ = terms_;
  for (std::size_t k = 0; k < n.count(); ++k) inner.slots_[k] = whole(formula, n, k);
  return inner.kept(id, at);
}

/// d' of the definition d.
template <class S>
S Evaluation<S>::rate(const Formula& formula, const Formula::Node& n) {
  auto& along = definitions_->rates(values_, arguments_);
  Evaluation<WithRate<S>> inner(values_, along.arguments, slots_, &along.definitions);
  inner.terms_ = terms_;
  return inner.definition(formula, n).grad[0];
}

/// The value of an entry of a definition, whose indices are in the slots.
template <class S>
S Evaluation<S>::kept(std::size_t id, Index at) {
  const Definition& definition = (*values_.definitions)[id];
  for (const std::size_t other : definition.before) {
    const Index one = values_.definition_entries[other].offset;
    if (!definitions_->find(one)) Evaluation(values_, arguments_, {}, definitions_).kept(other, one);
  }
  const S value = (*this)(definition.formula);
  definitions_->keep(at, value);
  return value;
}

template <class S>
bool Evaluation<S>::compare(int comparison, const S& a, const S& b) const {
  // In the order of comparison_names().
  return comparison == 0   ? a < b
         : comparison == 1 ? a > b
         : comparison == 2 ? a <= b
         : comparison == 3 ? a >= b
         : comparison == 4 ? a == b
                           : a != b;
}

}  // namespace gnomon::mechanism
