/// \file
/// klu: sparse LU of SuiteSparse; see kernels/klu_factors.hpp for what is kept from one factorisation to the next.

#include "algebra/kernels/klu_factors.hpp"
#include "gnomon/registry/named_factory.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/solve/linear_algebra.hpp"

namespace {

using namespace gnomon;

class Klu final : public LinearAlgebra {
 public:
  void attach(const SparsityPattern& pattern, const std::vector<Block>& blocks) override {
    blocks_ = blocks;
    factors_.attach(pattern);
  }
  bool factor(const ConstVectorRef& values, Setup) override { return factors_.factor(values) || fail_singular(); }
  bool solve(VectorRef x) override { return factors_.solve(x) || fail_singular(); }
  double pivot_ratio() const override { return factors_.pivot_ratio(); }
  void serialize(Archive& archive) override { factors_.serialize(archive); }
  double cost() const override { return 8.5 * factors_.expected_nonzeros() + 5 * factors_.size(); }
  std::string summary() const override { return std::to_string(factors_.nonzeros()) + " nonzeros in the factors"; }

 private:
  bool fail_singular() {
    const Index row = factors_.singular_row();
    return fail("row " + std::to_string(row) + " of the matrix, that of " + unknown_label(blocks_, row) +
                ", has no pivot");
  }

  std::vector<Block> blocks_;
  kernels::KluFactors factors_;
};

}  // namespace

GNOMON_PLUGIN(algebra_klu) {
  registrar.add(std::make_unique<NamedFactory<AlgebraFactory>>(
      "klu", "sparse LU of SuiteSparse (KLU), analysed once, its pivot order kept while the residual allows",
      [](const Options&) { return std::make_unique<Klu>(); }));
}
