#pragma once
/// \file
/// What a void* of the C interface points to, and the border that no exception crosses.

#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "c_api/c_api_system.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/registry/registry.hpp"
#include "gnomon/run/dense_output.hpp"
#include "gnomon/run/sensitivities.hpp"
#include "gnomon/run/states_at_times.hpp"
#include "gnomon/sundials/attached_algebra.hpp"
#include "gnomon/sundials/attached_solver.hpp"

namespace gnomon::c_api {

/// A failure that is no misuse: its flag and its sentence.
class Failure : public std::runtime_error {
 public:
  Failure(int flag, const std::string& sentence) : std::runtime_error(sentence), flag_(flag) {}
  int flag() const { return flag_; }

 private:
  int flag_;
};

/// A method by name.
struct Named {
  std::string name;
  Assignments options;
};

/// A tolerance as it was given.
struct Tolerance {
  double relative = 0, absolute = 0;  ///< relative 0: none
  std::optional<Vector> each;         ///< in place of absolute: one for each of q and v
  bool given() const { return relative > 0; }
};

/// Roots of the user's functions, as CVODE looks for them: a change of sign between two times.
struct Roots {
  GnomonRootFn function = nullptr;
  std::vector<double> low, high, middle;  ///< values at searched_to, at the end of the step, between
  std::vector<int> found;
  double searched_to = 0;
  bool known = false;  ///< low is set
  SunOwner<N_Vector> y;
};

/// The sensitivities that are asked for.
struct Sensitive {
  int count = 0;
  std::string names;          ///< of a problem by name; empty: the parameters of callbacks
  std::vector<Vector> y0;     ///< dy0/dp_i; empty: zero
  sunrealtype* p = nullptr;   ///< the caller's, which callbacks read; null: none
  std::vector<double> sizes;  ///< of the parameters; empty: their own
  std::vector<int> list;      ///< which p; empty: the first ones
};

struct Memory {
  SUNContext context = nullptr;
  Registry registry;
  Callbacks callbacks;
  std::optional<Named> problem;
  std::optional<Named> scheme;  ///< none: the one that suits the run, when it starts
  Named scheme_in_use;          ///< by the integrator
  Named solver{"kinsol-newton", {}};
  std::shared_ptr<const AttachedSolver> attached;  ///< used in place of the named one, with its options
  std::shared_ptr<const AttachedAlgebra> algebra;  ///< of the user's own; null: none
  IntegratorOptions options;
  double h = 0;  ///< 0: not set
  Tolerance tolerance;
  StepLimits limits;  ///< of steps of a tolerance

  bool initialised = false, started = false;
  const char* busy = nullptr;                             ///< the function that is under way
  double t0 = 0;                                          ///< of GnomonInit
  std::optional<Vector> y0;                               ///< likewise; none: the start of the problem
  ProblemInstance start;                                  ///< made of all that by prepare()
  std::shared_ptr<const CallbackSystem> system;           ///< null for a problem by name
  std::shared_ptr<const AttachedSolver> attached_in_use;  ///< by the integrator, which it must outlive
  std::shared_ptr<const AttachedAlgebra> algebra_in_use;  ///< likewise
  std::optional<Integrator> integrator;                   ///< of a run that has started
  std::optional<InsideStep> inside;                       ///< states inside the last step
  bool has_step = false;                                  ///< there is one
  bool eventful = false;                                  ///< a contact event is in it
  std::optional<StepInterpolant> interpolant;
  bool interpolates = false;  ///< the interpolant is that of the last step
  double returned_t = 0;      ///< of the last GnomonEvolve
  std::size_t warned_of = 0;  ///< broken promises that GnomonEvolve has returned for
  std::optional<double> stop_time;
  Roots roots;
  Sensitive sensitive;
  std::unique_ptr<Sensitivities> sensitivities;  ///< of the run

  const SolverFactory& solver_in_use() const {
    return attached_in_use ? static_cast<const SolverFactory&>(*attached_in_use) : registry.solver(solver.name);
  }

