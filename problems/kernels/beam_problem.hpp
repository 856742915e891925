#pragma once
/// \file
/// What the problems `beam` and `beam-release` share: parameters, checks, and the start.

#include <string>

#include "gnomon/model/problem.hpp"
#include "gnomon/solve/minimum.hpp"
#include "gnomon/start/consistency.hpp"
#include "kernels/catenary.hpp"
#include "kernels/hermite_beam.hpp"
#include "kernels/unused_parameter.hpp"

namespace gnomon::problems {

/// `released`: the end B is held until t = 0 only.
inline OptionSpecs beam_parameters(bool released) {
  const std::string before = released ? ", before the release" : "";
  OptionSpecs specs{
      OptionSpec::integer("elements", 20, 2, 1000000, "number of elements"),
      OptionSpec::integer("dimension", 2, 2, 3, "of the space; the last axis points upwards"),
      OptionSpec::real("length", 32.6, 1e-6, 1e6, "m", "length of the beam"),
      OptionSpec::real("stiffness", 700, 1e-12, 1e15, "N m^2", "flexural stiffness EI"),
      OptionSpec::real("density", 7.67, 1e-9, 1e9, "kg/m", "mass a unit of length"),
      OptionSpec::real("gravity", 9.81, 0, 1e6, "m/s^2", "gravitational acceleration"),
      OptionSpec::choice("a", {"fixed", "clamped", "free"},
                         "end A, at the origin: x given, x and x' given, or neither"),
      OptionSpec::choice("b",
                         released ? std::vector<std::string>{"fixed", "clamped"}
                                  : std::vector<std::string>{"fixed", "clamped", "free"},
                         "end B, the same" + before),
      OptionSpec::real("bx", 20, -1e6, 1e6, "m", "position of B" + before),
      OptionSpec::real("by", 0, -1e6, 1e6, "m", "position of B" + before),
      OptionSpec::real("bz", 0, -1e6, 1e6, "m", "position of B" + before + ", dimension=3 only"),
      OptionSpec::choice("start",
                         released ? std::vector<std::string>{"equilibrium", "catenary"}
                                  : std::vector<std::string>{"catenary", "equilibrium"},
                         "at rest in the static equilibrium, or on the catenary of the same length"),
      OptionSpec::integer("gauss", 2, 1, 4, "points of |x'| = 1 an element; 3 and more lock"),
      OptionSpec::choice("stretch", {"none", "penalty"},
                         "inextensible, or extensible: the penalty rho (|x'|^2 - 1)^2/(2 eps) is a part of U"),
      OptionSpec::real("eps", 1.5e-4, 0, 1e15, "s^2/m^2", "penalty parameter, stretch=penalty only")};
  for (const char end : {'a', 'b'})
    for (const char axis : {'x', 'y', 'z'})
      specs.push_back(OptionSpec::real(std::string("d") + end + axis, axis == 'x' ? 1 : 0, -1e6, 1e6, "",
                                       std::string("direction of x' at ") + (end == 'a' ? "A" : "B") + ", " + end +
                                           "=clamped only" + (axis == 'z' ? " and dimension=3" : "")));
  for (const char end : released ? std::string("a") : std::string("ab")) {
    const std::string holds = std::string(", ") + end + "=fixed or clamped only";
    for (const char axis : {'x', 'y', 'z'})
      specs.push_back(OptionSpec::real(std::string("amplitude_") + end + axis, 0, -1e6, 1e6, "m",
                                       std::string("of the motion of ") + (end == 'a' ? "A" : "B") + holds +
                                           (axis == 'z' ? ", dimension=3 only" : "")));
    specs.push_back(
        OptionSpec::real(std::string("frequency_") + end, 1, 0, 1e6, "rad/s", std::string("of that motion") + holds));
  }
  return specs;
}

class BeamBuilder {
 public:
  BeamBuilder(const std::string& name, const Options& parameters, bool released)
      : name_(name), p_(parameters), released_(released), dimension_(parameters.integer("dimension")) {
    if (dimension_ == 2) refuse_unused(p_, name_, "bz", "dimension=3");
    if (p_.is("stretch", "none")) refuse_unused(p_, name_, "eps", "stretch=penalty");
  }

  ProblemInstance build() const {
    const BeamRule wanted = rule();
    // The start is that of a beam whose ends are held, wherever they are let go.
    BeamRule held = wanted;
    held.a.fixed = held.b.fixed = true;
    held.a.amplitude = held.b.amplitude = Vector();
    const Vector start = start_of(held);
    BeamRule after = wanted;
    if (released_) after.b.fixed = after.b.clamped = false;
    const auto system = std::make_shared<HermiteBeam>(after);
    ProblemInstance instance;
    instance.q0 = system->free_of(start);
    instance.p0 = Vector::Zero(system->n());
    instance.model = system;
    instance.curves = system;
    return instance;
  }

