// The store of sweeps, with runs that are made up: torn records, what is left to do, several processes, shards.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "ensembles/processes/gaps.hpp"
#include "ensembles/store/column_figures.hpp"
#include "ensembles/store/records.hpp"
#include "ensembles/sweep.hpp"
#include "gnomon/base/error.hpp"
#include "support/says.hpp"

namespace fs = std::filesystem;
using namespace gnomon;
using namespace gnomon::ensembles;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("gnomon_test_sweep_store_" + std::to_string(getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

template <class F>
void refuses(F&& function, const std::string& part) {
  BOOST_CHECK_EXCEPTION(function(), Error, test::says(part));
}

/// Run r has the variable r/10 and the figures r^2 and 1/r; every 7th fails.
void make_row(long run, std::vector<double>& values, EnsembleRow& row) {
  const auto r = static_cast<double>(run);
  values = {r / 10, r * r, 1 / r};
  row.run = run;
  row.status = run % 7 == 6 ? RunStatus::failed : RunStatus::success;
  row.values = values.data();
  row.message = row.status == RunStatus::success ? "" : "run " + std::to_string(run) + " did not get there";
}

/// Where all processes wait for the last one of them, a minute at most.
class Meeting {
 public:
  explicit Meeting(std::size_t expected) : expected_(expected) {}
  void wait(const void* process) {
    std::unique_lock<std::mutex> lock(mutex_);
    there_.insert(process);
    changed_.notify_all();
    changed_.wait_for(lock, std::chrono::minutes(1), [this] { return there_.size() == expected_; });
  }

 private:
  std::size_t expected_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<const void*> there_;
};

/// Runs on `threads` threads; which are done is added to `done`.
struct Runs {
  std::set<long>* done = nullptr;
  long fails_at = -1;          // throws there
  long stops_after = -1;       // ends as if interrupted
  Meeting* meeting = nullptr;  // after its first range

  bool operator()(int threads, EnsembleWork& work) const {
    std::mutex taking, giving;
    std::exception_ptr thrown;
    bool ended = false;
    int under_way = threads;
    long count = 0;
    std::vector<std::thread> pool;
    for (int k = 0; k < threads; ++k)
      pool.emplace_back([&] {
        std::vector<double> values;
        EnsembleRow row;
        for (long begin = 0, end = 0;;) {
          {
            const std::lock_guard<std::mutex> lock(taking);
            if (!work.take(begin, end)) break;
          }
          if (meeting) meeting->wait(done);
          for (long run = begin; run < end; ++run) {
            const std::lock_guard<std::mutex> lock(giving);
            if (ended) break;
            try {
              if (run == fails_at) throw Error(ErrorCode::bad_file, "the disk is full");
              make_row(run, values, row);
              work.done(row);
              if (done) done->insert(run);
              if (++count == stops_after) ended = true;
            } catch (...) {
              thrown = std::current_exception();
              ended = true;
            }
          }
          if (ended) work.abandon();
        }
        const std::lock_guard<std::mutex> lock(giving);
        --under_way;
      });
    for (bool more = true; more;) {
      work.tick();
      const std::lock_guard<std::mutex> lock(giving);
      more = under_way > 0;
    }
    for (std::thread& thread : pool) thread.join();
    if (thrown) std::rethrow_exception(thrown);
    return !ended;
  }
};

Json::Value definition_of_runs(long runs) {
  Json::Value out;
  out["problem"] = "made up";
  out["vary"].append("x=list(...)");
  for (const char* name : {"x", "square", "inverse"}) out["columns"].append(name);
  out["runs"] = Json::Int64(runs);
  out["seed"] = 1;
  return out;
}

SweepJob job_of(long runs, Runs how = {}, const Shard& shard = {}) {
  SweepJob job;
  job.definition = definition_of_runs(runs);
  if (shard.count > 1) job.definition["shard"] = shard.text();
  job.begin = shard.begin(runs);
  job.end = shard.end(runs);
  job.run = how;
  return job;
}

SweepSettings settings_of(const std::string& output, bool resume = false, int threads = 1) {
  SweepSettings settings;
  settings.output = output;
  settings.resume = resume;
  settings.threads = threads;
  return settings;
}

SweepResult sweep(const SweepJob& job, const SweepSettings& settings) {
  return run_sweep(
      *single_process(), [&job] { return job; }, settings);
}

/// Processes that are threads.
struct Office {
  std::mutex mutex;
  std::vector<std::deque<std::pair<int, std::string>>> boxes;
};
class Clerk final : public Processes {
 public:
  Clerk(Office& office, int rank) : office_(&office), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(office_->boxes.size()); }
  int on_this_host() const override { return size(); }
  const std::string& host() const override { return host_; }
  void send(int to, const std::string& message) override {
    const std::lock_guard<std::mutex> lock(office_->mutex);
    office_->boxes[static_cast<std::size_t>(to)].emplace_back(rank_, message);
  }
  bool receive(int& from, std::string& message) override {
    const std::lock_guard<std::mutex> lock(office_->mutex);
    auto& box = office_->boxes[static_cast<std::size_t>(rank_)];
    if (box.empty()) return false;
    std::tie(from, message) = box.front();
    box.pop_front();
    return true;
  }
  [[noreturn]] void abort(int) override { std::abort(); }

 private:
  Office* office_;
  int rank_;
  std::string host_ = "here";
};

/// The sentences that the ranks end with, "" where all is well.
std::vector<std::string> sweep_together(const std::vector<SweepJob>& jobs, const SweepSettings& settings,
                                        std::vector<SweepResult>& results) {
  Office office;
  office.boxes.resize(jobs.size());
  std::vector<std::string> sentences(jobs.size());
  results.resize(jobs.size());
  std::vector<std::thread> ranks;
  for (std::size_t r = 0; r < jobs.size(); ++r)
    ranks.emplace_back([&, r] {
      Clerk clerk(office, static_cast<int>(r));
      try {
        results[r] = run_sweep(
            clerk, [&] { return jobs[r]; }, settings);
      } catch (const Error& error) {
        sentences[r] = error.what();
      }
    });
  for (std::thread& rank : ranks) rank.join();
  return sentences;
}

}  // namespace

