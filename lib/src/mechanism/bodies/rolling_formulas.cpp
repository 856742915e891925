/// \file
/// Spheres, wheels and discs that roll on a plane through A with the normal n, which is fixed in A. With p = p_B - p_A
/// and the radius R,
///
///     sphere      c = -R n,                               n.p - R = 0
///     wheel       c = -R (n - s w)/k, s = n.w, k^2 = 1 - s^2,   n.p - R k = 0,    w: the axis of the wheel
///
/// c is the vector from p_B to where B touches the plane, and the points of B and of A that touch have one velocity:
///
///     e_i . (p_B' + omega_B x c - p_A' - omega_A x (p + c)) = 0,    i = 1, 2,
///
/// of a wheel along its way, e_1 = n x w/k, and across it, e_2 = (w - s n)/k, where that is not left to slip.
///
/// In the plane the second condition is that of a position, t.p + R phi = const, t at right angles to n and phi the
/// angle of B against A. On a disc of the radius R_A, with the angles alpha of A, beta of B and gamma of p,
///
///     |p| = R_A + R,      R_A (alpha - gamma) + R (beta - gamma) = const,
///     |p| = |R_A - R|,    R_A (alpha - gamma) - R (beta - gamma) = const    of one disc inside the other.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "gnomon/base/numbers.hpp"
#include "gnomon/base/thresholds.hpp"
#include "mechanism/bodies/joining_writer.hpp"

namespace gnomon::mechanism {

namespace {

class RollingWriter : JoiningWriter {
 public:
  using JoiningWriter::JoiningWriter;

  void write() {
    for (const Rolling& rolling : all_.rollings) write_rolling(rolling);
  }

 private:
  void write_rolling(const Rolling& rolling) {
    const std::string& r = rolling.name;
    if (rolling.base_radius) write_disc_vectors(rolling);
    for (const auto& [column, name] : {std::pair{0, ".n"}, {1, ".e1"}, {2, ".e2"}})
      if (column < (rolling.base_radius ? 0 : rolling.wheel ? 1 : all_.dimension))
        fixed_vector(
            r + name, rolling.a,
            [rolling, column = column, flat = planar()](const Poses& poses) -> Vector3 {
              const Vector3 n = poses.direction(rolling.normal, "the normal of joint " + rolling.name);
              return flat && column == 1 ? Vector3(n[1], -n[0], 0) : Vector3(frame(n).col(column));
            },
            rolling.place);
    above_zero(r + ".radius", *rolling.radius, rolling);
    if (rolling.base_radius)
      write_on_disc(rolling);
    else if (planar())
      write_planar(rolling);
    else
      write_spatial(rolling);
    output(r + ".normal", (rolling.inside ? "lambda." : "-lambda.") + r + ".height", "N", rolling.place);
    for (std::size_t c = 0; c < dimension_; ++c) {
      std::string force;
      for (const auto& [row, vector] : rows(rolling)) force += " - lambda." + row + "*" + vector + "." + letters[c];
      output(r + ".force." + letters[c], force, "N", rolling.place);
    }
    // The condition of the height pulls too, where a real wheel would lift off. Without gravity nothing says what is
    // rounding. A disc on a disc, as a gear, is held by joints.
    const bool held =
        rolling.base_radius && std::any_of(all_.joints.begin(), all_.joints.end(), [&](const Joint& joint) {
          const auto joins = [&](const Partner& one) {
            return one.kind == Partner::Kind::body && one.index == rolling.b.index;
          };
          return joins(joint.a) || joins(joint.b);
        });
    if (!all_.gravity.empty() && !held) {
      constant(r + ".no_pull", rolling.place, [rolling, gravity = all_.gravity](const Poses& poses) {
        return thresholds::no_pull * poses.mass(rolling.b.index) * poses.vector(gravity).norm();
      });
      define(r + ".pull", "-" + r + ".normal", rolling.place);
      show(r + ".pull", "N", rolling.place, r + ".no_pull");
    }
    if (!rolling.friction) return;
    at_least_zero(r + ".friction", *rolling.friction, "the friction of joint " + r);
    std::string square;
    for (const auto& [row, vector] : rows(rolling))
      if (row != r + ".height") square += (square.empty() ? "lambda." : " + lambda.") + row + "^2";
    define(r + ".grip", "sqrt(" + square + ")/(" + r + ".friction*" + r + ".normal)", rolling.place);
    show(r + ".grip", "", rolling.place, "1");
  }
  void above_zero(const std::string& name, const Formula& f, const Rolling& rolling) {
    constant(name, f.place, [f, joint = rolling.name](const Poses& poses) {
      const double radius = poses.number(f);
      if (!(radius > 0))
        throw error_at(f.place,
                       "the radius of joint " + joint + " is " + number_text(radius) + ", expected above zero");
      return radius;
    });
  }
  /// Rows of constraints, and the directions of their forces.
  std::vector<std::pair<std::string, std::string>> rows(const Rolling& rolling) const {
    const std::string& r = rolling.name;
    if (planar() || rolling.slips_sideways) return {{r + ".height", r + ".n"}, {r + ".roll", r + ".e1"}};
    if (rolling.wheel) return {{r + ".height", r + ".n"}, {r + ".roll", r + ".e1"}, {r + ".side", r + ".e2"}};
    return {{r + ".height", r + ".n"}, {r + ".roll1", r + ".e1"}, {r + ".roll2", r + ".e2"}};
  }
  std::string above(const Rolling& rolling, const std::string& vector) const {
    return sum([&](const std::string& c) { return apart(rolling.a, rolling.b, c) + "*" + vector + "." + c; });
  }

