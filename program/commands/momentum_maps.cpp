#include "program/commands/momentum_maps.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <cmath>
#include <random>

#include "gnomon/base/error.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/registry/coordinate_names.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon::program {

namespace {

constexpr double exact = 1e-9;

class MomentumMaps {
 public:
  explicit MomentumMaps(const ProblemInstance& instance)
      : instance_(instance), system_(*instance.model->mechanical()), axes_(named_axes(*instance.model)) {
    for (const NamedAxes& one : axes_) in_space_ = in_space_ || one.at[2] >= 0;
    n_motions_ = axes_.empty() ? 0 : in_space_ ? 6 : 3;
  }

  std::vector<std::string> names() {
    std::vector<std::string> out;
    if (n_motions_ == 0 || system_.parts().mass) return out;
    collect();
    Matrix changes(static_cast<Index>(rows_.size()), n_motions_);
    for (std::size_t i = 0; i < rows_.size(); ++i) changes.row(static_cast<Index>(i)) = rows_[i];
    const Eigen::JacobiSVD<Matrix> svd(changes, Eigen::ComputeFullV);
    Index rank = 0;
    while (rank < svd.singularValues().size() && svd.singularValues()[rank] > exact) ++rank;
    Matrix kept = svd.matrixV().rightCols(n_motions_ - rank).transpose();
    reduce(kept);
    for (Index k = 0; k < kept.rows(); ++k) out.push_back(name(kept.row(k)));
    return out;
  }

 private:
  /// D xi of motion k applied to v: the rotations alone, of points and vectors.
  Vector turned(Index k, const Vector& v) const {
    Vector out = Vector::Zero(v.size());
    const Index first = in_space_ ? 3 : 2;
    if (k < first) return out;
    Eigen::Vector3d axis = Eigen::Vector3d::Zero();
    axis[in_space_ ? k - 3 : 2] = 1;
    for (const NamedAxes& one : axes_) {
      Eigen::Vector3d x = Eigen::Vector3d::Zero();
      for (int i = 0; i < 3; ++i)
        if (one.at[i] >= 0) x[i] = v[one.at[i]];
      x = axis.cross(x).eval();
      for (int i = 0; i < 3; ++i)
        if (one.at[i] >= 0) out[one.at[i]] = x[i];
    }
    return out;
  }
  /// xi of motion k at q: translations along the axes, then rotations about them.
  Vector motion(Index k, const Vector& q) const {
    Vector out = turned(k, q);
    if (k < (in_space_ ? 3 : 2))
      for (const NamedAxes& one : axes_)
        if (one.is_point && one.at[k] >= 0) out[one.at[k]] = 1;
    return out;
  }

