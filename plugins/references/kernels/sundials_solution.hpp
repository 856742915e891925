#pragma once
/// \file
/// What the references that run an integrator of SUNDIALS share: the state (y, z, ...), of mechanical systems
/// (q, v, ...), and its tolerances, the walk from one output time to the next, evaluations that may fail, and the
/// report.

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thrown.hpp"
#include "gnomon/run/reference.hpp"
#include "gnomon/run/stepwise_reference.hpp"
#include "gnomon/sundials/sun_linear_system.hpp"
#include "references/kernels/own_levels.hpp"

namespace gnomon::kernels {

/// Options that every one of them has; `coefficient` is the default of the Newton test's.
OptionSpecs sundials_options(double coefficient);

/// A running solution. Owns its SUNDIALS context, the state and the linear algebra; a derived class owns the
/// integrator.
class SundialsSolution : public ReferenceSolution, public StepwiseReference {
 public:
  ReferenceReport advance_to(double t) final;

 protected:
  /// `code` names the integrator, `size` is the length of the state.
  SundialsSolution(std::string code, std::shared_ptr<ReferenceModel> model, double t0, Index size,
                   const Options& options);
  /// A dense matrix, unless a derived class has linear algebra of its own.
  void use_dense_matrix();

  /// The first step is at most this long, none is shorter than 1e-6 of it: far below nothing but a failing evaluation
  /// leads, and without a bound the integrators creep towards the place.
  virtual void limit_first_step(double step) = 0;
  /// One step towards t, which none goes beyond: the state is the end of a step and not interpolated. Negative: failed.
  virtual int step(double t, double& reached) = 0;
  virtual std::string flag_name(int flag) const = 0;
  /// A text that SUNDIALS has allocated, which is freed.
  static std::string taken_text(char* allocated) {
    return std::unique_ptr<char, decltype(&std::free)>(allocated, &std::free).get();
  }
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
  /// one ends the run, as it does where the run is to stop. The message is that of the last failure.
  template <class F>
  int guarded(F evaluate) noexcept {
    try {
      if (stopped()) return -1;
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
  double first_step(double way) const;
  /// The index-1 multipliers at y and z: an integrator's own are only as good as their loose tolerance.
  Vector multipliers(const Vector& y, const Vector& z) const;
  void count_turns();
  void measure();
  void show_step() const;
  ReferenceReport report(std::string message) const;
  std::string failure(int flag) const;

  std::string code_;
  std::vector<int> turns_;
  Vector angles_;
  OwnLevels levels_;
  double direction_ = 0;
  bool moved_ = false;
  std::string callback_message_;
};

}  // namespace gnomon::kernels
