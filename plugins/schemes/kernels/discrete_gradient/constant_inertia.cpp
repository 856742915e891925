#include "kernels/discrete_gradient/constant_inertia.hpp"

namespace gnomon::kernels {

void ConstantInertia::lay_out(Layout& layout, const Block& rate, const Block& dq, const Block& dp) {
  layout.place(mass_, rate, dq, system_->mass().pattern());
  layout.place(minus_half_, rate, dp, SparsityPattern::diagonal(n_));
}

void ConstantInertia::add_jacobian(double h, const SparsityPattern&, VectorRef values) const {
  mass_.add(values, system_->mass().values(), 1 / h);
  minus_half_.add(values, -0.5);
}

}  // namespace gnomon::kernels
