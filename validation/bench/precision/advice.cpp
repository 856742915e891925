#include "bench/precision/advice.hpp"

#include <algorithm>
#include <cmath>

#include "bench/precision/contenders.hpp"
#include "bench/precision/crossing.hpp"
#include "bench/turns.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"

namespace gnomon::bench {

namespace {

constexpr int instants = 10;

/// One advice under way.
class Adviser {
 public:
  Adviser(const Registry& registry, const ProblemInstance& instance, const AdviceRequest& request, Advice& advice)
      : registry_(&registry), instance_(&instance), request_(&request), advice_(&advice), begin_(processor_seconds()) {}

  /// Processor time at which this part of the budget is spent.
  double after(double part) const { return begin_ + part * request_->budget; }
  double elapsed() const { return processor_seconds() - begin_; }
  Patience until(double end) const { return {end, request_->interrupt}; }

  void find_truth() {
    advice_->reference = trusted_solution(*registry_, request_->problem, *instance_, request_->until, instants,
                                          Judged::all, request_->error, until(after(0.35)));
    at_end_ = advice_->reference.truth;
    if (at_end_.motion.q.empty()) return;
    at_end_.times = {at_end_.times.back()};
    at_end_.motion = at_end_.motion.end();
  }

  /// All of it, once the truth is known.
  void advise() {
    climb(after(0.7));
    time_again(after(0.85));
    const double end = after(1);
    Advice& advice = *advice_;
    advice.ours = choose([](const Series& s) { return s.contender.ours; }, end);
    advice.exact_energy = promises_energy(advice.ours)
                              ? advice.ours
                              : choose([](const Series& s) { return s.contender.ours && s.energy; }, end);
    advice.theirs = choose([](const Series& s) { return !s.contender.ours; }, end);
    std::vector<Choice*> choices;
    for (auto* choice : {&advice.ours, &advice.exact_energy, &advice.theirs})
      if (*choice) choices.push_back(&**choice);
    time_finally(choices, after(1.05));
    if (advice.exact_energy && (!advice.ours || advice.exact_energy->run.seconds < advice.ours->run.seconds))
      advice.ours = advice.exact_energy;
  }

 private:
  /// Ladders of all series, in turns, until the time is over.
  void climb(double end) {
    std::vector<double> next;
    for (const Series& series : advice_->series) next.push_back(first(series));
    for (bool any = true; any;) {
      any = false;
      auto open = std::count_if(advice_->series.begin(), advice_->series.end(),
                                [](const Series& series) { return series.end.empty(); });
      for (std::size_t i = 0; i < advice_->series.size(); ++i) {
        Series& series = advice_->series[i];
        if (!series.end.empty()) continue;
        if (processor_seconds() >= end) {
          series.end = "the time is spent";
          continue;
        }
        any = true;
        series.rows.push_back(run(series.contender, next[i], share(end, open--)));
        next[i] = refined(series, next[i]);
        if (series.rows.size() == 1 && series.rows[0].failure.empty() && accurate(series.rows[0])) coarsen(series, end);
      }
    }
  }

  /// The deadline of one of several runs that have to end by `end`: a few times its part of what is left.
  static double share(double end, std::ptrdiff_t runs) {
    constexpr double parts = 4;
    const double now = processor_seconds();
    return now + (end - now) * std::min(1.0, parts / static_cast<double>(runs));
  }

  /// Times the runs again that are not much dearer than the cheapest, in turns; the best time counts.
  void time_again(double end) {
    constexpr int rounds = 25;
    constexpr double least = 2e-3;  // seconds a round
    for (int round = 0; round < rounds; ++round)
      for (Series& series : advice_->series)
        for (WorkPrecisionRow& row : series.rows) {
          if (!row.failure.empty() || row.seconds > 10 * cheapest(row.ours)) continue;
          if (processor_seconds() >= end) return;
          const auto work = make(series.contender, row.parameter, never, truth());
          for (double spent = 0; spent < least;) {
            const TimedOnce once = time_once(*work);
            row.seconds = std::min(row.seconds, once.seconds);
            spent += std::max(once.seconds, 1e-6);
          }
        }
  }

