#pragma once
/// \file
/// IDA on a System: what the index-1 and the stabilised index-2 form share.
///
/// What makes IDA a fair reference at tight tolerances (measured with 6.4.1 on pendulums and tops):
///  - its Newton test includes the multipliers, whose noise is eps/h: they get a tolerance of their own, of the order
///  of
///    their size, and are suppressed in the error test; with one scalar atol the stabilised form fails or crawls;
///  - absolute tolerances are in parts of the natural sizes of the unknowns, see state_sizes.hpp;
///  - the coefficient of the Newton test is 1e-2 instead of 0.33;
///  - the consistent start comes from the saddle-point system at the start, not from IDACalcIC;
///  - with the stop time set to the requested time the result is the end of a step, not an interpolated value.

#include <ida/ida.h>

#include <memory>
#include <string>
#include <utility>

#include "sundials_solution.hpp"

namespace gnomon::kernels {

/// One way to write the equations of motion as 0 = F(t, y, y'), y = (q, v, multipliers).
class IdaForm {
 public:
  IdaForm(const System& system, Index multipliers)
      : system_(system),
        n_(system.n()),
        m_(system.m()),
        multipliers_(multipliers),
        values_(system.constraint_pattern().nonzeros()),
        hessian_(system.hessian_pattern().nonzeros()) {}
  virtual ~IdaForm() = default;

  const System& system() const { return system_; }
  Index size() const { return 2 * n_ + multipliers_; }
  Index multipliers() const { return multipliers_; }

  virtual void residual(double t, const ConstVectorRef& y, const ConstVectorRef& yp, VectorRef r) = 0;
  /// j = dF/dy + cj dF/dy', for systems without force and time dependence; j enters as zero.
  virtual void jacobian(double t, double cj, const ConstVectorRef& y, const ConstVectorRef& yp,
                        Eigen::Ref<Matrix> j) = 0;

 protected:
  /// r = M a + grad U + G^T lambda - Q; leaves G in values_.
  void momentum_rows(double t, const Vector& q, const Vector& v, const Vector& a, const Vector& lambda, VectorRef r) {
    Vector term(n_);
    system_.mass().apply(a, r);
    system_.potential_gradient(t, q, term);
    r += term;
    system_.constraint_jacobian(t, q, values_);
    multiply_transposed(system_.constraint_pattern(), values_, lambda, term);
    r += term;
    if (!system_.traits().has_force) return;
    system_.force(t, q, v, term);
    r -= term;
  }

  /// Their derivatives, in rows n..2n: Hess U + sum lambda_i Hess g_i, cj M, G^T; leaves G in values_.
  void momentum_jacobian(double t, double cj, const Vector& q, const Vector& lambda, Eigen::Ref<Matrix> j) {
    system_.lagrangian_hessian(t, q, lambda, hessian_);
    scatter(system_.hessian_pattern(), hessian_, 1, j.block(n_, 0, n_, n_));
    scatter(system_.mass().pattern(), system_.mass().values(), cj, j.block(n_, n_, n_, n_));
    system_.constraint_jacobian(t, q, values_);
    scatter_transposed(values_, 1, j.block(n_, 2 * n_, n_, m_));
  }

