// Newton matrices that bodies have left: solutions are compared with those of dense factors, for bodies of several
// sizes in any order, with springs and joints between them; pivots are followed, and a checkpoint has them.
#include <Eigen/LU>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <random>

#include "gnomon/solve/body_condensation.hpp"

namespace {

using namespace gnomon;

struct Size {
  int coordinates, met, own;  ///< of a body: how many, how many of them its own constraints meet, and these
};

/// Bodies in a row with joints of two rows and, if asked for, springs between neighbours, in a random order.
struct Machine {
  std::vector<int> body, order;
  Matrix pattern, values;

  Machine(const std::vector<Size>& sizes, bool springs, std::mt19937& random) {
    std::vector<int> first;
    for (std::size_t b = 0; b < sizes.size(); ++b) {
      first.push_back(static_cast<int>(body.size()));
      body.insert(body.end(), static_cast<std::size_t>(sizes[b].coordinates), static_cast<int>(b));
      body.insert(body.end(), static_cast<std::size_t>(sizes[b].own), -1);
    }
    const int joints = static_cast<int>(body.size());
    body.insert(body.end(), 2 * (sizes.size() - 1), -1);
    pattern = Matrix::Zero(size(), size());
    for (std::size_t b = 0; b < sizes.size(); ++b) {
      const Size& s = sizes[b];
      pattern.block(first[b], first[b], s.coordinates, s.coordinates).setOnes();
      set(first[b] + s.coordinates, first[b], s.own, s.met);
      if (b == 0) continue;
      const int joint = joints + 2 * static_cast<int>(b) - 2;
      set(joint, first[b], 2, s.coordinates);
      set(joint, first[b - 1], 2, sizes[b - 1].coordinates);
      if (springs) set(first[b], first[b - 1], s.coordinates, sizes[b - 1].coordinates);
    }
    order.resize(body.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    pattern = shuffled(pattern);
    std::vector<int> in_order;
    for (const int i : order) in_order.push_back(body[static_cast<std::size_t>(i)]);
    body = in_order;
    draw(random);
  }

  Index size() const { return static_cast<Index>(body.size()); }
  void draw(std::mt19937& random) {
    std::uniform_real_distribution<double> number(-1, 1);
    values = Matrix::NullaryExpr(size(), size(), [&] { return number(random); }).cwiseProduct(pattern);
    for (Index i = 0; i < size(); ++i) values(i, i) += 3 * pattern(i, i);
  }
  SparsityPattern sparsity() const {
    std::vector<std::pair<Index, Index>> entries;
    for (Index i = 0; i < size(); ++i)
      for (Index j = 0; j < size(); ++j)
        if (pattern(i, j) != 0) entries.emplace_back(i, j);
    return SparsityPattern::from_entries(size(), size(), entries);
  }
  Vector entries() const {
    const SparsityPattern p = sparsity();
    Vector out(p.nonzeros());
    for (Index i = 0; i < size(); ++i)
      for (Index k = p.offsets[static_cast<std::size_t>(i)]; k < p.offsets[static_cast<std::size_t>(i) + 1]; ++k)
        out[k] = values(i, p.indices[static_cast<std::size_t>(k)]);
    return out;
  }

 private:
  void set(int row, int column, int rows, int columns) {
    pattern.block(row, column, rows, columns).setOnes();
    pattern.block(column, row, columns, rows).setOnes();
  }
  Matrix shuffled(const Matrix& a) const {
    Matrix out(a.rows(), a.cols());
    for (Index i = 0; i < a.rows(); ++i)
      for (Index j = 0; j < a.cols(); ++j)
        out(i, j) = a(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
    return out;
  }
};

/// J^-1 f by the condensation and dense factors of what it leaves.
Vector solved(BodyCondensation& bodies, const Vector& entries, const Vector& f) {
  Vector left(bodies.pattern().nonzeros()), x = f, u(bodies.pattern().cols);
  BOOST_TEST_REQUIRE(bodies.factor(entries.data(), left));
  bodies.reduce(f, u);
  u = Vector(to_dense(bodies.pattern(), left).fullPivLu().solve(u));
  bodies.expand(u, x);
  return x;
}

}  // namespace

BOOST_AUTO_TEST_CASE(solutions_are_those_of_the_whole_matrix) {
  std::mt19937 random(5);
  const std::vector<std::vector<Size>> machines{{{12, 9, 6}},
                                                {{12, 9, 6}, {12, 9, 6}, {12, 9, 6}},
                                                {{6, 4, 3}, {6, 4, 3}},
                                                {{12, 9, 9}, {6, 4, 3}, {3, 0, 0}, {12, 12, 11}, {7, 5, 1}}};
  for (const auto& sizes : machines)
    for (const bool springs : {false, true}) {
      Machine machine(sizes, springs, random);
      BodyCondensation bodies(machine.sparsity(), machine.body);
      Index own = 0;
      for (const Size& s : sizes) own += s.own;
      BOOST_TEST(bodies.removed() == 2 * own);
      BOOST_TEST(bodies.pattern().cols == machine.size() - 2 * own);
      // Other values with the same object: pivots of before are kept, or replaced where they have become small.
      for (int trial = 0; trial < 50; ++trial) {
        machine.draw(random);
        const Vector f = Vector::LinSpaced(machine.size(), -1, 2);
        const Vector x = solved(bodies, machine.entries(), f);
        BOOST_TEST((machine.values * x - f).norm() <= 1e-10 * (1 + x.norm()));
        BOOST_TEST(bodies.pivot_ratio() <= 1);
      }
    }
}

BOOST_AUTO_TEST_CASE(a_pivot_that_vanishes_is_replaced) {
  std::mt19937 random(11);
  Machine machine({{12, 9, 6}, {12, 9, 6}}, false, random);
  BodyCondensation bodies(machine.sparsity(), machine.body);
  const Vector f = Vector::LinSpaced(machine.size(), -1, 2);
  solved(bodies, machine.entries(), f);
  // One coordinate after the other has no part in the constraints of its body.
  for (Index j = 0; j < machine.size(); ++j) {
    if (machine.body[static_cast<std::size_t>(j)] < 0) continue;
    const Matrix before = machine.values;
    for (Index i = 0; i < machine.size(); ++i)
      if (machine.body[static_cast<std::size_t>(i)] < 0) machine.values(i, j) = machine.values(j, i) = 0;
    const Vector x = solved(bodies, machine.entries(), f);
    BOOST_TEST((machine.values * x - f).norm() <= 1e-10 * (1 + x.norm()));
    machine.values = before;
  }
}

BOOST_AUTO_TEST_CASE(constraints_of_a_body_that_depend_on_each_other_are_named) {
  std::mt19937 random(3);
  Machine machine({{12, 9, 6}, {12, 9, 6}}, false, random);
  Index own[2], found = 0;
  for (Index i = 0; i < machine.size() && found < 2; ++i) {
    if (machine.body[static_cast<std::size_t>(i)] >= 0) continue;
    if (found == 1 && (machine.pattern.row(i) != machine.pattern.row(own[0]))) continue;
    if (machine.pattern.row(i).sum() == 9) own[found++] = i;
  }
  BOOST_TEST_REQUIRE(found == 2);
  machine.values.row(own[1]) = 2 * machine.values.row(own[0]);
  BodyCondensation bodies(machine.sparsity(), machine.body);
  Vector left(bodies.pattern().nonzeros());
  BOOST_TEST(!bodies.factor(machine.entries().data(), left));
  BOOST_TEST((bodies.singular_row() == own[0] || bodies.singular_row() == own[1]));
  // The next matrix is solved as if that one had not been there.
  machine.draw(random);
  const Vector f = Vector::LinSpaced(machine.size(), -1, 2), x = solved(bodies, machine.entries(), f);
  BOOST_TEST((machine.values * x - f).norm() <= 1e-10 * (1 + x.norm()));
}

// With the pivots of a run that went before, what is left has the same bits.
BOOST_AUTO_TEST_CASE(pivots_are_restored) {
  std::mt19937 random(8);
  Machine machine({{12, 9, 6}, {6, 4, 3}}, true, random);
  BodyCondensation bodies(machine.sparsity(), machine.body), restored(machine.sparsity(), machine.body);
  const Vector f = Vector::LinSpaced(machine.size(), -1, 2);
  for (int k = 0; k < 3; ++k, machine.draw(random)) solved(bodies, machine.entries(), f);
  Archive writes;
  bodies.serialize(writes);
  Archive reads(writes.bytes());
  restored.serialize(reads);
  Vector a(bodies.pattern().nonzeros()), b = a;
  const Vector entries = machine.entries();
  BOOST_TEST_REQUIRE((bodies.factor(entries.data(), a) && restored.factor(entries.data(), b)));
  BOOST_TEST((a - b).norm() == 0);
  Archive other;
  BodyCondensation({machine.sparsity()}, std::vector<int>(machine.body.size(), -1)).serialize(other);
  Archive reads_other(other.bytes());
  BOOST_CHECK_THROW(restored.serialize(reads_other), Error);
  // Pivots that no elimination leaves: each is the first coordinate of its body, or one of several has none.
  for (const int pivot : {0, -1}) {
    std::vector<int> bad(9, 0);
    std::iota(bad.begin(), bad.begin() + 6, 0);
    std::iota(bad.begin() + 6, bad.end(), 0);
    bad[1] = pivot;
    Archive writes_bad;
    writes_bad(bad, bad);
    Archive reads_bad(writes_bad.bytes());
    BOOST_CHECK_THROW(restored.serialize(reads_bad), Error);
  }
}

BOOST_AUTO_TEST_CASE(bodies_without_constraints_of_their_own_stay) {
  std::mt19937 random(2);
  const Machine points({{3, 0, 0}, {3, 0, 0}, {3, 0, 0}}, true, random);
  BOOST_TEST(BodyCondensation(points.sparsity(), points.body).removed() == 0);
  // Rows and columns that meet different coordinates.
  Machine machine({{12, 9, 6}, {3, 0, 0}}, false, random);
  for (Index i = 0; i < machine.size(); ++i)
    if (machine.pattern.row(i).sum() == 9)
      for (Index j = 0; j < machine.size(); ++j)
        if (machine.pattern(i, j) != 0) {
          for (Index k = 0; k < machine.size(); ++k)
            if (machine.body[static_cast<std::size_t>(k)] < 0 && machine.pattern.row(k).sum() == 9)
              machine.pattern(k, j) = 0;
          BOOST_TEST(BodyCondensation(machine.sparsity(), machine.body).removed() == 0);
          return;
        }
}

BOOST_AUTO_TEST_CASE(bodies_by_the_names_of_blocks) {
  SystemTraits traits;
  traits.n = 9;
  BOOST_TEST(body_of_coordinates(traits).empty());
  traits.blocks = {{"crank.d1", 3, 2}, {"rod", 0, 2}, {"crank", 5, 2}, {"rod.d1", 7, 1}};
  const std::vector<int> expected{1, 1, -1, 0, 0, 0, 0, 1, -1};
  BOOST_TEST(body_of_coordinates(traits) == expected, boost::test_tools::per_element());
}