  /// The cheapest of some series that keeps the error in a run: of the ladders, or at a step between their steps.
  template <class Filter>
  std::optional<Choice> choose(Filter wanted, double end) {
    constexpr std::size_t candidates = 3;
    std::optional<Choice> best;
    std::vector<Choice> guesses;
    for (const Series& series : advice_->series) {
      if (!wanted(series)) continue;
      for (const WorkPrecisionRow& row : series.rows) {
        // Steps of a tolerance were run with stops at the instants only.
        if (series.contender.controlled || !row.failure.empty() || row.largest > request_->error ||
            (best && best->run.seconds <= row.seconds))
          continue;
        best = Choice{series.contender, row.parameter, std::lround(length() / row.parameter), row.seconds, row};
      }
      const Crossing at = crossing(aim * request_->error, points(series));
      if (!at.found()) continue;
      Choice choice;
      choice.contender = series.contender;
      choice.parameter = at.parameter;
      choice.expected_seconds = at.seconds;
      guesses.push_back(choice);
    }
    std::sort(guesses.begin(), guesses.end(),
              [](const Choice& a, const Choice& b) { return a.expected_seconds < b.expected_seconds; });
    for (std::size_t i = 0, verified = 0; i < guesses.size() && verified < candidates; ++i) {
      if (best && (processor_seconds() >= end || guesses[i].expected_seconds > best->run.seconds)) break;
      Choice choice = guesses[i];
      if (!verify(choice, order_of(choice.contender), end)) continue;
      ++verified;
      if (!best || choice.run.seconds < best->run.seconds) best = choice;
    }
    if (best && best->contender.ours) try_solvers(*best, end);
    return best;
  }

  bool promises_energy(const std::optional<Choice>& choice) const {
    for (const Series& series : advice_->series)
      if (choice && series.contender.label == choice->contender.label) return series.energy;
    return false;
  }

  /// Times the choices once more, in turns, so that they can be compared.
  void time_finally(const std::vector<Choice*>& choices, double end) const {
    constexpr int rounds = 15;
    std::vector<std::unique_ptr<Run>> runs;
    std::vector<Work*> pieces;
    for (const Choice* choice : choices) {
      runs.push_back(make(choice->contender, choice->parameter, never, advised(choice->contender)));
      pieces.push_back(runs.back().get());
    }
    const Turns turns = time_in_turns(pieces, {1, rounds, end - processor_seconds()});
    for (std::size_t i = 0; i < choices.size(); ++i)
      if (!turns.of[i].seconds.empty()) choices[i]->run.seconds = turns.of[i].least();
  }

  static constexpr double aim = 0.7;  ///< of the wanted error: what is interpolated does not hit it

  double length() const { return request_->until - instance_->t0; }
  double step(long steps) const { return length() / static_cast<double>(steps); }
  int order_of(const Contender& contender) const {
    for (const Series& series : advice_->series)
      if (series.contender.label == contender.label) return series.order;
    return 0;
  }
  static std::vector<RunPoint> points(const Series& series) {
    std::vector<RunPoint> points;
    for (const WorkPrecisionRow& row : series.rows)
      if (row.failure.empty()) points.push_back({row.largest, row.seconds, row.parameter});
    return points;
  }
  /// The least time at which any run or interpolation of ours, or of theirs, keeps the error.
  double cheapest(bool ours) const {
    double best = never;
    for (const Series& series : advice_->series)
      if (series.contender.ours == ours) best = std::min(best, crossing(request_->error, points(series)).seconds);
    return best;
  }

  /// What the wanted error would cost by the order (of references about 4), from the last run; infinite where it says
  /// nothing yet.
  double foreseen(const Series& series) const {
    if (series.rows.empty()) return never;
    const WorkPrecisionRow& last = series.rows.back();
    if (!last.failure.empty() || !(last.largest < 0.3)) return never;
    const int order = series.contender.ours ? series.order : 4;
    return last.seconds * std::max(1.0, std::pow(last.largest / request_->error, 1.0 / order));
  }
  double least_foreseen(bool ours) const {
    double least = never;
    for (const Series& series : advice_->series)
      if (series.contender.ours == ours) least = std::min(least, foreseen(series));
    return least;
  }

  const TrueSolution& truth() const { return advice_->reference.truth; }
  /// Where a run that is advised stops: steps of a tolerance, at the end alone.
  const TrueSolution& advised(const Contender& contender) const { return contender.controlled ? at_end_ : truth(); }

