/// \file
/// kinsol-newton: KINSOL, full Newton steps, a fresh Jacobian in every iteration; the last corrections are made with
/// the current one (gnomon/solve/chord_steps.hpp).

#include "gnomon/registry/plugin.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"
#include "kernels/kinsol_newton_iteration.hpp"

namespace {

class KinsolNewton final : public gnomon::SolverFactory {
 public:
  explicit KinsolNewton(const gnomon::AlgebraTable& algebras) : algebras_(&algebras) {}
  std::string name() const override { return "kinsol-newton"; }
  std::string description() const override { return "KINSOL, full Newton steps (KIN_NONE)"; }
  gnomon::OptionSpecs options() const override { return gnomon::kernels::kinsol_options(*algebras_); }
  std::unique_ptr<gnomon::NonlinearSolver> create(const gnomon::Options& options) const override {
    return std::make_unique<gnomon::kernels::KinsolNewtonIteration>(KIN_NONE, *algebras_, options);
  }

 private:
  const gnomon::AlgebraTable* algebras_;
};

}  // namespace

GNOMON_PLUGIN(kinsol_newton) {
  registrar.add(std::make_unique<KinsolNewton>(registrar.algebras()));
}
