#include "run/derivatives/neighbouring_step.hpp"

#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/formula/winding.hpp"

namespace gnomon {

namespace {

constexpr int most_corrections = 40;

}  // namespace

bool NeighbouringStep::again(StepEquations& equations, const State& z0, double h, const std::vector<Vector>* solutions,
                             State& z1) {
  again_ = true;
  return take(equations, z0, h, solutions, z1);
}

bool NeighbouringStep::beside(StepEquations& equations, const State& z0, double h, double place, State& z1) {
  again_ = false;
  place_ = place;
  if (!take(equations, z0, h, nullptr, z1)) return false;
  places_.push_back(place);
  return true;
}

void NeighbouringStep::extrapolate(const Solved& solved) {
  // Lagrange's polynomial through the known places, zero among them.
  const auto factor = [&](double at) {
    double product = at == 0 ? 1 : place_ / at;
    for (const double other : places_)
      if (other != at) product *= (place_ - other) / (at - other);
    return product;
  };
  x_ = factor(0) * solved.x;
  for (std::size_t i = 0; i < places_.size(); ++i) x_ += factor(places_[i]) * solved.beside[i];
}

bool NeighbouringStep::take(StepEquations& equations, const State& z0, double h, const std::vector<Vector>* solutions,
                            State& z1) {
  try {
    const Windings turns(z0.turns);
    equations.begin(z0, h);
    for (Index k = 0; k < equations.n_solves(); ++k) {
      const auto place = static_cast<std::size_t>(k);
      if (solved_.size() <= place) solved_.push_back(std::make_unique<Solved>());
      Solved& solved = *solved_[place];
      NonlinearEquations& system = equations.system(equations.system_of(k));
      for (Next then = Next::repeat; then == Next::repeat;) {
        x_.resize(system.size());
        equations.predict(k, x_);
        if (again_) {
          if (solutions && place < solutions->size() && (*solutions)[place].size() == x_.size())
            x_ = (*solutions)[place];
          if (!newton(system, solved)) return false;
          solved.x = x_;
        } else {
          extrapolate(solved);
        }
        if (!correct(system, solved)) return false;
        if (!again_) {
          solved.beside.resize(places_.size());
          solved.beside.push_back(x_);
        }
        then = equations.accept(k, x_);
        if (then == Next::fail) {
          failure_ = equations.failure();
          return false;
        }
      }
    }
    z1 = z0;
    equations.finish(z1);
    return true;
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
  return false;
}

bool NeighbouringStep::newton(NonlinearEquations& equations, Solved& at) {
  at.columns.resize(x_.size());
  at.rows.resize(x_.size());
  equations.scales(at.columns, at.rows);
  low_.setZero(x_.size());
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most_corrections; ++k) {
    if (!factorise(equations, at)) return false;
    const double size = correction(equations, at, low_);
    if (!std::isfinite(size)) break;
    if (size < thresholds::change_rounding) return true;
    if (last < thresholds::same_solution && size >= last) {
      if (last < thresholds::unshrinking_change) return true;
      break;
    }
    x_ += correction_;
    last = size;
  }
  failure_ = "Newton's method does not find its solution again";
  return false;
}

/// x + low solves the equations, low by the factors at the solution of the run's own step.
bool NeighbouringStep::correct(NonlinearEquations& equations, const Solved& by) {
  low_.setZero(x_.size());
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most_corrections; ++k) {
    const double size = correction(equations, by, low_);
    if (!std::isfinite(size) || (last < thresholds::same_solution && size >= last)) break;
    (extended_ ? low_ : x_) += correction_;
    const double next = k > 0 ? size * std::min(size / last, 1.0) : size;
    last = size;
    if (next < (extended_ ? thresholds::unit_of_extended_rounding : thresholds::unit_of_rounding) / 32) break;
  }
  if (!(last < thresholds::unshrinking_change)) {
    failure_ = "a step beside it is not found, corrections of " + number_text(last) + " of the unknowns remain";
    return false;
  }
  if (!extended_) return true;
  for (Index i = 0; i < x_.size(); ++i) {
    const double low = low_[i];
    low_[i] = 0;
    Compensated::add(x_[i], low_[i], low);
  }
  equations.set_low(low_);
  return true;
}

bool NeighbouringStep::factorise(NonlinearEquations& equations, Solved& at) {
  const SparsityPattern& pattern = equations.pattern();
  values_.resize(pattern.nonzeros());
  equations.jacobian(x_, values_);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) {
      const Index j = pattern.indices[k];
      entries.emplace_back(static_cast<int>(i), static_cast<int>(j), values_[k] * at.columns[j] / at.rows[i]);
    }
  at.matrix.resize(pattern.rows, pattern.cols);
  at.matrix.setFromTriplets(entries.begin(), entries.end());
  if (!at.analysed) at.lu.analyzePattern(at.matrix);
  at.analysed = true;
  at.lu.factorize(at.matrix);
  if (at.lu.info() == Eigen::Success) return true;
  failure_ = "the matrix of its equations is singular";
  return false;
}

double NeighbouringStep::correction(NonlinearEquations& equations, const Solved& by, const Vector& low) {
  f_.resize(x_.size());
  extended_ = equations.low().size() > 0 && equations.extended_residual(x_, low, f_);
  if (!extended_) equations.residual(x_, f_);
  f_ = f_.cwiseQuotient(by.rows);
  correction_ = -by.lu.solve(f_);
  const double size = correction_.lpNorm<Eigen::Infinity>();
  correction_ = correction_.cwiseProduct(by.columns);
  return size;
}

}  // namespace gnomon
