/// \file
/// Who is faster at the same error.

#include <map>

#include "bench/precision/crossing.hpp"
#include "bench/precision/work_precision.hpp"

namespace gnomon::bench {

namespace {

/// What counts where the trajectory cannot be followed is the energy.
double error_of(const WorkPrecisionRow& row) {
  return row.followed ? row.error : row.energy;
}

double seconds_for(double error, const std::vector<const WorkPrecisionRow*>& runs) {
  std::vector<RunPoint> points;
  for (const WorkPrecisionRow* run : runs) points.push_back({error_of(*run), run->seconds, run->parameter});
  return crossing(error, points).seconds;
}

}  // namespace

std::vector<Duel> duels(const std::vector<WorkPrecisionRow>& rows) {
  std::map<std::pair<std::string, double>, std::map<std::string, std::vector<const WorkPrecisionRow*>>> series;
  for (const WorkPrecisionRow& row : rows)
    if (row.failure.empty()) series[{row.problem, row.until}][row.method].push_back(&row);
  std::vector<Duel> found;
  for (const auto& [run, methods] : series)
    for (const double error : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10}) {
      Duel duel{run.first, run.second, error, !methods.begin()->second.front()->followed, "", "", never, never};
      for (const auto& [method, runs] : methods) {
        const bool ours = runs.front()->ours;
        const double seconds = seconds_for(error, runs);
        if (seconds >= (ours ? duel.our_seconds : duel.their_seconds)) continue;
        (ours ? duel.ours : duel.theirs) = method;
        (ours ? duel.our_seconds : duel.their_seconds) = seconds;
      }
      if (!duel.ours.empty() || !duel.theirs.empty()) found.push_back(duel);
    }
  return found;
}

}  // namespace gnomon::bench
