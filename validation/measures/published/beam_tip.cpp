/// The released beam of Glowinski and Holmstroem, sections 4.7 and 4.9: its tip at whole times against the table, the
/// energies and the constraints, as series.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/model/curves.hpp"
#include "measures/measure.hpp"
#include "measures/setup.hpp"
#include "measures/table_file.hpp"

namespace gnomon::validation {

namespace {

struct TipRow {
  double t, x, y, energy_change;
};

std::string parameter(const Case& c, const std::string& name, const std::string& otherwise) {
  for (const auto& [key, value] : c.set)
    if (key == name) return value;
  return otherwise;
}

/// Columns scheme, dt, N, nGauss, eps, note, t, xB, yB, E-E0, ...; the first run with these parameters and no note.
std::vector<TipRow> table_rows(const Case& c, double h) {
  const std::string path = c.data_folder + "/" + c.table.file;
  const std::string elements = parameter(c, "elements", "20"), gauss = parameter(c, "gauss", "2");
  double eps = 0;
  if (!read_number(parameter(c, "eps", "1.5e-4"), eps))
    throw Error(ErrorCode::bad_value, "eps = \"" + parameter(c, "eps", "") + "\" is not a number");
  std::vector<TipRow> rows;
  for (const TableFile::Row& cells : TableFile(path)) {
    if (cells.text(0) != c.table.name || cells.number(1) != h || cells.text(2) != elements || cells.text(3) != gauss ||
        !cells.text(5).empty())
      continue;
    if (!cells.text(4).empty() && cells.number(4) != eps) continue;
    const TipRow row{cells.number(6), cells.number(7), cells.number(8), cells.number(9)};
    if (row.t <= c.until * (1 + 1e-9)) rows.push_back(row);
  }
  if (rows.empty())
    throw Error(ErrorCode::bad_file, fmt::format("table \"{}\" has no run {} with dt = {}", path, c.table.name, h));
  return rows;
}

}  // namespace

Quantities measure_beam_tip(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const CurveModel* model = instance.curves.get();
  if (model == nullptr) throw Error(ErrorCode::refused, "problem " + c.problem + " has no curves");
  const Curve curve = model->curves().front();
  Matrix points(curve.dimension, curve.n_points);
  const double h = c.step.front();
  Integrator integrator = started(registry, instance, c.method);
  const InvariantMonitor& monitor = integrator.monitor();

  Quantities out;
  std::vector<TipRow> expected;
  if (!c.table.empty()) expected = table_rows(c, h);
  const long whole = std::lround(c.until - instance.t0);
  double largest = 0;
  for (long k = 1; k <= whole; ++k) {
    advance(integrator, whole_steps(1, h), h);
    const double t = instance.t0 + static_cast<double>(k);
    model->curve_points(0, t, integrator.state().q.value(), points);
    const auto tip = points.col(curve.n_points - 1);
    const double height = tip[curve.dimension - 1];
    const std::string where = fmt::format("tip ({:.6f}, {:.6f})", tip[0], height);
    const auto row =
        std::find_if(expected.begin(), expected.end(), [&](const TipRow& r) { return std::abs(r.t - t) < 1e-9; });
    if (row == expected.end()) {
      out.push_back({fmt::format("tip-{}", k), height, where});
      continue;
    }
    const double error = std::hypot(tip[0] - row->x, height - row->y);
    largest = std::max(largest, error);
    out.push_back(
        {fmt::format("tip-{}", k), error, fmt::format("{}, expected ({:.6f}, {:.6f})", where, row->x, row->y)});
  }
  const Drift& discrete = monitor.discrete_energy();
  if (!expected.empty()) out.push_back({"tip", largest, "largest distance of the tip from the table's"});
  out.push_back({"discrete-energy", discrete.max_abs_error(),
                 fmt::format("J, max |E - E(1/2)|, E(1/2) = {:.6f}", discrete.initial())});
  const double lost = -discrete.last_error();
  out.push_back({"energy-loss", lost, "J, of the energy at n+1/2"});
  if (!expected.empty() && expected.back().energy_change < -1)
    out.push_back({"energy-loss-error", std::abs(lost + expected.back().energy_change),
                   fmt::format("J, expected {:.1f}", -expected.back().energy_change)});
  out.push_back({"position", monitor.position_max(), "max |g|"});
  out.push_back(
      {"iterations",
       static_cast<double>(integrator.counters().iterations) / static_cast<double>(integrator.counters().steps),
       "a step"});
  return out;
}

}  // namespace gnomon::validation
