/// \file
/// Bushings: springs and dampers between the axes of A and B, a_i fixed in A and b_i in B, the same at the start. With
/// p = p_B - p_A, p0 that of the start, R the rotation from a to b by the angle phi about n, and in space
/// r = 2 tan(phi/2) n, in the plane r = phi,
///
///     U = sum_i k_i/2 d_i^2 + sum_i kt_i/2 r_i^2,    d_i = p.a_i - (p.a_i at the start)
///
/// and the dampers have the forces -c_i d_i' a_i along what d_i measures, A's part in the moment included, and the
/// moments -ct_i (omega_B - omega_A).a_i a_i.

#include <Eigen/Geometry>
#include <tuple>

#include "mechanism/bodies/joining_writer.hpp"

namespace gnomon::mechanism {

namespace {

class BushingWriter : JoiningWriter {
 public:
  using JoiningWriter::JoiningWriter;

  void write() {
    for (const Bushing& bushing : all_.bushings) write_bushing(bushing);
  }

 private:
  void write_bushing(const Bushing& bushing) {
    const std::string& name = bushing.name;
    for (std::size_t i = 0; i < dimension_; ++i) {
      const auto axis = [bushing, i](const Poses& poses) -> Vector3 {
        return axes_of(bushing, poses).col(static_cast<Index>(i));
      };
      fixed_vector(name + ".a" + std::to_string(i + 1), bushing.a, axis, bushing.place);
      if (!bushing.turn_stiffness.empty() || (planar() && turns(bushing)))
        fixed_vector(name + ".b" + std::to_string(i + 1), bushing.b, axis, bushing.place);
    }
    write_distances(bushing);
    if (turns(bushing)) write_turns(bushing);
  }
  static bool turns(const Bushing& bushing) { return !bushing.turn_stiffness.empty() || !bushing.turn_damping.empty(); }
  static Eigen::Matrix3d axes_of(const Bushing& bushing, const Poses& poses) {
    if (bushing.axes.empty()) return Eigen::Matrix3d::Identity();
    const std::string what = "the axis of bushing " + bushing.name;
    const Vector3 first = poses.direction(bushing.axes.front(), what);
    Eigen::Matrix3d axes;
    if (bushing.axes.size() == 1) {
      axes << first, Vector3(-first[1], first[0], 0), Vector3(0, 0, 1);
      return axes;
    }
    const Vector3 second = poses.direction(bushing.axes.back(), what), third = first.cross(second);
    if (!(third.norm() > 0)) throw error_at(bushing.place, "the two axes of bushing " + bushing.name + " are parallel");
    axes << first, third.normalized().cross(first), third.normalized();
    return axes;
  }
  std::string along(const Bushing& bushing, const std::string& a) const {
    return sum([&](const std::string& c) { return apart(bushing.a, bushing.b, c) + "*" + a + "." + c; });
  }
  std::string rate_along(const Bushing& bushing, const std::string& a) const {
    return sum([&](const std::string& c) {
      return apart(bushing.a, bushing.b, "v" + c) + "*" + a + "." + c + " + " + apart(bushing.a, bushing.b, c) + "*" +
             a + ".v" + c;
    });
  }
  void coefficient(const std::string& name, const Formula& f, const Bushing& bushing, const char* key) {
    at_least_zero(name, f, std::string("a ") + key + " of bushing " + bushing.name);
  }

