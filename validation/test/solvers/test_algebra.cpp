// Linear algebra by name: what auto takes, what is refused and why, block trees on chains, trees and what is neither,
// attached pairs of SUNMatrix and SUNLinearSolver, dependent constraints.
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <Eigen/LU>
#include <boost/test/unit_test.hpp>

#include "gnomon/gnomon.hpp"
#include "gnomon/solve/body_condensation.hpp"
#include "gnomon/sundials/attached_algebra.hpp"
#include "measures/run/counting_malloc.hpp"
#include "measures/solver/kinsol_messages.hpp"
#include "support/builtin_registry.hpp"
#include "support/says.hpp"
#include "support/starts.hpp"

namespace {

using namespace gnomon;
using gnomon::test::says;

Integrator started(const std::string& problem, const Assignments& set, const std::string& solver,
                   const Assignments& solver_options, const IntegratorOptions& options = {}) {
  return registry().integrator(registry().build(problem, set), "energy-momentum", solver, {}, solver_options, options);
}

double apart(const Integrator& a, const Integrator& b) {
  const Vector &qa = a.state().q.value(), &qb = b.state().q.value(), &pa = a.state().p.value(),
               &pb = b.state().p.value();
  return std::max((qa - qb).lpNorm<Eigen::Infinity>() / qb.lpNorm<Eigen::Infinity>(),
                  (pa - pb).lpNorm<Eigen::Infinity>() / pb.lpNorm<Eigen::Infinity>());
}

const Assignments chain_20{{"links", "20"}, {"start", "spatial"}};

/// A matrix whose graph is a tree of bodies, each of `size` coordinates and one multiplier that couples it with its
/// parent: saddle-point blocks with a zero on their diagonal.
struct TreeMatrix {
  SparsityPattern pattern;
  Vector values;
  Matrix dense;
  std::vector<Block> blocks;

  TreeMatrix(const std::vector<Index>& parents, Index size) {
    const Index bodies = static_cast<Index>(parents.size()), q = bodies * size, n = q + bodies;
    dense = Matrix::Zero(n, n);
    double x = .3;
    const auto next = [&x] {
      x = 3.9 * x * (1 - x);
      return x - .5;
    };
    for (Index k = 0; k < bodies; ++k) {
      const Index parent = parents[static_cast<std::size_t>(k)];
      for (Index i = 0; i < size; ++i) {
        for (Index j = 0; j < size; ++j) dense(k * size + i, k * size + j) = (i == j ? 3 : 0) + .3 * next();
        const double g = 1 + next();
        dense(k * size + i, q + k) = g;
        dense(q + k, k * size + i) = g;
        if (parent < 0) continue;
        const double h = next();
        dense(parent * size + i, q + k) = h;
        dense(q + k, parent * size + i) = h;
      }
    }
    std::vector<std::pair<Index, Index>> entries;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        if (dense(i, j) != 0) entries.emplace_back(i, j);
    pattern = SparsityPattern::from_entries(n, n, entries);
    values.resize(pattern.nonzeros());
    for (Index i = 0, k = 0; i < n; ++i)
      for (; k < pattern.offsets[static_cast<std::size_t>(i) + 1]; ++k)
        values[k] = dense(i, pattern.indices[static_cast<std::size_t>(k)]);
    blocks = {{"dq", 0, q}, {"lambda", q, bodies}};
  }
};

std::unique_ptr<LinearAlgebra> make(const std::string& name, const Assignments& options = {}) {
  const AlgebraFactory& factory = registry().algebra(name);
  return factory.create(Options("algebra " + name, factory.options(), options));
}

}  // namespace

