#include "gnomon/sundials/attached_solver.hpp"

#include <utility>

#include "sundials/sun_fixed_point_iteration.hpp"
#include "sundials/sun_newton_iteration.hpp"

namespace gnomon {

AttachedSolver::AttachedSolver(std::string name, SunNonlinearCreator create, const AlgebraTable& algebras)
    : name_(std::move(name)), create_(std::move(create)), algebras_(&algebras) {
  const SunContext context;
  const SunOwner<N_Vector> like = serial_vector(1, context);
  const SunNonlinearOwner probe(create_(like.get(), context));
  if (!probe) throw Error(ErrorCode::refused, "solver " + name_ + ": no SUNNonlinearSolver was created");
  type_ = SUNNonlinSolGetType(probe.get());
  if (type_ != SUNNONLINEARSOLVER_ROOTFIND && type_ != SUNNONLINEARSOLVER_FIXEDPOINT)
    throw Error(ErrorCode::refused, "solver " + name_ + ": its SUNNonlinearSolver has the type " +
                                        std::to_string(static_cast<int>(type_)) +
                                        ", neither root finding nor fixed point");
}

std::string AttachedSolver::description() const {
  return type_ == SUNNONLINEARSOLVER_ROOTFIND ? "an attached SUNNonlinearSolver for F(x) = 0"
                                              : "an attached SUNNonlinearSolver for x = G(x), with a frozen Jacobian";
}

OptionSpecs AttachedSolver::options() const {
  return type_ == SUNNONLINEARSOLVER_ROOTFIND ? sun_newton_options(*algebras_) : fixed_point_options(*algebras_);
}

std::unique_ptr<NonlinearSolver> AttachedSolver::create(const Options& options) const {
  if (type_ == SUNNONLINEARSOLVER_ROOTFIND) return std::make_unique<SunNewtonIteration>(create_, *algebras_, options);
  return std::make_unique<SunFixedPointIteration>(create_, *algebras_, options);
}

}  // namespace gnomon
