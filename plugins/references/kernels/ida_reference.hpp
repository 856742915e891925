#pragma once
/// \file
/// IDA on a System: what the index-1 and the stabilised index-2 form share.
///
/// What makes IDA a fair reference at tight tolerances (measured with 6.4.1 on pendulums and tops):
///  - its Newton test includes the multipliers, whose noise is eps/h: they get a tolerance of their own, of order one,
///    and are suppressed in the error test; with one scalar atol the stabilised form fails or crawls;
///  - the coefficient of the Newton test is 1e-2 instead of 0.33;
///  - the consistent start comes from the saddle-point system at the start, not from IDACalcIC;
///  - with the stop time set to the requested time the result is the end of a step, not an interpolated value.

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "gnomon/consistency.hpp"
#include "gnomon/error.hpp"
#include "gnomon/reference.hpp"
#include "gnomon/sundials_compat.hpp"

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
  return {OptionSpec::real("rtol", 1e-12, 1e-14, 1e-1, "", "relative tolerance"),
          OptionSpec::real("atol", 1e-13, 0, 1e3, "", "absolute tolerance of q and v"),
          OptionSpec::real("multiplier-atol", 1, 0, 1e12, "", "absolute tolerance of the multipliers"),
          OptionSpec::real("nonlinear-coefficient", 1e-2, 1e-8, 1, "", "coefficient of IDA's Newton convergence test"),
          OptionSpec::integer("max-steps", 10000000, 1, 1000000000, "steps between two output times"),
          OptionSpec::choice("jacobian", {"analytic", "differences"},
                             "analytic: from the system's second and third derivatives (systems with a force or with "
                             "time dependence always use differences)")};
}

/// A running IDA solution. Owns its SUNDIALS context and everything in it.
class IdaSolution final : public ReferenceSolution {
 public:
  /// Throws Error when the start is not consistent.
  IdaSolution(std::shared_ptr<const System> system, std::unique_ptr<IdaForm> form, const ProblemInstance& instance,
              const Options& options)
      : system_(std::move(system)),
        form_(std::move(form)),
        t_(instance.t0),
        rtol_(options.real("rtol")),
        n_(system_->n()),
        m_(system_->m()) {
    check_start(*system_, instance.t0, instance.q0, instance.p0);
    const Index size = form_->size();
    for (auto* vector : {&y_, &yp_, &tolerances_, &differential_}) vector->reset(N_VNew_Serial(size, context_));
    memory_.reset(IDACreate(context_));
    matrix_.reset(SUNDenseMatrix(size, size, context_));
    if (!y_ || !yp_ || !tolerances_ || !differential_ || !memory_ || !matrix_)
      throw Error(ErrorCode::refused, "IDA could not allocate its memory for " + std::to_string(size) + " unknowns");
    linear_.reset(SUNLinSol_Dense(y_.get(), matrix_.get(), context_));
    set_start(instance);
    set_options(options);
  }

  ReferenceReport advance_to(double t) override {
    if (t == t_) return report("");
    const double direction = t > t_ ? 1 : -1;
    if (!(direction * direction_ >= 0) || !std::isfinite(t))
      return report("IDA is at t = " + number_text(t_) + " and cannot turn back to t = " + number_text(t));
    if (direction_ == 0) {
      // Far below the first step nothing but a failing evaluation leads: without a bound IDA creeps towards the place.
      const double first = first_step(t - t_);
      IDASetInitStep(memory_.get(), first);
      IDASetMinStep(memory_.get(), 1e-6 * std::abs(first));
    }
    direction_ = direction;
    message_.text.clear();
    callback_message_.clear();
    SunReal reached = t_;
    IDASetStopTime(memory_.get(), t);
    const int flag = IDASolve(memory_.get(), t, &reached, y_.get(), yp_.get(), IDA_NORMAL);
    t_ = reached;
    return report(flag >= 0 ? "" : failure(flag));
  }

 private:
  struct FreeIda {
    void operator()(void* memory) const { IDAFree(&memory); }
  };

  static void check(int flag, const char* call) {
    if (flag != IDA_SUCCESS)
      throw Error(ErrorCode::refused, std::string(call) + " of IDA returned " + std::to_string(flag));
  }
  Eigen::Map<Vector> map(N_Vector v) const { return {N_VGetArrayPointer(v), form_->size()}; }

  /// y = (q0, v0, lambda0, 0), y' = (v0, a0, 0): exact but for the derivatives of the multipliers, which only predict.
  void set_start(const ProblemInstance& instance) {
    Vector v(n_), a, lambda;
    system_->mass().solve(instance.p0, v);
    acceleration(*system_, t_, instance.q0, v, a, lambda);
    auto y = map(y_.get()), yp = map(yp_.get());
    y.setZero();
    y.head(n_) = instance.q0;
    y.segment(n_, n_) = v;
    y.segment(2 * n_, m_) = lambda;
    yp.setZero();
    yp.head(n_) = v;
    yp.segment(n_, n_) = a;
  }

