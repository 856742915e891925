#pragma once
/// \file
/// Linear algebra by name: what solves J d = f inside every nonlinear strategy, J the scaled Jacobian.

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/base/archive.hpp"
#include "gnomon/base/options.hpp"
#include "gnomon/solve/scaled_equations.hpp"

namespace gnomon {

/// first: the first factorisation of a solve, at which an algebra tests what it kept of the solve before, a pivot order
/// say; again: a later one.
enum class Setup { first, again };

/// y = J v at the point of the last factor(), without assembled values.
class GNOMON_EXPORT JacobianProduct {
 public:
  virtual ~JacobianProduct() = default;
  /// False where it cannot be evaluated. v and y do not alias.
  virtual bool apply(const ConstVectorRef& v, VectorRef y) = 0;
};

/// One matrix of fixed sparsity. attach allocates everything; factor and solve allocate nothing, unless the algebra's
/// description says so, or it fails, for the message.
class GNOMON_EXPORT LinearAlgebra {
 public:
  virtual ~LinearAlgebra() = default;

  /// For algebra that takes together what belongs together: the body of each unknown, -1 where it is none's; called
  /// before attach where it is known.
  virtual void use_bodies(const std::vector<int>& bodies) { static_cast<void>(bodies); }
  /// For a square pattern; blocks name its columns. Symbolic analysis happens here. Throws Error(refused) with the
  /// reason where the algebra does not suit the pattern. The pattern must outlive this object.
  virtual void attach(const SparsityPattern& pattern, const std::vector<Block>& blocks) = 0;
  /// For algebra that multiplies without the assembled matrix; called once, after attach.
  virtual void use_product(JacobianProduct& product) { static_cast<void>(product); }
  /// values on the pattern, which stay as they are until the next factor. False where the matrix is singular.
  virtual bool factor(const ConstVectorRef& values, Setup setup) = 0;
  /// x <- J^-1 x. False where the result is not finite or, where that is checked, no solution.
  virtual bool solve(VectorRef x) = 0;

  /// The smallest pivot of the last factorisation by the largest one, in absolute value; 1 where it is not known.
  virtual double pivot_ratio() const { return 1; }

  /// What is kept from one matrix to the next, a pivot order for instance, without the factors of the last one: where
  /// it was read, the next factor and solve give what they would have given in the run that wrote it, bit by bit.
  /// Throws Error(bad_file) where it does not fit.
  virtual void serialize(Archive& archive) { static_cast<void>(archive); }

  /// What was chosen or found, for lists and tests: sizes of blocks, bandwidth, rank.
  virtual std::string summary() const { return {}; }

  /// After attach: estimated time of one factorisation and five solutions, what a step usually asks for, in
  /// nanoseconds, from a model fitted to times that were measured on one machine. `auto` compares them; infinity where
  /// there is no model.
  virtual double cost() const { return std::numeric_limits<double>::infinity(); }
  /// Why factor or solve failed last, with the name of the unknown where there is one.
  const std::string& message() const { return message_; }

 protected:
  bool fail(std::string why) {
    message_ = std::move(why);
    return false;
  }

 private:
  std::string message_;
};

/// "lambda[3]": unknown j by its block.
GNOMON_EXPORT std::string unknown_label(const std::vector<Block>& blocks, Index j);
/// The fraction of the matrix that is in its pattern.
GNOMON_EXPORT double density(const SparsityPattern& pattern);

/// A named kind of linear algebra, as plug-ins register it.
class GNOMON_EXPORT AlgebraFactory {
 public:
  virtual ~AlgebraFactory() = default;
  virtual std::string name() const = 0;
  virtual std::string description() const = 0;
  virtual OptionSpecs options() const { return {}; }
  virtual std::unique_ptr<LinearAlgebra> create(const Options& options) const = 0;
};

/// Algebra by name, for solvers. A Registrar hands it out; it outlives what is registered.
class GNOMON_EXPORT AlgebraTable {
 public:
  virtual ~AlgebraTable() = default;
  /// Throws Error(unknown_name) with the nearest known name.
  virtual const AlgebraFactory& algebra(const std::string& name) const = 0;
  virtual std::vector<std::string> algebras() const = 0;
};

/// The option `algebra` of a solver: `auto` or a name of the table; that algebra's own options are assigned as
/// `algebra.option=value`.
GNOMON_EXPORT OptionSpec algebra_option(const AlgebraTable& table);

/// What a solver keeps of that option until it is attached.
class GNOMON_EXPORT AlgebraChoice {
 public:
  /// The table outlives this object. Throws Error(bad_value) for options of an algebra that was not named.
  AlgebraChoice(const AlgebraTable& table, const Options& solver_options);

  /// Creates and attaches what was chosen, or what the user attached to the equations
  /// (ScaledEquations::attach_algebra), which comes first. `auto` is
  ///
  ///   - band         where it has at most four diagonals on either side of the main one;
  ///   - dense        for at most 16 unknowns, or where a third of the matrix or more is not zero;
  ///   - otherwise the one of least LinearAlgebra::cost: block-tree, where the pattern falls into small blocks that
  ///     form a tree; dense for at most 60 unknowns, klu for more; and the same for what is left of the matrix after
  ///     bodies with constraints of their own (body_condensation.hpp). sparse-lu takes the place of klu where that is
  ///     not registered, and klu that of what pivots inside blocks alone from where its factors fail.
  ///
  /// block-tree by name is taken after bodies, too.
  /// Throws Error(unknown_name | refused).
  std::unique_ptr<LinearAlgebra> attach(const ScaledEquations& equations) const;
  /// The same, created at the first factorisation, which then allocates and fails where attach would throw.
  std::unique_ptr<LinearAlgebra> attach_when_needed(const ScaledEquations& equations) const;

 private:
  const AlgebraTable* table_;
  std::string name_;
  Assignments own_;
};

}  // namespace gnomon
