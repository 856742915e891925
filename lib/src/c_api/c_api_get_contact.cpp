/// \file
/// The C interface: invariants, contacts and dependent constraints of a run.

#include <algorithm>

#include "c_api/c_api_given.hpp"

using namespace gnomon;
using namespace gnomon::c_api;

// The values of C and of C++ are the same.
static_assert(GNOMON_LANDING == static_cast<int>(EventKind::landing) &&
              GNOMON_IMPACT == static_cast<int>(EventKind::impact) &&
              GNOMON_LAUNCH == static_cast<int>(EventKind::launch) &&
              GNOMON_TURNING == static_cast<int>(EventKind::turning) &&
              GNOMON_REST == static_cast<int>(EventKind::rest) && GNOMON_STICK == static_cast<int>(EventKind::stick) &&
              GNOMON_SLIDE == static_cast<int>(EventKind::slide));

namespace {

int get_drift(void* mem, const char* function, const char* what, int which, sunrealtype* value, sunrealtype* largest,
              const std::vector<Drift>& (InvariantMonitor::*list)() const) {
  return guarded(mem, function, [&](Memory& memory) {
    if (!value || !largest) throw Error(ErrorCode::bad_value, "the place for the result is NULL");
    const auto& drifts = (running(memory).monitor().*list)();
    const Drift& drift = drifts[counted(which, drifts.size(), what)];
    *value = drift.initial() + drift.last_error();
    *largest = drift.max_abs_error();
    return GNOMON_SUCCESS;
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
  return guarded(mem, __func__, [&](Memory& memory) {
    if (!work) throw Error(ErrorCode::bad_value, "the place for the result is NULL");
    *work = static_cast<sunrealtype>(running(memory).state().work.total());
    return GNOMON_SUCCESS;
  });
}

int GnomonGetWorkTerms(void* mem, sunrealtype* force, sunrealtype* potential, sunrealtype* position,
                       sunrealtype* velocity) {
  return guarded(mem, __func__, [&](Memory& memory) {
    const Work& work = running(memory).state().work;
    sunrealtype* const places[Work::terms] = {force, potential, position, velocity};
    for (int i = 0; i < Work::terms; ++i)
      if (places[i]) *places[i] = static_cast<sunrealtype>(work.term(i));
    return GNOMON_SUCCESS;
  });
}

int GnomonGetNumEvents(void* mem, long int* nevents) {
  return guarded(mem, __func__, [&](Memory& memory) {
    if (!nevents) throw Error(ErrorCode::bad_value, "the place for the result is NULL");
    *nevents = static_cast<long int>(running(memory).events().size());
    return GNOMON_SUCCESS;
  });
}

int GnomonGetEvent(void* mem, long int which, sunrealtype* t, int* kind, sunindextype* obstacle,
                   sunrealtype* energy_change) {
  return guarded(mem, __func__, [&](Memory& memory) {
    if (!t || !kind || !obstacle || !energy_change)
      throw Error(ErrorCode::bad_value, "the place for the result is NULL");
    const auto& events = running(memory).events();
    const ContactEvent& event = events[counted(which, events.size(), "event")];
    *t = event.t;
    *kind = static_cast<int>(event.kind);
    *obstacle = event.contact;
    *energy_change = event.energy_change;
    return GNOMON_SUCCESS;
  });
}

int GnomonGetImpactLoss(void* mem, sunrealtype* loss) {
  return guarded(mem, __func__, [&](Memory& memory) {
    if (!loss) throw Error(ErrorCode::bad_value, "the place for the result is NULL");
    *loss = -running(memory).energy_book().impact;
    return GNOMON_SUCCESS;
  });
}

int GnomonGetDependentConstraints(void* mem, sunindextype* rank, N_Vector dependent) {
  return guarded(mem, __func__, [&](Memory& memory) {
    if (!rank) throw Error(ErrorCode::bad_value, "the place for the result is NULL");
    const Integrator& run = running(memory);
    const Index m = run.model().m();
    const ConstraintRank& found = run.constraint_rank();
    if (dependent) {
      auto out = view(dependent, m, "dependent");
      out.setZero();
      for (const Index i : found.dependent) out[i] = 1;
    }
    *rank = m - static_cast<Index>(found.dependent.size());
    return GNOMON_SUCCESS;
  });
}
