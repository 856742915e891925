#include "program/modes/mode_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gnomon/registry/coordinate_names.hpp"
#include "program/cli/say.hpp"
#include "report/json.hpp"
#include "tables/csv_field.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

namespace {

using validation::to_json;

/// The coordinates that move most, in the metric of the mass, each with its part: "x (1), y (-0.3)".
std::string moving_most(const System& system, const std::vector<std::string>& names, const Mode& mode) {
  constexpr std::size_t shown = 3;
  constexpr double least = 0.1;
  const Vector weighed = mode.shape.cwiseAbs().cwiseProduct(system.mass().diagonal_entries().cwiseSqrt());
  std::vector<Index> order(names.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return weighed[i] > weighed[j]; });
  std::string text;
  for (std::size_t k = 0; k < std::min(shown, order.size()); ++k) {
    const double part = std::abs(mode.shape[order[k]]) / std::abs(mode.shape[order[0]]);
    if (weighed[order[k]] < least * weighed[order[0]]) break;
    const double sign = mode.shape[order[k]].real() * mode.shape[order[0]].real() < 0 ? -1 : 1;
    text += fmt::format("{}{} ({:.3g})", k > 0 ? ", " : "", names[static_cast<std::size_t>(order[k])], sign * part);
  }
  return text;
}

}  // namespace

void print_modes(std::FILE* out, const System& system, const Linearisation& linear, const std::vector<Mode>& modes,
                 bool resting) {
  say(out, "  freedom      {} positions, {} velocities\n", linear.n_positions(), linear.n_velocities());
  if (modes.empty()) return say(out, "  no freedom   constraints, motors and closed contacts determine the motion\n");
  say(out, "  frequencies in cycles a unit of time, Hz where that is a second{}\n",
      resting ? "" : "; beside a motion they depend on the chart of positions");
  say(out, "  {:>4}  {:>12}  {:>12}  {:>12}  {:>26}  {}\n", "mode", "frequency", "period", "damping", "s",
      "moves most");
  const std::vector<std::string> names = coordinate_names(system);
  for (std::size_t k = 0; k < modes.size(); ++k) {
    const Mode& mode = modes[k];
    const double frequency = mode.frequency();
    say(out, "  {:>4}  {:>12}  {:>12}  {:>12}  {:>26}  {}\n", k + 1,
        mode.rigid      ? "rigid"
        : frequency > 0 ? fmt::format("{:.7g}", frequency)
                        : "-",
        frequency > 0 ? fmt::format("{:.7g}", 1 / frequency) : "-",
        mode.rigid ? "-" : fmt::format("{:.5g}", mode.damping_ratio()),
        mode.rigid ? "0, twice" : fmt::format("{:>12.5g} {:>+12.5g} i", mode.s.real(), mode.s.imag()),
        moving_most(system, names, mode));
  }
}

void write_modes(const std::string& path, const System& system, const std::vector<Mode>& modes) {
  tables::OutputFile file(path);
  fmt::print(file.stream(), "mode,frequency,damping_ratio,s_real,s_imag");
  for (const std::string& name : coordinate_names(system))
    fmt::print(file.stream(), ",{},{}", tables::csv_field(name), tables::csv_field("imag(" + name + ")"));
  fmt::print(file.stream(), "\n");
  for (std::size_t k = 0; k < modes.size(); ++k) {
    const Mode& mode = modes[k];
    fmt::print(file.stream(), "{},{:.17g},{:.17g},{:.17g},{:.17g}", k + 1, mode.frequency(), mode.damping_ratio(),
               mode.s.real(), mode.s.imag());
    for (const std::complex<double>& x : mode.shape) fmt::print(file.stream(), ",{:.17g},{:.17g}", x.real(), x.imag());
    fmt::print(file.stream(), "\n");
  }
  file.commit();
}

Json::Value matrix_json(const Matrix& matrix) {
  Json::Value rows(Json::arrayValue);
  for (Index i = 0; i < matrix.rows(); ++i) rows.append(to_json(Vector(matrix.row(i))));
  return rows;
}

Json::Value modes_json(const std::vector<Mode>& modes) {
  Json::Value out(Json::arrayValue);
  for (const Mode& mode : modes) {
    Json::Value one;
    one["s"] = to_json(Vector(Eigen::Vector2d(mode.s.real(), mode.s.imag())));
    one["frequency"] = to_json(mode.frequency());
    one["damping_ratio"] = to_json(mode.damping_ratio());
    one["rigid"] = mode.rigid;
    one["real"] = to_json(Vector(mode.shape.real()));
    one["imag"] = to_json(Vector(mode.shape.imag()));
    out.append(one);
  }
  return out;
}

}  // namespace gnomon::program
