#include "kernels/alpha/alpha_split_form.hpp"

namespace gnomon::kernels {

void AlphaSplitForm::quadratic(VectorRef a, VectorRef b, VectorRef split, VectorRef c) {
  const double h = frame_->h;
  a.setZero();
  mass_.add(a, system_->mass().values(), 1 / h);
  hessian_.add(a, quadratic_part(), alpha_ * h);
  point_ = frame_->x + frame_->tail;
  system_->potential_gradient(frame_->t, point_, b);
  b *= -h;
  split = frame_->sigma * form_->values;
  point_ = (frame_->base + frame_->tail) + frame_->x;
  multiply(form_->pattern, form_->values, point_, c);
  c += form_->offset;
}

void AlphaSplitForm::take_apart(const ConstVectorRef& x, VectorRef y, VectorRef theta) {
  y = x.head(x.size() - m_);
  theta = 2 * frame_->h / frame_->sigma * x.tail(m_);
}

void AlphaSplitForm::put_together(const ConstVectorRef& y, const ConstVectorRef& theta, VectorRef x) {
  x.head(x.size() - m_) = y;
  x.tail(m_) = frame_->sigma / (2 * frame_->h) * theta;
}

AlphaSplitForm::AlphaSplitForm(const System& system, double alpha, bool wanted, const AlphaFrame& frame)
    : system_(&system), frame_(&frame), alpha_(alpha), m_(system.m()) {
  if (!wanted || !system.parts().unit_vectors) return;
  form_ = system.parts().unit_vectors;
  PatternBuilder builder(system.n(), system.n());
  builder.add(system.mass().pattern(), 0, 0);
  builder.add(system.hessian_pattern(), 0, 0);
  pattern_ = builder.build();
  mass_ = BlockMap(pattern_, system.mass().pattern(), 0, 0);
  hessian_ = BlockMap(pattern_, system.hessian_pattern(), 0, 0);
  weights_ = Vector::Ones(m_);
  if (system.traits().constraint_weights.size() == m_) weights_ = system.traits().constraint_weights;
  point_.setZero(system.n());
}

}  // namespace gnomon::kernels
