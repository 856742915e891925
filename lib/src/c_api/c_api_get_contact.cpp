/// \file
/// The C interface: invariants, contacts and dependent constraints of a run.

#include "c_api/c_api_given.hpp"

using namespace gnomon;
using namespace gnomon::c_api;

// The values of C and of C++ are the same.
static_assert(GNOMON_LANDING == static_cast<int>(EventKind::landing) &&
              GNOMON_IMPACT == static_cast<int>(EventKind::impact) &&
              GNOMON_LAUNCH == static_cast<int>(EventKind::launch) &&
              GNOMON_TURNING == static_cast<int>(EventKind::turning) &&
              GNOMON_REST == static_cast<int>(EventKind::rest) && GNOMON_STICK == static_cast<int>(EventKind::stick) &&
              GNOMON_SLIDE == static_cast<int>(EventKind::slide) &&
              GNOMON_SWITCHED == static_cast<int>(EventKind::switched));

namespace {

int get_drift(void* mem, const char* function, const char* what, int which, sunrealtype* value, sunrealtype* largest,
              const std::vector<Drift>& (InvariantMonitor::*list)() const) {
  return guarded(mem, function, [&](Memory& memory) {
    require_places(value, largest);
    const auto& drifts = (running(memory).monitor().*list)();
    const Drift& drift = drifts[counted(which, drifts.size(), what)];
    *value = drift.initial() + drift.last_error();
    *largest = drift.max_abs_error();
  });
}

}  // namespace

int GnomonGetMomentumMap(void* mem, int which, sunrealtype* value, sunrealtype* largest_error) {
  return get_drift(mem, __func__, "symmetry", which, value, largest_error, &InvariantMonitor::momentum);
}

int GnomonGetIntegral(void* mem, int which, sunrealtype* value, sunrealtype* largest_error) {
  return get_drift(mem, __func__, "first integral", which, value, largest_error, &InvariantMonitor::integrals);
}

int GnomonGetWork(void* mem, sunrealtype* work) {
  return get(mem, __func__, work,
             [](Memory& memory) { return static_cast<sunrealtype>(running(memory).state().work.total()); });
}

int GnomonGetWorkTerms(void* mem, sunrealtype* force, sunrealtype* potential, sunrealtype* position,
                       sunrealtype* velocity) {
  return guarded(mem, __func__, [&](Memory& memory) {
    const Work& work = running(memory).state().work;
    sunrealtype* const places[Work::terms] = {force, potential, position, velocity};
    for (int i = 0; i < Work::terms; ++i)
      if (places[i]) *places[i] = static_cast<sunrealtype>(work.term(i));
  });
}

int GnomonGetNumEvents(void* mem, long int* nevents) {
  return get(mem, __func__, nevents,
             [](Memory& memory) { return static_cast<long int>(running(memory).events().size()); });
}

int GnomonGetEvent(void* mem, long int which, sunrealtype* t, int* kind, sunindextype* obstacle,
                   sunrealtype* energy_change) {
  return guarded(mem, __func__, [&](Memory& memory) {
    require_places(t, kind, obstacle, energy_change);
    const auto& events = running(memory).events();
    const ContactEvent& event = events[counted(which, events.size(), "event")];
    *t = event.t;
    *kind = static_cast<int>(event.kind);
    *obstacle = event.contact;
    *energy_change = event.energy_change;
  });
}

int GnomonGetImpactLoss(void* mem, sunrealtype* loss) {
  return get(mem, __func__, loss, [](Memory& memory) { return -running(memory).energy_book().impact; });
}

int GnomonGetDependentConstraints(void* mem, sunindextype* rank, N_Vector dependent) {
  return get(mem, __func__, rank, [dependent](Memory& memory) {
    const Integrator& run = running(memory);
    const Index m = run.model().m();
    const ConstraintRank& found = run.constraint_rank();
    if (dependent) {
      auto out = view(dependent, m, "dependent");
      out.setZero();
      for (const Index i : found.dependent) out[i] = 1;
    }
    return m - static_cast<Index>(found.dependent.size());
  });
}
