/// \file
/// What the chain's rows are held against.
///
/// Where the time of an energy-momentum step goes: N = 1000, newton with block-tree, ns a link, of 300 (hand-coded:
/// 150). The kernels are timed one by one, the rest is divided by instructions counted. One Newton correction and two
/// chord steps with its matrix.
///
///     kernels   190   3 residuals 41, a Jacobian 31, a factorisation 55, 3 solutions 60
///     balance    35   the last rounding errors in long double
///     step       70   scales 25; start value, compensated sums, copy of q, p and lambda, monitor 45
///     Newton     10   norms
///
/// The kernels alone are 1.25 hand-coded steps: those know that M and the blocks beside the diagonal are multiples of 1
/// and where everything lies, ours read the position of every entry. What is not in the kernels, 0.6 of them (with
/// KINSOL, which passes over its vectors several times, 0.65), keeps the energy error at rounding and the run checked.
/// At N = 1 it is calls, and from N = 1e4, where steps take one iteration, memory. Four times RATTLE, which takes 31,
/// is less than the hand-coded energy-momentum step.
///
/// A step of rattle, N = 1000, kinsol-newton, 290 ns a link, hand-coded 33, by samples of a profile:
///
///     long double   125   a residual of each system in refinement 75, forces and sums of the state 50
///     band           45   two factorisations, five solutions, two matrices
///     double         45   residuals, Jacobians, G
///     KINSOL         30   its vectors, norms, scaling
///     rest           45   scales, start values, copies, checks, monitor
///
/// What is at long double alone costs four hand-coded steps: it is what leaves both constraint levels at 1e-19.

#include <algorithm>
#include <map>

#include "chain_bench.hpp"

namespace gnomon::bench {

namespace {

/// The largest of what is measured, where anything is.
class Worst {
 public:
  Worst(std::string what, double gate) { figure_ = {std::move(what), 0, gate}; }
  void take(double value) {
    figure_.measured = std::max(figure_.measured, value);
    any_ = any_ || value > 0;
  }
  void report(std::vector<ChainFigure>& figures) const {
    if (any_) figures.push_back(figure_);
  }

 private:
  ChainFigure figure_;
  bool any_ = false;
};

bool is_step(const ChainRow& row) {
  return row.failure.empty() && row.what == "energy-momentum" && row.by != "hand-coded";
}

bool starts_with(const std::string& text, const std::string& start) {
  return text.rfind(start, 0) == 0;
}

}  // namespace

std::vector<ChainFigure> chain_figures(const std::vector<ChainRow>& rows) {
  Worst kinsol("a step by kinsol-newton against its bare kernels, at most, N >= 100", 1.25);
  Worst native("a step by newton against its bare kernels, N = 1", 2);
  Worst iterations("Newton iterations a step, at most", 3);
  std::map<std::string, Worst> to_energy_momentum, to_rattle;
  std::map<std::string, std::pair<double, double>> per_link;  // smallest and largest, N >= 1000
  for (const ChainRow& row : rows) {
    if (!is_step(row)) continue;
    iterations.take(row.iterations);
    if (row.links >= 100 && starts_with(row.by, "kinsol-newton")) kinsol.take(row.to_kernels);
    if (row.links == 1 && starts_with(row.by, "newton")) native.take(row.to_kernels);
    if (row.links >= 10 && row.by != "newton") {
      const std::string who = "energy-momentum by " + row.by;
      to_energy_momentum.try_emplace(row.by, who + " against the same hand-coded, at most, N >= 10", 2)
          .first->second.take(row.to_energy_momentum);
      to_rattle.try_emplace(row.by, who + " against hand-coded RATTLE, at most, N >= 10", 4)
          .first->second.take(row.to_rattle);
    }
    if (row.links >= 1000) {
      const double time = row.seconds / static_cast<double>(row.links);
      auto& [least, most] = per_link.try_emplace(row.by, time, time).first->second;
      least = std::min(least, time);
      most = std::max(most, time);
    }
  }
  std::vector<ChainFigure> figures;
  kinsol.report(figures);
  native.report(figures);
  for (const auto& entry : to_energy_momentum) entry.second.report(figures);
  for (const auto& entry : to_rattle) entry.second.report(figures);
  for (const auto& [by, range] : per_link)
    if (range.second > range.first)
      figures.push_back({"energy-momentum by " + by + ", time a link and step, largest to smallest, N >= 1000",
                         range.second / range.first, 1.5});
  iterations.report(figures);
  return figures;
}

}  // namespace gnomon::bench
