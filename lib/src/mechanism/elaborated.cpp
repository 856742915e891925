#include "mechanism/elaborated.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/thresholds.hpp"

namespace gnomon::mechanism {

namespace {

constexpr Index most_entries = 50000000;

Index count_of(const Values& values, const Formula& formula, const std::string& what) {
  const Index count = whole_number(Evaluation<double>(values, {})(formula), formula, formula.first());
  if (count < 0 || count > most_entries)
    throw error_at(formula.place,
                   what + " is " + std::to_string(count) + ", expected 0 to " + std::to_string(most_entries));
  return count;
}

std::string indexed(const std::string& name, const Slots& slots, std::size_t count) {
  std::string text = name;
  for (std::size_t k = 0; k < count; ++k) text += (k == 0 ? "[" : ",") + std::to_string(slots[k]);
  return count == 0 ? text : text + "]";
}

}  // namespace

Index Family::size() const {
  Index product = 1;
  for (const Range& range : ranges) product *= range.count;
  return product;
}

Index entry_of(const Family& family, const std::array<Index, 4>& indices, const Formula& formula,
               const Formula::Node& node) {
  Index entry = 0;
  for (std::size_t k = 0; k < family.ranges.size(); ++k) {
    const Family::Range& range = family.ranges[k];
    const Index at = indices[k] - range.first;
    if (at < 0 || at >= range.count)
      throw error_at(formula.place_of(node),
                     "the index " + std::to_string(indices[k]) + " is outside " + std::to_string(range.first) + ".." +
                         std::to_string(range.first + range.count - 1) + " in \"" + formula.text + "\"");
    entry = entry * range.count + at;
  }
  return family.offset + entry;
}

Index whole_number(double value, const Formula& formula, const Formula::Node& node) {
  const double whole = std::round(value);
  if (!(std::abs(value - whole) <= thresholds::whole_number * std::max(1.0, std::abs(value))) ||
      !(std::abs(value) <= 1e15))
    throw error_at(formula.place_of(node), "a whole number was expected, not " + number_text(value));
  return static_cast<Index>(whole);
}

void refuse_sum(const Formula& formula, const Formula::Node& node, double terms) {
  throw error_at(formula.place_of(node),
                 "the sum has " + number_text(terms) + " terms, expected at most " + number_text(most_terms));
}

std::string finite_text(double value) {
  return std::isfinite(value) ? number_text(value) : std::isnan(value) ? "not a number" : "infinite";
}

std::vector<double> parameter_values(const ModelText& text,
                                     const std::vector<std::pair<std::size_t, double>>& assigned) {
  Values values;
  const std::size_t count = text.parameters.size();
  values.parameters.assign(count, 0);
  std::vector<bool> known(count, false);
  for (const auto& [k, value] : assigned) {
    values.parameters[k] = value;
    known[k] = true;
  }
  for (const std::size_t k : text.parameter_order) {
    if (known[k]) continue;
    const Parameter& parameter = text.parameters[k];
    const double value = Evaluation<double>(values, {})(parameter.value);
    if (!std::isfinite(value))
      throw error_at(parameter.value.place, "parameter " + parameter.name + " is " + finite_text(value));
    values.parameters[k] = value;
  }
  return values.parameters;
}

Elaborated::Elaborated(std::shared_ptr<const ModelText> model, std::vector<double> parameters)
    : text(std::move(model)) {
  values.parameters = std::move(parameters);
  values.definitions = &text->definitions;
  invariant_values.parameters = values.parameters;
  invariant_values.coordinates.resize(1);
  add_coordinates();
  for (const Definition& definition : text->definitions) {
    Family own = family(definition.target, "a definition");
    own.offset = values.n_definition_entries;
    values.n_definition_entries += own.size();
    values.definition_entries.push_back(own);
  }
  for (const Entry& term : text->potential)
    for_each(term.target, [&](const Slots& slots) { potential.push_back({&term.formula, slots, 0}); });
  Index k = 0;
  for (const Invariant& invariant : text->invariants)
    for_each(invariant.of.target, [&](const Slots& slots) {
      invariants.push_back({&invariant.of.formula, slots, k});
      invariant_potentials.push_back({&invariant.potential, slots, k++});
    });
  add_constraints();
  add_obstacles();
  add_mass();
  for (const std::vector<Entry>& one : text->force)
    for (const Line& line : by_coordinate(one, "force")) force.push_back(line);
  friction = by_coordinate(text->friction, "friction");
  position = by_coordinate(text->position, "position");
  velocity = by_coordinate(text->velocity, "velocity");
  held = by_coordinate(text->held, "held position");
  for (const Symmetry& symmetry : text->symmetries)
    symmetries.push_back(by_coordinate(symmetry.generator, "generator"));
  for (const Integral& integral : text->integrals)
    if (std::all_of(integral.where.begin(), integral.where.end(),
                    [&](const auto& one) { return values.parameters[one.first] == one.second; }))
      integrals.push_back(&integral);
  add_outputs();
  for (const CurveText& curve : text->curves)
    for_each(curve.target, [&](const Slots& slots) {
      curves.push_back({&curve, slots, indexed(curve.target.name, slots, curve.target.loops.size())});
    });
}

void Elaborated::add_coordinates() {
  for (const Coordinate& coordinate : text->coordinates) {
    Family family;
    family.offset = n;
    if (coordinate.size)
      family.ranges.push_back({0, count_of(values, *coordinate.size, "the number of " + coordinate.name)});
    n += family.size();
    coordinate_ids_.emplace(coordinate.name, values.coordinates.size());
    values.coordinates.push_back(family);
  }
  if (n == 0) throw error_at(text->coordinates.front().place, "there are no coordinates");
  if (n > most_entries) throw error_at(text->coordinates.front().place, "there are more than 50 million coordinates");
}

Family Elaborated::family(const Target& target, const char* what) {
  Family family;
  double entries = 1;
  for (const Loop& loop : target.loops) {
    const Index first = whole_number(Evaluation<double>(values, {})(loop.first), loop.first, loop.first.first());
    const Index last = whole_number(Evaluation<double>(values, {})(loop.last), loop.last, loop.last.first());
    family.ranges.push_back({first, std::max<Index>(0, last - first + 1)});
    entries *= static_cast<double>(family.ranges.back().count);
    if (entries > most_entries) throw error_at(target.place, std::string(what) + " has more than 50 million entries");
  }
  return family;
}

/// use(slots) for the values of all loop variables, the last one running fastest.
template <class Use>
void Elaborated::for_each(const Target& target, const Use& use) {
  const Family all = family(target, target.name.c_str());
  Slots slots{};
  const Index count = all.size();
  for (Index entry = 0; entry < count; ++entry) {
    Index rest = entry;
    for (std::size_t k = all.ranges.size(); k-- > 0;) {
      slots[k] = all.ranges[k].first + rest % all.ranges[k].count;
      rest /= all.ranges[k].count;
    }
    use(slots);
  }
}

/// The entry of a coordinate is given once.
std::vector<Line> Elaborated::by_coordinate(const std::vector<Entry>& entries, const std::string& what) {
  std::vector<Line> lines;
  std::vector<const Entry*> given(static_cast<std::size_t>(n), nullptr);
  const auto add = [&](const Entry& entry, const Slots& slots, Index j) {
    const Entry*& before = given[static_cast<std::size_t>(j)];
    if (before != nullptr)
      throw error_at(entry.target.place, "the " + what + " of coordinate " + std::to_string(j) + " (" +
                                             entry.target.name + ") is given already, in " +
                                             line_and_column(before->target.place));
    before = &entry;
    lines.push_back({&entry.formula, slots, j});
  };
  for (const Entry& entry : entries) {
    const Target& target = entry.target;
    if (!target.other.empty()) {
      for_each(target, [&](const Slots& slots) {
        const Index row = coordinate(target.name, target.indices, slots);
        const Index column = coordinate(target.other, target.other_indices, slots);
        if (row == column) throw error_at(target.place, "a pair of coordinates is one coordinate twice");
        couplings.push_back({{&entry.formula, slots, row}, column});
      });
    } else if (target.indices.empty()) {
      const Family& family = values.coordinates[coordinate_ids_.at(target.name)];
      for (Index j = 0; j < family.size(); ++j) add(entry, {}, family.offset + j);
    } else {
      for_each(target, [&](const Slots& slots) { add(entry, slots, coordinate(target.name, target.indices, slots)); });
    }
  }
  return lines;
}

Index Elaborated::coordinate(const std::string& name, const std::vector<Formula>& indices, const Slots& slots) const {
  const Family& family = values.coordinates[coordinate_ids_.at(name)];
  if (indices.empty()) return family.offset;
  const Formula& index = indices[0];
  const double value = Evaluation<double>(values, {}, slots)(index);
  return entry_of(family, {whole_number(value, index, index.first())}, index, index.first());
}

/// Those whose formula has velocities, behind those of positions.
void Elaborated::add_constraints() {
  const auto of_velocity = [](const Entry& constraint) { return (constraint.formula.uses & of_velocities) != 0; };
  Index count = 0;
  values.constraints.resize(text->constraints.size());
  for (const bool velocities : {false, true}) {
    for (std::size_t k = 0; k < text->constraints.size(); ++k) {
      const Entry& constraint = text->constraints[k];
      if (of_velocity(constraint) != velocities) continue;
      values.constraints[k] = family(constraint.target, "constraint");
      values.constraints[k].offset = count;
      for_each(constraint.target, [&](const Slots& slots) {
        constraint_names.push_back(indexed(constraint.target.name, slots, constraint.target.loops.size()));
        if (velocities)
          velocity_constraints.push_back({&constraint.formula, slots, count++ - m});
        else
          constraints.push_back({&constraint.formula, slots, count++});
      });
    }
    if (velocities) break;
    if (text->clock) {
      constraint_names.push_back(text->clock->target.name);
      constraints.push_back({&text->clock->formula, {}, count++});
    }
    m = count;
  }
}

void Elaborated::add_obstacles() {
  Index count = 0;
  bool any = false, own_restitution = false;
  std::vector<Index> first_in_space;  // one an obstacle of the text
  constexpr double unbounded = std::numeric_limits<double>::max();
  for (const Obstacle& obstacle : text->obstacles) {
    Family own = family(obstacle.gap.target, "obstacle");
    own.offset = static_cast<Index>(constraint_names.size()) + count;
    values.constraints.push_back(own);
    any = any || !obstacle.slip.empty();
    own_restitution = own_restitution || obstacle.restitution;
    first_in_space.push_back(static_cast<Index>(slips_in_space.size()));
    for_each(obstacle.gap.target, [&](const Slots& slots) {
      obstacles.push_back({&obstacle.gap.formula, slots, count});
      obstacle_names.push_back(indexed(obstacle.gap.target.name, slots, obstacle.gap.target.loops.size()));
      if (obstacle.slip.size() == 1) slips.push_back({&obstacle.slip.front(), slots, count});
      if (obstacle.slip.size() == 2) {
        for (const Formula& u : obstacle.slip)
          slip_velocities.push_back({&u, slots, static_cast<Index>(slip_velocities.size())});
        slips_in_space.push_back(count);
      }
      friction_coefficients.push_back(obstacle.friction ? coefficient("friction", *obstacle.friction, slots, unbounded)
                                                        : 0);  // 0: smooth
      restitutions.push_back(obstacle.restitution ? coefficient("restitution", *obstacle.restitution, slots, 1)
                                                  : std::numeric_limits<double>::quiet_NaN());
      ++count;
    });
  }
  if (!any) friction_coefficients.clear();
  // The tangential forces of obstacles that slip come after all obstacles, and after these the second ones in space.
  for (std::size_t k = 0, first = values.constraints.size() - text->obstacles.size(); k < text->obstacles.size(); ++k)
    for (std::size_t c = 0; c < text->obstacles[k].slip.size(); ++c) {
      Family slip = values.constraints[first + k];
      slip.offset =
          c == 0 ? slip.offset + count : static_cast<Index>(constraint_names.size()) + 2 * count + first_in_space[k];
      values.constraints.push_back(slip);
    }
  if (!own_restitution) restitutions.clear();
}

/// Of the obstacle whose name came last.
double Elaborated::coefficient(const char* what, const Formula& formula, const Slots& slots, double most) const {
  DefinitionValues<double> definitions(values);
  const double value = Evaluation<double>(values, {}, slots, &definitions)(formula);
  if (!(value >= 0 && value <= most))
    throw error_at(formula.place, std::string("the ") + what + " of obstacle " + obstacle_names.back() + " is " +
                                      finite_text(value) + ", expected " + (most == 1 ? "0 to 1" : "at least 0"));
  return value;
}

void Elaborated::add_outputs() {
  for (const OutputText& output : text->outputs) {
    const Target& target = output.entry.target;
    for_each(target, [&](const Slots& slots) {
      outputs.push_back({&output.entry.formula, slots, static_cast<Index>(outputs.size())});
      Output& named = output_names.emplace_back();
      named.name = indexed(target.name, slots, target.loops.size());
      named.unit = output.unit;
      if (output.most) named.most = Evaluation<double>(values, {}, slots)(*output.most);
    });
  }
}

void Elaborated::add_mass() {
  const MassText& given = text->mass;
  using Form = MassText::Form;
  const auto check = [&](std::size_t count, std::size_t expected) {
    if (count != expected)
      throw error_at(given.place, "the mass has " + std::to_string(count) + " entries, expected " +
                                      std::to_string(expected) + ": one for each coordinate");
  };
  const Index clock = text->clock ? 1 : 0, n_given = n - clock;
  const auto coordinates = static_cast<std::size_t>(n_given);
  switch (given.form) {
    case Form::all:
      for (Index j = 0; j < n_given; ++j) mass.push_back({&given.formulas[0], {}, j});
      break;
    case Form::list:
      check(given.formulas.size(), coordinates);
      for (Index j = 0; j < n_given; ++j) mass.push_back({&given.formulas[static_cast<std::size_t>(j)], {}, j});
      break;
    case Form::matrix:
      check(given.formulas.size(), coordinates * coordinates);
      dense_mass = true;
      for (Index j = 0; j < n_given * n_given; ++j)
        mass.push_back({&given.formulas[static_cast<std::size_t>(j)], {}, j / n_given * n + j % n_given});
      break;
    case Form::entries: {
      mass = by_coordinate(given.entries, "mass");
      if (mass.size() < coordinates) {
        std::vector<bool> there(coordinates, false);
        for (const Line& line : mass) there[static_cast<std::size_t>(line.entry)] = true;
        for (std::size_t j = 0; j < coordinates; ++j)
          if (!there[j])
            for (std::size_t id = 0; id < values.coordinates.size(); ++id) {
              const Family& family = values.coordinates[id];
              const Index at = static_cast<Index>(j) - family.offset;
              if (at < 0 || at >= family.size()) continue;
              throw error_at(given.place, "coordinate " + text->coordinates[id].name +
                                              (family.ranges.empty() ? "" : "[" + std::to_string(at) + "]") +
                                              " has no mass: every coordinate needs one");
            }
      }
      break;
    }
  }
  if (text->clock) {
    // A constant of the size of the others: with M(q) the clock would have an energy that depends on q.
    const auto constant = std::find_if(mass.begin(), mass.end(), [&](const Line& line) {
      return line.formula->uses == no_argument && (!dense_mass || line.entry % (n + 1) == 0);
    });
    const bool found = constant != mass.end();
    mass.push_back({found ? constant->formula : &text->clock_mass, found ? constant->slots : Slots{},
                    dense_mass ? n * n - 1 : n - 1});
  }
  for (const auto& [line, column] : couplings)
    mass_depends_on_positions = mass_depends_on_positions || line.formula->uses != no_argument;
  for (const Line& line : mass)
    mass_depends_on_positions = mass_depends_on_positions || line.formula->uses != no_argument;
}

}  // namespace gnomon::mechanism
