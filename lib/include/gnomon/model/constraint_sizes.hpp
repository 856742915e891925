#pragma once
/// \file
/// The residual of a constraint counts against the size of its terms, which scales with every change of units.

#include "gnomon/base/sparsity.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/base/types.hpp"

namespace gnomon {

/// The sizes of the terms of g at x = q, or of G v at x = v: with the entries G_ij and the diagonal m_j of the mass,
///
///     out_i = sum_j |G_ij x_j| + 0.01 A_ii^(1/2) max(least, max_j m_j^(1/2) |x_j|),   A_ii = sum_j G_ij^2/m_j
///
/// The second term is for rows whose own coordinates vanish but for what solving for all of them leaves: it is as large
/// beside a heavy body as the metric of the mass makes it, hence the small factor.
GNOMON_EXPORT void constraint_sizes(const SparsityPattern& pattern, const ConstVectorRef& jacobian,
                                    const ConstVectorRef& mass, const ConstVectorRef& x, VectorRef out,
                                    double least = 0);

/// For positions that are given, without the accuracy of a solver: the least of these and of those with m_j = 1, so
/// that a heavy part hides no error of a light one.
GNOMON_EXPORT Vector given_position_sizes(const SparsityPattern& pattern, const ConstVectorRef& jacobian,
                                          const ConstVectorRef& mass, const ConstVectorRef& q);

/// A_ii^(1/2), one where row i is zero.
GNOMON_EXPORT void row_lengths(const SparsityPattern& pattern, const ConstVectorRef& jacobian,
                               const ConstVectorRef& mass, VectorRef out);

/// The sizes that changes of multipliers count against, by the largest force of given ones and the row_lengths:
/// out_i = A_ii^(-1/2) max_k A_kk^(1/2) |lambda_k|, one where all are zero.
GNOMON_EXPORT void multiplier_sizes(const ConstVectorRef& lengths, const ConstVectorRef& lambda, VectorRef out);

/// max |dx_i|/(|x_i| + size_i)
GNOMON_EXPORT double largest_part(const ConstVectorRef& dx, const ConstVectorRef& x, const ConstVectorRef& size);

/// An iteration for x ends where its last change, in parts of x, is rounding, or near it and no smaller than the one
/// before.
inline bool at_rounding(double change, double before) {
  return change <= thresholds::change_rounding || (change <= thresholds::unshrinking_change && change >= before);
}

/// r/size, zero where nothing is left.
inline double part_of(double r, double size) {
  return r == 0 ? 0 : r / size;
}

}  // namespace gnomon
