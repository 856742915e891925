#include "ensembles/sweep.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "ensembles/processes/shared_work.hpp"
#include "ensembles/processes/team.hpp"
#include "ensembles/store/part_folder.hpp"
#include "gnomon/base/error.hpp"

namespace gnomon::ensembles {

namespace {

std::size_t width_of(const Json::Value& definition) {
  return definition["columns"].size();
}

/// What is still to be done.
Gaps gaps_in(const PartFolder& folder, const SweepJob& job) {
  Gaps gaps;
  RecordReader reader(folder.path(), job.begin, job.end, width_of(job.definition));
  reader.blocks([&gaps](const RecordBlock& block) {
    for (std::size_t i = 0; i < block.status.size(); ++i)
      if (block.status[i] == 0) gaps.add(block.begin + static_cast<long>(i), block.begin + static_cast<long>(i) + 1);
  });
  return gaps;
}

SweepSummary table_of(const PartFolder& folder, const SweepJob& job, const std::string& output) {
  const std::size_t width = width_of(job.definition);
  RecordReader reader(folder.path(), job.begin, job.end, width);
  const auto rows = [&](const UseRow& use) {
    reader.blocks([&](const RecordBlock& block) {
      for (std::size_t i = 0; i < block.status.size(); ++i) {
        const long run = block.begin + static_cast<long>(i);
        if (block.status[i] == 0)
          throw Error(ErrorCode::bad_file,
                      fmt::format("run {} is not in \"{}\" any more: --resume does it again", run, folder.path()));
        use(run, static_cast<RunStatus>(block.status[i] - 1), block.values.data() + i * width);
      }
    });
  };
  return write_table(output, job.definition, rows, [&reader](long run) { return reader.message(run); });
}

/// What rank 0 tells the others at the beginning: what they work on, and where.
std::string invitation(const PartFolder& folder, const SweepJob& job) {
  Json::Value out;
  out["folder"] = folder.path();
  out["token"] = folder.token();
  out["finished"] = folder.finished();
  out["definition"] = job.definition;
  return line_of(out);
}

/// Throws where this process has another job than rank 0, or another file system.
void accept(const Json::Value& invited, const SweepJob& job, const Processes& processes) {
  const std::string differs = difference(invited["definition"], job.definition);
  if (!differs.empty())
    throw Error(ErrorCode::refused, fmt::format("process {} on {} has another sweep than process 0: {}",
                                                processes.rank(), processes.host(), differs));
  const std::string sentence =
      unseen(invited["folder"].asString(), invited["token"].asString(), processes.rank(), processes.host());
  if (!sentence.empty()) throw Error(ErrorCode::refused, sentence);
}

}  // namespace

SweepJob sweep_job(const Ensemble& ensemble, const Shard& shard, const Json::Value& origin) {
  SweepJob job;
  job.definition = definition_of(ensemble, shard, origin);
  job.begin = shard.begin(ensemble.runs());
  job.end = shard.end(ensemble.runs());
  job.run = [&ensemble](int threads, EnsembleWork& work) { return ensemble.run(threads, work); };
  return job;
}

SweepResult run_sweep(Processes& processes, const std::function<SweepJob()>& prepare, const SweepSettings& settings) {
  Team team(processes);
  SweepJob job;
  team.together([&] {
    job = prepare();
    if (job.begin >= job.end)
      throw Error(ErrorCode::bad_value, "the shard has no runs: there are fewer runs than shards");
    table_head(settings.output, job.definition);
  });
  std::unique_ptr<PartFolder> folder;
  Gaps gaps;
  team.together([&] {
    if (!team.leads()) return;
    folder = std::make_unique<PartFolder>(settings.output, job.definition, settings.resume);
    if (!folder->finished()) gaps = gaps_in(*folder, job);
  });
  const Json::Value invited =
      object_of(team.from_leader(team.leads() ? invitation(*folder, job) : std::string()), "what process 0 sent");
  SweepResult result;
  if (invited["finished"].asBool()) {
    if (team.leads() && settings.resume) folder->remove();
    result.end = SweepEnd::was_complete;
    result.before = job.end - job.begin;
    return result;
  }
  result.before = job.end - job.begin - gaps.left();

  std::unique_ptr<SharedWork> work;
  const auto begin = [&] {
    if (!team.leads()) accept(invited, job, processes);
    auto writer = std::make_unique<RecordWriter>(invited["folder"].asString(), processes.rank(), job.begin,
                                                 width_of(job.definition));
    work = std::make_unique<SharedWork>(team, std::move(gaps), std::move(writer), settings, job.end - job.begin);
  };
  try {
    team.together(begin);
  } catch (const Error&) {
    work.reset();
    if (folder && folder->is_new()) folder->remove();
    throw;
  }
  const auto start = std::chrono::steady_clock::now();
  const std::string sentence = work->run(job.run);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  team.agree(sentence);
  result.done = work->done();
  if (team.from_leader(work->interrupted() ? "interrupted" : "") == "interrupted") {
    result.end = SweepEnd::interrupted;
    return result;
  }
  work.reset();
  team.together([&] {
    if (!team.leads()) return;
    result.summary = table_of(*folder, job, settings.output);
    folder->remove();
  });
  return result;
}

}  // namespace gnomon::ensembles
