#include "contact/contact_impulses.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon {

namespace {

/// A_ii^1/2, one where it is zero.
Vector lengths_of(const Matrix& A) {
  return A.diagonal().unaryExpr([](double a) { return a > 0 ? std::sqrt(a) : 1; });
}

/// x of least norm with A x = b, for A symmetric and possibly singular.
Matrix least_norm(const Matrix& A, const Matrix& b) {
  if (A.size() == 0 || b.size() == 0) return Matrix(A.cols(), b.cols());  // Eigen's solve is not made for these
  return A.completeOrthogonalDecomposition().solve(b);
}

/// The same of least sum_i A_ii x_i^2.
Matrix least_scaled_norm(const Matrix& A, const Matrix& b) {
  const Vector unit = lengths_of(A).cwiseInverse();
  return unit.asDiagonal() * least_norm(unit.asDiagonal() * A * unit.asDiagonal(), unit.asDiagonal() * b);
}

/// P of least norm with D P + r = 0 in the rows of `held`, and zero in the others.
Vector held_impulses(const Matrix& D, const Vector& r, const std::vector<bool>& held) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i]) rows.push_back(static_cast<Index>(i));
  Vector P = Vector::Zero(r.size());
  P(rows) = -least_norm(D(rows, rows), r(rows));
  return P;
}

}  // namespace

Vector solve_complementarity(const Matrix& D, const Vector& r) {
  const Index n = r.size();
  constexpr int most_pivots = 100000;
  const double size = n ? r.lpNorm<Eigen::Infinity>() : 0, stiffness = n ? D.diagonal().maxCoeff() : 1;
  const double rate_tolerance = thresholds::impulse_rounding * size,
               impulse_tolerance = stiffness > 0 ? rate_tolerance / stiffness : 0;
  std::vector<bool> active(static_cast<std::size_t>(n), false);
  for (int pivot = 0; pivot < most_pivots; ++pivot) {
    const Vector P = held_impulses(D, r, active);
    const Vector w = D * P + r;
    Index violated = -1;
    for (Index i = 0; i < n && violated < 0; ++i)
      if (active[static_cast<std::size_t>(i)] ? P[i] < -impulse_tolerance : w[i] < -rate_tolerance) violated = i;
    if (violated < 0) return P.cwiseMax(0.0);
    active[static_cast<std::size_t>(violated)] = !active[static_cast<std::size_t>(violated)];
  }
  throw CannotEvaluate("no impulses were found that satisfy the impact law of " + std::to_string(n) + " contacts");
}

ContactImpulses::ContactImpulses(const ContactQuantities& quantities, double t, const Vector& q,
                                 const Contacts& contacts, const Contacts& rubbing)
    : closed_(*quantities.closed()), q_(q), bilateral_(quantities.m()) {
  const SparsityPattern& pattern = closed_.constraint_pattern();
  Vector values(pattern.nonzeros());
  closed_.constraint_jacobian(t, q, values);
  const Matrix all = to_dense(pattern, values);
  const Index of_positions = quantities.first(), of_velocities = bilateral_ - of_positions;
  G_.resize(bilateral_, closed_.n());
  G_ << all.topRows(of_positions), all.bottomRows(of_velocities);
  Vector rate(closed_.m());
  closed_.constraint_velocity(t, q, Vector::Zero(closed_.n()), rate);
  rate_.resize(bilateral_);
  rate_ << rate.head(of_positions), rate.tail(of_velocities);
  auto count = static_cast<Index>(contacts.size());
  for (const Index i : rubbing) {
    slips_.push_back({count, quantities.slip_rows(i).count});
    count += slips_.back().count;
  }
  C_.resize(count, closed_.n());
  drift_ = Vector::Zero(count);
  Index row = 0;
  for (const Index i : contacts) C_.row(row++) = -all.row(of_positions + i);
  for (std::size_t j = 0; j < rubbing.size(); ++j) {
    const SlipRows &here = slips_[j], &there = quantities.slip_rows(rubbing[j]);
    C_.middleRows(here.first, here.count) = all.middleRows(there.first, there.count);
    if (here.count == 2) drift_.segment(here.first, here.count) = rate.segment(there.first, there.count);
  }
  const Matrix from_g = over_mass(G_), from_c = over_mass(C_);
  reaction_ = -least_scaled_norm(G_ * from_g, G_ * from_c);
  const Matrix free = C_ * from_c;
  lengths_ = lengths_of(free);
  compliance_ = free + C_ * from_g * reaction_;
}

Matrix ContactImpulses::over_mass(const Matrix& rows) const {
  Matrix out(closed_.n(), rows.rows());
  for (Index i = 0; i < rows.rows(); ++i) out.col(i) = velocity(rows.row(i).transpose());
  return out;
}

Vector ContactImpulses::velocity(const Vector& p) const {
  Vector v(closed_.n()), scratch(closed_.n());
  closed_.velocity(q_, p, scratch, v);
  return v;
}

Matrix ContactImpulses::held_rows(const std::vector<bool>& held) const {
  Matrix rows(bilateral_ + std::count(held.begin(), held.end(), true), closed_.n());
  rows.topRows(bilateral_) = G_;
  Index row = bilateral_;
  for (std::size_t k = 0; k < held.size(); ++k)
    if (held[k]) rows.row(row++) = C_.row(static_cast<Index>(k));
  return rows;
}

Vector ContactImpulses::moving(const std::vector<bool>& held) const {
  Vector rate = Vector::Zero(bilateral_ + std::count(held.begin(), held.end(), true));
  rate.head(bilateral_) = rate_;
  Index row = bilateral_;
  for (std::size_t k = 0; k < held.size(); ++k)
    if (held[k]) rate[row++] = drift_[static_cast<Index>(k)];
  return rate;
}

double ContactImpulses::violation(const Vector& p, const std::vector<bool>& held) const {
  const Matrix rows = held_rows(held);
  if (rows.rows() == 0) return 0;
  return (rows * velocity(p) + moving(held))
      .cwiseQuotient(lengths_of(rows * over_mass(rows)))
      .lpNorm<Eigen::Infinity>();
}

Vector ContactImpulses::tangential(const Vector& p, const std::vector<bool>& held) const {
  const Matrix rows = held_rows(held), from_rows = over_mass(rows);
  const Vector v = velocity(p),
               result = p - rows.transpose() * least_scaled_norm(rows * from_rows, rows * v + moving(held));
  if (!rate_.isZero(0) || !drift_.isZero(0)) return result;
  const double left = velocity(result).dot(result);
  return left > 0 ? Vector(result * std::sqrt(v.dot(p) / left)) : result;
}

Vector ContactImpulses::impact(const Vector& w, const Vector& e) const {
  const Vector unit = lengths_.cwiseInverse();
  return unit.cwiseProduct(solve_complementarity(unit.asDiagonal() * compliance_ * unit.asDiagonal(),
                                                 unit.cwiseProduct(w + e.cwiseProduct(w))));
}

Vector ContactImpulses::hold(const Vector& w, const std::vector<bool>& hold) const {
  const Vector unit = lengths_.cwiseInverse();
  return unit.cwiseProduct(
      held_impulses(unit.asDiagonal() * compliance_ * unit.asDiagonal(), unit.cwiseProduct(w), hold));
}

}  // namespace gnomon
