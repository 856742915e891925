/// The parser of formulas, by recursive descent:
///
///     sum     = product { ("+" | "-") product }
///     product = sign { ("*" | "/") sign }
///     sign    = { "+" | "-" } power
///     power   = primary [ ("^" | "**") sign ]
///     primary = number | "(" sum ")" | name [ "[" sum { "," sum } "]" ] | function "(" sum { "," sum } ")"
///             | "der" "(" coordinate | definition ")" | "lambda." constraint
///             | "if" "(" sum comparison sum "," sum "," sum ")"
///             | "sum" "(" name "in" sum ".." sum ":" sum ")" | table "(" sum ")"

#include <algorithm>
#include <cctype>
#include <optional>

#include "gnomon/base/numbers.hpp"
#include "mechanism/formula.hpp"

namespace gnomon::mechanism {

namespace {

using Kind = Formula::Kind;
using NodeIndex = Formula::NodeIndex;

class Parser {
 public:
  Parser(const std::string& text, const Place& place, const Symbols& symbols, std::vector<std::string> loops)
      : text_(text), symbols_(symbols), loops_(std::move(loops)) {
    formula_.text = text;
    formula_.place = place;
  }

  Formula whole() {
    if (at_end()) fail(0, "the formula is empty");
    sum();
    if (!at_end()) unexpected();
    return std::move(formula_);
  }

  /// A target up to the end of the text, see Target.
  Target target() {
    Target result;
    result.place = formula_.place;
    skip();
    const std::size_t begin = at_;
    result.name = dotted_name();
    if (result.name.empty()) fail(begin, "a name was expected, not " + here());
    // The loops come first: the indices use them.
    const std::size_t after_name = at_;
    if (accept('[')) skip_brackets();
    if (accept(',')) {
      skip();
      result.other = dotted_name();
      if (result.other.empty()) fail(at_, "a name was expected, not " + here());
      if (accept('[')) skip_brackets();
    }
    while (accept_word("for")) result.loops.push_back(loop());
    if (!at_end()) unexpected();
    at_ = after_name;
    loops_ = result.loop_names();
    result.indices = indices();
    if (!result.other.empty()) {
      accept(',');
      skip();
      dotted_name();
      result.other_indices = indices();
    }
    if (!result.loops.empty() && result.indices.empty())
      fail(after_name, "\"" + result.name + "\" has a loop and no index: write " + result.name + "[" +
                           result.loops.front().name + "]");
    return result;
  }

 private:
  [[noreturn]] void fail(std::size_t column, const std::string& sentence) const {
    throw error_at({formula_.place.file, formula_.place.line, formula_.place.column + static_cast<int>(column)},
                   sentence);
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool at_end() {
    skip();
    return at_ == text_.size();
  }
  std::string here() {
    if (at_end()) return "the end of the formula";
    // A character of UTF-8 has several bytes.
    std::size_t end = at_ + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
    return "\"" + text_.substr(at_, end - at_) + "\"";
  }
  [[noreturn]] void unexpected() {
    skip();
    const char c = text_[at_];
    if (c == '=' && (at_ + 1 == text_.size() || text_[at_ + 1] != '='))
      fail(at_, "a formula has one side: write left - (right), which is zero where left = right");
    if (c == '=' || c == '<' || c == '>' || c == '!')
      fail(at_, "a comparison was found, and is expected in if(a < b, c, d) only");
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '(' || c == '_')
      fail(at_,
           "an operation was expected before " + here() + ": write a*b for a product; units are no part of formulas");
    fail(at_, here() + " was not expected");
  }
  bool accept(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(at_, std::string("\"") + c + "\" was expected, not " + here());
  }
  bool accept_word(const std::string& word) {
    skip();
    const std::size_t end = at_ + word.size();
    if (text_.compare(at_, word.size(), word) != 0 || (end < text_.size() && is_name("a" + text_.substr(end, 1))))
      return false;
    at_ = end;
    return true;
  }
  /// Up to the bracket that closes the one before.
  void skip_brackets() {
    const std::size_t begin = at_ - 1;
    for (int open = 1; open > 0; ++at_) {
      if (at_ == text_.size()) fail(begin, "\"[\" is not closed");
      if (text_[at_] == '[') ++open;
      if (text_[at_] == ']') --open;
    }
  }

