/// \file
/// The C interface: what a run did.

#include "c_api/c_api_memory.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/registry/suited_scheme.hpp"
#include "gnomon/start/consistent_start.hpp"

using namespace gnomon;
using namespace gnomon::c_api;

namespace {

std::string scheme_text(Memory& memory) {
  running(memory);
  return to_string(SchemeChoice{memory.scheme_in_use.name, 0, memory.scheme_in_use.options});
}

std::string differences_of(const Memory& memory) {
  return memory.system ? memory.system->differences() : "none";
}

/// One entry a line, or one line of names and values, as SUNDIALS does.
class Printer {
 public:
  Printer(FILE* out, bool table) : out_(out), table_(table) {}
  void operator()(const char* label, long value) { entry(label, std::to_string(value)); }
  void operator()(const char* label, double value) { entry(label, number_text(value, 15)); }
  void operator()(const char* label, const std::string& value) { entry(label, table_ ? value : '"' + value + '"'); }
  void finish() {
    if (!table_) std::fputc('\n', out_);
  }

 private:
  void entry(const char* label, const std::string& value) {
    if (table_)
      std::fprintf(out_, "%-28s = %s\n", label, value.c_str());
    else
      std::fprintf(out_, "%s%s,%s", first_ ? "" : ",", label, value.c_str());
    first_ = false;
  }

  FILE* out_;
  bool table_, first_ = true;
};

}  // namespace

int GnomonGetSizes(void* mem, sunindextype* n, sunindextype* m) {
  return guarded(mem, __func__, [&](Memory& memory) {
    require_places(n, m);
    if (!memory.integrator) prepare(memory);
    *n = memory.start.q0.size();
    *m = memory.start.model->m();
  });
}

int GnomonGetState(void* mem, sunrealtype* t, N_Vector y) {
  return guarded(mem, __func__, [&](Memory& memory) {
    if (!t) throw Error(ErrorCode::bad_value, "the place for the time is NULL");
    const State& z = running(memory).state();
    write_state(memory, z, y);
    *t = z.t;
  });
}

namespace {

/// Those of constraints and obstacles, without tangential forces.
Index n_multipliers(Memory& memory) {
  const Model& model = running(memory).model();
  const System* system = model.mechanical();
  return model.m() + (system ? system->parts().n_obstacles() : 0);
}
void give_multipliers(Memory& memory, const Vector& values, N_Vector lambda) {
  const Index count = std::min(values.size(), n_multipliers(memory));
  view(lambda, count, "lambda") = values.head(count);
}

/// Those that belong to the state of the last GnomonEvolve by itself.
Vector multipliers_of_return(Memory& memory) {
  const State& z = returned_state(memory);
  const Integrator& run = *memory.integrator;
  if (&z == &run.state()) return run.index1_multipliers();
  const System* system = run.model().mechanical();
  if (system && system->parts().obstacles) return z.lambda;
  const Windings turns(z.turns);
  return index1_multipliers(run.model(), z.view(), run.constraint_rank().rank);
}

}  // namespace

int GnomonGetMultipliers(void* mem, N_Vector lambda) {
  return guarded(mem, __func__,
                 [&](Memory& memory) { give_multipliers(memory, running(memory).state().lambda, lambda); });
}

int GnomonGetIndex1Multipliers(void* mem, N_Vector lambda) {
  return guarded(mem, __func__,
                 [&](Memory& memory) { give_multipliers(memory, multipliers_of_return(memory), lambda); });
}

int GnomonGetEnergy(void* mem, sunrealtype* energy) {
  return get(mem, __func__, energy,
             [](Memory& memory) { return static_cast<sunrealtype>(running(memory).monitor().energy_now()); });
}

int GnomonGetEnergyError(void* mem, sunrealtype* last, sunrealtype* largest) {
  return guarded(mem, __func__, [&](Memory& memory) {
    require_places(last, largest);
    const Drift& energy = running(memory).monitor().energy();
    *last = energy.last_error();
    *largest = energy.max_abs_error();
  });
}

int GnomonGetConstraintNorms(void* mem, sunrealtype* position, sunrealtype* velocity) {
  return guarded(mem, __func__, [&](Memory& memory) {
    require_places(position, velocity);
    const InvariantMonitor& monitor = running(memory).monitor();
    *position = monitor.position_max();
    *velocity = monitor.velocity_max();
  });
}

int GnomonGetNumSteps(void* mem, long int* nsteps) {
  return get(mem, __func__, nsteps, [](Memory& memory) { return running(memory).counters().steps; });
}

