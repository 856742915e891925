/// \file
/// Contacts with Coulomb friction in space. Impulses or forces of one contact after the other, each exact in its cone
/// while the others are kept, until none changes; then Newton's method for all that are open, stick or slide together.
/// Where contacts hold each other, forces are not unique: they are those that the sweeps from zero end at, moved as
/// little as possible by Newton's method.
/// Source: Moreau, Numerical aspects of the sweeping process (1999), section 4.6 (sweeps); Alart, Curnier, A mixed
/// formulation for frictional contact problems prone to Newton like solution methods (1991).
#include <Eigen/Dense>
#include <array>
#include <cmath>

#include "contact/complementarity.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon {

namespace {

using Plane = Eigen::Vector2d;

/// One contact of the problem: its normal, its slips, and its own part of the compliance. In a plane the second
/// component of its slip is zero.
struct Contact {
  Index normal = 0, slip = 0, slips = 0;
  double mu = 0, nn = 0;
  Plane nt = Plane::Zero(), tn = Plane::Zero();
  Eigen::Matrix2d tt = Eigen::Matrix2d::Zero();
};
struct Reaction {
  double P = 0;
  Plane T = Plane::Zero();
};

/// The force that slides along -tau, |tau| = 1, and the slip it leaves; none where it does not press.
struct Sliding {
  double P = -1;
  Plane u;
};
Sliding slide(const Contact& at, double w, const Plane& u, const Plane& tau) {
  Sliding result;
  const double stiffness = at.nn + at.mu * at.nt.dot(tau);
  if (!(stiffness > 0)) return result;
  result.P = -w / stiffness;
  result.u = u + result.P * (at.tn + at.mu * (at.tt * tau));
  return result;
}

/// T = mu P tau with the slip u = -|u| tau, by the sign of u x tau round the circle.
std::optional<Reaction> sliding_reaction(const Contact& at, double w, const Plane& u) {
  const auto accept = [&](const Plane& tau) -> std::optional<Reaction> {
    const Sliding found = slide(at, w, u, tau);
    if (!(found.P >= 0) || found.u.dot(tau) > 0) return std::nullopt;
    return Reaction{found.P, at.mu * found.P * tau};
  };
  if (at.slips == 1) {
    for (const double side : {-1.0, 1.0})
      if (const auto found = accept({side, 0})) return found;
    return std::nullopt;
  }
  const auto direction = [](double angle) { return Plane(std::cos(angle), std::sin(angle)); };
  // u x tau times the stiffness, which vanishes between the directions that press and those that do not.
  const auto across = [&](double angle) {
    const Plane tau = direction(angle),
                slip = (at.nn + at.mu * at.nt.dot(tau)) * u - w * (at.tn + at.mu * (at.tt * tau));
    return slip[0] * tau[1] - slip[1] * tau[0];
  };
  constexpr int parts = 48, most_halves = 60;
  constexpr double turn = 6.283185307179586;
  // From the direction against the slip: that is where the root is when the contact is alone.
  const double start = std::atan2(-u[1], -u[0]);
  for (int k = 0; k < parts; ++k) {
    const double offset = (k + 1) / 2 * (k % 2 == 0 ? 1 : -1) * turn / parts;
    double left = start + offset - turn / (2 * parts), right = start + offset + turn / (2 * parts);
    double at_left = across(left);
    const double at_right = across(right);
    if (!(at_left * at_right <= 0)) continue;
    for (int half = 0; half < most_halves; ++half) {
      const double middle = left + (right - left) / 2, at_middle = across(middle);
      if (at_middle == 0 || middle == left || middle == right) {
        left = right = middle;
        break;
      }
      if ((at_middle < 0) == (at_left < 0)) {
        left = middle;
        at_left = at_middle;
      } else {
        right = middle;
      }
    }
    if (const auto found = accept(direction(left + (right - left) / 2))) return found;
  }
  return std::nullopt;
}

/// The reaction of one contact whose rates without it are w and u.
std::optional<Reaction> reaction(const Contact& at, double w, const Plane& u) {
  if (w >= 0) return Reaction{};
  if (at.slips == 0) return at.nn > 0 ? std::optional(Reaction{-w / at.nn, Plane::Zero()}) : std::nullopt;
  Eigen::Matrix3d all = at.nn * Eigen::Matrix3d::Identity();
  all(0, 0) = at.nn;
  for (Index j = 0; j < at.slips; ++j) {
    all(0, 1 + j) = at.nt[j];
    all(1 + j, 0) = at.tn[j];
    for (Index i = 0; i < at.slips; ++i) all(1 + i, 1 + j) = at.tt(i, j);
  }
  const Eigen::Vector3d stuck = all.fullPivLu().solve(-Eigen::Vector3d(w, u[0], u[1]));
  if (stuck.allFinite() && stuck[0] >= 0 && stuck.tail<2>().norm() <= at.mu * stuck[0])
    return Reaction{stuck[0], stuck.tail<2>()};
  return sliding_reaction(at, w, u);
}

class Cones {
 public:
  explicit Cones(const FrictionProblem& problem)
      : problem_(problem), n_(problem.w_0.size()), s_(problem.u_0.size()), r_(Vector::Zero(n_ + s_)) {
    W_.resize(n_ + s_, n_ + s_);
    W_ << problem.W_nn, problem.W_nt, problem.W_tn, problem.W_tt;
    free_.resize(n_ + s_);
    free_ << problem.w_0, problem.u_0;
    contacts_.resize(static_cast<std::size_t>(n_));
    for (Index k = 0; k < n_; ++k) {
      Contact& one = contacts_[static_cast<std::size_t>(k)];
      one.normal = k;
      one.nn = W_(k, k);
    }
    for (Index j = 0; j < s_; ++j) {
      Contact& one = contacts_[static_cast<std::size_t>(problem.normal_of[static_cast<std::size_t>(j)])];
      if (one.slips++ == 0) one.slip = n_ + j;
      one.mu = problem.mu[j];
    }
    for (Contact& one : contacts_)
      for (Index j = 0; j < one.slips; ++j) {
        one.nt[j] = W_(one.normal, one.slip + j);
        one.tn[j] = W_(one.slip + j, one.normal);
        for (Index i = 0; i < one.slips; ++i) one.tt(i, j) = W_(one.slip + i, one.slip + j);
      }
    size_ = free_.size() > 0 ? free_.lpNorm<Eigen::Infinity>() : 0;
  }

