/// A scheme, extrapolated, against independent references; and the references against themselves and each other: in q,
/// in p and in the multipliers, of a reference those that its integrator has among its unknowns.
#include <cmath>
#include <optional>

#include "gnomon/base/error.hpp"
#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

namespace {

/// A solution at the end, and how far each part of it is from the next coarser one of the same kind.
struct Reached {
  Phase z;
  Vector lambda;  ///< empty where there are none to compare
  double q_error = 0, p_error = 0, lambda_error = 0;

  void compare_with(const Reached& coarser) {
    q_error = relative_error(coarser.z.q, z.q);
    p_error = relative_error(coarser.z.p, z.p);
    if (lambda.size() > 0) lambda_error = relative_error(coarser.lambda, lambda);
  }
};

/// What two solutions may differ by, in parts of what they differ from coarser ones of their own, and at least.
constexpr double trust = 10, rounding = 1e-11;
/// The last correction of an extrapolation that says anything.
constexpr double useful_correction = 1e-4;

double difference(const Reached& a, const Reached& b) {
  return relative_error(a.z.q, b.z.q);
}

/// From h, h/2 and h/4, without the terms of the powers `first` and `second` of h.
struct Extrapolation {
  int first, second;
  Vector once(const Vector& fine, const Vector& coarse) const { return combine(fine, coarse, first); }
  Vector twice(const Vector& fine, const Vector& middle, const Vector& coarse) const {
    return combine(once(fine, middle), once(middle, coarse), second);
  }

 private:
  static Vector combine(const Vector& fine, const Vector& coarse, int power) {
    return fine + (fine - coarse) / (std::ldexp(1.0, power) - 1);
  }
};

/// The error of q and p has the powers p, p + 2 of h when the scheme is symmetric, else p, p + 1; that of the
/// multipliers 1 and 2: those that a step leaves behind may belong to its middle.
Reached extrapolated(const Registry& registry, const ProblemInstance& instance, const Method& method, double length,
                     double h) {
  Reached at[3];
  Extrapolation motion{2, 4};
  int divisor = 1;
  for (Reached& reached : at) {
    Integrator integrator = started(registry, instance, method);
    const Promises& promises = integrator.promises();
    if (promises.order > 0) motion = {promises.order, promises.order + (promises.symmetric ? 2 : 1)};
    advance(integrator, divisor * whole_steps(length, h), h / divisor);
    reached = {phase_of(integrator), integrator.state().lambda, 0, 0, 0};
    divisor *= 2;
  }
  const Extrapolation multipliers{1, 2};
  Reached once, twice;
  once.z = {motion.once(at[2].z.q, at[1].z.q), motion.once(at[2].z.p, at[1].z.p)};
  twice.z = {motion.twice(at[2].z.q, at[1].z.q, at[0].z.q), motion.twice(at[2].z.p, at[1].z.p, at[0].z.p)};
  if (at[2].lambda.size() > 0) {
    once.lambda = multipliers.once(at[2].lambda, at[1].lambda);
    twice.lambda = multipliers.twice(at[2].lambda, at[1].lambda, at[0].lambda);
  }
  twice.compare_with(once);
  return twice;
}

Reached reached_by(const Registry& registry, const ProblemInstance& instance, const Case& c, const std::string& name,
                   double tolerance) {
  const ReferenceReport report =
      start_reference(registry, instance, c, name, name == "exact" ? 0 : tolerance)->advance_to(c.until);
  if (!report.success) throw RunFailed(report.t, name + ": " + report.message);
  return {phase_of(report, instance), name == "exact" ? report.lambda : report.own_lambda, 0, 0, 0};
}

/// q, p and the multipliers. Where the case has a gate for q alone it is that of the others too; a case without gates
/// asks for no more than what both solutions themselves are off by.
void compare(const Case& c, const std::string& name, const Reached& a, const Reached& b, const std::string& note,
             Quantities& out) {
  const auto declared = c.gates.find(name);
  const auto gate = [&](double error) -> std::optional<Gate> {
    if (c.gates.empty()) return Gate::at_most(trust * error + rounding);
    if (declared == c.gates.end()) return std::nullopt;
    return declared->second;
  };
  out.push_back({name, difference(a, b), note, gate(a.q_error + b.q_error)});
  out.push_back({name + "-p", relative_error(a.z.p, b.z.p), "of p", gate(a.p_error + b.p_error)});
  if (a.lambda.size() > 0 && a.lambda.size() == b.lambda.size())
    out.push_back({name + "-lambda", relative_error(a.lambda, b.lambda), "of the multipliers",
                   gate(a.lambda_error + b.lambda_error)});
}

}  // namespace

Quantities measure_reference_agreement(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  if (c.tolerances.size() != 2)
    throw Error(ErrorCode::bad_value, "tolerances must be two numbers: the one used, and a second to compare with");
  Quantities out;
  const Reached ours = extrapolated(registry, instance, c.method, c.until - instance.t0, c.step.front());
  out.push_back({"extrapolation", ours.q_error, "last correction of the extrapolated " + c.method.scheme,
                 c.gates.empty() ? std::optional<Gate>(Gate::at_most(useful_correction)) : std::nullopt});

  struct Named {
    std::string name;
    Reached reached;
  };
  std::vector<Named> others;
  for (const auto& name : c.references) {
    Reached tight = reached_by(registry, instance, c, name, c.tolerances[0]);
    if (name != "exact") {
      const Reached loose = reached_by(registry, instance, c, name, c.tolerances[1]);
      tight.compare_with(loose);
      out.push_back({name + "-self", tight.q_error, "two tolerances of " + name});
    }
    others.push_back({name, tight});
  }
  if (!c.table.empty()) others.push_back({"table", {table_state(c, instance), {}, 0, 0, 0}});

  for (std::size_t i = 0; i < others.size(); ++i) {
    compare(c, others[i].name, ours, others[i].reached, "extrapolated " + c.method.scheme + " against it", out);
    for (std::size_t j = 0; j < i; ++j)
      compare(c, others[j].name + "-" + others[i].name, others[j].reached, others[i].reached, "one against the other",
              out);
  }
  return out;
}

}  // namespace gnomon::validation
