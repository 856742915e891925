#include "program/run/provenance.hpp"

#include <sundials/sundials_config.h>

#include "program/arguments.hpp"

namespace gnomon::program {

namespace {

Json::Value list(const std::vector<std::string>& texts) {
  Json::Value out(Json::arrayValue);
  for (const std::string& text : texts) out.append(text);
  return out;
}

}  // namespace

Json::Value run_provenance(const RunArguments& a) {
  Json::Value out;
  std::string command = "gnomon run " + shell_word(a.problem);
  const auto text = [&](const char* name, const char* flag, const std::string& value) {
    if (value.empty()) return;
    out[name] = value;
    command += std::string(" ") + flag + " " + shell_word(value);
  };
  const auto texts = [&](const char* name, const char* flag, const std::vector<std::string>& values) {
    out[name] = list(values);
    for (const std::string& value : values) command += std::string(" ") + flag + " " + shell_word(value);
  };
  const auto truth = [&](const char* name, const char* flag, bool value) {
    if (!value) return;
    out[name] = true;
    command += std::string(" ") + flag;
  };
  out["problem"] = a.problem;
  texts("set", "--set", a.set);
  text("scheme", "--scheme", a.scheme);
  texts("scheme_options", "--option", a.options);
  text("solver", "--solver", a.solver);
  texts("solver_options", "--solver-option", a.solver_options);
  texts("contact", "--contact", a.contact);
  text("step", "--step", a.step);
  text("rtol", "--rtol", a.rtol);
  text("atol", "--atol", a.atol);
  text("until", "--until", a.until);
  text("steps", "--steps", a.steps);
  text("jacobian", "--jacobian", a.jacobian);
  text("max_halvings", "--max-halvings", a.max_halvings);
  text("times", "--times", a.times.value_or(""));
  truth("project_start", "--project-start", a.project_start);
  truth("dependent_constraints", "--dependent-constraints", a.dependent_constraints);
  truth("fallback", "--fallback", a.fallback);
  out["command"] = command;
  out["program"] = "gnomon " GNOMON_VERSION;
  out["sundials"] = SUNDIALS_VERSION;
  return out;
}

}  // namespace gnomon::program