  std::optional<FrictionProblem::Solution> solve(int sweeps) {
    // Sweeps that go the whole way may cycle; those that go a part of it take longer.
    for (const auto& [most, part] : {std::pair{100, 1.0}, {300, .5}, {600, .2}}) {
      if (sweeps <= 0) break;
      if (!sweep(std::min(most, sweeps), part)) return std::nullopt;
      sweeps -= most;
      const Vector swept = r_;
      polish();
      if (misfit() <= thresholds::cone_rounding * size_) return solution();
      r_ = swept;
    }
    if (misfit() <= thresholds::cone_misfit * size_) return solution();
    return std::nullopt;
  }

 private:
  FrictionProblem::Solution solution() const { return problem_.with_rates(r_.head(n_), r_.tail(s_)); }
  Vector rates() const { return W_ * r_ + free_; }
  Plane slips(const Contact& one, const Vector& all) const {
    return {one.slips > 0 ? all[one.slip] : 0, one.slips > 1 ? all[one.slip + 1] : 0};
  }
  /// Takes the reactions of one contact after the other. False: one of them has none.
  bool sweep(int most, double part) {
    Vector now = rates();
    for (int pass = 0; pass < most; ++pass) {
      double change = 0;
      for (const Contact& one : contacts_) {
        const double P = r_[one.normal];
        const Plane T = slips(one, r_);
        const double w = now[one.normal] - one.nn * P - one.nt.dot(T);
        const Plane u = slips(one, now) - one.tn * P - one.tt * T;
        const auto next = reaction(one, w, u);
        if (!next) return false;
        const auto move = [&](Index row, double to) {
          const double by = part * (to - r_[row]);
          if (by == 0) return;
          now += by * W_.col(row);
          change = std::max(change, std::abs(by) * W_(row, row));
          r_[row] = part == 1 ? to : r_[row] + by;
        };
        move(one.normal, next->P);
        for (Index j = 0; j < one.slips; ++j) move(one.slip + j, next->T[j]);
      }
      if (!(change > thresholds::cone_rounding * size_)) break;
      now = rates();
    }
    return true;
  }