// Chains, stars, binary trees and forests, of bodies of every size up to what the blocks hold.
BOOST_AUTO_TEST_CASE(block_tree_solves_trees) {
  const std::vector<std::vector<Index>> trees{
      {-1}, {-1, 0, 1, 2, 3, 4}, {-1, 0, 0, 0, 0}, {-1, 0, 0, 1, 1, 2, 2}, {-1, -1, 0, 1, 2}, {3, 0, 0, -1, 2, 3}};
  for (const auto& parents : trees)
    for (const Index size : {1, 2, 3, 5, 6, 9}) {
      const TreeMatrix tree(parents, size);
      const auto algebra = make("block-tree");
      algebra->attach(tree.pattern, tree.blocks);
      Vector x = Vector::LinSpaced(tree.dense.rows(), -1, 2);
      const Vector expected = tree.dense.fullPivLu().solve(x);
      long count = 0;
      bool good = false;
      {
        const validation::CountAllocations allocations;
        good = algebra->factor(tree.values, Setup::first) && algebra->solve(x);
        count = allocations.count();
      }
      BOOST_TEST(good, algebra->message());
      BOOST_TEST(count == 0);
      BOOST_TEST((x - expected).norm() <= 1e-11 * expected.norm(), algebra->summary());
    }
}

BOOST_AUTO_TEST_CASE(block_tree_refuses_what_is_no_tree) {
  const Index n = 12;  // a grid of n x n unknowns, each coupled with its neighbours
  PatternBuilder grid(n * n, n * n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      for (const auto& [a, b] : {std::pair<Index, Index>{i, j}, {i + 1, j}, {i, j + 1}})
        if (a < n && b < n) {
          grid.add(n * i + j, n * a + b);
          grid.add(n * a + b, n * i + j);
        }
  const SparsityPattern small = grid.build();
  BOOST_CHECK_NO_THROW(make("block-tree")->attach(small, {}));  // blocks of up to 12 unknowns: allowed
  const SparsityPattern full = SparsityPattern::dense(40, 40);
  BOOST_CHECK_EXCEPTION(make("block-tree")->attach(full, {}), Error, says("no tree of small blocks"));
  BOOST_CHECK_EXCEPTION(started("chain", {{"links", "20"}}, "newton", {{"algebra", "blocktree"}}), Error,
                        says("did you mean \"block-tree\"?"));
}

BOOST_AUTO_TEST_CASE(singular_matrices_are_named) {
  TreeMatrix tree({-1, 0, 1}, 3);
  tree.values.setZero();
  for (const auto& name : {"dense", "band", "klu", "block-tree"}) {
    const auto algebra = make(name);
    algebra->attach(tree.pattern, tree.blocks);
    BOOST_TEST(!algebra->factor(tree.values, Setup::first), name);
    const bool named =
        algebra->message().find("dq[") != std::string::npos || algebra->message().find("lambda[") != std::string::npos;
    BOOST_TEST(named, name << ": " << algebra->message());
  }
}

// With the order of the same matrix before its rows and columns were scaled up and down by sixteen orders.
BOOST_AUTO_TEST_CASE(klu_solves_in_other_scales) {
  const TreeMatrix tree({-1, 0, 1, 1, 3}, 4);
  const auto algebra = make("klu");
  algebra->attach(tree.pattern, tree.blocks);
  BOOST_TEST_REQUIRE(algebra->factor(tree.values, Setup::first));
  Vector values = tree.values;
  Matrix dense = tree.dense;
  for (Index i = 0; i < dense.rows(); ++i) {
    const double scale = std::pow(10., i % 3 == 0 ? 8 : -8);
    dense.row(i) *= scale;
    dense.col((i * 7) % dense.cols()) *= i % 2 == 0 ? 1e6 : 1e-6;
  }
  for (Index i = 0, k = 0; i < dense.rows(); ++i)
    for (; k < tree.pattern.offsets[static_cast<std::size_t>(i) + 1]; ++k)
      values[k] = dense(i, tree.pattern.indices[static_cast<std::size_t>(k)]);
  const Vector expected = Vector::LinSpaced(dense.rows(), 1, 2);
  Vector x = dense * expected;
  BOOST_TEST_REQUIRE(algebra->factor(values, Setup::again));
  BOOST_TEST_REQUIRE(algebra->solve(x));
  BOOST_TEST((dense * x - dense * expected).lpNorm<Eigen::Infinity>() <=
             1e-10 * dense.cwiseAbs().maxCoeff() * x.lpNorm<Eigen::Infinity>());
}

// KLU keeps the order of another matrix: what small pivots leave of the right side, 1e-9 and 4e-7 of it in the second
// and third case, is refined, which allocates nothing, and where that is not enough there is another order.
BOOST_AUTO_TEST_CASE(klu_refines_before_it_factorises_anew) {
  const Index n = 4;
  const SparsityPattern pattern = SparsityPattern::dense(n, n);
  Matrix dense(n, n);
  double x = .3;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      x = 3.9 * x * (1 - x);
      dense(i, j) = x - .5;
    }
  const auto values = [&](double pivot) {
    dense.diagonal().setConstant(pivot);
    return Vector(dense.transpose().reshaped());
  };
  for (const double pivot : {1e-3, 1e-8, 1e-11, 1e-14, 0.}) {
    const auto algebra = make("klu");
    algebra->attach(pattern, {{"dq", 0, n}});
    const Vector first = values(3), second = values(pivot), right = Vector::LinSpaced(n, 1, 2);
    Vector d = right;
    BOOST_TEST_REQUIRE(algebra->factor(first, Setup::first));
    bool solved = false;
    long count = 0;
    {
      const validation::CountAllocations allocations;
      solved = algebra->factor(second, Setup::again) && algebra->solve(d);
      count = allocations.count();
    }
    BOOST_TEST_CONTEXT("pivot " << pivot) {
      BOOST_TEST(solved, algebra->message());
      if (validation::CountAllocations::available()) BOOST_TEST((count == 0) == (pivot > 1e-12));
      BOOST_TEST((dense * d - right).norm() < 1e-9 * d.norm());
    }
  }
}