  using Arguments = std::array<NodeIndex, 4>;
  static constexpr NodeIndex none = -1;
  static constexpr Arguments no_arguments{none, none, none, none};
  NodeIndex add(Kind kind, std::size_t column, const Arguments& arguments = no_arguments, int id = 0,
                double value = 0) {
    Formula::Node node;
    node.kind = kind;
    node.id = id;
    node.column = static_cast<int>(column);
    node.arguments = arguments;
    node.constant = kind != Kind::time && kind != Kind::position && kind != Kind::velocity &&
                    kind != Kind::multiplier && kind != Kind::definition && kind != Kind::rate;
    for (std::size_t k = 0; k < node.count(); ++k) {
      const Formula::Node& argument = formula_.at(arguments[k]);
      node.constant = node.constant && argument.constant;
      node.depth = std::max(node.depth, argument.depth + 1);
    }
    if (node.depth > max_tree)
      fail(column, "the formula has more than " + std::to_string(max_tree) +
                       " operations one after the other: write sum(i in a..b: ...), or several definitions");
    node.value = value;
    formula_.nodes.push_back(node);
    return formula_.root();
  }
  /// A formula that the run does not change.
  NodeIndex constant(const char* what) {
    skip();
    const std::size_t column = at_;
    const NodeIndex node = sum();
    if (!formula_.at(node).constant)
      fail(column, std::string(what) + " is made of whole numbers, parameters and indices only");
    return node;
  }
  /// A list of formulas up to the closing bracket.
  Arguments list(char closing, int& count) {
    Arguments arguments = no_arguments;
    count = 0;
    do {
      if (count == 4) fail(at_, "more than four entries");
      arguments[static_cast<std::size_t>(count++)] = closing == ']' ? constant("an index") : sum();
    } while (accept(','));
    expect(closing);
    return arguments;
  }

  NodeIndex sum() {
    if (++depth_ > max_depth) fail(at_, "the formula is nested more than " + std::to_string(max_depth) + " deep");
    NodeIndex left = product();
    for (;;) {
      skip();
      const std::size_t column = at_;
      if (accept('+'))
        left = add(Kind::add, column, {left, product(), none, none});
      else if (accept('-'))
        left = add(Kind::subtract, column, {left, product(), none, none});
      else
        break;
    }
    --depth_;
    return left;
  }
  NodeIndex product() {
    NodeIndex left = sign();
    for (;;) {
      skip();
      const std::size_t column = at_;
      if (accept('*'))
        left = add(Kind::multiply, column, {left, sign(), none, none});
      else if (accept('/'))
        left = add(Kind::divide, column, {left, sign(), none, none});
      else
        return left;
    }
  }
  NodeIndex sign() {
    skip();
    const std::size_t column = at_;
    bool negative = false;
    for (;;) {
      if (accept('-'))
        negative = !negative;
      else if (!accept('+'))
        break;
    }
    const NodeIndex value = power();
    return negative ? add(Kind::negate, column, {value, none, none, none}) : value;
  }
  NodeIndex power() {
    const NodeIndex base = primary();
    skip();
    const std::size_t column = at_;
    if (text_.compare(at_, 2, "**") == 0)
      at_ += 2;
    else if (!accept('^'))
      return base;
    if (++depth_ > max_depth) fail(at_, "the formula is nested more than " + std::to_string(max_depth) + " deep");
    const NodeIndex exponent = sign();
    --depth_;
    return add(Kind::power, column, {base, exponent, none, none});
  }

