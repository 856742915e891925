#include "program/cli/flag_order.hpp"

#include <map>

namespace gnomon::program {

const std::vector<Heading>& command_headings() {
  static const std::vector<Heading> headings = {
      {"Look: what there is", {"list", "describe"}},
      {"Run: motion and rest", {"run", "sweep", "advise", "equilibrium", "linearise", "fit"}},
      {"Trust: is it right, what does it cost", {"check", "compare", "validate", "bench"}},
      {"Extend: models of your own", {"new", "export", "import"}},
      {"Shell", {"completion", "man"}}};
  return headings;
}

const std::vector<Heading>& flag_headings() {
  static const std::vector<Heading> headings = {
      {"What",
       {"PROBLEM",
        "OTHER",
        "NAME",
        "ROBOT",
        "WHAT",
        "FILTER",
        "FILES",
        "SHELL",
        "COMMAND",
        "--mechanism",
        "--planar",
        "--set",
        "--inputs",
        "--contact",
        "DATA",
        "--vary",
        "--columns",
        "--unit",
        "--sigma",
        "--start-time",
        "--runs",
        "--sampling",
        "--seed",
        "--shard",
        "--keep",
        "--project-start",
        "--dependent-constraints",
        "--cases",
        "--tier",
        "--short",
        "--quick",
        "--standard",
        "--full",
        "--share",
        "--from",
        "--links",
        "--intervals",
        "--matrix",
        "--bibtex",
        "--values"}},
      {"How far",
       {"--until", "--at", "--period", "--steps", "--step", "--rtol", "--atol", "--error", "--budget",
        "--repetitions"}},
      {"How",
       {"--scheme", "--option", "--method", "--eps", "--levels", "--solver", "--solver-option", "--algebra",
        "--jacobian", "--fallback", "--max-halvings", "--threads", "--time-limit"}},
      {"Trust", {"--reference", "--reference-option", "--estimate-error", "--strict"}},
      {"Output",
       {"--output", "--times", "--every", "--sensitivity", "--events", "--snapshots", "--snapshot-every", "--plot",
        "--report", "--modes", "--json", "--verbose", "--bibtex", "--folder"}},
      {"Stop and go on", {"--checkpoint", "--checkpoint-every", "--restart", "--resume"}},
      {"Plug-ins, with any command", {"--plugin", "--plugin-path"}},
      {"Help", {"--help", "--version"}}};
  return headings;
}

std::vector<std::string> examples_of(const std::string& command) {
  static const std::map<std::string, std::vector<std::string>> examples = {
      {"",
       {"gnomon list problems", "gnomon run double-spherical-pendulum --until 10 --rtol 1e-8 --plot pendulum.svg",
        "gnomon new mine && gnomon run mine.toml"}},
      {"list", {"gnomon list schemes", "gnomon list --matrix"}},
      {"describe", {"gnomon describe energy-momentum", "gnomon describe hbvm --bibtex"}},
      {"sweep",
       {"gnomon sweep double-spherical-pendulum --vary 'start.bob1.x=normal(0,1e-3)' --runs 1000 --step 1e-2 --until 1 "
        "--output many.h5",
        "gnomon sweep planar-pendulum --vary 'scheme=list(energy-momentum,rattle)' --vary 'step=log-grid(1e-3,1e-1,9)' "
        "--until 1 --output steps.csv",
        "mpirun -n 8 gnomon sweep sweep.toml --output many.h5 --resume",
        "gnomon sweep merge many.h5 part1.h5 part2.h5"}},
      {"check", {"gnomon check double-spherical-pendulum"}},
      {"linearise",
       {"gnomon linearise four-bar.toml --plot modes.svg", "gnomon linearise top.toml --at 2.5 --output modes.csv",
        "gnomon linearise cart.toml --at start --inputs force --json",
        "gnomon linearise conical-pendulum --period 5.283508"}},
      {"fit",
       {"gnomon fit pendulum.toml swing.csv --vary l,c,start.x",
        "gnomon fit cart.toml run1.csv run2.csv --vary k,start.x --unit x=mm --sigma 0.5 --report fit.html"}},
      {"new", {"gnomon new mine", "gnomon new arm --mechanism"}},
      {"export", {"gnomon export planar-pendulum --output pendulum.toml"}},
      {"import", {"gnomon import robot.urdf --output robot.toml && gnomon run robot.toml"}},
      {"bench", {"gnomon bench chain --links 1000"}},
  };
  const auto found = examples.find(command);
  return found == examples.end() ? std::vector<std::string>() : found->second;
}

}  // namespace gnomon::program
