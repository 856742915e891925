/// \file
/// Rods, springs and ropes: what acts along lines between points.

#include "gnomon/base/numbers.hpp"
#include "mechanism/bodies/joining_writer.hpp"

namespace gnomon::mechanism {

namespace {

class LineWriter : JoiningWriter {
 public:
  using JoiningWriter::JoiningWriter;

  void write() {
    for (const Rod& rod : all_.rods) write_rod(rod);
    for (const Spring& spring : all_.springs) write_spring(spring);
    for (const Rope& rope : all_.ropes) write_rope(rope);
  }

 private:
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
    constraint(later({&rod.a, &rod.b}), r, "(" + square(rod.a, rod.b) + " - " + r + ".length^2)/2", rod.place);
    output(r + ".tension", "lambda." + r + "*" + r + ".length", "N", rod.place);
    draw(r, {point_of(rod.a.name), point_of(rod.b.name)}, rod.place);
  }
  /// Equal and opposite forces along the line of two partners; size: of the pull that draws them together, over their
  /// distance.
  void pull(const Partner& a, const Partner& b, const std::string& size, const Place& place) {
    const Texts on_a = components([&](const std::string& c) { return size + "*" + apart(a, b, c); });
    act(a, on_a, place);
    act(b, negative(on_a), place);
  }
  /// The rate of the distance of two partners, times the distance.
  std::string approach(const Partner& a, const Partner& b) const {
    return sum([&](const std::string& c) { return apart(a, b, c) + "*" + apart(a, b, "v" + c); });
  }
  /// name.length and name.rate
  void write_length(const Spring& spring, bool rates) {
    const std::string& s = spring.name;
    output(s + ".length", "sqrt(" + square(spring.a, spring.b) + ")", "m", spring.place);
    if (rates) define(s + ".rate", "(" + approach(spring.a, spring.b) + ")/" + s + ".length", spring.place);
  }
  /// A potential of the length, in which `length` of a potential V(length) is the square root of the invariant.
  void write_energy(const Spring& spring, const std::function<std::string(const std::string& pi)>& energy) {
    const std::string &s = spring.name, pi = "(" + square(spring.a, spring.b) + ")";
    if (moves(spring.a) || moves(spring.b))
      formula("potential", s + ".energy", energy(pi), spring.place);
    else
      line("invariants", s + ".square",
           "{ of = " + toml_string(square(spring.a, spring.b)) + ", potential = " + toml_string(energy(s + ".square")) +
               " }",
           spring.place);
  }
  static double distance(const Poses& poses, const Partner& a, const Partner& b) {
    return (poses.position(b) - poses.position(a)).norm();
  }

  void write_spring(const Spring& spring) {
    const std::string& s = spring.name;
    const Place& place = spring.place;
    draw(s, {point_of(spring.a.name), point_of(spring.b.name)}, place, "coils");
    if (spring.law == Spring::Law::stiffness) return write_linear(spring);
    write_length(spring, spring.law == Spring::Law::tension);
    if (spring.law == Spring::Law::tension) {
      output(s + ".force", with_names(spring.value, {{"length", s + ".length"}, {"rate", s + ".rate"}}), "N",
             spring.value_place);
      pull(spring.a, spring.b, s + ".force/" + s + ".length", place);
    } else {
      write_energy(spring, [&](const std::string& pi) {
        return with_names(spring.value, {{"length", "sqrt(" + pi + ")"}});
      });
    }
  }
  void write_linear(const Spring& spring) {
    const std::string& s = spring.name;
    const Place& place = spring.place;
    number(s + ".stiffness", spring.stiffness, spring.stiffness.place);
    const std::optional<Formula>& rest = spring.rest_length;
    const bool none =
        rest && rest->nodes.size() == 1 && rest->nodes[0].value == 0 && rest->nodes[0].kind == Formula::Kind::number;
    constant(s + ".rest_length", place, [spring, none](const Poses& poses) {
      const double apart = distance(poses, spring.a, spring.b);
      if (apart == 0 && !none)
        throw error_at(spring.place,
                       "the two ends of spring " + spring.name +
                           " are at one point at the start, where its force has no direction; expected two "
                           "points, or rest_length = 0");
      if (!spring.rest_length) return apart;
      const double length = poses.number(*spring.rest_length);
      if (!(length >= 0))
        throw error_at(spring.rest_length->place, "the rest length of spring " + spring.name + " is " +
                                                      number_text(length) + ", expected at least zero");
      return length;
    });
    write_energy(spring, [&](const std::string& pi) {
      return none ? s + ".stiffness/2*" + pi : s + ".stiffness/2*(sqrt(" + pi + ") - " + s + ".rest_length)^2";
    });
    write_length(spring, false);
    const std::string elastic = s + ".stiffness*(" + s + ".length - " + s + ".rest_length)";
    output(s + ".force", spring.damping ? elastic + " + " + s + ".damper*" + s + ".length" : elastic, "N", place);
    if (!spring.damping) return;
    number(s + ".damping", *spring.damping, spring.damping->place);
    // The rate of the length over the length.
    define(s + ".damper", s + ".damping*(" + approach(spring.a, spring.b) + ")/(" + square(spring.a, spring.b) + ")",
           place);
    pull(spring.a, spring.b, s + ".damper", place);
  }

