/// gnomon check: is this problem well posed and are its derivatives right?
#include <fmt/format.h>

#include <algorithm>

#include "gnomon/base/finite.hpp"
#include "gnomon/start/consistency.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "measures/derivatives/derivatives.hpp"
#include "program/arguments.hpp"
#include "program/commands/commands.hpp"

namespace gnomon::program {

namespace {

using validation::Gate;
using validation::Quantity;

/// One line; true when the gate accepts.
bool line(const Quantity& quantity) {
  const bool accepted = !quantity.gate || quantity.gate->accepts(quantity.value);
  fmt::print("{:22}  {:>10}  {:>10}  {:5}  {}\n", quantity.name, validation::short_number(quantity.value),
             quantity.gate ? quantity.gate->text() : "", accepted ? "pass" : "FAIL", quantity.note);
  return accepted;
}

void check_overdetermined_data(const ProblemInstance& instance) {
  const OverdeterminedSystem& system = *instance.model->overdetermined();
  check_start(system, instance.q0, instance.p0);  // throws what is wrong
  Vector level(system.traits().m), psi = Vector::Zero(system.traits().m), slope = Vector::Zero(system.traits().nz);
  const OverdeterminedPoint start{instance.q0, instance.p0, psi};
  system.evaluate(Term::constraint, start, level);
  line({"start-position", max_norm(level), {}, "max |g(y0)|: consistent"});
  system.evaluate(Term::hidden, start, level);
  line({"start-velocity", max_norm(level), {}, "max |g_y v| at y0, z0: consistent"});
  if (psi.size() == 0) return;
  Index1(system).solve(instance.q0, instance.p0, slope, psi);
  line({"start-multiplier", max_norm(psi), {}, "max |psi| there"});
}

std::string dependent_names(const System& system, const ConstraintRank& rank) {
  std::string names;
  for (const Index i : rank.dependent) names += (names.empty() ? "; dependent: " : ", ") + constraint_name(system, i);
  return names;
}

void check_data(const ProblemInstance& instance) {
  if (instance.model->overdetermined()) return check_overdetermined_data(instance);
  const System& system = *instance.model->mechanical();
  check_start(system, instance.t0, instance.q0, instance.p0, 1e-10,
              instance.dependent_constraints);  // throws what is wrong
  Vector v(system.n()), g(system.m()), gv(system.m());
  Vector scratch(system.n());
  system.velocity(instance.q0, instance.p0, scratch, v);
  system.constraints(instance.t0, instance.q0, g);
  system.constraint_velocity(instance.t0, instance.q0, v, gv);
  line({"start-position", max_norm(g), {}, "max |g(q0)|: consistent"});
  line({"start-velocity", max_norm(gv), {}, "max |G v0 + g_t|: consistent"});
  if (system.m() == 0) return;
  const ConstraintRank rank = constraint_rank(system, instance.t0, instance.q0);
  line({"rank",
        static_cast<double>(rank.rank),
        {},
        fmt::format("of G, with {} constraints{}", system.m(), dependent_names(system, rank))});
  line({"condition", rank.condition, {}, "of G M^-1/2, rows scaled"});
}

bool check_exact(const ProblemInstance& instance) {
  if (!instance.exact) return true;
  Vector q(instance.q0.size()), p(instance.p0.size());
  instance.exact(instance.t0, q, p);
  const double scale = std::max({1.0, max_norm(instance.q0), max_norm(instance.p0)});
  const double error = std::max(max_norm(q - instance.q0), max_norm(p - instance.p0)) / scale;
  return line({"exact-start", error, Gate::at_most(1e-12), "closed form at t0 against the start"});
}

int check(const Registry& registry, const std::string& problem, const std::vector<std::string>& set) {
  const ProblemInstance instance = registry.build(problem, parse_assignments(set, "--set"));
  fmt::print("{:22}  {:>10}  {:>10}  {:5}\n", "check", "measured", "tolerance", "");
  std::fflush(stdout);
  check_data(instance);
  bool good = check_exact(instance);
  for (const Quantity& quantity : validation::check_derivatives(instance)) good = line(quantity) && good;
  fmt::print("{}\n", good ? "all checks passed" : "some checks FAILED");
  return good ? success : bad_verdict;
}

}  // namespace

void add_check(CLI::App& app, Invocation& invocation) {
  struct Arguments {
    std::string problem;
    std::vector<std::string> set;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("check", "a problem's data, rank and derivatives");
  command->add_option("PROBLEM", arguments->problem, "name of the problem")->required()->type_name("");
  add_repeatable(*command, "--set", arguments->set, "NAME=VALUE", "a parameter of the problem (repeatable)");
  command->callback([&invocation, arguments] {
    invocation.action = [arguments](const Registry& registry) {
      return check(registry, arguments->problem, arguments->set);
    };
  });
}

}  // namespace gnomon::program
