#pragma once
/// \file
/// Bodies first: the constraints that a body has alone, |d_i| = 1 and d_i.d_j = 0 of its directors, leave a Newton
/// matrix together with as many of its coordinates, before anything that couples bodies is factorised. It is the null
/// space method of Betsch and Leyendecker (Int. J. Numer. Meth. Engng 67 (2006) 499-552) for one body, with null spaces
/// of the matrix itself: the solution of J x = f is the same one, with all its multipliers.
///
/// For one body, with its own multipliers y and the coordinates x that they meet, z everything else,
///
///     | K  A  E |   | x |   | f |      with B X = I, B N = 0, A^T L = 0, A^T W = I:
///     | B  0  0 | * | y | = | b |      L^T K N u + L^T E z = L^T (f - K X b),    F N u + D z = g - F X b,
///     | F  0  D |   | z |   | g |      x = X b + N u,    y = W^T (f - K x - E z).
///
/// N and L are echelon forms: unit rows where coordinates are kept, and where one is not minus what its pivot row has
/// left. Pivots are chosen by value in every factorisation; the pattern of what is left holds for all choices. A body
/// takes part whose own constraints meet the same coordinates by rows and by columns.

#include <vector>

#include "gnomon/base/archive.hpp"
#include "gnomon/base/sparsity.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon {

/// A number for every coordinate: of the body that its block belongs to, by the name of the block up to a dot, or -1
/// where no block has it. Empty where the traits name no blocks.
GNOMON_EXPORT std::vector<int> body_of_coordinates(const SystemTraits& traits);

class GNOMON_EXPORT BodyCondensation {
 public:
  /// body: of each unknown, -1 where it is no coordinate. The pattern pairs row i with unknown i; a multiplier has no
  /// diagonal entry. Bodies with more than `most_own` constraints of their own stay as they are.
  BodyCondensation(const SparsityPattern& pattern, std::vector<int> body);
  static constexpr std::size_t most_own = 48;

  /// How many unknowns leave the matrix.
  Index removed() const { return 2 * static_cast<Index>(own_.size()); }
  /// The pattern of the matrix that is left.
  const SparsityPattern& pattern() const { return left_; }
  /// For each of its unknowns one of J: itself, or one of the coordinates that it stands for.
  const std::vector<int>& unknowns() const { return unknowns_; }

  /// left = the values of the matrix that is left of J with these values, which stay as they are until the next
  /// factor. False where constraints of a body depend on each other: the row of one of them is singular_row().
  bool factor(const double* values, Vector& left);
  int singular_row() const { return singular_row_; }
  /// The smallest pivot of the last factorisation, at most 1: the matrix is scaled.
  double pivot_ratio() const { return 1 / largest_inverse_; }
  /// The pivots, which the next factorisation prefers.
  void serialize(Archive& archive);

  /// left = the right hand side of what is left, from f.
  void reduce(const ConstVectorRef& f, VectorRef left);
  /// x = the solution of J x = f, with the f of the last reduce, from the solution of what is left.
  void expand(const ConstVectorRef& left, VectorRef x);

  /// How many bodies take part.
  double bodies() const { return static_cast<double>(bodies_.size()); }
  /// Multiplications in a factorisation, and in a solution.
  double products() const;
  double solve_products() const;

 private:
  enum Kind : char { plain, coordinate, owned };
  /// `count` coordinates from `first` in coordinates_, `own` constraints from `first_own` in own_; what it keeps is
  /// `kept` unknowns from `slot` of what is left.
  struct Body {
    int first, count, first_own, own, kept, slot;
    int basis;    ///< N and L from here: count x kept, row by row
    int factors;  ///< of the elimination from here: own x own, column by column
  };
  /// A value of J in a row and column. `to`: of E in places_, of F among the values of what is left.
  struct Entry {
    int row, column, value, to;
  };
  struct Plain {
    int to, value;
  };
  /// Entries first .. last of inner_, which couple two bodies or are within one.
  struct Coupling {
    int row, column, first, last;
    int to;  ///< in places_
  };
  /// B, or A^T, and what elimination makes of it.
  struct Echelon {
    std::vector<Plain> entries;  ///< by body; places in B, column by column
    std::vector<int> last;       ///< behind the last entry of each body
    std::vector<int> pivots;     ///< coordinate of each of own_, counted within the body; -1 of all of a body: none yet
    Vector basis, factors;

    const double* row(const Body& body, int c) const {
      return basis.data() + body.basis + (c - body.first) * body.kept;
    }
  };

  static constexpr double largest_basis = 10;  // entry of N and L with pivots of before
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  const Body& owner(int c) const { return bodies_[at(body_[at(coordinates_[at(c)])])]; }
  void find_bodies(const SparsityPattern& pattern);
  void add(int unknown, Kind kind, std::vector<int>& list);
  void number_left();
  void place_entries(const SparsityPattern& pattern);
  bool eliminate(const Body& body, Echelon& form, const double* values);
  template <class Own, class Kept>
  bool eliminate(const Body& body, Echelon& form, const double* values, Own own, Kept kept, bool search);
  template <int Kept>
  void couple(const Coupling& block, const double* values, double* left);

  std::vector<int> body_, index_;  // of an unknown: in bodies_; in coordinates_, own_ or what is left
  std::vector<Kind> kind_;         // of an unknown
  std::vector<Body> bodies_;
  std::vector<int> coordinates_, own_, plain_;  // unknowns
  std::vector<int> unknowns_;
  SparsityPattern left_;
  Echelon rows_, columns_;                    // of B and of A^T
  std::vector<Plain> plain_entries_;          // of D
  std::vector<Entry> right_, below_, inner_;  // of E, F and K, by coordinates_ and unknowns of what is left
  std::vector<Coupling> blocks_;              // of K
  std::vector<int> places_;                   // first values of rows of what is left
  const double* values_ = nullptr;
  int singular_row_ = -1;
  double largest_inverse_ = 1;
  Vector work_;                             // one body's B, or K N
  std::vector<int> open_;                   // its coordinates without a pivot
  Vector particular_, force_, kept_force_;  // X b, then x; f - K X b; f
};

}  // namespace gnomon
