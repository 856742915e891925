#pragma once
/// \file
/// Is a model what it says it is? Its functions against differences of each other, its declarations against samples.

#include <optional>
#include <string>
#include <vector>

#include "gnomon/model/problem.hpp"

namespace gnomon {

/// One line of verify(): a measured number and, where it is judged, the largest that passes.
struct GNOMON_EXPORT ModelCheck {
  std::string name;
  double value = 0;
  std::optional<double> tolerance;
  std::string note;
  /// A value that is not finite does not pass.
  bool passed() const;
};

/// The table that `gnomon check` prints: the start with rank and condition of G, then every function of the model
/// against central differences and against its other functions, at the start and at three points near it, as relative
/// disagreements. Times and memory grow like n^2: for models of up to some thousands of coordinates. Throws Error for a
/// start that is wrong, as Integrator::start() does. A system with obstacles is differentiated with all of them closed.
GNOMON_EXPORT std::vector<ModelCheck> verify(const Model& model, double t0, const Vector& q0, const Vector& p0);
/// The same, and a closed-form solution at t0 against the start.
GNOMON_EXPORT std::vector<ModelCheck> verify(const ProblemInstance& instance);

/// Its part on the functions alone, without the start.
GNOMON_EXPORT std::vector<ModelCheck> verify_functions(const Model& model, double t0, const Vector& q0,
                                                       const Vector& p0);

GNOMON_EXPORT bool all_passed(const std::vector<ModelCheck>& checks);
/// A header, a line for each check, and a verdict.
GNOMON_EXPORT std::string to_text(const std::vector<ModelCheck>& checks);

/// The part of verify() that every start makes, by a few evaluations: declared degrees, that U and g do not depend on
/// time unless that is declared, and derivatives along one direction against difference quotients. Throws
/// Error(bad_value), naming the function and the numbers, where one contradicts another; what cannot be evaluated
/// beside the start is passed over.
GNOMON_EXPORT void check_declarations(const Model& model, double t0, const Vector& q0, const Vector& p0);

}  // namespace gnomon