  void write_distances(const Bushing& bushing) {
    const std::string& name = bushing.name;
    const Place& place = bushing.place;
    Texts force(dimension_), damper(dimension_);
    for (std::size_t i = 0; i < dimension_; ++i) {
      const std::string number_of = std::to_string(i + 1), a = name + ".a" + number_of, d = name + ".d" + number_of;
      constant(d + ".start", place, [bushing, i](const Poses& poses) {
        return (poses.position(bushing.b) - poses.position(bushing.a))
            .dot(axes_of(bushing, poses).col(static_cast<Index>(i)));
      });
      output(d, along(bushing, a) + " - " + d + ".start", "m", place);
      std::string size;
      if (!bushing.stiffness.empty()) {
        const std::string k = name + ".stiffness" + number_of;
        coefficient(k, bushing.stiffness[i], bushing, "stiffness");
        formula("potential", d, k + "/2*" + d + "^2", place);
        size = " - " + k + "*" + d;
      }
      if (!bushing.damping.empty()) {
        const std::string c = name + ".damping" + number_of;
        coefficient(c, bushing.damping[i], bushing, "damping");
        define(d + ".damper", "-" + c + "*(" + rate_along(bushing, a) + ")", place);
        size += " + " + d + ".damper";
      }
      for (std::size_t c = 0; c < dimension_; ++c) {
        if (!size.empty()) force[c] += " + (" + size + ")*" + a + "." + letters[c];
        if (!bushing.damping.empty()) damper[c] += " + " + d + ".damper*" + a + "." + letters[c];
      }
    }
    for (std::size_t c = 0; c < dimension_; ++c)
      if (!force[c].empty()) output(name + ".force." + letters[c], force[c], "N", place);
    if (bushing.damping.empty()) return;
    act(bushing.b, damper, place);
    act(bushing.a, negative(in_brackets(damper)), place);
    // The axes turn with A: -(p x F) on it.
    turn(bushing.a, negative(cross(bushing, damper)), place);
  }
  static Texts in_brackets(Texts vector) {
    for (std::string& text : vector) text = "(" + text + ")";
    return vector;
  }
  /// p x F: of three components in space, of one in the plane.
  Texts cross(const Bushing& bushing, const Texts& force) const {
    Texts out;
    for (std::size_t k = planar() ? 2 : 0; k < 3; ++k) {
      const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
      out.push_back("(" + apart(bushing.a, bushing.b, letters[i]) + "*(" + force[j] + ") - " +
                    apart(bushing.a, bushing.b, letters[j]) + "*(" + force[i] + "))");
    }
    return out;
  }

  void write_turns(const Bushing& bushing) {
    const std::string& name = bushing.name;
    const Place& place = bushing.place;
    const std::string a1 = name + ".a1", a2 = name + ".a2", a3 = name + ".a3", b1 = name + ".b1", b2 = name + ".b2",
                      b3 = name + ".b3";
    const std::size_t count = planar() ? 1 : 3;
    if (planar()) {
      output(name + ".angle", "winding(" + dot(b1, a2) + ", " + dot(b1, a1) + ")", "rad", place);
    } else if (!bushing.turn_stiffness.empty()) {
      // 2 tan(phi/2) n = 2 sin(phi) n/(1 + cos(phi)),  trace R = 1 + 2 cos(phi)
      define(name + ".open", "(1 + " + dot(a1, b1) + " + " + dot(a2, b2) + " + " + dot(a3, b3) + ")/2", place);
      for (const auto& [k, i, j] : {std::tuple{"1", "2", "3"}, {"2", "3", "1"}, {"3", "1", "2"}}) {
        const std::string a = name + ".a", b = name + ".b";
        output(name + ".turn" + k, "(" + dot(b + i, a + j) + " - (" + dot(b + j, a + i) + "))/" + name + ".open", "rad",
               place);
      }
    }
    Texts moment(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string number_of = std::to_string(i + 1), a = name + ".a" + number_of,
                        r = planar() ? name + ".angle" : name + ".turn" + number_of;
      if (!bushing.turn_stiffness.empty()) {
        const std::string k = name + ".turn_stiffness" + number_of;
        coefficient(k, bushing.turn_stiffness[i], bushing, "turn_stiffness");
        formula("potential", r, k + "/2*" + r + "^2", place);
      }
      if (bushing.turn_damping.empty()) continue;
      const std::string c = name + ".turn_damping" + number_of;
      coefficient(c, bushing.turn_damping[i], bushing, "turn_damping");
      if (planar()) {
        moment[0] = "-" + c + "*(" + omega(bushing.b, "") + " - " + omega(bushing.a, "") + ")";
        continue;
      }
      const std::string size = name + ".turn_damper" + number_of;
      define(size, "-" + c + "*(" + sum([&](const std::string& x) {
                     return "(" + omega(bushing.b, "." + x) + " - " + omega(bushing.a, "." + x) + ")*" + a + "." + x;
                   }) + ")",
             place);
      for (std::size_t x = 0; x < 3; ++x) moment[x] += " + " + size + "*" + a + "." + letters[x];
    }
    if (bushing.turn_damping.empty()) return;
    turn(bushing.b, moment, place);
    turn(bushing.a, negative(in_brackets(moment)), place);
  }
  std::string omega(const Partner& partner, const std::string& component) const {
    return partner.kind == Partner::Kind::body ? all_.bodies[partner.index].name + ".omega" + component : "0";
  }
};

}  // namespace

void write_bushings(const Bodies& all, WrittenTables& written) {
  BushingWriter(all, written).write();
}

}  // namespace gnomon::mechanism
