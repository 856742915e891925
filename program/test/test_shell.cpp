// Help, manual pages, completion in a real bash, colour and time left on a terminal.
#include <sstream>

#include "program/cli/terminal.hpp"
#include "support/scratch.hpp"

namespace {

using gnomon::test::contains;
using gnomon::test::Outcome;
using gnomon::test::read;
using gnomon::test::Scratch;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

const std::vector<std::string> commands{"list",   "describe", "run",        "advise",   "equilibrium", "linearise",
                                        "fit",    "check",    "compare",    "validate", "bench",       "new",
                                        "export", "import",   "completion", "man"};

/// The standard output of a command of bash, in the folder of the scratch; `gnomon` is the program.
std::string bash(const Scratch& scratch, const std::string& script) {
  std::ofstream(scratch.root / "script.sh") << "gnomon() { '" GNOMON_PROGRAM "' \"$@\"; }\n" << script;
  const std::string command = "cd '" + scratch.work.string() + "' && bash '" + (scratch.root / "script.sh").string() +
                              "' >'" + (scratch.root / "out").string() + "' 2>&1 </dev/null";
  BOOST_TEST(std::system(command.c_str()) == 0, read(scratch.root / "out"));
  return read(scratch.root / "out");
}

bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

/// What bash offers at the end of a line of these words; the last one may be unfinished.
std::vector<std::string> completed(const Scratch& scratch, const std::vector<std::string>& words) {
  std::string script = "source <(gnomon completion bash)\nCOMP_WORDS=(gnomon";
  for (const std::string& word : words) script += " '" + word + "'";
  script += ")\nCOMP_CWORD=" + std::to_string(words.size()) + "\n_gnomon\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  return lines(bash(scratch, script));
}

bool offers(const std::vector<std::string>& offered, const std::string& name) {
  return std::find(offered.begin(), offered.end(), name) != offered.end();
}

}  // namespace

// gnomon.sh of a clone that has built nothing prints what the program prints, and installs and builds nothing.
BOOST_AUTO_TEST_CASE(a_clone_answers_before_it_builds) {
  const Scratch scratch;
  const std::filesystem::path source = GNOMON_SOURCE, clone = scratch.root / "gnomon";
  const std::filesystem::path help = "program/cli/help.txt";
  std::filesystem::create_directories((clone / help).parent_path());
  for (const std::filesystem::path& file : {std::filesystem::path("gnomon.sh"), help})
    std::filesystem::copy_file(source / file, clone / file);
  const std::string script = "'" + (clone / "gnomon.sh").string() + "' ";
  const std::string said = bash(scratch, script + "--help\n"), top = scratch.gnomon("--help").out;
  BOOST_TEST(contains(said, "./gnomon.sh validate"));
  BOOST_TEST(read(source / help) == top);
  BOOST_TEST(contains(said, top));
  const std::string wrong = bash(scratch, script + "vaildate; test $? = 2\n");
  BOOST_TEST(contains(wrong, "unknown command \"vaildate\""));
  BOOST_TEST(contains(wrong, " validate "));
  BOOST_TEST(!std::filesystem::exists(clone / "build"));
}

BOOST_AUTO_TEST_CASE(help_leads) {
  const Scratch scratch;
  const std::string top = scratch.gnomon("--help").out;
  std::size_t at = 0;
  for (const char* part : {"gnomon list problems", "gnomon run", "gnomon new", "Look", "Run", "Trust", "Extend"}) {
    const std::size_t found = top.find(part, at);
    BOOST_TEST(found != std::string::npos, part);
    if (found != std::string::npos) at = found;
  }
  for (const std::string& command : commands) BOOST_TEST(contains(top, "\n  " + command + " "), command);
  const std::string filters = scratch.gnomon("validate --help").out;
  BOOST_TEST(filters.find("\n  published ") < filters.find("\n  conformance "));
}

BOOST_AUTO_TEST_CASE(help_is_in_groups_and_narrow) {
  const Scratch scratch;
  std::vector<std::string> pages{scratch.gnomon("--help").out};
  for (const std::string& command : commands) pages.push_back(scratch.gnomon(command + " --help").out);
  for (const std::string& page : pages) {
    BOOST_TEST(contains(page, "Usage: gnomon"));
    BOOST_TEST(!contains(page, "\nMore\n"), "a flag or a command has no heading in flag_order.cpp\n" << page);
    for (const std::string& line : lines(page)) BOOST_TEST(line.size() <= 100, line);
  }
}

BOOST_AUTO_TEST_CASE(examples_of_the_help_run) {
  const Scratch scratch;
  BOOST_TEST(scratch.gnomon("list problems").status == 0);
  BOOST_TEST(scratch.gnomon("run double-spherical-pendulum --until 10 --rtol 1e-8").status == 0);
  BOOST_TEST(scratch.gnomon("new mine").status == 0);
  for (const char* kind : {"mechanism", "planar"}) {
    BOOST_TEST(scratch.gnomon(std::string("new of_") + kind + " --" + kind).status == 0);
    BOOST_TEST(scratch.gnomon(std::string("run of_") + kind + ".toml").status == 0, kind);
  }
  BOOST_TEST(scratch.gnomon("run mine.toml").status == 0);
  BOOST_TEST(scratch.gnomon("export planar-pendulum --output pendulum.toml").status == 0);
}