int GnomonGetNumNonlinSolvIters(void* mem, long int* nniters) {
  return get(mem, __func__, nniters, [](Memory& memory) { return running(memory).counters().iterations; });
}

int GnomonGetNumResEvals(void* mem, long int* nrevals) {
  return get(mem, __func__, nrevals, [](Memory& memory) { return running(memory).counters().residual_evaluations; });
}

int GnomonGetNumJacEvals(void* mem, long int* njevals) {
  return get(mem, __func__, njevals, [](Memory& memory) { return running(memory).counters().jacobian_evaluations; });
}

int GnomonGetNumLinSolvSetups(void* mem, long int* nlinsetups) {
  return get(mem, __func__, nlinsetups, [](Memory& memory) { return running(memory).counters().factorisations; });
}

int GnomonGetNumRefusedSteps(void* mem, long int* nrefused) {
  return get(mem, __func__, nrefused, [](Memory& memory) { return running(memory).counters().refused_steps; });
}

int GnomonGetNumFallbackSolves(void* mem, long int* nfallbacks) {
  return get(mem, __func__, nfallbacks, [](Memory& memory) { return running(memory).counters().fallback_solves; });
}

int GnomonGetScheme(void* mem, const char** scheme) {
  return get(mem, __func__, scheme, scheme_text);
}

int GnomonGetPromises(void* mem, const char** promises) {
  return get(mem, __func__, promises, [](Memory& memory) { return to_string(running(memory).promises()); });
}

int GnomonGetBrokenPromises(void* mem, const char** broken) {
  return get(mem, __func__, broken, [](Memory& memory) {
    std::string lines;
    for (const BrokenPromise& promise : running(memory).broken_promises())
      lines += (lines.empty() ? "" : "\n") + promise.text();
    return lines;
  });
}

int GnomonGetSingularPosition(void* mem, long int* step, sunrealtype* t) {
  return guarded(mem, __func__, [&](Memory& memory) {
    require_places(step, t);
    const SingularPosition& found = running(memory).singular_position();
    *step = found.step;
    *t = found.t;
  });
}

int GnomonGetDifferences(void* mem, const char** differences) {
  return get(mem, __func__, differences, [](Memory& memory) {
    if (!memory.integrator) prepare(memory);
    return differences_of(memory);
  });
}

int GnomonPrintAllStats(void* mem, FILE* outfile, SUNOutputFormat fmt) {
  return guarded(mem, __func__, [&](Memory& memory) {
    if (!outfile) throw Error(ErrorCode::bad_value, "the file is NULL");
    if (fmt != SUN_OUTPUTFORMAT_TABLE && fmt != SUN_OUTPUTFORMAT_CSV)
      throw Error(ErrorCode::bad_value, "the format " + std::to_string(static_cast<int>(fmt)) +
                                            " is neither SUN_OUTPUTFORMAT_TABLE nor SUN_OUTPUTFORMAT_CSV");
    const Integrator& run = running(memory);
    const RunCounters& counters = run.counters();
    const InvariantMonitor& monitor = run.monitor();
    Printer print(outfile, fmt == SUN_OUTPUTFORMAT_TABLE);
    print("Current time", run.state().t);
    print("Steps", counters.steps);
    print("Refused steps", counters.refused_steps);
    print("Error test fails", counters.error_test_failures);
    print("Fallback solves", counters.fallback_solves);
    print("Last step size", run.state().last_h);
    print("Residual fn evals", counters.residual_evaluations);
    print("NLS iters", counters.iterations);
    print("Repeated solves", counters.repeated_solves);
    print("Refinement passes", counters.refinement_passes);
    print("Unrefined solves", counters.unrefined_solves);
    print("Followed steps", counters.followed_steps);
    print("Unconnected steps", counters.unconnected_steps);
    print("LS setups", counters.factorisations);
    print("Jac fn evals", counters.jacobian_evaluations);
    print("Energy at the start", monitor.energy().initial());
    print("Energy error", monitor.energy().last_error());
    print("Max energy error", monitor.energy().max_abs_error());
    print("Max position constraint", monitor.position_max());
    print("Max velocity constraint", monitor.velocity_max());
    print("Broken promises", static_cast<long>(run.broken_promises().size()));
    print("Singular position at step", run.singular_position().step);
    print("Scheme", scheme_text(memory));
    print("Solver", memory.solver.name);
    print("Differences", differences_of(memory));
    print.finish();
  });
}
