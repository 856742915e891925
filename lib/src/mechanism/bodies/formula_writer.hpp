#pragma once
/// \file
/// FormulaWriter: what writes the tables of a model file for bodies, joints and their pictures.

#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mechanism/bodies/body_formulas.hpp"
#include "mechanism/tape_text.hpp"

namespace gnomon::mechanism {

/// What has been written so far.
struct WrittenTables {
  BodyFormulas out;
  std::vector<std::string> names;  ///< of coordinates
  std::map<std::string, std::pair<std::string, std::vector<Place>>> tables;
  /// Constraints by the body with which they stand, from one.
  std::map<std::size_t, std::pair<std::string, std::vector<Place>>> constraints;
  std::map<std::string, std::pair<std::string, Place>> forces;  ///< sums by coordinate
  std::set<std::string> vectors;                                ///< unit vectors of joints that are written
  bool near = false;  ///< many bodies in a tree: constraints stand with those of bodies, see JoiningWriter::later
};

class FormulaWriter {
 public:
  FormulaWriter(const Bodies& all, WrittenTables& written)
      : all_(all), dimension_(static_cast<std::size_t>(all.dimension)), written_(written) {}

 protected:
  using Texts = std::vector<std::string>;
  using Velocity = std::function<double(const Poses&, const Vector& q)>;
  static const std::array<std::string, 3> letters, along_axes;  // x y z, and u v w for components in body axes

  bool planar() const { return dimension_ == 2; }

  /// One entry of a table.
  void line(const std::string& table, const std::string& key, const std::string& value, const Place& place);
  void formula(const std::string& table, const std::string& key, const std::string& text, const Place& place) {
    line(table, key, toml_string(text), place);
  }
  /// `body`: with the constraints of which body it stands, from one.
  void constraint(std::size_t body, const std::string& name, const std::string& text, const Place& place);
  void define(const std::string& name, const std::string& text, const Place& place) {
    formula("definitions", name, text, place);
  }
  void constant(const std::string& name, const Place& place, std::function<double(const Poses&)> value) {
    written_.out.constants.push_back({name, place, std::move(value)});
  }
  void number(const std::string& name, const Formula& f, const Place& place) {
    constant(name, place, [f](const Poses& poses) { return poses.number(f); });
  }
  /// Throws Error(bad_value) for a number below zero.
  void at_least_zero(const std::string& name, const Formula& f, const std::string& what);
  /// A column of what users ask for, by the name of a coordinate or definition.
  void show(const std::string& name, const std::string& unit, const Place& place, const std::string& most = "") {
    line("outputs", name,
         "{ formula = " + toml_string(name) + ", unit = " + toml_string(unit) +
             (most.empty() ? "" : ", most = " + toml_string(most)) + " }",
         place);
  }
  /// A definition that is a column.
  void output(const std::string& name, const std::string& text, const std::string& unit, const Place& place) {
    define(name, text, place);
    show(name, unit, place);
  }
  void coordinate(const std::string& name, const std::string& mass, BodyFormulas::Coordinate one);
  /// \param table  drawing, or what else is drawn: see ModelText::curves
  void draw(const std::string& name, const std::vector<Texts>& points, const Place& place,
            const char* table = "drawing");

  /// term(component) of each component.
  template <class Term>
  Texts components(const Term& term) const {
    Texts texts;
    for (std::size_t c = 0; c < dimension_; ++c) texts.push_back(term(letters[c]));
    return texts;
  }
  Texts point_of(const std::string& name) const {
    return components([&](const std::string& c) { return name + "." + c; });
  }
  /// Text of the sum over the components of term(component).
  template <class Term>
  std::string sum(const Term& term) const {
    std::string text;
    for (std::size_t c = 0; c < dimension_; ++c) text += (c ? " + " : "") + term(letters[c]);
    return text;
  }
  std::string dot(const std::string& a, const std::string& b) const {
    return sum([&](const std::string& c) { return a + "." + c + "*" + b + "." + c; });
  }
  /// d/dt of a.b, whose components have the rates a.vx, ....
  std::string rate_of_dot(const std::string& a, const std::string& b) const;
  /// Component c of the vector whose components in the axes of a body are the constants name.u, ...; or its rate.
  std::string in_space(const std::string& name, const Body& body, std::size_t c, bool rate) const;
  /// d1, d2 or d3 of a body; in the plane there is d1 only.
  static std::string director(const std::string& body, std::size_t i) { return body + ".d" + std::to_string(i + 1); }
  /// The rate of a component of it: der(b.d1.x), or b.d3.vx of a thin body.
  std::string director_rate(const Body& body, std::size_t i, std::size_t c) const {
    const std::string d = director(body.name, i);
    return body.thin == i ? d + ".v" + letters[c] : "der(" + d + "." + letters[c] + ")";
  }
  /// The directors that are coordinates.
  std::vector<std::size_t> directors_of(const Body& body) const;
  /// Columns of the position of a particle or body, and name.vx, .. for its velocity.
  void show_position(const std::string& name, const Place& place);

  const std::string& owner_of(const Partner& partner) const {
    return partner.kind == Partner::Kind::body ? all_.bodies[partner.index].name : partner.name;
  }
  /// F at a partner, components as texts.
  void act(const Partner& partner, const Texts& force, const Place& place);
  /// A torque on a partner: of three components in space, of one in the plane.
  void turn(const Partner& partner, const Texts& torque, const Place& place);

  const Bodies& all_;
  std::size_t dimension_;
  WrittenTables& written_;

 private:
  void add_force(const std::string& coordinate, const std::string& text, const Place& place);
};

/// Points, particles and bodies.
void write_bodies(const Bodies& all, WrittenTables& written);
void write_joints(const Bodies& all, WrittenTables& written);
/// Rods, springs and ropes.
void write_lines(const Bodies& all, WrittenTables& written);
void write_gears(const Bodies& all, WrittenTables& written);
void write_rollings(const Bodies& all, WrittenTables& written);
void write_bushings(const Bodies& all, WrittenTables& written);
void write_motors(const Bodies& all, WrittenTables& written);
/// Loads and contacts.
void write_contacts(const Bodies& all, WrittenTables& written);
/// The outline of a body's shape, or lines between its markers, also where there are many bodies.
void draw_body(const Bodies& all, std::size_t k, WrittenTables& written);

}  // namespace gnomon::mechanism
