/// \file
/// The C interface: derivatives of the motion.

#include <algorithm>
#include <cmath>
#include <sstream>

#include "c_api/c_api_given.hpp"
#include "gnomon/registry/varied_problem.hpp"

namespace gnomon::c_api {

namespace {

/// A parameter of the caller, changed for as long as something is evaluated with it.
class Changed {
 public:
  Changed(sunrealtype* place, double change) : place_(place), change_(change) {}
  void operator()(bool begin) {
    if (!place_) return;
    if (begin) kept_ = *place_;
    *place_ = begin ? kept_ + change_ : kept_;
  }

 private:
  sunrealtype* place_;
  double change_;
  sunrealtype kept_ = 0;
};

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

sunrealtype* place_of(const Sensitive& sensitive, std::size_t i) {
  return sensitive.p ? sensitive.p + (sensitive.list.empty() ? static_cast<int>(i) : sensitive.list[i]) : nullptr;
}

Integrator integrator_of(const Memory& memory, const ProblemInstance& instance) {
  IntegratorOptions options = memory.options;
  options.project_start = true;
  Integrator integrator = memory.registry.new_integrator(instance, memory.scheme_in_use.name, memory.solver_in_use(),
                                                         memory.scheme_in_use.options, memory.solver.options, options);
  integrator.start(instance.t0, instance.q0, instance.p0);
  return integrator;
}

std::unique_ptr<Variant> variant_of(const Memory& memory, std::size_t parameter, double change) {
  const Sensitive& sensitive = memory.sensitive;
  Changed changed(place_of(sensitive, parameter), change);
  ProblemInstance instance = memory.start;
  const Index n = instance.q0.size();
  if (!sensitive.y0.empty()) {
    instance.q0 += change * sensitive.y0[parameter].head(n);
    instance.p0 += change * sensitive.y0[parameter].tail(n);
  }
  struct Use {
    Changed& changed;
    explicit Use(Changed& one) : changed(one) { changed(true); }
    ~Use() { changed(false); }
  } use{changed};
  auto variant = std::make_unique<Variant>(instance, integrator_of(memory, instance));
  if (sensitive.p) variant->use = changed;
  return variant;
}

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream text(list);
  for (std::string name; std::getline(text, name, ',');) names.push_back(name);
  return names;
}

}  // namespace

void begin_sensitivities(Memory& memory) {
  const Sensitive& sensitive = memory.sensitive;
  if (sensitive.count == 0 && sensitive.names.empty()) return;
  std::vector<Sensitivities::Parameter> parameters;
  Sensitivities::Make make;
  if (!sensitive.names.empty()) {
    if (!memory.problem)
      throw Error(ErrorCode::bad_value,
                  "names of sensitivities are for problems by name and model files: callbacks "
                  "take GnomonSensInit and GnomonSetSensParams");
    const VariedProblem varied(
        memory.registry.problem(memory.problem->name), memory.problem->options,
        [&memory](const ProblemInstance& instance) { return integrator_of(memory, instance); },
        names_in(sensitive.names));
    if (memory.y0)
      throw Error(ErrorCode::refused, "names of sensitivities are for the start of the problem, and y0 is another one");
    parameters = varied.parameters();
    make = varied.make();
  } else {
    for (const Vector& y0 : sensitive.y0)
      if (y0.size() != state_size(memory))
        throw Error(ErrorCode::bad_size, "yS0 has vectors of " + std::to_string(y0.size()) + " entries, expected " +
                                             std::to_string(state_size(memory)));
    for (std::size_t i = 0; i < at(sensitive.count); ++i) {
      const sunrealtype* const place = place_of(sensitive, i);
      const double own = place && *place != 0 ? std::abs(*place) : 1;
      const double size = sensitive.sizes.empty() ? own : sensitive.sizes[i];
      parameters.push_back({"p[" + std::to_string(i) + "]", size, place != nullptr, {}});
    }
    make = [&memory](std::size_t parameter, double change) { return variant_of(memory, parameter, change); };
  }
  memory.sensitivities = std::make_unique<Sensitivities>(*memory.integrator, parameters, make);
  if (!memory.sensitivities->observe(memory.integrator->state(), 0))
    throw Failure(GNOMON_EVALUATION_FAILED, memory.sensitivities->failure());
  memory.integrator->add_observer(*memory.sensitivities);
}

}  // namespace gnomon::c_api

using namespace gnomon;
using namespace gnomon::c_api;

int GnomonSensInit(void* mem, int Ns, N_Vector* yS0) {
  return configured(mem, __func__, [&](Memory& memory) {
    refuse_later(memory);
    if (Ns < 0) throw Error(ErrorCode::bad_value, std::to_string(Ns) + " sensitivities are less than none");
    std::vector<Vector> y0;
    for (int i = 0; yS0 && i < Ns; ++i)
      y0.push_back(view(yS0[i], yS0[i] ? N_VGetLength(yS0[i]) : 0, ("yS0[" + std::to_string(i) + "]").c_str()));
    memory.sensitive = Sensitive();
    memory.sensitive.count = Ns;
    memory.sensitive.y0 = std::move(y0);
  });
}

int GnomonSetSensParams(void* mem, sunrealtype* p, sunrealtype* pbar, int* plist) {
  return configured(mem, __func__, [&](Memory& memory) {
    refuse_later(memory);
    Sensitive& sensitive = memory.sensitive;
    if (sensitive.count == 0)
      throw Error(ErrorCode::bad_value, "there are no sensitivities: call GnomonSensInit before");
    const auto count = at(sensitive.count);
    for (std::size_t i = 0; pbar && i < count; ++i)
      if (!(pbar[i] != 0 && std::isfinite(pbar[i])))
        throw Error(ErrorCode::bad_value, "pbar[" + std::to_string(i) + "] = " + number_text(pbar[i]) +
                                              ", expected a number that is not zero");
    for (std::size_t i = 0; plist && i < count; ++i)
      if (plist[i] < 0)
        throw Error(ErrorCode::bad_value,
                    "plist[" + std::to_string(i) + "] = " + std::to_string(plist[i]) + " is negative");
    sensitive.p = p;
    sensitive.sizes.clear();
    sensitive.list.clear();
    if (pbar) sensitive.sizes.assign(pbar, pbar + count);
    if (plist) sensitive.list.assign(plist, plist + count);
  });
}

int GnomonSetSensNames(void* mem, const char* names) {
  return configured(mem, __func__, [&](Memory& memory) {
    refuse_later(memory);
    memory.sensitive = Sensitive();
    memory.sensitive.names = text(names, "the names of sensitivities");
  });
}

int GnomonGetSens(void* mem, sunrealtype* tret, N_Vector* yS) {
  return guarded(mem, __func__, [&](Memory& memory) {
    running(memory);
    if (!memory.sensitivities)
      throw Error(ErrorCode::bad_value, "there are no sensitivities: GnomonSensInit was not called");
    if (!yS) throw Error(ErrorCode::bad_value, "yS is NULL");
    Sensitivities& all = *memory.sensitivities;
    if (!all.at(memory.returned_t)) throw Failure(GNOMON_EVALUATION_FAILED, all.failure());
    const Matrix q = all.positions(), p = all.momenta();
    for (Index i = 0; i < q.cols(); ++i) {
      auto out = view(yS[i], q.rows() + p.rows(), ("yS[" + std::to_string(i) + "]").c_str());
      out << q.col(i), p.col(i);
    }
    if (tret) *tret = memory.returned_t;
  });
}
