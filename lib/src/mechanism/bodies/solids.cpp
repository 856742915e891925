#include "mechanism/bodies/solids.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "mechanism/bodies/joining_writer.hpp"

namespace gnomon::mechanism {

namespace {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;

constexpr std::size_t most_bodies = 300;
constexpr int corners = 32;  // of a circle
constexpr double pi = 3.14159265358979323846;

bool are_drawn(const Bodies& all) {
  return all.dimension == 3 && !all.bodies.empty() && all.bodies.size() <= most_bodies;
}

/// Surfaces, each added to what is there.
class Surface {
 public:
  explicit Surface(Solid& solid, const Vector3& origin = Vector3::Zero(), const Matrix3& axes = Matrix3::Identity())
      : solid_(solid), origin_(origin), axes_(axes) {}

  void triangle(const Vector3& a, const Vector3& b, const Vector3& c) {
    const auto first = static_cast<std::uint32_t>(solid_.points.size());
    for (const Vector3& x : {a, b, c}) point(x);
    solid_.triangles.push_back({first, first + 1, first + 2});
  }
  void quadrangle(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d) {
    triangle(a, b, c);
    triangle(a, c, d);
  }
  /// Edges along the columns of axes.
  void box(const Vector3& centre, const Matrix3& axes, const Vector3& edges) {
    for (int a = 0; a < 3; ++a)
      for (const double side : {-1., 1.}) {
        const Vector3 out = axes.col(a) * edges[a] / 2 * side;
        const Vector3 u = axes.col((a + 1) % 3) * edges[(a + 1) % 3] / 2 * side,
                      v = axes.col((a + 2) % 3) * edges[(a + 2) % 3] / 2;
        const Vector3 c = centre + out;
        quadrangle(c - u - v, c + u - v, c + u + v, c - u + v);
      }
  }
  /// A surface of revolution about an axis through `centre`: radius and height of the corners of its outline, from the
  /// bottom up where it goes round the outside.
  void turned(const Vector3& centre, const Vector3& along, const std::vector<std::pair<double, double>>& outline) {
    const Vector3 w = along.normalized();
    Eigen::Index least = 0;
    w.cwiseAbs().minCoeff(&least);
    const Vector3 u = w.cross(Vector3(Vector3::Unit(least))).normalized(), v = w.cross(u);
    const auto at = [&](const std::pair<double, double>& corner, int i) -> Vector3 {
      const double angle = 2 * pi * i / corners;
      return centre + corner.second * w + corner.first * (std::cos(angle) * u + std::sin(angle) * v);
    };
    for (std::size_t k = 0; k + 1 < outline.size(); ++k)
      for (int i = 0; i < corners; ++i) {
        const Vector3 a = at(outline[k], i), b = at(outline[k], i + 1), c = at(outline[k + 1], i + 1),
                      d = at(outline[k + 1], i);
        if (outline[k].first > 0) triangle(a, b, outline[k + 1].first > 0 ? c : d);
        if (outline[k + 1].first > 0) triangle(a, c, d);
      }
  }
  void cylinder(const Vector3& centre, const Vector3& along, double radius, double length) {
    const double h = length / 2;
    turned(centre, along, {{0, -h}, {radius, -h}, {radius, h}, {0, h}});
  }
  /// A half sphere at each end of a cylinder, which may have no length.
  void capsule(const Vector3& centre, const Vector3& along, double radius, double length) {
    std::vector<std::pair<double, double>> outline;
    constexpr int pieces = 8;
    for (const double side : {-1., 1.})
      for (int i = 0; i <= pieces; ++i) {
        const double angle = pi / 2 * (side < 0 ? pieces - i : i) / pieces;
        const bool pole = side < 0 ? i == 0 : i == pieces;
        outline.emplace_back(pole ? 0 : radius * std::cos(angle), side * (length / 2 + radius * std::sin(angle)));
      }
    turned(centre, along, outline);
  }
  void sphere(const Vector3& centre, double radius) { capsule(centre, Vector3::UnitZ(), radius, 0); }
  void ellipsoid(const Vector3& axes) {
    const Matrix3 before = axes_;
    axes_ = axes_ * axes.asDiagonal();
    sphere(Vector3::Zero(), 1);
    axes_ = before;
  }
  void bar(const Vector3& from, const Vector3& to, double radius) {
    if ((to - from).norm() > 0) cylinder((from + to) / 2, to - from, radius, (to - from).norm());
  }

