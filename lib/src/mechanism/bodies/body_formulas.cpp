#include "mechanism/bodies/body_formulas.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "gnomon/base/numbers.hpp"

namespace gnomon::mechanism {

namespace {

using Vector3 = Poses::Vector3;
using Texts = std::vector<std::string>;
using Velocity = std::function<double(const Poses&, const Vector& q)>;

const std::array<std::string, 3> letters{"x", "y", "z"}, along_axes{"u", "v", "w"};

std::string quoted(const std::string& text) {
  return "\"" + text + "\"";
}

class Writer {
 public:
  explicit Writer(const Bodies& all) : all_(all), dimension_(static_cast<std::size_t>(all.dimension)) {}

  BodyFormulas write() {
    for (const FixedPoint& point : all_.points) write_point(point);
    for (std::size_t c = 0; c < all_.gravity.size(); ++c)
      constant("gravity." + letters[c], all_.gravity[c].place,
               [f = all_.gravity[c]](const Poses& poses) { return poses.number(f); });
    for (std::size_t k = 0; k < all_.particles.size(); ++k) write_particle(k);
    for (std::size_t k = 0; k < all_.bodies.size(); ++k) write_body(k);
    for (const Joint& joint : all_.joints) write_joint(joint);
    for (const Rod& rod : all_.rods) write_rod(rod);
    for (const Spring& spring : all_.springs) write_spring(spring);
    for (const Motor& motor : all_.motors) write_motor(motor);
    for (const Load& load : all_.loads) write_load(load);
    for (const PlaneContact& contact : all_.contacts) write_contact(contact);
    for (const auto& [coordinate, force] : forces_) line("force", coordinate, quoted(force.first), force.second);
    finish();
    return std::move(out_);
  }

 private:
  bool planar() const { return dimension_ == 2; }

  /// One entry of a table.
  void line(const std::string& table, const std::string& key, const std::string& value, const Place& place) {
    auto& [text, places] = tables_[table];
    text += quoted(key) + " = " + value + "\n";
    places.push_back(place);
  }
  void formula(const std::string& table, const std::string& key, const std::string& text, const Place& place) {
    line(table, key, quoted(text), place);
  }
  void define(const std::string& name, const std::string& text, const Place& place) {
    formula("definitions", name, text, place);
  }
  void constant(const std::string& name, const Place& place, std::function<double(const Poses&)> value) {
    out_.constants.push_back({name, place, std::move(value)});
  }
  void output(const std::string& name, const std::string& text, const std::string& unit, const Place& place) {
    line("outputs", name, "{ formula = " + quoted(text) + ", unit = " + quoted(unit) + " }", place);
  }
  void coordinate(const std::string& name, const Place& place, const std::string& mass,
                  std::function<double(const Poses&)> position, Velocity velocity) {
    names_.push_back(name);
    out_.coordinates.push_back({place, std::move(position), std::move(velocity)});
    formula("mass", name, mass, place);
  }

  /// Text of the sum over the components of term(component).
  template <class Term>
  std::string sum(const Term& term) const {
    std::string text;
    for (std::size_t c = 0; c < dimension_; ++c) text += (c ? " + " : "") + term(letters[c]);
    return text;
  }
  std::string dot(const std::string& a, const std::string& b) const {
    return sum([&](const std::string& c) { return a + "." + c + "*" + b + "." + c; });
  }
  /// d/dt of a.b, whose components have the rates a.vx, ....
  std::string rate_of_dot(const std::string& a, const std::string& b) const {
    return sum([&](const std::string& c) {
      return a + ".v" + c + "*" + b + "." + c + " + " + a + "." + c + "*" + b + ".v" + c;
    });
  }
  /// (p_B - p_A) . e
  std::string across(const Joint& joint, const std::string& e) const {
    return sum([&](const std::string& c) {
      return "(" + joint.b.name + "." + c + " - " + joint.a.name + "." + c + ")*" + e + "." + c;
    });
  }
  /// The velocity of a partner.
  std::string velocity(const Partner& partner, const std::string& c) const {
    if (partner.kind == Partner::Kind::point) return "0";
    return partner.marker ? partner.name + ".v" + c : "der(" + partner.name + "." + c + ")";
  }
  /// Component c of the vector whose components in the axes of a body are the constants name.u, ...; or its rate.
  std::string in_space(const std::string& name, const std::string& body, std::size_t c, bool rate) const {
    const auto axis = [&](const std::string& d, std::size_t component) {
      const std::string coordinate = body + "." + d + "." + letters[component];
      return rate ? "der(" + coordinate + ")" : coordinate;
    };
    if (planar())
      return c == 0 ? name + ".u*" + axis("d", 0) + " - " + name + ".v*" + axis("d", 1)
                    : name + ".u*" + axis("d", 1) + " + " + name + ".v*" + axis("d", 0);
    std::string text;
    for (std::size_t k = 0; k < 3; ++k)
      text += (k ? " + " : "") + name + "." + along_axes[k] + "*" + axis("d" + std::to_string(k + 1), c);
    return text;
  }