  /// r.n along p and r.e1, by which what turns with A is ahead.
  void write_disc_vectors(const Rolling& rolling) {
    const std::string &r = rolling.name, distance = r + ".distance";
    define(distance, "sqrt(" + square(rolling.a, rolling.b) + ")", rolling.place);
    for (const std::string c : {"x", "y"})
      define(r + ".n." + c, apart(rolling.a, rolling.b, c) + "/" + distance, rolling.place);
    // R_A + R, or R_A - R of either sign, and its sign.
    const auto apart_by = [rolling](const Poses& poses) {
      const double base = poses.number(*rolling.base_radius), own = poses.number(*rolling.radius);
      if (rolling.inside && base == own)
        throw error_at(rolling.place, "joint " + rolling.name + " has one disc inside the other, both of the radius " +
                                          number_text(own) + ": expected two radii");
      return rolling.inside ? base - own : base + own;
    };
    constant(r + ".apart", rolling.place, [apart_by](const Poses& poses) { return std::abs(apart_by(poses)); });
    constant(r + ".side", rolling.place, [apart_by](const Poses& poses) { return apart_by(poses) > 0 ? 1.0 : -1.0; });
    define(r + ".e1.x", r + ".side*" + r + ".n.y", rolling.place);
    define(r + ".e1.y", "-" + r + ".side*" + r + ".n.x", rolling.place);
  }
  void write_on_disc(const Rolling& rolling) {
    const std::string& r = rolling.name;
    const std::size_t place = later({&rolling.a, &rolling.b});
    above_zero(r + ".base_radius", *rolling.base_radius, rolling);
    constant(r + ".start", rolling.place, [rolling](const Poses& poses) {
      const double base = poses.number(*rolling.base_radius), own = poses.number(*rolling.radius);
      const Vector3 p = poses.position(rolling.b) - poses.position(rolling.a);
      const double alpha = rolling.a.kind == Partner::Kind::body ? poses.angle(rolling.a.index) : 0,
                   beta = poses.angle(rolling.b.index), gamma = std::atan2(p[1], p[0]);
      return base * (alpha - gamma) + (rolling.inside ? -own : own) * (beta - gamma);
    });
    define(r + ".line", "winding(" + apart(rolling.a, rolling.b, "y") + ", " + apart(rolling.a, rolling.b, "x") + ")",
           rolling.place);
    constraint(place, r + ".height", r + ".distance - " + r + ".apart", rolling.place);
    const std::string alpha = rolling.a.kind == Partner::Kind::body ? body_of(rolling.a) + ".angle" : "0";
    constraint(place, r + ".roll",
               r + ".base_radius*(" + alpha + " - " + r + ".line)" + (rolling.inside ? " - " : " + ") + r +
                   ".radius*(" + body_of(rolling.b) + ".angle - " + r + ".line) - " + r + ".start",
               rolling.place);
  }

