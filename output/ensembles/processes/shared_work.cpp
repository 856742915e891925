#include "ensembles/processes/shared_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <thread>

#include "gnomon/base/interrupt.hpp"

namespace gnomon::ensembles {

namespace {

constexpr long most_for_thread = 256;         // runs that one thread takes at once
constexpr long most_for_process = 64 * 1024;  // and a process
constexpr auto between_messages = std::chrono::milliseconds(200);
constexpr auto patience = std::chrono::seconds(5);  // for other processes, after a signal
constexpr int status_of_signal = 130;

}  // namespace

SharedWork::SharedWork(Team& team, Gaps gaps, std::unique_ptr<RecordWriter> writer, const SweepSettings& settings,
                       long runs)
    : team_(&team),
      settings_(&settings),
      writer_(std::move(writer)),
      runs_(runs),
      before_(runs - gaps.left()),
      gaps_(std::move(gaps)),
      tallies_(static_cast<std::size_t>(team.size())),
      left_(static_cast<std::size_t>(team.size())),
      told_(Clock::now()) {}

SharedWork::Tally SharedWork::own() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return own_;
}

SharedWork::Tally SharedWork::total() const {
  Tally sum = own();
  for (const Tally& one : tallies_) {
    sum.done += one.done;
    sum.failed += one.failed;
  }
  return sum;
}

long SharedWork::done() const {
  return total().done;
}

bool SharedWork::take(long& begin, long& end) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (team_->leads() && hand_.left() == 0 && !over_) {
    long first = 0, last = 0;
    if (gaps_.take(team_->size(), most_for_process, first, last))
      hand_.add(first, last);
    else
      over_ = true;
  }
  more_.wait(lock, [this] { return over_ || hand_.left() > 0; });
  return hand_.take(settings_->threads, most_for_thread, begin, end);
}

void SharedWork::done(const EnsembleRow& row) {
  writer_->write(row);
  const std::lock_guard<std::mutex> lock(mutex_);
  ++own_.done;
  if (row.status != RunStatus::success) ++own_.failed;
}

void SharedWork::abandon() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
    hand_ = Gaps();
    gaps_ = Gaps();
  }
  more_.notify_all();
}

void SharedWork::stop_runs() {
  if (settings_->stop) set_flag(*settings_->stop, 1);
  abandon();
}

void SharedWork::stop_all() {
  if (!stopped_) team_->send_all("stop");
  stopped_ = true;
  stop_runs();
}

void SharedWork::tick() {
  if (flag_is_set(settings_->caught) && !interrupted_) {
    interrupted_ = true;
    if (team_->leads())
      stop_all();
    else
      stop_runs();
  }
  if (team_->leads())
    serve();
  else
    ask_and_tell();
}

void SharedWork::ask_and_tell() {
  std::string message, word;
  while (team_->next(0, message)) {
    std::istringstream words(message);
    long begin = 0, end = 0;
    words >> word >> begin >> end;
    if (word == "stop") stop_runs();
    asked_ = asked_ && word == "stop";
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (word == "none") over_ = true;
      if (word == "range" && !over_) hand_.add(begin, end);
      given_ = end - begin;
    }
    more_.notify_all();
  }
  bool ask = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ask = !asked_ && !over_ && hand_.left() <= given_ / 2;
  }
  const Clock::time_point now = Clock::now();
  if (!ask && now < told_ + between_messages) return;
  const Tally tally = own();
  team_->send(0, fmt::format("{} {} {}", ask ? "ask" : "done", tally.done, tally.failed));
  asked_ = asked_ || ask;
  told_ = now;
}

void SharedWork::answer(int rank, const std::string& message) {
  const auto r = static_cast<std::size_t>(rank);
  std::istringstream words(message);
  std::string word;
  words >> word >> tallies_[r].done >> tallies_[r].failed;
  if (word == "left" || word == "broken") left_[r] = true;
  if (word == "broken") stop_all();
  if (word != "ask") return;
  long begin = 0, end = 0;
  bool some = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    some = gaps_.take(team_->size(), most_for_process, begin, end);
  }
  team_->send(rank, some ? fmt::format("range {} {}", begin, end) : "none");
}

void SharedWork::serve() {
  std::string message;
  for (int rank = 1; rank < team_->size(); ++rank)
    while (!left_[static_cast<std::size_t>(rank)] && team_->next(rank, message)) answer(rank, message);
  const Tally sum = total();
  if (settings_->progress) settings_->progress({runs_, before_ + sum.done, sum.failed, before_});
}

void SharedWork::wait_for_others() {
  Clock::time_point quiet = Clock::now();
  while (std::find(left_.begin() + 1, left_.end(), false) != left_.end()) {
    tick();
    if (!interrupted_) quiet = Clock::now();
    if (Clock::now() > quiet + patience) team_->processes().abort(status_of_signal);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::string SharedWork::run(const std::function<bool(int, EnsembleWork&)>& ensemble) {
  std::string sentence;
  bool reached = false;
  try {
    reached = ensemble(settings_->threads, *this);
  } catch (const std::exception& error) {
    sentence = error.what();
  }
  if (team_->leads()) {
    if (!reached && team_->size() > 1) stop_all();
    wait_for_others();
    // Where another process was interrupted, runs are missing; a signal after the last run has ended nothing.
    interrupted_ = before_ + total().done < runs_;
    return sentence;
  }
  const Tally tally = own();
  team_->send(0, fmt::format("{} {} {}", reached ? "left" : "broken", tally.done, tally.failed));
  return sentence;
}

}  // namespace gnomon::ensembles