 private:
  void point(const Vector3& in_axes) {
    const Vector3 x = origin_ + axes_ * in_axes;
    solid_.points.push_back({static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2])});
  }
  Solid& solid_;
  Vector3 origin_;
  Matrix3 axes_;
};

using Triangles = std::vector<std::array<std::array<float, 3>, 3>>;

class SolidMaker {
 public:
  SolidMaker(const Bodies& all, const Poses& poses) : all_(all), poses_(poses) {
    // The extent of everything at the start, for the size of symbols.
    Vector3 low = Vector3::Constant(1e300), high = -low;
    const auto reach = [&](const Vector3& x, double around) {
      low = low.cwiseMin(x - Vector3::Constant(around));
      high = high.cwiseMax(x + Vector3::Constant(around));
    };
    for (std::size_t k = 0; k < all.bodies.size(); ++k) {
      const Body& body = all.bodies[k];
      const double size = body.massless || body.mesh ? 0 : std::sqrt(poses.second_moments(k).trace() / poses.mass(k));
      reach(poses.centre(k), size);
      for (std::size_t i = 0; i < body.markers.size(); ++i)
        reach(poses.centre(k) + poses.axes(k) * poses.marker(k, i), 0);
    }
    for (const Joint& joint : all.joints) reach(poses.position(joint.a), 0);
    extent_ = std::max((high - low).maxCoeff(), 0.0);
    if (!(extent_ > 0)) extent_ = 1;
  }

  Solid body(std::size_t k) const {
    const Body& body = all_.bodies[k];
    Solid solid{body.name, Solid::Kind::body, {}, {}};
    if (body.looks) {
      add(solid, *body.looks, poses_.offset(k));
      return solid;
    }
    Surface surface(solid);
    const Vector3 sizes = poses_.vector(body.sizes);
    if (body.shape == Body::Shape::none) {
      if (without_shape(surface, k)) solid.kind = Solid::Kind::inertia;
      if (add_touching(surface, k)) solid.kind = Solid::Kind::body;
      return solid;
    }
    add(surface, body.shape, sizes, body.mesh ? body.mesh->triangles : Triangles{},
        body.mesh ? body.mesh->centre : Vector3(Vector3::Zero()));
    mark_turning(surface, body, sizes);
    return solid;
  }
  void add(Solid& solid, const std::vector<Look>& looks, const Vector3& offset) const {
    for (const Look& look : looks) {
      Surface part(solid, poses_.vector(look.position) - offset,
                   poses_.orientation(look.orientation, "a shape drawn of " + solid.name));
      add(part, look.shape, poses_.vector(look.sizes), look.triangles, Vector3::Zero());
    }
  }
  /// A shape about the origin; of a mesh its triangles, less a point of it.
  void add(Surface& surface, Body::Shape shape, const Vector3& sizes, const Triangles& triangles,
           const Vector3& centre) const {
    const Vector3 o = Vector3::Zero(), z = Vector3::UnitZ();
    const double thickness = 0.004 * extent_;  // of what has none
    using Shape = Body::Shape;
    switch (shape) {
      case Shape::box:
        surface.box(o, Matrix3::Identity(), sizes);
        break;
      case Shape::sphere:
        surface.sphere(o, sizes[0]);
        break;
      case Shape::ellipsoid:
        surface.ellipsoid(sizes);
        break;
      case Shape::cylinder:
        surface.cylinder(o, z, sizes[0], sizes[1]);
        break;
      case Shape::tube:
        ring(surface, sizes[0], sizes[1], sizes[2]);
        break;
      case Shape::capsule:
        surface.capsule(o, z, sizes[0], sizes[1]);
        break;
      case Shape::disc:
        surface.cylinder(o, z, sizes[0], thickness);
        break;
      case Shape::ring:
        ring(surface, sizes[0] + thickness, std::max(sizes[0] - thickness, sizes[0] / 2), 2 * thickness);
        break;
      case Shape::plate:
        surface.box(o, Matrix3::Identity(), Vector3(sizes[0], sizes[1], thickness));
        break;
      case Shape::mesh:
        for (const auto& triangle : triangles) {
          const auto corner = [&](std::size_t i) -> Vector3 {
            return sizes[0] * (Vector3(triangle[i][0], triangle[i][1], triangle[i][2]) - centre);
          };
          surface.triangle(corner(0), corner(1), corner(2));
        }
        break;
      case Shape::none:
        break;
    }
  }