  /// A tenth of the step whose first-order error h^2 |q''| / 2 meets the tolerance, at most a thousandth of the way.
  /// IDA's own choice, 1/2 over the weighted norm of y', is far smaller at tight tolerances: there the multipliers of
  /// the stabilised form, of which h times only enters the equations, drown in rounding and the first step never
  /// succeeds.
  double first_step(double way) const {
    const auto tolerance = map(tolerances_.get()).head(n_), q = map(y_.get()).head(n_),
               a = map(yp_.get()).segment(n_, n_);
    const double error = (a.array() / (rtol_ * q.array().abs() + tolerance.array()).max(1e-300)).matrix().norm();
    const double step = 0.1 * std::sqrt(2 / std::max(error / std::sqrt(static_cast<double>(n_)), 1e-300));
    return std::copysign(std::min(step, 1e-3 * std::abs(way)), way);
  }

  void set_options(const Options& options) {
    void* ida = memory_.get();
    auto tolerances = map(tolerances_.get()), differential = map(differential_.get());
    tolerances.setConstant(options.real("atol"));
    tolerances.tail(form_->multipliers()).setConstant(options.real("multiplier-atol"));
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

  /// The index-1 multipliers at q and v: IDA's own are only as good as their loose tolerance.
  Vector multipliers(const Vector& q, const Vector& v) const {
    Vector a, lambda;
    try {
      acceleration(*system_, t_, q, v, a, lambda);
    } catch (const std::exception&) {
      lambda = map(y_.get()).segment(2 * n_, m_);  // where G has lost rank, or nothing can be evaluated
    }
    return lambda;
  }

  ReferenceReport report(std::string message) const {
    ReferenceReport report;
    report.success = message.empty();
    report.message = std::move(message);
    report.t = t_;
    const auto y = map(y_.get());
    report.q = y.head(n_);
    report.p.resize(n_);
    system_->mass().apply(y.segment(n_, n_), report.p);
    report.lambda = multipliers(report.q, y.segment(n_, n_));
    long differences = 0;
    IDAGetNumSteps(memory_.get(), &report.steps);
    IDAGetNumResEvals(memory_.get(), &report.residual_evaluations);
    IDAGetNumLinResEvals(memory_.get(), &differences);
    report.residual_evaluations += differences;
    IDAGetNumJacEvals(memory_.get(), &report.jacobian_evaluations);
    return report;
  }

  std::string failure(int flag) const {
    char* name = IDAGetReturnFlagName(flag);
    std::string text = "IDA stopped at t = " + number_text(t_) + " with " + name;
    std::free(name);
    if (!message_.text.empty()) text += ": " + message_.text;
    if (!callback_message_.empty()) text += " The last evaluation that failed said: " + callback_message_ + ".";
    return text;
  }

  /// Nothing may be thrown through IDA. A positive flag asks it for another iterate or a smaller step, a negative one
  /// ends the run. The message is that of the last failure.
  template <class F>
  int guarded(F evaluate) noexcept {
    try {
      if (evaluate()) return 0;
      if (callback_message_.empty()) callback_message_ = "a value is not finite";
      return 1;
    } catch (const CannotEvaluate& error) {
      callback_message_ = error.what();
      return 1;
    } catch (const std::exception& error) {
      callback_message_ = error.what();
    } catch (...) {
      callback_message_ = "a callback threw something that is no std::exception";
    }
    return -1;
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
      Eigen::Map<Matrix> out(SUNDenseMatrix_Data(j), me.form_->size(), me.form_->size());
      out.setZero();
      me.form_->jacobian(t, cj, me.map(y), me.map(yp), out);
      return out.allFinite();
    });
  }

  std::shared_ptr<const System> system_;
  std::unique_ptr<IdaForm> form_;
  double t_, rtol_, direction_ = 0;
  Index n_, m_;
  SunMessage message_;
  std::string callback_message_;
  SunContext context_;
  SunOwner<N_Vector> y_, yp_, tolerances_, differential_;
  SunOwner<SUNMatrix> matrix_;
  SunOwner<SUNLinearSolver> linear_;
  std::unique_ptr<void, FreeIda> memory_;
};

/// Throws Error(refused) when the system has what neither form treats.
inline void check_ida_fits(const System& system, const std::string& reference) {
  const SystemTraits& traits = system.traits();
  const auto refuse = [&](const char* why) {
    throw Error(ErrorCode::refused, "reference " + reference + ": system " + traits.name + " " + why);
  };
  if (!traits.constant_mass) refuse("has a mass matrix that depends on q, and a constant one is expected");
  if (traits.n_obstacles > 0) refuse("has obstacles c(q) >= 0, which it cannot hold");
}

/// The Reference of a form.
template <class Form>
std::unique_ptr<ReferenceSolution> start_ida(const ProblemInstance& instance, const Options& options,
                                             const std::string& reference) {
  check_ida_fits(*instance.system, reference);
  return std::make_unique<IdaSolution>(instance.system, std::make_unique<Form>(*instance.system), instance, options);
}

}  // namespace gnomon::kernels
