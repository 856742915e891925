#include "mechanism/model_text.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "gnomon/base/numbers.hpp"
#include "gnomon/base/visible_text.hpp"
#include "mechanism/inputs.hpp"
#include "mechanism/toml_places.hpp"

namespace gnomon::mechanism {

namespace {

/// Operations one after the other, through definitions: they are evaluated by recursion.
constexpr int many_operations = 500, most_operations = 3000;

class Reader {
 public:
  Reader(const std::string& toml, const std::string& file) : file_(toml, file) { model_.file = file; }

  ModelText read() {
    const toml::table& root = file_.root();
    std::vector<std::string> keys{"format",      "name",     "description", "source",     "coordinates", "parameters",
                                  "definitions", "mass",     "potential",   "invariants", "constraints", "obstacles",
                                  "force",       "friction", "start",       "tables",     "integrals",   "symmetries",
                                  "outputs",     "drawing",  "run",         "inputs"};
    keys.insert(keys.end(), body_keys().begin(), body_keys().end());
    file_.check_keys(root, "", keys);
    check_format(root);
    if (const toml::node* node = root.get("name")) model_.name = file_.text(*node, "the name");
    if (const toml::node* node = root.get("description")) model_.description = file_.text(*node, "the description");
    if (const toml::node* node = root.get("source")) model_.source = file_.text(*node, "the source");
    if (const toml::node* node = root.get("tables"))
      for (const TomlEntry& entry : file_.entries(file_.table(*node, "tables"))) read_table(entry);
    std::vector<TomlEntry> parameters;
    if (const toml::node* node = root.get("parameters")) parameters = file_.entries(file_.table(*node, "parameters"));
    for (const TomlEntry& entry : parameters) {
      take(entry.key, entry.key_place);
      symbols_.parameters.add(entry.key, 0);
    }
    std::vector<TomlEntry> inputs;
    if (const toml::node* node = root.get("inputs")) inputs = file_.entries(file_.table(*node, "inputs"));
    for (const TomlEntry& entry : inputs) name_input(entry);
    Symbols parameters_only = symbols_;
    parameters_only.inputs.clear();
    if (has_bodies(file_)) read_mechanism();
    read_names();
    for (const TomlEntry& entry : parameters) read_parameter(entry, parameters_only);
    for (const TomlEntry& entry : inputs) read_input(entry, parameters_only);
    model_.parameter_order = in_order_of_need(
        model_.parameters.size(), [](const Formula::Node& node) { return node.kind == Formula::Kind::parameter; },
        [&](std::size_t k) -> const Formula& { return model_.parameters[k].value; },
        [&](std::size_t k) { return "parameter " + model_.parameters[k].name + " needs its own value"; });
    read_formulas();
    if (const toml::node* node = root.get("start")) read_start(file_.table(*node, "start"));
    if (model_.mechanism)
      for (const Joint& joint : model_.mechanism->bodies.joints)
        if (joint.start) model_.assemble = true;
    if (const toml::node* node = root.get("run")) read_run(file_.table(*node, "run"));
    return std::move(model_);
  }

