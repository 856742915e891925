#include "run/derivatives/step_line.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/solve/body_condensation.hpp"

namespace gnomon {

namespace {

constexpr int most_corrections = 40;

/// Changes e(k) of x(k)/(k a) that the quotient of order six does not see, and that of order four sees as one.
constexpr std::array<double, n_points / 2> shifts{0, -3, -18};

/// Visits the solves of a step in the order in which the scheme asks for them, repetitions included:
/// take(solve, place) for each of them, which returns what is next, or Next::fail.
template <class Take>
bool visit_solves(StepEquations& equations, const Take& take) {
  std::size_t place = 0;
  for (Index k = 0; k < equations.n_solves(); ++k)
    for (Next then = Next::repeat; then == Next::repeat; ++place) {
      then = take(k, place);
      if (then == Next::fail) return false;
    }
  return true;
}

}  // namespace

StepLine::Solved& StepLine::solved(std::size_t place, Integrator& run, NonlinearEquations& equations) {
  if (place == solved_.size()) solved_.push_back(std::make_unique<Solved>());
  Solved& at = *solved_[place];
  if (!at.scaled || &at.scaled->equations() != &equations) {
    const IntegratorOptions& options = run.options();
    if (!options.algebras)
      throw Error(ErrorCode::refused,
                  "derivatives of a step need linear algebra, and IntegratorOptions::algebras is not set");
    at.scaled = std::make_unique<ScaledEquations>(equations, JacobianSource::analytic);
    at.scaled->set_bodies(body_of_coordinates(run.system().traits()));
    at.scaled->attach_algebra(options.algebra);
    const Options automatic("derivatives of a step", {algebra_option(*options.algebras)});
    at.algebra = AlgebraChoice(*options.algebras, automatic).attach(*at.scaled);
    // Callbacks have differences, and friction by multipliers of least norm has no derivatives of that norm.
    const Parts& parts = run.system().parts();
    at.approximate = !parts.extended || (parts.friction && !run.constraint_rank().dependent.empty());
    at.matrix.setZero(equations.pattern().nonzeros());
    at.low.setZero(equations.size());
  }
  return at;
}

bool StepLine::again(Integrator& run, const State& z0, double h, const std::vector<Vector>* solutions, State& z1) {
  StepEquations& equations = run.equations();
  try {
    equations.begin(z0, h);
    const bool found = visit_solves(equations, [&](Index k, std::size_t place) {
      places_ = place + 1;
      NonlinearEquations& system = equations.system(equations.system_of(k));
      Solved& at = solved(place, run, system);
      at.x.resize(system.size());
      equations.predict(k, at.x);
      const auto solve = static_cast<std::size_t>(k);
      if (solutions && solve < solutions->size() && (*solutions)[solve].size() == at.x.size())
        at.x = (*solutions)[solve];
      at.scaled->update_scales();
      if (!newton(at)) return Next::fail;
      at.low.setZero(at.x.size());
      if (!refine(at, system, at.x, at.low)) return Next::fail;
      at.then = equations.accept(k, at.x);
      if (at.then == Next::fail) failure_ = equations.failure();
      return at.then;
    });
    if (!found) return false;
    solves_ = static_cast<std::size_t>(equations.n_solves());
    z1 = z0;
    equations.finish(z1);
    return true;
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
  return false;
}

bool StepLine::repeats() const {
  return std::any_of(solved_.begin(), end_of_step(), [](const auto& at) { return at->then == Next::repeat; });
}

bool StepLine::extended() const {
  return std::all_of(solved_.begin(), end_of_step(), [](const auto& at) { return at->extended; });
}

bool StepLine::along(const Variants& variants, double h, double change, States& to) {
  failure_ = "its equations cannot be evaluated beside it";
  try {
    for (std::size_t k = 0; k < n_points; ++k) {
      const InUse in_use(*variants[k]);
      variants[k]->integrator.equations().begin(from[k], h);
    }
    const bool found =
        repeats() ? repeat_beside(variants)
                  : visit_solves(variants.front()->integrator.equations(), [&](Index solve, std::size_t place) {
                      if (place < places_ && solve_along(variants, solve, *solved_[place], change))
                        return Next::advance;
                      return Next::fail;
                    });
    if (!found) return false;
    for (std::size_t k = 0; k < n_points; ++k) {
      const InUse in_use(*variants[k]);
      to[k] = from[k];
      variants[k]->integrator.equations().finish(to[k]);
    }
    return true;
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
  return false;
}

/// Where a scheme asks for repetitions until a solution is good enough, each point has a number of its own, of
/// solutions.
bool StepLine::repeat_beside(const Variants& variants) {
  for (Variant* const variant : variants) {
    const InUse in_use(*variant);
    StepEquations& equations = variant->integrator.equations();
    const bool found = visit_solves(equations, [&](Index solve, std::size_t place) {
      Solved& by = *solved_[std::min(place, places_ - 1)];
      by.work.x.resize(by.x.size());
      equations.predict(solve, by.work.x);
      by.work.x = by.x;
      by.work.low.setZero(by.work.x.size());
      if (!refine(by, equations.system(equations.system_of(solve)), by.work.x, by.work.low)) return Next::fail;
      return equations.accept(solve, by.work.x);
    });
    if (!found) return false;
  }
  return true;
}

bool StepLine::newton(Solved& at) {
  at.work.low.setZero(at.x.size());
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most_corrections; ++k) {
    if (!factorise(at)) return false;
    const double size = correction(at, at.scaled->equations(), at.x, at.work.low);
    if (!std::isfinite(size)) break;
    if (size < thresholds::change_rounding) return true;
    if (last < thresholds::same_solution && size >= last) {
      if (last < thresholds::unshrinking_change) return true;
      break;
    }
    at.x += at.work.correction;
    last = size;
  }
  failure_ = "Newton's method does not find its solution again";
  return false;
}

/// x + low solves the equations of one that is here or beside it, by the factors at x.
bool StepLine::refine(Solved& by, NonlinearEquations& system, Vector& x, Vector& low) {
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most_corrections; ++k) {
    const double size = correction(by, system, x, low);
    if (!std::isfinite(size) || (last < thresholds::same_solution && size >= last)) break;
    (by.extended ? low : x) += by.work.correction;
    const double next = k > 0 ? size * std::min(size / last, 1.0) : size;
    last = size;
    if (next < (by.extended ? thresholds::unit_of_extended_rounding : thresholds::unit_of_rounding) / 32) break;
  }
  if (!(last < thresholds::rough_difference)) {
    failure_ = "it is not solved to rounding, corrections of " + number_text(last) + " of the unknowns remain";
    return false;
  }
  if (last > thresholds::unshrinking_change) unsolved_ = std::max(unsolved_, last);
  for (Index i = 0; by.extended && i < x.size(); ++i) {
    const double tail = low[i];
    low[i] = 0;
    Compensated::add(x[i], low[i], tail);
  }
  if (by.extended) system.set_low(low);
  return true;
}

bool StepLine::factorise(Solved& at) {
  at.work.xs.resize(at.x.size());
  at.scaled->to_scaled(at.x, at.work.xs);
  if (at.scaled->jacobian(at.work.xs, at.matrix) == EvaluationStatus::ok && at.algebra->factor(at.matrix, Setup::first))
    return true;
  failure_ = "the matrix of its equations cannot be factorised";
  return false;
}

bool StepLine::solve_linear(Solved& by, Vector& f) {
  const SparsityPattern& pattern = by.scaled->pattern();
  by.work.right = f;
  if (!by.algebra->solve(f)) return false;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most_corrections; ++k) {
    // At Extended: the matrix of a stiff system is ill-conditioned.
    by.work.rest.resize(f.size());
    for (Index i = 0; i < f.size(); ++i) {
      Extended rest = by.work.right[i];
      for (Index e = pattern.offsets[i]; e < pattern.offsets[i + 1]; ++e)
        rest -= static_cast<Extended>(by.matrix[e]) * f[pattern.indices[e]];
      by.work.rest[i] = static_cast<double>(rest);
    }
    if (!by.algebra->solve(by.work.rest)) return false;
    const double size = by.work.rest.lpNorm<Eigen::Infinity>();
    if (!(size < last)) break;
    f += by.work.rest;
    last = size;
    if (size <= thresholds::unit_of_rounding * f.lpNorm<Eigen::Infinity>()) break;
  }
  return last <= thresholds::unshrinking_change * f.lpNorm<Eigen::Infinity>();
}

