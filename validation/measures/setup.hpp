#pragma once
/// \file
/// What several measures share: started integrators, error norms, references, tables.

#include "gnomon/base/uniform.hpp"
#include "gnomon/registry/registry.hpp"
#include "measures/case.hpp"

namespace gnomon::validation {

/// A position and a momentum; of an overdetermined DAE y and z.
struct Phase {
  Vector q, p;
};

ProblemInstance build(const Registry& registry, const Case& c);
Phase start_of(const ProblemInstance& instance);
/// Where a run is: q and p, or y and z.
Phase phase_of(const Integrator& integrator);
/// Where a reference is, which reports y and p(y,z): z is found from p.
Phase phase_of(const ReferenceReport& report, const ProblemInstance& instance);
/// The mechanical system of the instance. Throws Error(refused) for an overdetermined DAE, which is none.
const System& mechanical(const ProblemInstance& instance);

/// An integrator for the instance's system, started at (t0, start).
Integrator started(const Registry& registry, const ProblemInstance& instance, const Method& method, const Phase& start);
Integrator started(const Registry& registry, const ProblemInstance& instance, const Method& method);

/// `steps` steps; throws RunFailed with the report's message.
void advance(Integrator& integrator, long steps, double h);
/// Number of steps of size h from t0 to t_end; throws Error when that is no whole number.
long whole_steps(double interval, double h);
/// State after `steps` steps of size h from the instance's start; throws RunFailed.
Phase state_after(const Registry& registry, const ProblemInstance& instance, const Method& method, long steps,
                  double h);

/// InvariantMonitor::relative_energy_error in words: the relative energy error everywhere.
constexpr const char* relative_energy_error_text = "max |H - H_expected| / max(max|T|, max|U|)";

/// |a - b|_2 / |b|_2, the relative error everywhere; |a - b|_2 when b is zero.
double relative_error(const Vector& a, const Vector& b);

/// The reference, started. A tolerance sets rtol, and atol to a tenth of it; 0: 1e-12.
/// `options` are assigned on top.
std::unique_ptr<ReferenceSolution> start_reference(const Registry& registry, const ProblemInstance& instance,
                                                   const std::string& reference, double tolerance,
                                                   const Assignments& options = {});
/// The same with the case's options for this reference.
std::unique_ptr<ReferenceSolution> start_reference(const Registry& registry, const ProblemInstance& instance,
                                                   const Case& c, const std::string& reference, double tolerance);
/// The reference's state at t; throws RunFailed where it stops.
Phase reference_state(const Registry& registry, const ProblemInstance& instance, const std::string& reference,
                      double tolerance, double t);
Phase reference_state(const Registry& registry, const ProblemInstance& instance, const Case& c,
                      const std::string& reference, double tolerance, double t);

/// Final state of a table of the data folder. Throws Error(bad_file).
Phase table_state(const Case& c, const ProblemInstance& instance);

}  // namespace gnomon::validation
