#pragma once
/// \file
/// Problem: equations, parameters with units, initial state, exact solution if there is one, and where it comes from.

#include <functional>
#include <memory>
#include <string>

#include "gnomon/options.hpp"
#include "gnomon/system.hpp"

namespace gnomon {

/// A problem with its parameters filled in: the model and its start.
struct ProblemInstance {
  std::shared_ptr<const System> system;
  double t0 = 0;
  Vector q0, p0;
  /// Closed-form solution, or empty: fills q and p at t.
  std::function<void(double t, Vector& q, Vector& p)> exact;
};

/// One file a problem, registered by name. Stateless.
class Problem {
 public:
  virtual ~Problem() = default;
  virtual std::string name() const = 0;
  virtual std::string description() const = 0;  ///< one line
  virtual std::string equations() const = 0;    ///< M, U, g and the start, in words and formulas, for `describe`
  virtual std::string source() const = 0;
  virtual OptionSpecs parameters() const = 0;
  virtual ProblemInstance build(const Options& parameters) const = 0;
};

}  // namespace gnomon
