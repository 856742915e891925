#include "bench/precision/motion.hpp"

#include <algorithm>

#include "gnomon/base/error.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/start/consistent_start.hpp"

namespace gnomon::bench {

namespace {

double relative(double error, double size) {
  return error / (size > 0 ? size : 1);
}

/// Infinite where one of them is not a number.
double largest(double a, double b) {
  return b <= a ? a : b;
}

void keep_last(std::vector<Vector>& x) {
  if (x.size() > 1) x = {x.back()};
}

}  // namespace

Motion::Motion(const Model& model, const std::vector<Instant>& instants, Judged judged) {
  for (const Instant& at : instants) q.push_back(at.q);
  const System* system = model.mechanical();
  if (judged == Judged::positions || system == nullptr) return;
  Vector scratch(system->n());
  bool known = model.m() > 0 && !system->parts().obstacles;
  for (const Instant& at : instants) {
    const Windings turns(at.turns);
    v.emplace_back(system->n());
    system->velocity(at.q, at.p, scratch, v.back());
    v_size = std::max(v_size, v.back().norm());
    if (known) try {
        const Vector none = Vector::Zero(at.q.size());
        lambda.push_back(index1_multipliers(model, {at.t, at.q, none, at.p, none, none, none}));
        known = lambda.back().allFinite();
        lambda_size = std::max(lambda_size, lambda.back().norm());
      } catch (const Error&) {
        known = false;
      } catch (const CannotEvaluate&) {
        known = false;
      }
  }
  if (!known) lambda.clear();
}

double Motion::position_error(const Motion& other, std::size_t i) const {
  return relative((q[i] - other.q[i]).norm(), q[i].norm());
}

double Motion::error(const Motion& other, std::size_t i) const {
  double error = position_error(other, i);
  if (!v.empty() && !other.v.empty()) error = largest(error, relative((v[i] - other.v[i]).norm(), v_size));
  if (!lambda.empty() && !other.lambda.empty())
    error = largest(error, relative((lambda[i] - other.lambda[i]).norm(), lambda_size));
  return error;
}

Motion Motion::end() const {
  Motion last = *this;
  for (auto* x : {&last.q, &last.v, &last.lambda}) keep_last(*x);
  return last;
}

}  // namespace gnomon::bench
