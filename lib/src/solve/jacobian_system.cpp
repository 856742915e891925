#include "gnomon/solve/jacobian_system.hpp"

#include "gnomon/base/error.hpp"

namespace gnomon {

void JacobianSystem::attach(ScaledEquations& equations, const AlgebraChoice& choice, bool rarely_needed) {
  equations_ = &equations;
  values_.setZero(equations.pattern().nonzeros());
  point_.setZero(equations.size());
  algebra_ = rarely_needed ? choice.attach_when_needed(equations) : choice.attach(equations);
  prepared_ = rarely_needed;
  algebra_->use_product(*this);
}

void JacobianSystem::prepare(const ConstVectorRef& xs) {
  if (prepared_) return;
  prepared_ = true;
  begin();
  if (evaluate(xs) == EvaluationStatus::ok) factorise();
}

EvaluationStatus JacobianSystem::evaluate(const ConstVectorRef& xs) {
  point_ = xs;
  return equations_->jacobian(xs, values_);
}

bool JacobianSystem::factorise() {
  const Setup setup = setup_;
  setup_ = Setup::again;
  factorised_ = algebra_->factor(values_, setup);
  return factorised_;
}

void JacobianSystem::serialize(Archive& archive, bool with_matrix) {
  algebra_->serialize(archive);
  if (!with_matrix) return;
  if (!archive.reading()) return archive(values_);
  // What does not fit leaves the matrix as it was: a run that refused a file goes on.
  Vector kept;
  archive(kept);
  if (kept.size() != equations_->pattern().nonzeros())
    throw Error(ErrorCode::bad_file, "the matrix that a solver kept has another pattern");
  archive.require(kept.allFinite(), "the matrix that a solver kept is not finite");
  values_ = kept;
  // Not as the first of a solve: its factors were in use, and are not doubted again.
  if (!algebra_->factor(values_, Setup::again))
    throw Error(ErrorCode::bad_file, "the matrix that a solver kept is singular: " + algebra_->message());
}

bool JacobianSystem::apply(const ConstVectorRef& v, VectorRef y) {
  return equations_->product(point_, v, y) == EvaluationStatus::ok;
}

}  // namespace gnomon
