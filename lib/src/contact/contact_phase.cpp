#include "contact/contact_phase.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/complementarity.hpp"
#include "contact/contact_impulses.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/run/evaluated_outputs.hpp"
#include "gnomon/start/consistency.hpp"
#include "start/friction_acceleration.hpp"

namespace gnomon {

static_assert(State::sticks == ContactModel::sticks);

void ContactPhase::solve_index1(double t, const Vector& q, const Vector& v) {
  if (!dae && !model->parts().velocity_constraints) {
    dae = std::make_shared<MechanicalOverdetermined>(model);
    if (constraint_rank(*model, t, q).rank == model->m()) index1 = std::make_unique<Index1>(*dae);
  }
  if (!index1) {
    friction_acceleration(*model, t, q, v, a, psi);
    return push(t, q, psi);
  }
  dae->hold(t);
  index1->solve(q, v, a, psi);
}

/// With D = diag(A_ii)^1/2 and Z an orthonormal basis of the null space of (D^-1 G)^T every psi of the same force is
/// D^-1 (x + Z c), x = D psi of least norm, and the least |c| with x + Z c >= 0 in the rows of contacts is Z_c^T mu,
///
///     0 <= mu _|_ x_c + Z_c Z_c^T mu >= 0.
///
/// Where there is no such c a contact opens, and psi stays as it is.
void ContactPhase::push(double t, const Vector& q, Vector& psi) const {
  const auto count = static_cast<Index>(model->contacts().size());
  const Index m = model->m(), first = first_contact_;
  if (index1 || count == 0 || psi.segment(first, count).minCoeff() >= 0) return;
  Vector values(model->constraint_pattern().nonzeros());
  model->constraint_jacobian(t, q, values);
  const Vector root = model->mass().diagonal_entries().cwiseSqrt().cwiseInverse();
  Matrix rows = to_dense(model->constraint_pattern(), values) * root.asDiagonal();
  const Vector length = rows.rowwise().norm().unaryExpr([](double x) { return x > 0 ? x : 1; });
  rows = length.cwiseInverse().asDiagonal() * rows;
  Eigen::ColPivHouseholderQR<Matrix> qr(m, rows.cols());
  qr.setThreshold(thresholds::rank);
  qr.compute(rows);
  const Matrix basis = Matrix(qr.householderQ()).rightCols(m - qr.rank());
  const Matrix of_contacts = basis.middleRows(first, count);
  const Vector x = length.cwiseProduct(psi);
  const auto mu = lemke(of_contacts * of_contacts.transpose(), x.segment(first, count));
  if (!mu) return;
  psi += (basis * (of_contacts.transpose() * *mu)).cwiseQuotient(length);
  psi.segment(first, count) = psi.segment(first, count).cwiseMax(0);
}

/// A contact r that sticks without a constraint of its own has dd_r/dq = sum_k x_k (row k), k the closed contacts and
/// those that stick, so that a force 1 at r and -x_k at the others does nothing.
void ContactPhase::hold(const ContactQuantities& quantities, const State& z, const Vector& none) {
  model->hold(z.held, none);
  if (!quantities.coulomb()) return;
  const Contacts& closed = model->contacts();
  const auto count = static_cast<Index>(closed.size());
  normal.setZero(count);
  tangential.setZero(2 * count);
  Contacts stuck, loose;
  bool in_space = false;
  for (std::size_t k = 0; k < closed.size(); ++k) {
    if (!quantities.is_frictional(closed[k])) continue;
    if (model->slip()[k] == State::sticks) stuck.push_back(closed[k]);
    if (model->slip()[k] == State::loose) loose.push_back(closed[k]);
    in_space = in_space || (model->slip()[k] == State::sticks && quantities.in_space(closed[k]));
  }
  shared_.setZero(3 * count, static_cast<Index>(loose.size()));
  gradients_.setZero(quantities.system()->n(), static_cast<Index>(loose.size()));
  if (in_space)
    find_shares_in_space(quantities, z);
  else if (!loose.empty()) {
    Contacts rubbing = stuck;
    rubbing.insert(rubbing.end(), loose.begin(), loose.end());
    const ContactImpulses contacts(quantities, z.t, z.q.value(), closed, rubbing);
    const Matrix& W = contacts.compliance();
    const Index rows = count + static_cast<Index>(stuck.size());
    const Matrix x = W.topLeftCorner(rows, rows).ldlt().solve(W.topRightCorner(rows, shared_.cols()));
    for (Index r = 0; r < shared_.cols(); ++r) {
      shared_.col(r).head(count) = -x.col(r).head(count);
      for (std::size_t j = 0; j < stuck.size(); ++j)
        shared_(count + place(closed, stuck[j]), r) = -x(count + static_cast<Index>(j), r);
      shared_(count + place(closed, loose[static_cast<std::size_t>(r)]), r) = 1;
      gradients_.col(r) = contacts.gradient(count + static_cast<Index>(stuck.size()) + r);
    }
  }
  share_matrix_.setZero(shared_.cols(), shared_.cols());
  share_right_.setZero(shared_.cols());
  share_.setZero(shared_.cols());
}

/// All forces of contacts that do not slide, and together do nothing: the null space of their compliance.
void ContactPhase::find_shares_in_space(const ContactQuantities& quantities, const State& z) {
  const Contacts& closed = model->contacts();
  const auto count = static_cast<Index>(closed.size());
  Contacts pressing, rubbing;
  held_contacts_.clear();
  for (Index k = 0; k < count; ++k) {
    const Index i = closed[static_cast<std::size_t>(k)];
    if (slides(model->slip()[static_cast<std::size_t>(k)])) continue;
    held_contacts_.push_back(k);
    pressing.push_back(i);
    if (quantities.is_frictional(i)) rubbing.push_back(i);
  }
  const ContactImpulses contacts(quantities, z.t, z.q.value(), pressing, rubbing);
  const Matrix& W = contacts.compliance();
  std::vector<Index> places = held_contacts_;  // of the rows of W in those of shared_
  for (std::size_t j = 0; j < rubbing.size(); ++j)
    for (Index c = 0; c < contacts.slip(j).count; ++c) places.push_back((1 + c) * count + place(closed, rubbing[j]));
  const Vector unit = contacts.lengths().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Matrix> modes(unit.asDiagonal() * W * unit.asDiagonal());
  const Index free =
      (modes.eigenvalues().array() <= thresholds::dependent_slip * modes.eigenvalues().maxCoeff()).count();
  shared_.setZero(3 * count, free);
  gradients_.setZero(quantities.system()->n(), free);
  for (Index row = 0; row < W.rows(); ++row)
    shared_.row(places[static_cast<std::size_t>(row)]) = unit[row] * modes.eigenvectors().row(row).head(free);
}

/// The least z with |T_k|/mu_k <= N_k + z F and, without friction, 0 <= N_k + z F, F the largest normal force: it is
/// below zero where all hold, above it where they do not. By the barrier -sum_k log((N_k + z F)^2 - |T_k|^2/mu_k^2),
/// whose weight beside z falls, and damped steps of Newton's method.
/// Source: Nesterov, Nemirovskii, Interior-Point Polynomial Algorithms in Convex Programming (1994), sections 2.2, 5.4.
void ContactPhase::share_in_cones(const ContactQuantities& quantities, Vector& N, Vector& T) const {
  const Index count = N.size(), shares = shared_.cols();
  const double force = N.lpNorm<Eigen::Infinity>();
  if (!(force > 0)) return;
  struct Cone {
    Eigen::Matrix3Xd by;  // (N_k + z F, T_k/mu_k)/F by the unknowns
    Eigen::Vector3d at;
  };
  std::vector<Cone> cones;
  double far = 0;
  for (const Index k : held_contacts_) {
    const double mu = quantities.friction_coefficients()[model->contacts()[static_cast<std::size_t>(k)]];
    Cone& cone = cones.emplace_back(Cone{Eigen::Matrix3Xd::Zero(3, shares + 1), {N[k] / force, 0, 0}});
    cone.by.row(0) << shared_.row(k), 1;
    for (Index c = 0; c < 2 && mu > 0; ++c) {
      cone.by.row(1 + c).head(shares) = shared_.row((1 + c) * count + k) / mu;
      cone.at[1 + c] = T[c * count + k] / (mu * force);
    }
    far = std::max(far, cone.at.tail<2>().norm() - cone.at[0]);
  }
  Vector x = Vector::Zero(shares + 1), gradient(x.size());
  Matrix hessian(x.size(), x.size());
  double& z = x[shares];
  z = far + 1;
  const auto inside = [&](const Vector& y) {
    return std::all_of(cones.begin(), cones.end(), [&](const Cone& cone) {
      const Eigen::Vector3d w = cone.at + cone.by * y;
      return w[0] > w.tail<2>().norm();
    });
  };
  constexpr double near = .1, enough = -.01, faster = 10;
  constexpr int most_steps = 30;
  for (double weight = 1; z > enough && weight * thresholds::cone_margin < 1; weight *= faster)
    for (int step = 0; step < most_steps; ++step) {
      gradient.setZero();
      gradient[shares] = weight;
      hessian.setZero();
      for (const Cone& cone : cones) {
        const Eigen::Vector3d w = cone.at + cone.by * x, mirrored(w[0], -w[1], -w[2]);
        const double size = w.tail<2>().norm(), half = (w[0] - size) * (w[0] + size) / 2;
        const Vector slope = cone.by.transpose() * mirrored / half;
        gradient -= slope;
        hessian +=
            slope * slope.transpose() - cone.by.transpose() * Eigen::Vector3d(1, -1, -1).asDiagonal() * cone.by / half;
      }
      const Vector by = hessian.ldlt().solve(-gradient);
      const double decrement = std::sqrt(std::max(0.0, -gradient.dot(by)));
      const Vector next = x + by / (decrement > near ? 1 + decrement : 1);
      if (!next.allFinite() || !inside(next)) break;
      x = next;
      if (decrement <= near) break;
    }
  N += force * (shared_.topRows(count) * x.head(shares));
  T += force * (shared_.bottomRows(2 * count) * x.head(shares));
}

void ContactPhase::take(const ConstVectorRef& inner, Index first, Vector& N, Vector& T) const {
  const auto count = static_cast<Index>(model->contacts().size());
  N = inner.segment(first, count);
  T.setZero(2 * count);
  for (Index k = 0; k < count; ++k)
    for (Index c = 0; c < model->rows_of_stuck(k); ++c) T[c * count + k] = -inner[model->stuck_row(k) + c];
}

/// Reactions that press contacts, as those of bearings do, depend on the shares: these are forces c_r along the slips
/// of the contacts without a row of their own, under which the multipliers of the phase are those of its equations.
void ContactPhase::share(const ContactQuantities& quantities, double largest_psi, const ContactMoment& at,
                         const ConstVectorRef& inner, Vector& N, Vector& T) const {
  take(inner, quantities.first(), N, T);
  if (shared_.cols() == 0) return;
  share_linearly(quantities, largest_psi, N, T);
  if (!quantities.system()->parts().friction || gradients_.isZero(0)) return;
  Vector c = share_, a(quantities.system()->n()), lambda = inner;
  constexpr int most_passes = 50;
  for (int pass = 0; pass < most_passes; ++pass) {
    const Vector further = gradients_ * c;
    friction_acceleration(*model, at.t, at.q, at.v, a, lambda, 0, &further);
    take(lambda, quantities.first(), N, T);
    Index r = 0;
    for (std::size_t k = 0; k < model->contacts().size(); ++k)
      if (is_loose(quantities, k)) T[static_cast<Index>(k)] = c[r++];
    share_linearly(quantities, largest_psi, N, T);
    c += share_;
    if (!(share_.lpNorm<Eigen::Infinity>() > thresholds::force_rounding * c.lpNorm<Eigen::Infinity>())) return;
  }
  if (share_.lpNorm<Eigen::Infinity>() > thresholds::limit_rounding * c.lpNorm<Eigen::Infinity>())
    throw CannotEvaluate("the forces of contacts that hold together do not agree with the reactions that press them");
}

void ContactPhase::share_linearly(const ContactQuantities& quantities, double largest_psi, Vector& N, Vector& T) const {
  const Contacts& contacts = model->contacts();
  const auto count = static_cast<Index>(contacts.size());
  const Index shares = shared_.cols();
  const Vector& mu = quantities.friction_coefficients();
  const double least = thresholds::force_rounding * std::max(N.lpNorm<Eigen::Infinity>(), largest_psi) +
                       std::numeric_limits<double>::min();
  share_matrix_.setZero();
  share_right_.setZero();
  for (Index k = 0; k < count; ++k) {
    const Index i = contacts[static_cast<std::size_t>(k)];
    if (!(mu[i] > 0)) continue;
    const double weight = 1 / (mu[i] * std::max(N[k], least));
    for (const Index row : {k, count + k})
      for (Index a = 0; a < shares; ++a) {
        const double of_a = weight * shared_(count + row, a);
        share_right_[a] -= of_a * T[row];
        for (Index b = 0; b < shares; ++b) share_matrix_(a, b) += of_a * shared_(count + row, b);
      }
  }
  if (held_contacts_.empty()) {
    share_solver_.compute(share_matrix_);
    share_ = share_solver_.solve(share_right_);
  } else {  // normal forces alone may do nothing together: they stay as they are
    share_ = share_matrix_.completeOrthogonalDecomposition().solve(share_right_);
  }
  const double part = largest_part(quantities, least, N, T, share_);
  if (part > 1 && held_contacts_.empty()) share_evenly(quantities, least, part, N, T);
  for (Index a = 0; a < shares; ++a) {
    N += share_[a] * shared_.col(a).head(count);
    T += share_[a] * shared_.col(a).tail(2 * count);
  }
  if (part > 1 && !held_contacts_.empty()) share_in_cones(quantities, N, T);
}

double ContactPhase::largest_part(const ContactQuantities& quantities, double least, const Vector& N, const Vector& T,
                                  const Vector& c) const {
  const auto count = static_cast<Index>(model->contacts().size());
  double largest = 0;
  for (Index k = 0; k < count; ++k) {
    const double m = quantities.friction_coefficients()[model->contacts()[static_cast<std::size_t>(k)]];
    if (!(m > 0) || slides(model->slip()[static_cast<std::size_t>(k)])) continue;
    const double limit = m * (N[k] + shared_.row(k).dot(c)), force = T[k] + shared_.row(count + k).dot(c),
                 second = T[count + k] + shared_.row(2 * count + k).dot(c);
    largest = std::max(largest, std::hypot(force, second) / std::max(limit, m * least));
  }
  return largest;
}

/// The least part of their limits that all contacts can keep to: by halves, then by Newton's method for those that are
/// at it, as many as there are shares and one.
void ContactPhase::share_evenly(const ContactQuantities& quantities, double least, double above, const Vector& N,
                                const Vector& T) const {
  const auto count = static_cast<Index>(model->contacts().size());
  const Index shares = shared_.cols();
  double below = 0;
  constexpr int halves = 40;
  for (int k = 0; k < halves; ++k) {
    const double middle = below + (above - below) / 2;
    if (const auto within = shares_within(quantities, N, T, middle)) {
      above = middle;
      share_ = *within;
    } else {
      below = middle;
    }
  }
  std::vector<std::pair<double, Index>> parts;
  const auto limit = [&](Index k, const Vector& c) {
    return quantities.friction_coefficients()[model->contacts()[static_cast<std::size_t>(k)]] *
           (N[k] + shared_.row(k).dot(c));
  };
  const auto force = [&](Index k, const Vector& c) { return T[k] + shared_.row(count + k).dot(c); };
  for (Index k = 0; k < count; ++k)
    if (limit(k, share_) > 0 && !slides(model->slip()[static_cast<std::size_t>(k)]))
      parts.emplace_back(-std::abs(force(k, share_)) / limit(k, share_), k);
  std::sort(parts.begin(), parts.end());
  if (static_cast<Index>(parts.size()) <= shares) return;
  Vector c = share_;
  double part = above;
  Matrix derivative(shares + 1, shares + 1);
  Vector residual(shares + 1);
  for (int pass = 0; pass < 3; ++pass) {
    for (Index e = 0; e <= shares; ++e) {
      const Index k = parts[static_cast<std::size_t>(e)].second;
      const double sign = force(k, share_) < 0 ? -1 : 1,
                   mu = quantities.friction_coefficients()[model->contacts()[static_cast<std::size_t>(k)]];
      residual[e] = sign * force(k, c) - part * limit(k, c);
      derivative.row(e).head(shares) = sign * shared_.row(count + k) - part * mu * shared_.row(k);
      derivative(e, shares) = -limit(k, c);
    }
    const Vector step = derivative.fullPivLu().solve(residual);
    c -= step.head(shares);
    part -= step[shares];
  }
  if (c.allFinite() && largest_part(quantities, least, N, T, c) <= largest_part(quantities, least, N, T, share_))
    share_ = c;
}

/// c = -A^T y with 0 <= y _|_ b + A A^T y >= 0 is the shortest with A c <= b.
std::optional<Vector> ContactPhase::shares_within(const ContactQuantities& quantities, const Vector& N, const Vector& T,
                                                  double part) const {
  const Contacts& contacts = model->contacts();
  const auto count = static_cast<Index>(contacts.size());
  const Index shares = shared_.cols();
  Matrix A(3 * count, shares);
  Vector b(3 * count);
  Index rows = 0;
  const auto add = [&](const auto& row, double right) {
    const double size = row.norm();
    if (!(size > 0) && right >= 0) return;
    A.row(rows) = size > 0 ? row / size : row;
    b[rows++] = size > 0 ? right / size : right;
  };
  for (Index k = 0; k < count; ++k) {
    const double limit = part * quantities.friction_coefficients()[contacts[static_cast<std::size_t>(k)]];
    const Eigen::RowVectorXd n = shared_.row(k), t = shared_.row(count + k);
    if (!n.isZero(0)) add(Eigen::RowVectorXd(-n), N[k]);
    if (!(limit > 0) || slides(model->slip()[static_cast<std::size_t>(k)])) continue;
    for (const double sign : {1.0, -1.0}) add(Eigen::RowVectorXd(sign * t - limit * n), limit * N[k] - sign * T[k]);
  }
  const Matrix used = A.topRows(rows);
  const auto y = lemke(used * used.transpose(), b.head(rows));
  if (!y) return std::nullopt;
  return Vector(-(used.transpose() * *y));
}

void ContactPhase::spread(const ContactQuantities& quantities, double largest_psi, const ContactMoment& moment,
                          const ConstVectorRef& inner, Vector& all) const {
  const Index m = quantities.system()->m(), contacts = quantities.n_contacts();
  all.setZero(n_state_multipliers(*quantities.system()));
  model->write_multipliers(moment.q, moment.v, inner, all);
  if (shared_.cols() == 0) return;
  share(quantities, largest_psi, moment, inner, spread_normal_, spread_tangential_);
  const Contacts& closed = model->contacts();
  for (std::size_t k = 0; k < closed.size(); ++k) {
    const auto at = static_cast<Index>(k);
    all[m + closed[k]] = spread_normal_[at];
    if (slides(model->slip()[k])) continue;
    all[m + contacts + closed[k]] = spread_tangential_[at];
    if (quantities.in_space(closed[k]))
      all[m + model->second_tangential(closed[k])] = spread_tangential_[spread_normal_.size() + at];
  }
}

void ContactPhase::margins(const ContactQuantities& quantities, double largest_psi, double t, const Vector& q,
                           const Vector& v, Vector& out) {
  const Contacts& contacts = model->contacts();
  const auto count = static_cast<Index>(contacts.size());
  if (!quantities.coulomb()) {
    out = psi.segment(quantities.first(), count);
    return;
  }
  share_forces(quantities, largest_psi, {t, q, v});
  const Vector& rates = quantities.row_rates(t, q, v);
  out.setConstant(3 * count, std::numeric_limits<double>::infinity());
  out.head(count) = normal;
  for (Index k = 0; k < count; ++k) {
    const Index i = contacts[static_cast<std::size_t>(k)];
    if (!quantities.is_frictional(i)) continue;
    const int slip = model->slip()[static_cast<std::size_t>(k)];
    if (!slides(slip))
      out[count + k] = quantities.friction_coefficients()[i] * normal[k] - size_of(tangential_force(k));
    else
      out[2 * count + k] = model->rate_along(k, rates);
  }
}

ContactPhase& ContactPhases::at(const ContactKey& key) {
  ContactPhase& phase = phases_[key];
  if (phase.model) return phase;
  phase.model = std::make_shared<ContactModel>(quantities_.system(), quantities_.closed(), key.first, key.second);
  phase.first_contact_ = quantities_.first();
  phase.a = Vector::Zero(quantities_.system()->n());
  phase.psi = Vector::Zero(phase.model->m());
  return phase;
}

ContactPhase& ContactPhases::everything(bool sliding) {
  ContactKey key;
  for (Index i = 0; i < quantities_.n_contacts(); ++i) key.first.push_back(i);
  if (quantities_.coulomb())
    for (const Index i : key.first)
      key.second.push_back(!quantities_.is_frictional(i) ? State::loose : sliding ? 1 : State::sticks);
  return at(key);
}

bool ContactPhases::is_key(const ContactKey& key) const {
  const auto& [contacts, slip] = key;
  for (std::size_t k = 0; k < contacts.size(); ++k)
    if (contacts[k] < 0 || contacts[k] >= quantities_.n_contacts() || (k > 0 && contacts[k] <= contacts[k - 1]))
      return false;
  if (slip.size() != (quantities_.coulomb() ? contacts.size() : 0)) return false;
  for (std::size_t k = 0; k < slip.size(); ++k)
    if (slip[k] < -1 || slip[k] > State::loose || (slip[k] != State::loose && !quantities_.is_frictional(contacts[k])))
      return false;
  return true;
}

}  // namespace gnomon
