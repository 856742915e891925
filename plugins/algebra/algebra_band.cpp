/// \file
/// band: LU with partial pivoting inside a band, O(n b^2) for half bandwidth b: that of the matrix as it is where b is
/// at most 4 (kernels/narrow_lu.hpp), else the one that the reverse Cuthill-McKee order leaves (kernels/banded_lu.hpp).

#include <algorithm>
#include <cstdlib>

#include "algebra/kernels/banded_lu.hpp"
#include "algebra/kernels/narrow_lu.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/registry/named_factory.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/solve/linear_algebra.hpp"

namespace {

using namespace gnomon;

/// Half bandwidth of the matrix in the order that it has.
Index own_bandwidth(const SparsityPattern& pattern) {
  Index width = 0;
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      width = std::max(width, std::abs(pattern.indices[k] - i));
  return width;
}

template <int W>
class NarrowBand final : public LinearAlgebra {
 public:
  void attach(const SparsityPattern& pattern, const std::vector<Block>& blocks) override {
    blocks_ = blocks;
    lu_ = std::make_unique<kernels::NarrowLU<W>>(pattern);
    size_ = static_cast<double>(pattern.rows);
  }
  bool factor(const ConstVectorRef& values, Setup) override {
    return lu_->factorise(values.data()) ||
           fail("the column of " + unknown_label(blocks_, lu_->singular_column()) + " has no pivot");
  }
  bool solve(VectorRef x) override {
    lu_->solve(x);
    return all_finite(x) || fail("the solution is not finite: the matrix is singular");
  }
  double pivot_ratio() const override { return lu_->pivot_ratio(); }
  double cost() const override { return size_ * (40 + 25 * W); }
  std::string summary() const override { return "half bandwidth " + std::to_string(W); }

 private:
  std::vector<Block> blocks_;
  std::unique_ptr<kernels::NarrowLU<W>> lu_;
  double size_ = 0;
};

class WideBand final : public LinearAlgebra {
 public:
  void attach(const SparsityPattern& pattern, const std::vector<Block>& blocks) override {
    pattern_ = &pattern;
    blocks_ = blocks;
    const Index n = pattern.rows, width = kernels::BandedLU::bandwidth_of(pattern);
    // A band of this width costs more memory than the full matrix; small ones do no harm.
    if (n > 60 && 3 * width + 1 > n)
      throw Error(ErrorCode::refused, "in reverse Cuthill-McKee order its half bandwidth is " + std::to_string(width) +
                                          " with " + std::to_string(n) + " unknowns, expected at most a third of them");
    lu_ = kernels::BandedLU(pattern);
  }
  bool factor(const ConstVectorRef& values, Setup) override {
    lu_.clear();
    for (Index i = 0; i < pattern_->rows; ++i)
      for (Index k = pattern_->offsets[i]; k < pattern_->offsets[i + 1]; ++k)
        lu_.add(i, pattern_->indices[k], values[k]);
    return lu_.factorise() || fail("the column of " + unknown_label(blocks_, lu_.singular_column()) + " has no pivot");
  }
  bool solve(VectorRef x) override {
    lu_.solve(x);
    return x.allFinite() || fail("the solution is not finite: the matrix is singular");
  }
  double cost() const override {
    const double width = static_cast<double>(lu_.bandwidth());
    return static_cast<double>(pattern_->rows) * (130 + 5 * width + width * width / 2);
  }
  std::string summary() const override { return "half bandwidth " + std::to_string(lu_.bandwidth()); }

 private:
  const SparsityPattern* pattern_ = nullptr;
  std::vector<Block> blocks_;
  kernels::BandedLU lu_;
};

class Band final : public LinearAlgebra {
 public:
  void attach(const SparsityPattern& pattern, const std::vector<Block>& blocks) override {
    const Index width = own_bandwidth(pattern);
    if (width <= 1)
      band_ = std::make_unique<NarrowBand<1>>();
    else if (width == 2)
      band_ = std::make_unique<NarrowBand<2>>();
    else if (width == 3)
      band_ = std::make_unique<NarrowBand<3>>();
    else if (width == 4)
      band_ = std::make_unique<NarrowBand<4>>();
    else
      band_ = std::make_unique<WideBand>();
    band_->attach(pattern, blocks);
  }
  bool factor(const ConstVectorRef& values, Setup setup) override {
    return band_->factor(values, setup) || fail(band_->message());
  }
  bool solve(VectorRef x) override { return band_->solve(x) || fail(band_->message()); }
  double pivot_ratio() const override { return band_->pivot_ratio(); }
  double cost() const override { return band_->cost(); }
  std::string summary() const override { return band_->summary(); }

 private:
  std::unique_ptr<LinearAlgebra> band_;
};

}  // namespace

GNOMON_PLUGIN(algebra_band) {
  registrar.add(std::make_unique<NamedFactory<AlgebraFactory>>(
      "band", "banded LU, after a reverse Cuthill-McKee ordering if need be",
      [](const Options&) { return std::make_unique<Band>(); }));
}