 private:
  void check_format(const toml::table& root) const {
    const toml::node* node = root.get("format");
    if (node == nullptr) throw error_at({model_.file, 1, 1}, "format is missing: the first line is \"format = 1\"");
    if (file_.number(*node, "format") != 1)
      throw error_at(file_.place(*node), "format = " + number_text(*node->value<double>()) + ", and 1 is known");
  }
  /// { x = [..], y = [..], ends = "natural" }
  void read_table(const TomlEntry& entry) {
    take(entry.key, entry.key_place);
    const std::string what = "table " + entry.key;
    const toml::table& table = file_.table(*entry.value, what);
    file_.check_keys(table, what, {"x", "y", "ends"});
    std::array<std::vector<double>, 2> points;
    for (const auto& [key, numbers] : {std::pair{"x", &points[0]}, {"y", &points[1]}}) {
      const toml::node* node = table.get(key);
      if (node == nullptr) throw error_at(entry.key_place, what + " has no " + key + ": expected x = [..], y = [..]");
      for (const toml::node& one : file_.array(*node, key + (" of " + what))) {
        numbers->push_back(file_.number(one, key + (" of " + what)));
        const std::size_t count = numbers->size();
        if (numbers == &points[0] && count > 1 && !((*numbers)[count - 2] < (*numbers)[count - 1]))
          throw error_at(file_.place(one), "x of " + what + " goes from " + number_text((*numbers)[count - 2]) +
                                               " to " + number_text((*numbers)[count - 1]) +
                                               ", expected ascending numbers");
      }
    }
    constexpr std::size_t most = 10000;
    if (points[0].size() != points[1].size() || points[0].size() < 2 || points[0].size() > most)
      throw error_at(entry.key_place, what + " has " + std::to_string(points[0].size()) + " numbers x and " +
                                          std::to_string(points[1].size()) +
                                          " numbers y, expected as many of both, 2 to " + std::to_string(most));
    CubicSpline::Ends ends = CubicSpline::Ends::not_a_knot;
    if (const toml::node* node = table.get("ends")) {
      const std::string name = file_.text(*node, "ends of " + what);
      if (name == "natural")
        ends = CubicSpline::Ends::natural;
      else if (name != "not-a-knot")
        throw error_at(file_.formula_place(*node),
                       unknown_name("kind of ends", name, {"not-a-knot", "natural"}).what());
    }
    symbols_.tables.emplace(entry.key, CubicSpline(std::move(points[0]), points[1], ends));
  }
  static std::string value_name(const std::string& input, std::size_t k) {
    return input + "[" + std::to_string(k) + "]";
  }
  void name_input(const TomlEntry& entry) {
    take(entry.key, entry.key_place);
    std::optional<Input> input = read_input_times(file_, entry);
    if (!input) return symbols_.parameters.add(entry.key, 0);
    input->first = static_cast<int>(symbols_.parameters.names().size());
    for (std::size_t k = 0; k < input->times.size(); ++k) symbols_.parameters.add(value_name(entry.key, k), 0);
    symbols_.inputs.emplace(entry.key, std::move(*input));
  }
  /// After the names of all parameters are known.
  void read_input(const TomlEntry& entry, const Symbols& symbols) {
    const std::string what = "input " + entry.key;
    const toml::table& table = *entry.value->as_table();
    const toml::node *const one = table.get("value"), *const all = table.get("values");
    if (!one && !all) throw error_at(entry.key_place, what + " takes one value, or times with as many values");
    const auto add = [&](const std::string& name, const toml::node& value, const TimeSpan& acts = {}) {
      Parameter parameter = described(entry, table, what);
      parameter.name = name;
      parameter.acts = acts;
      parameter.value = file_.formula(value, "a value of " + what, symbols);
      model_.parameters.push_back(std::move(parameter));
    };
    const auto input = symbols_.inputs.find(entry.key);
    if (input == symbols_.inputs.end()) return add(entry.key, *one);
    for (std::size_t k = 0; k < input->second.times.size(); ++k)
      add(value_name(entry.key, k), all ? *all->as_array()->get(k) : *one, input->second.acts(k));
  }
  /// What the key has; without bodies it must be there.
  std::vector<const toml::node*> required(const std::string& key, const std::string& what) const {
    std::vector<const toml::node*> nodes = file_.nodes(key);
    if (nodes.empty() && !model_.mechanism) throw error_at({model_.file, 1, 1}, key + " is missing: " + what);
    return nodes;
  }
  /// The entries of a table, those that bodies bring first.
  std::vector<TomlEntry> entries_of(const std::string& key) const {
    std::vector<TomlEntry> result;
    for (const toml::node* node : file_.nodes(key))
      for (TomlEntry& entry : file_.entries(file_.table(*node, key))) result.push_back(std::move(entry));
    return result;
  }

  void take(const std::string& name, const Place& place) { taken_.take(name, place, true); }

  /// The names of everything, so that formulas may use them in any order.
  void read_names() {
    for (const toml::node* node : required("coordinates", "it lists the names of the coordinates"))
      read_coordinates(*node);
    if (model_.coordinates.empty())
      throw error_at({model_.file, 1, 1}, "there are no coordinates, particles and bodies");
    read_targets("definitions", symbols_.definitions);
    read_targets("constraints", symbols_.constraints);
    read_targets("obstacles", symbols_.constraints);  // in R(q,v,lambda) they come after the constraints
    for (const TomlEntry& entry : entries_of("obstacles")) {
      const toml::node* slip = entry.value->is_table() ? entry.value->as_table()->get("slip") : nullptr;
      if (slip == nullptr) continue;
      const Target target = family(entry);
      for (const char* name : {".slip", ".slip1", ".slip2"}) {
        if ((name == std::string_view(".slip")) == slip->is_array()) continue;
        take(target.name + name, entry.key_place);
        symbols_.constraints.add(target.name + name, static_cast<int>(target.loops.size()));
        symbols_.slips.insert(target.name + name);
      }
    }
  }
  void read_targets(const char* key, NameTable& names) {
    for (const TomlEntry& entry : entries_of(key)) {
      const Target target = family(entry);
      take(target.name, entry.key_place);
      names.add(target.name, static_cast<int>(target.loops.size()));
    }
  }

