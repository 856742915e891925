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
  page.add(arm(3));
  page.add(arm(2));
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
