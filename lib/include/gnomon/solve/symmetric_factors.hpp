#pragma once
/// \file
/// A = L D L^T of a sparse symmetric matrix that may be indefinite, and its inertia.

#include <string>
#include <vector>

#include "gnomon/base/sparsity.hpp"

namespace gnomon {

/// Numbers of positive, negative and vanishing eigenvalues.
struct Inertia {
  Index positive = 0, negative = 0, zero = 0;

  bool is(Index p, Index n) const { return positive == p && negative == n && zero == 0; }
  /// "(80, 40, 0)"
  GNOMON_EXPORT std::string text() const;
};

/// P A P^T = L D L^T, D of blocks 1 x 1 and 2 x 2, inside a front that moves through the unknowns in reverse
/// Cuthill-McKee order. A pivot is eliminated where the entries of L stay below 1/u = 10, and is delayed otherwise, so
/// that the factors are those of A + E with
///
///     |E|_2 <= backward_error() = 8 eps f max |entry of a front|,    f the largest front
///
/// By Sylvester's law the inertia of A + E is that of D. Cost O(N f^2). Source: Duff, Reid, ACM Trans. Math. Softw. 9
/// (1983) 302, sections 2 and 3.
class GNOMON_EXPORT SymmetricFactors {
 public:
  /// Of a pattern that is its own transpose.
  explicit SymmetricFactors(const SparsityPattern& pattern);

  /// Of D. An unknown that no pivot above eps max |A| is left for counts as a zero.
  Inertia factorise(const ConstVectorRef& values);
  double backward_error() const;
  /// x <- A^-1 x, for an A without zeros in its inertia.
  void solve(VectorRef x) const;

 private:
  struct Pivot {
    Index first, second;  ///< second = -1: 1 x 1
    double a, b, c;       ///< of the inverse of the block: a, b on the diagonal
    std::size_t begin, end;
  };
  struct Entry {
    Index row;
    double first, second;
  };
  Index enter(Index unknown);
  void leave(Index local);
  void eliminate(Inertia& inertia);
  bool eliminate_at(Index p, Inertia& inertia);
  void take(Index p, Index q, Inertia& inertia);

  const SparsityPattern pattern_;
  std::vector<Index> order_, places_;
  std::vector<Index> local_, unknowns_;  // unknown -> place in the front or -1, and back
  std::vector<char> summed_;             // of the places in the front: all its entries have been added
  Matrix front_;
  Index largest_front_ = 0;
  double largest_entry_ = 0, tiny_ = 0;
  std::vector<Pivot> pivots_;
  std::vector<Entry> entries_;
};

}  // namespace gnomon