BOOST_AUTO_TEST_CASE(bash_completes) {
  const Scratch scratch;
  std::ofstream(scratch.work / "mine.toml") << "";
  for (const char* robot : {"robot.urdf", "robot.sdf", "robot.xml"}) std::ofstream(scratch.work / robot) << "";
  std::ofstream(scratch.work / "other.csv") << "";
  BOOST_TEST(offers(completed(scratch, {"ru"}), "run"));
  for (const std::string& command : commands) BOOST_TEST(offers(completed(scratch, {""}), command), command);
  const auto problems = completed(scratch, {"run", ""});
  BOOST_TEST(offers(problems, "planar-pendulum"));
  BOOST_TEST(offers(problems, "mine.toml"));
  for (const char* robot : {"robot.urdf", "robot.sdf", "robot.xml"}) BOOST_TEST(offers(problems, robot));
  BOOST_TEST(!offers(problems, "other.csv"));
  BOOST_TEST(!offers(problems, "rattle"));
  BOOST_TEST(offers(completed(scratch, {"run", "chain", "--sch"}), "--scheme"));
  BOOST_TEST(offers(completed(scratch, {"run", "chain", "--plug"}), "--plugin"));
  const auto schemes = completed(scratch, {"run", "chain", "--scheme", "ra"});
  BOOST_TEST(schemes == std::vector<std::string>{"rattle"}, boost::test_tools::per_element());
  BOOST_TEST(offers(completed(scratch, {"run", "chain", "--scheme", "=", "ra"}), "rattle"));
  BOOST_TEST(offers(completed(scratch, {"run", "chain", "--solver", "kin"}), "kinsol-newton"));
  BOOST_TEST(offers(completed(scratch, {"run", "chain", "--reference", "ida"}), "ida-ggl"));
  BOOST_TEST(offers(completed(scratch, {"run", "chain", "--jacobian", ""}), "differences"));
  BOOST_TEST(offers(completed(scratch, {"run", "chain", "--scheme", "hbvm", "--option", ""}), "k="));
  BOOST_TEST(offers(completed(scratch, {"run", "chain", "--set", ""}), "links="));
  BOOST_TEST(offers(completed(scratch, {"run", "chain", "--strict", "--output", "oth"}), "other.csv"));
  BOOST_TEST(offers(completed(scratch, {"run", "--strict", "planar-"}), "planar-pendulum"));
  BOOST_TEST(offers(completed(scratch, {"describe", "ida-"}), "ida-index1"));
  BOOST_TEST(offers(completed(scratch, {"list", "sch"}), "schemes"));
  BOOST_TEST(offers(completed(scratch, {"bench", "pe"}), "peers"));
  BOOST_TEST(offers(completed(scratch, {"fit", "mine.toml", "oth"}), "other.csv"));
  BOOST_TEST(offers(completed(scratch, {"fit", "mine.toml", "other.csv", "oth"}), "other.csv"));
  BOOST_TEST(offers(completed(scratch, {"compare", "other.csv", "oth"}), "other.csv"));
  BOOST_TEST(offers(completed(scratch, {"import", "robot.u"}), "robot.urdf"));
  BOOST_TEST(offers(completed(scratch, {"new", "arm", "--from", "robot.u"}), "robot.urdf"));
  BOOST_TEST(!offers(completed(scratch, {"run", "mine.toml", "oth"}), "other.csv"));
  BOOST_TEST(!offers(completed(scratch, {"rnu", "oth"}), "other.csv"));
  BOOST_TEST(offers(completed(scratch, {"validate", "--tier", ""}), "quick"));
  BOOST_TEST(offers(completed(scratch, {"man", "eq"}), "equilibrium"));
  BOOST_TEST(!offers(completed(scratch, {"run", "chain", "--set", "links", "=", ""}), "links="));
  BOOST_TEST(!offers(completed(scratch, {"run", "chain", "--until", ""}), "chain"));
}

BOOST_AUTO_TEST_CASE(every_flag_completes) {
  const Scratch scratch;
  for (const std::string& command : commands) {
    const auto offered = completed(scratch, {command, "--"});
    std::istringstream help(scratch.gnomon(command + " --help").out);
    for (std::string word; help >> word;) {
      const bool flag =
          word.rfind("--", 0) == 0 && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos;
      if (flag && word.size() > 2) BOOST_TEST(offers(offered, word), command << " " << word);
    }
  }
}

