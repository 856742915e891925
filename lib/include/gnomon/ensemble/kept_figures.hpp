#pragma once
/// \file
/// KeptFigures: what an ensemble keeps of each of its runs.

#include <memory>
#include <string>
#include <vector>

#include "gnomon/model/problem.hpp"
#include "gnomon/run/integrator.hpp"

namespace gnomon {

/// Figures by name; some are several columns of a table:
///
///     max_energy_error     max |H - H_expected| / max(max|T|, max|U|), see InvariantMonitor
///     energy_slope         least-squares slope of H - H_expected against time
///     max_position_error   max |g|
///     max_velocity_error   max |G v + g_t|
///     max_momentum_error   max |J - J0| over all momentum maps; 0 without any
///     steps iterations refused_steps events
///     t_end                time reached
///     seconds              time of computing; no two runs have the same
///     q_end v_end p_end    the end state: X, der(X), p(X) for each coordinate X, see coordinate_names.hpp
///     outputs_end          the outputs of the problem at the end, each under its name
///     X der(X) p(X) NAME   one of these at the end
///     max(F) min(F) mean(F)  of one of these over the states after the steps and the start; the mean is that of time,
///                            by the trapezoidal rule
class GNOMON_EXPORT KeptFigures {
 public:
  /// Throws Error(unknown_name) with the nearest known figures, and Error(bad_value) for one that is there twice.
  KeptFigures(const std::vector<std::string>& names, const ProblemInstance& instance);
  ~KeptFigures();
  KeptFigures(KeptFigures&&) noexcept;

  /// One a column, as tables name them.
  const std::vector<std::string>& columns() const;
  /// The next runs are of this instance. Throws Error(refused) where its coordinates or outputs have other names, so
  /// that its figures are not those of the columns.
  void bind(const ProblemInstance& instance);

  /// Begins a run of it, which has started.
  void start(const Integrator& run);
  /// Looks at every state of the run, unless nothing asks for it.
  bool watches() const;
  void observe(const Integrator& run);
  /// At the end of the run; one a column. Of a run that did not reach its end all are NaN but t_end, steps, iterations,
  /// refused_steps, events and seconds.
  void finish(const Integrator& run, bool reached, double seconds, double* out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gnomon
