#pragma once
/// \file
/// Which degrees of freedom of a beam are unknown: z = (x_0, x'_0, x_1, x'_1, ...) without those that its ends
/// prescribe.

#include <cmath>
#include <string>
#include <vector>

#include "gnomon/model/system.hpp"

namespace gnomon::problems {

/// What holds an end of the beam.
struct BeamEnd {
  bool fixed = false;    ///< x is prescribed
  bool clamped = false;  ///< x' too
  Vector x, direction;
  Vector amplitude;  ///< x(t) = x + amplitude (1 - cos(frequency t)), from rest; empty: none
  double frequency = 0;

  bool moves() const { return fixed && amplitude.size() > 0; }
  /// Component c of x(t), and its derivatives.
  double at(double t, Index c) const { return x[c] + 2 * amplitude[c] * std::pow(std::sin(0.5 * frequency * t), 2); }
  double velocity(double t, Index c) const { return amplitude[c] * frequency * std::sin(frequency * t); }
  double acceleration(double t, Index c) const {
    return amplitude[c] * frequency * frequency * std::cos(frequency * t);
  }
};

/// Numbers the free z; q are those. The x of an end that moves is free: constraints hold it.
class BeamUnknowns {
 public:
  BeamUnknowns(Index dimension, Index nodes, const BeamEnd& a, const BeamEnd& b) : dimension_(dimension) {
    const Index all = 2 * dimension_ * nodes;
    free_.assign(static_cast<std::size_t>(all), 0);
    prescribed_.setZero(all);
    const auto prescribe = [this](const Vector& x, Index first) {
      prescribed_.segment(first, dimension_) = x;
      for (Index c = 0; c < dimension_; ++c) free_[static_cast<std::size_t>(first + c)] = -1;
    };
    const Index last = 2 * dimension_ * (nodes - 1);
    if (a.fixed && !a.moves()) prescribe(a.x, 0);
    if (a.clamped) prescribe(a.direction, dimension_);
    if (b.fixed && !b.moves()) prescribe(b.x, last);
    if (b.clamped) prescribe(b.direction, last + dimension_);
    for (Index z = 0; z < all; ++z) {
      if (z % (2 * dimension_) == 0) blocks_.push_back({"node" + std::to_string(z / (2 * dimension_)), size_, 0});
      if (index(z) < 0) continue;
      free_[z] = size_++;
      if (blocks_.back().size == 0 && z % (2 * dimension_) >= dimension_)  // its place is prescribed
        blocks_.back().name = "slope" + std::to_string(z / (2 * dimension_));
      ++blocks_.back().size;
    }
    if (blocks_.back().size == 0) blocks_.pop_back();
    if (blocks_.front().size == 0) blocks_.erase(blocks_.begin());
  }

  Index size() const { return size_; }
  /// A named range of q for every node that has some.
  const std::vector<Block>& blocks() const { return blocks_; }

  /// All z of a configuration, and the configuration in them.
  Vector all_of(const ConstVectorRef& q) const {
    Vector z = prescribed_;
    for (Index i = 0; i < z.size(); ++i) z[i] = value(q, i);
    return z;
  }
  Vector free_of(const Vector& z) const {
    Vector q(size_);
    for (Index i = 0; i < z.size(); ++i)
      if (index(i) >= 0) q[index(i)] = z[i];
    return q;
  }

  /// Component c of degree of freedom a of element e, among all z; and its place in q, or -1.
  Index at(Index e, Index a, Index c) const { return (2 * e + a) * dimension_ + c; }
  Index index(Index z) const { return free_[z]; }
  double value(const ConstVectorRef& q, Index z) const { return index(z) >= 0 ? q[index(z)] : prescribed_[z]; }
  double rate(const ConstVectorRef& v, Index z) const { return index(z) >= 0 ? v[index(z)] : 0; }
  double prescribed(Index z) const { return prescribed_[z]; }

 protected:
  const Index dimension_;

 private:
  Index size_ = 0;
  std::vector<Index> free_;  // z -> q, or -1
  Vector prescribed_;
  std::vector<Block> blocks_;
};

}  // namespace gnomon::problems