  NodeIndex primary() {
    skip();
    const std::size_t column = at_;
    if (accept('(')) {
      const NodeIndex value = sum();
      expect(')');
      return value;
    }
    if (at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.'))
      return number();
    const std::string name = dotted_name();
    if (name.empty()) fail(column, "a number, a name or \"(\" was expected, not " + here());
    return named(name, column);
  }

  /// A number; its point is not the first of "..", which separates the ends of a range.
  NodeIndex number() {
    const std::size_t begin = at_;
    const auto digits = [&] {
      while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) ++at_;
    };
    digits();
    if (at_ < text_.size() && text_[at_] == '.' && text_.compare(at_, 2, "..") != 0) {
      ++at_;
      digits();
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      const std::size_t before = at_++;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      const std::size_t first = at_;
      digits();
      if (at_ == first) at_ = before;
    }
    double value = 0;
    const std::string digits_text = text_.substr(begin, at_ - begin);
    if (!read_number(digits_text, value)) fail(begin, "\"" + digits_text + "\" is not a number in the range of double");
    if (at_ < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      fail(begin, "a number is directly followed by \"" + dotted_name() +
                      "\": write a*b for a product; units are text beside a parameter's value");
    return add(Kind::number, begin, no_arguments, 0, value);
  }

  std::string dotted_name() {
    const std::size_t begin = at_;
    const auto letter = [&](std::size_t k) {
      return k < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[k])) || text_[k] == '_');
    };
    if (!letter(at_)) return {};
    while (letter(at_) || (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) ||
           (at_ < text_.size() && text_[at_] == '.' && letter(at_ + 1)))
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

  NodeIndex named(const std::string& name, std::size_t column) {
    const auto loop = std::find(loops_.rbegin(), loops_.rend(), name);
    if (loop != loops_.rend())
      return add(Kind::index, column, no_arguments, static_cast<int>(loops_.rend() - loop) - 1);
    if (name == "t") return argument(of_time, add(Kind::time, column));
    if (name == "pi") return add(Kind::number, column, no_arguments, 0, 3.14159265358979323846);
    if (name == "deg") return add(Kind::number, column, no_arguments, 0, 3.14159265358979323846 / 180);
    if (name == "der") return derivative();
    if (name == "if") return choice(column);
    if (name == "sum") return summation(column);
    if (const auto one = symbols_.tables.find(name); one != symbols_.tables.end()) return table(*one, column);
    if (const auto one = symbols_.inputs.find(name); one != symbols_.inputs.end())
      return input(one->second, 0, one->second.times.size(), column);
    if (name.compare(0, 7, "lambda.") == 0)
      return entry(Kind::multiplier, symbols_.constraints, "constraint", name.substr(7), column, of_multipliers);
    if (const auto f = std::find(function_names().begin(), function_names().end(), name); f != function_names().end())
      return function(name, static_cast<int>(f - function_names().begin()), column);
    for (const auto& [kind, table, use] : {std::tuple{Kind::parameter, &symbols_.parameters, 0u},
                                           {Kind::position, &symbols_.coordinates, unsigned(of_positions)},
                                           {Kind::definition, &symbols_.definitions, 0u}})
      if (table->find(name)) return entry(kind, *table, "", name, column, use);
    if (name == "lambda") fail(column, "\"lambda\" needs the constraint whose multiplier it is: lambda.NAME");
    if (name == "for" || name == "in") fail(column, "\"" + name + "\" was not expected here");
    if (symbols_.constraints.find(name))
      fail(column, "\"" + name + "\" is a constraint: its multiplier is lambda." + name);
    if (const auto none = symbols_.meaningless.find(name); none != symbols_.meaningless.end())
      fail(column, "there is no " + name + ": " + none->second);
    throw unknown(name, column);
  }
  /// The coordinate whose velocity a name such as vx, dx, x_dot or xdot may stand for; empty: none.
  std::string velocity_of(const std::string& name) const {
    for (const std::string& x : symbols_.coordinates.names())
      for (const std::string& guess : {"v" + x, "v_" + x, "d" + x, x + "dot", x + "_dot", x + "d", x + "_t"})
        if (guess == name) return x;
    return {};
  }
  Error unknown(const std::string& name, std::size_t column) const {
    if (const std::string x = velocity_of(name); !x.empty())
      return error_at({formula_.place.file, formula_.place.line, formula_.place.column + static_cast<int>(column)},
                      "unknown name \"" + name + "\"; the velocity of " + x + " is der(" + x + ")");
    std::vector<std::string> known = loops_;
    for (const auto* table : {&symbols_.parameters, &symbols_.coordinates, &symbols_.definitions})
      for (std::string& one : table->names()) known.push_back(std::move(one));
    for (const auto& [one, spline] : symbols_.tables) known.push_back(one);
    for (const auto& [one, input] : symbols_.inputs) known.push_back(one);
    if (!known.empty() && nearest_name(name, known).empty()) {
      // Of many names a list helps nobody.
      const std::string function = nearest_name(name, function_names());
      if (!function.empty()) known = {function};
    }
    const std::string sentence = known.size() <= 20 || !nearest_name(name, known).empty()
                                     ? unknown_name("name", name, known).what()
                                     : "unknown name \"" + name + "\"";
    return error_at({formula_.place.file, formula_.place.line, formula_.place.column + static_cast<int>(column)},
                    sentence);
  }
  NodeIndex argument(unsigned use, NodeIndex node) {
    formula_.uses |= use;
    return node;
  }