  std::unique_ptr<Run> make(const Contender& contender, double parameter, double deadline,
                            const TrueSolution& truth) const {
    return make_run(*registry_, *instance_, truth, contender, parameter, until(deadline));
  }
  WorkPrecisionRow run(const Contender& contender, double parameter, double deadline) const {
    return run(contender, parameter, deadline, truth());
  }
  WorkPrecisionRow run(const Contender& contender, double parameter, double deadline, const TrueSolution& truth) const {
    WorkPrecisionRow row;
    row.problem = request_->problem;
    row.until = request_->until;
    row.method = contender.label;
    row.ours = contender.ours;
    row.controlled = contender.controlled;
    row.parameter = parameter;
    try {
      const auto work = make(contender, parameter, deadline, truth);
      const TimedOnce once = time_once(*work);
      row.seconds = once.seconds;
      row.failure = once.failure;
      if (row.failure.empty()) work->measure(row);
      if (row.failure.empty() && !std::isfinite(row.largest)) row.failure = "q is not finite";
    } catch (const Error& error) {
      row.failure = error.what();
    }
    return row;
  }

  /// Coarse: ten times the wanted error; eight mean steps of the other code at rtol 1e-4 for high orders, two for low
  /// ones.
  double first(const Series& series) const {
    if (series.contender.controlled) return std::min(1e-3, 10 * request_->error);
    if (!series.contender.ours) return 1e-3;
    const double wanted = (series.order > 2 ? 8 : 2) * advice_->reference.time_scale;
    return step(instants * std::max(1L, std::lround(length() / instants / wanted)));
  }

  bool accurate(const WorkPrecisionRow& row) const { return row.largest <= request_->error / 4; }

  /// Where the first step is smaller than need be: twice, four times as large; a tolerance ten times.
  void coarsen(Series& series, double end) const {
    if (!series.contender.ours) return;
    if (series.contender.controlled) {
      constexpr double largest = 0.01;
      for (double rtol = 10 * series.rows[0].parameter; rtol <= largest && processor_seconds() < end; rtol *= 10)
        if (!put_first(series, run(series.contender, rtol, end))) return;
      return;
    }
    long part = std::lround(length() / instants / series.rows[0].parameter);
    while (part > 1 && processor_seconds() < end) {
      part = (part + 1) / 2;
      if (!put_first(series, run(series.contender, step(instants * part), end))) return;
    }
  }
  /// False where it makes no sense to go on.
  bool put_first(Series& series, const WorkPrecisionRow& row) const {
    if (!row.failure.empty()) return false;
    series.rows.insert(series.rows.begin(), row);
    return accurate(row);
  }

  /// The next step or tolerance; sets the end where there is none.
  double refined(Series& series, double parameter) const {
    constexpr int patience = 5;
    constexpr double dear = 8, far_dearer = 15, smallest_tolerance = 1e-13;
    const WorkPrecisionRow& last = series.rows.back();
    const bool of_step = series.contender.ours && !series.contender.controlled;
    const double finer = of_step ? parameter / 2 : parameter / 10;
    if (last.failure == too_long) {
      series.end = "too dear";
    } else if (!last.failure.empty() && series.contender.controlled && !points(series).empty()) {
      series.end = "it takes no smaller tolerance";
    } else if (!last.failure.empty()) {
      int failures = 0;
      for (auto row = series.rows.rbegin(); row != series.rows.rend() && !row->failure.empty(); ++row) ++failures;
      if (failures >= patience) series.end = "it fails";
    } else if (accurate(last)) {
      series.end = "accurate enough";
    } else if (last.seconds > dear * cheapest(last.ours) ||
               (last.largest < 0.1 && foreseen(series) > far_dearer * least_foreseen(last.ours))) {
      series.end = "too dear";
    } else if (no_gain(series)) {
      series.end = "smaller steps gain nothing";
    }
    if (!of_step && finer < smallest_tolerance && series.end.empty()) series.end = "smallest tolerance";
    if (!series.end.empty()) return finer;
    // Far from the wanted error, and cheap: twice as far.
    const bool far = last.failure.empty() && of_step && last.largest < 0.1 &&
                     last.largest / request_->error > std::pow(2.0, 5 * std::max(1, series.order));
    return far ? finer / 2 : finer;
  }

