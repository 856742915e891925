#pragma once
/// \file
/// Runs whose time and whose errors are measured: a scheme at a step, a reference at a tolerance.

#include <memory>
#include <string>
#include <vector>

#include "bench/precision/motion.hpp"
#include "bench/precision/patience.hpp"
#include "bench/work.hpp"
#include "gnomon/registry/registry.hpp"

namespace gnomon::bench {

/// One run. Errors are measured at the instants of a TrueSolution: at the end alone an error may happen to cross zero.
struct WorkPrecisionRow {
  std::string problem;
  double until = 0;
  std::string method;
  bool ours = false;        ///< a scheme of Gnomon, and no reference
  bool controlled = false;  ///< a scheme with steps of a tolerance
  double parameter = 0;   ///< step of a scheme, relative tolerance of a reference or of a scheme with controlled steps
  long steps = 0;         ///< of a scheme
  double seconds = 0;     ///< of the whole run, its start-up not counted
  double error = 0;       ///< root mean square of |q - q_true|/|q_true| in the 2-norm
  double largest = 0;     ///< the largest, of all that the true solution has: Motion::error
  double energy = 0;      ///< over all steps, largest |H - H0 - work|/max(max|T|, max|U|); NaN where nothing is kept
  double constraint = 0;  ///< over all steps, largest |g|
  double velocity = 0;    ///< and |G v + g_t|
  bool followed = true;   ///< false: the true solution is unknown, and error says nothing
  std::string failure;    ///< empty, or why there is no result
};

/// The states at the times of measurement, and how far two solutions at the smallest errors that double precision
/// allows are apart there: errors below that mean nothing, and where it is large (chaos) no method can follow the
/// trajectory.
struct TrueSolution {
  std::string problem;
  double until = 0;
  std::vector<double> times;
  Motion motion;
  Judged judged = Judged::positions;
  double uncertainty = 0;
  double energy_scale = 1;  ///< max(max|T|, max|U|)
  std::string source;
  bool known() const { return uncertainty < 1e-3; }
};

/// What is run: a scheme with a solver, or a reference.
struct Contender {
  std::string label, name;  ///< of a scheme, or of a reference
  Assignments options;
  bool ours = true;
  std::string solver = "newton";
  bool controlled = false;  ///< a scheme with steps of a tolerance
  double absolute = 0.1;    ///< of a reference: its absolute tolerance over the relative one
};

/// One run through the times of measurement.
class Run : public Work {
 public:
  Run(const TrueSolution& truth, const Patience& patience)
      : truth_(&truth), alarm_(patience), at_(truth.times.size()) {}
  std::string run() final;
  /// Fills in the errors and levels of the last run.
  void measure(WorkPrecisionRow& row) const;
  /// The states at the times and max(max|T|, max|U|) are those of the last run.
  virtual Motion motion() const = 0;
  virtual double energy_scale() const = 0;

 protected:
  const TrueSolution& truth() const { return *truth_; }
  /// It goes off when the time of the run, its start-up included, is over.
  const Alarm& alarm() const { return alarm_; }
  const std::vector<Instant>& instants() const { return at_; }
  /// Goes on to at.t, the next time; empty, or why it failed.
  virtual std::string advance(Instant& at) = 0;
  virtual void levels(WorkPrecisionRow& row) const = 0;

 private:
  const TrueSolution* truth_;
  Alarm alarm_;
  std::vector<Instant> at_;
};

/// Failure of a run whose time is over.
inline constexpr const char* too_long = "given up: it takes too long";

/// The contender at a step (a whole fraction of the times between two instants) or a relative tolerance; the absolute
/// one is Contender::absolute of it for references and the same for schemes. Throws Error(refused) where it does not
/// take the model. Arguments outlive it; its time runs from now on.
std::unique_ptr<Run> make_run(const Registry& registry, const ProblemInstance& instance, const TrueSolution& truth,
                              const Contender& contender, double parameter, const Patience& patience = {});

/// The options for a relative tolerance that all references have; the absolute one is a part of it.
Assignments tolerance(double rtol, double absolute = 0.1);

}  // namespace gnomon::bench
