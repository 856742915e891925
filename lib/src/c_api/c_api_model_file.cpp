/// \file
/// The C interface: problems, model files, their parameters, coordinates and outputs by name.

#include <algorithm>

#include "c_api/c_api_given.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/run/evaluated_outputs.hpp"

using namespace gnomon;
using namespace gnomon::c_api;

namespace {

constexpr const char* given_text = "model.toml";  // the name of a text in sentences

void set_problem(Memory& memory, Named problem) {
  memory.registry.build(problem.name, problem.options);
  memory.problem = std::move(problem);
}

/// "x" or "x[2]"
std::pair<std::string, long> name_and_index(const std::string& name) {
  const std::size_t bracket = name.find('[');
  if (bracket == std::string::npos) return {name, -1};
  double index = -1;
  if (name.back() != ']' || !read_number(name.substr(bracket + 1, name.size() - bracket - 2), index) || index < 0 ||
      index > 1e15 || index != static_cast<double>(static_cast<long>(index)))
    throw Error(ErrorCode::bad_value, "the coordinate \"" + name + "\" is neither a name nor NAME[index]");
  return {name.substr(0, bracket), static_cast<long>(index)};
}

std::vector<Output> outputs_of(Memory& memory) {
  if (!memory.integrator) prepare(memory);
  return memory.start.outputs ? memory.start.outputs->outputs() : std::vector<Output>();
}

Error no_entry(const std::string& wanted, const std::string& family, Index size) {
  return {ErrorCode::bad_value, "\"" + wanted + "\": " + family + " has " + std::to_string(size) +
                                    (size == 1 ? " entry" : " entries") + ", the first is " + family + "[0]"};
}

}  // namespace

int GnomonSetProblem(void* mem, const char* name, const char* parameters) {
  return configured(mem, __func__, [&](Memory& memory) {
    set_problem(memory, {text(name, "the name of the problem"), assignments(parameters, "parameters of a problem")});
  });
}

int GnomonSetModelFile(void* mem, const char* file) {
  return configured(mem, __func__, [&](Memory& memory) {
    const std::string name = text(file, "the name of the model file");
    if (!is_model_file(name))
      throw Error(ErrorCode::bad_file,
                  "the model file \"" + name + "\" has another name than NAME.toml, NAME.urdf, NAME.sdf or NAME.xml");
    set_problem(memory, {name, {}});
  });
}

int GnomonSetModelText(void* mem, const char* toml) {
  return configured(mem, __func__, [&](Memory& memory) {
    memory.registry.add_model_text(given_text, text(toml, "the text of the model"));
    set_problem(memory, {given_text, {}});
  });
}

int GnomonSetParameter(void* mem, const char* name, sunrealtype value) {
  return configured(mem, __func__, [&](Memory& memory) {
    const std::string parameter = text(name, "the name of the parameter");
    if (!memory.problem)
      throw Error(ErrorCode::bad_value, "parameter " + parameter +
                                            " is set, and there is no problem whose parameter it would be: call "
                                            "GnomonSetProblem or GnomonSetModelFile first");
    Named problem = *memory.problem;
    problem.options.emplace_back(parameter, number_text(value, 17));
    set_problem(memory, std::move(problem));
  });
}

int GnomonGetCoordinateIndex(void* mem, const char* name, sunindextype* index) {
  return get(mem, __func__, index, [name](Memory& memory) {
    if (!memory.integrator) prepare(memory);
    const std::string wanted = text(name, "the name of the coordinate");
    const auto [family, entry] = name_and_index(wanted);
    const System* system = memory.start.model->mechanical();
    if (!system) throw Error(ErrorCode::refused, "an overdetermined DAE has no coordinates with names");
    std::vector<std::string> known;
    for (const Block& block : system->traits().blocks) {
      known.push_back(block.name);
      if (block.name != family) continue;
      if (entry < 0 ? block.size != 1 : entry >= block.size) throw no_entry(wanted, family, block.size);
      return block.offset + std::max(entry, 0L);
    }
    throw unknown_name("coordinate", family, known);
  });
}

int GnomonGetNumOutputs(void* mem, long int* noutputs) {
  return get(mem, __func__, noutputs, [](Memory& memory) { return static_cast<long>(outputs_of(memory).size()); });
}

int GnomonGetOutputName(void* mem, long int which, const char** name) {
  return get(mem, __func__, name, [which](Memory& memory) {
    const std::vector<Output> outputs = outputs_of(memory);
    if (which < 0 || which >= static_cast<long>(outputs.size()))
      throw Error(ErrorCode::bad_value, "output " + std::to_string(which) + " is asked for, and there are " +
                                            std::to_string(outputs.size()) + ", counted from 0");
    return outputs[static_cast<std::size_t>(which)].name;
  });
}

int GnomonGetOutput(void* mem, const char* name, sunrealtype* value) {
  return get(mem, __func__, value, [name](Memory& memory) {
    const std::string wanted = text(name, "the name of the output");
    const State& z = returned_state(memory);
    const Integrator& run = *memory.integrator;
    const EvaluatedOutputs evaluated(memory.start);
    std::vector<std::string> known;
    for (const Output& output : evaluated.outputs()) known.push_back(output.name);
    const auto at = std::find(known.begin(), known.end(), wanted);
    if (at == known.end()) throw unknown_name("output", wanted, known);
    return (&z == &run.state() ? evaluated.evaluate(run) : evaluated.evaluate(z))[at - known.begin()];
  });
}
