#pragma once
/// \file
/// A page with a block of every kind, which its tests read and look at.

#include <cmath>
#include <limits>

#include "pages/page.hpp"

namespace gnomon::test {

inline const double no_number = std::numeric_limits<double>::quiet_NaN(),
                    infinity = std::numeric_limits<double>::infinity();

inline pages::Chart energy_chart(std::size_t points) {
  pages::Series own{"energy-momentum", {}, {}}, other{"ida-ggl", {}, {}}, guide{"sqrt(t)", {}, {}};
  for (std::size_t k = 0; k < points; ++k) {
    const double t = 10.0 * static_cast<double>(k) / static_cast<double>(points - 1);
    own.x.push_back(t);
    own.y.push_back(k == 0 ? 0 : 1e-16 * std::sin(40 * t) * std::sqrt(t));
    guide.x.push_back(t);
    guide.y.push_back(1e-16 * std::sqrt(t));
  }
  for (std::size_t k = 0; k < 300; ++k) {
    other.x.push_back(static_cast<double>(k) / 30 + 0.01);
    other.y.push_back(k == 100 ? no_number : 1e-10 * (1 + static_cast<double>(k)));
  }
  other.group = 1;
  guide.style = pages::Series::Style::guide;
  return {"Energy error over time",
          "|H - H0| of both runs; the guide is sqrt(t)",
          {"time", "s"},
          {"H - H0", "J", true},
          {own, other, guide}};
}

inline pages::Motion arm(int dimension) {
  pages::Motion motion;
  motion.title = dimension == 3 ? "Double pendulum in space" : "Double pendulum in the plane";
  motion.dimension = dimension;
  motion.unit = "m";
  motion.time_unit = "s";
  motion.curves = {{"arm", 3}, {"tip", 1, true}, {"ground", 2, false, true}};
  motion.runs = {{"energy-momentum", 0}, {"ida-ggl", 1, true}};
  for (int k = 0; k <= 200; ++k) motion.times.push_back(0.05 * k);
  for (std::size_t run = 0; run < 2; ++run)
    for (const double t : motion.times) {
      const double a = 1.2 * std::cos(2 * t), b = a + std::sin(3 * t + 0.05 * static_cast<double>(run) * t);
      const auto add = [&](double x, double y, double z) {
        auto& points = motion.runs[run].points;
        points.push_back(x);
        if (dimension == 3) points.push_back(z);
        points.push_back(y);
      };
      const double x1 = std::sin(a), y1 = -std::cos(a), x2 = x1 + std::sin(b), y2 = y1 - std::cos(b),
                   z = 0.3 * std::sin(t);
      add(0, 0, 0);
      add(x1, y1, z);
      add(x2, y2, 2 * z);
      add(x2, y2, 2 * z);
      add(-2, -2.2, 0);
      add(2, -2.2, 0);
    }
  return motion;
}

/// A box that turns about the third axis, a joint there and a plane below, a spring, and quantities beside it.
inline pages::Motion turning_box() {
  pages::Motion motion;
  motion.title = "A box that turns";
  motion.dimension = 3;
  motion.unit = "m";
  motion.time_unit = "s";
  motion.curves = {{"outline", 5}, {"corner", 1, true}, {"spring", 2}};
  motion.curves[0].kind = "outline";
  motion.curves[1].kind = "trace";
  motion.curves[2].kind = "spring";
  pages::MovingSolid box{"box", "body", {}, {}}, joint, plane{"plane", "contact", {}, {0, 1, 2, 0, 2, 3}};
  for (int k = 0; k < 8; ++k)
    for (int c = 0; c < 3; ++c) box.points.push_back(((k >> c) & 1) != 0 ? 0.5 : -0.5);
  box.triangles = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                   2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
  joint = box;
  joint.name = "hinge";
  joint.kind = "joint";
  for (double& x : joint.points) x *= 0.2;
  plane.points = {-1, -1, -0.5, 1, -1, -0.5, 1, 1, -0.5, -1, 1, -0.5};
  motion.solids = {box, joint, plane};
  motion.runs = {{"projected-rk", 0}};
  motion.events = {{0.5, "landing, floor.corner", "contact"},
                   {0.501, "sticking, floor.corner", "friction"},
                   {1.2, "lift-off, floor.corner", "contact"},
                   {2, "the run stopped", "stop"}};
  for (int k = 0; k <= 100; ++k) {
    const double t = 0.02 * k, c = std::cos(t), s = std::sin(t);
    motion.times.push_back(t);
    auto& points = motion.runs[0].points;
    for (const auto& [x, y] : {std::pair{-.5, -.5}, {.5, -.5}, {.5, .5}, {-.5, .5}, {-.5, -.5}, {.5, .5}})
      for (const double coordinate : {c * x - s * y, s * x + c * y, 0.5}) points.push_back(coordinate);
    for (const double coordinate : {0., 0., 1.5, 0., 0., 0.5}) points.push_back(coordinate);
    auto& poses = motion.runs[0].poses;
    for (const double x : {0., 0., 0., c, s, 0., -s, c, 0.}) poses.push_back(x);
    for (const double x : {0., 0., .5, 1., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 1., 0.}) poses.push_back(x);
  }
  return motion;
}
inline pages::Quantities of_the_box() {
  pages::Quantities out{"Quantities", "", {}, "s", {}};
  out.all = {{"hinge.angle", "rad", {}, true},
             {"hinge.force.x", "N", {}},
             {"hinge.force.y", "N", {}},
             {"hinge.force.z", "N", {}},
             {"speed", "rad/s", {}}};
  for (int k = 0; k <= 50; ++k) {
    const double t = 0.04 * k;
    out.times.push_back(t);
    for (std::size_t i = 0; i < 5; ++i)
      out.all[i].values.push_back(i == 0 ? t : i == 4 ? 1 : i == 3 ? 9.81 : 2 * std::cos(t + static_cast<double>(i)));
  }
  return out;
}

inline pages::Page every_block() {
  using namespace pages;
  Page page("Every <b>block</b> & one \"title\"",
            "double-spherical-pendulum, energy-momentum </script><script>alert(1)</script>");
  page.add(Section{"Result", "What was run, and how well it went."});
  page.add(Facts{"The run",
                 {{"scheme", "energy-momentum"},
                  {"energy error", {"6.1e-17", Mark::good, "max |H - H0|"}},
                  {"</script>", {"<i>\xce\xbb</i> & \xff", Mark::bad}}}});
  page.add(
      Command{"The same run again", "gnomon run double-spherical-pendulum --set start=spatial --step 1e-3 --until 1"});
  page.add(Text{"", {"Energy and constraints stay at rounding level."}});
  page.add(Section{"Motion"});
  page.add(Notice{Mark::bad, "Stopped at t = 2 s, before the end at 3 s", {"The <i>hinge</i> locks.", "A warning."}});
  page.add(arm(3));
  page.add(arm(2));
  page.add(turning_box());
  page.add(of_the_box());
  page.add(Section{"Curves"});
  page.add(energy_chart(5000));
  Series circle{"phase", {}, {}};
  for (int k = 0; k <= 100; ++k) {
    circle.x.push_back(std::cos(0.0628 * k));
    circle.y.push_back(std::sin(0.0628 * k));
  }
  page.add(Chart{"Momentum over position", "", {"q", "m"}, {"p", "kg m/s"}, {circle}});
  page.add(Chart{"Error over step",
                 "",
                 {"step", "s", true},
                 {"error of q", "", true},
                 {{"rattle", {1e-1, 1e-2, 1e-3}, {1e-2, 1e-4, 1e-6}, Series::Style::line_points, 2},
                  {"hbvm", {1e-1, 1e-2, 1e-3}, {infinity, 1e-8, no_number}, Series::Style::points, 3}}});
  page.add(Section{"Tables"});
  Table table{"Rows", "many of them", {"case", "measured", "gate", "verdict"}, {}};
  for (int k = 0; k < 5000; ++k) {
    const bool kept = k % 97 != 0;
    table.rows.push_back({"conformance/scheme-" + std::to_string(k % 20) + "/" + std::to_string(k),
                          std::to_string(k) + "e-16",
                          "<= 1e-12",
                          {kept ? "pass" : "FAIL", kept ? Mark::good : Mark::bad, kept ? "" : "a reason"}});
  }
  page.add(table);
  page.add(pages::Matrix{
      "Promises",
      "",
      {"energy-momentum", "rattle"},
      {"pendulum", "heavy-top", "chain"},
      {{{"4", Mark::good}, {"4", Mark::good}, {"3", Mark::bad, "order-q"}}, {{"3", Mark::good}, "", "2"}}});
  return page;
}

}  // namespace gnomon::test
