/// \file
/// The C interface: start, steps, dense output, roots, checkpoints.

#include <nvector/nvector_serial.h>

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdio>
#include <utility>

#include "c_api/c_api_memory.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/solve/minimum.hpp"
#include "gnomon/start/consistency.hpp"
#include "gnomon/start/verify.hpp"

namespace gnomon::c_api {

namespace {

int initialise(void* mem, const char* function, sunrealtype t0, N_Vector y0, bool again) {
  return guarded(mem, function, [&](Memory& memory) {
    if (again && !memory.initialised)
      throw Failure(GNOMON_NO_INIT, "GnomonInit was not called, so there is nothing to start again");
    std::optional<Vector> start;
    if (y0) start = view(y0, N_VGetLength(y0), "y0");
    const bool initialised = std::exchange(memory.initialised, true);
    if (!std::isfinite(t0)) throw Error(ErrorCode::bad_value, "t0 = " + number_text(t0) + " is not a finite number");
    const double t_before = std::exchange(memory.t0, t0);
    start.swap(memory.y0);
    try {
      make(memory, [&] {
        if (memory.scheme) make_integrator(memory);
        return false;
      });
    } catch (...) {
      memory.initialised = initialised;
      memory.t0 = t_before;
      memory.y0 = std::move(start);
      throw;
    }
  });
}

int flag_of(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
    case SolveStatus::not_converged:
      return GNOMON_NOT_CONVERGED;
    case SolveStatus::singular_jacobian:
      return GNOMON_SINGULAR_JACOBIAN;
    case SolveStatus::evaluation_failed:
    case SolveStatus::held_at_switch:
      return GNOMON_EVALUATION_FAILED;
    case SolveStatus::error_too_large:
    case SolveStatus::step_too_small:
      return GNOMON_STEP_TOO_SMALL;
    case SolveStatus::too_many_steps:
      return GNOMON_TOO_MUCH_WORK;
  }
  return GNOMON_INTERNAL;
}

void call_roots(const Memory& memory, double t, std::vector<double>& out) {
  const int flag = memory.roots.function(t, memory.roots.y.get(), out.data(), memory.callbacks.user_data);
  if (flag != 0)
    throw Failure(GNOMON_CALLBACK_FAILED,
                  "the root functions returned " + std::to_string(flag) + " at t = " + number_text(t));
}

/// The root functions at the start of the run.
void watch_roots(Memory& memory) {
  Roots& roots = memory.roots;
  if (roots.known || !roots.function) return;
  roots.y.reset(N_VNew_Serial(state_size(memory), memory.context));
  if (!roots.y) throw std::bad_alloc();
  write_state(memory, memory.integrator->state(), roots.y.get());
  roots.searched_to = memory.integrator->state().t;
  call_roots(memory, roots.searched_to, roots.low);
  roots.known = true;
}

bool crosses(double low, double high) {
  return low != 0 && (high == 0 || std::signbit(low) != std::signbit(high));
}

/// A second integrator, for states inside of steps.
Integrator side_integrator(const Memory& memory) {
  Integrator side = new_integrator(memory);
  side.start(memory.start.t0, memory.start.q0, memory.start.p0);
  return side;
}

/// The step that take(integrator) makes.
template <class Take>
void step(Memory& memory, Take&& take) {
  Integrator& integrator = *memory.integrator;
  if (!memory.inside)
    memory.inside.emplace(
        integrator, [&memory] { return side_integrator(memory); }, true);
  memory.inside->begin(integrator.state());
  memory.has_step = memory.interpolates = false;
  const std::size_t events = integrator.events().size();
  const StepReport report = take(integrator);
  if (!report.success())
    throw Failure(memory.system && memory.system->failed_for_good() ? GNOMON_CALLBACK_FAILED : flag_of(report.status),
                  report.message);
  if (memory.sensitivities && !memory.sensitivities->failure().empty())
    throw Failure(GNOMON_EVALUATION_FAILED, memory.sensitivities->failure());
  memory.has_step = true;
  memory.eventful = integrator.events().size() > events;
}

void require_evolve_arguments(const Memory& memory, double tout, const sunrealtype* tret, int itask) {
  if (itask != GNOMON_NORMAL && itask != GNOMON_ONE_STEP)
    throw Error(ErrorCode::bad_value,
                "itask = " + std::to_string(itask) + " is neither GNOMON_NORMAL nor GNOMON_ONE_STEP");
  if (!tret) throw Error(ErrorCode::bad_value, "tret is NULL");
  if (!std::isfinite(tout))
    throw Error(ErrorCode::bad_value, "tout = " + number_text(tout) + " is not a finite number");
  if (!(memory.h > 0) && !memory.tolerance.given())
    throw Error(ErrorCode::bad_value,
                "neither a step nor a tolerance was set: call GnomonSetStep or GnomonSStolerances first");
}

int evolve(Memory& memory, double tout, N_Vector yout, sunrealtype* tret, int itask) {
  if (!memory.initialised) throw no_init();
  require_evolve_arguments(memory, tout, tret, itask);
  Integrator& integrator = running(memory);
  const bool controlled = memory.tolerance.given();
  view(yout, state_size(memory), "yout");
  const State& z = integrator.state();
  const auto rest_to = [&](double t) { return (t - z.t) - z.t_tail; };
  const auto arrive = [&] {
    memory.returned_t = *tret = z.t;
    write_state(memory, z, yout);
  };
  const auto success = [&] {
    const std::size_t broken =
        (itask == GNOMON_NORMAL ? integrator.check_promises() : integrator.broken_promises()).size();
    return std::exchange(memory.warned_of, broken) < broken ? GNOMON_PROMISE_WARN : GNOMON_SUCCESS;
  };
  // Where the last return was inside of the last step, after a root, the run is ahead of it.
  const double h = std::copysign(controlled ? 1 : memory.h, tout - memory.returned_t);
  const double near = controlled ? thresholds::time_rounding * std::max(std::abs(z.t), std::abs(tout))
                                 : thresholds::end_of_step * memory.h;
  long steps_left = controlled && memory.limits.most_steps > 0 ? memory.limits.most_steps : -1;
  if (memory.stop_time && rest_to(*memory.stop_time) * h < 0 && std::abs(rest_to(*memory.stop_time)) > near)
    throw Error(ErrorCode::bad_value, "the stop time " + number_text(*memory.stop_time) + " is behind t = " +
                                          number_text(z.t) + " on the way to tout = " + number_text(tout));
  watch_roots(memory);
  try {
    for (bool stepped = false;; stepped = true) {
      double t = 0;
      const bool beyond = rest_to(tout) * h < 0 && std::abs(rest_to(tout)) > near;
      if (memory.roots.function && memory.has_step &&
          find_root(memory, beyond && itask == GNOMON_NORMAL ? tout : z.t, t)) {
        write_state(memory, state_at(memory, t), yout);
        memory.returned_t = *tret = t;
        return GNOMON_ROOT_RETURN;
      }
      if (beyond && itask == GNOMON_NORMAL) {
        write_state(memory, state_at(memory, tout), yout);
        memory.returned_t = *tret = tout;
        return success();
      }
      if (memory.stop_time && std::abs(rest_to(*memory.stop_time)) <= near) {
        memory.stop_time.reset();
        return arrive(), GNOMON_TSTOP_RETURN;
      }
      const bool behind = memory.returned_t != z.t;  // after a root: the end of that step is next
      if (itask == GNOMON_ONE_STEP ? stepped || behind : std::abs(rest_to(tout)) <= near) return arrive(), success();
      if (controlled) {
        if (itask == GNOMON_NORMAL && steps_left-- == 0)
          throw Failure(GNOMON_TOO_MUCH_WORK, "tout = " + number_text(tout) + " was not reached in " +
                                                  std::to_string(memory.limits.most_steps) +
                                                  " steps, the most that are allowed: t = " + number_text(z.t));
        // The end of a single step is beyond what the tolerance allows.
        const double far =
            std::max(4 * integrator.step_estimates().next, 100 * thresholds::time_rounding * std::abs(z.t));
        double t_end = itask == GNOMON_NORMAL ? tout : z.t + std::copysign(far, h);
        if (memory.stop_time && (t_end - *memory.stop_time) * h > 0) t_end = *memory.stop_time;
        memory.returned_t = z.t;
        step(memory, [t_end](Integrator& run) { return run.step_to(t_end); });
        continue;
      }
      double length = h;
      const auto at_most = [&](double t_end) {
        const double rest = rest_to(t_end);
        if (std::abs(rest) < memory.h * (1 - thresholds::end_of_step)) length = rest;
      };
      if (itask == GNOMON_NORMAL) at_most(tout);
      if (memory.stop_time) at_most(*memory.stop_time);
      memory.returned_t = z.t;
      step(memory, [length](Integrator& run) { return run.step(length); });
    }
  } catch (...) {
    arrive();
    throw;
  }
}

}  // namespace

