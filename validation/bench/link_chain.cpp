#include "link_chain.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon::bench {

LinkChain::LinkChain(const ProblemInstance& instance, double g) : gravity(g) {
  const System* system = instance.model->mechanical();
  if (!system || system->name() != "chain")
    throw Error(ErrorCode::bad_value, "the hand-coded integrators know the problem chain and no other model");
  mass = system->mass().diagonal_entries()[0];
  const Index n = instance.q0.size() / 3;
  links.resize(static_cast<std::size_t>(n));
  Vector3 x = Vector3::Zero(), v = Vector3::Zero();
  double length = 0, fastest = 0;
  for (Index k = 0; k < n; ++k) {
    Link& link = links[static_cast<std::size_t>(k)];
    link.d = instance.q0.segment<3>(3 * k) - x;
    link.u = instance.p0.segment<3>(3 * k) / mass - v;
    link.l2 = link.d.squaredNorm();
    x += link.d;
    v += link.u;
    length += std::sqrt(link.l2);
    fastest = std::max(fastest, v.norm());
  }
  speed_ = std::max(std::sqrt(2 * gravity * length), fastest);
}

void LinkChain::state(Vector& q, Vector& p) const {
  q.resize(3 * static_cast<Index>(links.size()));
  p.resize(q.size());
  Vector3 x = Vector3::Zero(), v = Vector3::Zero();
  Index at = 0;
  for (const Link& link : links) {
    x += link.d;
    v += link.u;
    q.segment<3>(at) = x;
    p.segment<3>(at) = mass * v;
    at += 3;
  }
}

long double LinkChain::energy() const {
  using Long3 = Eigen::Matrix<long double, 3, 1>;
  Long3 x = Long3::Zero(), v = Long3::Zero();
  long double sum = 0;
  for (const Link& link : links) {
    x += link.d.cast<long double>();
    v += link.u.cast<long double>();
    sum += v.squaredNorm() / 2 + gravity * x[2];
  }
  return mass * sum;
}

}  // namespace gnomon::bench
