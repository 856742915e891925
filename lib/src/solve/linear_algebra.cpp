#include "gnomon/solve/linear_algebra.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/solve/condensed_algebra.hpp"

namespace gnomon {

namespace {

constexpr Index always_dense = 16, dense_limit = 60, compared_limit = 10000;
constexpr double dense_density = 1.0 / 3;
constexpr Index narrow = 4;  // half bandwidth up to which nothing is faster than a band

/// Every entry is near the diagonal, in the order that the unknowns have, and the matrix is at least four times as wide
/// as what lies on one side of it: below that loops of the full length are as fast.
bool narrow_band(const SparsityPattern& pattern) {
  Index width = 0;
  for (Index i = 0; i < pattern.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (Index k = pattern.offsets[row]; k < pattern.offsets[row + 1]; ++k)
      width = std::max(width, std::abs(pattern.indices[static_cast<std::size_t>(k)] - i));
    if (width > narrow) return false;
  }
  return pattern.rows >= 4 * (width + 1);
}

/// A matrix by its pattern and the names of its unknowns.
struct Shape {
  const SparsityPattern& pattern;
  const std::vector<Block>& blocks;
  std::vector<int> bodies;  ///< of the unknowns, or nothing
  Index size() const { return pattern.cols; }
};

Shape shape(const ScaledEquations& equations) {
  return {equations.pattern(), equations.equations().blocks(), equations.bodies()};
}

std::unique_ptr<LinearAlgebra> make(const AlgebraFactory& factory, const Assignments& assignments,
                                    const Shape& matrix) {
  auto algebra = factory.create(Options("algebra " + factory.name(), factory.options(), assignments));
  try {
    if (!matrix.bodies.empty()) algebra->use_bodies(matrix.bodies);
    algebra->attach(matrix.pattern, matrix.blocks);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused) throw;
    throw Error(ErrorCode::refused, "algebra " + factory.name() + " does not suit the equations: " + error.what());
  }
  return algebra;
}

bool knows(const AlgebraTable& table, const std::string& name) {
  const std::vector<std::string> names = table.algebras();
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Eigen's sparse LU takes the place of klu where SuiteSparse is missing.
const AlgebraFactory& sparse_factory(const AlgebraTable& table) {
  return table.algebra(!knows(table, "klu") && knows(table, "sparse-lu") ? "sparse-lu" : "klu");
}

/// Pivoting inside the blocks of a tree is enough for the saddle points of most schemes, and not for every matrix: the
/// first algebra as long as its factors are good, then the second one to the end. Solutions are checked where they are
/// suspicious: the first one of all, those that are large (unknowns are scaled), and the first one with the third
/// matrix of a nonlinear solve, since Newton's method with good factors rarely needs as many. A check costs as much as
/// a solution. What the second algebra needs is allocated when it is needed.
class WithFallback final : public LinearAlgebra {
 public:
  WithFallback(std::unique_ptr<LinearAlgebra> first, const AlgebraFactory& second, const ScaledEquations& equations)
      : first_(std::move(first)),
        factory_(&second),
        equations_(&equations),
        right_(equations.size()),
        rest_(equations.size()) {}

  void attach(const SparsityPattern&, const std::vector<Block>&) override {}
  void use_product(JacobianProduct& product) override {
    product_ = &product;
    first_->use_product(product);
  }
  bool factor(const ConstVectorRef& values, Setup setup) override {
    values_ = values.data();
    if (!second_ && first_->factor(values, setup)) {
      factorisations_ = setup == Setup::first ? 1 : factorisations_ + 1;
      if (factorisations_ == checked_factorisation) unchecked_ = true;
      return true;
    }
    return take_second() || fail(second_->message());
  }
  bool solve(VectorRef x) override {
    if (second_) return second_->solve(x) || fail(second_->message());
    right_ = x;
    if (first_->solve(x) && (!suspicious(x) || good(x))) return true;
    x = right_;
    return (take_second() && second_->solve(x)) || fail(second_->message());
  }
  void serialize(Archive& archive) override {
    bool second = second_ != nullptr;
    archive(second, unchecked_, factorisations_);
    archive.require(factorisations_ >= 0, "a number of factorisations is below zero");
    if (!second)
      second_.reset();
    else if (!second_)
      make_second();
    (second_ ? second_ : first_)->serialize(archive);
  }
  double pivot_ratio() const override { return (second_ ? second_ : first_)->pivot_ratio(); }
  double cost() const override { return first_->cost(); }
  std::string summary() const override { return second_ ? second_->summary() : first_->summary(); }

 private:
  static constexpr int checked_factorisation = 3;
  static constexpr double trusted_size = 1e3;

  Eigen::Map<const Vector> values() const { return {values_, equations_->pattern().nonzeros()}; }
  void make_second() {
    second_ = make(*factory_, {}, shape(*equations_));
    if (product_ != nullptr) second_->use_product(*product_);
  }
  bool take_second() {
    if (!second_) make_second();
    return second_->factor(values(), Setup::first);
  }
  bool suspicious(const ConstVectorRef& x) {
    return std::exchange(unchecked_, false) || !(x.lpNorm<Eigen::Infinity>() < trusted_size);
  }
  bool good(const ConstVectorRef& x) {
    multiply(equations_->pattern(), values(), x, rest_);
    rest_ -= right_;
    return rest_.lpNorm<Eigen::Infinity>() <=
           thresholds::accepted_linear_residual *
               (values().lpNorm<Eigen::Infinity>() * x.lpNorm<Eigen::Infinity>() + right_.lpNorm<Eigen::Infinity>());
  }

  std::unique_ptr<LinearAlgebra> first_, second_;
  const AlgebraFactory* factory_;
  const ScaledEquations* equations_;
  JacobianProduct* product_ = nullptr;
  const double* values_ = nullptr;
  bool unchecked_ = true;
  int factorisations_ = 0;  // of this nonlinear solve
  Vector right_, rest_;
};

/// AlgebraChoice::attach_when_needed
class WhenNeeded final : public LinearAlgebra {
 public:
  WhenNeeded(AlgebraChoice choice, const ScaledEquations& equations)
      : choice_(std::move(choice)), equations_(&equations) {}

  void attach(const SparsityPattern&, const std::vector<Block>&) override {}
  void use_product(JacobianProduct& product) override { product_ = &product; }
  bool factor(const ConstVectorRef& values, Setup setup) override {
    try {
      make();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::refused) throw;
      return fail(error.what());
    }
    return made_->factor(values, setup) || fail(made_->message());
  }
  bool solve(VectorRef x) override { return made_->solve(x) || fail(made_->message()); }
  double pivot_ratio() const override { return made_ ? made_->pivot_ratio() : 1; }
  void serialize(Archive& archive) override {
    bool made = made_ != nullptr;
    archive(made);
    if (!made) return made_.reset();
    make();
    made_->serialize(archive);
  }
  std::string summary() const override { return made_ ? made_->summary() : std::string(); }

 private:
  void make() {
    if (made_) return;
    made_ = choice_.attach(*equations_);
    if (product_ != nullptr) made_->use_product(*product_);
  }

  AlgebraChoice choice_;
  const ScaledEquations* equations_;
  JacobianProduct* product_ = nullptr;
  std::unique_ptr<LinearAlgebra> made_;
};

}  // namespace

