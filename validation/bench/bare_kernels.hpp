#pragma once
/// \file
/// The four kernels of a Newton iteration by themselves: residual, Jacobian, factorisation, solution.

#include <memory>
#include <string>

#include "gnomon/model/problem.hpp"
#include "gnomon/scheme/scheme.hpp"
#include "gnomon/scheme/state.hpp"
#include "gnomon/solve/linear_algebra.hpp"
#include "gnomon/solve/scaled_equations.hpp"
#include "timing.hpp"

namespace gnomon::bench {

enum class Kernel { residual, jacobian, factor, solve };
const char* to_string(Kernel kernel);

/// `repeats` evaluations of one kernel at the start values of the step of h that begins at z, of the first (and for
/// these schemes only) system of the step.
class BareKernel final : public Work {
 public:
  BareKernel(Kernel kernel, const AlgebraChoice& algebra, const ProblemInstance& instance, const Scheme& scheme,
             const State& z, double h, long repeats);
  void rewind() override {}
  std::string run() override;
  long repeats() const { return repeats_; }

 private:
  bool evaluate();

  Kernel kernel_;
  std::shared_ptr<const Model> model_;
  State z_;
  Binding binding_;
  std::unique_ptr<ScaledEquations> equations_;
  std::unique_ptr<LinearAlgebra> algebra_;
  Vector xs_, fs_, values_, dx_;
  long repeats_;
};

}  // namespace gnomon::bench