 private:
  BeamRule rule() const {
    BeamRule rule;
    rule.name = name_;
    rule.elements = p_.integer("elements");
    rule.dimension = dimension_;
    rule.length = p_.real("length");
    rule.stiffness = p_.real("stiffness");
    rule.density = p_.real("density");
    rule.gravity = p_.real("gravity");
    rule.gauss = p_.integer("gauss");
    rule.a = end('a');
    rule.b = end('b');
    rule.a.x = Vector::Zero(dimension_);
    rule.b.x = triple("b");
    swing('a', rule.a);
    if (!released_) swing('b', rule.b);
    const double span = rule.b.x.norm();
    if (span > rule.length)
      throw Error(ErrorCode::bad_value, "problem " + name_ + ": the ends are " + number_text(span) +
                                            " m apart, farther than the length of the beam, " +
                                            number_text(rule.length) + " m");
    if (p_.is("stretch", "penalty")) {
      rule.eps = p_.real("eps");
      if (!(rule.eps > 0))
        throw Error(ErrorCode::bad_value, "problem " + name_ + ": eps = " + number_text(rule.eps) +
                                              " is not above zero, and the penalty divides by it");
    }
    return rule;
  }

  Vector triple(const std::string& prefix) const {
    Vector x(dimension_);
    for (Index c = 0; c < dimension_; ++c) x[c] = p_.real(prefix + "xyz"[c]);
    return x;
  }

  BeamEnd end(char which) const {
    BeamEnd end;
    const std::string name(1, which), prefix = "d" + name;
    end.fixed = !p_.is(name, "free");
    end.clamped = p_.is(name, "clamped");
    for (const char axis : {'x', 'y', 'z'}) {
      if (!end.clamped) refuse_unused(p_, name_, prefix + axis, name + "=clamped");
      if (axis == 'z' && dimension_ == 2) refuse_unused(p_, name_, prefix + axis, "dimension=3");
    }
    if (!end.clamped) return end;
    end.direction = triple(prefix);
    const double length = end.direction.norm();
    if (!(length > 0))
      throw Error(ErrorCode::bad_value, "problem " + name_ + ": the direction (" + prefix + "x, " + prefix +
                                            "y, ...) of the clamped end " + (which == 'a' ? "A" : "B") +
                                            " has length 0, expected a direction");
    end.direction /= length;
    return end;
  }

  void swing(char which, BeamEnd& end) const {
    const std::string name(1, which), prefix = "amplitude_" + name, condition = name + "=fixed or clamped";
    if (dimension_ == 2) refuse_unused(p_, name_, prefix + "z", "dimension=3");
    const Vector amplitude = triple(prefix);
    if (!end.fixed)
      for (const char axis : {'x', 'y', 'z'}) refuse_unused(p_, name_, prefix + axis, condition);
    if (!end.fixed || amplitude.isZero(0))
      return refuse_unused(p_, name_, "frequency_" + name, prefix + "x, ... that are not all zero");
    end.amplitude = amplitude;
    end.frequency = p_.real("frequency_" + name);
  }

  /// All degrees of freedom at the start.
  Vector start_of(const BeamRule& held) const {
    const Vector& b = held.b.x;
    const double height = b[dimension_ - 1], width = b.head(dimension_ - 1).norm();
    if (!(width > 1e-3 * held.length))
      throw Error(ErrorCode::bad_value, "problem " + name_ + ": B is " + number_text(width) +
                                            " m away from A horizontally, expected at least 1e-3 of the length: the "
                                            "catenary between ends above each other is folded");
    const Catenary catenary(width, height, held.length);
    const Vector along = b.head(dimension_ - 1) / width;
    Vector z(2 * dimension_ * (held.elements + 1));
    for (Index i = 0; i <= held.elements; ++i) {
      const auto at = catenary.at(held.length * static_cast<double>(i) / static_cast<double>(held.elements));
      z.segment(2 * i * dimension_, dimension_) << at.x * along, at.y;
      z.segment((2 * i + 1) * dimension_, dimension_) << at.dx * along, at.dy;
    }
    const bool at_equilibrium = p_.is("start", "equilibrium");
    if (catenary.straight()) {
      if (!at_equilibrium) return z;
      throw Error(ErrorCode::bad_value, "problem " + name_ +
                                            ": the ends are as far apart as the beam is long, and "
                                            "start=equilibrium needs a beam that hangs between them");
    }
    BeamRule exact = held;
    exact.eps = 0;
    const HermiteBeam inextensible(exact);
    Vector q = inextensible.free_of(z);
    Vector momentum = Vector::Zero(q.size());
    project_start(inextensible, 0, q, momentum);
    if (!at_equilibrium) return inextensible.all_of(q);

    // G^T lambda is the derivative of int T (|x'|^2 - 1)/2, T the tension.
    Vector lambda(inextensible.m());
    for (Index i = 0; i < lambda.size(); ++i) {
      const double s = held.length * (static_cast<double>(i) + 0.5) / static_cast<double>(lambda.size());
      lambda[i] = 0.5 * inextensible.arc_weight(i) * held.density * held.gravity * catenary.tension(s);
    }
    EquilibriumEquations equations(inextensible, 0, q, EquilibriumEquations::Method::exact);
    static_equilibrium(equations, "problem " + name_, q, lambda);
    if (held.eps == 0) return inextensible.all_of(q);
    const HermiteBeam extensible(held);
    Vector none;
    EquilibriumEquations softer(extensible, 0, q, EquilibriumEquations::Method::penalty, held.eps);
    static_equilibrium(softer, "problem " + name_, q, none);
    return extensible.all_of(q);
  }

  std::string name_;
  const Options& p_;
  bool released_;
  Index dimension_;
};

}  // namespace gnomon::problems
