#pragma once
/// \file
/// ModelText: a model file of formulas as it was read: names, formulas and places, before parameters have values.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/base/options.hpp"
#include "gnomon/model/curves.hpp"
#include "mechanism/bodies/body_formulas.hpp"
#include "mechanism/evaluation.hpp"
#include "mechanism/formula.hpp"

namespace gnomon::mechanism {

/// A formula for one entry of a name, or for as many as its loops say.
struct Entry {
  Target target;
  Formula formula;
};

struct Parameter {
  std::string name;
  Place place;
  Formula value;  ///< of numbers and other parameters
  std::optional<double> minimum, maximum;
  std::string unit, description;
  TimeSpan acts;  ///< of a value of an input
};

/// One coordinate, or an array of `size` of them.
struct Coordinate {
  std::string name;
  Place place;
  std::optional<Formula> size;
};

struct Obstacle {
  Entry gap;                           ///< c >= 0
  std::vector<Formula> slip;           ///< d, or in space the two components of u, with Coulomb friction
  std::optional<Formula> friction;     ///< mu
  std::optional<Formula> restitution;  ///< e; none: as the run says
};

/// The mass: one formula for every coordinate, a list of them, a matrix by rows, or entries by coordinate.
struct MassText {
  enum class Form { all, list, matrix, entries } form = Form::all;
  std::vector<Formula> formulas;
  std::vector<Entry> entries;
  Place place;
};

struct Integral {
  std::string name;
  Formula formula;
  std::vector<std::pair<std::size_t, double>> where;  ///< it is one where these parameters have these values
};
struct Symmetry {
  std::string name;
  std::vector<Entry> generator;  ///< by coordinate
};
/// A part of U in split form, V(pi(q)): `formula` is V, of the name of the invariant.
struct Invariant {
  Entry of;
  Formula potential;
};

/// Bodies as they were read, and as formulas: the numbers of the constants follow those of the parameters.
struct Mechanism {
  Bodies bodies;
  BodyFormulas formulas;
};

/// What users ask for beside q and p.
struct OutputText {
  Entry entry;
  std::string unit;
  std::optional<Formula> most;
};

/// A polyline, or as many as its loops say: points of two or three formulas each.
struct CurveText {
  Curve::Kind kind = Curve::Kind::line;
  Target target;
  std::vector<std::vector<Formula>> points;
};

struct ModelText {
  std::string file, name, description, source;
  std::vector<Parameter> parameters;
  std::vector<std::size_t> parameter_order;    ///< each after those that its value needs
  std::shared_ptr<const Mechanism> mechanism;  ///< bodies and joints, whose coordinates come first; null: none
  std::vector<Coordinate> coordinates;
  std::vector<Definition> definitions;
  MassText mass;
  std::vector<Entry> potential;  ///< terms
  std::vector<Invariant> invariants;
  std::vector<Entry> constraints;
  std::vector<Obstacle> obstacles;
  std::vector<std::vector<Entry>> force;  ///< sums of them act: that of bodies, that of the file
  std::vector<Entry> friction;
  std::vector<Entry> position, velocity;  ///< of the start
  std::vector<Entry> held;                ///< those positions that are held where the start is moved
  std::vector<Entry> holds;               ///< further constraints of the assembly
  std::vector<Entry> speeds;              ///< constraints whose rates the velocities of the start keep to
  Place start_place;
  int n_angles = 0;  ///< those that count their turns
  /// Where obstacles move the last coordinate is a clock, with the constraint clock - t = 0 after all others of
  /// positions. As functions of it they are obstacles c(q), and what moves them a part of the system.
  std::optional<Entry> clock;
  Formula clock_mass;  ///< where no coordinate has a constant mass
  bool project_start = false, assemble = false;
  std::vector<Integral> integrals;
  std::vector<Symmetry> symmetries;
  std::vector<OutputText> outputs;
  std::vector<CurveText> curves;  ///< of the tables of read_drawing()
  std::vector<CurveText> frames;  ///< origin and axes of solids
  Assignments run;                ///< defaults of a run
  std::string equations;          ///< the formulas as they stand, for people
};

/// Reads TOML. Throws Error(bad_value) with file, line and column, and Error(bad_file) for a file that cannot be read.
ModelText read_model_text(const std::string& toml, const std::string& file);

}  // namespace gnomon::mechanism
