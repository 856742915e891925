#include "bare_kernels.hpp"

#include "gnomon/base/error.hpp"

namespace gnomon::bench {

const char* to_string(Kernel kernel) {
  switch (kernel) {
    case Kernel::residual:
      return "residual";
    case Kernel::jacobian:
      return "Jacobian";
    case Kernel::factor:
      return "factor";
    case Kernel::solve:
      return "solve";
  }
  return "";
}

BareKernel::BareKernel(Kernel kernel, const AlgebraChoice& algebra, const ProblemInstance& instance,
                       const Scheme& scheme, const State& z, double h, long repeats)
    : kernel_(kernel),
      model_(instance.model),
      z_(z),
      binding_(scheme.bind(*model_, Options("scheme " + scheme.name(), scheme.options()))),
      equations_(std::make_unique<ScaledEquations>(binding_.equations->system(0), JacobianSource::analytic)),
      repeats_(repeats) {
  const SparsityPattern& pattern = equations_->pattern();
  binding_.equations->begin(z_, h);
  Vector x = Vector::Zero(pattern.cols);
  binding_.equations->predict(0, x);
  equations_->update_scales();
  for (Vector* v : {&xs_, &fs_, &dx_}) v->setZero(pattern.cols);
  values_.setZero(pattern.nonzeros());
  equations_->to_scaled(x, xs_);
  algebra_ = algebra.attach(*equations_);
  // Every kernel has its input, and what is allocated once is allocated.
  if (equations_->residual(xs_, fs_) != EvaluationStatus::ok ||
      equations_->jacobian(xs_, values_) != EvaluationStatus::ok || !algebra_->factor(values_, Setup::first) ||
      !algebra_->solve(fs_))
    throw Error(ErrorCode::refused, "the kernels of scheme " + scheme.name() + " cannot be evaluated here");
}

bool BareKernel::evaluate() {
  switch (kernel_) {
    case Kernel::residual:
      return equations_->residual(xs_, fs_) == EvaluationStatus::ok;
    case Kernel::jacobian:
      return equations_->jacobian(xs_, values_) == EvaluationStatus::ok;
    case Kernel::factor:
      return algebra_->factor(values_, Setup::again);
    case Kernel::solve:
      dx_ = fs_;
      return algebra_->solve(dx_);
  }
  return false;
}

std::string BareKernel::run() {
  for (long i = 0; i < repeats_; ++i)
    if (!evaluate()) return std::string("the kernel ") + to_string(kernel_) + " failed";
  return {};
}

}  // namespace gnomon::bench
