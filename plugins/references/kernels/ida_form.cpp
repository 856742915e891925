#include "references/kernels/ida_form.hpp"

namespace gnomon::kernels {

void scatter(const SparsityPattern& pattern, const Vector& values, double factor, Eigen::Ref<Matrix> block) {
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      block(i, pattern.indices[k]) += factor * values[k];
}

void scatter_transposed(const SparsityPattern& pattern, const Vector& values, double factor, Eigen::Ref<Matrix> block) {
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      block(pattern.indices[k], i) += factor * values[k];
}

}  // namespace gnomon::kernels