// The matrix [M + lambda g''  G^T; G 0] of a net of n x n points and its rods, flat and at rest: lambda and most of G
// are 0.
BOOST_AUTO_TEST_CASE(klu_orders_a_net) {
  const Index n = 16, q = 3 * n * n, m = 2 * n * (n - 1);
  Matrix dense = Matrix::Zero(q + m, q + m);
  PatternBuilder builder(q + m, q + m);
  const auto add = [&](Index i, Index j, double value) {
    builder.add(i, j);
    dense(i, j) = value;
  };
  for (Index i = 0; i < q; ++i) add(i, i, 1 + .1 * std::sin(double(i)));
  for (Index k = 0; k < m; ++k) {
    const Index along = k % 2, i = k / 2 / (n - 1), j = k / 2 % (n - 1);
    const Index a = along == 0 ? i * n + j : j * n + i, b = a + (along == 0 ? 1 : n);
    for (Index c = 0; c < 3; ++c) {
      for (const auto& [point, value] : {std::pair<Index, double>{a, -1}, {b, 1}}) {
        add(3 * point + c, q + k, c == along ? value : 0);
        add(q + k, 3 * point + c, c == along ? value : 0);
      }
      add(3 * a + c, 3 * b + c, 0);
      add(3 * b + c, 3 * a + c, 0);
    }
  }
  const SparsityPattern pattern = builder.build();
  Vector values(pattern.nonzeros());
  for (Index i = 0, k = 0; i < q + m; ++i)
    for (; k < pattern.offsets[static_cast<std::size_t>(i) + 1]; ++k)
      values[k] = dense(i, pattern.indices[static_cast<std::size_t>(k)]);

  const std::vector<Block> blocks{{"dq", 0, q}, {"lambda", q, m}};
  const auto klu = make("klu"), restored = make("klu");
  klu->attach(pattern, blocks);
  const Vector right = Vector::LinSpaced(q + m, -1, 2);
  Vector x = right;
  BOOST_TEST_REQUIRE(klu->factor(values, Setup::first));
  BOOST_TEST_REQUIRE(klu->solve(x));
  BOOST_TEST((dense * x - right).lpNorm<Eigen::Infinity>() <= 1e-10 * x.lpNorm<Eigen::Infinity>());
  BOOST_TEST(std::stol(klu->summary()) < 150000, klu->summary());  // AMD: 194268, COLAMD: 107536

  // A checkpoint brings the order back: the same bits.
  Archive kept;
  klu->serialize(kept);
  Archive read(kept.bytes());
  restored->attach(pattern, blocks);
  restored->serialize(read);
  Vector y = right;
  BOOST_TEST_REQUIRE(restored->factor(values, Setup::again));
  BOOST_TEST_REQUIRE(restored->solve(y));
  BOOST_TEST((x.array() == y.array()).all());
  BOOST_TEST(restored->summary() == klu->summary());
}