  /// Bodies and joints become formulas, which are read with those of the file.
  void read_mechanism() {
    auto mechanism = std::make_shared<Mechanism>();
    mechanism->bodies = read_bodies(file_, symbols_);
    mechanism->formulas = formulas_of(mechanism->bodies);
    for (const BodyFormulas::Constant& one : mechanism->formulas.constants) {
      take(one.name, one.place);
      symbols_.parameters.add(one.name, 0);
    }
    for (const Joint& joint : mechanism->bodies.joints) {
      if (joint.type->turns) continue;
      const std::string why =
          joint.axes.size() == 2
              ? "a universal joint turns about two axes, by " + joint.name + ".angle1 and " + joint.name + ".angle2"
              : "a joint of the type " + joint.type->name + " does not turn about one axis";
      for (const char* what : {".angle", ".speed"}) symbols_.meaningless.emplace(joint.name + what, why);
    }
    file_.add_generated(mechanism->formulas.toml, mechanism->formulas.places);
    model_.equations = description_of(mechanism->bodies);
    model_.mechanism = std::move(mechanism);
  }
  /// A target whose indices are its loops.
  Target family(const TomlEntry& entry) const {
    Target target = parse_target(entry.key, target_place(entry), symbols_);
    const auto fail = [&] {
      throw error_at(entry.key_place,
                     "\"" + entry.key + "\": the indices are those of the loops, NAME[i] for i in a..b");
    };
    if (target.indices.size() != target.loops.size() || !target.other.empty()) fail();
    for (std::size_t k = 0; k < target.indices.size(); ++k) {
      const Formula& index = target.indices[k];
      if (index.nodes.size() != 1 || index.nodes[0].kind != Formula::Kind::index ||
          index.nodes[0].id != static_cast<int>(k))
        fail();
    }
    return target;
  }
  Place target_place(const TomlEntry& entry) const {
    Place place = entry.key_place;
    if (!is_name(entry.key)) ++place.column;  // after the quotation mark
    return place;
  }

  void read_coordinates(const toml::node& node) {
    const auto add = [&](const std::string& name, const Place& place, std::optional<Formula> size) {
      take(name, place);
      symbols_.coordinates.add(name, size ? 1 : 0);
      model_.coordinates.push_back({name, place, std::move(size)});
    };
    if (node.is_table()) {
      for (const TomlEntry& entry : file_.entries(*node.as_table()))
        add(entry.key, entry.key_place, file_.formula(*entry.value, "the number of " + entry.key, symbols_));
    } else {
      for (const toml::node& one : file_.array(node, "coordinates")) {
        const std::string text = file_.text(one, "a coordinate");
        const Target target = parse_target(text, file_.formula_place(one), symbols_);
        if (!target.loops.empty() || target.indices.size() > 1 || !target.other.empty())
          throw error_at(file_.place(one), "\"" + text + "\" is no coordinate: write \"x\", or \"x[n]\" for n of them");
        std::optional<Formula> size;
        if (!target.indices.empty()) size = target.indices[0];
        add(target.name, file_.formula_place(one), std::move(size));
      }
    }
  }

  /// Reads a formula by itself, or a table of these keys, the first one that of the formula. Without a table: an
  /// empty one.
  std::pair<const toml::node&, const toml::table&> formula_and_table(const TomlEntry& entry, const std::string& what,
                                                                     const std::vector<std::string>& keys) const {
    static const toml::table none;
    if (!entry.value->is_table()) return {*entry.value, none};
    const toml::table& table = *entry.value->as_table();
    file_.check_keys(table, what, keys);
    const toml::node* formula = table.get(keys.front());
    if (formula == nullptr) throw error_at(entry.key_place, what + " has no " + keys.front());
    return {*formula, table};
  }
  void read_parameter(const TomlEntry& entry, const Symbols& symbols) {
    const std::string what = "parameter " + entry.key;
    const auto [value, table] = formula_and_table(entry, what, {"value", "unit", "min", "max", "description"});
    Parameter parameter = described(entry, table, what);
    parameter.value = file_.formula(value, what, symbols);
    model_.parameters.push_back(std::move(parameter));
  }
  /// A parameter with its name, bounds, unit and description.
  Parameter described(const TomlEntry& entry, const toml::table& table, const std::string& what) const {
    Parameter parameter;
    parameter.name = entry.key;
    parameter.place = entry.key_place;
    if (const toml::node* unit = table.get("unit")) parameter.unit = file_.text(*unit, "the unit of " + what);
    if (const toml::node* text = table.get("description"))
      parameter.description = file_.text(*text, "the description of " + what);
    if (const toml::node* least = table.get("min")) parameter.minimum = file_.number(*least, "min of " + what);
    if (const toml::node* most = table.get("max")) parameter.maximum = file_.number(*most, "max of " + what);
    if (parameter.minimum && parameter.maximum && *parameter.minimum > *parameter.maximum)
      throw error_at(entry.key_place, what + " has a min above its max");
    return parameter;
  }
  /// The numbers of parameters or definitions, each after those that its formula uses; one must not need itself.
  template <class IsOne, class FormulaOf, class Sentence>
  static std::vector<std::size_t> in_order_of_need(std::size_t count, const IsOne& is_one, const FormulaOf& formula_of,
                                                   const Sentence& needs_itself) {
    enum class State { unseen, open, done };
    std::vector<State> states(count, State::unseen);
    std::vector<std::size_t> order;
    // Each with the node to look at next. A chain may be as long as the file, so that there is no recursion.
    std::vector<std::pair<std::size_t, std::size_t>> path;
    const auto visit = [&](std::size_t k) {
      if (states[k] == State::open) throw error_at(formula_of(k).place, needs_itself(k));
      if (states[k] == State::unseen) path.emplace_back(k, 0);
      if (states[k] == State::unseen) states[k] = State::open;
    };
    for (std::size_t first = 0; first < count; ++first)
      for (visit(first); !path.empty();) {
        auto& [k, node] = path.back();
        const std::vector<Formula::Node>& nodes = formula_of(k).nodes;
        while (node < nodes.size() && !is_one(nodes[node])) ++node;
        if (node < nodes.size()) {
          visit(static_cast<std::size_t>(nodes[node++].id));
          continue;
        }
        states[k] = State::done;
        order.push_back(k);
        path.pop_back();
      }
    return order;
  }

