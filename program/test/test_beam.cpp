// Beams: bad input, equilibria, snapshots and their files, through the real program.
#include <boost/test/unit_test.hpp>
#include <fstream>

#include "support/scratch.hpp"

namespace {

using namespace gnomon::test;

const std::string run = "run beam --scheme alpha --step 1e-2 --steps 3 ";

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_CASE(bad_beams) {
  const Scratch scratch;
  scratch.misuse(run + "--set bx=40", {"40 m apart", "32.6"});
  scratch.misuse(run + "--set elements=1", {"elements", "1"});
  scratch.misuse(run + "--set a=clamped --set dax=0", {"clamped end A", "length 0"});
  scratch.misuse(run + "--set dax=1", {"dax", "a=clamped"});
  scratch.misuse(run + "--set stretch=penalty --set eps=0", {"eps = 0", "above zero"});
  scratch.misuse(run + "--set stretch=penalty --set eps=-1", {"eps", "\"-1\""});
  scratch.misuse(run + "--set eps=1", {"eps", "stretch=penalty"});
  scratch.misuse(run + "--set bz=1", {"bz", "dimension=3"});
  scratch.misuse(run + "--set bx=0", {"horizontally", "folded"});
  scratch.misuse(run + "--set bx=32.6 --set start=equilibrium", {"as far apart as the beam is long"});
  scratch.misuse(run + "--solver alg2", {"solver uzawa does not take scheme alpha", "minimisation form"});
}

BOOST_AUTO_TEST_CASE(bad_equilibria) {
  const Scratch scratch;
  scratch.misuse("equilibrium", {"PROBLEM"});
  scratch.misuse("equilibrium beam --method penalty --eps 0", {"eps = 0", "above zero"});
  scratch.misuse("equilibrium beam --solver-option tolerance=1", {"--solver-option", "only with --solver"});
  scratch.misuse("equilibrium beam --eps 1", {"eps", "method=penalty"});
  scratch.misuse("equilibrium beam --method penality", {"penality", "penalty"});
  scratch.misuse("equilibrium walled-pendulum --method penalty", {"walled-pendulum", "obstacles"});
  scratch.misuse("equilibrium odae-test", {"overdetermined"});
  scratch.misuse("equilibrium chain --solver alg2", {"uzawa", "equilibrium"});
}

BOOST_AUTO_TEST_CASE(only_proved_minima_converge) {
  const Scratch scratch;
  const auto ends = [&](const std::string& arguments, int status, const std::vector<std::string>& parts) {
    const Outcome outcome = scratch.gnomon("equilibrium " + arguments);
    BOOST_TEST_CONTEXT(arguments << "\n" << outcome.out << outcome.err) {
      BOOST_TEST(outcome.status == status);
      for (const auto& part : parts) BOOST_TEST(contains(outcome.out, part), "does not say " << part);
    }
  };
  const std::string cantilever = "beam --set a=clamped --set b=free --set length=5 --set bx=4 --set elements=10";
  ends(cantilever, 0, {"U = -405.22", "minimum, proved by the inertia (40, 20, 0)"});
  // Newton's method alone ends at one of many stationary points.
  ends(cantilever + " --solver kinsol-newton --solver-option algebra=dense", 3,
       {"the end is no minimum: the KKT matrix has the inertia (", "a minimum has (40, 20, 0)"});
  ends("beam --set elements=300 --set a=clamped", 0, {"proved by the inertia (1198, 600, 0)"});
  ends("walled-pendulum", 0, {"obstacles", "proved by the inertia"});
  ends("beam --set a=free --set b=free", 3, {"falls without bound"});
  ends("planar-pendulum --set gravity=0", 3, {"neutral directions", "(1, 1, 1), a minimum has (2, 1, 0)"});
  // The upright pendulum is a stationary point, and is left.
  ends("planar-pendulum --set angle=3.141592653589793", 0, {"U = -1", "proved by the inertia (2, 1, 0)"});
  ends("planar-pendulum --set angle=3.141592653589793 --solver kinsol-newton", 3, {"no minimum", "(1, 2, 0)"});
}

BOOST_AUTO_TEST_CASE(bad_snapshots) {
  const Scratch scratch;
  scratch.misuse("run odae-test --scheme symplectic-euler-natural --step 1e-2 --steps 3 --snapshots s.csv", {"curves"});
  scratch.misuse(run + "--snapshots s.txt", {"s.txt", ".vtk"});
  scratch.misuse(run + "--snapshots s.csv --snapshot-every 0", {"--snapshot-every", "above zero"});
  scratch.misuse(run + "--snapshot-every 1", {"--snapshot-every", "--plot"});
  scratch.misuse(run + "--plot s.gif", {"s.gif", ".svg", ".png", ".pdf"});
}

BOOST_AUTO_TEST_CASE(snapshots_are_the_curve) {
  const Scratch scratch;
  const std::string release =
      "run beam-release --scheme alpha --step 1e-2 --steps 10 --set elements=4 --snapshot-every .05 --snapshots ";
  BOOST_REQUIRE_EQUAL(scratch.gnomon(release + "s.csv").status, 0);
  const auto rows = lines_of(scratch.work / "s.csv");
  BOOST_REQUIRE_EQUAL(rows.size(), 1 + 3 * 17);  // t = 0, .05, .1
  BOOST_TEST(rows[0] == "t,curve,point,x,y");
  BOOST_TEST(rows[1] == "0,beam,0,0,0");
  BOOST_TEST(rows[17].substr(0, 13) == "0,beam,16,20,");  // B
  BOOST_TEST(rows[18].substr(0, 7) == "0.05000");

  BOOST_REQUIRE_EQUAL(scratch.gnomon(release + "s.vtk").status, 0);
  const auto lines = lines_of(scratch.work / "s.vtk");
  BOOST_TEST(lines[3] == "DATASET POLYDATA");
  BOOST_TEST(lines[4] == "POINTS 51 double");
  BOOST_REQUIRE_EQUAL(lines.size(), 5 + 51 + 1 + 3 + 3 + 3 + 2 + 3);
  BOOST_TEST(lines[56] == "LINES 3 54");
}
