#include "mechanism/bodies/formula_writer.hpp"

#include <tuple>

#include "gnomon/base/numbers.hpp"
#include "mechanism/bodies/joining_writer.hpp"
#include "mechanism/bodies/solids.hpp"

namespace gnomon::mechanism {

const std::array<std::string, 3> FormulaWriter::letters{"x", "y", "z"}, FormulaWriter::along_axes{"u", "v", "w"};

void FormulaWriter::line(const std::string& table, const std::string& key, const std::string& value,
                         const Place& place) {
  auto& [text, places] = written_.tables[table];
  text += toml_string(key) + " = " + value + "\n";
  places.push_back(place);
}
void FormulaWriter::constraint(std::size_t body, const std::string& name, const std::string& text, const Place& place) {
  auto& [lines, places] = written_.constraints[body];
  lines += toml_string(name) + " = " + toml_string(text) + "\n";
  places.push_back(place);
}

void FormulaWriter::at_least_zero(const std::string& name, const Formula& f, const std::string& what) {
  constant(name, f.place, [f, what](const Poses& poses) {
    const double value = poses.number(f);
    if (!(value >= 0)) throw error_at(f.place, what + " is " + number_text(value) + ", expected at least zero");
    return value;
  });
}

void FormulaWriter::coordinate(const std::string& name, const std::string& mass, BodyFormulas::Coordinate one) {
  written_.names.push_back(name);
  formula("mass", name, mass, one.place);
  written_.out.coordinates.push_back(std::move(one));
}

std::string FormulaWriter::rate_of_dot(const std::string& a, const std::string& b) const {
  return sum([&](const std::string& c) {
    return a + ".v" + c + "*" + b + "." + c + " + " + a + "." + c + "*" + b + ".v" + c;
  });
}

void FormulaWriter::show_position(const std::string& name, const Place& place) {
  for (std::size_t c = 0; c < dimension_; ++c) {
    define(name + ".v" + letters[c], "der(" + name + "." + letters[c] + ")", place);
    show(name + "." + letters[c], "m", place);
  }
}

std::string FormulaWriter::in_space(const std::string& name, const Body& body, std::size_t c, bool rate) const {
  const auto axis = [&](std::size_t k, std::size_t component) {
    return rate ? director_rate(body, k, component) : director(body.name, k) + "." + letters[component];
  };
  if (planar())
    return c == 0 ? name + ".u*" + axis(0, 0) + " - " + name + ".v*" + axis(0, 1)
                  : name + ".u*" + axis(0, 1) + " + " + name + ".v*" + axis(0, 0);
  std::string text;
  for (std::size_t k = 0; k < 3; ++k) text += (k ? " + " : "") + name + "." + along_axes[k] + "*" + axis(k, c);
  return text;
}

std::vector<std::size_t> FormulaWriter::directors_of(const Body& body) const {
  if (planar()) return {0};
  if (body.thin) return {(*body.thin + 1) % 3, (*body.thin + 2) % 3};
  return {0, 1, 2};
}

void FormulaWriter::add_force(const std::string& coordinate, const std::string& text, const Place& place) {
  const auto [at, fresh] = written_.forces.try_emplace(coordinate, text, place);
  if (!fresh) at->second.first += " + " + text;
}

void FormulaWriter::act(const Partner& partner, const Texts& force, const Place& place) {
  if (partner.kind == Partner::Kind::point) return;
  const std::string body = owner_of(partner);
  for (std::size_t c = 0; c < dimension_; ++c) add_force(body + "." + letters[c], "(" + force[c] + ")", place);
  if (!partner.marker) return;
  const std::string& a = partner.name;
  if (planar()) {
    add_force(body + ".d1.x", a + ".u*(" + force[0] + ") + " + a + ".v*(" + force[1] + ")", place);
    add_force(body + ".d1.y", a + ".u*(" + force[1] + ") - " + a + ".v*(" + force[0] + ")", place);
    return;
  }
  const Body& own = all_.bodies[partner.index];
  for (const std::size_t k : directors_of(own))
    for (std::size_t c = 0; c < 3; ++c)
      add_force(director(body, k) + "." + letters[c], a + "." + along_axes[k] + "*(" + force[c] + ")", place);
  if (!own.thin) return;
  // d_a = d_i x d_j: F.(da_i x d_j) + F.(d_i x da_j)
  const std::size_t i = (*own.thin + 1) % 3, j = (*own.thin + 2) % 3;
  for (const auto& [on, other, sign] : {std::tuple{i, j, ""}, {j, i, "-"}})
    for (std::size_t c = 0; c < 3; ++c) {
      const std::string d = director(body, other) + ".";
      add_force(director(body, on) + "." + letters[c],
                sign + a + "." + along_axes[*own.thin] + "*(" + d + letters[(c + 1) % 3] + "*(" + force[(c + 2) % 3] +
                    ") - " + d + letters[(c + 2) % 3] + "*(" + force[(c + 1) % 3] + "))",
                place);
    }
}

void FormulaWriter::turn(const Partner& partner, const Texts& torque, const Place& place) {
  if (partner.kind != Partner::Kind::body) return;
  const Body& own = all_.bodies[partner.index];
  const std::string& body = own.name;
  if (planar()) {
    add_force(body + ".d1.x", "-(" + torque[0] + ")*" + body + ".d1.y", place);
    add_force(body + ".d1.y", "(" + torque[0] + ")*" + body + ".d1.x", place);
    return;
  }
  // sum_k d_k x (half x d_k) = torque
  Texts half;
  for (std::size_t c = 0; c < 3; ++c) half.push_back("(" + torque[c] + ")");
  if (own.thin) {
    const std::string n = director(body, *own.thin) + ".";
    const std::string along = "(" + half[0] + "*" + n + "x + " + half[1] + "*" + n + "y + " + half[2] + "*" + n + "z)";
    for (std::size_t c = 0; c < 3; ++c) half[c] = "(2*" + half[c] + " - " + along + "*" + n + letters[c] + ")";
  }
  for (const std::size_t k : directors_of(own)) {
    const std::string d = director(body, k) + ".";
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t i = (c + 1) % 3, j = (c + 2) % 3;
      add_force(d + letters[c], "(" + half[i] + "*" + d + letters[j] + " - " + half[j] + "*" + d + letters[i] + ")/2",
                place);
    }
  }
}