  /// The formula, refused where it uses what it must not.
  Formula formula(const toml::node& node, const std::string& what, unsigned allowed,
                  const std::vector<std::string>& loops = {}) {
    Formula result = file_.formula(node, what, symbols_, loops);
    check_uses(result, what, allowed);
    return result;
  }
  static bool is_winding(const Formula::Node& node) {
    return node.kind == Formula::Kind::function && node.id == static_cast<int>(FormulaFunction::winding);
  }
  unsigned uses_of_multiplier(const Formula::Node& node) const {
    return symbols_.slips.count(symbols_.constraints[node.id].name) > 0 ? of_multipliers | of_slips : of_multipliers;
  }
  unsigned uses_of_rate(const Formula& formula, const Formula::Node& node) const {
    const Definition& of = model_.definitions[static_cast<std::size_t>(node.id)];
    if ((of.formula.uses & ~unsigned(of_time | of_positions)) != 0)
      throw error_at(formula.place_of(node),
                     "der(" + of.target.name + "): " + of.target.name + " contains " +
                         ((of.formula.uses & of_velocities) != 0 ? "velocities" : "multipliers") +
                         ", and der(...) is for what is a function of positions and time");
    return of.formula.uses | ((of.formula.uses & of_positions) != 0 ? of_velocities : no_argument);
  }
  void check_uses(Formula& formula, const std::string& what, unsigned allowed) const {
    using Kind = Formula::Kind;
    for (const Formula::Node& node : formula.nodes) {
      const unsigned uses = node.kind == Kind::time         ? of_time
                            : node.kind == Kind::position   ? of_positions
                            : node.kind == Kind::velocity   ? of_velocities
                            : node.kind == Kind::multiplier ? uses_of_multiplier(node)
                            : node.kind == Kind::definition
                                ? model_.definitions[static_cast<std::size_t>(node.id)].formula.uses
                            : node.kind == Kind::rate ? uses_of_rate(formula, node)
                                                      : no_argument;
      formula.uses |= uses;
      if (is_winding(node) && node.value == 0)
        throw error_at(formula.place_of(node),
                       "winding(y, x), an angle that counts its turns, is for definitions without an index");
      if ((uses & ~allowed) == 0) continue;
      const unsigned wrong = uses & ~allowed;
      const char* name = wrong & of_slips         ? "the friction of obstacles"
                         : wrong & of_multipliers ? "multipliers"
                         : wrong & of_velocities  ? "velocities"
                         : wrong & of_positions   ? "positions"
                                                  : "the time";
      throw error_at(formula.place_of(node), what + " must not depend on " + name);
    }
  }
  std::vector<Entry> entries(const std::vector<TomlEntry>& given, const std::string& what, unsigned allowed) {
    std::vector<Entry> result;
    for (const TomlEntry& entry : given) {
      Entry one;
      one.target = parse_target(entry.key, target_place(entry), symbols_);
      one.formula = formula(*entry.value, what + " " + entry.key, allowed, one.target.loop_names());
      note(*entry.value, what, entry.key, one.formula);
      result.push_back(std::move(one));
    }
    return result;
  }
  void check_coordinate(const Target& target, const std::string& name, std::size_t given) const {
    const std::optional<int> at = symbols_.coordinates.find(name);
    if (!at) throw error_at(target.place, unknown_name("coordinate", name, symbols_.coordinates.names()).what());
    const int indices = symbols_.coordinates[*at].indices;
    const auto count = static_cast<int>(given);
    if (count > indices || (count < indices && (!target.loops.empty() || !target.other.empty())))
      throw error_at(target.place, "coordinate " + name + " has " + std::to_string(indices) +
                                       (indices == 1 ? " index" : " indices") + ", and " + std::to_string(count) +
                                       " are given");
  }
  /// Entries whose names are coordinates; pairs of them only where `pairs`.
  std::vector<Entry> by_coordinate(const std::vector<TomlEntry>& given, const std::string& what, unsigned allowed,
                                   bool pairs = false) {
    std::vector<Entry> result = entries(given, what, allowed);
    for (const Entry& entry : result) {
      check_coordinate(entry.target, entry.target.name, entry.target.indices.size());
      if (entry.target.other.empty()) continue;
      if (!pairs) throw error_at(entry.target.place, what + " is given for a pair of coordinates, expected one");
      check_coordinate(entry.target, entry.target.other, entry.target.other_indices.size());
    }
    return result;
  }
  /// For people, who read of bodies and joints in their own words.
  void note(const toml::node& node, const std::string& what, const std::string& key, const Formula& formula) {
    if (TomlFile::is_generated(node.source())) return;
    model_.equations += visible(what + (what.empty() ? "" : " ") + key) + " = " + formula.text + "\n";
  }

