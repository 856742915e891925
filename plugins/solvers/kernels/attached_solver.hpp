#pragma once
/// \file
/// Any SUNNonlinearSolver as a solver of Gnomon:
///
///     const gnomon::kernels::AttachedSolver mine("mine", [](N_Vector like, SUNContext context) {
///       return SUNNonlinSol_Newton(like, context);
///     });
///     gnomon::Integrator integrator(system, scheme, scheme_options, mine, gnomon::Options("solver", mine.options()));

#include <nvector/nvector_serial.h>

#include <memory>
#include <string>
#include <utility>

#include "sun_fixed_point_iteration.hpp"
#include "sun_newton_iteration.hpp"

namespace gnomon::kernels {

/// What the SUNNonlinearSolver is given follows its type: residual and linear solves (sun_newton_iteration.hpp), or the
/// fixed-point map with a frozen Jacobian (sun_fixed_point_iteration.hpp). Its convergence test is set where it takes
/// one; with or without, Gnomon judges the residual that it leaves. Vectors are serial.
class AttachedSolver final : public SolverFactory {
 public:
  /// Throws Error(refused) when create returns null or a solver that is of neither type.
  AttachedSolver(std::string name, SunNonlinearCreator create) : name_(std::move(name)), create_(std::move(create)) {
    const SunContext context;
    const SunOwner<N_Vector> like(N_VNew_Serial(1, context));
    const SunNonlinearOwner probe(create_(like.get(), context));
    if (!probe) throw Error(ErrorCode::refused, "solver " + name_ + ": no SUNNonlinearSolver was created");
    type_ = SUNNonlinSolGetType(probe.get());
    if (type_ != SUNNONLINEARSOLVER_ROOTFIND && type_ != SUNNONLINEARSOLVER_FIXEDPOINT)
      throw Error(ErrorCode::refused, "solver " + name_ + ": its SUNNonlinearSolver has the type " +
                                          std::to_string(static_cast<int>(type_)) +
                                          ", neither root finding nor fixed point");
  }

  std::string name() const override { return name_; }
  std::string description() const override {
    return roots() ? "an attached SUNNonlinearSolver for F(x) = 0"
                   : "an attached SUNNonlinearSolver for x = G(x), with a frozen Jacobian";
  }
  OptionSpecs options() const override { return roots() ? sun_newton_options() : fixed_point_options(); }
  std::unique_ptr<NonlinearSolver> create(const Options& options) const override {
    if (roots()) return std::make_unique<SunNewtonIteration>(create_, options);
    return std::make_unique<SunFixedPointIteration>(create_, options);
  }

 private:
  bool roots() const { return type_ == SUNNONLINEARSOLVER_ROOTFIND; }

  std::string name_;
  SunNonlinearCreator create_;
  SUNNonlinearSolver_Type type_;
};

}  // namespace gnomon::kernels
