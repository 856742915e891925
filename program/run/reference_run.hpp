#pragma once
/// \file
/// A run of a reference: beside a run of a scheme, or in place of one.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/registry.hpp"
#include "gnomon/run/integrator.hpp"
#include "gnomon/run/reference.hpp"
#include "traces/run_trace.hpp"

namespace gnomon::program {

class ReferenceRun {
 public:
  /// Starts it. Throws what Registry::reference, Options and Reference::start throw.
  ReferenceRun(const Registry& registry, const std::string& name, ProblemInstance instance, const Assignments& options,
               const std::vector<std::string>& contact);

  const std::string& name() const { return name_; }
  /// "ida-ggl, rtol = 1e-12"
  std::string label() const;
  double t() const { return instance_.t0; }

  /// To t_end. The observer is shown the start, and the state after every step that the reference takes by itself; of one
  /// that takes none, as a closed form, the states at these times. Stops where the observer says so, and at a signal.
  ReferenceReport advance_to(double t_end, Observer* observer, const std::vector<double>& times);
  double wall_s() const { return wall_s_; }

 private:
  State state(double t, const Vector& q, const Vector& p, const Vector& z, const Vector& lambda) const;

  std::string name_, tolerance_;
  ProblemInstance instance_;
  std::unique_ptr<ReferenceSolution> solution_;
  double wall_s_ = 0;
};

/// Of these references each gets those of the options that it has. Throws Error(bad_value) for an option that none of
/// them has.
std::vector<ReferenceRun> start_references(const Registry& registry, const std::vector<std::string>& names,
                                           const ProblemInstance& instance, const std::vector<std::string>& options,
                                           const std::vector<std::string>& contact);

/// Hands the states of a reference on to its trace.
class ReferenceObserver final : public Observer {
 public:
  explicit ReferenceObserver(traces::RunTrace& trace) : trace_(&trace) {}
  bool observe(const State& z, long step) override;

 private:
  traces::RunTrace* trace_;
};

}  // namespace gnomon::program
