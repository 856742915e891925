#include "references/kernels/overdetermined_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gnomon::kernels {

Vector OverdeterminedForm::slope(Term term, const Point& p) const {
  Vector out(system_.traits().rows(term));
  system_.tangent(term, p.at(), {p.dy, p.dz, none_}, out);
  return out;
}

Vector OverdeterminedForm::value(Term term, const Point& p) const {
  Vector out(system_.traits().rows(term));
  system_.evaluate(term, p.at(), out);
  return out;
}

Vector OverdeterminedForm::values(Term term, Argument argument, const Point& p) const {
  Vector out(system_.pattern(term, argument).nonzeros());
  if (out.size() > 0) system_.jacobian(term, argument, p.at(), out);
  return out;
}

void OverdeterminedForm::dynamic_rows(const Point& p, VectorRef r) const {
  r.head(ny_) = p.dy - value(Term::velocity, p);
  r.segment(ny_, nz_) = slope(Term::momentum, p) - value(Term::force, p) - value(Term::multiplier_force, p);
}

void OverdeterminedForm::dynamic_jacobian(double cj, const Point& p, Eigen::Ref<Matrix> j) const {
  j.topLeftCorner(ny_, ny_).diagonal().setConstant(cj);
  for (const Argument argument : {Argument::y, Argument::z}) {
    add(Term::velocity, argument, p, -1, j.topRows(ny_));
    add_slope(Term::momentum, argument, cj, p, j.middleRows(ny_, nz_));
    add(Term::force, argument, p, -1, j.middleRows(ny_, nz_));
    add(Term::multiplier_force, argument, p, -1, j.middleRows(ny_, nz_));
  }
  add(Term::multiplier_force, Argument::psi, p, -1, j.middleRows(ny_, nz_));
}

void OverdeterminedForm::add(Term term, Argument argument, const Point& p, double factor,
                             Eigen::Ref<Matrix> rows) const {
  const SparsityPattern& pattern = system_.pattern(term, argument);
  add_dense(pattern, values(term, argument, p), factor, columns(argument, rows));
}

void OverdeterminedForm::add_slope(Term term, Argument argument, double cj, const Point& p,
                                   Eigen::Ref<Matrix> rows) const {
  add(term, argument, p, cj, rows);
  const double fastest = std::max(p.dy.cwiseQuotient(sizes_.y).lpNorm<Eigen::Infinity>(),
                                  p.dz.cwiseQuotient(sizes_.z).lpNorm<Eigen::Infinity>());
  if (!(fastest > 0)) return;
  const double s = std::cbrt(std::numeric_limits<double>::epsilon()) / fastest;
  const auto moved = [&](double by) {
    Point to = p;
    to.y += by * p.dy;
    to.z += by * p.dz;
    return to;
  };
  const Vector change = values(term, argument, moved(s)) - values(term, argument, moved(-s));
  add_dense(system_.pattern(term, argument), change, 0.5 / s, columns(argument, rows));
}

Eigen::Ref<Matrix> OverdeterminedForm::columns(Argument argument, Eigen::Ref<Matrix> rows) const {
  return argument == Argument::y   ? rows.leftCols(ny_)
         : argument == Argument::z ? rows.middleCols(ny_, nz_)
                                   : rows.middleCols(ny_ + nz_, m_);
}

}  // namespace gnomon::kernels