double StepLine::correction(Solved& by, NonlinearEquations& system, const Vector& x, const Vector& low) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  by.work.correction.resize(x.size());
  by.extended = system.low().size() > 0 && system.extended_residual(x, low, by.work.correction);
  if (!by.extended) system.residual(x, by.work.correction);
  by.scaled->scale_rows(by.work.correction);
  if (!by.work.correction.allFinite() || !by.algebra->solve(by.work.correction)) return none;
  const double size = by.work.correction.lpNorm<Eigen::Infinity>();
  by.work.correction = -by.work.correction.cwiseProduct(by.scaled->columns());
  return size;
}

/// work.x + work.low = x + k a dx, dx by work.correction and work.off.
void StepLine::place(Solved& at, std::size_t k, double change) {
  const Vector& columns = at.scaled->columns();
  const Extended way = -static_cast<Extended>(line_points[k]) * change;
  at.work.low.resize(at.work.x.size());
  for (Index i = 0; i < at.work.x.size(); ++i) {
    const Extended sum =
        (way * ((at.work.correction[i] + shifts[k / 2] * at.work.off[i]) * columns[i]) + at.low[i]) + at.x[i];
    at.work.x[i] = static_cast<double>(sum);
    at.work.low[i] = static_cast<double>(sum - at.work.x[i]);
  }
}

