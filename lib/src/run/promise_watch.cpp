#include "gnomon/run/promise_watch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gnomon/base/archive.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/model/overdetermined.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon {

namespace {

const SparsityPattern& constraint_pattern(const Model& model) {
  if (const System* system = model.mechanical()) return system->constraint_pattern();
  return model.overdetermined()->pattern(Term::constraint, Argument::y);
}

void constraint_jacobian(const Model& model, const State& z, Vector& values) {
  if (const System* system = model.mechanical())
    system->constraint_jacobian(z.t, z.q.value(), values);
  else
    model.overdetermined()->jacobian(Term::constraint, Argument::y, {z.q.value(), z.scheme_data, z.lambda}, values);
}

/// max_i sum_j |A_ij x_j|
double largest_terms(const SparsityPattern& pattern, const Vector& values, const Vector& x) {
  double largest = 0;
  for (Index i = 0; i < pattern.rows; ++i) {
    double sum = 0;
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      sum += std::abs(values[k] * x[pattern.indices[k]]);
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace

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
  v_.setZero(z.q.value().size());
  scratch_ = v_;
  momentum_.setZero(system ? system->parts().n_symmetries() : 0);
  const bool constrained = model_->m() > 0;
  jacobian_.setZero(constrained ? constraint_pattern(*model_).nonzeros() : 0);
  speed_ = position_terms_ = velocity_terms_ = 0;
}

void PromiseScales::record(const State& z) try {
  model_->velocity(z.view(), scratch_, v_);
  speed_ = std::max(speed_, v_.lpNorm<Eigen::Infinity>());
  if (jacobian_.size() > 0) {
    constraint_jacobian(*model_, z, jacobian_);
    const SparsityPattern& pattern = constraint_pattern(*model_);
    position_terms_ = std::max(position_terms_, largest_terms(pattern, jacobian_, z.q.value()));
    velocity_terms_ = std::max(velocity_terms_, largest_terms(pattern, jacobian_, v_));
  }
  const double p = momentum_.size() > 0 ? z.p.value().norm() : 0;
  for (Index a = 0; a < momentum_.size(); ++a) {
    model_->mechanical()->parts().symmetries->symmetry_generator(a, z.q.value(), scratch_);
    momentum_[a] = std::max(momentum_[a], scratch_.norm() * p);
  }
} catch (...) {
  // The monitor has measured this state: a callback that fails only now leaves the scales as they were.
}

void PromiseScales::serialize(Archive& archive) {
  const Index symmetries = momentum_.size();
  archive(speed_, position_terms_, velocity_terms_, momentum_);
  if (momentum_.size() != symmetries || !(speed_ >= 0 && position_terms_ >= 0 && velocity_terms_ >= 0) ||
      (momentum_.array() < 0).any() || !momentum_.allFinite())
    throw Error(ErrorCode::bad_file, "its scales of velocity and momentum are not those of this model");
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
  scales_.record(z);
  broken_.clear();
  std::size_t count = 0;
  for_each_promise(promises, monitor, scales_, [&count](const PromiseMeasure&) { ++count; });
  broken_.reserve(count);
}

double PromiseWatch::terms_of(Promise promise) const {
  if (promise == Promise::position) return std::max(1.0, scales_.position_terms());
  if (promise == Promise::hidden) return std::max(1.0, scales_.velocity_terms() / std::max(1.0, scales_.speed()));
  return 1;
}

void PromiseWatch::check(const State& z, long step, const Promises& promises, const InvariantMonitor& monitor) {
  scales_.record(z);
  for_each_promise(promises, monitor, scales_, [&](PromiseMeasure found) {
    found.gate *= margin * terms_of(found.promise);
    if (found.error <= found.gate) return;
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