namespace {

void require_inside(const Memory& memory, double t) {
  const State& z = memory.integrator->state();
  if (!memory.has_step) throw Error(ErrorCode::bad_value, "there is no step yet whose inside could be asked for");
  const double before = memory.inside->before().t, fraction = (t - before) / (z.t - before);
  if (!(fraction >= -thresholds::end_of_step && fraction <= 1 + thresholds::end_of_step))
    throw Error(ErrorCode::bad_value, "t = " + number_text(t) + " is outside the last step, from " +
                                          number_text(before) + " to " + number_text(z.t));
}

/// A polynomial does not go over events.
void require_no_event(const Memory& memory) {
  if (memory.eventful)
    throw Error(ErrorCode::refused,
                "there is an event in the last step, at t = " + number_text(memory.integrator->events().back().t) +
                    ", and dense output is valid between events only");
}

/// The k-th derivative of y at t, inside the last step, by the polynomial.
void differentiate(Memory& memory, double t, int k, N_Vector y) {
  require_inside(memory, t);
  require_no_event(memory);
  const ProblemInstance& start = memory.start;
  if (!memory.interpolant) memory.interpolant.emplace(*start.model);
  if (!memory.interpolates) memory.interpolant->set(memory.inside->before(), memory.integrator->state());
  memory.interpolates = true;
  auto out = view(y, state_size(memory), "y");
  const Index n = start.q0.size();
  memory.interpolant->evaluate(t, k, out.head(n), out.tail(start.p0.size()));
}

}  // namespace

