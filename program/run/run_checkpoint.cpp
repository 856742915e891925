#include "program/run/run_checkpoint.hpp"

#include <json/json.h>

#include <memory>

#include "gnomon/base/error.hpp"
#include "gnomon/run/checkpoint.hpp"
#include "program/arguments.hpp"
#include "program/run/provenance.hpp"
#include "report/json.hpp"

namespace gnomon::program {

namespace {

void take(const Json::Value& from, std::string& value) {
  value = from.asString();
}
void take(const Json::Value& from, bool& value) {
  value = from.asBool();
}
void take(const Json::Value& from, Assignments& values) {
  values.clear();
  for (const auto& value : from) add_assignment(values, value.asString(), "the checkpoint");
}

/// What a checkpoint fixes, by flag.
Json::Value fixed(const RunArguments& arguments) {
  Json::Value out;
  out["PROBLEM"] = arguments.problem;
  what_is_run(arguments, [&](const char*, const char* flag, const auto& value) {
    if constexpr (std::is_same_v<decltype(value), const Assignments&>)
      out[flag] = texts_json(value);
    else
      out[flag] = value;
  });
  return out;
}

std::string note_of(const RunArguments& arguments) {
  Json::Value note = fixed(arguments);
  note["--until"] = arguments.until;
  note["--steps"] = arguments.steps;
  return validation::json_text(note);
}

}  // namespace

RunArguments with_checkpoint(const RunArguments& given) {
  const std::string& file = *given.restart;
  const Checkpoint checkpoint = read_checkpoint(file);
  RunArguments arguments = given;
  const Json::Value now = fixed(given), untouched = fixed(RunArguments());
  for (const std::string& flag : now.getMemberNames())
    if (now[flag] != untouched[flag])
      throw Error(ErrorCode::bad_value,
                  flag + " is given with --restart, and checkpoint \"" + file + "\" says already what it is");
  Json::Value note;
  std::string complaint;
  const std::unique_ptr<Json::CharReader> reader(Json::CharReaderBuilder().newCharReader());
  const char* text = checkpoint.note.data();
  if (!reader->parse(text, text + checkpoint.note.size(), &note, &complaint) || !note.isObject() ||
      !note.isMember("PROBLEM"))
    throw Error(ErrorCode::bad_file, "checkpoint \"" + file + "\" was not written by gnomon run");
  try {
    take(note["PROBLEM"], arguments.problem);
    what_is_run(arguments, [&](const char*, const char* flag, auto& value) { take(note[flag], value); });
    if (given.until.empty() && given.steps.empty()) {
      take(note["--until"], arguments.until);
      take(note["--steps"], arguments.steps);
    }
  } catch (const Json::Exception&) {
    throw Error(ErrorCode::bad_file, "checkpoint \"" + file + "\" holds arguments that are none of gnomon run");
  }
  return arguments;
}

long parse_checkpoint_every(const RunArguments& arguments) {
  if (!arguments.checkpoint_every) return 0;
  if (!arguments.checkpoint)
    throw Error(ErrorCode::bad_value, "--checkpoint-every is given without --checkpoint, the file to write");
  return parse_count(*arguments.checkpoint_every, "--checkpoint-every", 1);
}

CheckpointWriter::CheckpointWriter(const RunArguments& arguments, const Integrator& integrator, long every)
    : file_(*arguments.checkpoint), note_(note_of(arguments)), integrator_(&integrator), every_(every) {
  write();
}

bool CheckpointWriter::observe(const State&, long step) {
  if (every_ > 0 && step % every_ == 0) try {
      write();
    } catch (const Error&) {
      // A full disk now is none in the end, perhaps: finish() tries again, and says it.
    }
  return true;
}

void CheckpointWriter::finish() {
  if (integrator_->counters().steps != written_) write();
}

void CheckpointWriter::write() {
  integrator_->save(file_, note_);
  written_ = integrator_->counters().steps;
}

}  // namespace gnomon::program