  /// The shapes that are drawn at a point, in the axes of space.
  Solid point(const FixedPoint& point) const {
    Solid solid{point.name, Solid::Kind::body, {}, {}};
    add(solid, point.looks, Vector3::Zero());
    return solid;
  }

  Solid joint(const Joint& joint) const {
    Solid solid{joint.name, Solid::Kind::joint, {}, {}};
    Surface surface(solid);
    const double size = 0.012 * extent_;
    const Vector3 o = Vector3::Zero();
    if (joint.type->coincide && !joint.type->turns && joint.axes.empty()) {
      if (joint.type->name == "spherical") surface.sphere(o, 1.3 * size);
      return solid;
    }
    const Matrix3 frames = poses_.frames(joint).a;
    Matrix3 axes;
    for (int c = 0; c < 3; ++c) axes.col(c) = poses_.in_axes(joint.a, frames.col(c));
    const Vector3 n = axes.col(0);
    if (joint.axes.size() == 2) {
      surface.bar(o - 2.5 * size * n, o + 2.5 * size * n, 0.6 * size);
      const Vector3 other = poses_.in_axes(joint.a, poses_.frames(joint).b.col(0));
      surface.bar(o - 2.5 * size * other, o + 2.5 * size * other, 0.6 * size);
    } else if (joint.type->turns) {
      surface.cylinder(o, n, 1.2 * size, 8 * size);
    } else if (joint.type->slides || joint.type->axes > 0) {
      surface.box(o, axes, Vector3(9, 2.5, 2.5) * size);
    }
    return solid;
  }

  Solid contact(const PlaneContact& contact) const {
    Solid solid{contact.name, Solid::Kind::contact, {}, {}};
    Surface surface(solid);
    const Partner base = contact.base.value_or(Partner{});
    const Vector3 n = poses_.direction(contact.normal, "the normal of contact " + contact.name);
    Eigen::Index least = 0;
    n.cwiseAbs().minCoeff(&least);
    const Vector3 u = n.cross(Vector3(Vector3::Unit(least))).normalized(), v = n.cross(u);
    // Below what touches at the start.
    const Vector3 point = contact.base ? poses_.position(*contact.base) : poses_.vector(contact.point);
    Vector3 middle = Vector3::Zero();
    for (const Partner& on : contact.on) {
      const Vector3 apart = poses_.position(on) - point;
      middle += (apart - n * n.dot(apart)) / static_cast<double>(contact.on.size());
    }
    const auto at = [&](double a, double b) -> Vector3 {
      const Vector3 x = middle + extent_ * (a * u + b * v);
      return contact.base ? poses_.in_axes(base, x) : x;
    };
    surface.quadrangle(at(-1, -1), at(1, -1), at(1, 1), at(-1, 1));
    return solid;
  }

