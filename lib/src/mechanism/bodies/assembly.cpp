#include "mechanism/bodies/assembly.hpp"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "gnomon/base/numbers.hpp"

namespace gnomon::mechanism {

namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

/// Lengths of the rows of G.
Vector row_norms(const SparsityPattern& pattern, const Vector& values) {
  Vector norms = Vector::Zero(pattern.rows);
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) norms[i] += values[k] * values[k];
  return norms.cwiseSqrt();
}

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

}  // namespace

std::optional<Misfit> largest_misfit(const System& system, double t, const Vector& q) {
  constexpr double tolerance = 1e-10;
  Vector g(system.m()), values(system.constraint_pattern().nonzeros());
  system.constraints(t, q, g);
  system.constraint_jacobian(t, q, values);
  const Vector scale = row_norms(system.constraint_pattern(), values) * std::max(1.0, q.cwiseAbs().maxCoeff());
  std::optional<Misfit> worst;
  double most = tolerance;
  for (Index i = 0; i < g.size(); ++i)
    if (const double size = std::abs(g[i]) / std::max(scale[i], 1e-300); size > most) {
      most = size;
      worst = Misfit{i, g[i]};
    }
  return worst;
}

void check_assembled(const Elaborated& all, const System& system, double t, const Vector& q) {
  const std::optional<Misfit> worst = largest_misfit(system, t, q);
  if (!worst) return;
  const auto i = static_cast<std::size_t>(worst->constraint);
  throw error_at(all.constraints[i].formula->place,
                 "the start does not fit: constraint " + all.constraint_names[i] + " is " + number_text(worst->value) +
                     ", expected 0 (with assemble = true in [start] everything is moved to where it fits)");
}

/// The rows of A = (G; unit rows of what is given), A v = b, are scaled to A M^-1 A^T with a diagonal of one. The
/// multipliers mu of [M A^T; A -delta I] (v; mu_new - mu) = (-A^T mu; b) converge to those of delta = 0 for any rank of
/// A, by a factor of delta/(delta + smallest nonzero eigenvalue) a pass.
void assemble_velocity(const Elaborated& all, const System& system, double t, const Vector& q,
                       const std::vector<bool>& given, Vector& v) {
  constexpr double delta = 1e-9, enough = 1e-14, allowed = 1e-9;
  constexpr int most_passes = 200;
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
  const Mass& mass = system.mass();
  Vector b(m + n_given);
  Triplets entries;
  b.head(m) = -rates;
  for (Index i = 0; i < m; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      entries.emplace_back(i, pattern.indices[k], values[k]);
  for (Index j = 0, row = m; j < n; ++j)
    if (given[static_cast<std::size_t>(j)]) {
      entries.emplace_back(row, j, 1);
      b[row++] = v[j];
    }
  Vector scale = Vector::Zero(b.size());
  for (const auto& entry : entries)
    scale[entry.row()] += entry.value() * entry.value() / mass.diagonal_entries()[entry.col()];
  for (double& x : scale) x = x > 0 ? 1 / std::sqrt(x) : 1;
  for (auto& entry : entries) entry = {entry.row(), entry.col(), entry.value() * scale[entry.row()]};
  b = b.cwiseProduct(scale);
  Sparse a(b.size(), n);
  a.setFromTriplets(entries.begin(), entries.end());

  Triplets saddle;
  if (mass.is_diagonal()) {
    for (Index j = 0; j < n; ++j) saddle.emplace_back(j, j, mass.diagonal_entries()[j]);
  } else {
    for (Index i = 0; i < n; ++i)
      for (Index k = mass.pattern().offsets[i]; k < mass.pattern().offsets[i + 1]; ++k)
        saddle.emplace_back(i, mass.pattern().indices[k], mass.values()[k]);
  }
  for (const auto& entry : entries) {
    saddle.emplace_back(n + entry.row(), entry.col(), entry.value());
    saddle.emplace_back(entry.col(), n + entry.row(), entry.value());
  }
  for (Index i = 0; i < b.size(); ++i) saddle.emplace_back(n + i, n + i, -delta);
  Sparse k(n + b.size(), n + b.size());
  k.setFromTriplets(saddle.begin(), saddle.end());
  const Eigen::SimplicialLDLT<Sparse> factor(k);
  Vector mu = Vector::Zero(b.size()), rhs(n + b.size());
  double before = -1;
  for (int pass = 0; pass < most_passes; ++pass) {
    rhs << -(a.transpose() * mu), b;
    const Vector x = factor.solve(rhs);
    v = x.head(n);
    mu += x.tail(b.size());
    const double left = (b - a * v).cwiseAbs().maxCoeff();
    if (left <= enough * b.cwiseAbs().maxCoeff() || (before >= 0 && left > 0.9 * before)) break;
    before = left;
  }
  const Vector left = (b - a * v).cwiseAbs();
  Index worst = 0;
  if (left.maxCoeff(&worst) <= allowed * b.cwiseAbs().maxCoeff()) {
    const double rounding = 1e-15 * v.cwiseAbs().maxCoeff();
    for (double& x : v)
      if (std::abs(x) < rounding) x = 0;
    return;
  }
  // Which of the constraints: with the given velocities as they are, the one that is violated most.
  Index row = 0;
  left.head(m).maxCoeff(&row);
  const auto i = static_cast<std::size_t>(row);
  throw error_at(all.constraints[i].formula->place,
                 "the given velocities" + owners(system, given) + " do not fit: they violate constraint " +
                     all.constraint_names[i] + ", or others, by " + number_text(left[worst] / scale[worst]) +
                     " (velocities that are not given are assembled)");
}

}  // namespace gnomon::mechanism