std::string unknown_label(const std::vector<Block>& blocks, Index j) {
  for (const Block& block : blocks)
    if (j >= block.offset && j < block.offset + block.size)
      return block.name + "[" + std::to_string(j - block.offset) + "]";
  return "x[" + std::to_string(j) + "]";
}

double density(const SparsityPattern& pattern) {
  const double entries = static_cast<double>(pattern.rows) * static_cast<double>(pattern.cols);
  return entries > 0 ? static_cast<double>(pattern.nonzeros()) / entries : 1;
}

OptionSpec algebra_option(const AlgebraTable& table) {
  std::vector<std::string> names{"auto"};
  for (const std::string& name : table.algebras()) names.push_back(name);
  return OptionSpec::choice_with_options(
      "algebra", std::move(names),
      "linear algebra; auto is band where it has at most four diagonals beside the main one, dense for at most 16 "
      "unknowns or a third nonzero, else the cheapest of block-tree and, for at most 60 unknowns, dense, for more klu "
      "(without SuiteSparse sparse-lu), of the whole matrix or after bodies have left it with constraints of their "
      "own");
}

AlgebraChoice::AlgebraChoice(const AlgebraTable& table, const Options& solver_options)
    : table_(&table), name_(solver_options.choice("algebra")), own_(solver_options.nested("algebra")) {
  if (name_ == "auto" && !own_.empty())
    throw Error(ErrorCode::bad_value, "algebra." + own_.front().first + " = \"" + own_.front().second +
                                          "\" was assigned while algebra = auto: name the algebra that it belongs to");
}

