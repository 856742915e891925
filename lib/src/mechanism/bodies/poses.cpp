#include "mechanism/bodies/poses.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "gnomon/base/numbers.hpp"
#include "gnomon/base/thresholds.hpp"
#include "mechanism/elaborated.hpp"

namespace gnomon::mechanism {

namespace {

using Vector3 = Poses::Vector3;
using Matrix3 = Poses::Matrix3;

/// What rounding left of zero and one.
double cleaned(double x) {
  if (std::abs(x) < thresholds::entry_rounding) return 0;
  if (std::abs(std::abs(x) - 1) < thresholds::entry_rounding) return x > 0 ? 1 : -1;
  return x;
}

}  // namespace

Matrix3 frame(const Vector3& n) {
  Index least = 0;
  n.cwiseAbs().minCoeff(&least);
  Matrix3 out;
  out.col(0) = n;
  const Vector3 u = Vector3::Unit(least);
  out.col(1) = (u - u.dot(n) * n).normalized();
  out.col(2) = n.cross(out.col(1));
  return out.unaryExpr(&cleaned);
}

Poses::Poses(const Bodies& bodies, const std::vector<double>& parameters, bool assembled)
    : bodies_(bodies), assembled_(assembled) {
  values_.parameters = parameters;
  for (const Body& body : bodies.bodies) {
    find_mass(body);
    std::vector<Vector3> markers;
    for (const Marker& marker : body.markers)
      markers.push_back(marker.at ? Vector3(Vector3::Zero()) : Vector3(vector(marker.position) - offsets_.back()));
    markers_.push_back(std::move(markers));
    axes_.push_back(orientation(body.orientation, "body " + body.name));
    centres_.emplace_back(Vector3::Zero());
  }
  place_all();
  for (std::size_t k = 0; k < markers_.size(); ++k)
    for (std::size_t j = 0; j < markers_[k].size(); ++j)
      if (const auto& at = bodies.bodies[k].markers[j].at)
        markers_[k][j] = (axes_[k].transpose() * (position(*at) - centres_[k])).unaryExpr(&cleaned);
  check_carried();
}

void Poses::check_carried() const {
  for (const Carried& one : bodies_.carried) {
    const Vector3 apart = position(one.on) - position(one.of);
    const double size = std::max(position(one.on).norm(), position(one.of).norm());
    if (apart.norm() > thresholds::exact_start * size)
      throw error_at(one.place, "weld " + one.weld + " joins \"" + one.of.name + "\" of a body without mass and \"" +
                                    one.on.name + "\", which are apart by " + number_text(apart.norm()) +
                                    ": such a body is not assembled, expected its place there");
  }
}

double Poses::number(const Formula& formula) const {
  const double t = 0;
  const double value = Evaluation<double>(values_, {&t, nullptr, nullptr, nullptr})(formula);
  if (!std::isfinite(value))
    throw error_at(formula.place, "the formula \"" + formula.text + "\" is " + finite_text(value));
  return value;
}

Vector3 Poses::vector(const Formulas& formulas) const {
  Vector3 out = Vector3::Zero();
  for (std::size_t k = 0; k < formulas.size(); ++k) out[static_cast<Index>(k)] = number(formulas[k]);
  return out;
}

Vector3 Poses::direction(const Formulas& formulas, const std::string& what) const {
  const Vector3 v = vector(formulas);
  if (!(v.norm() > 0)) throw error_at(formulas.front().place, what + " has the length zero");
  return v.normalized().unaryExpr(&cleaned);
}

/// The inertia with the nearest principal moments whose second moments E_i = tr J/2 - J_i are at least a small part of
/// tr J, in the sum of squares: of all sets of E_i that may be at that bound the one with the least change.
Matrix3 Poses::repair(const Body& body, const Matrix3& inertia) {
  const Eigen::SelfAdjointEigenSolver<Matrix3> principal(inertia);
  const Vector3 J = principal.eigenvalues();
  const Matrix3 of_moments = Matrix3::Constant(0.5) - Matrix3::Identity();
  const double least = thresholds::repaired_moment * J.cwiseAbs().sum();
  if ((of_moments * J).minCoeff() >= least || !(least > 0)) return inertia;
  Vector3 best = J;
  double change = std::numeric_limits<double>::infinity();
  for (unsigned at_bound = 1; at_bound < 8; ++at_bound) {
    std::vector<Index> rows;
    for (Index i = 0; i < 3; ++i)
      if ((at_bound >> i) & 1U) rows.push_back(i);
    const Matrix A = of_moments(rows, Eigen::all);
    const Vector lack = Vector::Constant(A.rows(), least) - A * J;
    const Vector3 trial = J + A.transpose() * (A * A.transpose()).ldlt().solve(lack);
    if ((of_moments * trial).minCoeff() < least / 2 || !((trial - J).norm() < change)) continue;
    best = trial;
    change = (trial - J).norm();
  }
  const auto text = [](const Vector3& x) {
    return number_text(x[0], 6) + ", " + number_text(x[1], 6) + ", " + number_text(x[2], 6);
  };
  repaired_ += (repaired_.empty() ? "" : "; ") + body.name + ", whose moments " + text(J) + " became " + text(best);
  return principal.eigenvectors() * best.asDiagonal() * principal.eigenvectors().transpose();
}

void Poses::find_centre(const Body& body, const Vector3& of_mesh) {
  offsets_.push_back(body.centre_of_mass ? vector(*body.centre_of_mass) : of_mesh);
}

void Poses::find_mass(const Body& body) {
  find_centre(body, body.mesh ? Vector3(number(body.sizes[0]) * body.mesh->centre) : Vector3(Vector3::Zero()));
  if (body.massless) {
    masses_.push_back(0);
    moments_.emplace_back(Matrix3::Zero());
    return;
  }
  const std::string what = "body " + body.name;
  const bool planar = bodies_.dimension == 2;
  const Vector3 sizes = vector(body.sizes);
  for (std::size_t k = 0; k < body.sizes.size(); ++k)
    if (!(sizes[static_cast<Index>(k)] > 0))
      throw error_at(body.sizes[k].place, "a size of " + what + " is " + number_text(sizes[static_cast<Index>(k)]) +
                                              ", expected above zero");
  if (body.shape == Shape::tube && !(sizes[1] < sizes[0]))
    throw error_at(body.sizes[1].place, "the tube of " + what + " has the inner radius " + number_text(sizes[1]) +
                                            ", expected less than the outer one");
  const double r = sizes[0];
  const ShapeMoments solid = shape_moments(body.shape, sizes, planar);
  const double volume = body.mesh ? r * r * r * body.mesh->volume : solid.volume;
  const Formula& given = body.mass ? *body.mass : *body.density;
  const double mass = body.mass ? number(*body.mass) : number(*body.density) * volume;
  if (!(mass > 0))
    throw error_at(given.place, "the mass of " + what + " is " + number_text(mass) + ", expected above zero");
  masses_.push_back(mass);
  if (body.inertia.empty() && body.mesh) {
    moments_.push_back(mass * r * r / body.mesh->volume * body.mesh->second_moments);
    return;
  }
  if (body.inertia.empty()) {
    moments_.push_back(mass * Matrix3(solid.moments.asDiagonal()));
    return;
  }
  if (planar) {
    const double inertia = number(body.inertia[0]);
    if (!(inertia > 0))
      throw error_at(body.inertia_place,
                     "the inertia of " + what + " is " + number_text(inertia) + ", expected above zero");
    moments_.push_back(Matrix3(Vector3(inertia / 2, inertia / 2, 0).asDiagonal()));
    return;
  }
  Matrix3 inertia = Matrix3::Zero();
  if (body.inertia.size() == 3) {
    inertia = vector(body.inertia).asDiagonal();
  } else {
    for (Index i = 0; i < 9; ++i) inertia(i / 3, i % 3) = number(body.inertia[static_cast<std::size_t>(i)]);
    if ((inertia - inertia.transpose()).cwiseAbs().maxCoeff() > thresholds::asymmetry * inertia.cwiseAbs().maxCoeff())
      throw error_at(body.inertia_place, "the inertia of " + what + " is not symmetric");
  }
  if (body.repaired && !body.thin) inertia = repair(body, inertia);
  const Eigen::SelfAdjointEigenSolver<Matrix3> principal(inertia);
  Vector3 own = principal.eigenvalues();
  // A rod without thickness: the other two moments, and with them its motion, are as they are for any that is small.
  if (std::abs(own[0]) <= thresholds::thin_body * own[2] && own[2] - own[1] <= thresholds::thin_body * own[2]) {
    const Vector3 along = principal.eigenvectors().col(0);
    inertia += (thresholds::rod_moment * own[2] - own[0]) * along * along.transpose();
    own[0] = thresholds::rod_moment * own[2];
  }
  Matrix3 second = inertia.trace() / 2 * Matrix3::Identity() - inertia;
  if (body.thin) {
    const auto a = static_cast<Index>(*body.thin);
    second(a, a) = 0;
    moments_.push_back(second);
    return;
  }
  if (!(own[0] + own[1] > own[2] * (1 + thresholds::flat_body)) || !(own[0] > 0))
    throw error_at(body.inertia_place,
                   "the inertia of " + what + " has the principal moments " + number_text(own[0]) + ", " +
                       number_text(own[1]) + " and " + number_text(own[2]) +
                       ": of a body that is thick in every direction each is less than the sum of the others, and of "
                       "a flat one, given as three numbers or as a disc or a plate, one is the sum and the others are "
                       "above zero");
  moments_.push_back(second);
}

Matrix3 Poses::orientation(const Orientation& given, const std::string& of) const {
  using Form = Orientation::Form;
  using Turn = Eigen::AngleAxisd;
  const std::string what = "the orientation of " + of;
  const auto numbers = [&](Index first, Index count) {
    Vector out(count);
    for (Index i = 0; i < count; ++i) out[i] = number(given.numbers[static_cast<std::size_t>(first + i)]);
    return out;
  };
  Matrix3 out = Matrix3::Identity();
  switch (given.form) {
    case Form::none:
      break;
    case Form::turn:
      out = Turn(number(*given.angle),
                 given.numbers.empty() ? Vector3(Vector3::UnitZ()) : direction(given.numbers, "the axis of " + what))
                .toRotationMatrix();
      break;
    case Form::rpy: {
      const Vector angles = numbers(0, 3);
      out = (Turn(angles[2], Vector3::UnitZ()) * Turn(angles[1], Vector3::UnitY()) * Turn(angles[0], Vector3::UnitX()))
                .toRotationMatrix();
      break;
    }
    case Form::quaternion: {
      const Vector q = numbers(0, 4);
      if (!(q.norm() > 0)) throw error_at(given.place, "the quaternion of " + what + " has the length zero");
      out = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
      break;
    }
    case Form::matrix: {
      const Vector rows = numbers(0, 9);
      const Matrix3 matrix = Eigen::Map<const Matrix3>(rows.data()).transpose();
      const double off = (matrix.transpose() * matrix - Matrix3::Identity()).cwiseAbs().maxCoeff();
      if (!(off <= thresholds::rotation_matrix) || !(matrix.determinant() > 0))
        throw error_at(given.place, "the matrix of " + what + " is no rotation: " +
                                        (off <= thresholds::rotation_matrix
                                             ? "it is a mirror image"
                                             : "R^T R is off the unit matrix by " + number_text(off)));
      const Eigen::JacobiSVD<Matrix3> svd(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
      out = svd.matrixU() * svd.matrixV().transpose();
      break;
    }
    case Form::along: {
      const Vector3 given_axis = numbers(0, 3);
      if (!(given_axis.norm() > 0)) throw error_at(given.place, what + " is along a vector of the length zero");
      const Matrix3 n = frame(given_axis.normalized());
      out << n.col(1), n.col(2), n.col(0);
      break;
    }
    case Form::axes: {
      const Vector3 first = numbers(0, 3), second = numbers(3, 3), x = first.normalized(),
                    y = second - x.dot(second) * x;
      if (!(first.norm() > 0) || !(y.norm() > thresholds::right_angle * second.norm()))
        throw error_at(given.place, "the axes of " + what + " are no two directions");
      out << x, y.normalized(), x.cross(y.normalized());
      break;
    }
  }
  return out.unaryExpr(&cleaned);
}

/// Each after those that its place needs; not by recursion, as chains may be long.
void Poses::place_all() {
  enum class State { unseen, open, placed };
  std::vector<State> states(bodies_.bodies.size(), State::unseen);
  std::vector<std::size_t> path;
  for (std::size_t first = 0; first < states.size(); ++first)
    for (path.push_back(first); !path.empty();) {
      const std::size_t k = path.back();
      std::optional<std::size_t> needed;
      const auto need = [&](std::size_t other) {
        if (!needed && states[other] != State::placed) needed = other;
      };
      const Body& own = bodies_.bodies[k];
      if (states[k] != State::placed) {
        if (own.orientation.relative) need(*own.orientation.relative);
        for (const auto& put : own.puts)
          if (const auto& partner = put.second.partner; partner && partner->kind == Partner::Kind::body)
            need(placed_by(bodies_, *partner).index);
      }
      if (!needed) {
        if (states[k] != State::placed) place(k);
        states[k] = State::placed;
        path.pop_back();
        continue;
      }
      states[k] = State::open;
      path.push_back(*needed);
      if (states[path.back()] != State::open) continue;
      const Body& body = bodies_.bodies[path.back()];
      throw error_at(body.place, "the place of body " + body.name + " depends on itself");
    }
}

void Poses::place(std::size_t k) {
  const Body& body = bodies_.bodies[k];
  if (body.orientation.relative) axes_[k] = (axes_[*body.orientation.relative] * axes_[k]).unaryExpr(&cleaned);
  if (body.puts.empty()) {
    centres_[k] = vector(body.position) + axes_[k] * offsets_[k];
  } else {
    const Vector3 first = position(body.puts[0].second);
    const Vector3& marker = markers_[k][body.puts[0].first];
    if (body.puts.size() == 2) {
      const Vector3 to = position(body.puts[1].second) - first;
      const Vector3 from = axes_[k] * (markers_[k][body.puts[1].first] - marker);
      if (!(to.norm() > 0) || !(from.norm() > 0))
        throw error_at(body.place, "the place of body " + body.name + ": its two markers are at one point");
      if (!assembled_ && std::abs(to.norm() - from.norm()) > thresholds::misfit * to.norm())
        throw error_at(body.place, "the place of body " + body.name + ": its two markers are " +
                                       number_text(from.norm()) + " apart and their places " + number_text(to.norm()) +
                                       ", expected one distance, or assemble = true in [start]");
      // In the plane about the third axis also where the two are opposite.
      const Matrix3 turn =
          bodies_.dimension == 2
              ? Matrix3(Eigen::AngleAxisd(std::atan2(from.cross(to)[2], from.dot(to)), Vector3::UnitZ()))
              : Eigen::Quaterniond::FromTwoVectors(from, to).toRotationMatrix();
      axes_[k] = (turn * axes_[k]).unaryExpr(&cleaned);
    }
    centres_[k] = first - axes_[k] * marker;
  }
}

double Poses::angle(std::size_t body) const {
  return std::atan2(axes_[body](1, 0), axes_[body](0, 0));
}

double Poses::reach2(std::size_t body) const {
  double sum = 0;
  for (const Vector3& marker : markers_[body]) sum += marker.squaredNorm();
  const double mean =
      sum > 0 ? sum / static_cast<double>(markers_[body].size()) : moments_[body].trace() / masses_[body];
  return bodies_.dimension == 2 ? mean : mean / 3;
}

Vector3 Poses::position(const Target3& target) const {
  return target.partner ? position(*target.partner) : vector(target.position);
}

Vector3 Poses::position(const Partner& partner) const {
  switch (partner.kind) {
    case Partner::Kind::point:
      return position(bodies_.points[partner.index].position);
    case Partner::Kind::particle:
      return vector(bodies_.particles[partner.index].position);
    case Partner::Kind::body:
      break;
  }
  const std::size_t k = partner.index;
  // It may be asked for before that of the marker is known in body axes.
  if (partner.marker)
    if (const auto& at = bodies_.bodies[k].markers[*partner.marker].at) return position(*at);
  return partner.marker ? Vector3(centres_[k] + axes_[k] * markers_[k][*partner.marker]) : centres_[k];
}

Vector3 Poses::in_axes(const Partner& partner, const Vector3& v) const {
  if (partner.kind != Partner::Kind::body) return v;
  return (axes_[partner.index].transpose() * v).unaryExpr(&cleaned);
}

Poses::Frames Poses::frames(const Joint& joint) const {
  const std::string what = "the axis of joint " + joint.name;
  Frames out;
  if (bodies_.dimension == 2) {
    // n in the plane, e1 at right angles to it; e2 is not used.
    const Vector3 n = joint.axes.empty() ? Vector3(Vector3::UnitX()) : direction(joint.axes[0], what);
    out.a << n, Vector3(-n[1], n[0], 0), Vector3::UnitZ();
    out.b = out.a;
    return out;
  }
  const Vector3 n = joint.axes.empty() ? Vector3(Vector3::UnitX()) : direction(joint.axes[0], what);
  // e1 and e2 are axes of B where n is one.
  const bool of_body = joint.b.kind == Partner::Kind::body;
  const Matrix3 axes = of_body ? axes_[joint.b.index] : Matrix3(Matrix3::Identity());
  out.a = axes * frame(in_axes(joint.b, n));
  out.b = out.a;
  if (joint.axes.size() == 2) {
    const Vector3 second = direction(joint.axes[1], what);
    if (std::abs(n.dot(second)) > thresholds::right_angle)
      throw error_at(joint.axes[1].front().place, "the axes of joint " + joint.name + " are not at right angles");
    // The first angle is that of `second` about n; the other one that of B about `second`, about which n turns back.
    out.a << n, second, n.cross(second);
    out.b << second, n, n.cross(second);
  }
  return out;
}

}  // namespace gnomon::mechanism