// Bands of every width that has loops of its own, and a wider one; the entries ask for pivots.
BOOST_AUTO_TEST_CASE(band_solves_bands) {
  for (const Index width : {1, 2, 3, 4, 6})
    for (const Index n : {1, 2, 3, 7, 40}) {
      Matrix dense = Matrix::Zero(n, n);
      std::vector<std::pair<Index, Index>> entries;
      double x = .3;
      for (Index i = 0; i < n; ++i)
        for (Index j = std::max<Index>(0, i - width); j <= std::min(n - 1, i + width); ++j) {
          x = 3.9 * x * (1 - x);
          dense(i, j) = x - .5;
          entries.emplace_back(i, j);
        }
      const SparsityPattern pattern = SparsityPattern::from_entries(n, n, entries);
      Vector values(pattern.nonzeros());
      for (std::size_t k = 0; k < entries.size(); ++k)
        values[static_cast<Index>(k)] = dense(entries[k].first, entries[k].second);
      const auto band = make("band");
      band->attach(pattern, {{"x", 0, n}});
      Vector found = Vector::LinSpaced(n, -1, 2);
      const Vector expected = dense.fullPivLu().solve(found);
      long count = 0;
      bool good = false;
      {
        const validation::CountAllocations allocations;
        good = band->factor(values, Setup::first) && band->solve(found);
        count = allocations.count();
      }
      BOOST_TEST(good, band->message());
      BOOST_TEST(count == 0);
      BOOST_TEST((found - expected).norm() <= 1e-11 * expected.norm(), band->summary() << " of " << n);
      BOOST_TEST(band->pivot_ratio() <= 1);
    }
  const SparsityPattern pattern = SparsityPattern::from_entries(3, 3, {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 2}});
  const auto band = make("band");
  band->attach(pattern, {{"x", 0, 3}});
  BOOST_TEST(!band->factor(Vector{{1, 2, 2, 4, 1}}, Setup::first));
  BOOST_TEST(band->message() == "the column of x[1] has no pivot");
}

BOOST_AUTO_TEST_CASE(band_refuses_a_hopeless_band) {
  BOOST_CHECK_EXCEPTION(make("band")->attach(SparsityPattern::dense(80, 80), {}), Error, says("half bandwidth"));
}

BOOST_AUTO_TEST_CASE(options_of_an_algebra) {
  BOOST_CHECK_EXCEPTION(started("chain", chain_20, "newton", {{"algebra.rank", "revealing"}}), Error,
                        says("algebra = auto"));
  BOOST_CHECK_EXCEPTION(started("chain", chain_20, "newton", {{"algebra", "dense"}, {"algebra.rank", "reveling"}}),
                        Error, says("did you mean \"revealing\"?"));
  BOOST_CHECK_EXCEPTION(registry().algebra("kul"), Error, says("klu"));
}

// The Newton matrix of this pair is regular, and one of its blocks is not.
BOOST_AUTO_TEST_CASE(auto_goes_on_with_klu_where_a_block_is_singular) {
  const ProblemInstance polymer = registry().build("polymer", {{"start", "helix"}, {"beads", "6"}});
  const auto report = [&](const char* algebra) {
    return registry()
        .integrator(polymer, "symplectic-euler-true-adjoint", "newton", {}, {{"algebra", algebra}})
        .advance(10, 2e-3);
  };
  const StepReport alone = report("block-tree"), with_klu = report("auto");
  BOOST_TEST((alone.status == SolveStatus::singular_jacobian));
  BOOST_TEST(alone.message.find("block") != std::string::npos, alone.message);
  BOOST_TEST(with_klu.success(), with_klu.message);
}