  static void scatter(const SparsityPattern& pattern, const Vector& values, double factor, Eigen::Ref<Matrix> block) {
    for (Index i = 0; i < pattern.rows; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
        block(i, pattern.indices[k]) += factor * values[k];
  }
  /// Values on the constraint pattern, as G and as G^T.
  void scatter(const Vector& values, double factor, Eigen::Ref<Matrix> block) const {
    scatter(system_.constraint_pattern(), values, factor, block);
  }
  void scatter_transposed(const Vector& values, double factor, Eigen::Ref<Matrix> block) const {
    const SparsityPattern& pattern = system_.constraint_pattern();
    for (Index i = 0; i < pattern.rows; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
        block(pattern.indices[k], i) += factor * values[k];
  }

  const System& system_;
  Index n_, m_, multipliers_;
  Vector values_;   // on the constraint pattern
  Vector hessian_;  // on the Hessian pattern
};

inline OptionSpecs ida_options() {
  OptionSpecs options = sundials_options(1e-2);
  options.push_back(OptionSpec::real("multiplier-atol", 1, 0, 1e12, "",
                                     "absolute tolerance of the multipliers, in parts of their natural size"));
  options.push_back(OptionSpec::choice("jacobian", {"analytic", "differences"},
                                       "analytic: from the system's second and third derivatives (systems with a force "
                                       "or with time dependence always use differences)"));
  return options;
}

/// A running IDA solution.
class IdaSolution final : public SundialsSolution {
 public:
  /// Throws Error when the start is not consistent.
  IdaSolution(std::unique_ptr<IdaForm> form, const ProblemInstance& instance, const Options& options)
      : SundialsSolution("IDA", instance, form->size(), options), form_(std::move(form)) {
    for (auto* vector : {&yp_, &differential_}) vector->reset(N_VNew_Serial(size_, context_));
    memory_.reset(IDACreate(context_));
    if (!yp_ || !differential_ || !memory_) throw no_memory();
    set_start();
    set_options(options);
  }

 private:
  struct FreeIda {
    void operator()(void* memory) const { IDAFree(&memory); }
  };

  void limit_first_step(double step) override {
    IDASetInitStep(memory_.get(), step);
    IDASetMinStep(memory_.get(), 1e-6 * std::abs(step));
  }
  int integrate(double t, double& reached) override {
    IDASetStopTime(memory_.get(), t);
    return IDASolve(memory_.get(), t, &reached, y_.get(), yp_.get(), IDA_NORMAL);
  }
  std::string flag_name(int flag) const override {
    char* name = IDAGetReturnFlagName(flag);
    const std::string text = name;
    std::free(name);
    return text;
  }
  void count(ReferenceReport& report) const override {
    long differences = 0;
    IDAGetNumSteps(memory_.get(), &report.steps);
    IDAGetNumResEvals(memory_.get(), &report.residual_evaluations);
    IDAGetNumLinResEvals(memory_.get(), &differences);
    report.residual_evaluations += differences;
    IDAGetNumJacEvals(memory_.get(), &report.jacobian_evaluations);
  }
  Vector own_multipliers() const override { return map(y_.get()).segment(2 * n_, m_); }

  /// y = (q0, v0, lambda0, 0), y' = (v0, a0, 0): exact but for the derivatives of the multipliers, which only predict.
  void set_start() {
    auto y = map(y_.get()), yp = map(yp_.get());
    y.segment(2 * n_, m_) = start_lambda_;
    yp.setZero();
    yp.head(n_) = y.segment(n_, n_);
    yp.segment(n_, n_) = start_acceleration_;
  }

  void set_options(const Options& options) {
    void* ida = memory_.get();
    auto tolerances = map(tolerances_.get()), differential = map(differential_.get());
    tolerances.segment(2 * n_, m_) = options.real("multiplier-atol") * sizes_.lambda;
    if (form_->multipliers() > m_) tolerances.tail(m_) = options.real("multiplier-atol") * sizes_.mu;
    differential.setOnes();
    differential.tail(form_->multipliers()).setZero();

    GNOMON_CAPTURE_MESSAGES(IDASetErrHandlerFn, ida, context_, &message_);
    check(IDASetUserData(ida, this), "IDASetUserData");
    check(IDAInit(ida, residual_callback, t_, y_.get(), yp_.get()), "IDAInit");
    check(IDASVtolerances(ida, rtol_, tolerances_.get()), "IDASVtolerances");
    check(IDASetId(ida, differential_.get()), "IDASetId");
    check(IDASetSuppressAlg(ida, SUNTRUE), "IDASetSuppressAlg");
    check(IDASetMaxNumSteps(ida, options.integer("max-steps")), "IDASetMaxNumSteps");
    check(IDASetLinearSolver(ida, linear_.get(), matrix_.get()), "IDASetLinearSolver");
    check(IDASetNonlinConvCoef(ida, options.real("nonlinear-coefficient")), "IDASetNonlinConvCoef");
    const bool offered = !system_->traits().has_force && !system_->traits().time_dependent;
    if (offered && options.is("jacobian", "analytic")) check(IDASetJacFn(ida, jacobian_callback), "IDASetJacFn");
  }

  static int residual_callback(SunReal t, N_Vector y, N_Vector yp, N_Vector r, void* self) {
    auto& me = *static_cast<IdaSolution*>(self);
    return me.guarded([&] {
      auto out = me.map(r);
      me.form_->residual(t, me.map(y), me.map(yp), out);
      return out.allFinite();
    });
  }

  static int jacobian_callback(SunReal t, SunReal cj, N_Vector y, N_Vector yp, N_Vector, SUNMatrix j, void* self,
                               N_Vector, N_Vector, N_Vector) {
    auto& me = *static_cast<IdaSolution*>(self);
    return me.guarded([&] {
      Eigen::Map<Matrix> out(SUNDenseMatrix_Data(j), me.size_, me.size_);
      out.setZero();
      me.form_->jacobian(t, cj, me.map(y), me.map(yp), out);
      return out.allFinite();
    });
  }

  std::unique_ptr<IdaForm> form_;
  SunOwner<N_Vector> yp_, differential_;
  std::unique_ptr<void, FreeIda> memory_;
};

/// The Reference of a form.
template <class Form>
std::unique_ptr<ReferenceSolution> start_ida(const ProblemInstance& instance, const Options& options,
                                             const std::string& reference) {
  check_reference_fits(*instance.system, reference);
  return std::make_unique<IdaSolution>(std::make_unique<Form>(*instance.system), instance, options);
}

}  // namespace gnomon::kernels
