#pragma once
/// \file
/// Reference integrators: the same model through an independent, standard code.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/base/options.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/run/events.hpp"

namespace gnomon {

/// What a reference kept of the invariants: the largest values over the steps of its own run.
struct ReferenceLevels {
  bool conservative = false;            ///< H is constant: no force, and nothing depends on time
  double energy = 0;                    ///< |H - H0| where it is
  double position = 0, velocity = 0;    ///< |g|_inf, |G v + g_t|_inf
  std::optional<double> doubtful_from;  ///< time from which they contradict the tolerance, see ReferenceReport::warning
};

struct ReferenceReport {
  bool success = false;
  bool refused = false;             ///< it cannot go to the time that was asked for, whatever its tolerance
  double t = 0;                     ///< where it got to
  Vector q, p, lambda;              ///< state there; of an overdetermined DAE y, p(y,z) and psi, as in State
  std::vector<int> turns;           ///< quarter turns of angles, State::turns
  Vector own_lambda;                ///< multipliers among the integrator's unknowns; empty where it has none
  double rtol = 0;                  ///< with which it came there, where it chose that; else 0
  std::optional<double> own_error;  ///< then the distance of its q from those with ten times the tolerance, by |q|
  long steps = 0, residual_evaluations = 0, jacobian_evaluations = 0;
  std::string message;                    ///< empty on success
  std::optional<ReferenceLevels> levels;  ///< none where it integrates nothing (`exact`)
  /// Empty, or one sentence: the levels are so large that the solution is no reference, although the integrator
  /// reports success.
  std::string warning;
  std::vector<ContactEvent> events;  ///< of a run with obstacles, up to t
  std::vector<Index> roots;          ///< which of the functions that it looks at fell through zero at t
};

/// The report of a solution that did not move, as refused.
inline ReferenceReport refused(ReferenceReport report) {
  report.refused = true;
  return report;
}

/// A running reference solution.
class GNOMON_EXPORT ReferenceSolution {
 public:
  virtual ~ReferenceSolution() = default;
  /// Integrates on to t (t moves away from t0 monotonically). Failure is a report, never an exception.
  virtual ReferenceReport advance_to(double t) = 0;

  /// advance_to asks it after every step and evaluation of its own, and ends, without success, where it says true.
  void stop_when(std::function<bool()> stop) { stop_ = std::move(stop); }

 protected:
  bool stopped() const { return stop_ && stop_(); }

 private:
  std::function<bool()> stop_;
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