  void read_formulas() {
    read_definitions();
    read_mass();
    read_potential();
    read_invariants();
    model_.constraints = entries(entries_of("constraints"), "constraint", of_time | of_positions | of_velocities);
    model_.holds = entries(entries_of("holds"), "hold", of_time | of_positions);
    model_.speeds = entries(entries_of("speeds"), "speed", of_time | of_positions);
    read_obstacles();
    for (const toml::node* node : file_.nodes("force"))
      model_.force.push_back(
          by_coordinate(file_.entries(file_.table(*node, "force")), "force", of_time | of_positions | of_velocities));
    model_.friction = by_coordinate(entries_of("friction"), "friction", of_positions | of_velocities | of_multipliers);
    for (const Obstacle& obstacle : model_.obstacles)
      for (Entry& entry : model_.friction)
        if (!obstacle.slip.empty())
          check_uses(entry.formula, "friction beside the Coulomb friction of obstacle " + obstacle.gap.target.name,
                     of_positions | of_multipliers);
    read_integrals();
    for (const TomlEntry& entry : entries_of("symmetries")) {
      const std::string what = "symmetry " + entry.key;
      model_.symmetries.push_back(
          {entry.key, by_coordinate(file_.entries(file_.table(*entry.value, what)), what, of_positions)});
    }
    read_outputs();
    read_drawing();
  }

  void read_integrals() {
    for (const TomlEntry& entry : entries_of("integrals")) {
      const std::string what = "integral " + entry.key;
      Integral integral;
      integral.name = entry.key;
      const auto [node, own] = formula_and_table(entry, what, {"formula", "where"});
      if (const toml::node* where = own.get("where"))
        for (const TomlEntry& one : file_.entries(file_.table(*where, "where of " + what))) {
          const std::optional<int> at = symbols_.parameters.find(one.key);
          if (!at)
            throw error_at(one.key_place, unknown_name("parameter", one.key, symbols_.parameters.names()).what());
          integral.where.emplace_back(*at, file_.number(*one.value, "where of " + what));
        }
      integral.formula = formula(node, what, of_time | of_positions | of_velocities);
      note(node, "integral", entry.key, integral.formula);
      model_.integrals.push_back(std::move(integral));
    }
  }

  void read_potential() {
    for (const toml::node* node : required("potential", "a formula of the coordinates; \"0\" for none")) {
      if (!node->is_table()) {
        Entry entry;
        entry.target.name = "U";
        entry.formula = formula(*node, "the potential", of_time | of_positions);
        note(*node, "", "U", entry.formula);
        model_.potential.push_back(std::move(entry));
        continue;
      }
      for (Entry& entry : entries(file_.entries(*node->as_table()), "the potential", of_time | of_positions)) {
        if (entry.target.indices.size() != entry.target.loops.size() || !entry.target.other.empty())
          throw error_at(entry.target.place, "a term of the potential is NAME, or NAME[i] for i in a..b");
        model_.potential.push_back(std::move(entry));
      }
    }
  }