  /// Does it slip? One whose force is at its limit and that does not is held.
  bool slips_at(const Contact& one, const Vector& now) const {
    return one.slips > 0 && slips(one, now).norm() > thresholds::cone_slip * size_ &&
           slips(one, r_).norm() >= (1 - thresholds::cone_slip) * one.mu * r_[one.normal];
  }

  /// Newton's method for all contacts together, P = max(0, P - rho w) and T the projection of T - rho u onto the disc
  /// of radius mu P, each of which is open, sticks or slides as its arguments say. What comes nearest to the laws
  /// stays.
  void polish() {
    Vector best = r_;
    double least = misfit();
    constexpr int most_iterations = 40;
    for (int iteration = 0; iteration < most_iterations && least > thresholds::unit_of_rounding * size_; ++iteration) {
      const Vector now = rates();
      Vector residual = now;
      Matrix derivative = W_;
      const auto keep = [&](Index row, double value, const Eigen::RowVectorXd& by) {
        residual[row] = value;
        derivative.row(row) = by;
      };
      const auto unit_row = [&](Index row, double size) {
        Eigen::RowVectorXd by = Eigen::RowVectorXd::Zero(n_ + s_);
        by[row] = size;
        return by;
      };
      for (const Contact& one : contacts_) {
        const double P = r_[one.normal];
        const Plane T = slips(one, r_), u = slips(one, now);
        const double unit = one.slips > 0 ? one.tt.trace() / static_cast<double>(one.slips) : 1;
        if (P - now[one.normal] / one.nn <= 0) {
          keep(one.normal, one.nn * P, unit_row(one.normal, one.nn));
          for (Index j = 0; j < one.slips; ++j) keep(one.slip + j, unit * T[j], unit_row(one.slip + j, unit));
          continue;
        }
        const Plane tried = T - u / unit;
        const double size = tried.norm();
        if (one.slips == 0 || size <= one.mu * P) continue;  // w = 0, u = 0
        const Plane d = tried / size;
        const Eigen::Matrix2d turn =
            (Eigen::Matrix2d::Identity() - d * d.transpose()) * (one.mu * std::max(P, 0.0) / size);
        for (Index j = 0; j < one.slips; ++j) {
          Eigen::RowVectorXd by = unit_row(one.slip + j, unit);
          by[one.normal] -= unit * one.mu * d[j];
          for (Index i = 0; i < one.slips && one.slips == 2; ++i) {
            by[one.slip + i] -= unit * turn(j, i);
            by += turn(j, i) * W_.row(one.slip + i);
          }
          keep(one.slip + j, unit * (T[j] - one.mu * P * d[j]), by);
        }
      }
      const Vector step = derivative.completeOrthogonalDecomposition().solve(residual);
      if (!step.allFinite()) break;
      // Further steps only shrink the impulses that open contacts have left, to numbers that underflow.
      const double change = W_.diagonal().cwiseProduct(step).lpNorm<Eigen::Infinity>();
      if (change <= thresholds::unit_of_rounding * size_) break;
      r_ -= step;
      Vector found = r_;
      for (const Contact& one : contacts_)
        if (!(r_[one.normal] > 0)) {
          r_[one.normal] = 0;
          for (Index j = 0; j < one.slips; ++j) r_[one.slip + j] = 0;
        }
      if (const double left = misfit(); left < least) {
        least = left;
        best = r_;
      }
      r_.swap(found);
    }
    r_ = best;
  }

  /// The largest rate by which the laws are missed.
  double misfit() const {
    const Vector now = rates();
    double most = 0;
    for (const Contact& one : contacts_) {
      const double P = r_[one.normal], w = now[one.normal];
      most = std::max(most, P > 0 ? std::abs(w) : -w);
      if (one.slips == 0 || !(P > 0)) continue;
      const Plane u = slips(one, now), T = slips(one, r_);
      const double unit = one.tt.trace() / static_cast<double>(one.slips), limit = one.mu * P;
      most = std::max(most, slips_at(one, now) ? unit * (T + limit * u.normalized()).norm()
                                               : std::max(u.norm(), unit * (T.norm() - limit)));
    }
    return most;
  }

  const FrictionProblem& problem_;
  Index n_, s_;
  Vector r_, free_;
  Matrix W_;
  std::vector<Contact> contacts_;
  double size_ = 0;
};

}  // namespace

std::optional<FrictionProblem::Solution> FrictionProblem::solve_in_space(int sweeps) const {
  return Cones(*this).solve(sweeps);
}

}  // namespace gnomon
