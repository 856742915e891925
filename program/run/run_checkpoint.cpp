#include "program/run/run_checkpoint.hpp"

#include <json/json.h>

#include <memory>

#include "gnomon/base/error.hpp"
#include "gnomon/run/checkpoint.hpp"
#include "program/arguments.hpp"
#include "report/json.hpp"

namespace gnomon::program {

namespace {

/// Calls f with the name and the value of every argument that a checkpoint keeps.
template <class Arguments, class F>
void kept_arguments(Arguments& a, F f) {
  f("PROBLEM", a.problem);
  f("--scheme", a.scheme);
  f("--solver", a.solver);
  f("--step", a.step);
  f("--rtol", a.rtol);
  f("--atol", a.atol);
  f("--jacobian", a.jacobian);
  f("--fallback", a.fallback);
  f("--max-halvings", a.max_halvings);
  f("--set", a.set);
  f("--option", a.options);
  f("--solver-option", a.solver_options);
  f("--contact", a.contact);
  f("--project-start", a.project_start);
  f("--dependent-constraints", a.dependent_constraints);
}

void put(Json::Value& to, const std::string& value) {
  to = value;
}
void put(Json::Value& to, bool value) {
  to = value;
}
void put(Json::Value& to, const std::vector<std::string>& values) {
  to = Json::Value(Json::arrayValue);
  for (const auto& value : values) to.append(value);
}
void take(const Json::Value& from, std::string& value) {
  value = from.asString();
}
void take(const Json::Value& from, bool& value) {
  value = from.asBool();
}
void take(const Json::Value& from, std::vector<std::string>& values) {
  values.clear();
  for (const auto& value : from) values.push_back(value.asString());
}

std::string note_of(const RunArguments& arguments) {
  Json::Value note;
  kept_arguments(arguments, [&](const char* name, const auto& value) { put(note[name], value); });
  put(note["--until"], arguments.until);
  put(note["--steps"], arguments.steps);
  return validation::json_text(note);
}

}  // namespace

RunArguments with_checkpoint(const RunArguments& given) {
  const std::string& file = *given.restart;
  const Checkpoint checkpoint = read_checkpoint(file);
  RunArguments untouched, arguments = given;
  std::vector<std::string> changed;
  kept_arguments(untouched, [&](const char* name, const auto& standard) {
    kept_arguments(given, [&](const char* other, const auto& value) {
      if constexpr (std::is_same_v<decltype(standard), decltype(value)>)
        if (std::string(name) == other && value != standard) changed.emplace_back(name);
    });
  });
  if (!changed.empty())
    throw Error(ErrorCode::bad_value,
                changed.front() + " is given with --restart, and checkpoint \"" + file + "\" says already what it is");
  Json::Value note;
  std::string complaint;
  const std::unique_ptr<Json::CharReader> reader(Json::CharReaderBuilder().newCharReader());
  const char* text = checkpoint.note.data();
  if (!reader->parse(text, text + checkpoint.note.size(), &note, &complaint) || !note.isObject() ||
      !note.isMember("PROBLEM"))
    throw Error(ErrorCode::bad_file, "checkpoint \"" + file + "\" was not written by gnomon run");
  try {
    kept_arguments(arguments, [&](const char* name, auto& value) { take(note[name], value); });
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