  std::FILE* error_file = SUNDIALS_VERSION_MAJOR >= 7 ? nullptr : stderr;  ///< gets every sentence; null: none
  std::string message, text;  ///< text: what the last call that gives a text points into
};

/// Which call of the C interface helps, "" where there is none.
std::string advice(const Memory& memory, const Error& error);

/// Keeps the message of a function that failed, and tells the SUNContext. Returns the flag.
int remember(Memory& memory, const char* function, int flag, const char* why, const std::string& more = {}) noexcept;

/// A callback of the memory that calls back into it would change what is under way: it is refused.
bool refused_inside(Memory& memory, const char* function) noexcept;

/// Calls work(memory), which returns a flag or nothing; turns whatever it throws into a flag and a message.
template <class Work>
int guarded(void* mem, const char* function, Work&& work) noexcept {
  if (!mem) return GNOMON_MEM_NULL;
  Memory& memory = *static_cast<Memory*>(mem);
  if (refused_inside(memory, function)) return GNOMON_REFUSED;
  struct Busy {
    const char*& function;
    ~Busy() { function = nullptr; }
  } busy{memory.busy};
  memory.busy = function;
  try {
    if constexpr (std::is_void_v<decltype(work(memory))>)
      return work(memory), GNOMON_SUCCESS;
    else
      return work(memory);
  } catch (const Failure& failure) {
    return remember(memory, function, failure.flag(), failure.what());
  } catch (const Error& error) {
    return remember(memory, function, static_cast<int>(error.code()), error.what(), advice(memory, error));
  } catch (const std::bad_alloc&) {
    return remember(memory, function, GNOMON_OUT_OF_MEMORY, "memory ran out");
  } catch (const std::exception& error) {
    return remember(memory, function, GNOMON_INTERNAL, error.what());
  } catch (...) {
    return remember(memory, function, GNOMON_INTERNAL, "an exception of an unknown kind was thrown");
  }
}

/// guarded, for what sets something of the system or the method: it holds for a run that has not started.
template <class Work>
int configured(void* mem, const char* function, Work&& work) noexcept {
  return guarded(mem, function, [&](Memory& memory) {
    work(memory);
    if (!memory.started) memory.integrator.reset();
  });
}

template <class... Places>
void require_places(const Places*... places) {
  if (!(places && ...)) throw Error(ErrorCode::bad_value, "the place for the result is NULL");
}

/// *out = query(memory); a text is kept in the memory.
template <class T, class Query>
int get(void* mem, const char* function, T* out, Query&& query) {
  return guarded(mem, function, [&](Memory& memory) {
    require_places(out);
    if constexpr (std::is_same_v<T, const char*>)
      *out = (memory.text = query(memory)).c_str();
    else
      *out = query(memory);
  });
}

/// Steps were taken.
inline bool beyond_start(const Memory& memory) {
  return memory.started && memory.integrator->counters().steps > 0;
}
inline void refuse_later(const Memory& memory) {
  if (beyond_start(memory)) throw Error(ErrorCode::refused, "the run is beyond its start");
}
/// The sentence of every function that needs a start.
Failure no_init();
/// The start from what was set, without a run. Throws Error, and Failure before GnomonInit.
void prepare(Memory& memory);
/// The run; starts it where there is none.
Integrator& running(Memory& memory);

/// Entries of an N_Vector. Throws Error(bad_size) for another length, Error(bad_value) for NULL or no array.
Eigen::Map<Vector> view(N_Vector v, Index size, const char* name);
/// "a=1 b=2" as assignments; NULL is none.
Assignments assignments(const char* text, const char* what);

/// Of y = (q, p), or (y, z) of an overdetermined DAE.
Index state_size(const Memory& memory);
void write_state(const Memory& memory, const State& z, N_Vector y);
/// The state at t, inside the last step: a step of the scheme to there.
const State& state_at(Memory& memory, double t);
/// That of the last GnomonEvolve, which may be inside the last step.
const State& returned_state(Memory& memory);

/// Makes the derivatives of a run at its start, where they are asked for.
void begin_sensitivities(Memory& memory);

/// Looks for the first root behind searched_to and at most at t_end; true: returned just behind it, in t.
bool find_root(Memory& memory, double t_end, double& t);

/// An integrator of what was set, without its tolerances; and that of the memory.
Integrator new_integrator(const Memory& memory);
void make_integrator(Memory& memory);
/// Hands the tolerances on, where there are some.
void apply_tolerance(const Memory& memory, Integrator& integrator);

/// Prepares, then calls begin(), which makes the integrator and says whether it started it. Throws what that
/// throws; then the run that was there goes on.
template <class Begin>
void make(Memory& memory, Begin&& begin) {
  const bool started = memory.started;
  ProblemInstance start = memory.start;
  auto system = memory.system;
  auto attached = memory.attached_in_use;
  auto algebra = memory.algebra_in_use;
  std::optional<Integrator> integrator = std::move(memory.integrator);
  memory.integrator.reset();
  try {
    prepare(memory);
    memory.started = begin();
  } catch (...) {
    memory.integrator.reset();
    memory.started = started;
    memory.start = std::move(start);
    memory.system = std::move(system);
    memory.attached_in_use = std::move(attached);
    memory.algebra_in_use = std::move(algebra);
    if (integrator) memory.integrator.emplace(std::move(*integrator));
    throw;
  }
  memory.returned_t = memory.started ? memory.integrator->state().t : memory.start.t0;
  memory.warned_of = 0;
  memory.has_step = memory.interpolates = memory.roots.known = false;
  memory.interpolant.reset();
  memory.inside.reset();
  memory.sensitivities.reset();
}

}  // namespace gnomon::c_api