  /// A name with as many indices as it takes.
  NodeIndex entry(Kind kind, const NameTable& table, const std::string& what, const std::string& name,
                  std::size_t column, unsigned use) {
    const std::optional<int> id = table.find(name);
    if (!id) fail(column, unknown_name(what, name, table.names()).what());
    int count = 0;
    const Arguments indices = accept('[') ? list(']', count) : no_arguments;
    const int expected = table[*id].indices;
    if (count != expected)
      fail(column, "\"" + name + "\" has " + std::to_string(count) + (count == 1 ? " index" : " indices") +
                       " here, expected " + std::to_string(expected));
    return argument(use, add(kind, column, indices, *id));
  }

  NodeIndex derivative() {
    expect('(');
    skip();
    const std::size_t column = at_;
    const std::string name = dotted_name();
    if (name.empty()) fail(column, "der(...) takes the name of a coordinate or definition, not " + here());
    const NodeIndex node = symbols_.definitions.find(name)
                               ? entry(Kind::rate, symbols_.definitions, "definition", name, column, no_argument)
                               : entry(Kind::velocity, symbols_.coordinates, "coordinate", name, column, of_velocities);
    expect(')');
    return node;
  }

  NodeIndex function(const std::string& name, int id, std::size_t column) {
    expect('(');
    const int expected = id < static_cast<int>(FormulaFunction::atan2) ? 1 : 2;
    int count = 0;
    const Arguments arguments = list(')', count);
    if (count != expected)
      fail(column, name + " has " + std::to_string(count) + (count == 1 ? " argument" : " arguments") + ", expected " +
                       std::to_string(expected));
    return add(Kind::function, column, arguments, id);
  }

