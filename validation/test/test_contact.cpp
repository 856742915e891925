/// Unilateral contact: events and energy book of Small and Jay's mass on a cubic surface, and of beads between walls.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "gnomon/gnomon.hpp"

using namespace gnomon;

namespace {

Registry registry() {
  Registry r;
  register_builtin(r);
  return r;
}

Integrator cubic_surface(const Registry& r, const Assignments& set, const std::string& scheme,
                         const Assignments& options, ContactOptions contact) {
  IntegratorOptions o;
  o.contact = contact;
  return r.integrator(r.build("cubic-surface", set), scheme, "kinsol-newton", options, {}, o);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(contact)

BOOST_AUTO_TEST_CASE(scratch) {
  const Registry r = registry();
  const double h = std::getenv("H") ? std::atof(std::getenv("H")) : 1e-3;
  ContactOptions contact;
  if (std::getenv("STEPPING")) contact.mode = ContactMode::time_stepping;
  const Assignments order4{{"inner", "symplectic-euler-true"}, {"order", "4"}};
  const bool plain = std::getenv("PLAIN");
  const auto run = [&](const Assignments& set, double until) {
    Integrator i = cubic_surface(r, set, plain ? "symplectic-euler-true" : "composition",
                                 plain ? Assignments() : order4, contact);
    const StepReport report = i.advance_to(until, h);
    std::printf("success %d %s\n", report.success(), report.message.c_str());
    for (const auto& e : i.events())
      std::printf("%-8s %ld t = %.14f  dE = %.12g\n", to_string(e.kind), static_cast<long>(e.contact), e.t,
                  e.energy_change);
    const EnergyBook b = i.energy_book();
    std::printf("t %.15g y %.14g %.14g z %.14g %.14g\nbook E0 %.12g E1 %.12g W %.12g I %.12g D %.3g open %.3g deep %.3g, "
                "iterations %ld\n",
                i.state().t, i.state().q.value()[0], i.state().q.value()[1], i.state().p.value()[0],
                i.state().p.value()[1], b.start, b.now, b.work, b.impact, b.defect, b.open(), i.deepest_penetration(),
                i.counters().iterations);
  };
  run({}, 2);
  run({{"x", "-3"}, {"u", "15"}}, 4.2);
  contact.restitution = .5;
  run({{"x", "-3"}, {"u", "15"}}, 4.2);
}

BOOST_AUTO_TEST_SUITE_END()