  void read_definitions() {
    for (const TomlEntry& entry : entries_of("definitions")) {
      Definition definition;
      definition.target = family(entry);
      definition.formula =
          file_.formula(*entry.value, "definition " + entry.key, symbols_, definition.target.loop_names());
      if (definition.target.loops.empty())
        for (Formula::Node& node : definition.formula.nodes)
          if (is_winding(node)) node.value = ++model_.n_angles;
      note(*entry.value, "with", entry.key, definition.formula);
      model_.definitions.push_back(std::move(definition));
    }
    complete_definitions();
  }
  /// What definitions depend on, through others too; one must not need itself.
  void complete_definitions() {
    const auto formula_of = [&](std::size_t k) -> Formula& { return model_.definitions[k].formula; };
    const std::vector<std::size_t> order = in_order_of_need(
        model_.definitions.size(), [](const Formula::Node& node) { return node.of_definition(); }, formula_of,
        [&](std::size_t k) { return "definition " + model_.definitions[k].target.name + " needs itself"; });
    // Evaluation descends from a definition to those that it needs. Where that gets deep the next ones below, without
    // indices, are evaluated before, and count as one operation for those above.
    struct Below {
      int depth = 0;
      std::set<std::size_t> before;
    };
    std::vector<Below> all(order.size());
    for (const std::size_t k : order) {
      Definition& definition = model_.definitions[k];
      Below& below = all[k];
      for (const Formula::Node& node : definition.formula.nodes) {
        if (!node.of_definition()) continue;
        const Below& used = all[static_cast<std::size_t>(node.id)];
        below.depth = std::max(below.depth, used.depth);
        below.before.insert(used.before.begin(), used.before.end());
      }
      below.depth += definition.formula.at(definition.formula.root()).depth;
      if (below.depth > many_operations && definition.target.loops.empty()) {
        definition.before.assign(below.before.begin(), below.before.end());
        below = {1, {k}};
      }
      if (below.depth > most_operations)
        throw error_at(definition.formula.place,
                       "definition " + definition.target.name + " has, with those that it needs, more than " +
                           std::to_string(most_operations) + " operations one after the other");
      check_uses(definition.formula, "a definition",
                 of_time | of_positions | of_velocities | of_multipliers | of_slips);
    }
  }

  void read_mass() {
    for (const toml::node* node : required("mass", "one formula for each coordinate")) read_mass(*node);
  }
  void read_mass(const toml::node& node) {
    MassText& mass = model_.mass;
    mass.place = file_.place(node);
    if (node.is_table()) {
      mass.form = MassText::Form::entries;
      for (Entry& entry : by_coordinate(file_.entries(*node.as_table()), "mass", of_positions, true))
        mass.entries.push_back(std::move(entry));
      return;
    }
    if (model_.mechanism)
      throw error_at(file_.place(node), "beside bodies and particles the mass is a table by coordinate: [mass]");
    if (!node.is_array()) {
      mass.formulas.push_back(formula(node, "the mass", of_positions));
      note(node, "mass of", "every coordinate", mass.formulas.back());
      return;
    }
    const toml::array& rows = *node.as_array();
    mass.form = MassText::Form::list;
    std::size_t row = 0;
    for (const toml::node& entry : rows) {
      if (!entry.is_array()) {
        mass.formulas.push_back(formula(entry, "the mass", of_positions));
        note(entry, "mass", "[" + std::to_string(row++) + "]", mass.formulas.back());
        continue;
      }
      mass.form = MassText::Form::matrix;
      if (entry.as_array()->size() != rows.size())
        throw error_at(file_.place(entry), "row " + std::to_string(row) + " of the mass matrix has " +
                                               std::to_string(entry.as_array()->size()) + " entries, expected " +
                                               std::to_string(rows.size()));
      std::size_t column = 0;
      for (const toml::node& one : *entry.as_array()) {
        mass.formulas.push_back(formula(one, "the mass", of_positions));
        note(one, "mass", "[" + std::to_string(row) + "," + std::to_string(column++) + "]", mass.formulas.back());
      }
      ++row;
    }
    if (mass.form == MassText::Form::matrix && mass.formulas.size() != rows.size() * rows.size())
      throw error_at(file_.place(node), "the mass mixes rows and numbers");
  }

  /// V is a formula of the invariant's own name, parameters and indices.
  void read_invariants() {
    for (const TomlEntry& entry : entries_of("invariants")) {
      const std::string what = "invariant " + entry.key;
      const toml::table& own = file_.table(*entry.value, what);
      file_.check_keys(own, what, {"of", "potential"});
      const toml::node *of = own.get("of"), *potential = own.get("potential");
      if (of == nullptr || potential == nullptr)
        throw error_at(entry.key_place, what + " needs a formula \"of\" coordinates and the \"potential\" of it");
      Invariant invariant;
      invariant.of.target = family(entry);
      take(invariant.of.target.name, entry.key_place);
      const std::vector<std::string> loops = invariant.of.target.loop_names();
      invariant.of.formula = formula(*of, what, of_positions, loops);
      Symbols own_symbols;
      own_symbols.parameters = symbols_.parameters;
      own_symbols.coordinates.add(invariant.of.target.name, 0);
      invariant.potential = file_.formula(*potential, "the potential of " + what, own_symbols, loops);
      check_uses(invariant.potential, "the potential of " + what, of_positions);
      note(*entry.value, "invariant", entry.key, invariant.of.formula);
      note(*entry.value, "  U contains", "V", invariant.potential);
      model_.invariants.push_back(std::move(invariant));
    }
  }

