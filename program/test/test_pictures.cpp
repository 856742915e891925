// Pictures: curves of every registered problem, and plots through the real program.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "gnomon/model/curves.hpp"
#include "gnomon/model/problem.hpp"
#include "support/builtin_registry.hpp"
#include "support/scratch.hpp"

namespace {

using namespace gnomon::test;
using gnomon::Assignments;
using gnomon::Curve;
using gnomon::Matrix;
using gnomon::ProblemInstance;

void check_curves(const std::string& name, const Assignments& set) {
  const ProblemInstance instance = gnomon::registry().build(name, set);
  BOOST_TEST_CONTEXT(name) {
    BOOST_REQUIRE(instance.curves);
    const std::vector<Curve> curves = instance.curves->curves();
    BOOST_REQUIRE(!curves.empty());
    std::set<std::string> names;
    for (std::size_t k = 0; k < curves.size(); ++k) {
      const Curve& curve = curves[k];
      BOOST_TEST(names.insert(curve.name).second, "two curves are named " << curve.name);
      BOOST_TEST(curve.n_points > 0);
      BOOST_TEST(curve.dimension == curves.front().dimension);
      BOOST_TEST(curve.up < 3);
      Matrix points = Matrix::Constant(curve.dimension, curve.n_points, std::nan(""));
      instance.curves->curve_points(static_cast<gnomon::Index>(k), instance.t0, instance.q0, points);
      BOOST_TEST(points.allFinite(), curve.name << " has a point that is no number");
      BOOST_TEST(points.rows() == curve.dimension);
      BOOST_TEST(points.cols() == curve.n_points);
    }
  }
}

/// Lengths of the pieces of one curve, a row a snapshot.
std::vector<std::vector<double>> lengths(const fs::path& csv, const std::string& curve) {
  std::map<double, std::vector<std::vector<double>>> points;
  std::ifstream in(csv);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    const std::size_t name = line.find(',') + 1, end = name + curve.size();
    if (line.compare(name, curve.size() + 1, curve + ",") != 0) continue;
    std::istringstream rest(line.substr(line.find(',', end + 1) + 1));
    std::vector<double> point;
    for (std::string number; std::getline(rest, number, ',');) point.push_back(std::stod(number));
    points[std::stod(line)].push_back(point);
  }
  std::vector<std::vector<double>> result;
  for (const auto& [t, all] : points) {
    result.emplace_back();
    for (std::size_t i = 1; i < all.size(); ++i) {
      double square = 0;
      for (std::size_t c = 0; c < all[i].size(); ++c) square += std::pow(all[i][c] - all[i - 1][c], 2);
      result.back().push_back(std::sqrt(square));
    }
  }
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_problem_in_space_has_curves) {
  // Its y and z are quantities of no space.
  const std::set<std::string> without{"odae-test"};
  for (const std::string& name : gnomon::registry().problems()) {
    if (without.count(name) > 0)
      BOOST_TEST(!gnomon::registry().build(name, {}).curves);
    else
      check_curves(name, {});
  }
  check_curves("wave-bead", {{"coordinates", "cylindrical"}});
  check_curves("tethered-triangle", {{"coordinates", "relative"}});
  check_curves("oscillator-chain", {{"kind", "pair"}});
  check_curves("closed-chain", {{"bars", "4"}});
  check_curves("chain", {{"links", "100"}});
  check_curves("n-four-bar", {{"loops", "100"}});
  check_curves("box-on-floor", {{"mu", "0"}});
  check_curves("beam", {{"dimension", "3"}});
}

