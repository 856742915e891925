#include "program/cli/command_paths.hpp"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <set>

#include "gnomon/base/error.hpp"
#include "gnomon/base/whole_file.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "program/commands/case_folder.hpp"

namespace gnomon::program {

namespace fs = std::filesystem;

namespace {

/// Both exist and are one, by a link of either kind too, or both would be made at one place; or the one is a case file
/// in the folder that is the other.
bool are_one(const std::string& file, const std::string& other) {
  std::error_code failed;
  const std::string whole = followed(file);
  return fs::equivalent(file, other, failed) || whole == followed(other) ||
         (fs::is_directory(other, failed) && fs::path(whole).extension() == ".toml" && fs::exists(whole, failed) &&
          whole.rfind(followed(other) + "/", 0) == 0);
}

bool is_device(const std::string& path) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

}  // namespace

CommandPaths::CommandPaths(const CLI::App& command) {
  static const std::set<std::string> read{"PROBLEM", "OTHER", "FILES", "--restart", "--plugin", "--cases"};
  bool merges = false;
  for (const CLI::App* app : {&command, command.get_parent()})
    for (const CLI::Option* option : app->get_options()) {
      const std::string key =
          option->get_lnames().empty() ? option->get_name(true) : "--" + option->get_lnames().front();
      std::vector<std::string> values = option->results();
      if (key == "PROBLEM" && !values.empty()) {
        merges = command.get_name() == "sweep" && values.front() == "merge";
        const bool table = command.get_name() == "compare" && !is_model_file(values.front());
        if (!table) values.front() = model_path(values.front());
      }
      for (std::size_t i = 0; i < values.size(); ++i)
        if (key == "FILES" && merges && i == 0)
          add({"TABLE", values[i], true});
        else if (read.count(key) > 0)
          reads(key, values[i]);
        else if (option->get_type_name() == "FILE" && values[i] != "-")
          add({key, values[i], true});
    }
}

void CommandPaths::add(const File& file) {
  if (file.path.empty() || is_device(file.path)) return;
  for (const File& other : files_) {
    const File &output = file.written ? file : other, &second = file.written ? other : file;
    if (!output.written || !are_one(output.path, second.path)) continue;
    if (output.option == "--checkpoint" && second.option == "--restart") continue;
    throw Error(ErrorCode::bad_value,
                fmt::format("{} = \"{}\" and {} = \"{}\" are one file: {}", output.option, output.path, second.option,
                            second.path,
                            second.written ? "two outputs need two files" : "an output must not replace what is read"));
  }
  files_.push_back(file);
}

}  // namespace gnomon::program
