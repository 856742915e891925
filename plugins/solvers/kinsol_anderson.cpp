/// \file
/// kinsol-anderson: KINSOL's fixed-point iteration (KIN_FP) with Anderson acceleration (KINSetMAA) on
///
///     G(x) = x - P^-1 F(x),     P = dF/dx, frozen;
///
/// see gnomon/fixed_point_iteration.hpp for P and the end of the iteration. KINSOL's own tests are switched off: its
/// function is told "no correction" at the end, or fails where KINSOL does not take that.

#include <algorithm>

#include "gnomon/registry/named_factory.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/sundials/fixed_point_iteration.hpp"
#include "solvers/kernels/kinsol_loop.hpp"

namespace {

using namespace gnomon;

class KinsolAnderson final : public FixedPointIteration {
 public:
  KinsolAnderson(const AlgebraTable& algebras, const Options& options)
      : FixedPointIteration(algebras, options), depth_(options.integer("depth")) {}

 private:
  void allocate(N_Vector like) override {
    loop_.attach(like, context_, map_callback, this, rule_.max_iterations + 2, std::min<long>(depth_, size()));
  }

  void iterate(Vector& x) override { loop_.solve(x.data(), KIN_FP); }

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
  kernels::KinsolLoop loop_;
};

}  // namespace

GNOMON_PLUGIN(kinsol_anderson) {
  const AlgebraTable& table = registrar.algebras();
  registrar.add(std::make_unique<NamedFactory<SolverFactory>>(
      "kinsol-anderson", "KINSOL, fixed point (KIN_FP) with a frozen Jacobian and Anderson acceleration",
      [&table](const Options& options) { return std::make_unique<KinsolAnderson>(table, options); },
      [&table] { return accelerated_options(table); }));
}
