#include "mechanism/bodies/assembly.hpp"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "gnomon/base/numbers.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/constraint_sizes.hpp"

namespace gnomon::mechanism {

namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

/// ", of crank and slider,": the bodies and particles of coordinates; "" for none.
std::string owners(const System& system, const std::vector<bool>& given) {
  std::vector<std::string> found;
  for (const Block& block : system.traits().blocks) {
    const auto begin = given.begin() + block.offset;
    if (std::find(begin, begin + block.size, true) == begin + block.size) continue;
    // Of "crank", "crank.x" and "crank.d1.x", whichever are blocks; names of bodies have no points.
    const std::string owner = block.name.substr(0, block.name.find('.'));
    if (std::find(found.begin(), found.end(), owner) == found.end()) found.push_back(owner);
  }
  if (found.empty()) return "";
  std::string text = ", of ";
  for (std::size_t k = 0; k < found.size(); ++k)
    text += (k == 0 ? "" : k + 1 == found.size() ? " and " : ", ") + found[k];
  return text + ",";
}

/// The residual of A v = b, its rows scaled to the metric, and the scales.
struct Left {
  Vector rows, scale;
  double largest = 0;  ///< of the scaled b
};

/// v += the least dv^T M dv/2 with A (v + dv) = b. The rows of A are scaled to A M^-1 A^T with a diagonal of one. The
/// multipliers mu of [M A^T; A -delta I] (dv; mu_new - mu) = (-A^T mu; b - A v) converge to those of delta = 0 for any
/// rank of A, by a factor of delta/(delta + smallest nonzero eigenvalue) a pass. Where light bodies are between heavy
/// ones some eigenvalues are below delta: conjugate gradients on A M^-1 A^T with the factors of this matrix find those.
Left least_change(Triplets entries, Vector b, Triplets saddle, const Vector& diagonal, Vector& v) {
  constexpr double delta = thresholds::regularised_diagonal;
  constexpr int most_passes = 200;
  const Index n = v.size();
  Vector scale = Vector::Zero(b.size());
  for (const auto& entry : entries) scale[entry.row()] += entry.value() * entry.value() / diagonal[entry.col()];
  for (double& x : scale) x = x > 0 ? 1 / std::sqrt(x) : 1;
  for (auto& entry : entries) entry = {entry.row(), entry.col(), entry.value() * scale[entry.row()]};
  b = b.cwiseProduct(scale);
  Sparse a(b.size(), n);
  a.setFromTriplets(entries.begin(), entries.end());
  for (const auto& entry : entries) {
    saddle.emplace_back(n + entry.row(), entry.col(), entry.value());
    saddle.emplace_back(entry.col(), n + entry.row(), entry.value());
  }
  for (Index i = 0; i < b.size(); ++i) saddle.emplace_back(n + i, n + i, -delta);
  Sparse k(n + b.size(), n + b.size());
  k.setFromTriplets(saddle.begin(), saddle.end());
  const Eigen::SimplicialLDLT<Sparse> factor(k);
  const Vector start = v, right = b - a * v;
  Vector mu = Vector::Zero(b.size()), rhs(n + b.size());
  double before = -1;
  for (int pass = 0; pass < most_passes; ++pass) {
    rhs << -(a.transpose() * mu), right;
    const Vector x = factor.solve(rhs);
    v = start + x.head(n);
    mu += x.tail(b.size());
    const double left = (b - a * v).cwiseAbs().maxCoeff();
    if (left <= thresholds::solved_rows * b.cwiseAbs().maxCoeff() || (before >= 0 && left > 0.9 * before)) break;
    before = left;
  }
  Vector r = b - a * v, step = Vector::Zero(n), along = Vector::Zero(b.size()), moved = v;
  double last = 0, least = r.cwiseAbs().maxCoeff();
  for (int pass = 0; pass < most_passes; ++pass) {
    if (r.cwiseAbs().maxCoeff() <= thresholds::solved_rows * b.cwiseAbs().maxCoeff()) break;
    // (x; -z): z = (A M^-1 A^T + delta)^-1 r and x = M^-1 A^T z
    rhs << Vector::Zero(n), r;
    const Vector x = factor.solve(rhs);
    const double product = -r.dot(x.tail(b.size())), beta = last > 0 ? product / last : 0;
    step = x.head(n) + beta * step;
    along = beta * along - x.tail(b.size());
    const Vector change = a * step;
    // Rows that contradict each other: no multiplier has such a change.
    const double curvature = along.dot(change);
    if (!(product > 0) || !(curvature > thresholds::zero_eigenvalue * along.squaredNorm())) break;
    moved += product / curvature * step;
    r = b - a * moved;
    last = product;
    if (const double left = r.cwiseAbs().maxCoeff(); left < least) {
      least = left;
      v = moved;
    }
  }
  return {(b - a * v).cwiseAbs(), scale, b.cwiseAbs().maxCoeff()};
}

}  // namespace

