/// \file
/// kinsol-linesearch: KINSOL, Newton directions with a line search on the scaled residual norm.

#include "gnomon/plugin.hpp"
#include "kernels/kinsol_newton_iteration.hpp"

namespace {

class KinsolLinesearch final : public gnomon::SolverFactory {
 public:
  std::string name() const override { return "kinsol-linesearch"; }
  std::string description() const override { return "KINSOL, Newton with line search (KIN_LINESEARCH)"; }
  gnomon::OptionSpecs options() const override { return gnomon::kernels::kinsol_options(); }
  std::unique_ptr<gnomon::NonlinearSolver> create(const gnomon::Options& options) const override {
    return std::make_unique<gnomon::kernels::KinsolNewtonIteration>(KIN_LINESEARCH, options);
  }
};

}  // namespace

GNOMON_PLUGIN(kinsol_linesearch) {
  registrar.add(std::make_unique<KinsolLinesearch>());
}
