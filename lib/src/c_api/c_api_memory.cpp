#include "c_api/c_api_memory.hpp"

#include <cstdio>
#include <sstream>

#include "gnomon/base/error.hpp"
#include "gnomon/contact/contact.hpp"
#include "gnomon/registry/suited_scheme.hpp"

namespace gnomon::c_api {

Eigen::Map<Vector> view(N_Vector v, Index size, const char* name) {
  if (!v) throw Error(ErrorCode::bad_value, std::string(name) + " is NULL");
  double* data = v->ops->nvgetarraypointer ? N_VGetArrayPointer(v) : nullptr;
  if (!data && size > 0)
    throw Error(ErrorCode::bad_value, std::string(name) + " is a vector that gives no access to its array");
  if (N_VGetLength(v) != size)
    throw Error(ErrorCode::bad_size, std::string(name) + " has " + std::to_string(N_VGetLength(v)) +
                                         " entries, expected " + std::to_string(size));
  return {data, size};
}

Assignments assignments(const char* text, const char* what) {
  Assignments result;
  std::istringstream in(text ? text : "");
  for (std::string word; in >> word;) result.push_back(parse_assignment(word, what));
  return result;
}

Index state_size(const Memory& memory) {
  return memory.start.q0.size() + memory.start.p0.size();
}

void write_state(const Memory& memory, const State& z, N_Vector y) {
  auto out = view(y, state_size(memory), "y");
  out.head(z.q.value().size()) = z.q.value();
  const Vector& second = memory.start.model->second_half(z.view());
  out.tail(second.size()) = second;
}

Failure no_init() {
  return {GNOMON_NO_INIT, "there is no start: GnomonInit was not called, or it failed"};
}

void prepare(Memory& memory) {
  if (!memory.initialised) throw no_init();
  ProblemInstance start;
  std::shared_ptr<CallbackSystem> system;
  if (memory.problem) {
    start = memory.registry.build(memory.problem->name, memory.problem->options);
  } else {
    if (!memory.y0)
      throw Error(ErrorCode::bad_value, "y0 is NULL, and there is no problem by name that has a start of its own");
    const Index size = memory.y0->size();
    if (size == 0 || size % 2 != 0)
      throw Error(ErrorCode::bad_size,
                  "y0 = (q0, p0) has " + std::to_string(size) + " entries, expected an even number of them above zero");
    Callbacks& callbacks = memory.callbacks;
    callbacks.n = size / 2;
    const Vector q0 = memory.y0->head(callbacks.n), p0 = memory.y0->tail(callbacks.n);
    callbacks.size = usual_size(q0);
    Vector v0 = p0;
    if (callbacks.mass && callbacks.mass->size() == callbacks.n) callbacks.mass->solve(p0, v0);
    callbacks.speed = usual_size(v0);
    callbacks.time = 128 * (memory.h > 0 ? memory.h : 1);
    system = std::make_shared<CallbackSystem>(callbacks);
    try {
      system->require_written(memory.t0, q0, v0);
      system->watch_time(memory.t0, q0, v0);
    } catch (const FatalCallback& failure) {
      throw Failure(GNOMON_CALLBACK_FAILED, failure.what());
    }
    start.model = system;
    start.q0.setZero(size / 2);
    start.p0.setZero(size / 2);
  }
  if (memory.y0) {
    const Index n = start.q0.size(), k = start.p0.size();
    if (memory.y0->size() != n + k)
      throw Error(ErrorCode::bad_size, "y0 has " + std::to_string(memory.y0->size()) + " entries, and problem " +
                                           memory.problem->name + " expects " + std::to_string(n + k));
    start.q0 = memory.y0->head(n);
    start.p0 = memory.y0->tail(k);
    start.t0 = memory.t0;
  }
  memory.start = std::move(start);
  memory.system = std::move(system);
}

namespace {

/// The scheme that was named, its order by the tolerance; none named: the one that suits the run.
Named scheme_of(const Memory& memory, const SolverFactory& solver, const Options& solver_options) {
  const SuitedRun run{memory.start, memory.tolerance.relative, &solver, solver_options, memory.options};
  if (!memory.scheme) try {
      const SchemeChoice choice = suited_scheme(memory.registry, run);
      return {choice.scheme, choice.options};
    } catch (const Error& error) {
      if (error.code() != ErrorCode::refused) throw;
      throw Error(ErrorCode::refused, std::string(error.what()) + "; GnomonSetScheme names another scheme");
    }
  if (!memory.tolerance.given() || !memory.scheme->options.empty()) return *memory.scheme;
  return {memory.scheme->name, suited_options(memory.registry, run, memory.scheme->name)};
}

}  // namespace

Integrator new_integrator(const Memory& memory) {
  return memory.registry.new_integrator(memory.start, memory.scheme_in_use.name, memory.solver_in_use(),
                                        memory.scheme_in_use.options, memory.solver.options, memory.options);
}

void make_integrator(Memory& memory) {
  memory.attached_in_use = memory.attached;
  memory.algebra_in_use = memory.algebra;
  memory.options.algebra = memory.algebra_in_use.get();
  memory.options.event_driver = contact_driver;
  const SolverFactory& solver = memory.solver_in_use();
  memory.scheme_in_use =
      scheme_of(memory, solver, Options("solver " + solver.name(), solver.options(), memory.solver.options));
  memory.integrator.emplace(new_integrator(memory));
  apply_tolerance(memory, *memory.integrator);
}

void apply_tolerance(const Memory& memory, Integrator& integrator) {
  if (!memory.tolerance.given()) return;
  const Tolerance& tolerance = memory.tolerance;
  if (!tolerance.each) return integrator.set_tolerances({tolerance.relative, tolerance.absolute}, memory.limits);
  const Index n = memory.start.q0.size(), size = state_size(memory);
  if (tolerance.each->size() != size)
    throw Error(ErrorCode::bad_size, "abstol has " + std::to_string(tolerance.each->size()) + " entries, expected " +
                                         std::to_string(size) + ", for q and v");
  integrator.set_tolerances({tolerance.relative, tolerance.each->head(n), tolerance.each->tail(size - n)},
                            memory.limits);
}

Integrator& running(Memory& memory) {
  const auto start = [&] {
    memory.integrator->start(memory.start.t0, memory.start.q0, memory.start.p0);
    return true;
  };
  const bool begins = !memory.started;
  if (!memory.integrator)
    make(memory, [&] {
      make_integrator(memory);
      return start();
    });
  else if (!memory.started)
    memory.started = start();
  if (begins) begin_sensitivities(memory);
  return *memory.integrator;
}

std::string advice(const Memory& memory, const Error& error) {
  const std::string sentence = error.what();
  const auto says = [&sentence](const char* part) { return sentence.find(part) != std::string::npos; };
  if (says("a projection in the mass metric would repair it")) return ": GnomonCalcIC";
  if (memory.system && says("declared to be at most quadratic"))
    return "; GnomonSetDegrees declares the degrees of U and g";
  if (says("a run is compared with it")) return "; \"gnomon run\" takes it as --reference, beside the same model";
  return "";
}

int remember(Memory& memory, const char* function, int flag, const char* why, const std::string& more) noexcept {
  try {
    memory.message = std::string(function) + ": " + why + more;
  } catch (...) {
    memory.message.clear();
  }
  report_error(memory.context, function, memory.message.c_str());
  if (memory.error_file) std::fprintf(memory.error_file, "[GNOMON ERROR]  %s\n", memory.message.c_str());
  return flag;
}

bool refused_inside(Memory& memory, const char* function) noexcept {
  if (memory.busy == nullptr) return false;
  remember(memory, function, GNOMON_REFUSED, memory.busy,
           " is under way with the same memory, and calls back only through its callbacks");
  return true;
}

}  // namespace gnomon::c_api
