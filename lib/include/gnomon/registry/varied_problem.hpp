#pragma once
/// \file
/// VariedProblem: what sensitivities are of, by name, and the runs with it changed.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "gnomon/run/adjoint.hpp"
#include "gnomon/run/sensitivities.hpp"

namespace gnomon {

/// The problem with these parameters, of which real ones may lie beyond their bounds. Throws what building it throws,
/// with the names and values that do.
GNOMON_EXPORT ProblemInstance build_beyond_bounds(const Problem& problem, const Assignments& set);

/// Names are those of real parameters, and of entries of the start, X a coordinate (coordinate_names.hpp):
///
///     k             a parameter of the problem, and what its other parameters and its start make of it
///     start.X       the position of a coordinate at the start, its velocity held
///     start.der(X)  its velocity
///
/// A change of the start is projected onto the constraints of positions and velocities in the metric of the mass, like
/// a start that a changed parameter takes off them. A derivative looks at both sides of a value: its neighbours may lie
/// beyond the bounds that the problem declares of a parameter, whose value may be one of them.
class GNOMON_EXPORT VariedProblem {
 public:
  /// A run of a changed instance, started, with IntegratorOptions::project_start.
  using Run = std::function<Integrator(const ProblemInstance& instance)>;

  /// The problem with the parameters that are set; it outlives this object and what make() returns. Throws
  /// Error(unknown_name) with the nearest known name, and Error(bad_value) for parameters that are not real and for a
  /// name that stands twice; `kind` is what the sentence calls a name.
  VariedProblem(const Problem& problem, Assignments set, Run run, const std::vector<std::string>& names,
                const std::string& kind = "sensitivity");

  const std::vector<Sensitivities::Parameter>& parameters() const { return parameters_; }
  Sensitivities::Make make() const;
  Adjoint::Make make_together() const;  ///< with changes of all of them
  /// The instance with this one changed by so much.
  ProblemInstance instance(std::size_t parameter, double change) const;
  /// The numbers as the problem has them, and the instance with others in place of all of them: entries of the start
  /// that are among them are these, whatever formula the problem has for them.
  Vector values() const;
  ProblemInstance instance(const Vector& values) const;

 private:
  struct Varied {
    std::string name;
    double value = 0;
    Index coordinate = -1;  ///< of a start; -1: a parameter
    bool velocity = false;
  };
  static ProblemInstance changed(const Problem& problem, const Assignments& set, const Varied& one, double change);
  static ProblemInstance at(const Problem& problem, const Assignments& set, const std::vector<Varied>& all,
                            const Vector& values);

  const Problem* problem_;
  Assignments set_;
  Run run_;
  std::vector<Varied> varied_;
  std::vector<Sensitivities::Parameter> parameters_;
};

}  // namespace gnomon
