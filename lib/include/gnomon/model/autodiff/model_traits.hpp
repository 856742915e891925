#pragma once
/// \file
/// ModelTraits: what the describe() of an AutodiffModel says beyond the traits of the System.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/model/system.hpp"

namespace gnomon {

/// Member functions that are there and not used: of a model that learns at run time which parts it has.
struct AbsentParts {
  bool constraints = false, force = false, friction = false, mass_matrix = false, symmetries = false, integrals = false;
};

/// SystemTraits, and what AutodiffSystem makes parts of. A describe() that needs none of it returns SystemTraits.
struct ModelTraits : SystemTraits {
  enum class Penalty { none, convex, not_convex };

  ModelTraits() = default;
  ModelTraits(SystemTraits traits) : SystemTraits(std::move(traits)) {}

  bool time_dependent = false;              ///< U or g depends on t
  bool time_dependent_force = false;        ///< Q depends on t
  Index n_integrals = 0;                    ///< first integrals beyond energy and momentum maps
  int obstacle_degree = not_polynomial;     ///< degree of c in q, or not_polynomial
  std::vector<std::string> obstacle_names;  ///< one an obstacle
  Vector friction_coefficients;             ///< mu of the Coulomb friction, one an obstacle
  std::vector<Index> slips_in_space;        ///< obstacles with a slip velocity of two components, ascending
  AbsentParts absent;
  std::shared_ptr<const ContinuousAngles> angles;  ///< null: none
  Index n_symmetries = 0;           ///< momentum maps, where their number is not in AutodiffModel; 0: one
  Penalty penalty = Penalty::none;  ///< whether R(g) of the model's own is convex
};

}  // namespace gnomon
