#pragma once
/// \file
/// The steps of a run, for who takes them again. Private to the core.

#include <cstddef>

#include "gnomon/run/sensitivities.hpp"

namespace gnomon {

/// Tells what steps of a run were, after each of them.
class TakenSteps {
 public:
  /// Before the first step.
  explicit TakenSteps(Integrator& run);
  /// step becomes the last one, which led from one state to another.
  void get(const State& before, const State& after, Taken& step);
  /// Where one of its pieces led: to the start of the next one, or to the end of the step.
  static const State& end_of(const Taken& step, const SolvedStep& piece, const State& end) {
    return &piece != &step.pieces.back() ? (&piece + 1)->start : end;
  }

 private:
  std::size_t events_seen() const;
  Integrator* run_;
  std::size_t events_;
};

}  // namespace gnomon
