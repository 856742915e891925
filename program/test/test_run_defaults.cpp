// [run] of a model file: what the commands take from it, and what they do not.
#include "support/scratch.hpp"

namespace {

using gnomon::test::contains;
using gnomon::test::Outcome;
using gnomon::test::Scratch;

void write_model(const Scratch& scratch, const std::string& run) {
  std::ofstream(scratch.work / "spring.toml") << R"toml(format = 1
name = "spring"
coordinates = ["x", "y"]
mass = 1
potential = "(x^2 + 2*y^2)/2"
[start]
position = { x = 1 }
velocity = { y = 1 }
[run]
)toml" << run;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_takes_all_of_it) {
  const Scratch scratch;
  write_model(scratch,
              "until = 2\nstep = 0.01\nscheme = \"rattle\"\nsolver = \"newton\"\nmax-halvings = 3\n"
              "reference = \"ida-index1\"\nreference-option = { rtol = 1e-9 }\n");
  const Outcome run = scratch.gnomon("run spring.toml");
  BOOST_TEST(run.status == 0, run.err);
  for (const char* part : {"rattle through newton", "200 of h = 0.01", "ida-index1 at t = 2"})
    BOOST_TEST(contains(run.out, part), part << " in\n" << run.out);
  // The command line comes first.
  const Outcome other =
      scratch.gnomon("run spring.toml --steps 10 --scheme energy-momentum --reference cvode-projection");
  BOOST_TEST(other.status == 0, other.err);
  for (const char* part : {"energy-momentum through newton", "10 of h = 0.01", "cvode-projection at t = 0.1"})
    BOOST_TEST(contains(other.out, part), part << " in\n" << other.out);
}

// A reference in the file is run like a scheme; on the command line it takes nothing that is said of another scheme.
BOOST_AUTO_TEST_CASE(references_take_what_is_theirs) {
  const Scratch scratch;
  write_model(scratch, "until = 2\nrtol = 1e-7\nscheme = \"ida-index1\"\n");
  const Outcome run = scratch.gnomon("run spring.toml");
  BOOST_TEST(run.status == 0, run.err);
  BOOST_TEST(contains(run.out, "spring.toml, reference ida-index1, rtol = 1e-07\n"), run.out);
  write_model(scratch, "until = 2\nstep = 0.01\nsolver = \"newton\"\nreference = \"ida-index1\"\n");
  const Outcome named = scratch.gnomon("run spring.toml --scheme ida-index1");
  BOOST_TEST(named.status == 0, named.err);
  BOOST_TEST(contains(named.out, "t = 0 .. 2"), named.out);
}

BOOST_AUTO_TEST_CASE(a_tolerance_by_default) {
  const Scratch scratch;
  write_model(scratch, "until = 2\n");
  BOOST_TEST(contains(scratch.gnomon("run spring.toml").out, ", rtol = 1e-6 (the default)\n"));
  write_model(scratch, "until = 2\nrtol = 1e-4\n");
  const Outcome run = scratch.gnomon("run spring.toml");
  BOOST_TEST(contains(run.out, " of rtol = 0.0001"), run.out);
  BOOST_TEST(!contains(run.out, "default"), run.out);
}

BOOST_AUTO_TEST_CASE(comparisons_take_scheme_and_steps) {
  const Scratch scratch;
  write_model(scratch, "until = 2\nstep = 0.01\nscheme = \"rattle\"\n");
  BOOST_TEST(contains(scratch.gnomon("compare spring.toml").out, "rattle: 200 steps of h = 0.01"));
  write_model(scratch, "until = 2\nrtol = 1e-6\n");
  BOOST_TEST(contains(scratch.gnomon("compare spring.toml").out, "energy-momentum: 1000 steps of h = 0.001"));
}

BOOST_AUTO_TEST_CASE(advice_takes_the_end) {
  const Scratch scratch;
  write_model(scratch, "until = 2\n");
  const Outcome advice = scratch.gnomon("advise spring.toml --error 1e-4 --budget 5");
  BOOST_TEST(advice.err == "");
  BOOST_TEST(contains(advice.out, "spring.toml"), advice.out);
}

BOOST_AUTO_TEST_CASE(other_keys_are_one_sentence) {
  const Scratch scratch;
  for (const auto& [key, meant] :
       {std::pair{"untill = 1", "did you mean \"until\""}, std::pair{"referenc = \"exact\"", "\"reference\""},
        std::pair{"output = \"a.csv\"", "unknown key of run \"output\""}}) {
    write_model(scratch, std::string(key) + "\n");
    const Outcome run = scratch.gnomon("run spring.toml");
    BOOST_TEST(run.status == 2);
    BOOST_TEST(contains(run.err, meant), run.err);
    BOOST_TEST(contains(run.err, "spring.toml:10:1"), run.err);
  }
}
