#include "measures/published/elastica.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <vector>

#include "gnomon/base/error.hpp"
#include "measures/measure.hpp"

namespace gnomon::validation {

namespace {

using ShootingState = std::vector<double>;  // x, t, v, energy

class Shooting {
 public:
  Shooting(const Elastica& line, const Matrix& guess)
      : line_(line), d_(guess.rows()), segments_(guess.cols() - 1), unknowns_(3 * d_ * segments_ + d_) {
    const double l = length();
    for (Index k = 0; k < segments_; ++k) {
      const Index at = std::max<Index>(k, 1);
      unknowns_.segment(3 * d_ * k, d_) = guess.col(k);
      auto t = unknowns_.segment(3 * d_ * k + d_, d_);
      t = k == 0 ? Vector(guess.col(1) - guess.col(0)) : Vector(guess.col(k + 1) - guess.col(k - 1));
      t.normalize();
      unknowns_.segment(3 * d_ * k + 2 * d_, d_) =
          (guess.col(at + 1) - 2 * guess.col(at) + guess.col(at - 1)) / (l * l);
    }
    // F of a line without stiffness: sum_k P_k (weight (L - s_k) e_up - F) = 0, P_k = I - t_k t_k^T
    Matrix across = Matrix::Zero(d_, d_);
    Vector load = Vector::Zero(d_);
    for (Index k = 0; k < segments_; ++k) {
      const auto t = unknowns_.segment(3 * d_ * k + d_, d_);
      const Matrix p = Matrix::Identity(d_, d_) - t * t.transpose();
      across += p;
      load += line_.weight * (line_.length - l * static_cast<double>(k)) * p.col(d_ - 1);
    }
    unknowns_.tail(d_) = across.ldlt().solve(load);
  }

  Elastica::Solution solve() {
    constexpr int most_iterations = 100, most_halvings = 20;
    constexpr double tolerance = 1e-10;
    Vector f = residual(unknowns_), at_trial = f;
    Elastica::Solution result;
    while (f.lpNorm<Eigen::Infinity>() > tolerance) {
      if (++result.iterations > most_iterations) throw failed(f);
      const Vector step = jacobian().colPivHouseholderQr().solve(f);
      double factor = 1;
      Vector trial;
      for (int halving = 0; halving < most_halvings; ++halving, factor *= 0.5) {
        trial = unknowns_ - factor * step;
        at_trial = residual(trial);
        if (at_trial.norm() < f.norm()) break;
      }
      if (!(at_trial.norm() < f.norm())) throw failed(f);
      unknowns_ = trial;
      f = at_trial;
    }
    result.residual = f.lpNorm<Eigen::Infinity>();
    steps_ *= 2;
    result.integration = residual(unknowns_).lpNorm<Eigen::Infinity>();
    result.points.resize(d_, segments_ + 1);
    for (Index k = 0; k < segments_; ++k) {
      const ShootingState end = shoot(unknowns_, k);
      result.points.col(k) = unknowns_.segment(3 * d_ * k, d_);
      result.energy += end.back();
      if (k + 1 == segments_) result.points.col(k + 1) = Eigen::Map<const Vector>(end.data(), d_);
    }
    return result;
  }

 private:
  double length() const { return line_.length / static_cast<double>(segments_); }

  RunFailed failed(const Vector& f) const {
    return RunFailed(0, "the shooting for the elastica does not converge, the mismatch is " +
                            number_text(f.lpNorm<Eigen::Infinity>()));
  }

  void rate(const ShootingState& y, ShootingState& dy, double s, const Vector& force) const {
    double along = 0, square = 0;
    for (Index c = 0; c < d_; ++c) {
      const double t = y[d_ + c], v = y[2 * d_ + c];
      along += load(c, s, force) * t;
      square += v * v;
    }
    for (Index c = 0; c < d_; ++c) {
      dy[c] = y[d_ + c];
      dy[d_ + c] = y[2 * d_ + c];
      dy[2 * d_ + c] = load(c, s, force) - (along + square) * y[d_ + c];
    }
    dy[3 * d_] = 0.5 * line_.stiffness * square + line_.weight * y[d_ - 1];
  }
  double load(Index c, double s, const Vector& force) const {
    return ((c == d_ - 1 ? line_.weight * (line_.length - s) : 0) - force[c]) / line_.stiffness;
  }

