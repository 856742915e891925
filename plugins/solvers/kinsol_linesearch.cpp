/// \file
/// kinsol-linesearch: KINSOL, Newton directions with a line search on the scaled residual norm.

#include "gnomon/registry/plugin.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"
#include "kernels/kinsol_newton_iteration.hpp"

namespace {

class KinsolLinesearch final : public gnomon::SolverFactory {
 public:
  explicit KinsolLinesearch(const gnomon::AlgebraTable& algebras) : algebras_(&algebras) {}
  std::string name() const override { return "kinsol-linesearch"; }
  std::string description() const override { return "KINSOL, Newton with line search (KIN_LINESEARCH)"; }
  gnomon::OptionSpecs options() const override { return gnomon::kernels::kinsol_options(*algebras_); }
  std::unique_ptr<gnomon::NonlinearSolver> create(const gnomon::Options& options) const override {
    return std::make_unique<gnomon::kernels::KinsolNewtonIteration>(KIN_LINESEARCH, *algebras_, options);
  }

 private:
  const gnomon::AlgebraTable* algebras_;
};

}  // namespace

GNOMON_PLUGIN(kinsol_linesearch) {
  registrar.add(std::make_unique<KinsolLinesearch>(registrar.algebras()));
}
