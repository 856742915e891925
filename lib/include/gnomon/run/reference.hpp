#pragma once
/// \file
/// Reference integrators: the same model through an independent, standard code.

#include <memory>
#include <string>

#include "gnomon/base/options.hpp"
#include "gnomon/model/problem.hpp"

namespace gnomon {

struct ReferenceReport {
  bool success = false;
  double t = 0;         ///< where it got to
  Vector q, p, lambda;  ///< state there; of an overdetermined DAE y, p(y,z) and psi, as in State
  long steps = 0, residual_evaluations = 0, jacobian_evaluations = 0;
  std::string message;  ///< empty on success
};

/// A running reference solution.
class GNOMON_EXPORT ReferenceSolution {
 public:
  virtual ~ReferenceSolution() = default;
  /// Integrates on to t (t moves away from t0 monotonically). Failure is a report, never an exception.
  virtual ReferenceReport advance_to(double t) = 0;
};

/// A named reference, as plug-ins register it.
class GNOMON_EXPORT Reference {
 public:
  virtual ~Reference() = default;
  virtual std::string name() const = 0;
  virtual std::string description() const = 0;
  virtual OptionSpecs options() const { return {}; }
  /// Starts at the (consistent) start of the instance. Throws Error(refused) when the problem does not fit.
  virtual std::unique_ptr<ReferenceSolution> start(const ProblemInstance& instance, const Options& options) const = 0;
};

}  // namespace gnomon