  /// The state at the end of segment k.
  ShootingState shoot(const Vector& unknowns, Index k) const {
    namespace odeint = boost::numeric::odeint;
    const Vector force = unknowns.tail(d_);
    ShootingState y(static_cast<std::size_t>(3 * d_ + 1), 0);
    for (Index i = 0; i < 3 * d_; ++i) y[i] = unknowns[3 * d_ * k + i];
    odeint::integrate_n_steps(
        odeint::runge_kutta_fehlberg78<ShootingState>(),
        [&](const ShootingState& at, ShootingState& dy, double s) { rate(at, dy, s, force); }, y,
        length() * static_cast<double>(k), length() / static_cast<double>(steps_), static_cast<std::size_t>(steps_));
    return y;
  }

  /// Continuity, then the conditions at A and B, and |t| = 1 or t.v = 0 at A.
  Vector residual(const Vector& u) const {
    Vector f(3 * d_ * segments_ + d_ + 1);
    ShootingState end;
    for (Index k = 0; k < segments_; ++k) {
      end = shoot(u, k);
      if (k + 1 < segments_)
        f.segment(3 * d_ * k, 3 * d_) =
            Eigen::Map<const Vector>(end.data(), 3 * d_) - u.segment(3 * d_ * (k + 1), 3 * d_);
    }
    const Vector force = u.tail(d_), last = Eigen::Map<const Vector>(end.data(), 3 * d_);
    Vector all = Vector::Zero(d_);
    all[d_ - 1] = line_.weight * line_.length;
    const Index at = 3 * d_ * (segments_ - 1);
    f.segment(at, 2 * d_) = held(line_.a, u.head(3 * d_), force - all);
    f.segment(at + 2 * d_, 2 * d_) = held(line_.b, last, force);
    f[f.size() - 1] = line_.a.kind == ElasticaEnd::Kind::clamped ? u.segment(d_, d_).dot(u.segment(2 * d_, d_))
                                                                 : u.segment(d_, d_).squaredNorm() - 1;
    return f;
  }
  /// `force`: what vanishes at a free end.
  Vector held(const ElasticaEnd& end, const Vector& y, const Vector& force) const {
    Vector f(2 * d_);
    const bool clamped = end.kind == ElasticaEnd::Kind::clamped;
    if (end.kind == ElasticaEnd::Kind::free)
      f.head(d_) = force / line_.stiffness;
    else
      f.head(d_) = y.head(d_) - end.x;
    if (clamped)
      f.tail(d_) = y.segment(d_, d_) - end.direction;
    else
      f.tail(d_) = y.tail(d_);
    return f;
  }

  /// Central differences, segment by segment.
  Matrix jacobian() const {
    const Index rows = 3 * d_ * segments_ + d_ + 1;
    Matrix j = Matrix::Zero(rows, unknowns_.size());
    Vector u = unknowns_;
    const auto size = [&](Index i) { return 1e-6 * (1 + std::abs(unknowns_[i])); };
    for (Index i = 0; i < unknowns_.size(); ++i) {
      const double step = size(i);
      const bool of_force = i >= 3 * d_ * segments_;
      u[i] = unknowns_[i] + step;
      const Vector above = of_force ? residual(u) : local(u, i / (3 * d_));
      u[i] = unknowns_[i] - step;
      j.col(i) = (above - (of_force ? residual(u) : local(u, i / (3 * d_)))) / (2 * step);
      u[i] = unknowns_[i];
    }
    return j;
  }
  /// The rows that depend on the start of segment k; the others are zero, and the force is that of `u`.
  Vector local(const Vector& u, Index k) const {
    Vector f = Vector::Zero(3 * d_ * segments_ + d_ + 1);
    const ShootingState end = shoot(u, k);
    const Vector y = Eigen::Map<const Vector>(end.data(), 3 * d_), force = u.tail(d_);
    if (k > 0) f.segment(3 * d_ * (k - 1), 3 * d_) = -u.segment(3 * d_ * k, 3 * d_);
    if (k + 1 < segments_) f.segment(3 * d_ * k, 3 * d_) = y;
    const Index at = 3 * d_ * (segments_ - 1);
    if (k == 0) {
      f.segment(at, 2 * d_) = held(line_.a, u.head(3 * d_), force);
      f[f.size() - 1] = line_.a.kind == ElasticaEnd::Kind::clamped ? u.segment(d_, d_).dot(u.segment(2 * d_, d_))
                                                                   : u.segment(d_, d_).squaredNorm() - 1;
    }
    if (k + 1 == segments_) f.segment(at + 2 * d_, 2 * d_) = held(line_.b, y, force);
    return f;
  }

  const Elastica& line_;
  const Index d_, segments_;
  Vector unknowns_;
  int steps_ = 16;  // a segment
};

}  // namespace

Elastica::Solution Elastica::solve(const Matrix& guess) const {
  return Shooting(*this, guess).solve();
}

}  // namespace gnomon::validation