// An algebra that is attached when it is needed gives the solutions of one that is attached at once, and a checkpoint
// has whether it was needed.
BOOST_AUTO_TEST_CASE(algebra_when_needed) {
  Integrator run = started("chain", chain_20, "newton", {});
  ScaledEquations equations(run.equations().system(0), JacobianSource::analytic);
  equations.update_scales();
  const AlgebraChoice choice(registry().algebra_table(),
                             Options("solver newton", registry().solver("newton").options()));
  const auto at_once = choice.attach(equations), later = choice.attach_when_needed(equations),
             restored = choice.attach_when_needed(equations);
  const auto copy = [](LinearAlgebra& from, LinearAlgebra& to) {
    Archive writes;
    from.serialize(writes);
    Archive reads(writes.bytes());
    to.serialize(reads);
  };
  copy(*later, *restored);
  BOOST_TEST(later->summary().empty());
  BOOST_TEST(restored->summary().empty());
  Vector values(equations.pattern().nonzeros()), expected = Vector::LinSpaced(equations.size(), 1, 2);
  BOOST_REQUIRE((equations.jacobian(Vector::Zero(equations.size()), values) == EvaluationStatus::ok));
  Vector found = expected, again = expected;
  BOOST_TEST_REQUIRE((at_once->factor(values, Setup::first) && at_once->solve(expected)));
  BOOST_TEST_REQUIRE((later->factor(values, Setup::first) && later->solve(found)));
  BOOST_TEST(later->summary() == at_once->summary());
  copy(*later, *restored);
  BOOST_TEST(restored->summary() == at_once->summary());
  BOOST_TEST_REQUIRE((restored->factor(values, Setup::again) && restored->solve(again)));
  BOOST_TEST((found - expected).norm() == 0);
  BOOST_TEST((again - expected).norm() == 0);
}

// Any algebra, any strategy: the same step, and no allocation but those that are declared.
BOOST_AUTO_TEST_CASE(every_algebra_in_every_strategy) {
  Integrator expected = started("chain", chain_20, "newton", {{"algebra", "dense"}});
  BOOST_TEST_REQUIRE(expected.advance(20, 1e-3).success());
  for (const char* solver : {"newton", "newton-simplified", "kinsol-newton", "kinsol-linesearch", "sun-newton"})
    for (const auto& algebra : registry().algebras()) {
      BOOST_TEST_CONTEXT(solver << " with " << algebra) {
        Integrator found = started("chain", chain_20, solver, {{"algebra", algebra}});
        StepReport report;
        long count = 0;
        {
          const validation::CountAllocations allocations;
          report = found.advance(20, 1e-3);
          count = allocations.count();
        }
        BOOST_TEST(report.success(), report.message);
        const bool allowed = algebra == "sparse-lu" || algebra == "sparse-qr" || validation::formats_messages(solver);
        BOOST_TEST((count == 0 || allowed));
        BOOST_TEST(apart(found, expected) <= 1e-11);
      }
    }
}

BOOST_AUTO_TEST_CASE(attached_pairs) {
  Integrator expected = started("chain", chain_20, "newton", {{"algebra", "dense"}});
  BOOST_TEST_REQUIRE(expected.advance(20, 1e-3).success());
  const auto reaches = [&](const AlgebraFactory& mine, const char* solver) {
    IntegratorOptions options;
    options.algebra = &mine;
    Integrator found = started("chain", chain_20, solver, {}, options);
    const StepReport report = found.advance(20, 1e-3);
    BOOST_TEST(report.success(), report.message);
    BOOST_TEST(apart(found, expected) <= 1e-11, mine.name() << " in " << solver);
  };
  const AttachedAlgebra dense("dense", [](N_Vector like, const SparsityPattern& p, SUNContext context) {
    SUNMatrix a = SUNDenseMatrix(p.rows, p.cols, context);
    return SunPair{a, SUNLinSol_Dense(like, a, context)};
  });
  const AttachedAlgebra band("band", [](N_Vector like, const SparsityPattern& p, SUNContext context) {
    SUNMatrix a = SUNBandMatrix(p.rows, p.rows - 1, p.rows - 1, context);
    return SunPair{a, SUNLinSol_Band(like, a, context)};
  });
  for (const int kind : {CSR_MAT, CSC_MAT}) {
    const AttachedAlgebra sparse("sparse", [kind](N_Vector like, const SparsityPattern& p, SUNContext context) {
      SUNMatrix a = SUNSparseMatrix(p.rows, p.cols, p.nonzeros(), kind, context);
      return SunPair{a, SUNLinSol_KLU(like, a, context)};
    });
    reaches(sparse, "newton");
    reaches(sparse, "kinsol-newton");
  }
  reaches(dense, "newton");
  reaches(dense, "kinsol-newton");
  reaches(band, "newton");

  // A pair of the user's own, which survives the integrator, and serves one system of equations at a time.
  const SunContext context;
  const Index size = 4 * 20;
  const SunOwner<SUNMatrix> matrix(SUNDenseMatrix(size, size, context));
  const SunOwner<N_Vector> like(N_VNew_Serial(size, context));
  const SunOwner<SUNLinearSolver> solver(SUNLinSol_Dense(like.get(), matrix.get(), context));
  const AttachedAlgebra mine("mine", matrix.get(), solver.get());
  for (int run = 0; run < 2; ++run) reaches(mine, "newton");
  IntegratorOptions options;
  options.algebra = &mine;
  const Integrator first = started("chain", chain_20, "newton", {}, options);
  BOOST_CHECK_EXCEPTION(started("chain", chain_20, "newton", {}, options), Error, says("another system of equations"));
}

