// Closed loops in a row, of bodies in space: each repeats three of its constraints, and what repeats them are rows of
// its own bodies and joints, whichever rows the rank leaves out. Renewed elsewhere the border is one of that position.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>

#include "gnomon/base/numbers.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/start/border.hpp"
#include "gnomon/start/consistency.hpp"

using namespace gnomon;

namespace {

/// N parallelograms of N + 1 cranks of length one, turned by this angle, hinged to the ground at (i, 0, 0), and
/// couplers.
ProblemInstance parallelograms(int loops, double angle) {
  const auto number = [](double x) { return number_text(x, 17); };
  const double c = std::cos(angle), s = std::sin(angle);
  std::string points, bodies, joints;
  const auto body = [&](const std::string& name, double x, double y, double turned) {
    bodies += "[bodies." + name + "]\nmass = 1\ninertia = [0.01, 0.08, 0.08]\n" +
              "markers = { a = [-0.5, 0, 0], b = [0.5, 0, 0] }\nposition = [" + number(x) + ", " + number(y) +
              ", 0]\norientation = { axis = [0, 0, 1], angle = " + number(turned) + " }\n";
  };
  const auto hinge = [&](const std::string& a, const std::string& b) {
    joints += "J" + std::to_string(joints.size()) + " = { type = \"revolute\", between = [\"" + a + "\", \"" + b +
              "\"], axis = [0, 0, 1] }\n";
  };
  for (int i = 0; i <= loops; ++i) {
    const std::string own = std::to_string(i), next = std::to_string(i + 1), crank = "crank" + own;
    points += (i > 0 ? ", P" : "P") + own + " = [" + own + ", 0, 0]";
    body(crank, i + c / 2, s / 2, angle);
    hinge("P" + own, crank + ".a");
    if (i == loops) continue;
    body("coupler" + own, i + c + .5, s, 0);
    hinge(crank + ".b", "coupler" + own + ".a");
    hinge("crank" + next + ".b", "coupler" + own + ".b");
  }
  const std::string text = "format = 1\nname = \"loops\"\ngravity = [0, -9.81, 0]\npoints = { " + points + " }\n" +
                           bodies + "[joints]\n" + joints;
  return read_model_text(text, "loops.toml")->build(Options("problem loops", {}));
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_loop_repeats_rows_of_its_own) {
  const int loops = 12;
  const ProblemInstance instance = parallelograms(loops, 1.2);
  const auto system = shared_system(instance.model);
  const std::shared_ptr<Border> border = Border::find(system, instance.t0, instance.q0);
  BOOST_REQUIRE(border);
  BOOST_TEST(border->size() == 3 * loops);
  const SparsityPattern &wide = border->system()->constraint_pattern(), &narrow = system->constraint_pattern();
  BOOST_TEST(wide.nonzeros() - narrow.nonzeros() <= 12 * border->size());
  BOOST_TEST(border->misfit(instance.t0, instance.q0) <= 1e-12);

  const ProblemInstance turned = parallelograms(loops, 2.2);
  BOOST_TEST(border->misfit(turned.t0, turned.q0) > Border::largest_misfit);
  Vector position;
  Border::set_position(turned.t0, turned.q0, position);
  BOOST_TEST(border->take(position));
  BOOST_TEST(border->misfit(turned.t0, turned.q0) <= 1e-12);
  BOOST_TEST(constraint_rank(*border->system(), turned.t0, bordered(turned, *border).q0).rank == system->m());
}