namespace {

/// An algebra that `auto` may take for a matrix, and whether it pivots inside its blocks alone.
struct Candidate {
  std::unique_ptr<LinearAlgebra> algebra;
  bool in_blocks = false;

  void improve(std::unique_ptr<LinearAlgebra> other, bool other_in_blocks) {
    if (algebra && !(other->cost() < algebra->cost())) return;
    algebra = std::move(other);
    in_blocks = other_in_blocks;
  }
};

/// The cheapest of block-tree, dense for few unknowns, and what is there already; klu where block-tree is none of them.
/// Where there is something for a large matrix, klu is not analysed in vain.
Candidate cheapest(const AlgebraTable& table, const Shape& matrix, Candidate best = {}) {
  if (narrow_band(matrix.pattern) && knows(table, "band")) return {make(table.algebra("band"), {}, matrix), false};
  const bool small = matrix.size() <= dense_limit;
  if (matrix.size() <= always_dense || density(matrix.pattern) >= dense_density)
    return {make(table.algebra("dense"), {}, matrix), false};
  if (small) best.improve(make(table.algebra("dense"), {}, matrix), false);
  bool tree = false;
  if (knows(table, "block-tree")) try {
      best.improve(make(table.algebra("block-tree"), {}, matrix), true);
      tree = true;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::refused) throw;
    }
  if (!best.algebra || (!small && !tree && matrix.size() <= compared_limit))
    best.improve(make(sparse_factory(table), {}, matrix), false);
  return best;
}

/// Null where no body has constraints of its own.
std::unique_ptr<BodyCondensation> condensation(const ScaledEquations& equations) {
  if (equations.bodies().empty() || equations.size() <= always_dense) return nullptr;
  auto bodies = std::make_unique<BodyCondensation>(equations.pattern(), equations.bodies());
  return bodies->removed() > 0 ? std::move(bodies) : nullptr;
}

}  // namespace

std::unique_ptr<LinearAlgebra> AlgebraChoice::attach(const ScaledEquations& equations) const {
  const Shape whole = shape(equations);
  if (equations.attached_algebra() != nullptr) return make(*equations.attached_algebra(), {}, whole);
  if (name_ != "auto" && name_ != "block-tree") return make(table_->algebra(name_), own_, whole);
  std::unique_ptr<BodyCondensation> bodies = condensation(equations);
  if (!bodies && name_ != "auto") return make(table_->algebra(name_), own_, whole);
  Candidate chosen;
  if (bodies) {
    const std::vector<Block> names{{"condensed", 0, bodies->pattern().cols}};
    std::vector<int> of_left;
    for (const int i : bodies->unknowns()) of_left.push_back(equations.bodies()[static_cast<std::size_t>(i)]);
    const Shape left{bodies->pattern(), names, of_left};
    auto rest = name_ == "auto" ? cheapest(*table_, left).algebra : make(table_->algebra(name_), own_, left);
    chosen = {std::make_unique<CondensedAlgebra>(std::move(bodies), std::move(rest), whole.blocks), true};
    if (name_ != "auto") return std::move(chosen.algebra);
  }
  // Bodies that keep their constraints are too large for small blocks.
  chosen = cheapest(*table_, {whole.pattern, whole.blocks, {}}, std::move(chosen));
  if (!chosen.in_blocks) return std::move(chosen.algebra);
  return std::make_unique<WithFallback>(std::move(chosen.algebra), sparse_factory(*table_), equations);
}

std::unique_ptr<LinearAlgebra> AlgebraChoice::attach_when_needed(const ScaledEquations& equations) const {
  return std::make_unique<WhenNeeded>(*this, equations);
}

}  // namespace gnomon