  void collect() {
    std::mt19937 engine(1);
    std::normal_distribution<double> normal;
    const auto random = [&](Index n) {
      Vector x(n);
      for (double& each : x) each = normal(engine);
      return x;
    };
    // Besides the start at least one other position, and so many until the rows are plenty.
    constexpr int samples = 6;
    constexpr std::size_t plenty = 1000;
    const double size = std::max(instance_.q0.lpNorm<Eigen::Infinity>(), 1e-100);
    int taken = 0;
    for (int sample = 0; sample < samples && (taken < 2 || rows_.size() < plenty); ++sample) {
      Vector q = instance_.q0, p = Vector::Zero(q.size());
      if (sample > 0) q += .03 * size * random(q.size());
      try {
        if (sample > 0 && system_.m() > 0) project_start(system_, instance_.t0, q, p);
      } catch (const Error&) {
        continue;
      }
      ++taken;
      add_sample(q, random(q.size()), random(system_.m() + system_.parts().n_obstacles()));
    }
  }
  void add_sample(const Vector& q, const Vector& v, const Vector& lambda) {
    const Parts& parts = system_.parts();
    const double t = instance_.t0;
    Vector f(q.size()), m_v(q.size());
    motions_.resize(q.size(), n_motions_);
    for (Index k = 0; k < n_motions_; ++k) motions_.col(k) = motion(k, q);
    lengths_ = motions_.colwise().norm();
    system_.potential_gradient(t, q, f);
    add_row(f);
    add_constraints(system_, q);
    if (parts.obstacles) add_constraints(*parts.obstacles->with_obstacles_closed(), q);
    if (parts.force) {
      f.setZero();
      parts.force->force(t, q, v, f);
      add_row(f);
    }
    if (parts.friction) {
      f.setZero();
      parts.friction->friction(q, v, lambda, f);
      add_row(f);
    }
    system_.mass().apply(v, m_v);
    Eigen::RowVectorXd row(n_motions_);
    for (Index k = 0; k < n_motions_; ++k) row[k] = m_v.dot(turned(k, v)) / (m_v.norm() * v.norm());
    rows_.push_back(row);
  }
  void add_constraints(const System& system, const Vector& q) {
    if (system.m() == 0) return;
    Vector values(system.constraint_pattern().nonzeros());
    system.constraint_jacobian(instance_.t0, q, values);
    const SparsityPattern& pattern = system.constraint_pattern();
    for (Index i = 0; i < pattern.rows; ++i) {
      Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(n_motions_);
      double squares = 0;
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
        row += values[k] * motions_.row(pattern.indices[k]);
        squares += values[k] * values[k];
      }
      add_row(row, std::sqrt(squares));
    }
  }
  void add_row(const Vector& f) { add_row(f.transpose() * motions_, f.norm()); }
  /// f . xi of every motion, in parts of their lengths.
  void add_row(Eigen::RowVectorXd row, double length) {
    for (Index k = 0; k < n_motions_; ++k) row[k] = length > 0 && lengths_[k] > 0 ? row[k] / (length * lengths_[k]) : 0;
    rows_.push_back(std::move(row));
  }

  /// Rows to reduced echelon form, so that axes of the coordinates are seen as such.
  static void reduce(Matrix& a) {
    Index row = 0;
    for (Index column = 0; column < a.cols() && row < a.rows(); ++column) {
      Index pivot = 0;
      const double largest = a.col(column).tail(a.rows() - row).cwiseAbs().maxCoeff(&pivot);
      if (largest < exact) continue;
      a.row(row).swap(a.row(row + pivot));
      a.row(row) /= a(row, column);
      for (Index i = 0; i < a.rows(); ++i)
        if (i != row) a.row(i) -= (a(i, column) * a.row(row)).eval();
      ++row;
    }
  }
  static std::string point(const Eigen::Vector3d& x) {
    std::string text;
    for (const double each : x)
      text += fmt::format("{}{:.6g}", text.empty() ? "" : ", ", std::abs(each) < exact ? 0.0 : each);
    return "(" + text + ")";
  }
  std::string name(const Eigen::RowVectorXd& c) const {
    Eigen::Vector3d along = Eigen::Vector3d::Zero(), axis = along;
    along.head(in_space_ ? 3 : 2) = c.head(in_space_ ? 3 : 2).transpose();
    if (in_space_)
      axis = c.tail(3).transpose();
    else
      axis[2] = c[2];
    if (axis.norm() < exact) return "linear momentum along " + point(along.normalized());
    // x -> axis x (x - r) + pitch axis
    const double length2 = axis.squaredNorm(), pitch = along.dot(axis) / length2;
    const Eigen::Vector3d r = axis.cross(along) / length2;
    return "angular momentum about the axis " + point(axis.normalized()) + " through " + point(r) +
           (std::abs(pitch) < exact ? "" : fmt::format(", with a pitch of {:.6g}", pitch));
  }

  const ProblemInstance& instance_;
  const System& system_;
  std::vector<NamedAxes> axes_;
  bool in_space_ = false;
  Index n_motions_ = 0;
  Matrix motions_;              ///< xi of every motion at the sample, a column each
  Eigen::RowVectorXd lengths_;  ///< of them
  std::vector<Eigen::RowVectorXd> rows_;
};

}  // namespace

std::vector<std::string> momentum_maps(const ProblemInstance& instance) {
  return MomentumMaps(instance).names();
}

}  // namespace gnomon::program
