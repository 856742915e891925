#include "run/state_checks.hpp"

#include <algorithm>

#include "gnomon/base/finite.hpp"

namespace gnomon {

namespace {

/// As all_finite of both parts, in one pass.
bool is_finite(const Compensated& z) {
  return z.value().size() == 0 || (z.value().array() * 0 + z.tail().array() * 0).sum() == 0;
}

bool is_finite(const History& history) {
  return history.count() == 0 || all_finite(history.at(0));
}

bool alike(const History& a, const History& b) {
  return a.size() == b.size() && a.depth() == b.depth();
}

}  // namespace

bool is_finite(const State& z) {
  if (!is_finite(z.q) || !is_finite(z.p) || !all_finite(z.lambda) || !all_finite(z.scheme_data) ||
      !all_finite(z.border))
    return false;
  return is_finite(z.history) && std::all_of(z.substeps.begin(), z.substeps.end(),
                                             [](const State::Substep& substep) { return is_finite(substep.history); });
}

bool carries_the_same(const State& a, const State& b) {
  return alike(a.history, b.history) && a.scheme_data.size() == b.scheme_data.size() &&
         a.border.size() == b.border.size() &&
         std::equal(a.substeps.begin(), a.substeps.end(), b.substeps.begin(), b.substeps.end(),
                    [](const auto& x, const auto& y) { return alike(x.history, y.history); });
}

}  // namespace gnomon
