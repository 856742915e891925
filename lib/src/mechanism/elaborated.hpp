#pragma once
/// \file
/// Elaborated: a model file with the values of its parameters: sizes, and every formula of every loop with the entry
/// that it gives.

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "gnomon/model/outputs.hpp"
#include "gnomon/model/parts.hpp"
#include "mechanism/model_text.hpp"

namespace gnomon::mechanism {

using Slots = std::array<Index, Formula::max_slots>;

/// One formula with the values of its loop variables, and the entry of the result that it is.
struct Line {
  const Formula* formula;
  Slots slots;
  Index entry;
};

/// One curve of the drawing, with the values of its loop variables.
struct CurveLine {
  const CurveText* curve;
  Slots slots;
  std::string name;
};

struct Elaborated {
  /// \param parameters one value a parameter of the text
  Elaborated(std::shared_ptr<const ModelText> text, std::vector<double> parameters);
  Elaborated(const Elaborated&) = delete;
  Elaborated& operator=(const Elaborated&) = delete;

  std::shared_ptr<const ModelText> text;
  Values values;
  Values invariant_values;                         ///< of V(pi), whose one coordinate is the invariant
  Index n = 0, m = 0;                              ///< m: constraints of positions
  std::shared_ptr<const ContinuousAngles> angles;  ///< set once, after the construction
  std::string repaired_inertias;                   ///< see repaired_inertias(); set once, after the construction
  std::string moved_start;                         ///< see moved_start(); set once, after the construction
  std::vector<Line> potential, invariants, invariant_potentials, constraints, velocity_constraints, obstacles, slips,
      slip_velocities, force, friction, mass;
  std::vector<Line> position, velocity, held;
  std::vector<std::vector<Line>> symmetries;  ///< one a symmetry
  std::vector<const Integral*> integrals;     ///< those that are integrals at these parameters
  std::vector<Line> outputs;
  std::vector<Output> output_names;  ///< with units, one an output
  std::vector<CurveLine> curves;
  std::vector<std::string> constraint_names;  ///< those of velocities last
  std::vector<std::string> obstacle_names;
  std::vector<double> friction_coefficients;      ///< one an obstacle, with slips
  std::vector<Index> slips_in_space;              ///< obstacles, ascending
  std::vector<double> restitutions;               ///< one an obstacle, NaN where the run says it; empty: all are so
  bool dense_mass = false;                        ///< entries of `mass` are those of a matrix, row by row
  std::vector<std::pair<Line, Index>> couplings;  ///< of the mass: entry (line.entry, second), and its mirror image
  bool mass_depends_on_positions = false;

  /// The formula of constraint i of the system.
  const Formula& constraint_formula(Index i) const {
    return i < m ? *constraints[static_cast<std::size_t>(i)].formula
                 : *velocity_constraints[static_cast<std::size_t>(i - m)].formula;
  }

 private:
  void add_coordinates();
  Family family(const Target& target, const char* what);
  template <class Use>
  void for_each(const Target& target, const Use& use);
  Index coordinate(const std::string& name, const std::vector<Formula>& indices, const Slots& slots) const;
  std::vector<Line> by_coordinate(const std::vector<Entry>& entries, const std::string& what);
  void add_constraints();
  void add_obstacles();
  double coefficient(const char* what, const Formula& formula, const Slots& slots, double most) const;
  void add_mass();
  void add_outputs();

  std::unordered_map<std::string, std::size_t> coordinate_ids_;
};

/// A number for a sentence: "not a number" and "infinite" for what is not finite.
std::string finite_text(double value);

/// The values of the parameters where nothing is assigned; `assigned` has those that are, by number, and others come
/// from their formulas. Throws Error(bad_value) where a formula gives no finite number.
std::vector<double> parameter_values(const ModelText& text,
                                     const std::vector<std::pair<std::size_t, double>>& assigned);

}  // namespace gnomon::mechanism
