#include "program/run/provenance.hpp"

#include <sundials/sundials_config.h>

#include "program/arguments.hpp"

namespace gnomon::program {

namespace {

/// A flag of a command line, where it says something.
std::string words(const std::string& flag, const std::string& value) {
  return value.empty() ? "" : " " + flag + " " + shell_word(value);
}
std::string words(const std::string& flag, bool value) {
  return value ? " " + flag : "";
}
std::string words(const std::string& flag, const Assignments& values) {
  std::string all;
  for (const std::string& text : assignment_texts(values)) all += words(flag, text);
  return all;
}

}  // namespace

Json::Value texts_json(const Assignments& values) {
  Json::Value out(Json::arrayValue);
  for (const std::string& text : assignment_texts(values)) out.append(text);
  return out;
}

std::string command_of(const RunArguments& a, const std::string& verb) {
  std::string command = "gnomon " + verb + " " + shell_word(a.problem);
  what_is_run(a, [&](const char*, const char* flag, const auto& value) { command += words(flag, value); });
  for (const std::string& names : a.sensitivity) command += words("--sensitivity", names);
  return command + words("--until", a.until) + words("--steps", a.steps) + words("--times", a.times.value_or(""));
}

Json::Value run_provenance(const RunArguments& a) {
  Json::Value out;
  const auto put = [&out](const char* name, const auto& value) {
    if (value != std::decay_t<decltype(value)>()) out[name] = value;
  };
  put("problem", a.problem);
  what_is_run(a, [&](const char* name, const char*, const auto& value) {
    if constexpr (std::is_same_v<decltype(value), const Assignments&>)
      out[name] = texts_json(value);
    else
      put(name, value);
  });
  put("until", a.until);
  put("steps", a.steps);
  put("times", a.times.value_or(""));
  for (const std::string& names : a.sensitivity) out["sensitivity"].append(names);
  out["command"] = command_of(a, "run");
  out["program"] = "gnomon " GNOMON_VERSION;
  out["sundials"] = SUNDIALS_VERSION;
  return out;
}

}  // namespace gnomon::program
