#pragma once
/// \file
/// The commands of the gnomon program, one file each.

#include <functional>
#include <string>
#include <vector>

#include "gnomon/registry/registry.hpp"
#include "program/cli/cli11.hpp"
#include "program/cli/command_paths.hpp"

namespace gnomon::program {

/// Exit status of the program.
enum Exit : int {
  success = 0,
  bad_verdict = 1,        ///< a validation row failed or passed unexpectedly; a derivative check failed; tables differ
  misuse = 2,             ///< seen before the first step: names, data, files
  numerical_failure = 3,  ///< during the run; the report says where
  ended_by_signal = 130   ///< as shells report SIGINT
};

/// Filled by parsing: what to load, then what to do.
struct Invocation {
  std::vector<std::string> plugins, plugin_path;
  CommandPaths paths;
  std::function<int(const Registry&)> action;
};

void add_list(CLI::App& app, Invocation& invocation);
void add_describe(CLI::App& app, Invocation& invocation);
void add_new(CLI::App& app, Invocation& invocation);
void add_export(CLI::App& app, Invocation& invocation);
void add_import(CLI::App& app, Invocation& invocation);
void add_check(CLI::App& app, Invocation& invocation);
void add_run(CLI::App& app, Invocation& invocation);
void add_compare(CLI::App& app, Invocation& invocation);
void add_equilibrium(CLI::App& app, Invocation& invocation);
void add_linearise(CLI::App& app, Invocation& invocation);
void add_fit(CLI::App& app, Invocation& invocation);
void add_validate(CLI::App& app, Invocation& invocation);
void add_completion(CLI::App& app, Invocation& invocation);
void add_man(CLI::App& app, Invocation& invocation);

/// Those of modules (command_module.hpp).
extern "C" {
GNOMON_EXPORT void gnomon_add_sweep(CLI::App& app, Invocation& invocation);
GNOMON_EXPORT void gnomon_add_advise(CLI::App& app, Invocation& invocation);
GNOMON_EXPORT void gnomon_add_bench(CLI::App& app, Invocation& invocation);
}

}  // namespace gnomon::program
