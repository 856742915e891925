#pragma once
/// \file
/// What a run shows beside its summary: snapshots, and references over time.

#include <memory>

#include "program/output/snapshots.hpp"
#include "program/run/reference_run.hpp"
#include "program/run/run_arguments.hpp"
#include "program/summary/run_page.hpp"

namespace gnomon::program {

/// What --snapshots and --plot ask for, or none.
std::unique_ptr<Snapshots> snapshots_of(const RunArguments& arguments, double t0, double t_end,
                                        const ProblemInstance& instance);

/// The reference to t, on the page where there is one.
ReferenceReport advance(ReferenceRun& reference, double t, RunPage* page);

/// Writes every file even if another one cannot be written, and remembers why.
class Unwritten {
 public:
  template <class F>
  void keep(F&& finish) {
    try {
      finish();
    } catch (const std::exception& error) {
      sentence_ += (sentence_.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  /// Throws Error(bad_file) where there is something to say.
  void say() const;

 private:
  std::string sentence_;
};

}  // namespace gnomon::program
