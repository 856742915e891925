#pragma once
/// \file
/// Directions in which the start of a step may change. Private to the core.

#include <cmath>
#include <random>
#include <vector>

#include "run/derivatives/step_derivative.hpp"
#include "solve/tangent_space.hpp"

namespace gnomon {

/// The basis of the changes of (q, p) that constraints allow, as far as the scheme promises that it keeps them
/// (TangentSpace), then entries of what it carries beside. From the products c of a covector zb with all of them,
///
///     zb_p = W c_p,    zb_q = M N (c_q - S^T zb_p)
///
/// has these products, and so with every change that is allowed.
class StateDirections {
 public:
  explicit StateDirections(Integrator& run);
  /// To the start of a step of this size; all products are zero.
  void set(const State& z, double h);
  /// add(direction, product) for each of them; false where it said so. What the scheme carries beside q and p is one
  /// direction at random, and where its product is more than `rounding` over its change, each entry is one; what the
  /// border of constraints that repeat others carries is another one.
  template <class Add>
  bool each(double rounding, const Add& add) {
    for (Index k = 0; k < products_.size(); ++k)
      if (!add(basis_[static_cast<std::size_t>(k)], products_[k])) return false;
    const Index of_scheme = n_data_ + n_lambda_;
    return each(0, of_scheme, rounding, add) && each(of_scheme, carried_.size(), rounding, add);
  }
  StateChange covector() const;

 private:
  template <class Add>
  bool each(Index first, Index end, double rounding, const Add& add) {
    if (first == end) return true;
    double product = 0;
    if (!add(beside(first, end), product)) return false;
    for (Index k = first; k < end && std::abs(product) * beside_.largest() > rounding; ++k)
      if (!add(entry(k), carried_[k])) return false;
    return true;
  }
  /// A change of these entries of what is carried, at random.
  Direction& beside(Index first, Index end);
  Direction& entry(Index place);
  /// dz with these entries of what is carried
  void set_carried(Direction& direction, const Vector& entries) const;

  Integrator& run_;
  HeldConstraints held_;
  TangentSpace space_;
  std::vector<Direction> basis_, entries_;
  Direction beside_;
  Vector products_, carried_;  ///< of the basis, and of the entries [scheme_data | lambda | q of border]
  Vector scales_;              ///< of these
  Index n_data_ = 0, n_lambda_ = 0, n_border_ = 0;
  StateChange none_;
  std::mt19937 random_;
};

}  // namespace gnomon