const State& state_at(Memory& memory, double t) {
  require_inside(memory, t);
  const State& z = memory.integrator->state();
  if (t == z.t) return z;
  if (t == memory.inside->before().t) return memory.inside->before();
  const long polynomials = memory.inside->polynomials();
  const State& at = memory.inside->at(z, t);
  if (memory.inside->polynomials() > polynomials) require_no_event(memory);
  if (!at.q.value().allFinite())
    throw Error(ErrorCode::refused, "the state at t = " + number_text(t) + ", inside the last step, was not found");
  return at;
}

const State& returned_state(Memory& memory) {
  const State& z = running(memory).state();
  return memory.has_step && memory.returned_t != z.t ? state_at(memory, memory.returned_t) : z;
}

bool find_root(Memory& memory, double t_end, double& t) {
  Roots& roots = memory.roots;
  const double low_t = roots.searched_to;
  if (low_t == t_end) return false;
  const auto at = [&](double time, std::vector<double>& out) {
    write_state(memory, state_at(memory, time), roots.y.get());
    call_roots(memory, time, out);
  };
  if (t_end == memory.integrator->state().t) {
    write_state(memory, memory.integrator->state(), roots.y.get());
    call_roots(memory, t_end, roots.high);
  } else {
    at(t_end, roots.high);
  }
  bool any = false;
  double first = t_end;
  for (std::size_t i = 0; i < roots.low.size(); ++i) {
    if (!crosses(roots.low[i], roots.high[i])) continue;
    any = true;
    if (roots.high[i] == 0 || memory.eventful) continue;  // at the end of a step that no interpolant takes
    const auto f = [&](double time) {
      at(time, roots.middle);
      return roots.middle[i];
    };
    std::uintmax_t most = 100;
    const bool forward = t_end > low_t;
    const auto bracket = boost::math::tools::toms748_solve(
        f, std::min(low_t, t_end), std::max(low_t, t_end), forward ? roots.low[i] : roots.high[i],
        forward ? roots.high[i] : roots.low[i], boost::math::tools::eps_tolerance<double>(50), most);
    const double behind = forward ? bracket.second : bracket.first;
    if (std::abs(behind - low_t) < std::abs(first - low_t)) first = behind;
  }
  if (!any) {
    roots.low.swap(roots.high);
    roots.searched_to = t_end;
    return false;
  }
  if (first != t_end) at(first, roots.high);
  for (std::size_t i = 0; i < roots.low.size(); ++i)
    roots.found[i] = crosses(roots.low[i], roots.high[i]) ? (roots.low[i] < 0 ? 1 : -1) : 0;
  roots.low.swap(roots.high);
  roots.searched_to = t = first;
  return true;
}

}  // namespace gnomon::c_api

using namespace gnomon;
using namespace gnomon::c_api;

int GnomonInit(void* mem, sunrealtype t0, N_Vector y0) {
  return initialise(mem, __func__, t0, y0, false);
}

int GnomonReInit(void* mem, sunrealtype t0, N_Vector y0) {
  return initialise(mem, __func__, t0, y0, true);
}

int GnomonCalcIC(void* mem) {
  return guarded(mem, __func__, [&](Memory& memory) {
    refuse_later(memory);
    prepare(memory);
    ProblemInstance& start = memory.start;
    const System* system = start.model->mechanical();
    if (!system)
      throw Error(ErrorCode::refused, "an overdetermined DAE has no mass metric in which to repair its start");
    project_start(*system, start.t0, start.q0, start.p0);
    Vector y0(start.q0.size() + start.p0.size());
    y0 << start.q0, start.p0;
    memory.y0 = y0;
    memory.t0 = start.t0;
    memory.integrator.reset();
    memory.started = false;
  });
}