  void write_planar(const Rolling& rolling) {
    const std::string& r = rolling.name;
    const std::size_t place = later({&rolling.a, &rolling.b});
    constraint(place, r + ".height", above(rolling, r + ".n") + " - " + r + ".radius", rolling.place);
    std::string angle = body_of(rolling.b) + ".angle";
    if (rolling.a.kind == Partner::Kind::body) angle = "(" + angle + " - " + body_of(rolling.a) + ".angle)";
    constant(r + ".start", rolling.place, [rolling](const Poses& poses) {
      const Vector3 n = poses.direction(rolling.normal, "the normal of joint " + rolling.name);
      const double angle =
          poses.angle(rolling.b.index) - (rolling.a.kind == Partner::Kind::body ? poses.angle(rolling.a.index) : 0);
      return (poses.position(rolling.b) - poses.position(rolling.a)).dot(Vector3(n[1], -n[0], 0)) +
             poses.number(*rolling.radius) * angle;
    });
    constraint(place, r + ".roll", above(rolling, r + ".e1") + " + " + r + ".radius*" + angle + " - " + r + ".start",
               rolling.place);
  }

  void write_spatial(const Rolling& rolling) {
    const std::string &r = rolling.name, c = r + ".c", w = r + ".axis", n = r + ".n";
    std::string height = r + ".radius";
    if (rolling.wheel) {
      constant(r + ".stands", rolling.place, [rolling](const Poses& poses) {
        const Vector3 axis = axis_of(rolling, poses),
                      normal = poses.direction(rolling.normal, "the normal of joint " + rolling.name);
        const double upright = axis.cross(normal).norm();
        if (!(upright > thresholds::right_angle))
          throw error_at(rolling.place, "joint " + rolling.name +
                                            ": the axis of the wheel is the normal of the plane, on "
                                            "which it lies flat and has no direction to roll");
        return upright;
      });
      fixed_vector(
          w, rolling.b, [rolling](const Poses& poses) -> Vector3 { return axis_of(rolling, poses); }, rolling.place);
      define(r + ".lean", dot(n, w), rolling.place);
      // n x w, whose length is k, off the constraints too.
      const std::string way = r + ".way";
      for (std::size_t i = 0; i < 3; ++i) {
        const std::string &u = letters[(i + 1) % 3], &v = letters[(i + 2) % 3];
        define(way + "." + letters[i], n + "." + u + "*" + w + "." + v + " - " + n + "." + v + "*" + w + "." + u,
               rolling.place);
      }
      define(r + ".upright", "sqrt(" + dot(way, way) + ")", rolling.place);
      height += "*" + r + ".upright";
      for (const std::string& l : letters) {
        define(r + ".e1." + l, way + "." + l + "/" + r + ".upright", rolling.place);
        define(r + ".e2." + l, "(" + w + "." + l + " - " + r + ".lean*" + n + "." + l + ")/" + r + ".upright",
               rolling.place);
      }
    }
    const std::size_t place = later({&rolling.a, &rolling.b});
    constraint(place, r + ".height", above(rolling, n) + " - " + height, rolling.place);
    for (const std::string& l : letters) {
      define(c + "." + l,
             rolling.wheel
                 ? "-" + r + ".radius*(" + n + "." + l + " - " + r + ".lean*" + w + "." + l + ")/" + r + ".upright"
                 : "-" + r + ".radius*" + n + "." + l,
             rolling.place);
      define(r + ".from_a." + l, apart(rolling.a, rolling.b, l) + " + " + c + "." + l, rolling.place);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      std::string slip = apart(rolling.a, rolling.b, "v" + letters[i]) + " + " + turned(rolling.b, c, i);
      if (rolling.a.kind == Partner::Kind::body) slip += " - (" + turned(rolling.a, r + ".from_a", i) + ")";
      define(r + ".slip." + letters[i], slip, rolling.place);
    }
    for (const auto& [row, vector] : rows(rolling))
      if (row != r + ".height") constraint(place, row, dot(r + ".slip", vector), rolling.place);
  }
  static Vector3 axis_of(const Rolling& rolling, const Poses& poses) {
    if (rolling.axis.empty()) return poses.axes(rolling.b.index).col(2);
    return poses.direction(rolling.axis, "the axis of joint " + rolling.name);
  }
};

}  // namespace

void write_rollings(const Bodies& all, WrittenTables& written) {
  RollingWriter(all, written).write();
}

}  // namespace gnomon::mechanism
