/// \file
/// gnomon-campaign: thousands of drawn inputs, see campaign.hpp. The status is 1 when one of them found something.
///
///     gnomon-campaign systems|roots|rest|derivatives|fits|axes|units|callbacks|checkpoints|cases [--seed S]
///                     [--first K] [--count N] [--threads T] [--only NAME] [--verbose]
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "campaign/campaign.hpp"
#include "gnomon/registry/registry.hpp"

namespace {

using namespace gnomon;

int dispatch(int argc, char** argv) {
  CLI::App app("Drawn inputs, of which each must end in a right answer or a sentence", "gnomon-campaign");
  app.require_subcommand(1);
  app.fallthrough();
  campaign::Range range;
  app.add_option("--seed", range.seed, "of all draws");
  app.add_option("--first", range.first, "number of the first input")->check(CLI::NonNegativeNumber);
  app.add_option("--count", range.count, "how many inputs")->check(CLI::PositiveNumber);
  app.add_option("--threads", range.threads, "that draw and judge")->check(CLI::Range(1, 256));
  app.add_option("--only", range.only, "one method, or one kind of input");
  app.add_flag("--verbose", range.verbose, "every run that stopped, with its message");
  Registry registry;
  register_builtin(registry);
  registry.add_model_folder(GNOMON_MODELS_FOLDER);
  registry.add_model_folder(GNOMON_CASES_FOLDER "/../data");
  long findings = 0;
  app.add_subcommand("systems", "every scheme on random systems")->callback([&] {
    findings = campaign::systems(registry, range);
  });
  app.add_subcommand("roots", "solutions of large steps on random systems, against continuation")->callback([&] {
    findings = campaign::roots(registry, range);
  });
  app.add_subcommand("rest", "damped random systems until long after they rest")->callback([&] {
    findings = campaign::rest(registry, range);
  });
  app.add_subcommand("derivatives", "derivatives of motions of random systems, against differences of runs")
      ->callback([&] { findings = campaign::derivatives(registry, range); });
  app.add_subcommand("fits", "intervals of parameters fitted to data with errors, against the truth")->callback([&] {
    findings = campaign::fits(registry, range);
  });
  app.add_subcommand("axes", "every scheme on gallery and problems in other coordinates")->callback([&] {
    findings = campaign::axes(registry, range);
  });
  app.add_subcommand("units", "the same in other units")->callback([&] {
    findings = campaign::units(registry, range);
  });
  app.add_subcommand("callbacks", "functions of a model that fail once")->callback([&] {
    findings = campaign::callbacks(registry, range);
  });
  app.add_subcommand("checkpoints", "files with a right checksum and forged contents")->callback([&] {
    findings = campaign::checkpoints(registry, range);
  });
  std::string folder = GNOMON_CASES_FOLDER;
  CLI::App* cases = app.add_subcommand("cases", "case files with mistakes");
  cases->add_option("--cases", folder, "folder of the sound ones");
  cases->callback([&] { findings = campaign::cases(registry, range, folder); });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  std::printf("%ld findings\n", findings);
  return findings == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try { return dispatch(argc, argv); } catch (const std::exception& error) {
  std::fprintf(stderr, "gnomon-campaign: %s\n", error.what());
  return 2;
}
