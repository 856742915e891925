#include "references/kernels/sundials_solution.hpp"

#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/run/stop_cause.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon::kernels {

OptionSpecs sundials_options(double coefficient) {
  return {
      OptionSpec::real("rtol", 0, 0, 1e-1, "",
                       "relative tolerance; 0: the first of tightest, ten times that, .., 1e-5 with which it comes to "
                       "the end"),
      OptionSpec::real("atol", 0, 0, 1e3, "",
                       "absolute tolerance of q and v (y and z), in parts of the size of their block at the start; 0: "
                       "rtol/10"),
      OptionSpec::real("tightest", thresholds::tightest_reference, 1e-14, thresholds::loosest_reference, "",
                       "the relative tolerance that is tried first where rtol is 0; `gnomon run` sets it by that of "
                       "the run"),
      OptionSpec::real("nonlinear-coefficient", coefficient, 1e-8, 1, "", "coefficient of the Newton convergence test"),
      OptionSpec::integer("max-steps", 10000000, 1, 1000000000, "steps between two output times")};
}

/// The base of the angles is that at the end of the last step, and never moves inside one.
void SundialsSolution::count_turns() {
  const Vector y = map(y_.get()).head(ny_);
  if (model_->angles()) model_->angles()->count(t_, y, turns_, angles_);
}

ReferenceReport SundialsSolution::advance_to(double t) {
  const Windings turns(turns_);
  if (t == t_) return report("");
  const double direction = t > t_ ? 1 : -1;
  if (!(direction * direction_ >= 0) || !std::isfinite(t))
    return refused(report(code_ + " is at t = " + number_text(t_) + " and cannot turn back to t = " + number_text(t)));
  if (!moved_) limit_first_step(first_step(t - t_));
  direction_ = direction;
  message_.text.clear();
  callback_message_.clear();
  double reached = t_;
  int flag = 0;
  roots_.clear();
  for (long steps = 0; flag >= 0 && reached != t && roots_.empty(); ++steps) {
    if (steps == max_steps_)
      return report(code_ + " stopped at t = " + number_text(t_) + ": it took max-steps = " + std::to_string(steps) +
                    " steps and did not arrive at t = " + number_text(t));
    if (stopped() || ((flag = step(t, reached)) < 0 && stopped()))
      return report(code_ + " was stopped at t = " + number_text(t_));
    moved_ = moved_ || reached != t_;
    t_ = reached;
    if (flag < 0) continue;
    count_turns();
    measure();
    if (watched()) show_step();
  }
  return report(flag >= 0 ? "" : failure(flag));
}

SundialsSolution::SundialsSolution(std::string code, std::shared_ptr<ReferenceModel> model, double t0, Index size,
                                   const Options& options)
    : model_(std::move(model)),
      t_(t0),
      rtol_(options.real("rtol")),
      max_steps_(options.integer("max-steps")),
      size_(size),
      ny_(model_->ny()),
      nz_(model_->nz()),
      m_(model_->m()),
      code_(std::move(code)),
      turns_(model_->turns()),
      levels_(*model_, t0, rtol_) {
  for (auto* vector : {&y_, &tolerances_}) *vector = serial_vector(size, context_);
  auto y = map(y_.get()), tolerances = map(tolerances_.get());
  y.setZero();
  y.head(ny_) = model_->start().y;
  y.segment(ny_, nz_) = model_->start().z;
  tolerances.setOnes();
  tolerances.head(ny_) = options.real("atol") * model_->sizes().y;
  tolerances.segment(ny_, nz_) = options.real("atol") * model_->sizes().z;
}

void SundialsSolution::use_dense_matrix() {
  matrix_.reset(SUNDenseMatrix(size_, size_, context_));
  if (!matrix_) throw no_memory();
  linear_.reset(SUNLinSol_Dense(y_.get(), matrix_.get(), context_));
}

double SundialsSolution::first_step(double way) const {
  const auto tolerance = map(tolerances_.get()).head(ny_), y = map(y_.get()).head(ny_);
  const double error =
      (model_->start().ddy.array() / (rtol_ * y.array().abs() + tolerance.array()).max(thresholds::no_division_by_zero))
          .matrix()
          .norm();
  const double step =
      0.1 * std::sqrt(2 / std::max(error / std::sqrt(static_cast<double>(ny_)), thresholds::no_division_by_zero));
  return std::copysign(std::min(step, thresholds::first_step_of_way * std::abs(way)), way);
}

Vector SundialsSolution::multipliers(const Vector& y, const Vector& z) const {
  Vector own = own_multipliers();
  if (own.size() != m_) own = Vector::Constant(m_, std::nan(""));
  try {
    return model_->multipliers(t_, y, z, own);
  } catch (...) {
    return own;  // where G has lost rank, or nothing can be evaluated
  }
}

void SundialsSolution::measure() {
  const auto state = map(y_.get());
  try {
    levels_.record(t_, state.head(ny_), state.segment(ny_, nz_));
  } catch (...) {
    // What cannot be evaluated at the end of a good step is left out.
  }
}

void SundialsSolution::show_step() const {
  const auto state = map(y_.get());
  const Vector y = state.head(ny_), z = state.segment(ny_, nz_);
  show({t_, y, model_->momentum(y, z), z, multipliers(y, z)});
}

ReferenceReport SundialsSolution::report(std::string message) const {
  const Windings turns(turns_);
  ReferenceReport report;
  report.success = message.empty();
  report.message = std::move(message);
  report.t = t_;
  const auto state = map(y_.get());
  report.q = state.head(ny_);
  const Vector z = state.segment(ny_, nz_);
  report.p = model_->momentum(report.q, z);
  report.lambda = multipliers(report.q, z);
  report.own_lambda = own_multipliers();
  report.roots = roots_;
  report.turns = turns_;
  count(report);
  levels_.report(code_, report);
  return report;
}

std::string SundialsSolution::failure(int flag) const {
  std::string text = code_ + " stopped at t = " + number_text(t_) + " with " + flag_name(flag);
  std::string cause;
  if (const System* system = model_->mechanical()) {
    const auto state = map(y_.get());
    const ConstraintRank at_start = constraint_rank(*system, t_, model_->start().y);
    ReferenceReport counted;
    count(counted);
    State z;
    z.t = t_;
    z.q.set(state.head(ny_));
    z.p.set(model_->momentum(state.head(ny_), state.segment(ny_, nz_)));
    StopSearch search;
    search.reach = direction_ * std::abs(t_) / static_cast<double>(std::max(1L, counted.steps));
    search.formulas_only = !callback_message_.empty();
    search.repeats = m_ - at_start.rank;
    search.condition = std::max(1.0, at_start.condition);
    cause = stop_cause(*system, z, search);
  }
  if (!cause.empty()) text += ": " + cause;
  if (!message_.text.empty()) text += (cause.empty() ? ": " : "; ") + message_.text;
  const std::string name = flag_name(flag);
  if (name.find("CONV_FAIL") != std::string::npos || name.find("ERR_FAIL") != std::string::npos)
    text += " Where its tolerances are below rounding, a looser atol helps.";
  if (!callback_message_.empty()) text += " The last evaluation that failed said: " + callback_message_ + ".";
  return text;
}

}  // namespace gnomon::kernels