  void read_obstacles() {
    bool moving = false;
    for (const TomlEntry& entry : entries_of("obstacles")) {
      Obstacle obstacle;
      const std::string what = "obstacle " + entry.key;
      obstacle.gap.target = family(entry);
      const std::vector<std::string> loops = obstacle.gap.target.loop_names();
      const auto [gap, own] = formula_and_table(entry, what, {"formula", "slip", "friction", "restitution"});
      if (const toml::node* node = own.get("slip")) read_slip(*node, "the slip of " + what, loops, obstacle.slip);
      if (const toml::node* node = own.get("friction"))
        obstacle.friction = formula(*node, "the friction of " + what, no_argument, loops);
      if (const toml::node* node = own.get("restitution"))
        obstacle.restitution = formula(*node, "the restitution of " + what, no_argument, loops);
      if (obstacle.slip.empty() == obstacle.friction.has_value())
        throw error_at(entry.key_place, what + " has " +
                                            (obstacle.friction ? "a friction and no slip" : "a slip and no friction") +
                                            ": Coulomb friction needs both");
      obstacle.gap.formula = formula(gap, what, of_time | of_positions, loops);
      unsigned uses = obstacle.gap.formula.uses;
      for (const Formula& slip : obstacle.slip) uses |= slip.uses;
      moving = moving || (uses & of_time) != 0;
      note(*entry.value, "obstacle", entry.key, obstacle.gap.formula);
      model_.obstacles.push_back(std::move(obstacle));
    }
    if (moving) add_clock(model_.obstacles.front().gap.target.place);
  }
  /// d, or in space [u_1, u_2].
  void read_slip(const toml::node& node, const std::string& what, const std::vector<std::string>& loops,
                 std::vector<Formula>& slip) {
    if (!node.is_array()) return slip.push_back(formula(node, what, of_time | of_positions, loops));
    for (const toml::node& one : *node.as_array()) {
      slip.push_back(formula(one, what, of_time | of_positions | of_velocities, loops));
      if ((slip.back().uses & of_velocities) == 0)
        throw error_at(slip.back().place, what + " in space is two velocities, and \"" + slip.back().text +
                                              "\" contains none: expected der(..) in it");
    }
    if (slip.size() != 2)
      throw error_at(file_.place(node), what + " has " + std::to_string(slip.size()) +
                                            " entries, expected two, or one formula of positions");
  }
  void add_clock(const Place& place) {
    const std::string name = "obstacles.clock";
    symbols_.coordinates.add(name, 0);
    model_.coordinates.push_back({name, place, std::nullopt});
    Target target;
    target.name = name;
    target.place = place;
    Formula ticks = parse_formula(name + " - t", place, symbols_);
    check_uses(ticks, name, of_time | of_positions);
    model_.velocity.push_back({target, number_formula(1, place)});
    model_.clock_mass = number_formula(1, place);
    model_.clock = Entry{std::move(target), std::move(ticks)};
    model_.equations += name + " is a coordinate for obstacles that move, " + name + " - t = 0\n";
  }

  /// An output may have the name of something else: no formula uses it.
  void read_outputs() {
    std::map<std::string, Place> given;
    // What the file asks for comes first.
    std::vector<TomlEntry> entries = entries_of("outputs");
    std::stable_partition(entries.begin(), entries.end(),
                          [](const TomlEntry& entry) { return !TomlFile::is_generated(entry.value->source()); });
    for (const TomlEntry& entry : entries) {
      const std::string what = "output " + entry.key;
      OutputText output;
      output.entry.target = family(entry);
      const auto [at, fresh] = given.emplace(output.entry.target.name, entry.key_place);
      if (!fresh)
        throw error_at(entry.key_place,
                       "output " + output.entry.target.name + " is given already, in " + line_and_column(at->second));
      const auto [node, own] = formula_and_table(entry, what, {"formula", "unit", "most"});
      if (const toml::node* unit = own.get("unit")) output.unit = file_.text(*unit, "the unit of " + what);
      if (const toml::node* most = own.get("most"))
        output.most = formula(*most, "most of " + what, no_argument, output.entry.target.loop_names());
      output.entry.formula = formula(node, what, of_time | of_positions | of_velocities | of_multipliers | of_slips,
                                     output.entry.target.loop_names());
      note(*entry.value, "output", entry.key, output.entry.formula);
      model_.outputs.push_back(std::move(output));
    }
  }

