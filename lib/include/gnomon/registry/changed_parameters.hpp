#pragma once
/// \file
/// Changes of several parameters of a problem at once.

#include <string>
#include <vector>

#include "gnomon/model/problem.hpp"

namespace gnomon {

/// The set with another value of this one.
GNOMON_EXPORT Assignments with_value(Assignments set, const std::string& name, double value);

/// x_k = f_k(x) + c_k of changes c, where f_k is what a parameter is by itself: a number, or made of others that may be
/// among those that change. So a motion changes with all of them together by the sum of its changes with each.
class GNOMON_EXPORT ChangedParameters {
 public:
  /// The problem with the parameters that are set; it outlives this object. names: those of real parameters.
  ChangedParameters(const Problem& problem, Assignments set, std::vector<std::string> names);
  /// The set with these changes; values may lie beyond their bounds.
  Assignments operator()(const Vector& changes) const;

 private:
  /// f_k, where the others are these.
  double value(const Assignments& others, std::size_t k) const;

  const Problem* problem_;
  Assignments set_;
  std::vector<std::string> names_;
  OptionSpecs specs_;  ///< without bounds
  std::vector<double> values_;
  std::vector<std::size_t> made_of_others_;
};

}  // namespace gnomon
