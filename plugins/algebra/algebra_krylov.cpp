/// \file
/// krylov: SUNDIALS' iterative solvers, SPGMR or SPBCGS, on J d = f with products J v from the tangent of the equations
/// (product=tangent, without the assembled matrix) or from its values, and the constraint preconditioner
///
///     P = | D  B |       J = | A  B |
///         | C  0 |,          | C  0 |
///
/// B and C the rows and columns of multipliers, which stay exact, D the diagonal of A and what pairs dq_j with dp_j.
/// Its solution is that of the Schur complement C D^-1 B, which is G M^-1 G^T up to factors (Keller, Gould, Wathen,
/// SIAM J. Matrix Anal. Appl. 21 (2000) 1300-1317); the elimination is left to KLU. What P drops, the coupling of
/// different coordinates in h^2 (Hess U + lambda.Hess g), is small for small steps: a few iterations, at a rate of
/// O(h^2).

#include <sunlinsol/sunlinsol_spbcgs.h>
#include <sunlinsol/sunlinsol_spgmr.h>

#include "algebra/kernels/klu_factors.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/registry/named_factory.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/solve/linear_algebra.hpp"
#include "gnomon/sundials/sun_linear_system.hpp"

namespace {

using namespace gnomon;

class Krylov final : public LinearAlgebra {
 public:
  explicit Krylov(const Options& options)
      : stabilised_(options.is("method", "spbcgs")),
        matrix_free_(options.is("product", "tangent")),
        tolerance_(options.real("tolerance")),
        iterations_(static_cast<int>(options.integer("max-iterations"))) {}

  void attach(const SparsityPattern& pattern, const std::vector<Block>&) override {
    pattern_ = &pattern;
    const Index n = pattern.rows;
    keep_entries();
    preconditioner_.attach(kept_);
    kept_values_.setZero(kept_.nonzeros());
    x_ = serial_vector(n, context_);
    b_ = serial_vector(n, context_);
    const int dimension = static_cast<int>(std::min<Index>(iterations_, n));
    if (stabilised_)
      solver_.reset(SUNLinSol_SPBCGS(x_.get(), SUN_PREC_RIGHT, iterations_, context_));
    else
      solver_.reset(SUNLinSol_SPGMR(x_.get(), SUN_PREC_RIGHT, dimension, context_));
    if (!solver_ || SUNLinSolSetATimes(solver_.get(), this, multiply_callback) != 0 ||
        SUNLinSolSetPreconditioner(solver_.get(), this, nullptr, precondition_callback) != 0 ||
        SUNLinSolInitialize(solver_.get()) != 0 || SUNLinSolSetup(solver_.get(), nullptr) != 0)
      throw Error(ErrorCode::refused, "SUNDIALS could not allocate its iterative solver");
  }
  void use_product(JacobianProduct& product) override { product_ = &product; }

  bool factor(const ConstVectorRef& values, Setup) override {
    values_ = values.data();
    for (std::size_t k = 0; k < from_.size(); ++k) kept_values_[static_cast<Index>(k)] = values[from_[k]];
    return preconditioner_.factor(kept_values_) || fail("the constraint preconditioner is singular");
  }

