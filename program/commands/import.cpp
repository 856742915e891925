/// gnomon import: a robot file as a model file.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <filesystem>

#include "gnomon/base/error.hpp"
#include "gnomon/base/whole_file.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "program/arguments.hpp"
#include "program/commands/commands.hpp"

namespace gnomon::program {

namespace {

int write(const std::string& robot, const std::string& output) {
  if (!is_robot_file(robot))
    throw Error(ErrorCode::bad_value,
                "the file to import is \"" + robot + "\", expected one that ends in .urdf, .sdf or .xml");
  const std::string text =
      model_file_text(robot, std::filesystem::absolute(output.empty() ? "." : output).parent_path().string());
  read_model_file(robot);  // what is wrong in it is said now
  if (output.empty()) {
    fmt::print("{}", text);
    return success;
  }
  std::error_code ignored;
  if (std::filesystem::is_regular_file(output, ignored))  // it may have been gone on with
    throw Error(ErrorCode::bad_file, "\"" + output + "\" exists already: nothing was written");
  WholeFile file("model file", output);
  file.write(text);
  file.commit();
  return success;
}

}  // namespace

void add_import(CLI::App& app, Invocation& invocation) {
  auto robot = std::make_shared<std::string>(), output = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("import", "write a robot in URDF, SDF or MJCF as a model file");
  command->add_option("ROBOT", *robot, "the file, NAME.urdf, NAME.sdf or NAME.xml")->required()->type_name("");
  command->add_option("-o,--output", *output, "write to this file instead of standard output")->type_name("FILE");
  command->callback([&invocation, robot, output] {
    invocation.action = [robot, output](const Registry&) { return write(*robot, *output); };
  });
}

}  // namespace gnomon::program
