#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "program/sweep/sweep_arguments.hpp"
#include "report/toml_reader.hpp"

namespace gnomon::program {

namespace fs = std::filesystem;

namespace {

/// In the order of the file: it is that of the runs.
Assignments in_order(validation::TomlReader& reader, const toml::table& root, const std::string& key) {
  Assignments entries = reader.assignments(key);
  const toml::table* const table = root[key].as_table();
  const auto place = [table](const std::string& name) {
    const toml::source_position at = table->get(name)->source().begin;
    return std::pair(at.line, at.column);
  };
  std::sort(entries.begin(), entries.end(),
            [&place](const auto& a, const auto& b) { return place(a.first) < place(b.first); });
  return entries;
}

std::string model_beside(const std::string& file, const std::string& model) {
  const fs::path beside = fs::path(file).parent_path() / model;
  return is_model_file(model) && fs::exists(beside) ? beside.string() : model;
}

}  // namespace

void read_sweep_file(SweepArguments& a) {
  if (!is_model_file(a.problem) || !fs::is_regular_file(a.problem)) return;
  toml::table root;
  try {
    root = validation::read_toml(a.problem);
  } catch (const toml::parse_error&) {
    return;  // said where it is read as a model file
  }
  if (!root.contains("model")) return;
  a.file = a.problem;
  validation::TomlReader reader(root, a.file);
  const auto scalar = [&reader, &root](const std::string& key) -> std::string {
    if (!reader.has(key)) return "";
    return root.get(key)->is_string() ? reader.text(key) : shortest_text(reader.number(key));
  };
  const auto take = [](std::string& argument, const std::string& value) {
    if (argument.empty()) argument = value;
  };
  a.problem = model_beside(a.file, reader.text("model"));
  take(a.samples, scalar("runs"));
  take(a.seed, scalar("seed"));
  take(a.sampling, scalar("sampling"));
  take(a.time_limit, scalar("time-limit"));
  const std::vector<std::string> keep = reader.texts("keep");
  if (a.keep.empty()) a.keep = keep;
  // A flag replaces the entry of its name, in its place.
  const auto merge = [](Assignments entries, Assignments& given) {
    for (auto& entry : entries) {
      const auto same =
          std::find_if(given.begin(), given.end(), [&](const auto& other) { return other.first == entry.first; });
      if (same == given.end()) continue;
      entry = *same;
      given.erase(same);
    }
    given.insert(given.begin(), entries.begin(), entries.end());
  };
  merge(in_order(reader, root, "vary"), a.vary);
  merge(reader.assignments("set"), a.set);
  Assignments defaults;
  for (const char* key : {"step", "until", "steps", "rtol", "atol", "max-halvings", "scheme", "solver"}) {
    const std::string value = scalar(key);
    if (!value.empty()) defaults.emplace_back(key, value);
  }
  for (const char* key : {"option", "solver-option", "contact"})
    for (const auto& [name, value] : reader.assignments(key)) {
      // Where the scheme is not named in the file, the options are those of the one that is.
      defaults.insert(defaults.begin(), {key, name + "=" + value});
    }
  reader.finish();
  take_run_defaults(defaults, a);
}

}  // namespace gnomon::program
