#include "formula/one_factor.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace gnomon {

namespace {

using Node = Tape::Node;

/// Sums that are deeper than this are not followed.
constexpr int deepest = 2000;

class Factors {
 public:
  explicit Factors(const Tape& tape) : tape_(tape), first_(tape.first_step()), has_(tape.nodes(), false) {
    std::vector<int> depth(has_.size(), 0);
    for (std::size_t k = 0; k < tape.steps.size(); ++k) {
      const Tape::Step& step = tape.steps[k];
      const std::size_t node = static_cast<std::size_t>(first_) + k, a = at(step.a), b = at(step.b);
      depth[node] = 1 + std::max(depth[a], depth[b]);
      depth_ = std::max(depth_, depth[node]);
      if (const auto scaled = scaled_by_constant(step)) {
        const bool rounds = !is_power_of_two(scaled->second);
        nested_ = nested_ || (rounds && has_[at(scaled->first)]);
        has_[node] = rounds || has_[at(scaled->first)];
      } else if (is_sum(step.operation)) {
        has_[node] = has_[a] || has_[b];
      }
    }
  }

  bool lost() const { return lost_; }
  bool worth_while() const { return nested_ && depth_ <= deepest && tape_.angles.empty() && tape_.switches.empty(); }

  Tape gathered() {
    Tape out = tape_;
    std::vector<Part> outputs;
    for (const Node node : tape_.outputs) outputs.push_back(part(node, 1));
    out.constants = constants_;
    out.steps.clear();
    const auto place = [&](const Part& one) {
      return static_cast<Node>(one.kind == Kind::input      ? one.place
                               : one.kind == Kind::constant ? tape_.first_constant() + one.place
                                                            : out.first_step() + one.place);
    };
    for (const auto& [operation, a, b] : steps_) out.steps.push_back({operation, place(a), place(b)});
    for (std::size_t i = 0; i < outputs.size(); ++i) out.outputs[i] = place(outputs[i]);
    return out;
  }

 private:
  enum class Kind { input, constant, step };
  struct Part {
    Kind kind;
    Index place;
  };
  struct NewStep {
    Operation operation;
    Part a, b;
  };

  /// Products with it are exact, and models in other units have them in many places.
  static bool is_power_of_two(long double c) {
    int exponent = 0;
    return std::abs(std::frexp(c, &exponent)) == 0.5L;
  }
  static std::size_t at(Node node) { return static_cast<std::size_t>(node); }
  static bool is_sum(Operation operation) {
    return operation == Operation::add || operation == Operation::subtract || operation == Operation::negate;
  }
  bool is_constant(Node node) const { return node >= tape_.first_constant() && node < first_; }
  long double value(Node node) const {
    return tape_.constants[at(node) - at(static_cast<Node>(tape_.first_constant()))];
  }
  /// y and c of a step that is c y.
  std::optional<std::pair<Node, long double>> scaled_by_constant(const Tape::Step& step) const {
    if (step.operation == Operation::multiply && is_constant(step.a)) return std::pair{step.b, value(step.a)};
    if (step.operation == Operation::multiply && is_constant(step.b)) return std::pair{step.a, value(step.b)};
    if (step.operation == Operation::divide && is_constant(step.b)) return std::pair{step.a, 1 / value(step.b)};
    return std::nullopt;
  }

  Part constant(long double c) {
    const auto [known, fresh] = constant_places_.try_emplace(c, static_cast<Index>(constants_.size()));
    if (fresh) constants_.push_back(c);
    return {Kind::constant, known->second};
  }
  Part put(Operation operation, Part a, Part b) {
    steps_.push_back({operation, a, b});
    return {Kind::step, static_cast<Index>(steps_.size()) - 1};
  }

  double product(double c, long double by) {
    const auto factor = static_cast<double>(c * by);
    lost_ = lost_ || (by != 0 && !std::isnormal(factor));
    return factor;
  }

  /// c times the node.
  Part part(Node node, double c) {
    if (node < tape_.first_constant()) return times(c, {Kind::input, node});
    if (is_constant(node)) return constant(c == 1 ? value(node) : product(c, value(node)));
    const auto key = std::pair{node, c};
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const Tape::Step step = tape_.steps[at(node) - at(static_cast<Node>(first_))];
    Part out{};
    if (const auto scaled = scaled_by_constant(step)) {
      out = part(scaled->first, product(c, scaled->second));
    } else if (is_sum(step.operation) && (c == 1 || has_[at(node)])) {
      const Part a = part(step.a, c);
      out = put(step.operation, a, step.operation == Operation::negate ? a : part(step.b, c));
    } else if (c == 1) {
      const Part a = part(step.a, 1);
      out = put(step.operation, a, step.b == step.a ? a : part(step.b, 1));
    } else {
      out = times(c, part(node, 1));
    }
    known_.emplace(key, out);
    return out;
  }
  Part times(double c, Part one) { return c == 1 ? one : put(Operation::multiply, constant(c), one); }

  const Tape& tape_;
  Index first_;
  std::vector<bool> has_;  // a constant factor, of the node or of a term of it
  int depth_ = 0;
  bool nested_ = false;
  bool lost_ = false;  // a factor is out of the range of numbers
  std::vector<long double> constants_;
  std::map<long double, Index> constant_places_;
  std::vector<NewStep> steps_;
  std::map<std::pair<Node, double>, Part> known_;
};

}  // namespace

Tape with_one_factor(const Tape& tape) {
  Factors factors(tape);
  if (!factors.worth_while()) return tape;
  Tape gathered = factors.gathered();
  return !factors.lost() && gathered.steps.size() <= 2 * tape.steps.size() ? gathered : tape;
}

}  // namespace gnomon
