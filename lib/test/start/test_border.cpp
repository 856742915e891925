// Closed loops in a row, of bodies in space: each repeats three of its constraints, and what repeats them are rows of
// its own bodies and joints, whichever rows the rank leaves out. Renewed elsewhere the border is one of that position.
#include <Eigen/SVD>
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

/// A crank of length 1 turned by this angle, a coupler of 4 and a rocker of 3 on a ground of 4.
ProblemInstance four_bar(double angle) {
  const auto number = [](double x) { return number_text(x, 17); };
  const double bx = std::cos(angle), by = std::sin(angle);
  const double across = std::hypot(4 - bx, by), along = (across * across + 16 - 9) / (2 * across);
  const double up = std::sqrt(16 - along * along), ex = (4 - bx) / across, ey = -by / across;
  const double cx = bx + along * ex - up * ey, cy = by + along * ey + up * ex;
  const auto body = [&](const std::string& name, double x0, double y0, double x1, double y1) {
    const double half = std::hypot(x1 - x0, y1 - y0) / 2;
    return "[bodies." + name + "]\nmass = 1\ninertia = [0.01, 0.08, 0.08]\nmarkers = { a = [-" + number(half) +
           ", 0, 0], b = [" + number(half) + ", 0, 0] }\nposition = [" + number((x0 + x1) / 2) + ", " +
           number((y0 + y1) / 2) +
           ", 0]\norientation = { axis = [0, 0, 1], angle = " + number(std::atan2(y1 - y0, x1 - x0)) + " }\n";
  };
  return read_model_text("format = 1\nname = \"four-bar\"\npoints = { O = [0, 0, 0], P = [4, 0, 0] }\n" +
                             body("crank", 0, 0, bx, by) + body("coupler", bx, by, cx, cy) +
                             body("rocker", 4, 0, cx, cy) +
                             "[joints]\n"
                             "A = { type = \"revolute\", between = [\"O\", \"crank.a\"], axis = [0, 0, 1] }\n"
                             "B = { type = \"revolute\", between = [\"crank.b\", \"coupler.a\"], axis = [0, 0, 1] }\n"
                             "C = { type = \"revolute\", between = [\"coupler.b\", \"rocker.b\"], axis = [0, 0, 1] }\n"
                             "D = { type = \"revolute\", between = [\"P\", \"rocker.a\"], axis = [0, 0, 1] }\n",
                         "four-bar.toml")
      ->build(Options("problem four-bar", {}));
}

/// Largest over smallest singular value of the bordered rows of length one.
double condition(const Border& border, const ProblemInstance& at) {
  const System& wide = *border.system();
  Vector values(wide.constraint_pattern().nonzeros());
  wide.constraint_jacobian(at.t0, bordered(at, border).q0, values);
  Matrix g = to_dense(wide.constraint_pattern(), values) *
             wide.mass().diagonal_entries().cwiseSqrt().cwiseInverse().asDiagonal();
  g.array().colwise() /= g.rowwise().norm().array();
  const Vector sizes = Eigen::JacobiSVD<Matrix>(g).singularValues();
  return sizes[0] / sizes[sizes.size() - 1];
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

// The columns of Y of a four-bar linkage are found in rows of their own, and two of them are one where the crank has a
// certain angle to the others. No rank is lost there, and the border of a position beside it goes on.
BOOST_AUTO_TEST_CASE(columns_stay_apart_in_every_position) {
  const double start = 0.3;
  const ProblemInstance first = four_bar(start);
  const std::shared_ptr<Border> border = Border::find(shared_system(first.model), first.t0, first.q0);
  BOOST_REQUIRE(border);
  Vector position;
  int refused = 0;
  for (double angle = start; angle > start - 6.28; angle -= 0.01) {
    const ProblemInstance at = four_bar(angle);
    if (border->is_outgrown(at.t0, at.q0, 0)) {
      Border::set_position(at.t0, at.q0, position);
      BOOST_TEST(border->take(position));
    } else {
      ++refused;
    }
    BOOST_TEST(condition(*border, at) < 200, "turned by " << angle);
  }
  BOOST_TEST(refused > 0);
}