  bool solve(VectorRef x) override {
    Eigen::Map<Vector> right(N_VGetArrayPointer(b_.get()), x.size());
    right = x;
    N_VConst(0.0, x_.get());
    SUNLinSolSetZeroGuess(solver_.get(), SUNTRUE);
    const int flag = SUNLinSolSolve(solver_.get(), nullptr, x_.get(), b_.get(), tolerance_ * right.norm());
    used_ = SUNLinSolNumIters(solver_.get());
    // A residual that was reduced, though not to the tolerance, is a step that Newton's method tests. Success is 0 in
    // SUNDIALS 6 and 7, under two names.
    if (flag != 0 && flag != SUNLS_RES_REDUCED)
      return fail("the iteration ended with flag " + std::to_string(flag) + " after " + std::to_string(used_) +
                  " iterations");
    x = Eigen::Map<const Vector>(N_VGetArrayPointer(x_.get()), x.size());
    return x.allFinite() || fail("the solution is not finite");
  }
  void serialize(Archive& archive) override { preconditioner_.serialize(archive); }
  std::string summary() const override { return std::to_string(used_) + " iterations"; }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  /// The pattern of P, and where its entries are among those of J.
  void keep_entries() {
    const SparsityPattern& p = *pattern_;
    const Index n = p.rows;
    std::vector<char> multiplier(at(n));
    for (Index i = 0; i < n; ++i) multiplier[at(i)] = p.find(i, i) < 0;
    // A row with one other coordinate pairs it with its own: M dq/h = p0 + dp/2.
    std::vector<Index> partner(at(n), -1);
    for (Index i = 0; i < n; ++i) {
      Index other = -1, count = 0;
      for (Index k = p.offsets[i]; k < p.offsets[i + 1]; ++k) {
        const Index j = p.indices[k];
        if (multiplier[at(j)] || j == i) continue;
        other = j;
        ++count;
      }
      if (multiplier[at(i)] || count != 1 || partner[at(other)] >= 0 || partner[at(i)] >= 0) continue;
      partner[at(i)] = other;
      partner[at(other)] = i;
    }
    std::vector<std::pair<Index, Index>> entries;
    for (Index i = 0; i < n; ++i)
      for (Index k = p.offsets[i]; k < p.offsets[i + 1]; ++k) {
        const Index j = p.indices[k];
        if (!multiplier[at(i)] && !multiplier[at(j)] && j != i && j != partner[at(i)]) continue;
        entries.emplace_back(i, j);
        from_.push_back(k);
      }
    kept_ = SparsityPattern::from_entries(n, n, entries);
  }

  Eigen::Map<Vector> map(N_Vector v) const { return {N_VGetArrayPointer(v), pattern_->rows}; }

  static int multiply_callback(void* self, N_Vector v, N_Vector y) {
    auto& me = *static_cast<Krylov*>(self);
    if (me.matrix_free_ && me.product_ != nullptr) return me.product_->apply(me.map(v), me.map(y)) ? 0 : -1;
    multiply(*me.pattern_, Eigen::Map<const Vector>(me.values_, me.pattern_->nonzeros()), me.map(v), me.map(y));
    return 0;
  }
  static int precondition_callback(void* self, N_Vector r, N_Vector z, SunReal, int) {
    auto& me = *static_cast<Krylov*>(self);
    me.map(z) = me.map(r);
    return me.preconditioner_.solve(me.map(z)) ? 0 : -1;
  }

  bool stabilised_, matrix_free_;
  double tolerance_;
  int iterations_, used_ = 0;
  const SparsityPattern* pattern_ = nullptr;
  SparsityPattern kept_;
  std::vector<Index> from_;
  Vector kept_values_;
  kernels::KluFactors preconditioner_;
  const double* values_ = nullptr;
  JacobianProduct* product_ = nullptr;
  SunContext context_;
  SunOwner<N_Vector> x_, b_;
  SunOwner<SUNLinearSolver> solver_;
};

}  // namespace

GNOMON_PLUGIN(algebra_krylov) {
  registrar.add(std::make_unique<NamedFactory<AlgebraFactory>>(
      "krylov", "SUNDIALS' SPGMR or SPBCGS with a constraint preconditioner, matrix-free or on the assembled values",
      [](const Options& options) { return std::make_unique<Krylov>(options); },
      [] {
        return OptionSpecs{
            OptionSpec::choice("method", {"spgmr", "spbcgs"}, "the iteration"),
            OptionSpec::choice("product", {"values", "tangent"}, "J v from the assembled values, or by dual numbers"),
            OptionSpec::real("tolerance", 1e-13, 1e-16, .1, "", "on |f - J d| / |f|"),
            OptionSpec::integer("max-iterations", 100, 1, 10000, "of a linear solve; dimension of the Krylov space")};
      }));
}
