#include "gnomon/model/constraint_sizes.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/thresholds.hpp"

namespace gnomon {

void constraint_sizes(const SparsityPattern& pattern, const ConstVectorRef& jacobian, const ConstVectorRef& mass,
                      const ConstVectorRef& x, VectorRef out, double least) {
  const double length = x.size() > 0 ? std::max(least, (mass.array().sqrt() * x.array().abs()).maxCoeff()) : least;
  for (Index i = 0; i < pattern.rows; ++i) {
    double terms = 0, a = 0;
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
      const Index j = pattern.indices[k];
      terms += std::abs(jacobian[k] * x[j]);
      a += jacobian[k] * jacobian[k] / mass[j];
    }
    out[i] = terms + thresholds::mixed_size * std::sqrt(a) * length;
  }
}

Vector given_position_sizes(const SparsityPattern& pattern, const ConstVectorRef& jacobian, const ConstVectorRef& mass,
                            const ConstVectorRef& q) {
  Vector sizes(pattern.rows), by_one(pattern.rows);
  constraint_sizes(pattern, jacobian, mass, q, sizes);
  constraint_sizes(pattern, jacobian, Vector::Ones(q.size()), q, by_one);
  return sizes.cwiseMin(by_one);
}

void row_lengths(const SparsityPattern& pattern, const ConstVectorRef& jacobian, const ConstVectorRef& mass,
                 VectorRef out) {
  for (Index i = 0; i < pattern.rows; ++i) {
    double a = 0;
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      a += jacobian[k] * jacobian[k] / mass[pattern.indices[k]];
    out[i] = a > 0 ? std::sqrt(a) : 1;
  }
}

void multiplier_sizes(const ConstVectorRef& lengths, const ConstVectorRef& lambda, VectorRef out) {
  double force = 0;
  for (Index i = 0; i < lambda.size(); ++i) force = std::max(force, lengths[i] * std::abs(lambda[i]));
  for (Index i = 0; i < lambda.size(); ++i) out[i] = force > 0 ? force / lengths[i] : 1;
}

double largest_part(const ConstVectorRef& dx, const ConstVectorRef& x, const ConstVectorRef& size) {
  double largest = 0;
  for (Index i = 0; i < dx.size(); ++i) largest = std::max(largest, std::abs(dx[i]) / (std::abs(x[i]) + size[i]));
  return largest;
}

}  // namespace gnomon
