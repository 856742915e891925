#pragma once
/// \file
/// H = T(q,p) + U(q,t) of a system with a mass that depends on q, for general_line_integral.hpp.

#include "gnomon/model/system_at.hpp"

namespace gnomon::kernels {

class SystemHamiltonian {
 public:
  explicit SystemHamiltonian(const System& system);

  double value(double t, const Vector& q, const Vector& p) const;
  template <class S>
  void gradient(double t, const VectorOf<S>& q, const VectorOf<S>& p, VectorOf<S>& h_q, VectorOf<S>& h_p) {
    at_.kinetic_gradient(q, p, h_q, h_p);
    VectorOf<S>& u = work_.get<S>();
    at_.potential_gradient(t, q, u);
    h_q += u;
  }
  /// out = Hess (H + lambda.g)
  void hessian(double t, const Vector& q, const Vector& p, const Vector& lambda, Matrix& out);

 private:
  const System* system_;
  SystemAt at_;
  ForAllScalars<VectorOf> work_;
  Vector hessian_values_;
};

}  // namespace gnomon::kernels
