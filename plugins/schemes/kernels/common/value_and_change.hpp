#pragma once
/// \file
/// Vectors of numbers value + change: duals, whose change is the derivative along the tangent, and numbers at Extended,
/// whose change is what rounding takes away.

#include "gnomon/formula/dual.hpp"

namespace gnomon::kernels {

inline void split(const VectorOf<Dual1>& x, Vector& value, Vector& change) {
  for (Index j = 0; j < x.size(); ++j) {
    value[j] = x[j].value;
    change[j] = x[j].grad[0];
  }
}
inline void split(const VectorOf<Extended>& x, Vector& value, Vector& change) {
  for (Index j = 0; j < x.size(); ++j) {
    value[j] = static_cast<double>(x[j]);
    change[j] = static_cast<double>(x[j] - value[j]);
  }
}
inline void join(const Vector& value, const Vector& change, VectorOf<Dual1>& out) {
  for (Index j = 0; j < out.size(); ++j) {
    out[j].value = value[j];
    out[j].grad[0] = change[j];
  }
}
inline void join(const Vector& value, const Vector& change, VectorOf<Extended>& out) {
  for (Index j = 0; j < out.size(); ++j) out[j] = Extended(value[j]) + change[j];
}

/// From one kind to the other: functions at Extended, to first order from the rounded arguments.
inline void convert(const VectorOf<Extended>& x, VectorOf<Dual1>& out) {
  for (Index j = 0; j < x.size(); ++j) {
    out[j].value = static_cast<double>(x[j]);
    out[j].grad[0] = static_cast<double>(x[j] - out[j].value);
  }
}
inline void convert(const VectorOf<Dual1>& x, VectorOf<Extended>& out) {
  for (Index j = 0; j < x.size(); ++j) out[j] = static_cast<Extended>(x[j].value) + x[j].grad[0];
}

}  // namespace gnomon::kernels
