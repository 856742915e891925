/// \file
/// kinsol-anderson: KINSOL's fixed-point iteration (KIN_FP) with Anderson acceleration (KINSetMAA) on
///
///     G(x) = x - P^-1 F(x),     P = dF/dx, frozen;
///
/// see gnomon/fixed_point_iteration.hpp for P and the end of the iteration. KINSOL's own tests are switched off: its
/// function is told "no correction" at the end, or fails where KINSOL does not take that.

#include <kinsol/kinsol.h>

#include <memory>
#include <string>

#include "gnomon/registry/plugin.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"
#include "gnomon/sundials/fixed_point_iteration.hpp"
#include "kernels/kinsol_memory.hpp"

namespace {

using namespace gnomon;

class KinsolAnderson final : public FixedPointIteration {
 public:
  KinsolAnderson(const AlgebraTable& algebras, const Options& options)
      : FixedPointIteration(algebras, options), depth_(options.integer("depth")) {}

 private:
  void allocate(N_Vector like) override {
    u_.reset(N_VClone(like));
    ones_.reset(N_VClone(like));
    memory_.reset(KINCreate(context_));
    if (!u_ || !ones_ || !memory_) throw Error(ErrorCode::refused, "KINSOL could not allocate its memory");
    own_data_ = N_VGetArrayPointer(u_.get());
    N_VConst(1.0, ones_.get());
    message_.text.reserve(1024);  // so that a message during a solve allocates nothing
    GNOMON_CAPTURE_MESSAGES(KINSetErrHandlerFn, memory_.get(), context_, &message_);
    kernels::check_kinsol(KINSetNumMaxIters(memory_.get(), max_iterations() + 2), "KINSetNumMaxIters");
    kernels::check_kinsol(KINSetMAA(memory_.get(), std::min<long>(depth_, size())), "KINSetMAA");
    kernels::check_kinsol(KINInit(memory_.get(), map_callback, u_.get()), "KINInit");
    kernels::check_kinsol(KINSetUserData(memory_.get(), this), "KINSetUserData");
    kernels::check_kinsol(KINSetFuncNormTol(memory_.get(), 1e-300), "KINSetFuncNormTol");
  }

  void iterate(Vector& x) override {
    N_VSetArrayPointer(x.data(), u_.get());
    KINSol(memory_.get(), u_.get(), KIN_FP, ones_.get(), ones_.get());
    N_VSetArrayPointer(own_data_, u_.get());
  }

  static int map_callback(N_Vector u, N_Vector g, void* self) {
    auto& me = *static_cast<KinsolAnderson*>(self);
    if (me.over()) return -1;
    const Eigen::Map<const Vector> x(N_VGetArrayPointer(u), me.size());
    Eigen::Map<Vector> gx(N_VGetArrayPointer(g), me.size());
    gx = x;
    if (me.advance(x)) gx -= me.correction();
    return 0;
  }

  long depth_;
  double* own_data_ = nullptr;
  SunMessage message_;
  SunOwner<N_Vector> u_, ones_;
  kernels::KinsolMemory memory_;
};

class KinsolAndersonFactory final : public SolverFactory {
 public:
  explicit KinsolAndersonFactory(const AlgebraTable& algebras) : algebras_(&algebras) {}
  std::string name() const override { return "kinsol-anderson"; }
  std::string description() const override {
    return "KINSOL, fixed point (KIN_FP) with a frozen Jacobian and Anderson acceleration";
  }
  OptionSpecs options() const override {
    OptionSpecs specs = fixed_point_options(*algebras_);
    specs.insert(specs.begin(), depth_option());
    return specs;
  }
  std::unique_ptr<NonlinearSolver> create(const Options& options) const override {
    return std::make_unique<KinsolAnderson>(*algebras_, options);
  }

 private:
  const AlgebraTable* algebras_;
};

}  // namespace

GNOMON_PLUGIN(kinsol_anderson) {
  registrar.add(std::make_unique<KinsolAndersonFactory>(registrar.algebras()));
}
