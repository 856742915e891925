/// When contacts open and close, and the energy book of the run.
#include <fmt/format.h>

#include <cmath>

#include "gnomon/base/numbers.hpp"
#include "measures/contact/contact_run.hpp"
#include "measures/measure.hpp"

namespace gnomon::validation {

Quantities measure_contact_events(const Registry& registry, const Case& c) {
  const Integrator integrator = contact_run(registry, c, c.method, c.step.front());
  Quantities out;
  // Of a Zeno sequence only the first bounces are reported.
  constexpr long most = 3;
  for (const auto& [name, t] : event_times(integrator)) {
    const std::string number = name.substr(name.rfind('-') + 1);
    long count = 0;
    if (!read_number(number, count) || count <= most) out.push_back({name, t, "time"});
  }
  const EnergyBook book = integrator.energy_book();
  out.push_back({"events", static_cast<double>(integrator.events().size()), ""});
  out.push_back({"work", book.work, "of friction"});
  out.push_back({"impact", book.impact, "energy change by impacts"});
  double by_event = 0;
  for (const ContactEvent& event : integrator.events()) by_event += event.energy_change;
  out.push_back({"impact-by-event", std::abs(by_event - book.impact), "|sum over the events - impact|"});
  out.push_back({"defect", std::abs(book.defect), "of the scheme"});
  out.push_back({"book-open", std::abs(book.open()), "|E1 - E0 - work - impact - defect|"});
  out.push_back({"book", std::abs(book.now - book.start - book.work - book.impact), "|E1 - E0 - work - impact|"});
  out.push_back({"penetration", integrator.deepest_penetration(), "at events"});
  out.push_back({"position", integrator.monitor().position_max(), "max |g| of the other constraints"});
  const Vector &q = integrator.state().q.value(), &p = integrator.state().p.value();
  for (Index j = 0; j < q.size(); ++j) out.push_back({fmt::format("q-{}", j + 1), q[j], "at the end"});
  for (Index j = 0; j < p.size(); ++j) out.push_back({fmt::format("p-{}", j + 1), p[j], "at the end"});
  return out;
}

}  // namespace gnomon::validation