BOOST_AUTO_TEST_CASE(gaps_are_handed_out_once) {
  Gaps gaps;
  gaps.add(3, 5);
  gaps.add(5, 9);
  gaps.add(20, 21);
  BOOST_TEST(gaps.left() == 7);
  std::vector<long> got;
  for (long begin = 0, end = 0; gaps.take(2, 3, begin, end);)
    for (long run = begin; run < end; ++run) got.push_back(run);
  BOOST_TEST(got == (std::vector<long>{3, 4, 5, 6, 7, 8, 20}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(shards_are_a_partition) {
  for (const long runs : {1L, 7L, 100L, 1000000000L})
    for (const long count : {1L, 3L, 8L, 100L}) {
      long next = 0;
      for (long i = 1; i <= count; ++i) {
        BOOST_TEST(Shard({i, count}).begin(runs) == next);
        next = Shard({i, count}).end(runs);
      }
      BOOST_TEST(next == runs);
    }
}

BOOST_AUTO_TEST_CASE(figures_of_columns) {
  ColumnFigures figures;
  for (long run = 0; run < 101; ++run) figures.add(run, static_cast<double>(run) - 50);
  figures.add(7, std::nan(""));
  BOOST_TEST(figures.count() == 101);
  BOOST_TEST(figures.least() == -50);
  BOOST_TEST(figures.largest() == 50);
  BOOST_TEST(figures.run_of_largest() == 100);
  BOOST_TEST(figures.median() == 0);
  ColumnFigures many;
  for (long run = 0; run < 100001; ++run) many.add(run, 1 + static_cast<double>(run) * 1e-5);
  BOOST_TEST(many.median() == 1.5, boost::test_tools::tolerance(1.0 / 256));
}

BOOST_AUTO_TEST_CASE(records_that_are_torn_are_not_there) {
  const Folder folder;
  constexpr long runs = 100, first = 10;
  std::vector<double> values;
  EnsembleRow row;
  {
    RecordWriter one(folder.path.string(), 0, first, 3), two(folder.path.string(), 1, first, 3);
    for (long run = first + runs - 1; run >= first; --run) {
      if (run == 50) continue;
      make_row(run, values, row);
      if (row.status != RunStatus::success) row.message += std::string(300, 'x') + "\xc3\xa4";
      (run % 2 ? one : two).write(row);
    }
  }
  const auto there = [&] {
    std::set<long> found;
    RecordReader reader(folder.path.string(), first, first + runs, 3);
    reader.blocks([&](const RecordBlock& block) {
      for (std::size_t i = 0; i < block.status.size(); ++i)
        if (block.status[i] != 0) {
          const long run = block.begin + static_cast<long>(i);
          make_row(run, values, row);
          BOOST_TEST(block.status[i] == static_cast<std::uint32_t>(row.status) + 1);
          for (std::size_t j = 0; j < 3; ++j) BOOST_TEST(block.values[3 * i + j] == values[j]);
          found.insert(run);
        }
    });
    BOOST_TEST(reader.message(13).rfind("run 13 did not get there", 0) == 0u);
    BOOST_TEST(reader.message(13).size() <= 248u);
    BOOST_TEST(reader.message(14).empty());
    return found;
  };
  BOOST_TEST(there().size() == static_cast<std::size_t>(runs - 1));
  BOOST_TEST(there().count(50) == 0u);
  // A byte of run 30, in any place of its record.
  constexpr long record = 8 + 3 * 8;
  for (const long byte : {0L, 3L, 4L, 8L, 20L, 31L}) {
    const std::string name = folder.file("rank-1.runs");
    const std::string before = bytes_of(name);
    std::string torn = before;
    torn[static_cast<std::size_t>((30 - first) * record + byte)] ^= 1;
    std::ofstream(name, std::ios::binary) << torn;
    BOOST_TEST(there().count(30) == 0u);
    BOOST_TEST(there().size() == static_cast<std::size_t>(runs - 2));
    std::ofstream(name, std::ios::binary) << before;
  }
  // A file that ends within a record.
  fs::resize_file(folder.file("rank-0.runs"), static_cast<std::uintmax_t>((109 - first) * record + 5));
  BOOST_TEST(there().count(109) == 0u);
  BOOST_TEST(there().size() == static_cast<std::size_t>(runs - 2));
}

BOOST_AUTO_TEST_CASE(a_sweep_that_is_stopped_goes_on) {
  const Folder folder;
  const std::string whole = folder.file("whole.h5"), parts = folder.file("parts.h5");
  const SweepResult result = sweep(job_of(1000), settings_of(whole, false, 3));
  BOOST_TEST((result.end == SweepEnd::complete));
  BOOST_TEST(result.summary.runs == 1000);
  BOOST_TEST(result.summary.counts[1] == 142);
  BOOST_TEST(result.summary.failures.front().message == "run 6 did not get there");
  BOOST_TEST(!fs::exists(whole + ".part"));

  std::set<long> done;
  long before = 0;
  for (int round = 0; round < 3; ++round) {
    const SweepResult part = sweep(job_of(1000, {&done, -1, 200}), settings_of(parts, round > 0, 2));
    BOOST_TEST((part.end == SweepEnd::interrupted));
    BOOST_TEST(part.before == before);
    BOOST_TEST(part.done == 200);
    before += 200;
    BOOST_TEST(!fs::exists(parts));
  }
  BOOST_TEST(done.size() == 600u);  // none twice
  refuses([&] { sweep(job_of(1000), settings_of(parts)); }, "--resume goes on with it");
  refuses([&] { sweep(job_of(999), settings_of(parts, true)); }, "runs is 1000 there and 999 here");
  const SweepResult last = sweep(job_of(1000, {&done}), settings_of(parts, true));
  BOOST_TEST(last.done == 400);
  BOOST_TEST(done.size() == 1000u);
  BOOST_TEST((bytes_of(whole) == bytes_of(parts)));
  BOOST_TEST((sweep(job_of(1000), settings_of(parts, true)).end == SweepEnd::was_complete));
  refuses([&] { sweep(job_of(1000), settings_of(parts)); }, "exists");
  refuses([&] { sweep(job_of(7), settings_of(parts, true)); }, "another sweep");
  BOOST_TEST((bytes_of(whole) == bytes_of(parts)));
}

BOOST_AUTO_TEST_CASE(an_error_leaves_what_was_done) {
  const Folder folder;
  const std::string output = folder.file("x.jsonl");
  refuses([&] { sweep(job_of(100, {nullptr, 60}), settings_of(output)); }, "the disk is full");
  BOOST_TEST(!fs::exists(output));
  const SweepResult result = sweep(job_of(100), settings_of(output, true));
  BOOST_TEST(result.before > 0);
  BOOST_TEST(result.before + result.done == 100);
  BOOST_TEST((sweep(job_of(100), settings_of(output, true)).end == SweepEnd::was_complete));
}

BOOST_AUTO_TEST_CASE(what_is_in_the_way_stays) {
  const Folder folder;
  const std::string output = folder.file("x.h5");
  std::ofstream(output) << "no table";
  refuses([&] { sweep(job_of(10), settings_of(output)); }, "exists");
  refuses([&] { sweep(job_of(10), settings_of(output, true)); }, "is no HDF5 file");
  BOOST_TEST(bytes_of(output) == "no table");
  fs::remove(output);
  fs::create_directory(output + ".part");
  std::ofstream(output + ".part/letter") << "dear";
  refuses([&] { sweep(job_of(10), settings_of(output, true)); }, "no folder of a sweep");
  BOOST_TEST(bytes_of(output + ".part/letter") == "dear");
  fs::remove_all(output + ".part");
  refuses([&] { sweep(job_of(10), settings_of(folder.file("x.xml"))); }, ".xml");
  refuses([&] { sweep(job_of(10), settings_of(folder.file("no/x.h5"))); }, "cannot be made");
  BOOST_TEST(fs::is_empty(folder.path));
}

BOOST_AUTO_TEST_CASE(processes_share_the_runs) {
  const Folder folder;
  const std::string alone = folder.file("alone.h5"), shared = folder.file("shared.h5");
  constexpr long runs = 20000;
  sweep(job_of(runs), settings_of(alone));
  std::vector<std::set<long>> done(3);
  std::vector<SweepJob> jobs;
  Meeting meeting(3);  // whoever of them comes late to a busy machine
  for (auto& set : done) jobs.push_back(job_of(runs, {&set, -1, -1, &meeting}));
  std::vector<SweepResult> results;
  for (const std::string& sentence : sweep_together(jobs, settings_of(shared, false, 2), results))
    BOOST_TEST(sentence == "");
  BOOST_TEST(results[0].done == runs);
  BOOST_TEST(done[0].size() + done[1].size() + done[2].size() == static_cast<std::size_t>(runs));
  for (const auto& set : done) BOOST_TEST(!set.empty());
  BOOST_TEST((bytes_of(alone) == bytes_of(shared)));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_one_process_ends_all) {
  const Folder folder;
  const std::string output = folder.file("x.h5");
  std::vector<SweepResult> results;
  std::vector<SweepJob> jobs{job_of(5000), job_of(5000), job_of(4000)};
  for (const std::string& sentence : sweep_together(jobs, settings_of(output), results))
    BOOST_TEST(sentence == "process 2 on here has another sweep than process 0: runs is 5000 there and 4000 here");
  BOOST_TEST(fs::is_empty(folder.path));

  // An error in the runs of one, whichever they are.
  jobs = {job_of(5000), job_of(5000), job_of(5000)};
  for (SweepJob& job : jobs) job.run = Runs{nullptr, 2500};
  for (const std::string& sentence : sweep_together(jobs, settings_of(output), results))
    BOOST_TEST(sentence == "the disk is full");
  // An interrupt of one.
  jobs = {job_of(5000), job_of(5000, {nullptr, -1, 5}), job_of(5000)};
  for (const std::string& sentence : sweep_together(jobs, settings_of(output, true), results))
    BOOST_TEST(sentence == "");
  if (results[0].end == SweepEnd::interrupted) sweep_together({job_of(5000)}, settings_of(output, true), results);
  BOOST_TEST((results[0].end == SweepEnd::complete));
  sweep(job_of(5000), settings_of(folder.file("alone.h5")));
  BOOST_TEST((bytes_of(folder.file("alone.h5")) == bytes_of(output)));
}

BOOST_AUTO_TEST_CASE(shards_are_put_together) {
  const Folder folder;
  const auto file = [&folder](int k) { return folder.file("part" + std::to_string(k) + ".h5"); };
  for (int k = 1; k <= 3; ++k) sweep(job_of(3001, {}, {k, 3}), settings_of(file(k)));
  sweep(job_of(3001), settings_of(folder.file("whole.h5")));
  sweep(job_of(3001, {}, {1, 2}), settings_of(folder.file("half.h5")));
  sweep(job_of(3000, {}, {1, 3}), settings_of(folder.file("other.h5")));
  const std::string out = folder.file("out.h5");
  refuses([&] { merge_shards(out, {file(1), file(3)}); }, "shard 2/3 is missing");
  refuses([&] { merge_shards(out, {file(1), file(3), file(1)}); }, "is shard 1/3, as");
  refuses([&] { merge_shards(out, {file(1), folder.file("half.h5")}); }, "is shard 1/2");
  refuses([&] { merge_shards(out, {file(2), folder.file("other.h5")}); }, "runs is 3000 there and 3001 here");
  refuses([&] { merge_shards(out, {folder.file("whole.h5")}); }, "no shard");
  refuses([&] { merge_shards(out, {folder.file("part1.csv")}); }, "is no .h5 file");
  refuses([&] { merge_shards(file(1), {file(1), file(2), file(3)}); }, "exists");
  BOOST_TEST(!fs::exists(out));
  merge_shards(out, {file(3), file(1), file(2)});
  BOOST_TEST((bytes_of(out) == bytes_of(folder.file("whole.h5"))));
}