  /// A rope through points is as long as it is given or shorter, and pulls where it is taut: an obstacle, rest - length
  /// >= 0; with a stiffness a spring that does not push, its damping included.
  void write_rope(const Rope& rope) {
    const std::string& r = rope.name;
    const Place& place = rope.place;
    std::string length, rate;
    std::vector<Texts> curve;
    std::vector<std::string> parts;
    for (std::size_t k = 0; k < rope.through.size(); ++k) {
      curve.push_back(point_of(rope.through[k].name));
      if (k == 0) continue;
      const Partner &a = rope.through[k - 1], &b = rope.through[k];
      parts.push_back(r + ".part" + std::to_string(k));
      define(parts.back(), "sqrt(" + square(a, b) + ")", place);
      length += (k > 1 ? " + " : "") + parts.back();
      if (rope.damping) rate += (k > 1 ? " + (" : "(") + approach(a, b) + ")/" + parts.back();
    }
    draw(r, curve, place);
    output(r + ".length", length, "m", place);
    constant(r + ".start", place, [rope](const Poses& poses) {
      double sum = 0;
      for (std::size_t k = 1; k < rope.through.size(); ++k) {
        const double part = distance(poses, rope.through[k - 1], rope.through[k]);
        if (part == 0)
          throw error_at(rope.through[k].place, "rope " + rope.name + " goes through \"" + rope.through[k - 1].name +
                                                    "\" and \"" + rope.through[k].name +
                                                    "\", which are at one point at the start; expected two points");
        sum += part;
      }
      return sum;
    });
    define(r + ".rest", rope.length.empty() ? r + ".start" : with_names(rope.length, {{"start", r + ".start"}}),
           rope.length_place);
    const std::string slack = r + ".rest - " + r + ".length", taut = r + ".length > " + r + ".rest";
    if (!rope.stiffness) {
      if (rope.restitution) number(r + ".restitution", *rope.restitution, rope.restitution->place);
      line("obstacles", r,
           "{ formula = " + toml_string(slack) +
               ", restitution = " + (rope.restitution ? toml_string(r + ".restitution") : "0") + " }",
           place);
      output(r + ".tension", "lambda." + r, "N", place);
      return;
    }
    at_least_zero(r + ".stiffness", *rope.stiffness, "the stiffness of rope " + r);
    formula("potential", r, "if(" + taut + ", " + r + ".stiffness/2*(" + slack + ")^2, 0)", place);
    const std::string pull_of = "if(" + taut + ", " + r + ".stiffness*(" + r + ".length - " + r + ".rest), 0)";
    if (!rope.damping) return output(r + ".tension", pull_of, "N", place);
    at_least_zero(r + ".damping", *rope.damping, "the damping of rope " + r);
    define(r + ".rate", rate, place);
    define(r + ".damper",
           "if(" + taut + ", max(" + r + ".damping*" + r + ".rate, " + r + ".stiffness*(" + slack + ")), 0)", place);
    output(r + ".tension", pull_of + " + " + r + ".damper", "N", place);
    for (std::size_t k = 0; k < parts.size(); ++k)
      pull(rope.through[k], rope.through[k + 1], r + ".damper/" + parts[k], place);
  }
};

}  // namespace

void write_lines(const Bodies& all, WrittenTables& written) {
  LineWriter(all, written).write();
}

}  // namespace gnomon::mechanism