  void add_force(const std::string& coordinate, const std::string& text, const Place& place) {
    const auto [at, fresh] = forces_.try_emplace(coordinate, text, place);
    if (!fresh) at->second.first += " + " + text;
  }
  /// F at a partner, components as texts.
  void act(const Partner& partner, const Texts& force, const Place& place) {
    if (partner.kind == Partner::Kind::point) return;
    const std::string body = partner.name.substr(0, partner.name.find('.'));
    for (std::size_t c = 0; c < dimension_; ++c) add_force(body + "." + letters[c], "(" + force[c] + ")", place);
    if (!partner.marker) return;
    const std::string& a = partner.name;
    if (planar()) {
      add_force(body + ".d.x", a + ".u*(" + force[0] + ") + " + a + ".v*(" + force[1] + ")", place);
      add_force(body + ".d.y", a + ".u*(" + force[1] + ") - " + a + ".v*(" + force[0] + ")", place);
      return;
    }
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t c = 0; c < 3; ++c)
        add_force(body + ".d" + std::to_string(k + 1) + "." + letters[c],
                  a + "." + along_axes[k] + "*(" + force[c] + ")", place);
  }
  /// A torque on a partner: of three components in space, of one in the plane.
  void turn(const Partner& partner, const Texts& torque, const Place& place) {
    if (partner.kind != Partner::Kind::body) return;
    const std::string body = all_.bodies[partner.index].name;
    if (planar()) {
      add_force(body + ".d.x", "-(" + torque[0] + ")*" + body + ".d.y", place);
      add_force(body + ".d.y", "(" + torque[0] + ")*" + body + ".d.x", place);
      return;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string d = body + ".d" + std::to_string(k + 1) + ".";
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t i = (c + 1) % 3, j = (c + 2) % 3;
        add_force(d + letters[c],
                  "((" + torque[i] + ")*" + d + letters[j] + " - (" + torque[j] + ")*" + d + letters[i] + ")/2", place);
      }
    }
  }

  void write_point(const FixedPoint& point) {
    for (std::size_t c = 0; c < dimension_; ++c) {
      const Formula& f = point.position[c];
      const std::string name = point.name + "." + letters[c];
      if (uses_time(f))
        define(name, f.text, f.place);
      else
        constant(name, f.place, [f](const Poses& poses) { return poses.number(f); });
    }
    draw(point.name, {point_of(point.name)}, point.place);
  }
  static bool uses_time(const Formula& f) {
    for (const Formula::Node& node : f.nodes)
      if (node.kind == Formula::Kind::time) return true;
    return false;
  }

