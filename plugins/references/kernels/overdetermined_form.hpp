#pragma once
/// \file
/// IDA on an OverdeterminedSystem: what its index-1 and its stabilised index-2 form share, x = (y, z, psi, ...),
///
///     0 = y' - v(y,z)
///     0 = p_y y' + p_z z' - f(y,z) - r(y,z,psi)
///
/// The Jacobian needs second derivatives of p (and of h in the index-1 form) only along the solution,
///
///     d/dy (h_y y' + h_z z') = lim [h_y(y + s y', z + s z') - h_y(y - s y', z - s z')] / 2s
///
/// because partial derivatives commute: one central difference of the model's first derivatives gives them to some ten
/// digits, for all columns at once.

#include <algorithm>
#include <cmath>

#include "ida_reference.hpp"

namespace gnomon::kernels {

class OverdeterminedForm : public IdaForm {
 public:
  OverdeterminedForm(const OverdeterminedModel& model, Index sets)
      : IdaForm(model, sets),
        system_(model.system()),
        sizes_(model.sizes()),
        ny_(model.ny()),
        nz_(model.nz()),
        m_(model.m()),
        none_(Vector::Zero(model.m())) {}

  bool has_jacobian() const final { return true; }

 protected:
  /// The unknowns and their slopes, by name.
  struct Point {
    Vector y, z, psi, dy, dz;
    OverdeterminedPoint at() const { return {y, z, psi}; }
  };
  Point point(const ConstVectorRef& x, const ConstVectorRef& xp) const {
    return {x.head(ny_), x.segment(ny_, nz_), x.segment(ny_ + nz_, m_), xp.head(ny_), xp.segment(ny_, nz_)};
  }

  /// d(term)/dy y' + d(term)/dz z'
  Vector slope(Term term, const Point& p) const {
    Vector out(system_.traits().rows(term));
    system_.tangent(term, p.at(), {p.dy, p.dz, none_}, out);
    return out;
  }
  Vector value(Term term, const Point& p) const {
    Vector out(system_.traits().rows(term));
    system_.evaluate(term, p.at(), out);
    return out;
  }
  Vector values(Term term, Argument argument, const Point& p) const {
    Vector out(system_.pattern(term, argument).nonzeros());
    if (out.size() > 0) system_.jacobian(term, argument, p.at(), out);
    return out;
  }

  void dynamic_rows(const Point& p, VectorRef r) const {
    r.head(ny_) = p.dy - value(Term::velocity, p);
    r.segment(ny_, nz_) = slope(Term::momentum, p) - value(Term::force, p) - value(Term::multiplier_force, p);
  }

  void dynamic_jacobian(double cj, const Point& p, Eigen::Ref<Matrix> j) const {
    j.topLeftCorner(ny_, ny_).diagonal().setConstant(cj);
    for (const Argument argument : {Argument::y, Argument::z}) {
      add(Term::velocity, argument, p, -1, j.topRows(ny_));
      add_slope(Term::momentum, argument, cj, p, j.middleRows(ny_, nz_));
      add(Term::force, argument, p, -1, j.middleRows(ny_, nz_));
      add(Term::multiplier_force, argument, p, -1, j.middleRows(ny_, nz_));
    }
    add(Term::multiplier_force, Argument::psi, p, -1, j.middleRows(ny_, nz_));
  }

  /// rows += factor * d(term)/d(argument), in the argument's columns
  void add(Term term, Argument argument, const Point& p, double factor, Eigen::Ref<Matrix> rows) const {
    const SparsityPattern& pattern = system_.pattern(term, argument);
    scatter(pattern, values(term, argument, p), factor, columns(argument, rows));
  }

  /// rows += d/d(argument) of slope(term), with cj for d(slope of the argument)/d(argument)
  void add_slope(Term term, Argument argument, double cj, const Point& p, Eigen::Ref<Matrix> rows) const {
    add(term, argument, p, cj, rows);
    const double fastest = std::max(p.dy.cwiseQuotient(sizes_.y).lpNorm<Eigen::Infinity>(),
                                    p.dz.cwiseQuotient(sizes_.z).lpNorm<Eigen::Infinity>());
    if (!(fastest > 0)) return;
    const double s = std::cbrt(std::numeric_limits<double>::epsilon()) / fastest;
    const auto moved = [&](double by) { return Point{p.y + by * p.dy, p.z + by * p.dz, p.psi, p.dy, p.dz}; };
    const Vector change = values(term, argument, moved(s)) - values(term, argument, moved(-s));
    scatter(system_.pattern(term, argument), change, 0.5 / s, columns(argument, rows));
  }

  Eigen::Ref<Matrix> columns(Argument argument, Eigen::Ref<Matrix> rows) const {
    return argument == Argument::y   ? rows.leftCols(ny_)
           : argument == Argument::z ? rows.middleCols(ny_, nz_)
                                     : rows.middleCols(ny_ + nz_, m_);
  }

  const OverdeterminedSystem& system_;
  const StateSizes sizes_;
  Index ny_, nz_, m_;
  Vector none_;
};

}  // namespace gnomon::kernels
