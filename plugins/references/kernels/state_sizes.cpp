#include "references/kernels/state_sizes.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/thresholds.hpp"

namespace gnomon::kernels {

StateSizes sizes_of(const StartSlopes& at) {
  const auto or_one = [](double x) { return x > 0 && std::isfinite(x) ? x : 1; };
  // The largest |x| of each block, for every coordinate of the block.
  const auto block_maximum = [&](const Vector& x) -> Vector {
    Vector out = x.cwiseAbs();
    if (x.size() == at.y.size())
      for (const Block& block : at.blocks)
        out.segment(block.offset, block.size).setConstant(out.segment(block.offset, block.size).maxCoeff());
    return out.cwiseMax(thresholds::smallest_size * out.maxCoeff());
  };

  StateSizes size;
  size.y = block_maximum(at.y).unaryExpr(or_one);
  const Vector speed = block_maximum(at.dy), pull = block_maximum(at.ddy);
  const Vector rate = speed.cwiseMax((size.y.array() * pull.array()).sqrt().matrix()).unaryExpr(or_one);
  Vector time = Vector::Constant(at.z.size(), size.y.maxCoeff() / rate.maxCoeff());
  if (at.z.size() == at.y.size()) time = size.y.cwiseQuotient(rate);
  const Vector slope = block_maximum(at.dz);
  size.z = block_maximum(at.z).cwiseMax(slope.cwiseProduct(time)).unaryExpr(or_one);
  const Vector change = slope.cwiseMax(size.z.cwiseQuotient(time));

  const Index m = at.hidden_by_z.rows();
  size.lambda.resize(m);
  size.mu.resize(m);
  for (Index i = 0; i < m; ++i) {
    const Vector hidden = at.hidden_by_z.row(i), constraint = at.constraint_by_y.row(i);
    size.lambda[i] = or_one(hidden.cwiseAbs().dot(change) / std::abs(hidden.dot(at.slope_by_psi.col(i))));
    size.mu[i] = or_one(constraint.cwiseAbs().dot(rate) / std::abs(constraint.dot(at.rate_by_mu.col(i))));
  }
  return size;
}

}  // namespace gnomon::kernels
