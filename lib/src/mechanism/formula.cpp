#include "mechanism/formula.hpp"

#include <algorithm>
#include <cctype>

namespace gnomon::mechanism {

std::string to_text(const Place& place) {
  if (place.line == 0) return place.file.empty() ? "" : place.file + ": ";
  return place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
}

std::string line_and_column(const Place& place) {
  return "line " + std::to_string(place.line) + ", column " + std::to_string(place.column);
}

Error error_at(const Place& place, const std::string& sentence) {
  return Error(ErrorCode::bad_value, to_text(place) + sentence);
}

std::size_t Formula::Node::count() const {
  return static_cast<std::size_t>(std::find(arguments.begin(), arguments.end(), -1) - arguments.begin());
}

const Formula::Node& Formula::first() const {
  const auto less = [](const Node& a, const Node& b) { return a.column < b.column; };
  return *std::min_element(nodes.begin(), nodes.end(), less);
}

const std::vector<std::string>& function_names() {
#define GNOMON_FUNCTION(f) #f,
  static const std::vector<std::string> names{
      GNOMON_ELEMENTARY_FUNCTIONS(GNOMON_FUNCTION) "abs", "atan2", "hypot", "pow", "min", "max", "winding"};
#undef GNOMON_FUNCTION
  return names;
}

std::string switch_name(const Formula& formula, const Formula::Node& node) {
  const auto begin = static_cast<std::size_t>(node.column);
  std::size_t end = begin;
  for (int open = 0; end < formula.text.size();) {
    const char c = formula.text[end++];
    open += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ')' && open == 0) break;
  }
  const Place place = formula.place_of(node);
  return formula.text.substr(begin, end - begin) + " in " + place.file + ":" + std::to_string(place.line) + ":" +
         std::to_string(place.column);
}

const std::vector<std::string>& comparison_names() {
  static const std::vector<std::string> names{"<", ">", "<=", ">=", "==", "!="};
  return names;
}

bool is_reserved(const std::string& name) {
  static const std::vector<std::string> words{"t", "pi", "deg", "der", "lambda", "if", "for", "in", "sum"};
  return std::find(words.begin(), words.end(), name) != words.end() ||
         std::find(function_names().begin(), function_names().end(), name) != function_names().end();
}

bool is_name(const std::string& text) {
  bool begins = true;  // a part begins here
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '.') {
      if (begins) return false;
      begins = true;
    } else if (std::isalpha(u) || c == '_' || (!begins && std::isdigit(u))) {
      begins = false;
    } else {
      return false;
    }
  }
  return !begins;
}

void TakenNames::take(const std::string& name, const Place& place, bool dots) {
  if (!is_name(name) || (!dots && name.find('.') != std::string::npos))
    throw error_at(place, "\"" + name + "\" is no name: a name is of letters, digits and underscores");
  if (is_reserved(name)) throw error_at(place, "\"" + name + "\" is a reserved word and cannot be a name");
  const auto [at, fresh] = taken_.emplace(name, place);
  if (!fresh)
    throw error_at(place, "\"" + name + "\" is the name of something else already, in " + line_and_column(at->second));
}

Formula number_formula(double value, const Place& place) {
  Formula formula;
  formula.text = number_text(value);
  formula.place = place;
  Formula::Node node;
  node.kind = Formula::Kind::number;
  node.constant = true;
  node.value = value;
  formula.nodes.push_back(node);
  return formula;
}

std::vector<std::string> NameTable::names() const {
  std::vector<std::string> names;
  for (const Name& one : names_) names.push_back(one.name);
  return names;
}

std::vector<std::string> Target::loop_names() const {
  std::vector<std::string> names;
  for (const Loop& loop : loops) names.push_back(loop.name);
  return names;
}

}  // namespace gnomon::mechanism
