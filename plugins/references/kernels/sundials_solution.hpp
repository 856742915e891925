#pragma once
/// \file
/// What the references that run an integrator of SUNDIALS share: the state (y, z, ...), of mechanical systems
/// (q, v, ...), and its tolerances, the walk from one output time to the next, evaluations that may fail, and the
/// report.

#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thrown.hpp"
#include "gnomon/run/reference.hpp"
#include "gnomon/run/stepwise_reference.hpp"
#include "gnomon/sundials/sundials_compat.hpp"
#include "own_levels.hpp"
#include "reference_model.hpp"

namespace gnomon::kernels {

/// Options that every one of them has; `coefficient` is the default of the Newton test's.
inline OptionSpecs sundials_options(double coefficient) {
  return {
      OptionSpec::real("rtol", 1e-12, 1e-14, 1e-1, "", "relative tolerance"),
      OptionSpec::real("atol", 1e-13, 0, 1e3, "",
                       "absolute tolerance of q and v (y and z), in parts of the size of their block at the start"),
      OptionSpec::real("nonlinear-coefficient", coefficient, 1e-8, 1, "", "coefficient of the Newton convergence test"),
      OptionSpec::integer("max-steps", 10000000, 1, 1000000000, "steps between two output times")};
}

/// A running solution. Owns its SUNDIALS context, the state and the linear algebra; a derived class owns the
/// integrator.
class SundialsSolution : public ReferenceSolution, public StepwiseReference {
 public:
  ReferenceReport advance_to(double t) final {
    if (t == t_) return report("");
    const double direction = t > t_ ? 1 : -1;
    if (!(direction * direction_ >= 0) || !std::isfinite(t))
      return report(code_ + " is at t = " + number_text(t_) + " and cannot turn back to t = " + number_text(t));
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
      if (stopped()) return report(code_ + " was stopped at t = " + number_text(t_));
      flag = step(t, reached);
      moved_ = moved_ || reached != t_;
      t_ = reached;
      if (flag < 0) continue;
      measure();
      if (watched()) show_step();
    }
    return report(flag >= 0 ? "" : failure(flag));
  }

 protected:
  /// `code` names the integrator, `size` is the length of the state.
  SundialsSolution(std::string code, std::shared_ptr<ReferenceModel> model, double t0, Index size,
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
        levels_(*model_, t0, rtol_) {
    for (auto* vector : {&y_, &tolerances_}) vector->reset(N_VNew_Serial(size, context_));
    matrix_.reset(SUNDenseMatrix(size, size, context_));
    if (!y_ || !tolerances_ || !matrix_) throw no_memory();
    linear_.reset(SUNLinSol_Dense(y_.get(), matrix_.get(), context_));

    auto y = map(y_.get()), tolerances = map(tolerances_.get());
    y.setZero();
    y.head(ny_) = model_->start().y;
    y.segment(ny_, nz_) = model_->start().z;
    tolerances.setOnes();
    tolerances.head(ny_) = options.real("atol") * model_->sizes().y;
    tolerances.segment(ny_, nz_) = options.real("atol") * model_->sizes().z;
  }

  /// The first step is at most this long, none is shorter than 1e-6 of it: far below nothing but a failing evaluation
  /// leads, and without a bound the integrators creep towards the place.
  virtual void limit_first_step(double step) = 0;
  /// One step towards t, which none goes beyond: the state is the end of a step and not interpolated. Negative: failed.
  virtual int step(double t, double& reached) = 0;
  virtual std::string flag_name(int flag) const = 0;
  virtual void count(ReferenceReport& report) const = 0;
  /// Those among the unknowns, none where the form has eliminated them.
  virtual Vector own_multipliers() const { return {}; }

  Error no_memory() const {
    return {ErrorCode::refused, code_ + " could not allocate its memory for " + std::to_string(size_) + " unknowns"};
  }
  void check(int flag, const char* call) const {
    if (flag != 0) throw Error(ErrorCode::refused, std::string(call) + " returned " + flag_name(flag));
  }
  Eigen::Map<Vector> map(N_Vector v) const { return {N_VGetArrayPointer(v), size_}; }

  /// Nothing may be thrown through SUNDIALS. A positive flag asks it for another iterate or a smaller step, a negative
  /// one ends the run. The message is that of the last failure.
  template <class F>
  int guarded(F evaluate) noexcept {
    try {
      if (evaluate()) return 0;
      if (callback_message_.empty()) callback_message_ = "a value is not finite";
      return 1;
    } catch (const CannotEvaluate& error) {
      callback_message_ = error.what();
      return 1;
    } catch (...) {
      callback_message_ = thrown_text();
    }
    return -1;
  }

  std::shared_ptr<ReferenceModel> model_;
  double t_, rtol_;
  long max_steps_;
  Index size_, ny_, nz_, m_;
  SunMessage message_;
  SunContext context_;
  SunOwner<N_Vector> y_, tolerances_;
  SunOwner<SUNMatrix> matrix_;
  SunOwner<SUNLinearSolver> linear_;
  std::vector<Index> roots_;  ///< which root functions ended the last step

 private:
  /// A tenth of the step whose first-order error h^2 |y''| / 2 meets the tolerance, at most a thousandth of the way.
  /// The integrators' own choice, 1/2 over the weighted norm of y', is far smaller at tight tolerances: there the
  /// multipliers of the stabilised form, of which h times only enters the equations, drown in rounding and the first
  /// step never succeeds.
  double first_step(double way) const {
    const auto tolerance = map(tolerances_.get()).head(ny_), y = map(y_.get()).head(ny_);
    const double error =
        (model_->start().ddy.array() / (rtol_ * y.array().abs() + tolerance.array()).max(1e-300)).matrix().norm();
    const double step = 0.1 * std::sqrt(2 / std::max(error / std::sqrt(static_cast<double>(ny_)), 1e-300));
    return std::copysign(std::min(step, 1e-3 * std::abs(way)), way);
  }

  /// The index-1 multipliers at y and z: an integrator's own are only as good as their loose tolerance.
  Vector multipliers(const Vector& y, const Vector& z) const {
    Vector own = own_multipliers();
    if (own.size() != m_) own = Vector::Constant(m_, std::nan(""));
    try {
      return model_->multipliers(t_, y, z, own);
    } catch (...) {
      return own;  // where G has lost rank, or nothing can be evaluated
    }
  }

  void measure() {
    const auto state = map(y_.get());
    try {
      levels_.record(t_, state.head(ny_), state.segment(ny_, nz_));
    } catch (...) {
      // What cannot be evaluated at the end of a good step is left out.
    }
  }

  void show_step() const {
    const auto state = map(y_.get());
    const Vector y = state.head(ny_), z = state.segment(ny_, nz_);
    show({t_, y, model_->momentum(y, z), z, multipliers(y, z)});
  }

  ReferenceReport report(std::string message) const {
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
    count(report);
    levels_.report(code_, report);
    return report;
  }

  std::string failure(int flag) const {
    std::string text = code_ + " stopped at t = " + number_text(t_) + " with " + flag_name(flag);
    if (!message_.text.empty()) text += ": " + message_.text;
    const std::string name = flag_name(flag);
    if (name.find("CONV_FAIL") != std::string::npos || name.find("ERR_FAIL") != std::string::npos)
      text += " Where its tolerances are below rounding, a looser atol helps.";
    if (!callback_message_.empty()) text += " The last evaluation that failed said: " + callback_message_ + ".";
    return text;
  }

  std::string code_;
  OwnLevels levels_;
  double direction_ = 0;
  bool moved_ = false;
  std::string callback_message_;
};

}  // namespace gnomon::kernels
