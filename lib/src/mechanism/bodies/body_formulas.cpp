#include "mechanism/bodies/body_formulas.hpp"

#include <Eigen/Geometry>

#include "gnomon/base/numbers.hpp"
#include "mechanism/bodies/formula_writer.hpp"

namespace gnomon::mechanism {

namespace {

using Vector3 = Poses::Vector3;

class BodyWriter : FormulaWriter {
 public:
  using FormulaWriter::FormulaWriter;

  void write() {
    for (const FixedPoint& point : all_.points) write_point(point);
    for (std::size_t c = 0; c < all_.gravity.size(); ++c)
      number("gravity." + letters[c], all_.gravity[c], all_.gravity[c].place);
    for (std::size_t k = 0; k < all_.particles.size(); ++k) write_particle(k);
    for (std::size_t k = 0; k < all_.bodies.size(); ++k)
      if (!all_.bodies[k].massless) write_body(k);
  }

 private:
  void write_point(const FixedPoint& point) {
    for (std::size_t c = 0; c < dimension_; ++c) {
      const std::string name = point.name + "." + letters[c];
      const std::string rate = point.name + ".v" + letters[c];
      if (!point.position.partner && uses_time(point.position.position[c])) {
        define(name, point.position.position[c].text, point.position.position[c].place);
        define(rate, "der(" + name + ")", point.place);
        continue;
      }
      constant(name, point.place,
               [at = point.position, c](const Poses& poses) { return poses.position(at)[static_cast<Index>(c)]; });
      constant(rate, point.place, [](const Poses&) { return 0.0; });
    }
    draw(point.name, {point_of(point.name)}, point.place);
  }
  static bool uses_time(const Formula& f) {
    for (const Formula::Node& node : f.nodes)
      if (node.kind == Formula::Kind::time) return true;
    return false;
  }

  /// Empty: assembled.
  static Velocity component(const std::optional<Formulas>& velocity, std::size_t c) {
    if (!velocity) return {};
    return [f = (*velocity)[c]](const Poses& poses, const Vector&) { return poses.number(f); };
  }

  static double of_length(const Poses&) { return 1; }

  void write_particle(std::size_t k) {
    const Particle& particle = all_.particles[k];
    const std::string& name = particle.name;
    constant(name + ".mass", particle.mass.place, [f = particle.mass, name](const Poses& poses) {
      const double mass = poses.number(f);
      if (!(mass > 0))
        throw error_at(f.place, "the mass of particle " + name + " is " + number_text(mass) + ", expected above zero");
      return mass;
    });
    for (std::size_t c = 0; c < dimension_; ++c)
      coordinate(name + "." + letters[c], name + ".mass",
                 {particle.place, [f = particle.position[c]](const Poses& poses) { return poses.number(f); },
                  component(particle.velocity, c), of_length, particle.held});
    show_position(name, particle.place);
    write_weight(name, particle.place);
    draw(name, {point_of(name)}, particle.place);
  }
  void write_weight(const std::string& name, const Place& place) {
    if (all_.gravity.empty()) return;
    formula("potential", name + ".weight", "-" + name + ".mass*(" + dot("gravity", name) + ")", place);
  }

