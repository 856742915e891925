#pragma once
/// \file
/// A SUNMatrix with its SUNLinearSolver as linear algebra of Gnomon:
///
///     gnomon::AttachedAlgebra mine("mine", matrix, solver);
///     gnomon::IntegratorOptions options;
///     options.algebra = &mine;
///
/// The matrix is dense, banded, or sparse in either compressed form; its entries are filled in from the scaled Jacobian
/// before every set-up. The vectors are serial ones.

#include <functional>
#include <memory>
#include <string>

#include "gnomon/solve/linear_algebra.hpp"
#include "gnomon/sundials/sundials_compat.hpp"

namespace gnomon {

/// A matrix and the solver that was made for it.
struct SunPair {
  SUNMatrix matrix = nullptr;
  SUNLinearSolver solver = nullptr;
};

/// Makes a pair for the scaled unknowns: a serial vector of their number, and the pattern. The result is freed by
/// Gnomon. Nulls where that fails.
using SunPairCreator = std::function<SunPair(N_Vector, const SparsityPattern&, SUNContext)>;

class GNOMON_EXPORT AttachedAlgebra final : public AlgebraFactory {
 public:
  /// One pair for every system of equations of a scheme.
  AttachedAlgebra(std::string name, SunPairCreator create);
  /// A pair that stays the caller's, for a scheme with one system of equations.
  AttachedAlgebra(std::string name, SUNMatrix matrix, SUNLinearSolver solver);

  std::string name() const override { return name_; }
  std::string description() const override { return "an attached SUNLinearSolver with its SUNMatrix"; }
  /// attach() of the result throws Error(refused) where the pair is missing or in use, is of another kind than those
  /// above, or does not have room for the pattern; the sentence says what it has and what it needs.
  std::unique_ptr<LinearAlgebra> create(const Options& options) const override;

 private:
  std::string name_;
  SunPairCreator create_;
  SunPair given_;
  std::shared_ptr<bool> in_use_;  // of a given pair
};

}  // namespace gnomon
