/// The static beam of Glowinski and Holmstroem, section 4: columns of the table for one method and number of Gauss
/// points an element, and the same equilibrium by another solver.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "gnomon/base/error.hpp"
#include "gnomon/model/curves.hpp"
#include "measures/measure.hpp"
#include "measures/published/equilibrium.hpp"
#include "measures/setup.hpp"
#include "measures/table_file.hpp"

namespace gnomon::validation {

namespace {

/// The row by the names of its columns; empty cells are left out.
std::map<std::string, double> table_row(const Case& c, const std::string& method, const std::string& gauss) {
  const std::string path = c.data_folder + "/" + c.table.file;
  const TableFile table(path);
  for (const TableFile::Row& cells : table) {
    if (cells.text(0) != method || cells.text(1) != gauss) continue;
    std::map<std::string, double> row;
    for (std::size_t i = 2; i < cells.size(); ++i)
      if (!cells.text(i).empty()) row[table.names().text(i)] = cells.number(i);
    return row;
  }
  throw Error(ErrorCode::bad_file,
              fmt::format("table \"{}\" has no row of method {} with {} Gauss points", path, method, gauss));
}

EquilibriumSearch search_of(const Case& c, const Method& method) {
  EquilibriumSearch search;
  search.options = Options("equilibrium", equilibrium_options(), c.equilibrium);
  search.solver = method.solver;
  search.solver_options = method.solver_options;
  return search;
}

Equilibrium found(const Registry& registry, const ProblemInstance& instance, const EquilibriumSearch& search) {
  const Equilibrium result = find_equilibrium(registry, instance, search);
  if (result.report.status != SolveStatus::converged) throw RunFailed(instance.t0, result.report.message);
  return result;
}

}  // namespace

Quantities measure_beam_static(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const System& system = mechanical(instance);
  const CurveModel* model = instance.curves.get();
  if (model == nullptr) throw Error(ErrorCode::refused, "problem " + c.problem + " has no curves");
  const EquilibriumSearch search = search_of(c, c.method);
  const Equilibrium result = found(registry, instance, search);

  Quantities out;
  out.push_back({"iterations", static_cast<double>(result.report.iterations), "of " + c.method.solver});
  if (c.other.solver != c.method.solver) {
    const Equilibrium other = found(registry, instance, search_of(c, c.other));
    out.push_back({"apart", relative_error(result.q, other.q), "q of the two solvers"});
    out.push_back({"multipliers-apart", relative_error(result.lambda, other.lambda), "their multipliers"});
  }
  if (c.method.solver == "uzawa") {
    EquilibriumSearch descent = search;
    descent.options = Options("equilibrium", equilibrium_options(), {{"by", "minimise"}});
    const Equilibrium lowest = found(registry, instance, descent);
    out.push_back({"descent-apart", relative_error(result.q, lowest.q), "q of the solver and of the descent"});
    out.push_back({"descent-energy", std::abs(result.potential / lowest.potential - 1),
                   fmt::format("{:.8g}, by descent {:.8g}", result.potential, lowest.potential)});
  }
  if (!c.table.empty()) {
    std::string gauss = "2";
    for (const auto& [name, value] : c.set)
      if (name == "gauss") gauss = value;
    const auto row = table_row(c, c.table.name, gauss);
    const Curve curve = model->curves().front();
    Matrix points(curve.dimension, curve.n_points);
    model->curve_points(0, instance.t0, result.q, points);
    std::map<std::string, double> mine{{"x_mid", points(0, curve.n_points / 2)},
                                       {"y_mid", points(1, curve.n_points / 2)},
                                       {"dx_A", result.q[0]},
                                       {"dy_A", result.q[1]},
                                       {"J", result.potential + result.penalty}};
    for (const auto& [name, value] : mine)
      out.push_back(
          {name, std::abs(value - row.at(name)), fmt::format("{:.8g}, expected {:.8g}", value, row.at(name))});
    // The multiplier of |x'|^2 - 1 is half the tension times the arc length of its point.
    const Vector& w = system.traits().constraint_weights;
    const double density =
        Options("problem " + c.problem, registry.problem(c.problem).parameters(), c.set).real("density");
    if (row.count("lambda_first") == 0 || w.size() == 0) return out;
    for (const auto& [name, i] : {std::pair<const char*, Index>{"lambda_first", 0}, {"lambda_mid", w.size() / 2}}) {
      const double tension = 2 * result.lambda[i] / w[i] * density;
      out.push_back({name, std::abs(tension / row.at(name) - 1),
                     fmt::format("tension {:.8g}, expected {:.8g}", tension, row.at(name))});
    }
  }
  return out;
}

}  // namespace gnomon::validation
