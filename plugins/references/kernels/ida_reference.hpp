#pragma once
/// \file
/// IDA on a model: what the index-1 and the stabilised index-2 form share.
///
/// What makes IDA a fair reference at tight tolerances (measured with 6.4.1 on pendulums and tops):
///  - its Newton test includes the multipliers, whose noise is eps/h: they get a tolerance of their own, of the order
///    of their size, and are suppressed in the error test; with one scalar atol the stabilised form fails or crawls;
///  - absolute tolerances are in parts of the natural sizes of the unknowns, see state_sizes.hpp;
///  - the coefficient of the Newton test is 1e-2 instead of 0.33;
///  - the consistent start comes from the index-1 equations at the start, not from IDACalcIC;
///  - with the stop time set to the requested time the result is the end of a step, not an interpolated value.

#include <ida/ida.h>

#include <memory>
#include <string>
#include <utility>

#include "gnomon/contact/contact_reference.hpp"
#include "sundials_solution.hpp"

namespace gnomon::kernels {

/// One way to write the equations of motion as 0 = F(t, x, x'), x = (y, z, multipliers).
class IdaForm {
 public:
  /// sets: 1, or 2 with the multipliers of the stabilised form
  IdaForm(const ReferenceModel& model, Index sets)
      : size_(model.ny() + model.nz() + sets * model.m()), multipliers_(sets * model.m()) {}
  virtual ~IdaForm() = default;

  Index size() const { return size_; }
  Index multipliers() const { return multipliers_; }

  virtual void residual(double t, const ConstVectorRef& x, const ConstVectorRef& xp, VectorRef r) = 0;
  virtual bool has_jacobian() const = 0;
  /// j = dF/dx + cj dF/dx'; j enters as zero.
  virtual void jacobian(double t, double cj, const ConstVectorRef& x, const ConstVectorRef& xp,
                        Eigen::Ref<Matrix> j) = 0;

 private:
  Index size_, multipliers_;
};

/// block += factor * the matrix with this pattern and these values, and its transpose.
inline void scatter(const SparsityPattern& pattern, const Vector& values, double factor, Eigen::Ref<Matrix> block) {
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      block(i, pattern.indices[k]) += factor * values[k];
}
inline void scatter_transposed(const SparsityPattern& pattern, const Vector& values, double factor,
                               Eigen::Ref<Matrix> block) {
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      block(pattern.indices[k], i) += factor * values[k];
}

inline OptionSpecs ida_options() {
  OptionSpecs options = sundials_options(1e-2);
  options.push_back(OptionSpec::real("multiplier-atol", 1, 0, 1e12, "",
                                     "absolute tolerance of the multipliers, in parts of their natural size"));
  options.push_back(
      OptionSpec::choice("jacobian", {"analytic", "differences"},
                         "analytic: from the model's derivatives (systems that depend on time, whose mass "
                         "depends on q, or whose force has no derivatives, always use differences)"));
  for (const OptionSpec& spec : contact_specs())
    if (spec.name != "mode") options.push_back(spec);
  return options;
}

/// A running IDA solution.
class IdaSolution final : public SundialsSolution {
 public:
  /// Ends where one of `roots` falls through zero, too.
  IdaSolution(std::shared_ptr<ReferenceModel> model, std::unique_ptr<IdaForm> form, double t0, const Options& options,
              RootFunctions roots)
      : SundialsSolution("IDA", std::move(model), t0, form->size(), options),
        form_(std::move(form)),
        root_functions_(std::move(roots)) {
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
  int step(double t, double& reached) override {
    IDASetStopTime(memory_.get(), t);
    const int flag = IDASolve(memory_.get(), t, &reached, y_.get(), yp_.get(), IDA_ONE_STEP);
    if (flag != IDA_ROOT_RETURN) return flag;
    std::vector<int> found(static_cast<std::size_t>(root_functions_.count));
    IDAGetRootInfo(memory_.get(), found.data());
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i] != 0) roots_.push_back(static_cast<Index>(i));
    return flag;
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
  Vector own_multipliers() const override { return map(y_.get()).segment(ny_ + nz_, m_); }

  /// x = (y0, z0, psi0, 0), x' = (v0, z0', 0): exact but for the derivatives of the multipliers, which only predict.
  void set_start() {
    const StartSlopes& start = model_->start();
    auto y = map(y_.get()), yp = map(yp_.get());
    y.segment(ny_ + nz_, m_) = start.psi;
    yp.setZero();
    yp.head(ny_) = start.dy;
    yp.segment(ny_, nz_) = start.dz;
  }