  /// The pieces of a spline are the branches of comparisons.
  NodeIndex table(const std::pair<const std::string, CubicSpline>& one, std::size_t column) {
    if (!accept('(')) fail(column, "table " + one.first + " is a function: " + one.first + "(u)");
    const NodeIndex u = sum();
    skip();
    if (at_ < text_.size() && text_[at_] == ',') fail(column, "table " + one.first + " has one argument");
    expect(')');
    return branches(one.second, 0, one.second.pieces().size(), u, column);
  }
  NodeIndex branches(const CubicSpline& spline, std::size_t first, std::size_t last, NodeIndex u, std::size_t column) {
    const auto number = [&](double value) { return add(Kind::number, column, no_arguments, 0, value); };
    if (last - first == 1) {
      const CubicSpline::Piece& piece = spline.pieces()[first];
      NodeIndex value = number(piece.c[3]);
      const NodeIndex s = add(Kind::subtract, column, {u, number(piece.from), none, none});
      for (const std::size_t k : {2, 1, 0}) {
        value = add(Kind::multiply, column, {value, s, none, none});
        value = add(Kind::add, column, {value, number(piece.c[k]), none, none});
      }
      return value;
    }
    const std::size_t middle = first + (last - first) / 2;
    const NodeIndex knot = number(spline.begin(middle)), below = branches(spline, first, middle, u, column),
                    above = branches(spline, middle, last, u, column);
    return add(Kind::choose, column, {u, knot, below, above}, 0);
  }

  /// The values from `first` on, up to `last`, are the branches of comparisons with t.
  NodeIndex input(const Input& input_of, std::size_t first, std::size_t last, std::size_t column) {
    const auto number = [&](double value) { return add(Kind::number, column, no_arguments, 0, value); };
    const auto value = [&](std::size_t k) {
      return add(Kind::parameter, column, no_arguments, input_of.first + static_cast<int>(k));
    };
    const auto time = [&] { return argument(of_time, add(Kind::time, column)); };
    const std::vector<double>& times = input_of.times;
    if (last - first > 1) {
      const std::size_t middle = first + (last - first) / 2;
      const NodeIndex t = time(), knot = number(times[middle]), below = input(input_of, first, middle, column),
                      above = input(input_of, middle, last, column);
      return add(Kind::choose, column, {t, knot, below, above}, 0);
    }
    const NodeIndex from = value(first);
    if (input_of.hold == Input::Hold::zero || last == times.size()) return from;
    const auto operation = [&](Kind kind, NodeIndex a, NodeIndex b) { return add(kind, column, {a, b, none, none}); };
    const auto times_number = [&](double factor, NodeIndex a) { return operation(Kind::multiply, number(factor), a); };
    const auto span = [&](std::size_t k) { return times[k + 1] - times[k]; };
    const auto rise = [&](std::size_t k) { return operation(Kind::subtract, value(k + 1), value(k)); };
    // The slope at a time, times this span.
    const auto slope = [&](std::size_t k) {
      if (k == 0 || k + 1 == times.size()) return rise(k == 0 ? 0 : k - 1);
      const double a = span(k - 1), b = span(k), h = span(first);
      return operation(Kind::add, times_number(h * b / (a * (a + b)), rise(k - 1)),
                       times_number(h * a / (b * (a + b)), rise(k)));
    };
    const NodeIndex s =
        operation(Kind::divide, operation(Kind::subtract, time(), number(times[first])), number(span(first)));
    NodeIndex factor = rise(first);
    if (input_of.hold == Input::Hold::cubic) {
      // v + s (A + s (3 R - 2 A - B + s (A + B - 2 R))) with the rise R and the slopes A, B of both ends
      const NodeIndex R = factor, A = slope(first), B = slope(last), both = operation(Kind::add, A, B);
      const NodeIndex third = operation(Kind::subtract, both, times_number(2, R));
      const NodeIndex second = operation(Kind::subtract, times_number(3, R), operation(Kind::add, both, A));
      factor =
          operation(Kind::add, A,
                    operation(Kind::multiply, s, operation(Kind::add, second, operation(Kind::multiply, s, third))));
    }
    const NodeIndex curve = operation(Kind::add, from, operation(Kind::multiply, s, factor));
    if (first > 0) return curve;
    return add(Kind::choose, column, {time(), number(times[0]), value(0), curve}, 0);
  }

