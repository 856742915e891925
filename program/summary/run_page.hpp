#pragma once
/// \file
/// Pictures of a run over time: the page of `gnomon run --report`, with the curves of the run and of its references and
/// the motion, and the motion alone of `--output FILE.glb`.

#include <json/json.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/run/integrator.hpp"
#include "program/pages/report_file.hpp"
#include "program/summary/summary_row.hpp"
#include "traces/run_trace.hpp"

namespace gnomon::program {

class RunPage {
 public:
  /// Opens the files that are asked for. Throws Error(bad_value) for a page whose name does not end in .html.
  RunPage(const std::optional<std::string>& page, const std::optional<std::string>& motion,
          const ProblemInstance& instance, double t_end, std::size_t runs);

  /// The trace of the run and, after it, of a reference beside it, which is compared with the run at its samples. The
  /// page owns it.
  traces::RunTrace& add(const std::string& name, const std::string& discrete_energy = "",
                        const std::string& promises = "");
  /// Times at which a reference that takes no steps is asked for.
  std::vector<double> times() const;

  struct Texts {
    std::string title, subtitle;
    std::vector<SummaryRow> summary;
    std::vector<std::array<std::string, 4>> events;  ///< t, event, obstacle, energy change
    Json::Value provenance;
  };
  /// Writes them.
  void finish(const Texts& texts);

 private:
  ReportFile file_;
  ProblemInstance instance_;
  double t_end_;
  std::size_t numbers_;  // of the motion of each run
  std::unique_ptr<tables::OutputFile> motion_;
  std::vector<std::unique_ptr<traces::RunTrace>> traces_;
};
/// Whether this output is the motion of bodies, a .glb file, and no table.
bool is_motion_file(const std::optional<std::string>& output);

/// Hands the steps of a run on to its trace, with what its integrator knows of them; null: that of a reference.
class TraceObserver final : public Observer {
 public:
  TraceObserver(traces::RunTrace& trace, const Integrator* integrator);
  bool observe(const State& z, long step) override;

 private:
  traces::RunTrace* trace_;
  const Integrator* integrator_;
  long iterations_ = 0;
  std::size_t events_ = 0;
};

}  // namespace gnomon::program