/// work.by_six: the quotients of the residuals along the line, of order six; work.less_four: by what those of order
/// four differ. moved: at x + k a dx, else at x.
bool StepLine::residuals_along(const Variants& variants, Index solve, Solved& at, double change, bool moved) {
  for (std::size_t k = 0; k < n_points; ++k) {
    const InUse in_use(*variants[k]);
    StepEquations& equations = variants[k]->integrator.equations();
    if (!moved) equations.predict(solve, at.work.x);
    at.work.x = at.x;
    at.work.low = at.low;
    if (moved) place(at, k, change);
    NonlinearEquations& system = equations.system(equations.system_of(solve));
    at.work.residuals[k].resize(at.work.x.size());
    if (!at.extended)
      system.residual(at.work.x, at.work.residuals[k]);
    else if (!system.extended_residual(at.work.x, at.work.low, at.work.residuals[k]))
      return false;
  }
  for (Index i = 0; i < at.work.x.size(); ++i) {
    const auto residual = [&](std::size_t k) { return at.work.residuals[k][i]; };
    const Extended sum = difference(sixth, residual);
    at.work.by_six[i] = static_cast<double>(sum / change);
    at.work.less_four[i] = static_cast<double>((difference(fourth, residual) - sum) / change);
  }
  at.scaled->scale_rows(at.work.by_six);
  at.scaled->scale_rows(at.work.less_four);
  return true;
}

/// dx by the derivative of F along the line, and the points take x + k a dx. Where that of order four is another one,
/// it is what the quotient of order four sees at the ends.
bool StepLine::solve_along(const Variants& variants, Index solve, Solved& at, double change) {
  const Index size = at.x.size();
  for (Vector* const of : {&at.work.x, &at.work.correction, &at.work.off, &at.work.by_six, &at.work.less_four})
    of->setZero(size);
  double last = std::numeric_limits<double>::infinity(), smooth = 0;
  for (int pass = 0; pass < most_corrections; ++pass) {
    if (!residuals_along(variants, solve, at, change, pass > 0)) return false;
    if (pass == 0) smooth = thresholds::smooth_difference * at.work.by_six.lpNorm<Eigen::Infinity>();
    const bool disagree = !(at.work.less_four.lpNorm<Eigen::Infinity>() <= smooth);
    if (!solve_linear(at, at.work.by_six) || (disagree && !solve_linear(at, at.work.less_four))) {
      failure_ = "the linear equations of its change are not solved";
      return false;
    }
    if (disagree) at.work.off = at.work.less_four;
    const double part = at.work.by_six.lpNorm<Eigen::Infinity>();
    if (pass > 0 && !(part < last)) break;
    at.work.correction += at.work.by_six;
    last = part;
    // The matrix may not be that of F: then the points do not solve it to first order.
    if (!at.approximate || part <= thresholds::enough_refinement * at.work.correction.lpNorm<Eigen::Infinity>()) break;
  }
  if (const double whole = at.work.correction.lpNorm<Eigen::Infinity>();
      at.approximate && last > thresholds::unshrinking_change * whole) {
    if (!(last < thresholds::rough_difference * whole)) {
      failure_ = "its change does not solve its equations, of which corrections of " + number_text(last / whole) +
                 " of it remain";
      return false;
    }
    unsolved_ = std::max(unsolved_, last / whole);
  }
  for (std::size_t k = 0; k < n_points; ++k) {
    const InUse in_use(*variants[k]);
    StepEquations& equations = variants[k]->integrator.equations();
    place(at, k, change);
    if (at.extended) equations.system(equations.system_of(solve)).set_low(at.work.low);
    const Next then = equations.accept(solve, at.work.x);
    if (then == Next::advance) continue;
    failure_ = then == Next::fail ? equations.failure() : "a solve is repeated beside it, and not in it";
    return false;
  }
  return true;
}

}  // namespace gnomon
