#include "run/state_checks.hpp"

#include <algorithm>

#include "gnomon/base/finite.hpp"

namespace gnomon {

namespace {

bool is_finite(const History& history) {
  return history.count() == 0 || all_finite(history.at(0));
}

bool alike(const History& a, const History& b) {
  return a.size() == b.size() && a.depth() == b.depth();
}

}  // namespace

bool is_finite(const State& z) {
  for (const Vector* x : {&z.q.value(), &z.q.tail(), &z.p.value(), &z.p.tail(), &z.lambda, &z.scheme_data})
    if (!all_finite(*x)) return false;
  return is_finite(z.history) && std::all_of(z.substeps.begin(), z.substeps.end(),
                                             [](const State::Substep& substep) { return is_finite(substep.history); });
}

bool carries_the_same(const State& a, const State& b) {
  return alike(a.history, b.history) && a.scheme_data.size() == b.scheme_data.size() &&
         std::equal(a.substeps.begin(), a.substeps.end(), b.substeps.begin(), b.substeps.end(),
                    [](const auto& x, const auto& y) { return alike(x.history, y.history); });
}

}  // namespace gnomon