  void set_options(const Options& options) {
    void* ida = memory_.get();
    auto tolerances = map(tolerances_.get()), differential = map(differential_.get());
    tolerances.segment(ny_ + nz_, m_) = options.real("multiplier-atol") * model_->sizes().lambda;
    if (form_->multipliers() > m_) tolerances.tail(m_) = options.real("multiplier-atol") * model_->sizes().mu;
    differential.setOnes();
    differential.tail(form_->multipliers()).setZero();

    GNOMON_CAPTURE_MESSAGES(IDASetErrHandlerFn, ida, context_, &message_);
    check(IDASetUserData(ida, this), "IDASetUserData");
    check(IDAInit(ida, residual_callback, t_, y_.get(), yp_.get()), "IDAInit");
    check(IDASVtolerances(ida, rtol_, tolerances_.get()), "IDASVtolerances");
    check(IDASetId(ida, differential_.get()), "IDASetId");
    check(IDASetSuppressAlg(ida, SUNTRUE), "IDASetSuppressAlg");
    check(IDASetLinearSolver(ida, linear_.get(), matrix_.get()), "IDASetLinearSolver");
    check(IDASetNonlinConvCoef(ida, options.real("nonlinear-coefficient")), "IDASetNonlinConvCoef");
    if (form_->has_jacobian() && options.is("jacobian", "analytic"))
      check(IDASetJacFn(ida, jacobian_callback), "IDASetJacFn");
    if (root_functions_.count == 0) return;
    const auto count = static_cast<int>(root_functions_.count);
    std::vector<int> falling(static_cast<std::size_t>(count), -1);
    check(IDARootInit(ida, count, root_callback), "IDARootInit");
    check(IDASetRootDirection(ida, falling.data()), "IDASetRootDirection");
    check(IDASetNoInactiveRootWarn(ida), "IDASetNoInactiveRootWarn");
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

  static int root_callback(SunReal t, N_Vector y, N_Vector, SunReal* values, void* self) {
    auto& me = *static_cast<IdaSolution*>(self);
    return me.guarded([&] {
      const auto x = me.map(y);
      const Vector q = x.head(me.ny_), z = x.segment(me.ny_, me.nz_);
      Eigen::Map<Vector> out(values, me.root_functions_.count);
      me.root_functions_.evaluate(t, q, me.model_->momentum(q, z), x.segment(me.ny_ + me.nz_, me.m_), out);
      return out.allFinite();
    });
  }

  std::unique_ptr<IdaForm> form_;
  RootFunctions root_functions_;
  SunOwner<N_Vector> yp_, differential_;
  std::unique_ptr<void, FreeIda> memory_;
};

/// The solution in one form, as it is written for mechanical systems with constant mass and with a mass that depends on
/// q, and for overdetermined ones; with obstacles piece by piece. Throws Error when the problem does not fit or its
/// start is not consistent.
template <class Mechanical, class Momentum, class Overdetermined>
std::unique_ptr<ReferenceSolution> start_ida(const ProblemInstance& instance, const Options& options,
                                             const std::string& reference) {
  static_assert(Mechanical::sets == Overdetermined::sets && Mechanical::sets == Momentum::sets);
  check_reference_fits(instance, reference, Mechanical::sets);
  const auto smooth = [options](const ProblemInstance& piece, const RootFunctions& roots) {
    const auto start = [&](auto model, auto form) -> std::unique_ptr<ReferenceSolution> {
      return std::make_unique<IdaSolution>(std::move(model), std::move(form), piece.t0, options, roots);
    };
    if (is_overdetermined(piece)) {
      auto model = std::make_shared<OverdeterminedModel>(piece);
      return start(model, std::make_unique<Overdetermined>(*model));
    }
    auto model = std::make_shared<MechanicalModel>(piece);
    if (model->system()->parts().mass) return start(model, std::make_unique<Momentum>(*model));
    return start(model, std::make_unique<Mechanical>(*model));
  };
  const System* system = instance.model->mechanical();
  if (!system || !system->parts().obstacles) return smooth(instance, {});
  ContactOptions contact;
  contact.restitution = options.real("restitution");
  contact.zeno_speed = options.real("zeno-speed");
  return contact_reference(instance, contact, smooth);
}

}  // namespace gnomon::kernels
