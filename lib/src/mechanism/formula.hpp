#pragma once
/// \file
/// Formula: the text of a formula in a model file, parsed into a tree, with the place of every part for error
/// sentences. What its names mean is said by Symbols when it is parsed, and by numbers when it is evaluated.

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "gnomon/base/error.hpp"
#include "gnomon/base/types.hpp"
#include "gnomon/formula/tape.hpp"
#include "gnomon/model/problem.hpp"
#include "mechanism/cubic_spline.hpp"

namespace gnomon::mechanism {

/// A place in a file; line and column count from one, line 0: in no file.
struct Place {
  std::string file;
  int line = 0, column = 0;
};

/// "file:line:column: "; empty for no place.
std::string to_text(const Place& place);
/// "line 3, column 14"
std::string line_and_column(const Place& place);
/// Error(bad_value) "file:line:column: sentence".
Error error_at(const Place& place, const std::string& sentence);

/// What a formula may depend on besides parameters and numbers, as bits.
enum Argument : unsigned {
  no_argument = 0,
  of_time = 1,
  of_positions = 2,
  of_velocities = 4,
  of_multipliers = 8,
  of_slips = 16
};

struct Formula {
  enum class Kind : std::uint8_t {
    number,      ///< value
    parameter,   ///< parameter `id`
    index,       ///< loop variable in slot `id`
    time,        ///< t
    position,    ///< coordinate family `id`; arguments: its index, if it has one
    velocity,    ///< the same, of der(...)
    multiplier,  ///< of constraint family `id`; arguments: its indices
    definition,  ///< definition `id`; arguments: its indices
    rate,        ///< the same, of der(...): its derivative along the motion
    negate,
    add,
    subtract,
    multiply,
    divide,
    power,
    function,  ///< `id`: a FormulaFunction
    choose,    ///< if(a ? b, c, d); `id`: place of the comparison in comparison_names()
    sum        ///< arguments: first, last, term; the loop variable is in slot `id`
  };
  using NodeIndex = std::int32_t;
  struct Node {
    Kind kind;
    std::int32_t id = 0;
    int column = 0;         ///< in the text, from zero
    int depth = 1;          ///< of the tree below it
    bool constant = false;  ///< of numbers, parameters and loop variables only
    std::array<NodeIndex, 4> arguments{-1, -1, -1, -1};
    double value = 0;           ///< of a winding: the number of its angle, from one
    std::size_t count() const;  ///< of arguments
    bool of_definition() const { return kind == Kind::definition || kind == Kind::rate; }
  };
  static constexpr std::size_t max_slots = 8;  ///< loop variables that can be in use at one place

  std::string text;
  Place place;              ///< of its first character
  std::vector<Node> nodes;  ///< arguments before what uses them; the last one is the formula
  unsigned uses = no_argument;

  NodeIndex root() const { return static_cast<NodeIndex>(nodes.size()) - 1; }
  const Node& at(NodeIndex k) const { return nodes[static_cast<std::size_t>(k)]; }
  /// Its leftmost part; `place` is that of the text that contains it.
  const Node& first() const;
  Place place_of(const Node& node) const { return {place.file, place.line, place.column + node.column}; }
};

#define GNOMON_FUNCTION(f) f,
/// Functions of one argument, then those of two.
enum class FormulaFunction { GNOMON_ELEMENTARY_FUNCTIONS(GNOMON_FUNCTION) abs, atan2, hypot, pow, min, max, winding };
#undef GNOMON_FUNCTION
/// In the order of FormulaFunction.
const std::vector<std::string>& function_names();
/// < > <= >= == !=
const std::vector<std::string>& comparison_names();

/// "if(x < 0, 500*x^2, 0) in FILE:5:22": a function of the formula with its arguments, and where it stands.
std::string switch_name(const Formula& formula, const Formula::Node& node);

/// A loop over whole numbers, first and last included: "for i in 0..n-1".
struct Loop {
  std::string name;
  Formula first, last;
};

/// Names with their numbers, and how many indices each takes.
class NameTable {
 public:
  struct Name {
    std::string name;
    int indices = 0;
  };
  void add(const std::string& name, int indices) {
    numbers_.emplace(name, static_cast<int>(names_.size()));
    names_.push_back({name, indices});
  }
  std::optional<int> find(const std::string& name) const {
    const auto at = numbers_.find(name);
    return at == numbers_.end() ? std::nullopt : std::optional<int>(at->second);
  }
  const Name& operator[](int id) const { return names_[static_cast<std::size_t>(id)]; }
  std::vector<std::string> names() const;

 private:
  std::vector<Name> names_;
  std::unordered_map<std::string, int> numbers_;
};

/// A function of time by its values at times, which are parameters: held from each of them to the next, or lines or
/// cubics between them (inputs.hpp); before the first and after the last one a constant.
struct Input {
  std::vector<double> times;  ///< ascending
  int first = 0;              ///< number of the parameter that is the first value
  enum class Hold { zero, linear, cubic } hold = Hold::zero;

  /// When a value is in the function.
  TimeSpan acts(std::size_t value) const {
    const std::size_t before = static_cast<std::size_t>(hold), after = std::max<std::size_t>(before, 1);
    TimeSpan span;
    if (value > 0) span.from = times[value - std::min(value, before)];
    if (value + 1 < times.size()) span.until = times[std::min(value + after, times.size() - 1)];
    return span;
  }
};

/// The names that a formula may use.
struct Symbols {
  NameTable parameters, coordinates, constraints, definitions;
  std::map<std::string, CubicSpline> tables;
  std::map<std::string, Input> inputs;
  std::set<std::string> slips;                     ///< of constraints: those whose multipliers are tangential forces
  std::map<std::string, std::string> meaningless;  ///< names that one might expect, with the reason why there are none
};

/// Words that cannot be names: t pi deg der lambda if for in sum, and the functions.
bool is_reserved(const std::string& name);
/// A letter or underscore, then letters, digits and underscores; parts joined by dots.
bool is_name(const std::string& text);

/// Names in use: whatever it is a name of, there is one of it.
class TakenNames {
 public:
  /// Throws Error(bad_value) for what is no name, and for one that is taken. `dots`: parts joined by dots are a name.
  void take(const std::string& name, const Place& place, bool dots);

 private:
  std::map<std::string, Place> taken_;
};

/// Parses a formula. `loops`: the variables of the loops around it, in slots 0, 1, .... Throws Error(bad_value) with
/// the place of what was not understood.
Formula parse_formula(const std::string& text, const Place& place, const Symbols& symbols,
                      const std::vector<std::string>& loops = {});
/// A formula that is a number.
Formula number_formula(double value, const Place& place);

/// What stands left of "=" in a table of a model file: a name, indices, and the loops over them.
///
///     rope        x[2*i+1] for i in 0..n-1        rod[i, j] for i in 0..n-1 for j in 0..2
///
/// and, of what belongs to two coordinates, "x[i], x[i+1] for i in 0..n-2".
struct Target {
  std::string name, other;  ///< other: "" or the second coordinate
  Place place;
  std::vector<Formula> indices, other_indices;
  std::vector<Loop> loops;
  std::vector<std::string> loop_names() const;
};
/// Of the names in a target only parameters are used.
Target parse_target(const std::string& text, const Place& place, const Symbols& symbols);

}  // namespace gnomon::mechanism
