#include "gnomon/run/promise_watch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gnomon/base/archive.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/constraint_sizes.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon {

std::string PromiseMeasure::name() const {
  switch (promise) {
    case Promise::energy:
      return "energy";
    case Promise::discrete_energy:
      return "discrete-energy";
    case Promise::position:
      return "position";
    case Promise::hidden:
      return "hidden";
    case Promise::momentum:
      return "momentum-" + std::to_string(which);
  }
  return {};
}

void PromiseScales::start(const State& z) {
  const System* system = model_->mechanical();
  scratch_.setZero(z.q.value().size());
  momentum_.setZero(system ? system->parts().n_symmetries() : 0);
  for (Vector* sizes : {&positions_, &velocities_}) sizes->setZero(model_->m());
  record(z);
}

void PromiseScales::record(const State& z) try {
  terms_.evaluate(z);
  positions_ = positions_.cwiseMax(terms_.of_positions());
  velocities_ = velocities_.cwiseMax(terms_.of_velocities());
  if (momentum_.size() == 0) return;
  record_momentum(z, (z.p.value().array() / terms_.mass().array().sqrt()).matrix().norm() +
                         thresholds::momentum_of_energy * std::sqrt(2 * z.energy_scale));
} catch (...) {
  // The monitor has measured this state: a callback that fails only now leaves the scales as they were.
}

void PromiseScales::record_momentum(const State& z, double p) {
  const auto root = terms_.mass().array().sqrt();
  for (Index a = 0; a < momentum_.size(); ++a) {
    model_->mechanical()->parts().symmetries->symmetry_generator(a, z.q.value(), scratch_);
    momentum_[a] = std::max(momentum_[a], (scratch_.array() * root).matrix().norm() * p);
  }
}

void PromiseScales::count_rounding(const State& z, double pulled_speed) try {
  record_momentum(z, pulled_speed);
  velocities_ = velocities_.cwiseMax(terms_.of_velocities(pulled_speed) +
                                     thresholds::moved_velocity * terms_.of_moved_velocities(z));
} catch (...) {
  // As in record().
}

void PromiseScales::serialize(Archive& archive) {
  const Index symmetries = momentum_.size(), m = model_->m();
  archive(positions_, velocities_, momentum_);
  const auto sizes = [](const Vector& x, Index size) {
    return x.size() == size && x.allFinite() && (x.array() >= 0).all();
  };
  if (!sizes(positions_, m) || !sizes(velocities_, m) || !sizes(momentum_, symmetries))
    throw Error(ErrorCode::bad_file, "its sizes of constraints and of momentum maps are not those of this model");
}

PromiseMeasure worst_row(Promise promise, const Vector& errors, const Vector& sizes, double gate) {
  Index worst = 0;
  for (Index i = 1; i < errors.size(); ++i)
    if (part_of(errors[i], sizes[i]) > part_of(errors[worst], sizes[worst])) worst = i;
  return {promise, 0, errors.size() > 0 ? errors[worst] : 0, sizes.size() > 0 ? gate * sizes[worst] : 0};
}

std::string BrokenPromise::text() const {
  char sizes[64];
  std::snprintf(sizes, sizeof sizes, "error %.2e, at most %.2e is allowed", measure.error, measure.gate);
  return measure.name() + " at step " + std::to_string(step) + ", t = " + number_text(t) + ": " + sizes;
}

void BrokenPromise::serialize(Archive& archive) {
  int promise = static_cast<int>(measure.promise);
  long which = static_cast<long>(measure.which);
  archive(promise, which, measure.error, measure.gate, step, t);
  if (promise < 0 || promise > static_cast<int>(Promise::momentum) || which < 0)
    throw Error(ErrorCode::bad_file, "it names the promise " + std::to_string(promise) + ", which there is not");
  measure.promise = static_cast<Promise>(promise);
  measure.which = static_cast<Index>(which);
}

void PromiseWatch::start(const State& z, const Promises& promises, const InvariantMonitor& monitor) {
  scales_.start(z);
  broken_.clear();
  std::size_t count = 0;
  for_each_promise(promises, monitor, scales_, [&count](const PromiseMeasure&) { ++count; });
  broken_.reserve(count);
}

void PromiseWatch::check(const State& z, long step, const Promises& promises, const InvariantMonitor& monitor) {
  scales_.record(z);
  const auto is_broken = [](const PromiseMeasure& found) { return found.error > margin * found.gate; };
  bool counted = true;
  for_each_promise(promises, monitor, scales_, [&](const PromiseMeasure& found) {
    counted =
        counted && !(is_broken(found) && (found.promise == Promise::hidden || found.promise == Promise::momentum));
  });
  if (!counted) scales_.count_rounding(z, monitor.pulled_speed());
  for_each_promise(promises, monitor, scales_, [&](PromiseMeasure found) {
    if (!is_broken(found)) return;
    found.gate *= margin;
    const auto known = [&found](const BrokenPromise& other) {
      return other.measure.promise == found.promise && other.measure.which == found.which;
    };
    if (std::none_of(broken_.begin(), broken_.end(), known)) broken_.push_back({found, step, z.t});
  });
}

void PromiseWatch::serialize(Archive& archive) {
  archive(scales_, broken_);
}

}  // namespace gnomon
