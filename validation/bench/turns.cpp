#include "bench/turns.hpp"

#include <algorithm>
#include <cmath>

namespace gnomon::bench {

namespace {

/// The value below which this part of them lies, on straight lines between them; 0 of none.
double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double place = part * static_cast<double>(values.size() - 1), below = std::floor(place);
  const auto i = static_cast<std::size_t>(below);
  const double next = values[std::min(i + 1, values.size() - 1)];
  return values[i] + (place - below) * (next - values[i]);
}

}  // namespace

double TurnTimes::least() const {
  return quantile(seconds, 0);
}
double TurnTimes::median() const {
  return quantile(seconds, 0.5);
}
double TurnTimes::spread() const {
  return (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / 2;
}

Turns time_in_turns(const std::vector<Work*>& pieces, const TurnsRule& rule) {
  Turns turns;
  turns.of.resize(pieces.size());
  std::vector<bool> failed(pieces.size(), false);
  const double begin = processor_seconds();
  for (; turns.rounds < rule.most; ++turns.rounds) {
    if (turns.rounds >= rule.least && processor_seconds() - begin >= rule.seconds) break;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (failed[i]) continue;
      const TimedOnce once = time_once(*pieces[i]);
      failed[i] = !once.failure.empty();
      if (!failed[i]) turns.of[i].seconds.push_back(once.seconds);
    }
    if (turns.rounds > 0) continue;
    turns.first_round = processor_seconds() - begin;
    if (turns.first_round <= rule.longest_round) continue;
    for (TurnTimes& times : turns.of) times.seconds.clear();
    break;
  }
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (failed[i]) turns.of[i].seconds.clear();
  return turns;
}

}  // namespace gnomon::bench