 private:
  static void ring(Surface& surface, double outer, double inner, double length) {
    const double h = length / 2;
    surface.turned(Vector3::Zero(), Vector3::UnitZ(), {{inner, -h}, {outer, -h}, {outer, h}, {inner, h}, {inner, -h}});
  }
  /// Spokes from the centre of mass to the markers, with bars between these where there are more than two; without
  /// markers away from it, and true, the box with the moments of the body.
  bool without_shape(Surface& surface, std::size_t k) const {
    const Body& body = all_.bodies[k];
    double reach = 0;
    for (std::size_t i = 0; i < body.markers.size(); ++i) reach = std::max(reach, poses_.marker(k, i).norm());
    const Eigen::SelfAdjointEigenSolver<Matrix3> principal(poses_.second_moments(k) / poses_.mass(k));
    const Vector3 edges = (12 * principal.eigenvalues().cwiseMax(0)).cwiseSqrt();
    if (!(reach > std::min(0.2 * edges.maxCoeff(), 0.05 * extent_))) {
      surface.box(Vector3::Zero(), principal.eigenvectors(), edges.cwiseMax(0.05 * edges.maxCoeff()));
      return true;
    }
    const double radius = 0.025 * reach;
    surface.sphere(Vector3::Zero(), 2 * radius);
    const std::size_t count = body.markers.size();
    for (std::size_t i = 0; i < count; ++i) {
      surface.bar(Vector3::Zero(), poses_.marker(k, i), radius);
      if (count > 2) surface.bar(poses_.marker(k, i), poses_.marker(k, (i + 1) % count), radius / 2);
    }
    return false;
  }
  /// Balls and discs by which a body without a shape touches planes.
  bool add_touching(Surface& surface, std::size_t k) const {
    bool any = false;
    for (const PlaneContact& contact : all_.contacts) {
      if (!contact.radius) continue;
      const double radius = poses_.number(*contact.radius);
      for (const Partner& on : contact.on) {
        if (on.kind != Partner::Kind::body || on.index != k) continue;
        const Vector3 at = poses_.in_axes(on, poses_.position(on) - poses_.centre(k));
        any = true;
        if (contact.axis.empty())
          surface.sphere(at, radius);
        else
          surface.cylinder(at,
                           poses_.in_axes(on, poses_.direction(contact.axis, "the axis of contact " + contact.name)),
                           radius, 0.008 * extent_);
      }
    }
    return any;
  }
  /// A rib on what is round, so that its turning is seen.
  void mark_turning(Surface& surface, const Body& body, const Vector3& sizes) const {
    using Shape = Body::Shape;
    const double r = sizes[0];
    const bool flat = body.shape == Shape::disc;
    if (body.shape != Shape::cylinder && body.shape != Shape::sphere && !flat) return;
    const double length = body.shape == Shape::sphere ? 0.3 * r : flat ? 0.012 * extent_ : 1.15 * sizes[1];
    const double out = body.shape == Shape::sphere ? 0.9 * r : 0.55 * r;
    surface.box(Vector3(out, 0, 0), Matrix3::Identity(),
                Vector3(body.shape == Shape::sphere ? 0.3 * r : 0.8 * r, 0.12 * r, length));
  }

  const Bodies& all_;
  const Poses& poses_;
  double extent_ = 1;
};

class FrameWriter : JoiningWriter {
 public:
  using JoiningWriter::JoiningWriter;

  void write() {
    for (const Body& body : all_.bodies)
      if (!body.massless) frame(body.name, body.name, &body, body.place);
    for (const Joint& joint : all_.joints) frame(joint.name, joint.a.name, body_at(joint.a), joint.place);
    for (const PlaneContact& contact : all_.contacts)
      frame(contact.name, contact.base ? contact.base->name : contact.name + ".point",
            contact.base ? body_at(*contact.base) : nullptr, contact.place);
    for (const FixedPoint& point : all_.points)
      if (!point.looks.empty()) frame(point.name, point.name, nullptr, point.place);
  }

 private:
  const Body* body_at(const Partner& partner) const {
    return partner.kind == Partner::Kind::body ? &all_.bodies[partner.index] : nullptr;
  }
  /// Origin and axes, those of a body or of space.
  void frame(const std::string& name, const std::string& origin, const Body* body, const Place& place) {
    std::vector<Texts> columns{point_of(origin)};
    for (std::size_t i = 0; i < 3; ++i)
      columns.push_back(body ? point_of(director(body->name, i))
                             : Texts{i == 0 ? "1" : "0", i == 1 ? "1" : "0", i == 2 ? "1" : "0"});
    draw(name, columns, place, "frames");
  }
};

}  // namespace

void write_frames(const Bodies& all, WrittenTables& written) {
  if (are_drawn(all)) FrameWriter(all, written).write();
}

std::vector<Solid> solids_of(const Bodies& all, const Poses& poses) {
  std::vector<Solid> solids;
  if (!are_drawn(all)) return solids;
  const SolidMaker make(all, poses);
  for (std::size_t k = 0; k < all.bodies.size(); ++k)
    if (!all.bodies[k].massless) solids.push_back(make.body(k));
  for (const Joint& joint : all.joints) solids.push_back(make.joint(joint));
  for (const PlaneContact& contact : all.contacts) solids.push_back(make.contact(contact));
  for (const FixedPoint& point : all.points)
    if (!point.looks.empty()) solids.push_back(make.point(point));
  return solids;
}

}  // namespace gnomon::mechanism
