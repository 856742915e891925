/// \file
/// Who is faster at the same error.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "work_precision.hpp"

namespace gnomon::bench {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// What counts where the trajectory cannot be followed is the energy.
double error_of(const WorkPrecisionRow& row) {
  return row.followed ? row.error : row.energy;
}

/// Time that the runs of one method take for an error: the least over the segments that cross it, and over the runs
/// that undercut it.
double seconds_for(double error, const std::vector<const WorkPrecisionRow*>& runs) {
  double best = never;
  for (const WorkPrecisionRow* run : runs)
    if (error_of(*run) <= error) best = std::min(best, run->seconds);
  for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
    const WorkPrecisionRow &a = *runs[i], &b = *runs[i + 1];
    const double from = error_of(a), to = error_of(b);
    if (!(from > error && to <= error) || to <= 0) continue;
    const double part = std::log(from / error) / std::log(from / to);
    best = std::min(best, a.seconds * std::pow(b.seconds / a.seconds, part));
  }
  return best;
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
