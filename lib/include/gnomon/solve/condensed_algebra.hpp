#pragma once
/// \file
/// Linear algebra of a matrix that bodies have left first (body_condensation.hpp).

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/solve/body_condensation.hpp"
#include "gnomon/solve/linear_algebra.hpp"

namespace gnomon {

class GNOMON_EXPORT CondensedAlgebra final : public LinearAlgebra {
 public:
  /// rest is attached to what the condensation leaves; blocks are those of the whole matrix.
  CondensedAlgebra(std::unique_ptr<BodyCondensation> bodies, std::unique_ptr<LinearAlgebra> rest,
                   std::vector<Block> blocks);

  void attach(const SparsityPattern&, const std::vector<Block>&) override {}
  bool factor(const ConstVectorRef& values, Setup setup) override;
  bool solve(VectorRef x) override;
  double pivot_ratio() const override { return std::min(bodies_->pivot_ratio(), rest_->pivot_ratio()); }
  void serialize(Archive& archive) override;
  std::string summary() const override;
  double cost() const override;

 private:
  std::unique_ptr<BodyCondensation> bodies_;
  std::unique_ptr<LinearAlgebra> rest_;
  std::vector<Block> blocks_;
  Vector values_, x_;  // of what is left
};

}  // namespace gnomon