std::optional<Misfit> largest_misfit(const System& system, double t, const Vector& q) {
  Vector g(system.m()), values(system.constraint_pattern().nonzeros());
  system.constraints(t, q, g);
  system.constraint_jacobian(t, q, values);
  const Vector scale = given_position_sizes(system.constraint_pattern(), values, system.mass().diagonal_entries(), q);
  std::optional<Misfit> worst;
  double most = thresholds::misfit;
  for (Index i = 0; i < g.size(); ++i)
    if (const double size = part_of(std::abs(g[i]), scale[i]); size > most) {
      most = size;
      worst = Misfit{i, g[i]};
    }
  return worst;
}

void check_assembled(const Elaborated& all, const System& system, double t, const Vector& q) {
  const std::optional<Misfit> worst = largest_misfit(system, t, q);
  if (!worst) return;
  const auto i = static_cast<std::size_t>(worst->constraint);
  throw error_at(all.constraint_formula(static_cast<Index>(i)).place,
                 "the start does not fit: constraint " + all.constraint_names[i] + " is " + number_text(worst->value) +
                     ", expected 0 (with assemble = true in [start] everything is moved to where it fits)");
}

void assemble_velocity(const Elaborated& all, const System& system, double t, const Vector& q,
                       const std::vector<bool>& given, Vector& v) {
  const Index n = system.n(), m = system.m();
  const SparsityPattern& pattern = system.constraint_pattern();
  Vector values(pattern.nonzeros()), rates(m);
  system.constraint_jacobian(t, q, values);
  system.constraint_velocity(t, q, Vector::Zero(n), rates);
  const Index n_given = std::count(given.begin(), given.end(), true);
  if (n_given == 0 && (m == 0 || rates.isZero(0))) {
    v.setZero();
    return;
  }
  Vector b(m + n_given);
  Triplets rows, metric, ones;
  b.head(m) = -rates;
  for (Index i = 0; i < m; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      rows.emplace_back(i, pattern.indices[k], values[k]);
  for (Index j = 0, row = m; j < n; ++j)
    if (given[static_cast<std::size_t>(j)]) {
      rows.emplace_back(row, j, 1);
      b[row++] = v[j];
    }
  const Mass& mass = system.mass();
  for (Index j = 0; j < n; ++j) {
    ones.emplace_back(j, j, 1);
    if (mass.is_diagonal()) metric.emplace_back(j, j, mass.diagonal_entries()[j]);
  }
  for (Index i = 0; i < n && !mass.is_diagonal(); ++i)
    for (Index k = mass.pattern().offsets[i]; k < mass.pattern().offsets[i + 1]; ++k)
      metric.emplace_back(i, mass.pattern().indices[k], mass.values()[k]);
  v.setZero();
  const Left left = least_change(rows, b, metric, mass.diagonal_entries(), v);
  Index worst = 0;
  if (left.rows.maxCoeff(&worst) <= thresholds::misfit_of_velocity * left.largest) {
    // The metric of M leaves a residual in the rows of light parts beside heavy ones.
    least_change(rows, b, ones, Vector::Ones(n), v);
    const double rounding = thresholds::entry_rounding * v.cwiseAbs().maxCoeff();
    for (double& x : v)
      if (std::abs(x) < rounding) x = 0;
    return;
  }
  // Which of the constraints: with the given velocities as they are, the one that is violated most.
  Index row = 0;
  left.rows.head(m).maxCoeff(&row);
  const auto i = static_cast<std::size_t>(row);
  const std::string& name = all.constraint_names[i];
  const std::size_t of_start = name.rfind(".given");  // the rate of a joint that starts with a speed
  throw error_at(
      all.constraint_formula(static_cast<Index>(i)).place,
      "the given velocities" + owners(system, given) + " do not fit: they violate " +
          (of_start == std::string::npos ? "constraint " + name : "the given rate of " + name.substr(0, of_start)) +
          ", or others, by " + number_text(left.rows[worst] / left.scale[worst]) +
          " (velocities that are not given are assembled)");
}

}  // namespace gnomon::mechanism