  /// The last two refinements together do not even halve an error that is small.
  static bool no_gain(const Series& series) {
    const std::vector<RunPoint> all = points(series);
    if (all.size() < 3) return false;
    const RunPoint &last = all.back(), &before = all[all.size() - 3];
    return before.error < 0.1 && last.error > before.error / 2;
  }

  /// A step of which a whole number make a tenth of the run; a round one where one is at most 10 % smaller.
  double fitting(double h, long& steps) const {
    const double part = length() / instants;
    const long fewest = std::max(1L, static_cast<long>(std::ceil(part / h * (1 - 1e-9))));
    steps = fewest * instants;
    for (long count = fewest; count <= fewest + fewest / 10; ++count) {
      const double candidate = part / static_cast<double>(count);
      const double unit = std::pow(10.0, std::floor(std::log10(candidate)) - 1), digits = candidate / unit;
      if (std::abs(digits - std::round(digits)) > 1e-9 * digits) continue;
      steps = count * instants;
      return candidate;
    }
    return part / static_cast<double>(fewest);
  }

  /// The run that is advised.
  WorkPrecisionRow final_run(const Choice& choice) const {
    WorkPrecisionRow at_instants = run(choice.contender, choice.parameter, never);
    if (!choice.contender.controlled || !at_instants.failure.empty()) return at_instants;
    WorkPrecisionRow row = run(choice.contender, choice.parameter, never, at_end_);
    row.largest = std::max(row.largest, at_instants.largest);
    return row;
  }

  /// Runs the choice, with a smaller step where the error is not kept, and times it several times.
  bool verify(Choice& choice, int order, double end) const {
    constexpr int attempts = 5, timings = 15;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      if (choice.contender.controlled)
        read_number(number_text(choice.parameter, 2), choice.parameter);
      else if (choice.contender.ours)
        choice.parameter = fitting(choice.parameter, choice.steps);
      choice.run = final_run(choice);
      if (choice.contender.controlled) choice.steps = choice.run.steps;
      const bool failed = !choice.run.failure.empty();
      if (!failed && choice.run.largest <= request_->error) {
        const auto work = make(choice.contender, choice.parameter, never, advised(choice.contender));
        for (int i = 0; i < timings && processor_seconds() < end; ++i)
          choice.run.seconds = std::min(choice.run.seconds, time_once(*work).seconds);
        return true;
      }
      const double missing = failed ? 0.5 : aim * request_->error / choice.run.largest;
      choice.parameter *= choice.contender.ours && !choice.contender.controlled
                              ? (failed ? 0.7 : std::max(0.3, std::pow(missing, 1.0 / std::max(order, 1))))
                              : std::max(0.1, missing);
    }
    return false;
  }

  /// The same step by other solvers: the fastest that keeps the error.
  void try_solvers(Choice& choice, double end) const {
    for (const char* solver : {"newton-simplified", "kinsol-newton"}) {
      if (processor_seconds() >= end) return;
      Choice other = choice;
      other.contender.solver = solver;
      const WorkPrecisionRow once = run(other.contender, other.parameter, end);
      if (!once.failure.empty() || once.largest > request_->error || once.seconds > 2 * choice.run.seconds) continue;
      if (verify(other, 1, end) && other.parameter == choice.parameter && other.run.seconds < 0.95 * choice.run.seconds)
        choice = other;
    }
  }

  const Registry* registry_;
  const ProblemInstance* instance_;
  const AdviceRequest* request_;
  Advice* advice_;
  double begin_;
  TrueSolution at_end_;  ///< at the last instant alone
};

}  // namespace

Advice advise(const Registry& registry, const ProblemInstance& instance, const AdviceRequest& request,
              const std::function<void(const TrustedSolution&)>& known) {
  Advice advice;
  Adviser adviser(registry, instance, request, advice);
  advice.series = contenders(registry, instance, advice.left_out);
  const bool any = std::any_of(advice.series.begin(), advice.series.end(),
                               [](const Series& series) { return series.contender.ours; });
  if (!any) throw Error(ErrorCode::refused, "no scheme takes problem " + request.problem);
  try {
    adviser.find_truth();
    known(advice.reference);
    if (advice.reference.good_for(request.error)) adviser.advise();
  } catch (const Interrupted&) {
    advice.interrupted = true;
    advice.ours = advice.exact_energy = advice.theirs = std::nullopt;
  }
  advice.seconds = adviser.elapsed();
  return advice;
}

}  // namespace gnomon::bench