  void write_particle(std::size_t k) {
    const Particle& particle = all_.particles[k];
    const std::string& name = particle.name;
    constant(name + ".mass", particle.mass.place, [f = particle.mass, name](const Poses& poses) {
      const double mass = poses.number(f);
      if (!(mass > 0))
        throw error_at(f.place, "the mass of particle " + name + " is " + number_text(mass) + ", expected above zero");
      return mass;
    });
    for (std::size_t c = 0; c < dimension_; ++c) {
      Velocity velocity;
      if (particle.velocity)
        velocity = [f = (*particle.velocity)[c]](const Poses& poses, const Vector&) { return poses.number(f); };
      coordinate(
          name + "." + letters[c], particle.place, name + ".mass",
          [f = particle.position[c]](const Poses& poses) { return poses.number(f); }, velocity);
    }
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
    for (std::size_t c = 0; c < dimension_; ++c) {
      Velocity velocity;
      if (body.velocity)
        velocity = [f = (*body.velocity)[c]](const Poses& poses, const Vector&) { return poses.number(f); };
      coordinate(
          name + "." + letters[c], place, name + ".mass",
          [k, c](const Poses& poses) { return poses.centre(k)[static_cast<Index>(c)]; }, velocity);
    }
    const std::size_t axes = planar() ? 1 : 3;
    for (std::size_t i = 0; i < axes; ++i) {
      const std::string moment = name + (planar() ? ".inertia" : ".e" + std::to_string(10 * (i + 1) + i + 1));
      constant(moment, place, [k, i, flat = planar()](const Poses& poses) {
        return flat ? poses.inertia(k) : poses.second_moments(k)(static_cast<Index>(i), static_cast<Index>(i));
      });
      const auto first = static_cast<Index>(names_.size());
      for (std::size_t c = 0; c < dimension_; ++c)
        coordinate(
            director(body, i) + "." + letters[c], place, moment,
            [k, i, c](const Poses& poses) { return poses.axes(k)(static_cast<Index>(c), static_cast<Index>(i)); },
            director_velocity(body, first, c));
    }
    if (body.inertia.size() == 9) write_couplings(k);
    write_rigidity(body);
    write_weight(name, place);
    for (std::size_t j = 0; j < body.markers.size(); ++j) {
      const std::string marker = name + "." + body.markers[j].name;
      for (std::size_t a = 0; a < dimension_; ++a)
        constant(marker + "." + along_axes[a], body.markers[j].place,
                 [k, j, a](const Poses& poses) { return poses.marker(k, j)[static_cast<Index>(a)]; });
      for (std::size_t c = 0; c < dimension_; ++c) {
        define(marker + "." + letters[c], name + "." + letters[c] + " + " + in_space(marker, name, c, false),
               body.markers[j].place);
        define(marker + ".v" + letters[c], "der(" + name + "." + letters[c] + ") + " + in_space(marker, name, c, true),
               body.markers[j].place);
      }
    }
    write_motion(body);
    draw_body(k);
  }
  std::string director(const Body& body, std::size_t i) const {
    return body.name + (planar() ? ".d" : ".d" + std::to_string(i + 1));
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
          formula("mass", director(body, i) + "." + letters[c] + ", " + director(body, j) + "." + letters[c], moment,
                  body.place);
      }
  }
  void write_rigidity(const Body& body) {
    const std::size_t axes = planar() ? 1 : 3;
    for (std::size_t i = 0; i < axes; ++i)
      for (std::size_t j = i; j < axes; ++j)
        formula("constraints", body.name + (planar() ? ".d" : ".d" + std::to_string(10 * (i + 1) + j + 1)),
                i == j ? "(" + dot(director(body, i), director(body, j)) + " - 1)/2"
                       : dot(director(body, i), director(body, j)),
                body.place);
  }
  /// Angle or quaternion, angular velocity and kinetic energy.
  void write_motion(const Body& body) {
    const std::string& b = body.name;
    const Place& place = body.place;
    const auto half_square = [&](const std::string& factor, const std::string& x) {
      return factor + "/2*(" + sum([&](const std::string& c) { return "der(" + x + "." + c + ")^2"; }) + ")";
    };
    std::string kinetic = half_square(b + ".mass", b);
    if (planar()) {
      define(b + ".angle", "atan2(" + b + ".d.y, " + b + ".d.x)", place);
      define(b + ".omega", b + ".d.x*der(" + b + ".d.y) - " + b + ".d.y*der(" + b + ".d.x)", place);
      output(b + ".angle", b + ".angle", "rad", place);
      output(b + ".omega", b + ".omega", "rad/s", place);
      kinetic += " + " + half_square(b + ".inertia", b + ".d");
    } else {
      for (std::size_t c = 0; c < 3; ++c) {
        const std::string &i = letters[(c + 1) % 3], &j = letters[(c + 2) % 3];
        std::string text;
        for (std::size_t k = 0; k < 3; ++k) {
          const std::string d = director(body, k) + ".";
          text += (k ? " + " : "") + d + i + "*der(" + d + j + ") - " + d + j + "*der(" + d + i + ")";
        }
        define(b + ".omega." + letters[c], "(" + text + ")/2", place);
        output(b + ".omega." + letters[c], b + ".omega." + letters[c], "rad/s", place);
      }
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = i; j < 3; ++j) {
          if (i != j && body.inertia.size() != 9) continue;
          const std::string di = director(body, i), dj = director(body, j);
          const std::string moment = b + ".e" + std::to_string(10 * (i + 1) + j + 1);
          kinetic += " + " + (i == j ? half_square(moment, di) : moment + "*(" + sum([&](const std::string& c) {
                                                                   return "der(" + di + "." + c + ")*der(" + dj + "." +
                                                                          c + ")";
                                                                 }) + ")");
        }
      write_quaternion(body);
    }
    output(b + ".kinetic", kinetic, "", place);
  }
  /// The unit quaternion of the rotation with the columns d1, d2, d3, by the largest of its four entries (S. Shepperd,
  /// Quaternion from rotation matrix, J. Guidance and Control 1 (1978) 223).
  void write_quaternion(const Body& body) {
    const auto r = [&](std::size_t row, std::size_t column) { return director(body, column) + "." + letters[row]; };
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

  /// The name of a unit vector of a joint that is fixed in A or in B; its components are written at its first use.
  std::string unit(const Joint& joint, bool of_a, JointType::Vector which) {
    static const std::array<std::string, 3> names{"n", "e1", "e2"};
    const std::string name = joint.name + "." + names[which] + (of_a ? "a" : "b");
    if (!written_.insert(name).second) return name;
    const Partner& partner = of_a ? joint.a : joint.b;
    const auto component = [joint, of_a, which](std::size_t k) {
      return [joint, of_a, which, k](const Poses& poses) {
        const Poses::Frames frames = poses.frames(joint);
        const Vector3 v = (of_a ? frames.a : frames.b).col(static_cast<Index>(which));
        return poses.in_axes(of_a ? joint.a : joint.b, v)[static_cast<Index>(k)];
      };
    };
    const bool of_body = partner.kind == Partner::Kind::body;
    for (std::size_t k = 0; k < dimension_; ++k)
      constant(name + "." + (of_body ? along_axes : letters)[k], joint.place, component(k));
    for (std::size_t c = 0; c < dimension_; ++c) {
      if (of_body) {
        const std::string& body = all_.bodies[partner.index].name;
        define(name + "." + letters[c], in_space(name, body, c, false), joint.place);
        define(name + ".v" + letters[c], in_space(name, body, c, true), joint.place);
      } else {
        constant(name + ".v" + letters[c], joint.place, [](const Poses&) { return 0.0; });
      }
    }
    return name;
  }

  void write_joint(const Joint& joint) {
    const std::string& j = joint.name;
    const JointType& type = *joint.type;
    // Force and moment on B, from -G^T lambda.
    Texts force(dimension_), moment(planar() ? 1 : 3);
    if (type.coincide)
      for (std::size_t c = 0; c < dimension_; ++c) {
        formula("constraints", j + "." + letters[c],
                joint.b.name + "." + letters[c] + " - " + joint.a.name + "." + letters[c], joint.place);
        force[c] += " - lambda." + j + "." + letters[c];
      }
    int number = 0;
    for (const auto& [of_a, of_b] : type.square) {
      const std::string a = unit(joint, true, of_a), b = unit(joint, false, of_b);
      const std::string row = j + ".turn" + std::to_string(++number);
      formula("constraints", row, dot(a, b), joint.place);
      for (std::size_t k = 0; k < moment.size(); ++k) {
        const std::string &x = letters[planar() ? 0 : (k + 1) % 3], &y = letters[planar() ? 1 : (k + 2) % 3];
        moment[k] +=
            " + lambda." + row + "*(" + a + "." + x + "*" + b + "." + y + " - " + a + "." + y + "*" + b + "." + x + ")";
      }
    }
    number = 0;
    for (const JointType::Vector e : type.along) {
      const std::string a = unit(joint, true, e), row = j + ".slide" + std::to_string(++number);
      formula("constraints", row, across(joint, a), joint.place);
      for (std::size_t c = 0; c < dimension_; ++c) force[c] += " - lambda." + row + "*" + a + "." + letters[c];
    }
    write_joint_motion(joint);
    for (std::size_t c = 0; c < dimension_; ++c)
      if (!force[c].empty()) output(j + ".force." + letters[c], force[c], "N", joint.place);
    for (std::size_t k = 0; k < moment.size(); ++k)
      if (!moment[k].empty()) output(j + ".moment" + (planar() ? "" : "." + letters[k]), moment[k], "N m", joint.place);
  }

  /// Angle and distance from the start, and the springs and dampers between them.
  void write_joint_motion(const Joint& joint) {
    using V = JointType;
    const std::string& j = joint.name;
    const Place& place = joint.place;
    const bool rates = !moves(joint.a) && !moves(joint.b);
    if (joint.type->turns) {
      const V::Vector first = planar() ? V::n : V::e1, second = planar() ? V::e1 : V::e2;
      const std::string x = unit(joint, true, first), y = unit(joint, true, second), b = unit(joint, false, first);
      define(j + ".cos", dot(b, x), place);
      define(j + ".sin", dot(b, y), place);
      define(j + ".angle", "atan2(" + j + ".sin, " + j + ".cos)", place);
      // What pulls by the angle would jump at 180 degrees: it has no value beyond 168.
      define(j + ".bounded", j + ".angle + 1e-300*sqrt(" + j + ".cos + 0.98)", place);
      define(j + ".speed", j + ".cos*(" + rate_of_dot(b, y) + ") - " + j + ".sin*(" + rate_of_dot(b, x) + ")", place);
      output(j + ".angle", j + ".angle", "rad", place);
      output(j + ".speed", j + ".speed", "rad/s", place);
    }
    if (joint.type->slides) {
      const std::string n = unit(joint, true, V::n);
      constant(j + ".start", place, [joint](const Poses& poses) {
        return (poses.position(joint.b) - poses.position(joint.a)).dot(poses.frames(joint).a.col(V::n));
      });
      define(j + ".distance", across(joint, n) + " - " + j + ".start", place);
      output(j + ".distance", j + ".distance", "m", place);
      if (rates) {
        define(j + ".slip", sum([&](const std::string& c) {
                 return "(" + joint.b.name + "." + c + " - " + joint.a.name + "." + c + ")*" + n + ".v" + c + " + (" +
                        velocity(joint.b, c) + " - " + velocity(joint.a, c) + ")*" + n + "." + c;
               }),
               place);
        output(j + ".slip", j + ".slip", "m/s", place);
      }
    }
    const std::string motion = joint.type->turns ? ".bounded" : ".distance";
    const auto number_of = [&](const char* name, const std::optional<Formula>& f) {
      constant(j + "." + name, f ? f->place : place, [f](const Poses& poses) { return f ? poses.number(*f) : 0.0; });
    };
    if (joint.stiffness) {
      number_of("stiffness", joint.stiffness);
      number_of("rest", joint.rest);
      formula("potential", j + ".spring", j + ".stiffness/2*(" + j + motion + " - " + j + ".rest)^2", place);
    }
    if (joint.damping) {
      number_of("damping", joint.damping);
      drive(joint, "-" + j + ".damping*" + j + (joint.type->turns ? ".speed" : ".slip"), joint.type->turns, place);
    }
  }
  bool moves(const Partner& partner) const {
    return partner.kind == Partner::Kind::point && all_.points[partner.index].moves;
  }
  /// A torque about n, or a force along it, on B; the opposite on A.
  void drive(const Joint& joint, const std::string& size, bool turning, const Place& place) {
    if (turning && planar()) {
      turn(joint.b, {size}, place);
      turn(joint.a, {"-(" + size + ")"}, place);
      return;
    }
    const std::string n = unit(joint, true, JointType::n);
    Texts plus, minus;
    for (std::size_t c = 0; c < dimension_; ++c) {
      plus.push_back("(" + size + ")*" + n + "." + letters[c]);
      minus.push_back("-(" + size + ")*" + n + "." + letters[c]);
    }
    if (turning) {
      turn(joint.b, plus, place);
      turn(joint.a, minus, place);
    } else {
      act(joint.b, plus, place);
      act(joint.a, minus, place);
    }
  }

  void write_rod(const Rod& rod) {
    const std::string& r = rod.name;
    constant(r + ".length", rod.place, [rod](const Poses& poses) {
      const double length =
          rod.length ? poses.number(*rod.length) : (poses.position(rod.b) - poses.position(rod.a)).norm();
      if (!(length > 0))
        throw error_at(rod.place,
                       "rod " + rod.name + " has the length " + number_text(length) + ", expected above zero");
      return length;
    });
    formula("constraints", r, "(" + square(rod.a, rod.b) + " - " + r + ".length^2)/2", rod.place);
    output(r + ".tension", "lambda." + r + "*" + r + ".length", "N", rod.place);
    draw(r, {point_of(rod.a.name), point_of(rod.b.name)}, rod.place);
  }
  /// |p_B - p_A|^2
  std::string square(const Partner& a, const Partner& b) const {
    return sum([&](const std::string& c) { return "(" + b.name + "." + c + " - " + a.name + "." + c + ")^2"; });
  }

  void write_spring(const Spring& spring) {
    const std::string& s = spring.name;
    const Place& place = spring.place;
    constant(s + ".stiffness", spring.stiffness.place,
             [f = spring.stiffness](const Poses& poses) { return poses.number(f); });
    constant(s + ".rest_length", place, [spring](const Poses& poses) {
      if (!spring.rest_length) return (poses.position(spring.b) - poses.position(spring.a)).norm();
      const double length = poses.number(*spring.rest_length);
      if (!(length >= 0))
        throw error_at(spring.rest_length->place, "the rest length of spring " + spring.name + " is " +
                                                      number_text(length) + ", expected at least zero");
      return length;
    });
    const std::string length = "sqrt(" + square(spring.a, spring.b) + ")";
    const std::optional<Formula>& rest = spring.rest_length;
    const bool none =
        rest && rest->nodes.size() == 1 && rest->nodes[0].value == 0 && rest->nodes[0].kind == Formula::Kind::number;
    const auto energy = [&](const std::string& pi) {
      return none ? s + ".stiffness/2*" + pi : s + ".stiffness/2*(sqrt(" + pi + ") - " + s + ".rest_length)^2";
    };
    if (moves(spring.a) || moves(spring.b))
      formula("potential", s + ".energy", energy("(" + square(spring.a, spring.b) + ")"), place);
    else
      line("invariants", s + ".square",
           "{ of = " + quoted(square(spring.a, spring.b)) + ", potential = " + quoted(energy(s + ".square")) + " }",
           place);
    output(s + ".length", length, "m", place);
    output(s + ".force", s + ".stiffness*(" + length + " - " + s + ".rest_length)", "N", place);
    draw(s, {point_of(spring.a.name), point_of(spring.b.name)}, place);
    if (!spring.damping) return;
    constant(s + ".damping", spring.damping->place,
             [f = *spring.damping](const Poses& poses) { return poses.number(f); });
    // The rate of the length over the length.
    define(s + ".rate",
           s + ".damping*(" + sum([&](const std::string& c) {
             return "(" + spring.b.name + "." + c + " - " + spring.a.name + "." + c + ")*(" + velocity(spring.b, c) +
                    " - " + velocity(spring.a, c) + ")";
           }) + ")/(" +
               square(spring.a, spring.b) + ")",
           place);
    Texts on_a, on_b;
    for (std::size_t c = 0; c < dimension_; ++c) {
      const std::string e = "(" + spring.b.name + "." + letters[c] + " - " + spring.a.name + "." + letters[c] + ")";
      on_a.push_back(s + ".rate*" + e);
      on_b.push_back("-" + s + ".rate*" + e);
    }
    act(spring.a, on_a, place);
    act(spring.b, on_b, place);
  }

  /// The words "angle", "speed" and "distance" of a motor's formula mean those of its joint.
  static std::string of_joint(const std::string& text, const std::string& joint) {
    std::string out;
    for (std::size_t k = 0; k < text.size();) {
      const auto part = [&](std::size_t at) {
        return at < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_' || text[at] == '.');
      };
      std::size_t end = k;
      while (part(end)) ++end;
      if (end == k) {
        out += text[k++];
        continue;
      }
      const std::string word = text.substr(k, end - k);
      out += word == "angle" ? joint + ".bounded" : word == "speed" || word == "distance" ? joint + "." + word : word;
      k = end;
    }
    return out;
  }
  void write_motor(const Motor& motor) {
    const Joint& joint = all_.joints[motor.joint];
    const std::string &name = motor.name, &j = joint.name;
    switch (motor.kind) {
      case Motor::Kind::angle:
        define(name + ".angle", motor.value, motor.value_place);
        formula("constraints", name, j + ".sin*cos(" + name + ".angle) - " + j + ".cos*sin(" + name + ".angle)",
                motor.place);
        output(name + ".torque", "-lambda." + name, "N m", motor.place);
        break;
      case Motor::Kind::distance:
        define(name + ".distance", motor.value, motor.value_place);
        formula("constraints", name, j + ".distance - " + name + ".distance", motor.place);
        output(name + ".force", "-lambda." + name, "N", motor.place);
        break;
      case Motor::Kind::torque:
      case Motor::Kind::force: {
        const bool turning = motor.kind == Motor::Kind::torque;
        const std::string own = name + (turning ? ".torque" : ".force");
        define(own, of_joint(motor.value, j), motor.value_place);
        output(own, own, turning ? "N m" : "N", motor.place);
        drive(joint, own, turning, motor.place);
        break;
      }
    }
  }

  void write_load(const Load& load) {
    Texts force;
    for (std::size_t c = 0; c < dimension_; ++c) {
      force.push_back(load.name + "." + letters[c]);
      define(force.back(), load.components[c].first, load.components[c].second);
    }
    act(load.on, force, load.place);
  }

  void write_contact(const PlaneContact& contact) {
    const std::string& name = contact.name;
    for (std::size_t c = 0; c < dimension_; ++c) {
      constant(name + ".point." + letters[c], contact.place,
               [f = contact.point[c]](const Poses& poses) { return poses.number(f); });
      constant(name + ".normal." + letters[c], contact.place, [contact, c](const Poses& poses) {
        return poses.direction(contact.normal, "the normal of contact " + contact.name)[static_cast<Index>(c)];
      });
    }
    const auto number_of = [&](const char* key, const std::optional<Formula>& f) {
      if (f) constant(name + "." + key, f->place, [f = *f](const Poses& poses) { return poses.number(f); });
    };
    number_of("restitution", contact.restitution);
    number_of("friction", contact.friction);
    for (const Partner& on : contact.on) {
      std::string text = "{ formula = " + quoted(sum([&](const std::string& c) {
                           return name + ".normal." + c + "*(" + on.name + "." + c + " - " + name + ".point." + c + ")";
                         }));
      if (contact.restitution) text += ", restitution = " + quoted(name + ".restitution");
      if (contact.friction)
        text += ", slip = " + quoted(name + ".normal.y*" + on.name + ".x - " + name + ".normal.x*" + on.name + ".y") +
                ", friction = " + quoted(name + ".friction");
      line("obstacles", name + "." + on.name, text + " }", contact.place);
    }
  }

  Texts point_of(const std::string& name) const {
    Texts point;
    for (std::size_t c = 0; c < dimension_; ++c) point.push_back(name + "." + letters[c]);
    return point;
  }
  void draw(const std::string& name, const std::vector<Texts>& points, const Place& place) {
    std::string text = "[";
    for (const Texts& point : points) {
      text += text.size() > 1 ? ", [" : "[";
      for (std::size_t c = 0; c < point.size(); ++c) text += (c ? ", " : "") + quoted(point[c]);
      text += "]";
    }
    line("drawing", name, text + "]", place);
  }
  /// The outline of its shape, or lines between its markers.
  void draw_body(std::size_t k) {
    const Body& body = all_.bodies[k];
    if (body.shape != Body::Shape::none) {
      draw_shape(body);
      return;
    }
    std::vector<Texts> points;
    if (body.markers.size() < 2) points.push_back(point_of(body.name));
    for (const Marker& marker : body.markers) points.push_back(point_of(body.name + "." + marker.name));
    if (body.markers.size() > 2) points.push_back(points.front());
    draw(body.name, points, body.place);
  }
  void draw_shape(const Body& body) {
    for (std::size_t i = 0; i < body.sizes.size(); ++i)
      constant(body.name + ".size" + std::to_string(i + 1), body.place,
               [f = body.sizes[i]](const Poses& poses) { return poses.number(f); });
    /// The point whose components in body axes are factors of its sizes.
    const auto at = [&](const std::array<std::pair<double, int>, 3>& factors) {
      Texts point;
      for (std::size_t c = 0; c < dimension_; ++c) {
        std::string text = body.name + "." + letters[c];
        for (std::size_t a = 0; a < dimension_; ++a) {
          const double sign = planar() && a == 1 && c == 0 ? -1 : 1;
          const std::string axis = planar() ? body.name + ".d." + letters[a == 0 ? c : 1 - c]
                                            : body.name + ".d" + std::to_string(a + 1) + "." + letters[c];
          text += " + (" + number_text(sign * factors[a].first, 6) + ")*" + body.name + ".size" +
                  std::to_string(factors[a].second) + "*" + axis;
        }
        point.push_back(text);
      }
      return point;
    };
    std::vector<Texts> points;
    if (body.shape == Body::Shape::box) {
      // Around the lower face, up, around the upper face, and the three edges that are left.
      static const int corners[16][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, -1}, {-1, -1, 1},
                                         {1, -1, 1},   {1, -1, -1}, {1, -1, 1}, {1, 1, 1},   {1, 1, -1},   {1, 1, 1},
                                         {-1, 1, 1},   {-1, 1, -1}, {-1, 1, 1}, {-1, -1, 1}};
      const std::size_t count = planar() ? 5 : 16;
      for (std::size_t i = 0; i < count; ++i)
        points.push_back(at({{{0.5 * corners[i][0], 1}, {0.5 * corners[i][1], 2}, {0.5 * corners[i][2], 3}}}));
      draw(body.name, points, body.place);
      return;
    }
    const bool cylinder = body.shape == Body::Shape::cylinder;
    constexpr int corners = 24;
    constexpr double pi = 3.14159265358979323846;
    for (const double height : {-0.5, 0.5}) {
      if (planar()) points.push_back(point_of(body.name));
      for (int i = 0; i <= corners; ++i) {
        const double angle = 2 * pi * i / corners;
        // A sphere is drawn by two of its great circles.
        if (cylinder || height < 0)
          points.push_back(
              at({{{std::cos(angle), 1}, {std::sin(angle), 1}, {cylinder ? height : 0, cylinder ? 2 : 1}}}));
        else
          points.push_back(at({{{std::cos(angle), 1}, {0, 1}, {std::sin(angle), 1}}}));
      }
      if (planar()) break;
    }
    draw(body.name, points, body.place);
  }

  void finish() {
    const auto add = [&](const std::string& text, const Place& place) {
      out_.toml += text + "\n";
      out_.places.push_back(place);
    };
    add("coordinates = [", {});
    for (std::size_t k = 0; k < names_.size(); ++k) add(quoted(names_[k]) + ",", out_.coordinates[k].place);
    add("]", {});
    for (const auto& [name, table] : tables_) {
      add("[" + name + "]", {});
      out_.toml += table.first;
      out_.places.insert(out_.places.end(), table.second.begin(), table.second.end());
    }
  }

  const Bodies& all_;
  std::size_t dimension_;
  BodyFormulas out_;
  Texts names_;  // of coordinates
  std::map<std::string, std::pair<std::string, std::vector<Place>>> tables_;
  std::map<std::string, std::pair<std::string, Place>> forces_;
  std::set<std::string> written_;
};

}  // namespace

BodyFormulas formulas_of(const Bodies& bodies) {
  return Writer(bodies).write();
}

}  // namespace gnomon::mechanism
