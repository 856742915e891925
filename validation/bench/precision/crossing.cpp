#include "bench/precision/crossing.hpp"

#include <cmath>

namespace gnomon::bench {

Crossing crossing(double error, const std::vector<RunPoint>& runs) {
  Crossing best;
  const auto offer = [&best](double seconds, double parameter) {
    if (seconds < best.seconds) best = {seconds, parameter};
  };
  for (const RunPoint& run : runs)
    if (run.error <= error) offer(run.seconds, run.parameter);
  for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
    const RunPoint &a = runs[i], &b = runs[i + 1];
    if (!(a.error > error && b.error <= error) || b.error <= 0) continue;
    const double part = std::log(a.error / error) / std::log(a.error / b.error);
    offer(a.seconds * std::pow(b.seconds / a.seconds, part), a.parameter * std::pow(b.parameter / a.parameter, part));
  }
  return best;
}

}  // namespace gnomon::bench