BOOST_AUTO_TEST_CASE(rods_keep_their_lengths) {
  const std::pair<const char*, const char*> rods[] = {
      {"planar-pendulum", "rod"},
      {"conical-pendulum", "rod"},
      {"double-spherical-pendulum", "rods"},
      {"double-compound-pendulum", "links"},
      {"chain --set links=5", "rods"},
      {"closed-chain", "rods"},
      {"polymer", "rods"},
      {"bricard-loop", "bars"},
      {"n-four-bar", "linkage"},
      {"car-axis", "axle"},
      {"andrews-squeezer --until 0.01", "body3"},
      {"heavy-top", "side along d1"},
      {"tethered-satellites", "tethers"},
      {"tethered-triangle", "tethers"},
      {"tethered-triangle --set coordinates=relative", "tethers"},
      {"box-on-floor --rtol 1e-4", "box"},
      {"gallery/watt-six-bar.toml", "triangle"},
      {"gallery/falling-chain.toml", "rod[2]"},
      {"gallery/slider-crank.toml", "rod"},
  };
  const Scratch scratch;
  for (const auto& [run, curve] : rods) {
    std::string arguments = std::string("run ") + run + " --snapshots s.csv";
    if (!contains(run, "--until")) arguments += contains(run, "tethered") ? " --until 1000" : " --until 0.5";
    if (!contains(run, "--rtol")) arguments += " --rtol 1e-9";
    const Outcome outcome = scratch.gnomon(arguments);
    BOOST_TEST_CONTEXT(arguments << "\n" << outcome.err) {
      BOOST_REQUIRE_EQUAL(outcome.status, 0);
      const auto all = lengths(scratch.work / "s.csv", curve);
      BOOST_REQUIRE_GT(all.size(), 3u);
      BOOST_REQUIRE(!all.front().empty());
      for (const auto& now : all)
        for (std::size_t i = 0; i < now.size(); ++i)
          BOOST_TEST(std::abs(now[i] - all.front()[i]) <= 1e-6 * all.front()[i]);
    }
  }
}

BOOST_AUTO_TEST_CASE(unfinished_plots_leave_the_file) {
  const Scratch scratch;
  // A gnuplot that draws half of the picture.
  const std::string programs = (scratch.root / "bin").string();
  fs::create_directories(programs);
  std::ofstream(programs + "/gnuplot") << "#!/bin/sh\ncat >/dev/null\necho '<svg>'\nexit 1\n";
  fs::permissions(programs + "/gnuplot", fs::perms::owner_all);
  std::ofstream(scratch.work / "old.svg") << "precious\n";
  const std::string before = std::getenv("PATH");
  setenv("PATH", (programs + ":" + before).c_str(), 1);
  for (const char* file : {"old.svg", "new.svg"}) {
    const Outcome outcome = scratch.gnomon(std::string("run planar-pendulum --rtol 1e-6 --until 0.1 --plot ") + file);
    BOOST_TEST(outcome.status == 2);
    BOOST_TEST(contains(outcome.err, std::string("could not draw the plot \"") + file));
  }
  setenv("PATH", before.c_str(), 1);
  BOOST_TEST(read(scratch.work / "old.svg") == "precious\n");
  BOOST_TEST(std::distance(fs::directory_iterator(scratch.work), fs::directory_iterator()) == 1);
}

BOOST_AUTO_TEST_CASE(plots_are_written) {
  if (std::system("command -v gnuplot >/dev/null 2>&1") != 0) return;
  const Scratch scratch;
  // A mechanism in the plane and in space, in space but in a plane, a graph, strings.
  for (const char* problem : {"planar-pendulum", "heavy-top", "chain", "oscillator-chain",
                              "colliding-strings --scheme alpha-penalty --step 1e-3", "gallery/trebuchet.toml"})
    for (const auto& [file, begin] : {std::pair("a.svg", "<?xml"), std::pair("a.png", "\x89PNG")}) {
      const std::string steps = contains(problem, "--step") ? "" : " --rtol 1e-6";
      const Outcome outcome = scratch.gnomon(std::string("run ") + problem + steps + " --until 0.1 --plot " + file);
      BOOST_TEST_CONTEXT(problem << " " << file << "\n" << outcome.err) {
        BOOST_REQUIRE_EQUAL(outcome.status, 0);
        BOOST_TEST(outcome.err == "");
        BOOST_TEST(read(scratch.work / file).rfind(begin, 0) == 0u);
      }
      fs::remove(scratch.work / file);
    }
}

BOOST_AUTO_TEST_CASE(mode_shapes_are_drawn) {
  if (std::system("command -v gnuplot >/dev/null 2>&1") != 0) return;
  const Scratch scratch;
  for (const auto& [problem, title] : {std::pair("planar-pendulum", "mode 1: frequency 0.1592"),
                                       std::pair("double-spherical-pendulum", "mode 4: frequency 0.9211"),
                                       std::pair("oscillator-chain", "mode 6: frequency")}) {
    const Outcome outcome = scratch.gnomon(std::string("linearise ") + problem + " --plot modes.svg");
    BOOST_TEST_CONTEXT(problem << "\n" << outcome.err) {
      BOOST_REQUIRE_EQUAL(outcome.status, 0);
      const std::string picture = read(scratch.work / "modes.svg");
      BOOST_TEST(contains(picture, title));
      BOOST_TEST(!contains(picture, "mode 7"));
    }
  }
}
