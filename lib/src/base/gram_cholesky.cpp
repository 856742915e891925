#include "gnomon/base/gram_cholesky.hpp"

#include <algorithm>
#include <limits>

#include "gnomon/base/error.hpp"

namespace gnomon {

GramCholesky::GramCholesky(const SparsityPattern& y, const SparsityPattern& x) {
  struct Entry {
    Index row;
    int position;
  };
  std::vector<std::vector<Entry>> of_column(static_cast<std::size_t>(x.cols));  // of X
  for (Index j = 0; j < x.rows; ++j)
    for (Index e = x.offsets[static_cast<std::size_t>(j)]; e < x.offsets[static_cast<std::size_t>(j) + 1]; ++e)
      of_column[static_cast<std::size_t>(x.indices[static_cast<std::size_t>(e)])].push_back({j, static_cast<int>(e)});
  struct Product {
    Index column;
    Term term;
  };
  const auto found = std::make_shared<Terms>();
  std::vector<Index>& offsets = found->offsets;
  std::vector<Term>& terms = found->all;
  SparsityPattern lower;
  lower.rows = lower.cols = x.rows;
  std::vector<Product> row;
  for (Index i = 0; i < y.rows; ++i) {
    row.clear();
    for (Index e = y.offsets[static_cast<std::size_t>(i)]; e < y.offsets[static_cast<std::size_t>(i) + 1]; ++e)
      for (const Entry& other : of_column[static_cast<std::size_t>(y.indices[static_cast<std::size_t>(e)])]) {
        if (other.row > i) break;
        row.push_back({other.row, {static_cast<int>(e), other.position}});
      }
    std::stable_sort(row.begin(), row.end(), [](const Product& a, const Product& b) { return a.column < b.column; });
    if (row.empty() || row.back().column < i) row.push_back({i, {-1, -1}});  // a row of zeros has a diagonal, too
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k == 0 || row[k].column != row[k - 1].column) {
        lower.indices.push_back(row[k].column);
        offsets.push_back(static_cast<Index>(terms.size()));
      }
      if (row[k].term.y >= 0) terms.push_back(row[k].term);
    }
    if (terms.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw Error(ErrorCode::refused, "the constraints' matrix G W^-1 G^T has more than 2^31 terms");
    lower.offsets.push_back(lower.nonzeros());
  }
  offsets.push_back(static_cast<Index>(terms.size()));
  terms_ = found;
  values_.setZero(lower.nonzeros());
  factors_ = SparseCholesky(lower);
}

bool GramCholesky::factorise(const ConstVectorRef& y, const ConstVectorRef& x, double least_pivot) {
  const double *const of_y = y.data(), *const of_x = x.data();
  const Term* const terms = terms_->all.data();
  const Index* const offsets = terms_->offsets.data();
  for (Index k = 0; k < values_.size(); ++k) {
    double sum = 0;
    for (Index e = offsets[k]; e < offsets[k + 1]; ++e) sum += of_y[terms[e].y] * of_x[terms[e].x];
    values_[k] = sum;
  }
  return factors_.factorise(values_, least_pivot);
}

}  // namespace gnomon
