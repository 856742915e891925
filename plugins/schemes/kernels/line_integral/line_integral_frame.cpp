#include "kernels/line_integral/line_integral_frame.hpp"

#include <cmath>

#include "gnomon/base/thresholds.hpp"

namespace gnomon::kernels {

LineIntegralFrame::LineIntegralFrame(const System& system, Index nodes, Index s, Index r)
    : table(nodes, s), system_(&system), at_(system), n_(system.n()), m_(system.m()), r_(m_ > 0 ? r : 0) {
  for (Vector* v : {&tail_, &work_}) v->setZero(n_);
  for (Vector* v : {&g0_, &row_, &floor_}) v->setZero(m_);
  g_values_.setZero(system.constraint_pattern().nonzeros());
}

void LineIntegralFrame::begin(const State& z0, double h) {
  z0_ = &z0;
  h_ = h;
  system_->constraints_compensated(z0.t, z0.q.value(), z0.q.tail(), g0_, g_values_);
}

double LineIntegralFrame::rounding_floor(const StepScales& scales) {
  if (r_ == 0) return scales.force_floor();
  const SparsityPattern& g = system_->constraint_pattern();
  const auto speed = scales.velocity();
  const auto hidden = scales.hidden();
  system_->constraint_jacobian_derivative(z0_->t, z0_->q.value(), z0_->q.value(), g_values_);
  for (Index i = 0; i < m_; ++i) {
    double size = 0;
    for (Index a = g.offsets[i]; a < g.offsets[i + 1]; ++a) size += std::abs(g_values_[a]) * speed[g.indices[a]];
    floor_[i] = size / hidden[i];
  }
  return scales.force_floor() + thresholds::unit_of_rounding * floor_.maxCoeff();
}

}  // namespace gnomon::kernels
