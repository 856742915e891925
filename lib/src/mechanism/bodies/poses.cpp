#include "mechanism/bodies/poses.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
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

/// Two unit vectors at right angles to n and to each other, along the axes where n is.
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

}  // namespace

Poses::Poses(const Bodies& bodies, const std::vector<double>& parameters) : bodies_(bodies) {
  values_.parameters = parameters;
  for (const Body& body : bodies.bodies) {
    find_mass(body);
    std::vector<Vector3> markers;
    for (const Marker& marker : body.markers) markers.push_back(vector(marker.position));
    markers_.push_back(std::move(markers));
    axes_.push_back(orientation(body));
    centres_.emplace_back(Vector3::Zero());
  }
  place_all();
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

void Poses::find_mass(const Body& body) {
  const std::string what = "body " + body.name;
  const bool planar = bodies_.dimension == 2;
  const Vector3 sizes = vector(body.sizes);
  for (std::size_t k = 0; k < body.sizes.size(); ++k)
    if (!(sizes[static_cast<Index>(k)] > 0))
      throw error_at(body.sizes[k].place, "a size of " + what + " is " + number_text(sizes[static_cast<Index>(k)]) +
                                              ", expected above zero");
  // Volume, and second moments of a unit mass.
  constexpr double pi = 3.14159265358979323846;
  double volume = 0;
  Vector3 moments = Vector3::Zero();
  const double r = sizes[0];
  switch (body.shape) {
    case Body::Shape::box:
      volume = planar ? sizes[0] * sizes[1] : sizes.prod();
      moments = sizes.cwiseAbs2() / 12;
      break;
    case Body::Shape::sphere:
      volume = planar ? pi * r * r : 4 * pi * r * r * r / 3;
      moments = planar ? Vector3(r * r / 4, r * r / 4, 0) : Vector3::Constant(r * r / 5);
      break;
    case Body::Shape::cylinder:
      volume = pi * r * r * sizes[1];
      moments = Vector3(r * r / 4, r * r / 4, sizes[1] * sizes[1] / 12);
      break;
    case Body::Shape::none:
      break;
  }
  const Formula& given = body.mass ? *body.mass : *body.density;
  const double mass = body.mass ? number(*body.mass) : number(*body.density) * volume;
  if (!(mass > 0))
    throw error_at(given.place, "the mass of " + what + " is " + number_text(mass) + ", expected above zero");
  masses_.push_back(mass);
  if (body.inertia.empty()) {
    moments_.push_back(mass * Matrix3(moments.asDiagonal()));
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
  const Matrix3 second = inertia.trace() / 2 * Matrix3::Identity() - inertia;
  const Vector3 own = Eigen::SelfAdjointEigenSolver<Matrix3>(inertia).eigenvalues();
  if (!(own[0] + own[1] > own[2] * (1 + thresholds::flat_body)) || !(own[0] > 0))
    throw error_at(body.inertia_place,
                   "the inertia of " + what + " has the principal moments " + number_text(own[0]) + ", " +
                       number_text(own[1]) + " and " + number_text(own[2]) +
                       ": of a body that is thick in every direction each is less than the sum of the others");
  moments_.push_back(second);
}

Matrix3 Poses::orientation(const Body& body) const {
  if (!body.angle) return Matrix3::Identity();
  const Vector3 axis = body.axis.empty() ? Vector3(Vector3::UnitZ())
                                         : direction(body.axis, "the axis of the orientation of body " + body.name);
  return Eigen::AngleAxisd(number(*body.angle), axis).toRotationMatrix().unaryExpr(&cleaned);
}

/// Each after those that its place needs; not by recursion, as chains may be long.
void Poses::place_all() {
  enum class State { unseen, open, placed };
  std::vector<State> states(bodies_.bodies.size(), State::unseen);
  std::vector<std::size_t> path;
  for (std::size_t first = 0; first < states.size(); ++first)
    for (path.push_back(first); !path.empty();) {
      const std::size_t k = path.back();
      const auto waits = [&](const auto& put) {
        const std::optional<Partner>& partner = put.second.partner;
        return partner && partner->kind == Partner::Kind::body && states[partner->index] != State::placed;
      };
      const auto& puts = bodies_.bodies[k].puts;
      const auto needed = states[k] == State::placed ? puts.end() : std::find_if(puts.begin(), puts.end(), waits);
      if (needed == puts.end()) {
        if (states[k] != State::placed) place(k);
        states[k] = State::placed;
        path.pop_back();
        continue;
      }
      states[k] = State::open;
      path.push_back(needed->second.partner->index);
      if (states[path.back()] != State::open) continue;
      const Body& body = bodies_.bodies[path.back()];
      throw error_at(body.place, "the place of body " + body.name + " depends on itself");
    }
}

void Poses::place(std::size_t k) {
  const Body& body = bodies_.bodies[k];
  if (body.puts.empty()) {
    centres_[k] = vector(body.position);
  } else {
    const Vector3 first = position(body.puts[0].second);
    const Vector3& marker = markers_[k][body.puts[0].first];
    if (body.puts.size() == 2) {
      const Vector3 to = position(body.puts[1].second) - first;
      const Vector3 from = axes_[k] * (markers_[k][body.puts[1].first] - marker);
      if (!(to.norm() > 0) || !(from.norm() > 0))
        throw error_at(body.place, "the place of body " + body.name + ": its two markers are at one point");
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
      return vector(bodies_.points[partner.index].position);
    case Partner::Kind::particle:
      return vector(bodies_.particles[partner.index].position);
    case Partner::Kind::body:
      break;
  }
  const std::size_t k = partner.index;
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