BOOST_AUTO_TEST_CASE(attached_pairs_that_do_not_fit) {
  const auto refused = [](SUNMatrix (*create)(SUNContext), const std::string& part) {
    const AttachedAlgebra mine("mine", [create](N_Vector like, const SparsityPattern&, SUNContext context) {
      SUNMatrix a = create(context);
      return SunPair{a, SUNLinSol_SPGMR(like, SUN_PREC_NONE, 5, context)};
    });
    IntegratorOptions options;
    options.algebra = &mine;
    BOOST_CHECK_EXCEPTION(started("chain", chain_20, "newton", {}, options), Error, says(part));
  };
  refused([](SUNContext c) { return SUNDenseMatrix(3, 3, c); }, "expected 80 x 80");
  refused([](SUNContext c) { return SUNBandMatrix(80, 2, 2, c); }, "bandwidths 2 and 2");
  refused([](SUNContext c) { return SUNSparseMatrix(80, 80, 5, CSR_MAT, c); }, "room for 5 nonzeros");
  refused([](SUNContext) { return SUNMatrix(nullptr); }, "null");
}

BOOST_AUTO_TEST_CASE(dependent_constraints_are_named) {
  for (const char* solver : {"newton", "kinsol-newton", "sun-newton", "newton-simplified"}) {
    Integrator loop = started("bricard-loop", {}, solver, {});
    BOOST_TEST(loop.constraint_rank().rank == 23);
    BOOST_TEST_REQUIRE(loop.constraint_rank().dependent.size() == 1u);
    const StepReport report = loop.advance(100, 1e-2);
    BOOST_TEST(report.success(), solver << ": " << report.message);
    BOOST_TEST(loop.monitor().energy().max_abs_error() <= loop.monitor().energy_gate());
    // Those of the classical scheme alternate about the multipliers of least norm.
    const Vector shortest = loop.index1_multipliers();
    BOOST_TEST((shortest - loop.state().lambda).norm() <= .2 * shortest.norm());
  }
}

