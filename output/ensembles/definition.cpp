#include "ensembles/definition.hpp"

#include <fmt/format.h>
#include <sundials/sundials_config.h>

#include <memory>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"

namespace gnomon::ensembles {

namespace {

Json::Value list(const Assignments& assignments) {
  Json::Value out(Json::arrayValue);
  for (const auto& [name, value] : assignments) out.append(name + "=" + value);
  return out;
}

Json::Value list(const std::vector<std::string>& texts) {
  Json::Value out(Json::arrayValue);
  for (const std::string& text : texts) out.append(text);
  return out;
}

/// Long texts, such as model files, are not said in full.
std::string said(const Json::Value& value) {
  constexpr std::size_t most = 60;
  if (value.isNull()) return "not given";
  const std::string text = line_of(value);
  return text.size() <= most ? text : "another text";
}

}  // namespace

std::string Shard::text() const {
  return fmt::format("{}/{}", index, count);
}

Json::Value definition_of(const Ensemble& ensemble, const Shard& shard, const Json::Value& origin) {
  const EnsembleSetup& setup = ensemble.setup();
  const Design& design = ensemble.design();
  Json::Value out = origin;
  out["sundials"] = SUNDIALS_VERSION;
  out["problem"] = setup.problem;
  out["set"] = list(setup.parameters);
  out["scheme"] = setup.scheme;
  out["scheme_options"] = list(setup.scheme_options);
  out["solver"] = setup.solver;
  out["solver_options"] = list(setup.solver_options);
  const ContactOptions& contact = setup.integrator.contact;
  out["contact"] =
      list(Assignments{{"mode", contact.mode == ContactMode::event_driven ? "event-driven" : "time-stepping"},
                       {"restitution", shortest_text(contact.restitution)},
                       {"zeno-speed", shortest_text(contact.zeno_speed)}});
  out["jacobian"] = to_string(setup.integrator.jacobian);
  out["max_halvings"] = setup.integrator.max_halvings;
  out["fallback"] = setup.integrator.fallback != nullptr;
  out["project_start"] = setup.integrator.project_start;
  if (setup.tolerances) {
    out["rtol"] = setup.tolerances->relative;
    out["atol"] = setup.tolerances->absolute;
  } else {
    out["step"] = setup.step;
  }
  if (setup.steps > 0)
    out["steps"] = Json::Int64(setup.steps);
  else
    out["until"] = setup.until;
  Json::Value vary(Json::arrayValue), words(Json::objectValue);
  for (const Variable& variable : design.variables()) {
    vary.append(variable.name + "=" + variable.values.text());
    if (!variable.values.words().empty()) words[variable.name] = list(variable.values.words());
  }
  out["vary"] = vary;
  out["words"] = words;
  out["sampling"] = to_string(design.sampling());
  out["samples"] = Json::Int64(design.samples());
  out["seed"] = Json::UInt64(design.seed());
  out["runs"] = Json::Int64(design.runs());
  out["keep"] = list(setup.keep);
  out["columns"] = list(ensemble.columns());
  out["time_limit"] = setup.time_limit;
  out["statuses"] = list(run_statuses());
  if (shard.count > 1) out["shard"] = shard.text();
  return out;
}

std::string difference(const Json::Value& there, const Json::Value& here) {
  for (const std::string& name : here.getMemberNames())
    if (line_of(there[name]) != line_of(here[name]))
      return fmt::format("{} is {} there and {} here", name, said(there[name]), said(here[name]));
  if (there.isMember("shard") && !here.isMember("shard"))
    return fmt::format("shard is {} there and not given here", said(there["shard"]));
  return {};
}

std::string line_of(const Json::Value& value) {
  Json::StreamWriterBuilder builder;
  builder["indentation"] = "";
  builder["emitUTF8"] = true;
  return Json::writeString(builder, value);
}

Json::Value object_of(const std::string& text, const std::string& what) {
  Json::Value value;
  const std::unique_ptr<Json::CharReader> reader(Json::CharReaderBuilder().newCharReader());
  try {
    if (reader->parse(text.data(), text.data() + text.size(), &value, nullptr) && value.isObject()) return value;
  } catch (const Json::Exception&) {  // nested too deeply
  }
  throw Error(ErrorCode::bad_file, what + " is no object of JSON");
}

}  // namespace gnomon::ensembles
