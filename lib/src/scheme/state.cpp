#include "gnomon/scheme/state.hpp"

#include <cmath>
#include <string>

#include "gnomon/base/archive.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/model/model.hpp"

#ifdef __FAST_MATH__
#error "Gnomon's compensated sums need IEEE arithmetic: do not compile with -ffast-math"
#endif

namespace gnomon {

namespace {

bool has_contacts(const State& z) {
  return !z.closed.empty() || !z.slip.empty() || z.held.size() > 0 || !z.released.empty();
}

}  // namespace

void Compensated::set_resized(const Compensated& other, Index size) {
  const Index shared = std::min(size, other.value_.size());
  value_.setZero(size);
  tail_.setZero(size);
  value_.head(shared) = other.value_.head(shared);
  tail_.head(shared) = other.tail_.head(shared);
}

void Compensated::add(const ConstVectorRef& d) {
  for (Index i = 0; i < value_.size(); ++i) add(value_[i], tail_[i], d[i]);
}

void Compensated::add_extended(const VectorOf<Extended>& d) {
  // By parts that fit a few registers' worth of cache: the sums then have no conversions among them.
  constexpr Index part = 64;
  double high[part];
  for (Index begin = 0; begin < value_.size(); begin += part) {
    const Index count = std::min(part, value_.size() - begin);
    const Extended* const from = d.data() + begin;
    double *const value = value_.data() + begin, *const tail = tail_.data() + begin;
    for (Index i = 0; i < count; ++i) {
      high[i] = static_cast<double>(from[i]);
      tail[i] += static_cast<double>(from[i] - high[i]);
    }
    for (Index i = 0; i < count; ++i) add(value[i], tail[i], high[i]);
  }
}

StateView State::view() const {
  return {t, q.value(), q.tail(), p.value(), p.tail(), scheme_data, lambda};
}

void State::assign_without_substeps(const State& other) {
  assign_without_histories(other);
  history = other.history;
}

void State::assign_without_histories(const State& other) {
  t = other.t;
  t_tail = other.t_tail;
  q = other.q;
  p = other.p;
  lambda = other.lambda;
  last_h = other.last_h;
  work = other.work;
  energy_scale = other.energy_scale;
  energy_left = other.energy_left;
  scheme_data = other.scheme_data;
  border = other.border;
  turns = other.turns;
}

void Compensated::serialize(Archive& archive) {
  archive(value_, tail_);
  archive.require(value_.size() == tail_.size(), "a compensated vector has a tail of another length");
}

void Work::serialize(Archive& archive) {
  archive(force, potential, position, velocity);
  archive.require(std::isfinite(total()), "the booked work is not finite");
}

void State::Substep::serialize(Archive& archive) {
  archive(history, last_h);
  archive.require(std::isfinite(last_h), "the step of a substep is not finite");
}

void History::serialize(Archive& archive) {
  archive(columns_, count_, head_);
  archive.require(columns_.allFinite(), "a history is not finite");
  if (archive.reading() &&
      (count_ < 0 || count_ > depth() || head_ < 0 || head_ >= std::max<Index>(columns_.cols(), 1)))
    throw Error(ErrorCode::bad_file, "a history of " + std::to_string(count_) + " entries at column " +
                                         std::to_string(head_) + " does not fit its " +
                                         std::to_string(columns_.cols()) + " columns");
}

void State::take_over(State& before) {
  assign_without_histories(before);
  history.swap(before.history);
  if (!before.substeps.empty() || !substeps.empty()) substeps = before.substeps;
  if (has_contacts(before) || has_contacts(*this)) {
    closed = before.closed;
    slip = before.slip;
    held = before.held;
    released = before.released;
  }
}

void State::swap(State& other) {
  std::swap(t, other.t);
  std::swap(t_tail, other.t_tail);
  q.swap(other.q);
  p.swap(other.p);
  lambda.swap(other.lambda);
  std::swap(last_h, other.last_h);
  std::swap(work, other.work);
  std::swap(energy_scale, other.energy_scale);
  std::swap(energy_left, other.energy_left);
  history.swap(other.history);
  scheme_data.swap(other.scheme_data);
  border.swap(other.border);
  substeps.swap(other.substeps);
  turns.swap(other.turns);
  if (!has_contacts(*this) && !has_contacts(other)) return;
  closed.swap(other.closed);
  slip.swap(other.slip);
  held.swap(other.held);
  released.swap(other.released);
}

void State::serialize(Archive& archive) {
  archive(t, t_tail, q, p, lambda, last_h, work, energy_scale, energy_left, history, scheme_data, border, turns,
          substeps, closed, slip, held, released);
  archive.require(std::isfinite(t) && std::isfinite(t_tail) && std::isfinite(last_h), "its time is not finite");
}

void State::advance_time(double h) {
  Compensated::add(t, t_tail, h);
  last_h = h;
}

}  // namespace gnomon