int GnomonCheckModel(void* mem, FILE* outfile, int* nfailed) {
  return guarded(mem, __func__, [&](Memory& memory) {
    if (!memory.integrator) prepare(memory);
    ProblemInstance start = memory.start;
    const std::vector<ModelCheck> checks = verify(start);
    if (outfile && std::fputs(to_text(checks).c_str(), outfile) < 0)
      throw Error(ErrorCode::bad_file, "the table could not be written");
    if (nfailed)
      *nfailed = static_cast<int>(
          std::count_if(checks.begin(), checks.end(), [](const ModelCheck& check) { return !check.passed(); }));
  });
}

int GnomonFindEquilibrium(void* mem, N_Vector q, N_Vector lambda) {
  return guarded(mem, __func__, [&](Memory& memory) {
    if (!memory.integrator) prepare(memory);
    const ProblemInstance& start = memory.start;
    const Minimum found = find_minimum(shared_system(start.model), start.t0, start.q0);
    view(q, found.q.size(), "q") = found.q;
    if (lambda) view(lambda, found.lambda.size(), "lambda") = found.lambda;
    if (found.report.status != SolveStatus::converged) throw Failure(GNOMON_NOT_CONVERGED, found.report.message);
  });
}

int GnomonGetConsistentIC(void* mem, N_Vector y0, N_Vector lambda) {
  return guarded(mem, __func__, [&](Memory& memory) {
    refuse_later(memory);
    const State& z = running(memory).state();
    write_state(memory, z, y0);
    if (lambda) view(lambda, z.lambda.size(), "lambda") = z.lambda;
  });
}

int GnomonEvolve(void* mem, sunrealtype tout, N_Vector yout, sunrealtype* tret, int itask) {
  return guarded(mem, __func__, [&](Memory& memory) { return evolve(memory, tout, yout, tret, itask); });
}

int GnomonSetStopTime(void* mem, sunrealtype tstop) {
  return guarded(mem, __func__, [&](Memory& memory) {
    if (!std::isfinite(tstop))
      throw Error(ErrorCode::bad_value, "the stop time " + number_text(tstop) + " is not a finite number");
    memory.stop_time = tstop;
  });
}

int GnomonClearStopTime(void* mem) {
  return guarded(mem, __func__, [&](Memory& memory) { memory.stop_time.reset(); });
}

int GnomonGetDky(void* mem, sunrealtype t, int k, N_Vector dky) {
  return guarded(mem, __func__, [&](Memory& memory) {
    running(memory);
    if (k == 0)
      write_state(memory, state_at(memory, t), dky);
    else
      differentiate(memory, t, k, dky);
  });
}

int GnomonRootInit(void* mem, int nrtfn, GnomonRootFn g) {
  return guarded(mem, __func__, [&](Memory& memory) {
    if (nrtfn < 0) throw Error(ErrorCode::bad_value, std::to_string(nrtfn) + " root functions are less than none");
    if (nrtfn > 0 && !g) throw Error(ErrorCode::bad_value, "the root function is NULL");
    Roots roots;
    if (nrtfn > 0) {
      roots.function = g;
      for (auto* values : {&roots.low, &roots.high, &roots.middle}) values->resize(static_cast<std::size_t>(nrtfn));
      roots.found.resize(static_cast<std::size_t>(nrtfn));
    }
    memory.roots = std::move(roots);
  });
}

int GnomonGetRootInfo(void* mem, int* rootsfound) {
  return guarded(mem, __func__, [&](Memory& memory) {
    if (!rootsfound) throw Error(ErrorCode::bad_value, "rootsfound is NULL");
    std::copy(memory.roots.found.begin(), memory.roots.found.end(), rootsfound);
  });
}

int GnomonSaveCheckpoint(void* mem, const char* file) {
  return guarded(mem, __func__, [&](Memory& memory) {
    if (!file) throw Error(ErrorCode::bad_value, "the name of the checkpoint is NULL");
    running(memory).save(file);
  });
}

int GnomonLoadCheckpoint(void* mem, const char* file) {
  return guarded(mem, __func__, [&](Memory& memory) {
    if (!file) throw Error(ErrorCode::bad_value, "the name of the checkpoint is NULL");
    if (memory.sensitive.count > 0 || !memory.sensitive.names.empty())
      throw Error(ErrorCode::refused, "a checkpoint has no derivatives, and sensitivities are asked for");
    make(memory, [&] {
      make_integrator(memory);
      memory.integrator->load(file);
      apply_tolerance(memory, *memory.integrator);
      return true;
    });
  });
}
