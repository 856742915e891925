#include <cmath>

#include "bench/peers/peers.hpp"
#include "gnomon/mechanism/mechanism.hpp"

namespace gnomon::bench {

namespace {

/// The moments of a box of mass 1.
Values3 box_moments(double a, double b, double c) {
  return {(b * b + c * c) / 12, (a * a + c * c) / 12, (a * a + b * b) / 12};
}

ProblemInstance pendulum() {
  Mechanism m("pendulum", Mechanism::Space::planar);
  m.gravity({0, -9.81});
  const Attachment o = m.point("O", {0, 0});
  const auto rod = m.body("rod").mass(1).inertia(1.01 / 12).marker("end", {-.5, 0}).place("end", o);
  m.joint("A", "revolute", o, rod.at("end"));
  return m.build();
}

/// 15 kg, the centre of mass 1 m from its point, 150 rad/s: Geradin and Cardona's fast top.
ProblemInstance fast_top() {
  Mechanism m("fast top");
  m.gravity({0, 0, -9.81});
  const Attachment o = m.point("O", {0, 0, 0});
  const auto top = m.body("top")
                       .mass(15)
                       .inertia({.25, .46875, .25})
                       .marker("foot", {0, -1, 0})
                       .place("foot", o)
                       .angular_velocity({0, 150, -4.61538});
  m.joint("A", "spherical", o, top.at("foot"));
  return m.build();
}

/// Rods of 1 kg and 1 m in a line that turns at 10/n rad/s about z.
ProblemInstance chain(int n) {
  Mechanism m("chain of " + std::to_string(n));
  m.gravity({0, 0, -9.81});
  Attachment last = m.point("O", {0, 0, 0});
  for (int k = 0; k < n; ++k) {
    const auto rod = m.body("rod" + std::to_string(k))
                         .mass(1)
                         .inertia(box_moments(1, .1, .1))
                         .marker("a", {-.5, 0, 0})
                         .marker("b", {.5, 0, 0})
                         .place("a", last)
                         .velocity({0, 10. / n * (k + .5), 0})
                         .angular_velocity({0, 0, 10. / n});
    m.joint("J" + std::to_string(k), "spherical", last, rod.at("a"));
    last = rod.at("b");
  }
  return m.build();
}

/// The four-bar linkage of the README, with its bars assembled.
ProblemInstance four_bar() {
  Mechanism m("four-bar", Mechanism::Space::planar);
  m.gravity({0, -9.81});
  const Attachment o = m.point("O", {0, 0}), p = m.point("P", {4, 0});
  const auto crank = m.body("crank").box({1, .05}).density(10).marker("a", {-.5, 0}).marker("b", {.5, 0});
  auto turned = crank;
  turned.orientation("60*deg").place("a", o).angular_velocity(5);
  const auto coupler = m.body("coupler")
                           .box({4, .05})
                           .density(10)
                           .marker("a", {-2, 0})
                           .marker("b", {2, 0})
                           .place("a", crank.at("b"))
                           .place("b", {4.2, 2.9});
  const auto rocker = m.body("rocker")
                          .mass(2)
                          .inertia(1.5)
                          .marker("a", {-1.5, 0})
                          .marker("b", {1.5, 0})
                          .place("a", p)
                          .place("b", coupler.at("b"));
  m.joint("A", "revolute", o, crank.at("a"));
  m.joint("B", "revolute", crank.at("b"), coupler.at("a"));
  m.joint("C", "revolute", coupler.at("b"), rocker.at("b"));
  m.joint("D", "revolute", p, rocker.at("a"));
  m.assemble();
  m.hold("crank");
  return m.build();
}

/// n + 1 cranks of 1 m, upright at -1 rad/s, and n couplers between their tips; all bars have 1 kg.
ProblemInstance n_four_bar(int n) {
  Mechanism m("N-four-bar " + std::to_string(n), Mechanism::Space::planar);
  m.gravity({0, -9.81});
  const auto bar = [&](const std::string& name) {
    return m.body(name).mass(1).inertia(1. / 12).marker("a", {-.5, 0}).marker("b", {.5, 0});
  };
  Attachment tip;
  for (int i = 0; i <= n; ++i) {
    const std::string k = std::to_string(i);
    const Attachment foot = m.point("O" + k, {i, 0});
    auto crank = bar("crank" + k);
    crank.orientation("90*deg").place("a", foot).velocity({.5, 0}).angular_velocity(-1);
    m.joint("A" + k, "revolute", foot, crank.at("a"));
    if (i > 0) {
      auto coupler = bar("coupler" + k);
      coupler.place("a", tip).velocity({1, 0}).angular_velocity(0);
      m.joint("B" + k, "revolute", tip, coupler.at("a"));
      m.joint("C" + k, "revolute", coupler.at("b"), crank.at("b"));
    }
    tip = crank.at("b");
  }
  return m.build();
}

/// Six hinges along the edges of a cube, five bars of 1 kg between them.
ProblemInstance bricard() {
  Mechanism m("Bricard");
  m.gravity({0, 0, -9.81});
  const double corners[6][3] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {0, 1, 1}, {0, 0, 1}, {0, 0, 0}};
  const Values3 axes[6] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  const auto corner = [&](int k) { return Values3{corners[k][0], corners[k][1], corners[k][2]}; };
  Attachment last = m.point("O", corner(0));
  for (int k = 0; k < 5; ++k) {
    const auto bar = m.body("bar" + std::to_string(k))
                         .mass(1)
                         .inertia(box_moments(1, .05, .05))
                         .marker("a", {-.5, 0, 0})
                         .marker("b", {.5, 0, 0})
                         .place("a", last)
                         .place("b", corner(k + 1));
    m.joint("J" + std::to_string(k), "revolute", last, bar.at("a")).axis(axes[k]);
    last = bar.at("b");
  }
  m.joint("J5", "revolute", last, m.point("P", corner(5))).axis(axes[5]);
  return m.build();
}

}  // namespace

const std::vector<PeerMechanism>& peer_mechanisms() {
  static const std::vector<PeerMechanism> all{{"pendulum", {10}, pendulum},
                                              {"four-bar", {10}, four_bar},
                                              {"fast-top", {1}, fast_top},
                                              {"chain-2", {1}, [] { return chain(2); }},
                                              {"chain-10", {1, 10}, [] { return chain(10); }},
                                              {"chain-100", {1}, [] { return chain(100); }},
                                              {"n-four-bar-40", {1, 10}, [] { return n_four_bar(40); }},
                                              {"bricard", {1}, bricard}};
  return all;
}

}  // namespace gnomon::bench