/// A hanging chain of 500 rods, some of which are there twice or three times, goes as the one without them.
BOOST_AUTO_TEST_CASE(dependent_constraints_of_large_systems) {
  const Index links = 500, n = 2 * links;
  auto rods = test::Truss::chain(links);
  for (const Index k : {20, 200, 200}) rods.push_back(rods[static_cast<std::size_t>(k)]);
  ProblemInstance plain, repeated;
  plain.model = std::shared_ptr<const System>(new test::Truss(test::unit_chain(links)));
  repeated.model = std::make_shared<test::Truss>(links, rods, Mass::diagonal(Vector::Ones(n)));
  for (ProblemInstance* instance : {&plain, &repeated}) {
    instance->q0 = test::chain_q(links);
    instance->p0 = Vector::Zero(n);
  }
  Integrator expected = registry().integrator(plain, "energy-momentum", "newton");
  Integrator found = registry().integrator(repeated, "energy-momentum", "newton");
  BOOST_TEST(found.constraint_rank().rank == links);
  BOOST_TEST(found.constraint_rank().dependent.size() == 3u);
  BOOST_TEST_REQUIRE(expected.advance(5, 1e-3).success());
  const StepReport report = found.advance(5, 1e-3);
  BOOST_TEST(report.success(), report.message);
  BOOST_TEST(apart(found, expected) <= 1e-11);
  BOOST_TEST(found.monitor().energy().max_abs_error() <= found.monitor().energy_gate());
  const Vector &lambda = found.state().lambda, &whole = expected.state().lambda;
  BOOST_TEST(std::abs(lambda[20] + lambda[500] - whole[20]) <= 1e-9 * whole.norm());
  BOOST_TEST(std::abs(lambda[200] + lambda[501] + lambda[502] - whole[200]) <= 1e-9 * whole.norm());
}

// Rods with spherical joints, turned against the axes, their bodies in no order: what solves their Newton matrices
// after their directors is the same step as klu on the whole matrix, through every scheme of bodies; block-tree takes
// them by name.
BOOST_AUTO_TEST_CASE(bodies_first) {
  std::string model = "format = 1\nname = \"rods\"\ngravity = [3, -5, -7]\npoints = { P = [0, 0, 0] }\n";
  constexpr int rods = 8;
  const int order[rods] = {3, 0, 7, 1, 5, 2, 6, 4};
  for (const int k : order)
    model += "[bodies.b" + std::to_string(k) + "]\nmass = 1.5\ninertia = [0.012, 0.08, 0.09]\n" +
             "markers = { left = [-0.5, 0, 0], right = [0.5, 0, 0] }\nposition = [" + std::to_string(k) +
             ".5, 0, 0]\n" + "angular_velocity = [0.3, 0, 1]\nvelocity = [0, " + std::to_string(k) + ".5, 0]\n";
  for (int k = 0; k < rods; ++k)
    model += "[joints.j" + std::to_string(k) + "]\ntype = \"spherical\"\nbetween = [\"" +
             (k == 0 ? "P" : "b" + std::to_string(k - 1) + ".right") + "\", \"b" + std::to_string(k) + ".left\"]\n";
  Registry own;
  register_builtin(own);
  own.add_model_text("rods.toml", model);
  const auto run = [&](const char* scheme, const Assignments& options, const Assignments& algebra) {
    Integrator run = own.integrator(own.build("rods.toml"), scheme, "newton", options, algebra, {});
    const validation::CountAllocations allocations;
    const StepReport report = run.advance(100, 5e-3);
    const long count = allocations.count();
    BOOST_TEST_REQUIRE(report.success(), report.message);
    if (algebra.empty() || algebra.front().second == "block-tree") BOOST_TEST(count == 0, scheme);
    return run;
  };
  const Integrator tree = run("energy-momentum", {}, {{"algebra", "block-tree"}});
  for (const auto& [scheme, options] : std::vector<std::pair<const char*, Assignments>>{
           {"energy-momentum", {}}, {"alpha", {}}, {"constrained-midpoint", {}}, {"rattle", {}}, {"hbvm", {}}}) {
    const Integrator automatic = run(scheme, options, {}), klu = run(scheme, options, {{"algebra", "klu"}});
    BOOST_TEST(apart(automatic, klu) < 1e-11, scheme);
    if (scheme == std::string("energy-momentum")) BOOST_TEST(apart(tree, klu) < 1e-11);
  }
  const ProblemInstance instance = own.build("rods.toml");
  Integrator start = own.integrator(instance, "energy-momentum", "newton", {}, {}, {});
  ScaledEquations equations(start.equations().system(0), JacobianSource::analytic);
  equations.set_bodies(body_of_coordinates(instance.model->mechanical()->traits()));
  const AlgebraChoice choice(own.algebra_table(), Options("solver newton", own.solver("newton").options()));
  // Of 8 rods 6 constraints each, and the joint of the first one to the ground.
  BOOST_TEST(choice.attach(equations)->summary().find("102 unknowns of bodies eliminated before") == 0);
}