  void read_drawing() {
    using Kind = Curve::Kind;
    for (const auto& [table, kind] : {std::pair{"drawing", Kind::line},
                                      {"outlines", Kind::outline},
                                      {"coils", Kind::spring},
                                      {"traces", Kind::trace},
                                      {"joints_drawn", Kind::joint},
                                      {"grounds", Kind::ground}})
      read_curves(table, kind, model_.curves);
    read_curves("frames", Kind::line, model_.frames);
  }
  void read_curves(const char* table, Curve::Kind kind, std::vector<CurveText>& curves) {
    for (const TomlEntry& entry : entries_of(table)) {
      const std::string what = "curve " + entry.key;
      CurveText curve;
      curve.kind = kind;
      curve.target = family(entry);
      const std::vector<std::string> loops = curve.target.loop_names();
      for (const toml::node& point : file_.array(*entry.value, what)) {
        const toml::array& formulas = file_.array(point, "a point of " + what);
        const CurveText& first = curves.empty() ? curve : curves.front();
        const std::size_t dimension = first.points.empty() ? 0 : first.points.front().size();
        if (dimension == 0 ? formulas.size() < 2 || formulas.size() > 3 : formulas.size() != dimension)
          throw error_at(file_.place(point),
                         "a point of " + what + " has " + std::to_string(formulas.size()) + " formulas, expected " +
                             (dimension == 0 ? "two or three"
                                             : std::to_string(dimension) + " as in the first point of the drawing"));
        curve.points.emplace_back();
        for (const toml::node& one : formulas)
          curve.points.back().push_back(formula(one, "a point of " + what, of_time | of_positions, loops));
      }
      if (curve.points.empty()) throw error_at(entry.key_place, what + " has no points, expected [[x, y], ...]");
      curves.push_back(std::move(curve));
    }
  }

  /// Each a formula, or { formula = .., hold = true }.
  void read_start_position(const toml::table& table) {
    std::vector<TomlEntry> given = file_.entries(table);
    std::vector<bool> held;
    for (TomlEntry& entry : given) {
      const std::string what = "start " + entry.key;
      const auto [node, own] = formula_and_table(entry, what, {"formula", "hold"});
      const toml::node* hold = own.get("hold");
      held.push_back(hold && file_.flag(*hold, "hold of " + what));
      entry.value = &node;
    }
    model_.position = by_coordinate(given, "start", no_argument);
    for (std::size_t k = 0; k < held.size(); ++k)
      if (held[k]) model_.held.push_back(model_.position[k]);
  }
  void read_start(const toml::table& table) {
    model_.start_place = file_.place(table);
    file_.check_keys(table, "start", {"position", "velocity", "project", "assemble", "dependent_constraints"});
    if (const toml::node* node = table.get("position")) read_start_position(file_.table(*node, "start"));
    if (const toml::node* node = table.get("velocity"))
      for (Entry& one :
           by_coordinate(file_.entries(file_.table(*node, "start velocity")), "start velocity", no_argument))
        model_.velocity.push_back(std::move(one));
    if (const toml::node* node = table.get("assemble")) model_.assemble = file_.flag(*node, "assemble");
    if (model_.assemble && !model_.mechanism)
      throw error_at(file_.place(*table.get("assemble")), "assemble is for bodies and particles: write project = true");
    if (const toml::node* node = table.get("project")) model_.project_start = file_.flag(*node, "project");
    if (const toml::node* node = table.get("dependent_constraints"))
      file_.flag(*node, "dependent_constraints");  // of files from before 0.3; nothing depends on it any more
  }

  std::string scalar(const toml::node& node, const std::string& what) const {
    if (node.is_string()) return node.as_string()->get();
    if (node.is_integer()) return std::to_string(node.as_integer()->get());
    return number_text(file_.number(node, what), 17);
  }
  void read_run(const toml::table& table) {
    const std::vector<std::string> single{"until",  "step",   "steps",        "rtol",     "atol",
                                          "scheme", "solver", "max-halvings", "reference"};
    const std::vector<std::string> several{"option", "solver-option", "reference-option", "contact"};
    std::vector<std::string> known = single;
    known.insert(known.end(), several.begin(), several.end());
    file_.check_keys(table, "run", known);
    for (const TomlEntry& entry : file_.entries(table)) {
      if (const toml::array* names = entry.key == "reference" ? entry.value->as_array() : nullptr) {
        for (const toml::node& name : *names) model_.run.emplace_back(entry.key, scalar(name, "run reference"));
        continue;
      }
      if (std::find(single.begin(), single.end(), entry.key) != single.end()) {
        model_.run.emplace_back(entry.key, scalar(*entry.value, "run " + entry.key));
        continue;
      }
      for (const TomlEntry& one : file_.entries(file_.table(*entry.value, "run " + entry.key)))
        model_.run.emplace_back(entry.key, one.key + "=" + scalar(*one.value, "run " + entry.key + " " + one.key));
    }
  }

  TomlFile file_;
  ModelText model_;
  Symbols symbols_;
  TakenNames taken_;
};

}  // namespace

ModelText read_model_text(const std::string& toml, const std::string& file) {
  return Reader(toml, file).read();
}

}  // namespace gnomon::mechanism
