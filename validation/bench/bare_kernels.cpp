#include "bare_kernels.hpp"

#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <Eigen/LU>

#include "gnomon/error.hpp"
#include "gnomon/sundials_compat.hpp"

namespace gnomon::bench {

class BareKernel::Algebra {
 public:
  virtual ~Algebra() = default;
  virtual bool factor(const SparsityPattern& pattern, const Vector& values) = 0;
  virtual bool solve(const Vector& f, Vector& dx) = 0;
};

namespace {

class SunAlgebra final : public BareKernel::Algebra {
 public:
  SunAlgebra(const SparsityPattern& pattern, bool sparse) : sparse_(sparse) {
    const Index n = pattern.cols;
    f_.reset(N_VNew_Serial(n, context_));
    dx_.reset(N_VNew_Serial(n, context_));
    if (sparse_) {
      matrix_.reset(SUNSparseMatrix(n, n, pattern.nonzeros(), CSR_MAT, context_));
      linear_.reset(SUNLinSol_KLU(f_.get(), matrix_.get(), context_));
    } else {
      matrix_.reset(SUNDenseMatrix(n, n, context_));
      linear_.reset(SUNLinSol_Dense(f_.get(), matrix_.get(), context_));
    }
    if (!linear_ || SUNLinSolInitialize(linear_.get()) != 0)
      throw Error(ErrorCode::refused, "SUNDIALS could not allocate its linear solver");
  }

  bool factor(const SparsityPattern& p, const Vector& values) override {
    if (sparse_) {
      sunindextype* offsets = SUNSparseMatrix_IndexPointers(matrix_.get());
      sunindextype* indices = SUNSparseMatrix_IndexValues(matrix_.get());
      for (std::size_t i = 0; i < p.offsets.size(); ++i) offsets[i] = p.offsets[i];
      for (std::size_t k = 0; k < p.indices.size(); ++k) indices[k] = p.indices[k];
      Eigen::Map<Vector>(SUNSparseMatrix_Data(matrix_.get()), values.size()) = values;
    } else {
      double* data = SUNDenseMatrix_Data(matrix_.get());
      std::fill_n(data, p.rows * p.cols, 0.0);
      for (Index i = 0; i < p.rows; ++i)
        for (Index k = p.offsets[i]; k < p.offsets[i + 1]; ++k) data[p.indices[k] * p.rows + i] = values[k];
    }
    return SUNLinSolSetup(linear_.get(), matrix_.get()) == 0;
  }
  bool solve(const Vector& f, Vector& dx) override {
    Eigen::Map<Vector>(N_VGetArrayPointer(f_.get()), f.size()) = f;
    const bool good = SUNLinSolSolve(linear_.get(), matrix_.get(), dx_.get(), f_.get(), 0) == 0;
    dx = Eigen::Map<const Vector>(N_VGetArrayPointer(dx_.get()), dx.size());
    return good;
  }

 private:
  bool sparse_;
  SunContext context_;
  SunOwner<N_Vector> f_, dx_;
  SunOwner<SUNMatrix> matrix_;
  SunOwner<SUNLinearSolver> linear_;
};

class EigenAlgebra final : public BareKernel::Algebra {
 public:
  explicit EigenAlgebra(Index n) : matrix_(n, n), lu_(n) {}
  bool factor(const SparsityPattern& p, const Vector& values) override {
    matrix_.setZero();
    for (Index i = 0; i < p.rows; ++i)
      for (Index k = p.offsets[i]; k < p.offsets[i + 1]; ++k) matrix_(i, p.indices[k]) = values[k];
    lu_.compute(matrix_);
    return true;
  }
  bool solve(const Vector& f, Vector& dx) override {
    dx = lu_.solve(f);
    return true;
  }

 private:
  Matrix matrix_;
  Eigen::PartialPivLU<Matrix> lu_;
};

}  // namespace

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

BareKernel::BareKernel(Kernel kernel, KernelAlgebra algebra, const ProblemInstance& instance, const Scheme& scheme,
                       const State& z, double h, long repeats)
    : kernel_(kernel),
      system_(instance.system),
      z_(z),
      binding_(scheme.bind(*system_, Options("scheme " + scheme.name(), scheme.options()))),
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
  if (algebra == KernelAlgebra::eigen_dense)
    algebra_ = std::make_unique<EigenAlgebra>(pattern.cols);
  else
    algebra_ = std::make_unique<SunAlgebra>(pattern, algebra == KernelAlgebra::sun_klu);
  // Every kernel has its input, and what is allocated once is allocated.
  if (equations_->residual(xs_, fs_) != EvaluationStatus::ok ||
      equations_->jacobian(xs_, values_) != EvaluationStatus::ok || !algebra_->factor(pattern, values_) ||
      !algebra_->solve(fs_, dx_))
    throw Error(ErrorCode::refused, "the kernels of scheme " + scheme.name() + " cannot be evaluated here");
}

BareKernel::~BareKernel() = default;

bool BareKernel::evaluate() {
  switch (kernel_) {
    case Kernel::residual:
      return equations_->residual(xs_, fs_) == EvaluationStatus::ok;
    case Kernel::jacobian:
      return equations_->jacobian(xs_, values_) == EvaluationStatus::ok;
    case Kernel::factor:
      return algebra_->factor(equations_->pattern(), values_);
    case Kernel::solve:
      return algebra_->solve(fs_, dx_);
  }
  return false;
}

std::string BareKernel::run() {
  for (long i = 0; i < repeats_; ++i)
    if (!evaluate()) return std::string("the kernel ") + to_string(kernel_) + " failed";
  return {};
}

}  // namespace gnomon::bench
