// Checkpoint files of the program and of the library: what is refused, what a killed run leaves, what a restart needs.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <fstream>
#include <thread>

#include "gnomon/base/error.hpp"
#include "gnomon/registry/registry.hpp"
#include "gnomon/run/checkpoint.hpp"
#include "support/builtin_registry.hpp"
#include "support/scratch.hpp"

using namespace gnomon::test;

namespace {

const std::string run = "run double-spherical-pendulum --set start=spatial --step 1e-3";

using gnomon::registry;

gnomon::Integrator integrator(const std::string& problem, const gnomon::Assignments& set, const std::string& scheme,
                              gnomon::IntegratorOptions options = {}) {
  return registry().integrator(registry().build(problem, set), scheme, "kinsol-newton", {}, {}, options);
}

void write(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

/// Everything of the JSON report but the times.
std::string without_times(const std::string& json) {
  std::istringstream in(json);
  std::string out;
  for (std::string line; std::getline(in, line);)
    if (!contains(line, "wall_s")) out += line + "\n";
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_restarted_run_reports_what_a_whole_one_does) {
  const Scratch scratch;
  const Outcome whole = scratch.gnomon(run + " --steps 1000 --json");
  BOOST_TEST(whole.status == 0);
  BOOST_TEST(scratch.gnomon(run + " --steps 500 --checkpoint half.gcp").status == 0);
  const Outcome second = scratch.gnomon("run --restart half.gcp --steps 1000 --json");
  BOOST_TEST(second.status == 0);
  BOOST_TEST(without_times(second.out) == without_times(whole.out));

  // To a time that is no multiple of the step; the output goes on where the first part ended.
  const Outcome timed = scratch.gnomon(run + " --until 1.0005 --json");
  BOOST_TEST(scratch.gnomon(run + " --until 1.0005 --checkpoint every.gcp --checkpoint-every 300").status == 0);
  BOOST_TEST(scratch.gnomon(run + " --steps 300 --checkpoint third.gcp").status == 0);
  const Outcome rest = scratch.gnomon("run --restart third.gcp --until 1.0005 --json --output rest.csv");
  BOOST_TEST(without_times(rest.out) == without_times(timed.out));
  BOOST_TEST(contains(read(scratch.work / "rest.csv"), "\n0.3"));
  fs::remove(scratch.work / "rest.csv");
  fs::remove(scratch.work / "half.gcp");
  fs::remove(scratch.work / "third.gcp");
  BOOST_TEST(scratch.gnomon("run --restart every.gcp").status == 2);  // at its end already
  fs::remove(scratch.work / "every.gcp");
  BOOST_TEST(scratch.empty());
}

BOOST_AUTO_TEST_CASE(what_a_restart_refuses) {
  const Scratch scratch;
  scratch.misuse("run --step 1e-3 --steps 5", {"PROBLEM is missing"});
  scratch.misuse("run --restart nothing.gcp", {"nothing.gcp", "No such file"});
  scratch.misuse(run + " --steps 5 --checkpoint-every 2", {"--checkpoint-every", "--checkpoint"});
  scratch.misuse(run + " --steps 5 --checkpoint no/such/folder.gcp", {"no/such/folder.gcp", "cannot be written"});
  scratch.misuse(run + " --steps 5 --checkpoint x --checkpoint-every 0", {"--checkpoint-every", "0"});

  BOOST_TEST(scratch.gnomon(run + " --steps 5 --checkpoint a.gcp").status == 0);
  const std::string bytes = read(scratch.work / "a.gcp");
  const fs::path good = scratch.root / "good.gcp", bad = scratch.root / "bad.gcp";
  fs::rename(scratch.work / "a.gcp", good);
  const std::string restart = "run --restart " + good.string();
  scratch.misuse(restart + " --steps 5", {"nothing left", "--steps"});
  scratch.misuse(restart + " --steps 9 --scheme rattle", {"--scheme", "--restart"});
  scratch.misuse(restart + " --steps 9 --step 1e-2", {"--step"});
  const auto damaged = [&](const std::string& content, const std::string& why) {
    write(bad, content);
    scratch.misuse("run --steps 9 --restart " + bad.string(), {bad.string(), why});
  };
  damaged("", "no checkpoint");
  damaged("t,q,p\n0,1,2\n", "no checkpoint");
  damaged(bytes.substr(0, bytes.size() / 2), "bytes");
  damaged(bytes.substr(0, bytes.size() - 1), "bytes");
  damaged(bytes + " ", "bytes");
  for (const std::size_t at : {std::size_t(40), bytes.size() / 2, bytes.size() - 1}) {
    std::string flipped = bytes;
    flipped[at] ^= 1;
    damaged(flipped, "damaged");
  }
  std::string other = bytes;
  other[8] = 99;
  damaged(other, "format 99");
  // A checkpoint of the library has no arguments of the program.
  gnomon::Integrator library = integrator("planar-pendulum", {}, "energy-momentum");
  library.save(bad.string());
  scratch.misuse("run --restart " + bad.string(), {"was not written by gnomon run"});
}

BOOST_AUTO_TEST_CASE(what_the_library_refuses) {
  const Scratch scratch;
  const std::string file = (scratch.root / "a.gcp").string();
  gnomon::Integrator a = integrator("planar-pendulum", {}, "energy-momentum");
  a.advance(10, 1e-2);
  a.save(file, "a note");
  BOOST_TEST(gnomon::read_checkpoint(file).note == "a note");
  const auto refused = [&](gnomon::Integrator other, const std::string& why) {
    BOOST_CHECK_EXCEPTION(other.load(file), gnomon::Error, [&](const gnomon::Error& error) {
      BOOST_TEST_MESSAGE(error.what());
      return error.code() == gnomon::ErrorCode::bad_file && contains(error.what(), why) && contains(error.what(), file);
    });
  };
  refused(integrator("planar-pendulum", {}, "rattle"), "rattle");
  refused(integrator("spring-pendulum", {}, "energy-momentum"), "system");
  refused(integrator("planar-pendulum", {{"length", "2"}}, "energy-momentum"), "other parameters");
  gnomon::IntegratorOptions halvings;
  halvings.max_halvings = 3;
  refused(integrator("planar-pendulum", {}, "energy-momentum", halvings), "halvings");
}

BOOST_AUTO_TEST_CASE(the_energy_balance_goes_on_term_by_term) {
  const Scratch scratch;
  const std::string file = (scratch.root / "a.gcp").string();
  const auto built = [] { return integrator("shaken-pendulum", {{"gravity_amplitude", "2"}}, "energy-momentum-ggl"); };
  gnomon::Integrator whole = built(), first = built(), second = built();
  BOOST_REQUIRE(whole.advance(20, 1e-2).success());
  BOOST_REQUIRE(first.advance(10, 1e-2).success());
  first.save(file);
  second.load(file);
  BOOST_REQUIRE(second.advance(10, 1e-2).success());
  for (int i = 0; i < gnomon::Work::terms; ++i) {
    BOOST_TEST(whole.state().work.term(i) != 0, gnomon::Work::name(i));
    BOOST_TEST((second.state().work.term(i) == whole.state().work.term(i)), gnomon::Work::name(i));
  }
}

// The file is whole and of the same kind of model; that its parameters are others shows only when it is read.
BOOST_AUTO_TEST_CASE(a_refused_file_leaves_the_run_as_it_was) {
  const Scratch scratch;
  const std::string file = (scratch.root / "a.gcp").string();
  integrator("planar-pendulum", {}, "energy-momentum").save(file);
  gnomon::Integrator undisturbed = integrator("planar-pendulum", {{"length", "2"}}, "energy-momentum");
  gnomon::Integrator disturbed = integrator("planar-pendulum", {{"length", "2"}}, "energy-momentum");
  undisturbed.advance(20, 1e-2);
  disturbed.advance(10, 1e-2);
  BOOST_CHECK_THROW(disturbed.load(file), gnomon::Error);
  BOOST_TEST(disturbed.advance(10, 1e-2).success());
  BOOST_TEST(disturbed.state().t == undisturbed.state().t);
  BOOST_TEST((disturbed.state().q.value() == undisturbed.state().q.value()));
  BOOST_TEST((disturbed.state().p.tail() == undisturbed.state().p.tail()));
  BOOST_TEST(disturbed.counters().iterations == undisturbed.counters().iterations);
  BOOST_TEST(disturbed.monitor().energy().slope() == undisturbed.monitor().energy().slope());
}

BOOST_AUTO_TEST_CASE(dependent_constraints_are_known_after_a_restart) {
  const Scratch scratch;
  const std::string file = (scratch.root / "a.gcp").string();
  gnomon::Integrator whole = integrator("bricard-loop", {}, "energy-momentum");
  whole.advance(50, 1e-2);
  whole.save(file);
  whole.advance(500, 1e-2);
  const gnomon::Scheme& scheme = registry().scheme("energy-momentum");
  const gnomon::SolverFactory& solver = registry().solver("kinsol-newton");
  gnomon::Integrator rest(registry().build("bricard-loop").model, scheme,  // never started
                          gnomon::Options("scheme", scheme.options()), solver,
                          gnomon::Options("solver", solver.options()));
  rest.load(file);
  BOOST_TEST(rest.constraint_rank().rank == 23);
  BOOST_TEST(rest.constraint_rank().dependent == whole.constraint_rank().dependent);
  rest.advance(500, 1e-2);
  BOOST_TEST((rest.state().q.value() == whole.state().q.value()));
  BOOST_TEST((rest.state().lambda == whole.state().lambda));
}

BOOST_AUTO_TEST_CASE(a_killed_run_leaves_a_good_checkpoint) {
  // Twenty runs that write a checkpoint after every step are killed, at times from 20 to 400 ms after their start.
  const Scratch scratch;
  const fs::path file = scratch.work / "kill.gcp";
  long last = 0, different = 0;
  for (int k = 0; k < 20; ++k) {
    fs::remove(file);
    const pid_t child = fork();
    BOOST_REQUIRE(child >= 0);
    if (child == 0) {
      const int null = open("/dev/null", O_RDWR);
      dup2(null, 1);
      dup2(null, 2);
      if (chdir(scratch.work.c_str()) != 0) _exit(9);
      execl(GNOMON_PROGRAM, "gnomon", "run", "double-spherical-pendulum", "--step", "1e-4", "--steps", "100000000",
            "--checkpoint", "kill.gcp", "--checkpoint-every", "1", static_cast<char*>(nullptr));
      _exit(9);
    }
    for (int wait = 0; wait < 1000 && !fs::exists(file); ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(10 + 7 * k));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    BOOST_TEST(WIFSIGNALED(status));

    gnomon::Integrator resumed = integrator("double-spherical-pendulum", {}, "energy-momentum");
    resumed.load(file.string());
    const long step = resumed.counters().steps;
    different += step != last;
    last = step;
    gnomon::Integrator whole = integrator("double-spherical-pendulum", {}, "energy-momentum");
    whole.advance(step + 20, 1e-4);
    BOOST_TEST(resumed.advance(20, 1e-4).success());
    BOOST_TEST((resumed.state().q.value() == whole.state().q.value()));
    BOOST_TEST((resumed.state().p.value() == whole.state().p.value()));
    BOOST_TEST((resumed.state().q.tail() == whole.state().q.tail()));
    BOOST_TEST(resumed.monitor().energy().max_abs_error() == whole.monitor().energy().max_abs_error());
  }
  BOOST_TEST(different > 10);  // they were killed in the middle
}
