/// Reference numbers for the alpha-schemes of Glowinski, Holmstroem: (31) on two coupled oscillators, row by row of the
/// table, and the stability limit (23).
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "measures/published/alpha_measures.hpp"
#include "measures/setup.hpp"
#include "measures/table_file.hpp"

namespace gnomon::validation {

namespace {

constexpr double first_gate = 2e-15;    // one step, printed with 15 digits
constexpr double hundred_gate = 2e-13;  // a hundred steps
constexpr double spread_gate = 1e-12;   // of the first energy, over the case's steps
constexpr long hundred = 100;

struct AlphaRow {
  double alpha = 0, cubic = 0, h = 0, first[2] = {}, hundredth[2] = {}, energy = 0;
};

std::vector<AlphaRow> table_rows(const std::string& path) {
  std::vector<AlphaRow> rows;
  for (const TableFile::Row& row : TableFile(path))
    rows.push_back({row.number(0),
                    row.number(1),
                    row.number(2),
                    {row.number(3), row.number(4)},
                    {row.number(5), row.number(6)},
                    row.number(7)});
  return rows;
}

double distance(const Vector& q, const double (&expected)[2]) {
  return std::max(std::abs(q[0] - expected[0]), std::abs(q[1] - expected[1]));
}

}  // namespace

Quantities measure_published_alpha(const Registry& registry, const Case& c) {
  Quantities out;
  for (const AlphaRow& row : table_rows(c.data_folder + "/" + c.table.file)) {
    Case one = c;
    one.set.emplace_back("cubic", number_text(row.cubic));
    one.method.options.emplace_back("alpha", number_text(row.alpha));
    Integrator integrator = started(registry, build(registry, one), one.method);
    const auto name = [&](const char* what) { return fmt::format("{}-{:g}-{:g}", what, row.alpha, row.cubic); };
    advance(integrator, 1, row.h);
    out.push_back({name("first"), distance(integrator.state().q.value(), row.first),
                   "x after one step against the table", Gate::at_most(first_gate)});
    advance(integrator, hundred - 1, row.h);
    out.push_back({name("hundredth"), distance(integrator.state().q.value(), row.hundredth), "x after 100 steps",
                   Gate::at_most(hundred_gate)});
    const Drift& energy = integrator.monitor().discrete_energy();
    const double initial = static_cast<double>(energy.initial());
    out.push_back({name("energy"), std::abs(initial - row.energy), "(19) + V(m+)", Gate::at_most(hundred_gate)});
    advance(integrator, c.steps - hundred, row.h);
    out.push_back({name("spread"), energy.max_abs_error() / std::abs(initial),
                   fmt::format("largest change of the energy over {} steps / energy of the first step", c.steps),
                   Gate::at_most(spread_gate)});
  }
  return out;
}

Quantities measure_stability_limit(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const System& system = mechanical(instance);
  const double alpha =
      Options("scheme " + c.method.scheme, registry.scheme(c.method.scheme).options(), c.method.options).real("alpha");
  Vector hessian(system.hessian_pattern().nonzeros());
  system.lagrangian_hessian(instance.t0, Vector::Zero(system.n()), Vector::Zero(system.m()), hessian);
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> spectrum(
      to_dense(system.hessian_pattern(), hessian), to_dense(system.mass().pattern(), system.mass().values()),
      Eigen::EigenvaluesOnly);
  const double limit = 2 / std::sqrt(spectrum.eigenvalues().maxCoeff() * (1 - 4 * alpha));

  const auto growth = [&](double factor) {
    Integrator integrator = started(registry, instance, c.method);
    double largest = 0;
    for (long k = 0; k < c.steps; ++k) {
      advance(integrator, 1, factor * limit);
      largest = std::max(largest, integrator.state().q.value().lpNorm<Eigen::Infinity>());
    }
    return largest / instance.q0.lpNorm<Eigen::Infinity>();
  };
  return {{"limit", limit, "(23) from all eigenvalues"},
          {"below", growth(0.999), "growth of max |q| at .999 of the limit", Gate::at_most(100)},
          {"above", growth(1.001), "and at 1.001", Gate::at_least(1e6)}};
}

}  // namespace gnomon::validation
