/// \file
/// The C interface: forces, friction, obstacles, symmetries and first integrals.

#include "c_api/c_api_given.hpp"

using namespace gnomon;
using namespace gnomon::c_api;

namespace {

template <class Set, class Function>
void set_jacobian(Set& set, const char* name, int by, Function function, SUNMatrix pattern) {
  if (by < 0 || static_cast<std::size_t>(by) >= set.size())
    throw Error(ErrorCode::bad_value, "by = " + std::to_string(by) + " is no argument of the " + name +
                                          ", expected GNOMON_BY_Q, GNOMON_BY_V" +
                                          (set.size() > 2 ? " or GNOMON_BY_LAMBDA" : ""));
  set[static_cast<std::size_t>(by)] = {
      function, copy_of(("the pattern of the derivative of the " + std::string(name)).c_str(), pattern)};
}

template <class Function>
void add_named(std::vector<NamedCallback<Function>>& list, const char* name, Function function, const char* what) {
  if (!function && !name) return list.clear();
  required(function, what);
  list.push_back({text(name, ("the name of " + std::string(what)).c_str()), function});
}

}  // namespace

int GnomonSetForceFn(void* mem, GnomonForceFn Q) {
  return configured(mem, __func__, [&](Memory& memory) { memory.callbacks.force = Q; });
}

int GnomonSetForceJacFn(void* mem, int by, GnomonForceJacFn dQ, SUNMatrix pattern) {
  return configured(mem, __func__,
                    [&](Memory& memory) { set_jacobian(memory.callbacks.force_jacobian, "force", by, dQ, pattern); });
}

int GnomonSetSwitchFn(void* mem, sunindextype count, GnomonSwitchFn s) {
  return configured(mem, __func__, [&](Memory& memory) {
    check_count(count, "switches");
    if (count > 0) required(s, "the switching function");
    memory.callbacks.n_switches = count;
    memory.callbacks.switches = s;
  });
}

int GnomonSetFrictionFn(void* mem, GnomonFrictionFn R) {
  return configured(mem, __func__, [&](Memory& memory) { memory.callbacks.friction = R; });
}

int GnomonSetFrictionJacFn(void* mem, int by, GnomonFrictionJacFn dR, SUNMatrix pattern) {
  return configured(mem, __func__, [&](Memory& memory) {
    set_jacobian(memory.callbacks.friction_jacobian, "friction", by, dR, pattern);
  });
}

int GnomonSetObstacleFn(void* mem, sunindextype count, GnomonConstraintFn c) {
  return configured(mem, __func__, [&](Memory& memory) { set_rows(memory.callbacks.obstacles, "obstacle", count, c); });
}

int GnomonSetObstacleJacFn(void* mem, GnomonJacobianFn C, SUNMatrix pattern) {
  return configured(mem, __func__, [&](Memory& memory) {
    memory.callbacks.obstacles.jacobian = {C, copy_of("the pattern of C", pattern)};
  });
}

int GnomonSetObstacleHessFn(void* mem, GnomonHessianFn H, SUNMatrix pattern) {
  return configured(mem, __func__, [&](Memory& memory) {
    memory.callbacks.obstacle_hessian = {H, copy_of("the pattern of the obstacles' H", pattern)};
  });
}

int GnomonSetObstacleDegree(void* mem, int degree) {
  return configured(mem, __func__, [&](Memory& memory) {
    check_degree(degree);
    memory.callbacks.obstacles.degree = degree;
  });
}

int GnomonAddSymmetry(void* mem, const char* name, GnomonSymmetryFn xi) {
  return configured(mem, __func__,
                    [&](Memory& memory) { add_named(memory.callbacks.symmetries, name, xi, "a symmetry"); });
}

int GnomonAddIntegral(void* mem, const char* name, GnomonIntegralFn I) {
  return configured(mem, __func__,
                    [&](Memory& memory) { add_named(memory.callbacks.integrals, name, I, "a first integral"); });
}