  NodeIndex choice(std::size_t column) {
    expect('(');
    const NodeIndex left = sum();
    skip();
    const std::size_t place = at_;
    // The longer ones first.
    std::optional<int> comparison;
    for (const int k : {2, 3, 4, 5, 0, 1}) {
      const std::string& sign = comparison_names()[static_cast<std::size_t>(k)];
      if (text_.compare(at_, sign.size(), sign) != 0) continue;
      at_ += sign.size();
      comparison = k;
      break;
    }
    if (!comparison) fail(place, "a comparison (< > <= >= == !=) was expected in if(...), not " + here());
    const NodeIndex right = sum();
    expect(',');
    const NodeIndex yes = sum();
    expect(',');
    const NodeIndex no = sum();
    expect(')');
    return add(Kind::choose, column, {left, right, yes, no}, *comparison);
  }

  /// "i in first..last", with the variable put into use.
  std::string range_name() {
    skip();
    const std::size_t column = at_;
    const std::string name = dotted_name();
    if (name.empty() || name.find('.') != std::string::npos)
      fail(column, "the name of an index was expected, not " + (name.empty() ? here() : "\"" + name + "\""));
    if (is_reserved(name)) fail(column, "\"" + name + "\" is a reserved word and cannot be an index");
    for (const auto* table : {&symbols_.parameters, &symbols_.coordinates, &symbols_.definitions})
      if (table->find(name)) fail(column, "the index \"" + name + "\" has the name of something else");
    if (std::find(loops_.begin(), loops_.end(), name) != loops_.end())
      fail(column, "the index \"" + name + "\" is in use already");
    if (!accept_word("in")) fail(at_, "\"in\" was expected, not " + here());
    return name;
  }
  void dots() {
    skip();
    if (text_.compare(at_, 2, "..") != 0) fail(at_, "\"..\" between the ends of a range was expected, not " + here());
    at_ += 2;
  }
  NodeIndex summation(std::size_t column) {
    expect('(');
    const std::string name = range_name();
    const NodeIndex first = constant("an end of a range");
    dots();
    const NodeIndex last = constant("an end of a range");
    expect(':');
    if (loops_.size() == Formula::max_slots)
      fail(column, "more than " + std::to_string(Formula::max_slots) + " indices are in use");
    const int slot = static_cast<int>(loops_.size());
    loops_.push_back(name);
    const NodeIndex term = sum();
    loops_.pop_back();
    expect(')');
    return add(Kind::sum, column, {first, last, term, none}, slot);
  }

  /// A formula that is a part of this text, as a formula of its own.
  Formula part() {
    skip();
    const std::size_t begin = at_;
    constant("an index");
    Formula result = std::move(formula_);
    result.text = text_.substr(begin, at_ - begin);
    formula_ = Formula();
    formula_.place = result.place;
    return result;
  }
  /// The indices in brackets, none where there are no brackets.
  std::vector<Formula> indices() {
    std::vector<Formula> result;
    if (!accept('[')) return result;
    do result.push_back(part());
    while (accept(','));
    expect(']');
    return result;
  }
  Loop loop() {
    Loop result;
    result.name = range_name();
    for (const Loop& other : seen_)
      if (other.name == result.name) fail(at_, "the index \"" + result.name + "\" is in use already");
    result.first = part();
    dots();
    result.last = part();
    seen_.push_back(result);
    if (seen_.size() > Formula::max_slots)
      fail(at_, "more than " + std::to_string(Formula::max_slots) + " indices are in use");
    return result;
  }

  static constexpr int max_depth = 200, max_tree = 1000;
  const std::string& text_;
  const Symbols& symbols_;
  std::vector<std::string> loops_;
  std::vector<Loop> seen_;
  Formula formula_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Formula parse_formula(const std::string& text, const Place& place, const Symbols& symbols,
                      const std::vector<std::string>& loops) {
  return Parser(text, place, symbols, loops).whole();
}

Target parse_target(const std::string& text, const Place& place, const Symbols& symbols) {
  return Parser(text, place, symbols, {}).target();
}

}  // namespace gnomon::mechanism
