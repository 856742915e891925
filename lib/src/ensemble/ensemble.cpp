#include "gnomon/ensemble/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>

#include "ensemble/ensemble_run.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/interrupt.hpp"

namespace gnomon {

namespace {

constexpr auto tick_interval = std::chrono::milliseconds(2);
/// So many of the first runs may be refused before all are taken to be.
constexpr long first_tries = 64;

Error both(const std::string& name) {
  return {ErrorCode::bad_value,
          "\"" + name + "\" is both a variable and a figure that is kept: call the variable set." + name};
}

}  // namespace

const char* to_string(RunStatus status) {
  switch (status) {
    case RunStatus::success:
      return "success";
    case RunStatus::failed:
      return "failed";
    case RunStatus::refused:
      return "refused";
    case RunStatus::promise_broken:
      return "promise broken";
    default:
      return "time limit";
  }
}

std::vector<std::string> run_statuses() {
  std::vector<std::string> names;
  for (int k = 0; k <= static_cast<int>(RunStatus::time_limit); ++k)
    names.emplace_back(to_string(static_cast<RunStatus>(k)));
  return names;
}

bool RangeOfRuns::take(long workers, long& begin, long& end) {
  if (left() <= 0) return false;
  begin = next_;
  next_ += std::clamp(left() / (8 * std::max(workers, 1L)), 1L, 4096L);
  end = next_;
  return true;
}

struct Ensemble::Impl {
  const Registry* registry;
  EnsembleSetup setup;
  Design design;
  std::vector<Place> places;
  std::vector<std::string> columns;

  Impl(const Registry& r, EnsembleSetup s, Design d) : registry(&r), setup(std::move(s)), design(std::move(d)) {}

  /// Throws Error(bad_value) for a setup that contradicts itself.
  void check() const {
    const auto wrong = [](const std::string& sentence) { throw Error(ErrorCode::bad_value, sentence); };
    const bool tolerance = setup.tolerances || varies(places, Target::relative_tolerance);
    const bool step = setup.step != 0 || varies(places, Target::step);
    if (tolerance && step) wrong("both a step and a tolerance are given: steps are of one size or of a tolerance");
    if (!tolerance && !step) wrong("neither a step nor a tolerance is given");
    if (tolerance && setup.steps > 0) wrong("both a tolerance and a number of steps are given");
    const bool until = setup.until != 0 || varies(places, Target::until);
    if (until && setup.steps > 0) wrong("both an end time and a number of steps are given");
    if (!until && setup.steps <= 0) wrong("neither an end time nor a number of steps is given");
    if (!(setup.time_limit >= 0) || !std::isfinite(setup.time_limit))
      wrong("the time limit is " + number_text(setup.time_limit) + " s: expected a number of seconds, or 0 for none");
  }

  /// The first run that is not refused gives the columns.
  void find_columns() {
    std::exception_ptr first;
    for (long run = 0; run < std::min(design.runs(), first_tries); ++run) {
      EnsembleRunner runner(*registry, setup, design, places);
      try {
        runner.prepare(run);
        for (const Variable& variable : design.variables()) columns.push_back(variable.name);
        for (const std::string& name : runner.figures().columns()) {
          if (std::find(columns.begin(), columns.end(), name) != columns.end()) throw both(name);
          columns.push_back(name);
        }
        return;
      } catch (const Error& error) {
        if (error.code() == ErrorCode::unknown_name) throw;
        columns.clear();
        if (!first) first = std::current_exception();
      }
    }
    std::rethrow_exception(first);
  }
};

Ensemble::Ensemble(const Registry& registry, EnsembleSetup setup, Design design)
    : impl_(std::make_unique<Impl>(registry, std::move(setup), std::move(design))) {
  for (const Variable& variable : impl_->design.variables()) {
    impl_->places.push_back(place_of(registry, impl_->setup, variable));
    for (const std::string& word : variable.values.words()) {
      if (impl_->places.back().target == Target::scheme) registry.scheme(word);
      if (impl_->places.back().target == Target::solver) registry.solver(word);
    }
  }
  impl_->check();
  impl_->find_columns();
}
Ensemble::~Ensemble() = default;

const Design& Ensemble::design() const {
  return impl_->design;
}
const EnsembleSetup& Ensemble::setup() const {
  return impl_->setup;
}
const std::vector<std::string>& Ensemble::columns() const {
  return impl_->columns;
}

Assignments Ensemble::assignments(long run) const {
  std::vector<double> values;
  impl_->design.values(run, values);
  Assignments assignments;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const Variable& variable = impl_->design.variables()[j];
    assignments.emplace_back(variable.name, variable.values.value_text(values[j]));
  }
  return assignments;
}

bool Ensemble::run(int threads, EnsembleWork& work) const {
  if (threads < 1) throw Error(ErrorCode::bad_value, "the number of threads is below 1");
  std::deque<EnsembleRunner> runners;
  for (int k = 0; k < threads; ++k)
    runners.emplace_back(*impl_->registry, impl_->setup, impl_->design, impl_->places, columns().size());
  std::mutex taking, giving, waiting;  // of work.take, of work.done, of what follows
  std::condition_variable one_ended;
  int under_way = threads;
  bool ending = false;
  std::exception_ptr thrown;

  const auto end_early = [&](std::exception_ptr why) {
    {
      const std::lock_guard<std::mutex> lock(waiting);
      if (!thrown) thrown = why;
      if (ending) return;
      ending = true;
    }
    for (EnsembleRunner& runner : runners) runner.stop();
    work.abandon();
  };
  const auto is_ending = [&] {
    const std::lock_guard<std::mutex> lock(waiting);
    return ending;
  };
  const auto run_all = [&](EnsembleRunner& runner) {
    try {
      EnsembleRow row;
      for (long begin = 0, end = 0; !is_ending();) {
        {
          const std::lock_guard<std::mutex> lock(taking);
          if (!work.take(begin, end)) break;
        }
        for (long run = begin; run < end && runner.run(run, row); ++run) {
          const std::lock_guard<std::mutex> lock(giving);
          work.done(row);
        }
      }
    } catch (...) {
      end_early(std::current_exception());
    }
    const std::lock_guard<std::mutex> lock(waiting);
    --under_way;
    one_ended.notify_one();
  };

  std::vector<std::thread> pool;
  for (EnsembleRunner& runner : runners) pool.emplace_back(run_all, std::ref(runner));
  for (bool more = true; more;) {
    {
      std::unique_lock<std::mutex> lock(waiting);
      one_ended.wait_for(lock, tick_interval, [&] { return under_way == 0; });
      more = under_way > 0;
    }
    if (flag_is_set(impl_->setup.integrator.interrupt)) end_early(nullptr);
    for (EnsembleRunner& runner : runners) runner.check_time();
    try {
      work.tick();
    } catch (...) {
      end_early(std::current_exception());
    }
  }
  for (std::thread& thread : pool) thread.join();
  if (thrown) std::rethrow_exception(thrown);
  return !ending;
}

}  // namespace gnomon
