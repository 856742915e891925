// The real program where files, devices and signals are not what they should be.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>

#include "support/scratch.hpp"

namespace {

using namespace gnomon::test;
using Clock = std::chrono::steady_clock;

const std::string pendulum = "run planar-pendulum --step 1e-2 --steps 10";

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

mode_t mode_of(const fs::path& file) {
  struct stat status;
  return stat(file.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

constexpr std::chrono::seconds patience{20};

/// The program beside the test, in its own process.
class Child {
 public:
  Child(const Scratch& scratch, const std::vector<std::string>& arguments) : pid_(fork()) {
    BOOST_REQUIRE(pid_ >= 0);
    if (pid_ > 0) return;
    const int null = open("/dev/null", O_RDWR),
              err = open((scratch.root / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(null, 0);
    dup2(null, 1);
    dup2(err, 2);
    if (chdir(scratch.work.c_str()) != 0) _exit(99);
    std::vector<char*> words{const_cast<char*>("gnomon")};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    execv(GNOMON_PROGRAM, words.data());
    _exit(99);
  }
  ~Child() {
    if (status_) return;
    ::kill(pid_, SIGKILL);
    wait(std::chrono::seconds(10));
  }
  void signal(int which) const { ::kill(pid_, which); }
  /// As of waitpid; none after that time.
  std::optional<int> wait(std::chrono::milliseconds most) {
    const auto end = Clock::now() + most;
    int status = 0;
    while (!status_ && Clock::now() < end) {
      if (waitpid(pid_, &status, WNOHANG) == pid_)
        status_ = status;
      else
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return status_;
  }
  /// It ends by itself within that time, with this status.
  void ends_with(int expected, std::chrono::milliseconds most = patience) {
    const auto status = wait(most);
    BOOST_REQUIRE(status.has_value());
    BOOST_TEST((WIFEXITED(*status) && WEXITSTATUS(*status) == expected));
  }

 private:
  pid_t pid_;
  std::optional<int> status_;
};

bool appears(const fs::path& file) {
  for (int tenth = 0; tenth < 300 && !fs::exists(file); ++tenth)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return fs::exists(file);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_stops_at_the_first_signal) {
  for (const int which : {SIGINT, SIGTERM, SIGHUP}) {
    const Scratch scratch;
    Child child(scratch, {"run", "double-spherical-pendulum", "--step", "1e-4", "--steps", "1000000000", "--every",
                          "100000", "--output", "out.csv", "--checkpoint", "begun"});
    BOOST_REQUIRE(appears(scratch.work / "begun"));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    child.signal(which);
    child.ends_with(130);
    BOOST_TEST(contains(read(scratch.work / "out.csv"), "\n"));
    BOOST_TEST(files_in(scratch.work) == 2u);  // and no temporary ones
  }
}

// The events of its first step keep it busy for longer than a signal should take.
BOOST_AUTO_TEST_CASE(a_signal_is_seen_inside_a_step) {
  const Scratch scratch;
  Child child(scratch, {"run", "colliding-strings", "--set", "tau1=30000", "--set", "intervals=400", "--step", "1e-3",
                        "--steps", "1", "--checkpoint", "begun"});
  BOOST_REQUIRE(appears(scratch.work / "begun"));
  child.signal(SIGTERM);
  child.ends_with(130);
}

// Of a reference, which takes far longer than the run: what the run did is printed all the same.
BOOST_AUTO_TEST_CASE(a_signal_ends_a_reference) {
  const Scratch scratch;
  Child child(scratch, {"run", "chain", "--set", "links=100", "--scheme", "energy-momentum", "--step", "5e-2",
                        "--until", "1", "--reference", "ida-ggl", "--json", "--checkpoint", "begun"});
  BOOST_REQUIRE(appears(scratch.work / "begun"));
  std::this_thread::sleep_for(std::chrono::seconds(1));
  child.signal(SIGINT);
  child.ends_with(130);
  const std::string summary = read(scratch.root / "err");
  BOOST_TEST(contains(summary, "20 of h = 0.05"), summary);
  BOOST_TEST(contains(summary, "IDA was stopped at t = "), summary);
}

BOOST_AUTO_TEST_CASE(an_advice_stops_at_the_first_signal) {
  const Scratch scratch;
  Child child(scratch, {"advise", "chain", "--set", "links=100", "--until", "1", "--json", "out.json"});
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  child.signal(SIGINT);
  child.ends_with(130);
  BOOST_TEST(contains(read(scratch.work / "out.json"), "\"interrupted\" : true"));
}

// Libraries that start threads would not come to their end. A sanitizer needs address space of its own.
BOOST_AUTO_TEST_CASE(little_address_space) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const Scratch scratch;
  const std::string command = "ulimit -v 200000; timeout 20 '" GNOMON_PROGRAM "' --version >/dev/null 2>&1";
  BOOST_TEST(std::system(command.c_str()) == 0);
#endif
}

BOOST_AUTO_TEST_CASE(a_second_signal_ends_the_program) {
  const Scratch scratch;
  // Observers are not asked while this one writes to a pipe that nobody reads.
  const fs::path pipe = scratch.work / "pipe";
  BOOST_REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  BOOST_REQUIRE(reader >= 0);
  Child child(scratch, {"run", "planar-pendulum", "--step", "1e-4", "--steps", "1000000000", "--output", "pipe",
                        "--checkpoint", "begun"});
  BOOST_REQUIRE(appears(scratch.work / "begun"));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the pipe is full
  child.signal(SIGTERM);
  BOOST_TEST(!child.wait(std::chrono::milliseconds(300)).has_value());
  child.signal(SIGTERM);
  const auto status = child.wait(patience);
  close(reader);
  BOOST_REQUIRE(status.has_value());
  BOOST_TEST((WIFSIGNALED(*status) && WTERMSIG(*status) == SIGTERM));
  BOOST_TEST(files_in(scratch.work) == 2u);
}

BOOST_AUTO_TEST_CASE(snapshots_of_no_size) {
  const Scratch scratch;
  const std::string beam = "run beam --step 1e-2 --steps 2 --snapshots a.csv --snapshot-every ";
  scratch.misuse(beam + "1e-300", {"--snapshot-every = 1e-300", "1e15"});
  // At most one a step.
  BOOST_TEST(scratch.gnomon(beam + "1e-16").status == 0);
  const std::string often = read(scratch.work / "a.csv");
  BOOST_TEST(scratch.gnomon(beam + "1e-2").status == 0);
  BOOST_TEST((often == read(scratch.work / "a.csv")));
}

BOOST_AUTO_TEST_CASE(events_that_are_not_found) {
  const Scratch scratch;
  Child child(scratch, {"run", "colliding-strings", "--set", "tau1=30000", "--step", "1e-3", "--steps", "1"});
  child.ends_with(3, std::chrono::seconds(120));
}

BOOST_AUTO_TEST_CASE(what_a_checkpoint_is_not_written_to) {
  const Scratch scratch;
  const fs::path work = scratch.work;
  BOOST_TEST(scratch.gnomon(pendulum + " --checkpoint /dev/null").status == 2);
  BOOST_TEST(contains(read(scratch.root / "err"), "no regular file"));
  BOOST_TEST(fs::is_character_file("/dev/null"));
  BOOST_TEST(scratch.gnomon("run --restart /dev/null").status == 2);
  BOOST_TEST(scratch.gnomon("run --restart /dev/zero").status == 2);

  // Names that others might expect beside it.
  std::ofstream(work / "victim") << "precious\n";
  fs::create_symlink("victim", work / "c.gcp.part");
  BOOST_TEST(scratch.gnomon(pendulum + " --checkpoint c.gcp").status == 0);
  BOOST_TEST(read(work / "victim") == "precious\n");
  BOOST_TEST(fs::is_symlink(work / "c.gcp.part"));

  // A link is what it points to, and stays a link.
  fs::create_symlink("c.gcp", work / "link.gcp");
  BOOST_TEST(scratch.gnomon(pendulum + " --checkpoint link.gcp").status == 0);
  BOOST_TEST(fs::is_symlink(work / "link.gcp"));
  BOOST_TEST(files_in(work) == 4u);
}

BOOST_AUTO_TEST_CASE(two_writers_of_one_checkpoint) {
  const Scratch scratch;
  const std::vector<std::string> arguments{
      "run",   "planar-pendulum",    "--step", "1e-2", "--steps", "2000", "--checkpoint",
      "c.gcp", "--checkpoint-every", "1"};
  Child one(scratch, arguments), two(scratch, arguments);
  for (Child* child : {&one, &two}) {
    child->ends_with(0, std::chrono::seconds(120));
  }
  BOOST_TEST(files_in(scratch.work) == 1u);
  BOOST_TEST(scratch.gnomon("run --restart c.gcp --steps 2010").status == 0);
}

// A checkpoint that can no longer be written takes nothing else with it.
BOOST_AUTO_TEST_CASE(the_trajectory_outlives_the_checkpoint) {
  const Scratch scratch;
  fs::create_directory(scratch.work / "folder");
  Child child(scratch, {"run", "planar-pendulum", "--step", "1e-3", "--steps", "1000000000", "--every", "100000",
                        "--output", "out.csv", "--checkpoint", "folder/c.gcp", "--checkpoint-every", "1"});
  BOOST_REQUIRE(appears(scratch.work / "folder/c.gcp"));
  // While the program writes, the folder may fill again.
  std::error_code busy;
  for (int attempt = 0; attempt < 100 && fs::exists(scratch.work / "folder"); ++attempt)
    fs::remove_all(scratch.work / "folder", busy);
  BOOST_REQUIRE(!fs::exists(scratch.work / "folder"));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  child.signal(SIGINT);
  child.ends_with(2);
  BOOST_TEST(contains(read(scratch.root / "err"), "folder/c.gcp"));
  BOOST_TEST(contains(read(scratch.work / "out.csv"), "\n"));
}

BOOST_AUTO_TEST_CASE(a_full_device) {
  const Scratch scratch;
  const auto onto_full_device = [&](const std::string& arguments) {
    const std::string command = "cd '" + scratch.work.string() + "' && '" GNOMON_PROGRAM "' " + arguments +
                                " >/dev/full 2>'" + (scratch.root / "err").string() + "' </dev/null";
    const int status = std::system(command.c_str());
    return Outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, "", read(scratch.root / "err")};
  };
  const fs::path cases = scratch.root / "cases";
  fs::create_directories(cases);
  std::ofstream(cases / "a.toml") << "kind = \"published\"\n[[case]]\nname = \"mine\"\ntier = \"quick\"\n"
                                     "measure = \"long-run\"\nproblem = \"planar-pendulum\"\nstep = 1e-2\nsteps = 10\n";
  for (const std::string& arguments :
       {std::string("--help"), std::string("--version"), std::string("run --help"), std::string("list"),
        std::string("describe planar-pendulum"), std::string("check planar-pendulum"), pendulum, pendulum + " --json",
        std::string("compare planar-pendulum --step 1e-2 --steps 3"), std::string("equilibrium planar-pendulum"),
        "validate --cases '" + cases.string() + "'"}) {
    const Outcome outcome = onto_full_device(arguments);
    BOOST_TEST(outcome.status == 2, arguments);
    const bool said = contains(outcome.err, "standard output") || contains(outcome.err, "No space left");
    BOOST_TEST(said, arguments << ": " << outcome.err);
  }
  BOOST_TEST(scratch.gnomon(pendulum + " --output /dev/full").status == 2);
  // What was computed is not lost with it.
  BOOST_TEST(onto_full_device(pendulum + " --output out.csv").status == 2);
  BOOST_TEST(contains(read(scratch.work / "out.csv"), "\n0.1"));
}

BOOST_AUTO_TEST_CASE(modes_of_files) {
  const Scratch scratch;
  const mode_t mask = umask(027);
  for (const std::string flag : {"--output", "--checkpoint"}) {
    const fs::path file = scratch.work / "file";
    BOOST_TEST(scratch.gnomon(pendulum + " " + flag + " file").status == 0);
    BOOST_TEST(mode_of(file) == 0640u);
    fs::permissions(file, fs::perms(0604));
    BOOST_TEST(scratch.gnomon(pendulum + " " + flag + " file").status == 0);
    BOOST_TEST(mode_of(file) == 0604u);
    fs::remove(file);
  }
  umask(mask);
}

BOOST_AUTO_TEST_CASE(a_restart_replaces_no_output) {
  const Scratch scratch;
  BOOST_TEST(scratch.gnomon(pendulum + " --output out.csv --checkpoint c.gcp").status == 0);
  const std::string first = read(scratch.work / "out.csv");
  const Outcome second = scratch.gnomon("run --restart c.gcp --steps 20 --output out.csv");
  BOOST_TEST(second.status == 2);
  BOOST_TEST(contains(second.err, "out.csv"));
  BOOST_TEST(contains(second.err, "--restart"));
  BOOST_TEST(read(scratch.work / "out.csv") == first);
  BOOST_TEST(scratch.gnomon("run --restart c.gcp --steps 20 --output rest.csv").status == 0);
}

BOOST_AUTO_TEST_CASE(a_folder_of_cases_is_judged_alone) {
  const Scratch scratch;
  const fs::path cases = scratch.root / "cases";
  fs::create_directories(cases);
  std::ofstream(cases / "a.toml") << "kind = \"published\"\n[[case]]\nname = \"mine\"\ntier = \"quick\"\n"
                                     "measure = \"long-run\"\nproblem = \"planar-pendulum\"\nstep = 1e-2\nsteps = 10\n";
  const Outcome outcome = scratch.gnomon("validate --quick --cases '" + cases.string() + "' --json report.json");
  BOOST_TEST(outcome.status == 0, outcome.err);
  const std::string report = read(scratch.work / "report.json");
  BOOST_TEST(contains(report, "published/mine"));
  BOOST_TEST(!contains(report, "conformance/"));
}
