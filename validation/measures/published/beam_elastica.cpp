/// Static beams beside the elastica, their inextensible limit: errors over meshes of N, 2 N and 4 N elements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/model/curves.hpp"
#include "measures/measure.hpp"
#include "measures/published/elastica.hpp"
#include "measures/published/equilibrium.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

namespace {

constexpr Index segments = 40;

ElasticaEnd end_of(const Options& p, char which, Index dimension) {
  ElasticaEnd end;
  const std::string name(1, which);
  end.kind = p.is(name, "free")      ? ElasticaEnd::Kind::free
             : p.is(name, "clamped") ? ElasticaEnd::Kind::clamped
                                     : ElasticaEnd::Kind::fixed;
  end.x = end.direction = Vector::Zero(dimension);
  for (Index c = 0; c < dimension; ++c) {
    if (which == 'b') end.x[c] = p.real(name + "xyz"[c]);
    end.direction[c] = p.real("d" + name + "xyz"[c]);
  }
  end.direction.normalize();
  return end;
}

/// The points of the curve at s = k L/segments.
Matrix sampled(const CurveModel& model, const Vector& q) {
  const Curve curve = model.curves().front();
  Matrix all(curve.dimension, curve.n_points), points(curve.dimension, segments + 1);
  model.curve_points(0, 0, q, all);
  const Index every = (curve.n_points - 1) / segments;
  if (every * segments != curve.n_points - 1)
    throw Error(ErrorCode::bad_value,
                fmt::format("the curve has {} pieces, expected a multiple of {}", curve.n_points - 1, segments));
  for (Index k = 0; k <= segments; ++k) points.col(k) = all.col(k * every);
  return points;
}

}  // namespace

Quantities measure_beam_elastica(const Registry& registry, const Case& c) {
  constexpr int meshes = 3;
  const Options p("problem " + c.problem, registry.problem(c.problem).parameters(), c.set);
  EquilibriumSearch search;
  search.options = Options("equilibrium", equilibrium_options(), {{"by", "minimise"}});
  std::vector<Matrix> points;
  std::vector<double> energies;
  long proved = 0, iterations = 0;
  for (int mesh = 0; mesh < meshes; ++mesh) {
    Assignments set = c.set;
    set.emplace_back("elements", std::to_string(p.integer("elements") << mesh));
    set.erase(std::remove_if(set.begin(), set.end() - 1, [](const auto& one) { return one.first == "elements"; }),
              set.end() - 1);
    const ProblemInstance instance = registry.build(c.problem, set);
    const Equilibrium found = find_equilibrium(registry, instance, search);
    if (found.report.status != SolveStatus::converged) throw RunFailed(0, found.report.message);
    const CurveModel* model = instance.curves.get();
    if (model == nullptr) throw Error(ErrorCode::refused, "problem " + c.problem + " has no curves");
    points.push_back(sampled(*model, found.q));
    energies.push_back(found.potential);
    proved += found.second.proved;
    iterations = std::max(iterations, found.report.iterations);
  }

  Elastica line;
  line.length = p.real("length");
  line.stiffness = p.real("stiffness");
  line.weight = p.real("density") * p.real("gravity");
  line.a = end_of(p, 'a', points.back().rows());
  line.b = end_of(p, 'b', points.back().rows());
  const Elastica::Solution exact = line.solve(points.back());

  Quantities out;
  out.push_back({"proved", static_cast<double>(proved) / meshes, "meshes whose KKT matrix has the inertia (n, m, 0)"});
  out.push_back({"iterations", static_cast<double>(iterations), "at most, of the descent"});
  out.push_back({"shooting", exact.residual, fmt::format("{} iterations", exact.iterations)});
  out.push_back({"integration", exact.integration, "mismatch with half the steps"});
  std::vector<double> errors, by_energy;
  for (int mesh = 0; mesh < meshes; ++mesh) {
    errors.push_back((points[mesh] - exact.points).colwise().norm().maxCoeff() / line.length);
    by_energy.push_back(std::abs(energies[mesh] - exact.energy) / std::abs(exact.energy));
  }
  out.push_back({"error", errors.back(), fmt::format("of {:.3g}, {:.3g}, {:.3g}", errors[0], errors[1], errors[2])});
  out.push_back({"energy", by_energy.back(), fmt::format("{:.10g}, elastica {:.10g}", energies.back(), exact.energy)});
  constexpr double rounding = 1e-12;
  if (errors.back() < rounding) return out;
  out.push_back({"order", std::log2(errors[1] / errors[2]), "of the points"});
  out.push_back({"order-energy", std::log2(by_energy[1] / by_energy[2]), ""});
  return out;
}

}  // namespace gnomon::validation