BOOST_AUTO_TEST_CASE(manual_pages) {
  const Scratch scratch;
  BOOST_TEST(contains(scratch.gnomon("man").out, ".TH GNOMON 1"));
  BOOST_TEST(contains(scratch.gnomon("man run").out, "\\-\\-scheme"));
  scratch.misuse("man rnu", {"rnu", "did you mean \"run\""});
  const Outcome all = scratch.gnomon("man --folder .");
  BOOST_TEST(all.status == 0);
  for (const std::string& command : commands)
    BOOST_TEST(gnomon::test::fs::exists(scratch.work / ("gnomon-" + command + ".1")), command);
  if (!has_program("groff")) {
    BOOST_TEST_MESSAGE("groff is not there: the manual pages were not set");
    return;
  }
  const std::string said = bash(scratch, "for page in *.1; do groff -man -Tutf8 -ww \"$page\" 2>&1 >/dev/null; done\n");
  BOOST_TEST(said == "", said);
  BOOST_TEST(contains(bash(scratch, "groff -man -Tascii -P-cbou gnomon-run.1"), "--reference NAME"));
}

BOOST_AUTO_TEST_CASE(wrong_shells_and_kinds) {
  const Scratch scratch;
  scratch.misuse("completion bsh", {"shell", "bsh", "did you mean \"bash\""});
  BOOST_TEST(scratch.gnomon("completion --values options:nothing").out == "");
  BOOST_TEST(scratch.gnomon("completion --values options:nothing").status == 0);
}

BOOST_AUTO_TEST_CASE(commands_whose_module_is_missing) {
  Scratch scratch;
  scratch.program = (scratch.root / "bin/gnomon").string();
  std::filesystem::create_directory(scratch.root / "bin");
  std::filesystem::copy_file(GNOMON_PROGRAM, scratch.program);
  for (const char* command :
       {"advise", "advise planar-pendulum --until 1", "bench tolerance", "sweep x.toml --nothing"})
    scratch.misuse(command, {"gnomon/commands/", "not beside this program", "gnomon_commands"});
  for (const char* command : {"advise", "bench", "sweep"})
    scratch.misuse(std::string(command) + " --help", {command, "not beside this program"});
  BOOST_TEST(contains(scratch.gnomon("--help").out, "in a module that is not beside this program"));
}

BOOST_AUTO_TEST_CASE(names_are_matched_by_words) {
  const Scratch scratch;
  scratch.misuse("run doble-pendulum --until 1 --rtol 1e-6",
                 {"doble-pendulum", "double-compound-pendulum", "double-spherical-pendulum", "driven-double-pendulum"});
  scratch.misuse("run planar-pendulum --until 1 --rtol 1e-6 --reference ida", {"\"ida-ggl\" or \"ida-index1\""});
  scratch.misuse("run planar-pendulum --solver-opt x=1", {"--solver-option"});
  scratch.misuse("advize", {"did you mean \"advise\""});
}

BOOST_AUTO_TEST_CASE(colour_on_terminals_only) {
  const Scratch scratch;
  // Ends with STOPPED: the solver gets one iteration.
  const std::string run = "run double-spherical-pendulum --step 0.5 --until 5 --solver-option max-iterations=1";
  const Outcome piped = scratch.gnomon(run);
  BOOST_TEST(contains(piped.out, "STOPPED"));
  BOOST_TEST(!contains(piped.out, "\033["));
  if (!has_program("script")) return;
  const auto on_terminal = [&](const std::string& environment) {
    return bash(scratch, environment + " script -qec \"'" GNOMON_PROGRAM "' " + run + "\" /dev/null || true");
  };
  BOOST_TEST(contains(on_terminal("TERM=xterm"), "\033[31mSTOPPED"));
  BOOST_TEST(!contains(on_terminal("NO_COLOR=1 TERM=xterm"), "\033["));
  BOOST_TEST(!contains(on_terminal("TERM=dumb"), "\033["));
}

// A reference beside a run shows how far it is, and while its own error is looked for that.
BOOST_AUTO_TEST_CASE(progress_of_references) {
  const Scratch scratch;
  if (!has_program("script")) return;
  const std::string run = "run double-spherical-pendulum --set start=spatial --step 1e-2 --until 400";
  const std::string shown =
      bash(scratch, "TERM=xterm script -qec \"'" GNOMON_PROGRAM "' " + run + " --reference ida-ggl\" /dev/null");
  BOOST_TEST(contains(shown, "\rreference ida-ggl  "), shown);
  BOOST_TEST(contains(shown, "a second solution shows its own error"), shown);
  BOOST_TEST(!contains(scratch.gnomon(run + " --reference ida-ggl --reference-option rtol=1e-4").err, "reference"));
}

BOOST_AUTO_TEST_CASE(time_that_is_left) {
  using gnomon::program::time_left;
  BOOST_TEST(time_left(10, 0.5) == ", 0:10 left");
  BOOST_TEST(time_left(65, 0.5) == ", 1:05 left");
  BOOST_TEST(time_left(7265, 0.5) == ", 2:01:05 left");
  for (const double share : {0.0, 1e-9, 1.0, 1.5, -1.0}) BOOST_TEST(time_left(10, share) == "");
  BOOST_TEST(time_left(0.1, 0.5) == "");
}
