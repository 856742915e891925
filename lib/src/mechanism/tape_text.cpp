#include "mechanism/tape_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gnomon/base/numbers.hpp"

namespace gnomon::mechanism {

std::string toml_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

namespace {

// Precedences: what is below that of its place gets brackets.
constexpr int sum_level = 1, product_level = 2, sign_level = 3, power_level = 4, whole_level = 5;

const char* name_of(Operation operation) {
  switch (operation) {
#define GNOMON_NAME(f) \
  case Operation::f:   \
    return #f;
    GNOMON_NAME(atan2)
    GNOMON_NAME(winding)
    GNOMON_NAME(hypot)
    GNOMON_ELEMENTARY_FUNCTIONS(GNOMON_NAME)
#undef GNOMON_NAME
    default:
      return "";
  }
}

bool has_two_arguments(Operation operation) {
  switch (operation) {
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply:
    case Operation::divide:
    case Operation::power:
    case Operation::atan2:
    case Operation::winding:
    case Operation::hypot:
    case Operation::select:
      return true;
    default:
      return false;
  }
}

std::string bracketed(std::string text, int own, int precedence) {
  return own < precedence ? "(" + text + ")" : text;
}

}  // namespace

TapeText::TapeText(const Tape& tape, std::vector<std::string> inputs, const std::string& prefix,
                   std::vector<std::pair<std::string, std::string>>& definitions)
    : tape_(tape), names_(std::move(inputs)) {
  const auto nodes = static_cast<std::size_t>(tape.nodes()), first = static_cast<std::size_t>(tape.first_step());
  names_.resize(nodes);
  std::vector<int> uses(nodes, 0);
  std::size_t selects = 0;
  for (const Tape::Step& step : tape.steps) {
    switch_of_.push_back(selects);
    if (step.operation == Operation::select) ++uses[static_cast<std::size_t>(tape.switches[selects++].node)];
    ++uses[static_cast<std::size_t>(step.a)];
    if (has_two_arguments(step.operation) && step.b != step.a) ++uses[static_cast<std::size_t>(step.b)];
  }
  for (const Tape::Node output : tape.outputs) ++uses[static_cast<std::size_t>(output)];
  constexpr int deepest = 100;  // of a formula, for who reads it
  std::vector<int> depth(nodes, 0);
  for (std::size_t k = first; k < nodes; ++k) {
    const Tape::Step& step = tape.steps[k - first];
    depth[k] = 1 + std::max(depth[static_cast<std::size_t>(step.a)], depth[static_cast<std::size_t>(step.b)]);
    if (uses[k] < 2 && depth[k] < deepest) continue;
    depth[k] = 0;
    std::string formula = operation(step, 0);
    const auto same = std::find_if(definitions.begin(), definitions.end(),
                                   [&](const auto& known) { return known.second == formula; });
    if (same != definitions.end()) {
      names_[k] = same->first;
      continue;
    }
    names_[k] = prefix + std::to_string(definitions.size() + 1);
    definitions.emplace_back(names_[k], std::move(formula));
  }
}

bool TapeText::vanishes(std::size_t i) const {
  const Index place = tape_.outputs[i] - tape_.first_constant();
  return place >= 0 && place < static_cast<Index>(tape_.constants.size()) &&
         tape_.constants[static_cast<std::size_t>(place)] == 0;
}

std::string TapeText::text(Tape::Node node, int precedence) const {
  const auto k = static_cast<std::size_t>(node);
  if (!names_[k].empty()) return names_[k];
  const Index constant = node - tape_.first_constant(), step = node - tape_.first_step();
  if (step >= 0) return operation(tape_.steps[static_cast<std::size_t>(step)], precedence);
  const auto value = static_cast<double>(tape_.constants[static_cast<std::size_t>(constant)]);
  return bracketed(shortest_text(value), std::signbit(value) ? sign_level : whole_level, precedence);
}

std::string TapeText::operation(const Tape::Step& step, int precedence) const {
  switch (step.operation) {
    case Operation::add: {
      // a + -b*c is a - b*c, to the last bit.
      const std::string right = text(step.b, product_level);
      const bool negative = right[0] == '-';
      return bracketed(text(step.a, sum_level) + (negative ? " - " + right.substr(1) : " + " + right), sum_level,
                       precedence);
    }
    case Operation::subtract:
      return bracketed(text(step.a, sum_level) + " - " + text(step.b, product_level), sum_level, precedence);
    case Operation::multiply:
      if (step.a == step.b) return bracketed(text(step.a, whole_level) + "^2", power_level, precedence);
      return bracketed(text(step.a, product_level) + "*" + text(step.b, sign_level), product_level, precedence);
    case Operation::divide:
      return bracketed(text(step.a, product_level) + "/" + text(step.b, sign_level), product_level, precedence);
    case Operation::negate:
      return bracketed("-" + text(step.a, power_level), sign_level, precedence);
    case Operation::power:
      return bracketed(text(step.a, whole_level) + "^" + text(step.b, whole_level), power_level, precedence);
    case Operation::select: {
      using Takes = Tape::Switch::Takes;
      const Tape::Switch& one = switch_of(step);
      const char* comparison = one.takes == Takes::positive ? " > 0, "
                               : one.takes == Takes::zero   ? " == 0, "
                                                            : " >= 0, ";
      return "if(" + text(one.node, 0) + comparison + text(step.a, 0) + ", " + text(step.b, 0) + ")";
    }
    default:
      break;
  }
  std::string call = name_of(step.operation) + ("(" + text(step.a, 0));
  if (has_two_arguments(step.operation)) call += ", " + text(step.b, 0);
  return call + ")";
}

}  // namespace gnomon::mechanism
