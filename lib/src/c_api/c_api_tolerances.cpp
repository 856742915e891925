/// \file
/// The C interface: steps of a tolerance.

#include <cmath>

#include "c_api/c_api_memory.hpp"

using namespace gnomon;
using namespace gnomon::c_api;

namespace {

/// change(memory), which is undone where a run under way or the numbers themselves refuse it.
template <class Change>
int controlled(void* mem, const char* function, Change&& change) {
  return configured(mem, function, [&](Memory& memory) {
    const Tolerance tolerance = memory.tolerance;
    const StepLimits limits = memory.limits;
    const double h = memory.h;
    try {
      change(memory);
      check(memory.limits);
      if (memory.started) apply_tolerance(memory, *memory.integrator);
    } catch (...) {
      memory.tolerance = tolerance;
      memory.limits = limits;
      memory.h = h;
      throw;
    }
  });
}

void set_tolerance(Memory& memory, const Tolerance& tolerance) {
  if (tolerance.each)
    check(Tolerances(tolerance.relative, *tolerance.each, {}));
  else
    check(Tolerances(tolerance.relative, tolerance.absolute));
  if (memory.h > 0 && beyond_start(memory))
    throw Error(ErrorCode::refused, "a tolerance in a run with a step h = " + number_text(memory.h) +
                                        ": its steps are of one size or of a tolerance, and GnomonReInit comes before "
                                        "another kind");
  if (memory.h > 0) memory.started = false;
  memory.h = 0;
  memory.tolerance = tolerance;
}

}  // namespace

int GnomonSStolerances(void* mem, sunrealtype reltol, sunrealtype abstol) {
  return controlled(mem, __func__, [&](Memory& memory) { set_tolerance(memory, {reltol, abstol, {}}); });
}

int GnomonSVtolerances(void* mem, sunrealtype reltol, N_Vector abstol) {
  return controlled(mem, __func__, [&](Memory& memory) {
    if (!abstol) throw Error(ErrorCode::bad_value, "abstol is NULL");
    set_tolerance(memory, {reltol, 0, Vector(view(abstol, N_VGetLength(abstol), "abstol"))});
  });
}

int GnomonSetInitStep(void* mem, sunrealtype hin) {
  return controlled(mem, __func__, [&](Memory& memory) { memory.limits.first = hin; });
}

int GnomonSetMinStep(void* mem, sunrealtype hmin) {
  return controlled(mem, __func__, [&](Memory& memory) { memory.limits.smallest = hmin; });
}

int GnomonSetMaxStep(void* mem, sunrealtype hmax) {
  return controlled(mem, __func__, [&](Memory& memory) { memory.limits.largest = hmax; });
}

int GnomonSetMaxNumSteps(void* mem, long int mxsteps) {
  return controlled(mem, __func__, [&](Memory& memory) { memory.limits.most_steps = mxsteps; });
}

int GnomonGetLastStep(void* mem, sunrealtype* hlast) {
  return get(mem, __func__, hlast, [](Memory& memory) { return running(memory).state().last_h; });
}

int GnomonGetCurrentStep(void* mem, sunrealtype* hcur) {
  return get(mem, __func__, hcur, [](Memory& memory) {
    const Integrator& run = running(memory);
    return std::copysign(run.tolerances() ? run.step_estimates().next : memory.h, run.state().last_h);
  });
}

int GnomonGetNumErrTestFails(void* mem, long int* netfails) {
  return get(mem, __func__, netfails, [](Memory& memory) { return running(memory).counters().error_test_failures; });
}

int GnomonGetEstLocalErrors(void* mem, N_Vector ele) {
  return guarded(mem, __func__, [&](Memory& memory) {
    const Integrator& run = running(memory);
    if (!run.tolerances())
      throw Error(ErrorCode::refused, "errors are estimated for steps of a tolerance: call GnomonSStolerances first");
    auto out = view(ele, state_size(memory), "ele");
    const StepEstimates& estimates = run.step_estimates();
    out << estimates.error_q, estimates.error_v;
  });
}
