#pragma once
/// \file
/// Constraints |p_j| = 1 with p linear in the configuration, and the equations that minimise under them: what Uzawa
/// block relaxation needs. A System that has the form points at it; NonlinearEquations derive from SplitForm too.

#include "gnomon/base/sparsity.hpp"
#include "gnomon/base/types.hpp"

namespace gnomon {

/// Of a System, as Parts::unit_vectors: its constraints are g_j = |p_j|^2 - 1, p = B q + c; rows `dimension` j, ... of
/// B belong to p_j.
struct UnitVectorForm {
  int dimension = 0;
  SparsityPattern pattern;  ///< of B, (dimension m) x n
  Vector values, offset;    ///< of B, and c
};

/// Of NonlinearEquations: they say where a quadratic function is stationary on a product of unit spheres,
///
///     A y - b + sum_j theta_j B_j^T p_j = 0,   |p_j| = 1,   p = B y + c,     j = 1, ..., J
///
/// with A symmetric, positive definite on the kernel of B at least. The unknown x of the equations holds y and theta in
/// an order of its own. Everything in the units of the model, not scaled.
class GNOMON_EXPORT SplitForm {
 public:
  virtual ~SplitForm() = default;
  /// False: these equations, for this model, have no such form after all; nothing below may be called.
  virtual bool has_split_form() const = 0;
  virtual int dimension() const = 0;  ///< of every p_j
  virtual Index n_points() const = 0;
  virtual const SparsityPattern& quadratic_pattern() const = 0;  ///< of A
  virtual const SparsityPattern& split_pattern() const = 0;      ///< of B, (dimension J) x size of y
  /// w_j > 0, the measure of point j: sum_j w_j |p_j - q_j|^2 is the square of a distance.
  virtual const Vector& split_weights() const = 0;
  /// Of the present step: values of A and B, b and c.
  virtual void quadratic(VectorRef a, VectorRef b, VectorRef split, VectorRef c) = 0;
  /// y and theta from x, and back.
  virtual void take_apart(const ConstVectorRef& x, VectorRef y, VectorRef theta) = 0;
  virtual void put_together(const ConstVectorRef& y, const ConstVectorRef& theta, VectorRef x) = 0;
};

}  // namespace gnomon
