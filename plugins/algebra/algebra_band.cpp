/// \file
/// band: LU with partial pivoting inside the band that the reverse Cuthill-McKee order leaves, O(n b^2) for half
/// bandwidth b; see kernels/banded_lu.hpp.

#include "algebra/kernels/banded_lu.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/solve/linear_algebra.hpp"

namespace {

using namespace gnomon;

class Band final : public LinearAlgebra {
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
  std::string summary() const override { return "half bandwidth " + std::to_string(lu_.bandwidth()); }

 private:
  const SparsityPattern* pattern_ = nullptr;
  std::vector<Block> blocks_;
  kernels::BandedLU lu_;
};

class BandFactory final : public AlgebraFactory {
 public:
  std::string name() const override { return "band"; }
  std::string description() const override { return "banded LU after a reverse Cuthill-McKee ordering"; }
  std::unique_ptr<LinearAlgebra> create(const Options&) const override { return std::make_unique<Band>(); }
};

}  // namespace

GNOMON_PLUGIN(algebra_band) {
  registrar.add(std::make_unique<BandFactory>());
}
