#include "references/kernels/ida_reference.hpp"

#include <ida/ida.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/contact/contact_reference.hpp"
#include "references/kernels/graded_reference.hpp"
#include "references/kernels/sparse_factors.hpp"
#include "references/kernels/sundials_solution.hpp"

namespace gnomon::kernels {

namespace {

/// A running IDA solution.
class IdaSolution final : public SundialsSolution {
 public:
  /// Ends where one of `roots` falls through zero, too.
  IdaSolution(std::shared_ptr<ReferenceModel> model, std::unique_ptr<IdaForm> form, double t0, const Options& options,
              RootFunctions roots)
      : SundialsSolution("IDA", std::move(model), t0, form->size(), options),
        form_(std::move(form)),
        root_functions_(std::move(roots)) {
    for (auto* vector : {&yp_, &differential_}) *vector = serial_vector(size_, context_);
    memory_.reset(IDACreate(context_));
    if (!memory_) throw no_memory();
    set_start();
    set_options(options);
  }

 private:
  struct FreeIda {
    void operator()(void* memory) const { IDAFree(&memory); }
  };

  void limit_first_step(double step) override {
    IDASetInitStep(memory_.get(), step);
    IDASetMinStep(memory_.get(), thresholds::least_step_of_first * std::abs(step));
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
  std::string flag_name(int flag) const override { return taken_text(IDAGetReturnFlagName(flag)); }
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
    const bool analytic = form_->has_jacobian() && options.is("jacobian", "analytic");
    if (analytic && size_ > most_dense) {
      sparse_ = std::make_unique<SparseFactors>(context_);
      check(IDASetLinearSolver(ida, sparse_->solver(), sparse_->matrix()), "IDASetLinearSolver");
    } else {
      use_dense_matrix();
      check(IDASetLinearSolver(ida, linear_.get(), matrix_.get()), "IDASetLinearSolver");
    }
    check(IDASetNonlinConvCoef(ida, options.real("nonlinear-coefficient")), "IDASetNonlinConvCoef");
    if (analytic) check(IDASetJacFn(ida, jacobian_callback), "IDASetJacFn");
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
      if (me.sparse_) {
        me.assembled_.setZero(me.size_, me.size_);
        me.form_->jacobian(t, cj, me.map(y), me.map(yp), me.assembled_);
        me.sparse_->take(me.assembled_);
        return me.assembled_.allFinite();
      }
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

  /// Unknowns up to which the Jacobian is dense; an analytic one is sparse beyond.
  static constexpr Index most_dense = 150;

  std::unique_ptr<IdaForm> form_;
  std::unique_ptr<SparseFactors> sparse_;  ///< null: the matrix is dense
  Matrix assembled_;
  RootFunctions root_functions_;
  SunOwner<N_Vector> yp_, differential_;
  std::unique_ptr<void, FreeIda> memory_;
};

class IdaReference final : public Reference {
 public:
  IdaReference(std::string name, std::string description, const IdaForms& forms)
      : name_(std::move(name)), description_(std::move(description)), forms_(forms) {}
  std::string name() const override { return name_; }
  std::string description() const override { return description_; }
  OptionSpecs options() const override {
    OptionSpecs options = sundials_options(thresholds::reference_newton);
    options.push_back(OptionSpec::real("multiplier-atol", 1, 0, 1e12, "",
                                       "absolute tolerance of the multipliers, in parts of their natural size"));
    options.push_back(OptionSpec::choice(
        "jacobian", {"analytic", "differences"},
        "analytic: from the model's derivatives, sparse beyond 150 unknowns (systems that depend on time, whose mass "
        "depends on q, or whose force has no derivatives, always use differences)"));
    for (const OptionSpec& spec : contact_specs())
      if (spec.name != "mode") options.push_back(spec);
    return options;
  }

  std::unique_ptr<ReferenceSolution> start(const ProblemInstance& instance, const Options& options) const override {
    check_reference_fits(instance, name_, forms_.sets);
    return graded_reference(options, [this, instance](const Options& set) { return start_with(instance, set); });
  }

 private:
  std::unique_ptr<ReferenceSolution> start_with(const ProblemInstance& instance, const Options& options) const {
    const auto regular = [forms = forms_, options](const ProblemInstance& piece,
                                                   const RootFunctions& roots) -> std::unique_ptr<ReferenceSolution> {
      const auto start = [&](auto model, auto make) {
        auto form = make(*model, forms.sets);
        return std::make_unique<IdaSolution>(std::move(model), std::move(form), piece.t0, options, roots);
      };
      if (is_overdetermined(piece)) return start(std::make_shared<OverdeterminedModel>(piece), forms.overdetermined);
      auto model = std::make_shared<MechanicalModel>(piece);
      const bool constant_mass = !model->system()->parts().mass;
      return start(std::move(model), constant_mass ? forms.mechanical : forms.momentum);
    };
    const auto smooth = [regular](const ProblemInstance& piece, const RootFunctions& roots) {
      return bordered_reference(piece, roots, regular);
    };
    const System* system = instance.model->mechanical();
    if (!system || !system->parts().obstacles) return smooth(instance, {});
    ContactOptions contact;
    contact.restitution = options.real("restitution");
    contact.zeno_speed = options.real("zeno-speed");
    contact.resolution = options.real("rtol");
    return contact_reference(instance, contact, smooth);
  }

  std::string name_, description_;
  IdaForms forms_;
};

}  // namespace

std::unique_ptr<Reference> ida_reference(std::string name, std::string description, const IdaForms& forms) {
  return std::make_unique<IdaReference>(std::move(name), std::move(description), forms);
}

}  // namespace gnomon::kernels
