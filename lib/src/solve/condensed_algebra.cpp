#include "gnomon/solve/condensed_algebra.hpp"

#include <algorithm>

namespace gnomon {

CondensedAlgebra::CondensedAlgebra(std::unique_ptr<BodyCondensation> bodies, std::unique_ptr<LinearAlgebra> rest,
                                   std::vector<Block> blocks)
    : bodies_(std::move(bodies)), rest_(std::move(rest)), blocks_(std::move(blocks)) {
  values_.setZero(bodies_->pattern().nonzeros());
  x_.setZero(bodies_->pattern().cols);
}

bool CondensedAlgebra::factor(const ConstVectorRef& values, Setup setup) {
  if (!bodies_->factor(values.data(), values_))
    return fail("the constraints of one body depend on each other: " + unknown_label(blocks_, bodies_->singular_row()) +
                " has no pivot");
  return rest_->factor(values_, setup) || fail(rest_->message());
}

bool CondensedAlgebra::solve(VectorRef x) {
  bodies_->reduce(x, x_);
  if (!rest_->solve(x_)) return fail(rest_->message());
  bodies_->expand(x_, x);
  return true;
}

void CondensedAlgebra::serialize(Archive& archive) {
  bodies_->serialize(archive);
  rest_->serialize(archive);
}

std::string CondensedAlgebra::summary() const {
  return std::to_string(bodies_->removed()) + " unknowns of bodies eliminated before, then " + rest_->summary();
}

double CondensedAlgebra::cost() const {
  return rest_->cost() + 200 * bodies_->bodies() + .75 * bodies_->products() + 5 * bodies_->solve_products();
}

}  // namespace gnomon
