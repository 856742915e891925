/// \file
/// kinsol-picard: KINSOL's iterations with a linear operator P that is cheaper than a Jacobian in every iteration,
///
///     P dx = -F(x),   x += dx.
///
/// matrix=leading: the approximate inverse that the scheme exposes, and no Jacobian at all
/// (kernels/kinsol_leading_iteration.hpp); refused where it exposes none. matrix=solve and matrix=kept: a Jacobian, set
/// once a solve or kept until it slows (kernels/kinsol_frozen_iteration.hpp). matrix=auto: leading where the scheme
/// exposes it, else solve.

#include <memory>
#include <string>

#include "gnomon/base/error.hpp"
#include "gnomon/registry/named_factory.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"
#include "solvers/kernels/kinsol_frozen_iteration.hpp"
#include "solvers/kernels/kinsol_leading_iteration.hpp"

namespace {

using namespace gnomon;

class KinsolPicard final : public NonlinearSolver {
 public:
  KinsolPicard(const AlgebraTable& algebras, const Options& options)
      : matrix_(options.choice("matrix")),
        algebra_(algebras, options),
        max_iterations_(options.integer("max-iterations")) {}

  void attach(ScaledEquations& equations) override {
    const bool exposed = equations.has_approximate_inverse();
    if (matrix_ == "leading" && !exposed)
      throw Error(ErrorCode::refused, "matrix=leading needs an approximate inverse, and the scheme exposes none");
    if (matrix_ == "leading" || (matrix_ == "auto" && exposed))
      iteration_ = std::make_unique<kernels::KinsolLeadingIteration>(max_iterations_);
    else
      iteration_ = std::make_unique<kernels::KinsolFrozenIteration>(matrix_ == "kept", algebra_, max_iterations_);
    iteration_->attach(equations);
  }
  SolveReport solve(VectorRef xs) override { return iteration_->solve(xs); }
  bool correct(VectorRef f) override { return iteration_->correct(f); }
  double pivot_ratio() const override { return iteration_->pivot_ratio(); }
  void serialize(Archive& archive) override { iteration_->serialize(archive); }
  void forget_matrix() override { iteration_->forget_matrix(); }

 private:
  std::string matrix_;
  AlgebraChoice algebra_;
  long max_iterations_;
  std::unique_ptr<NonlinearSolver> iteration_;
};

OptionSpecs picard_options(const AlgebraTable& algebras) {
  return {OptionSpec::choice("matrix", {"auto", "leading", "solve", "kept"},
                             "the leading order in h that the scheme exposes; the Jacobian at the start value, or kept "
                             "from solve to solve until it slows; auto: the first of these that there is"),
          algebra_option(algebras), OptionSpec::integer("max-iterations", 200, 1, 100000, "iterations a solve")};
}

}  // namespace

GNOMON_PLUGIN(kinsol_picard) {
  const AlgebraTable& table = registrar.algebras();
  registrar.add(std::make_unique<NamedFactory<SolverFactory>>(
      "kinsol-picard",
      "KINSOL, Picard with the scheme's approximate inverse (KIN_FP) or a frozen Jacobian (KIN_PICARD)",
      [&table](const Options& options) { return std::make_unique<KinsolPicard>(table, options); },
      [&table] { return picard_options(table); }));
}