  void write_body(std::size_t k) {
    const Body& body = all_.bodies[k];
    const std::string& name = body.name;
    const Place& place = body.place;
    constant(name + ".mass", place, [k](const Poses& poses) { return poses.mass(k); });
    for (std::size_t c = 0; c < dimension_; ++c)
      coordinate(name + "." + letters[c], name + ".mass",
                 {place, [k, c](const Poses& poses) { return poses.centre(k)[static_cast<Index>(c)]; },
                  component(body.velocity, c), of_length, body.held});
    for (const std::size_t i : directors_of(body)) {
      const std::string moment = name + (planar() ? ".inertia" : ".e" + std::to_string(10 * (i + 1) + i + 1));
      constant(moment, place, [k, i, flat = planar()](const Poses& poses) {
        return flat ? poses.inertia(k) : poses.second_moments(k)(static_cast<Index>(i), static_cast<Index>(i));
      });
      const auto first = static_cast<Index>(written_.names.size());
      for (std::size_t c = 0; c < dimension_; ++c)
        coordinate(
            director(body.name, i) + "." + letters[c], moment,
            {place,
             [k, i, c](const Poses& poses) { return poses.axes(k)(static_cast<Index>(c), static_cast<Index>(i)); },
             director_velocity(body, first, c), [k](const Poses& poses) { return poses.reach2(k); }, body.held});
    }
    if (body.thin) write_thin(body);
    if (body.inertia.size() == 9 || body.mesh) write_couplings(k);
    write_rigidity(k);
    write_weight(name, place);
    for (std::size_t j = 0; j < body.markers.size(); ++j) {
      const std::string& marker = body.markers[j].name;
      for (std::size_t a = 0; a < dimension_; ++a)
        constant(marker + "." + along_axes[a], body.markers[j].place,
                 [k, j, a](const Poses& poses) { return poses.marker(k, j)[static_cast<Index>(a)]; });
      for (std::size_t c = 0; c < dimension_; ++c) {
        define(marker + "." + letters[c], name + "." + letters[c] + " + " + in_space(marker, body, c, false),
               body.markers[j].place);
        define(marker + ".v" + letters[c], "der(" + name + "." + letters[c] + ") + " + in_space(marker, body, c, true),
               body.markers[j].place);
      }
    }
    write_motion(body);
    draw_body(all_, k, written_);
  }
  /// d_a = d_i x d_j, and its rate
  void write_thin(const Body& body) {
    const std::size_t a = *body.thin, i = (a + 1) % 3, j = (a + 2) % 3;
    const std::string di = director(body.name, i) + ".", dj = director(body.name, j) + ".";
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t u = (c + 1) % 3, v = (c + 2) % 3;
      const std::string &x = letters[u], &y = letters[v];
      define(director(body.name, a) + "." + letters[c], di + x + "*" + dj + y + " - " + di + y + "*" + dj + x,
             body.place);
      define(director(body.name, a) + ".v" + letters[c],
             director_rate(body, i, u) + "*" + dj + y + " + " + di + x + "*" + director_rate(body, j, v) + " - " +
                 director_rate(body, i, v) + "*" + dj + x + " - " + di + y + "*" + director_rate(body, j, u),
             body.place);
    }
  }
  /// omega x d_i, where d_i begins at `first` of q.
  Velocity director_velocity(const Body& body, Index first, std::size_t c) const {
    if (!body.angular_velocity) return {};
    return [f = *body.angular_velocity, first, c, n = all_.dimension](const Poses& poses, const Vector& q) {
      const Vector3 omega = n == 2 ? Vector3(0, 0, poses.number(f[0])) : poses.vector(f);
      Vector3 d = Vector3::Zero();
      d.head(n) = q.segment(first, n);
      return omega.cross(d)[static_cast<Index>(c)];
    };
  }
  void write_couplings(std::size_t k) {
    const Body& body = all_.bodies[k];
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = i + 1; j < 3; ++j) {
        const std::string moment = body.name + ".e" + std::to_string(10 * (i + 1) + j + 1);
        constant(moment, body.place, [k, i, j](const Poses& poses) {
          return poses.second_moments(k)(static_cast<Index>(i), static_cast<Index>(j));
        });
        for (std::size_t c = 0; c < 3; ++c)
          formula("mass", director(body.name, i) + "." + letters[c] + ", " + director(body.name, j) + "." + letters[c],
                  moment, body.place);
      }
  }
  void write_rigidity(std::size_t k) {
    const Body& body = all_.bodies[k];
    for (const std::size_t i : directors_of(body))
      for (const std::size_t j : directors_of(body))
        if (i <= j)
          constraint(k + 1, body.name + ".d" + std::to_string(10 * (i + 1) + j + 1),
                     i == j ? "(" + dot(director(body.name, i), director(body.name, j)) + " - 1)/2"
                            : dot(director(body.name, i), director(body.name, j)),
                     body.place);
  }
  /// Angle or quaternion, angular velocity and kinetic energy.
  void write_motion(const Body& body) {
    const std::string& b = body.name;
    const Place& place = body.place;
    show_position(b, place);
    const auto half_square = [&](const std::string& factor, const std::string& x) {
      return factor + "/2*(" + sum([&](const std::string& c) { return "der(" + x + "." + c + ")^2"; }) + ")";
    };
    std::string kinetic = half_square(b + ".mass", b);
    if (planar()) {
      define(b + ".angle", "winding(" + b + ".d1.y, " + b + ".d1.x)", place);
      define(b + ".omega", b + ".d1.x*der(" + b + ".d1.y) - " + b + ".d1.y*der(" + b + ".d1.x)", place);
      show(b + ".angle", "rad", place);
      show(b + ".omega", "rad/s", place);
      kinetic += " + " + half_square(b + ".inertia", b + ".d1");
    } else {
      for (std::size_t c = 0; c < 3; ++c) {
        const std::string &i = letters[(c + 1) % 3], &j = letters[(c + 2) % 3];
        std::string text;
        for (std::size_t k = 0; k < 3; ++k) {
          const std::string d = director(body.name, k) + ".";
          text += (k ? " + " : "") + d + i + "*" + director_rate(body, k, (c + 2) % 3) + " - " + d + j + "*" +
                  director_rate(body, k, (c + 1) % 3);
        }
        define(b + ".omega." + letters[c], "(" + text + ")/2", place);
        show(b + ".omega." + letters[c], "rad/s", place);
      }
      for (const std::size_t i : directors_of(body))
        for (const std::size_t j : directors_of(body)) {
          if (i > j || (i != j && body.inertia.size() != 9)) continue;
          const std::string di = director(body.name, i), dj = director(body.name, j);
          const std::string moment = b + ".e" + std::to_string(10 * (i + 1) + j + 1);
          kinetic += " + " + (i == j ? half_square(moment, di) : moment + "*(" + sum([&](const std::string& c) {
                                                                   return "der(" + di + "." + c + ")*der(" + dj + "." +
                                                                          c + ")";
                                                                 }) + ")");
        }
      write_quaternion(body);
    }
    output(b + ".kinetic", kinetic, "J", place);
  }
  /// The unit quaternion of the rotation with the columns d1, d2, d3, by the largest of its four entries (S. Shepperd,
  /// Quaternion from rotation matrix, J. Guidance and Control 1 (1978) 223).
  void write_quaternion(const Body& body) {
    const auto r = [&](std::size_t row, std::size_t column) {
      return director(body.name, column) + "." + letters[row];
    };
    const std::string r11 = r(0, 0), r22 = r(1, 1), r33 = r(2, 2);
    const Texts squares{"1 + " + r11 + " + " + r22 + " + " + r33, "1 + " + r11 + " - " + r22 + " - " + r33,
                        "1 - " + r11 + " + " + r22 + " - " + r33, "1 - " + r11 + " - " + r22 + " + " + r33};
    // 4 q_a q_b for a < b.
    const auto product = [&](std::size_t a, std::size_t b) -> std::string {
      if (a > b) std::swap(a, b);
      if (a == 0) {
        const std::size_t i = b % 3, j = (b + 1) % 3;  // of the axis b: rows and columns after it
        return "(" + r(j, i) + " - " + r(i, j) + ")";
      }
      return "(" + r(a - 1, b - 1) + " + " + r(b - 1, a - 1) + ")";
    };
    for (std::size_t k = 0; k < 4; ++k) {
      Texts by(4);
      for (std::size_t largest = 0; largest < 4; ++largest)
        by[largest] =
            largest == k ? "sqrt(" + squares[k] + ")/2" : product(largest, k) + "/(2*sqrt(" + squares[largest] + "))";
      output(body.name + ".q" + std::to_string(k),
             "if(" + squares[0] + " >= 1, " + by[0] + ", if(" + r11 + " >= max(" + r22 + ", " + r33 + "), " + by[1] +
                 ", if(" + r22 + " >= " + r33 + ", " + by[2] + ", " + by[3] + ")))",
             "", body.place);
    }
  }
};

}  // namespace

void write_bodies(const Bodies& all, WrittenTables& written) {
  BodyWriter(all, written).write();
}

}  // namespace gnomon::mechanism
