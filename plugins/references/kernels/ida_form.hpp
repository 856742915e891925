#pragma once
/// \file
/// One way to write the equations of motion as 0 = F(t, x, x'), x = (y, z, multipliers), for IDA.

#include "gnomon/model/system_at.hpp"
#include "references/kernels/reference_model.hpp"

namespace gnomon::kernels {

class IdaForm {
 public:
  /// sets: 1, x = (y, z, psi), or 2, x = (y, z, psi, mu) with the multipliers of the stabilised form
  IdaForm(const ReferenceModel& model, Index sets)
      : ny_(model.ny()), nz_(model.nz()), m_(model.m()), multipliers_(sets * model.m()) {}
  virtual ~IdaForm() = default;

  Index size() const { return ny_ + nz_ + multipliers_; }
  Index multipliers() const { return multipliers_; }
  /// r = F
  void residual(double t, const ConstVectorRef& x, const ConstVectorRef& xp, VectorRef r) {
    rows(t, {*this, x, xp}, r);
  }
  virtual bool has_jacobian() const = 0;
  /// j = dF/dx + cj dF/dx'; j enters as zero.
  void jacobian(double t, double cj, const ConstVectorRef& x, const ConstVectorRef& xp, Eigen::Ref<Matrix> j) {
    derivatives(t, cj, {*this, x, xp}, j);
  }

 protected:
  /// The unknowns and their slopes, by name.
  struct Point {
    Point(const IdaForm& form, const ConstVectorRef& x, const ConstVectorRef& xp)
        : y(x.head(form.ny_)),
          z(x.segment(form.ny_, form.nz_)),
          psi(x.segment(form.ny_ + form.nz_, form.m_)),
          mu(x.tail(form.multipliers_ - form.m_)),
          dy(xp.head(form.ny_)),
          dz(xp.segment(form.ny_, form.nz_)) {}
    OverdeterminedPoint at() const { return {y, z, psi}; }
    Vector y, z, psi, mu, dy, dz;
  };
  virtual void rows(double t, const Point& at, VectorRef r) = 0;
  virtual void derivatives(double t, double cj, const Point& at, Eigen::Ref<Matrix> j) = 0;

  const Index ny_, nz_, m_;

 private:
  Index multipliers_;
};

}  // namespace gnomon::kernels
