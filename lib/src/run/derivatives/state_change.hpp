#pragma once
/// \file
/// A change of a state, or a covector of such changes. Private to the core.

#include <algorithm>
#include <cmath>
#include <iterator>

#include "gnomon/model/mass.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon {

/// dz: of q, p, and of what the scheme, the contacts and the border of constraints that repeat others carry beside
/// them. Empty parts do not change.
struct StateChange {
  Vector q, p, data, lambda, held, border;

  static StateChange zero(const State& z) {
    const auto none = [](const Vector& part) { return Vector::Zero(part.size()); };
    return {none(z.q.value()), none(z.p.value()), none(z.scheme_data), {}, {}, none(z.border)};
  }
  StateChange& operator+=(const StateChange& other) {
    q += other.q;
    p += other.p;
    data += other.data;
    lambda += other.lambda;
    border += other.border;
    return *this;
  }
  bool is_zero() const {
    const Vector* const parts[] = {&q, &p, &data, &lambda, &held, &border};
    return std::all_of(std::begin(parts), std::end(parts), [](const Vector* part) { return part->isZero(0); });
  }
};

/// to <- z + change dz
inline void displace(const State& z, const StateChange& dz, double change, State& to) {
  to = z;
  const auto move = [change](const Compensated& start, const Vector& d, Compensated& moved) {
    for (Index j = 0; j < d.size(); ++j) moved.set_sum(j, start, static_cast<Extended>(change) * d[j]);
  };
  move(z.q, dz.q, to.q);
  move(z.p, dz.p, to.p);
  if (dz.data.size() == to.scheme_data.size()) to.scheme_data += change * dz.data;
  if (dz.lambda.size() == to.lambda.size()) to.lambda += change * dz.lambda;
  if (dz.held.size() == to.held.size()) to.held += change * dz.held;
  if (dz.border.size() == to.border.size()) to.border += change * dz.border;
}

/// zb.dz; parts of other sizes count as zero.
inline double inner(const StateChange& covector, const StateChange& change) {
  const auto part = [](const Vector& a, const Vector& b) { return a.size() == b.size() ? a.dot(b) : 0; };
  return part(covector.q, change.q) + part(covector.p, change.p) + part(covector.data, change.data) +
         part(covector.lambda, change.lambda) + part(covector.border, change.border);
}

/// Changes of q and p that are large.
inline Vector sizes_of(const State& z, const Mass& mass) {
  const Vector root = mass.diagonal_entries().cwiseAbs().cwiseSqrt();
  const Index n = z.q.value().size();
  const double q = z.q.value().lpNorm<Eigen::Infinity>();
  const double v = std::max(z.p.value().cwiseQuotient(root).lpNorm<Eigen::Infinity>(), std::sqrt(2 * z.energy_scale));
  Vector sizes(2 * n);
  sizes << Vector::Constant(n, q > 0 ? q : 1), (v > 0 ? v : 1) * root;
  return sizes;
}

}  // namespace gnomon