void FormulaWriter::draw(const std::string& name, const std::vector<Texts>& points, const Place& place,
                         const char* table) {
  std::string text = "[";
  for (const Texts& point : points) {
    text += text.size() > 1 ? ", [" : "[";
    for (std::size_t c = 0; c < point.size(); ++c) text += (c ? ", " : "") + toml_string(point[c]);
    text += "]";
  }
  line(table, name, text + "]", place);
}

BodyFormulas formulas_of(const Bodies& bodies) {
  WrittenTables written;
  written.near = is_large_tree(bodies);
  write_bodies(bodies, written);
  write_joints(bodies, written);
  write_lines(bodies, written);
  write_gears(bodies, written);
  write_rollings(bodies, written);
  write_bushings(bodies, written);
  write_motors(bodies, written);
  write_contacts(bodies, written);
  write_frames(bodies, written);
  for (const auto& [coordinate, force] : written.forces) {
    auto& [text, places] = written.tables["force"];
    text += "\"" + coordinate + "\" = \"" + force.first + "\"\n";
    places.push_back(force.second);
  }
  for (auto& [body, constraints] : written.constraints) {
    auto& [text, places] = written.tables["constraints"];
    text += constraints.first;
    places.insert(places.end(), constraints.second.begin(), constraints.second.end());
  }
  BodyFormulas& out = written.out;
  const auto add = [&](const std::string& text, const Place& place) {
    out.toml += text + "\n";
    out.places.push_back(place);
  };
  add("coordinates = [", {});
  for (std::size_t k = 0; k < written.names.size(); ++k) add("\"" + written.names[k] + "\",", out.coordinates[k].place);
  add("]", {});
  for (const auto& [name, table] : written.tables) {
    add("[" + name + "]", {});
    out.toml += table.first;
    out.places.insert(out.places.end(), table.second.begin(), table.second.end());
  }
  return std::move(out);
}

}  // namespace gnomon::mechanism
