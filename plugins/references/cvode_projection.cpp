/// \file
/// cvode-projection: the underlying ordinary differential equation by CVODE's BDF, projected after every step,
///
///     y = (q, v),   v = M^-1 p
///     q' = v
///     v' = a(q, v, t)   from   [M G^T; G 0] (a; lambda) = (Q - grad U; -(v^T (Hess g) v + 2 G_t v + g_tt))
///
/// and the projection onto the constraints, orthogonal in the mass metric,
///
///     min |dq|_M  with  g(q + dq) = 0:        dq = -M^-1 G^T A^-1 g, repeated,        A = G M^-1 G^T
///     min |dv|_M  with  G v1 + g_t = 0:       dv = -M^-1 G^T A^-1 (G v + g_t)         at q + dq
///
/// The estimated local error is projected onto the tangent space of the same two levels: G e_q = 0 and
/// G e_v + d(G v)/dq e_q = 0. The part that the projection removes is no error of the step.
///
/// Eich, Convergence results for a coordinate projection method applied to mechanical systems with algebraic
/// constraints, SIAM J. Numer. Anal. 30 (1993) 1467-1482; in CVODE since version 5.3 (CVodeSetProjFn).
#include <cvode/cvode.h>

#include <Eigen/Cholesky>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/run/reference_pieces.hpp"
#include "gnomon/start/consistency.hpp"
#include "references/kernels/graded_reference.hpp"
#include "references/kernels/sundials_solution.hpp"

namespace {

using gnomon::Index;
using gnomon::Matrix;
using gnomon::ReferenceReport;
using gnomon::SunReal;
using gnomon::System;
using gnomon::Vector;
using gnomon::VectorRef;

/// w -> w + M^-1 G^T A^-1 (c - G w), the nearest vector with G w = c in the mass metric.
class TangentProjection {
 public:
  explicit TangentProjection(const System& system)
      : system_(system), values_(system.constraint_pattern().nonzeros()), lifted_(system.n(), system.m()) {}

  /// Throws CannotEvaluate where G has lost rank.
  void factor(double t, const Vector& q) {
    system_.constraint_jacobian(t, q, values_);
    jacobian_ = to_dense(system_.constraint_pattern(), values_);
    Vector row(system_.n());
    for (Index i = 0; i < system_.m(); ++i) {
      row = jacobian_.row(i);
      system_.mass().solve(row, lifted_.col(i));
    }
    factor_.compute(jacobian_ * lifted_);
    if (factor_.info() != Eigen::Success) throw gnomon::CannotEvaluate("G has lost rank, nothing can be projected");
  }
  /// M^-1 G^T A^-1 c
  Vector step(const Vector& c) const { return lifted_ * factor_.solve(c); }
  const Matrix& jacobian() const { return jacobian_; }

 private:
  const System& system_;
  Vector values_;
  Matrix jacobian_, lifted_;
  Eigen::LLT<Matrix> factor_;
};

class CvodeSolution final : public gnomon::kernels::SundialsSolution {
 public:
  /// Ends where one of `roots` falls through zero, too.
  CvodeSolution(const gnomon::ProblemInstance& instance, const gnomon::Options& options, gnomon::RootFunctions roots)
      : SundialsSolution("CVODE", std::make_shared<gnomon::kernels::MechanicalModel>(instance), instance.t0,
                         2 * instance.q0.size(), options),
        system_(shared_system(instance.model)),
        n_(system_->n()),
        memory_(CVodeCreate(CV_BDF, context_)),
        tangent_(*system_),
        root_functions_(std::move(roots)) {
    void* cvode = memory_.get();
    if (!cvode) throw no_memory();
    use_dense_matrix();
    GNOMON_CAPTURE_MESSAGES(CVodeSetErrHandlerFn, cvode, context_, &message_);
    check(CVodeSetUserData(cvode, this), "CVodeSetUserData");
    check(CVodeInit(cvode, right_hand_side, t_, y_.get()), "CVodeInit");
    check(CVodeSVtolerances(cvode, rtol_, tolerances_.get()), "CVodeSVtolerances");
    check(CVodeSetLinearSolver(cvode, linear_.get(), matrix_.get()), "CVodeSetLinearSolver");
    check(CVodeSetNonlinConvCoef(cvode, options.real("nonlinear-coefficient")), "CVodeSetNonlinConvCoef");
    if (m_ > 0) check(CVodeSetProjFn(cvode, projection), "CVodeSetProjFn");
    if (root_functions_.count == 0) return;
    const auto count = static_cast<int>(root_functions_.count);
    std::vector<int> falling(static_cast<std::size_t>(count), -1);
    check(CVodeRootInit(cvode, count, root_callback), "CVodeRootInit");
    check(CVodeSetRootDirection(cvode, falling.data()), "CVodeSetRootDirection");
    check(CVodeSetNoInactiveRootWarn(cvode), "CVodeSetNoInactiveRootWarn");
  }

 private:
  struct FreeCvode {
    void operator()(void* memory) const { CVodeFree(&memory); }
  };

  void limit_first_step(double step) override {
    CVodeSetInitStep(memory_.get(), step);
    CVodeSetMinStep(memory_.get(), gnomon::thresholds::least_step_of_first * std::abs(step));
  }
  int step(double t, double& reached) override {
    CVodeSetStopTime(memory_.get(), t);
    const int flag = CVode(memory_.get(), t, y_.get(), &reached, CV_ONE_STEP);
    if (flag != CV_ROOT_RETURN) return flag;
    std::vector<int> found(static_cast<std::size_t>(root_functions_.count));
    CVodeGetRootInfo(memory_.get(), found.data());
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i] != 0) roots_.push_back(static_cast<Index>(i));
    return flag;
  }
  std::string flag_name(int flag) const override { return taken_text(CVodeGetReturnFlagName(flag)); }
  void count(ReferenceReport& report) const override {
    long differences = 0;
    CVodeGetNumSteps(memory_.get(), &report.steps);
    CVodeGetNumRhsEvals(memory_.get(), &report.residual_evaluations);
    CVodeGetNumLinRhsEvals(memory_.get(), &differences);
    report.residual_evaluations += differences;
    CVodeGetNumJacEvals(memory_.get(), &report.jacobian_evaluations);
  }

  static int right_hand_side(SunReal t, N_Vector y, N_Vector yp, void* self) {
    auto& me = *static_cast<CvodeSolution*>(self);
    return me.guarded([&] {
      const Index n = me.n_;
      const auto in = me.map(y);
      if (!in.allFinite()) return false;
      const Vector q = in.head(n), v = in.segment(n, n);
      Vector a, lambda;
      acceleration(*me.system_, t, q, v, a, lambda);
      auto out = me.map(yp);
      out.head(n) = v;
      out.segment(n, n) = a;
      return out.allFinite();
    });
  }

  static int root_callback(SunReal t, N_Vector y, SunReal* values, void* self) {
    auto& me = *static_cast<CvodeSolution*>(self);
    return me.guarded([&] {
      const auto x = me.map(y);
      const Vector q = x.head(me.n_), v = x.segment(me.n_, me.n_);
      Eigen::Map<Vector> out(values, me.root_functions_.count);
      me.root_functions_.evaluate(t, q, me.model_->momentum(q, v), me.own_multipliers(), out);
      return out.allFinite();
    });
  }

  static int projection(SunReal t, N_Vector y, N_Vector correction, SunReal tolerance, N_Vector error, void* self) {
    auto& me = *static_cast<CvodeSolution*>(self);
    return me.guarded([&] {
      const Index n = me.n_;
      const auto in = me.map(y);
      const Vector q0 = in.head(n), v0 = in.segment(n, n);
      Vector q = q0, v = v0;
      me.project_position(t, tolerance, q);
      Vector g(me.m_);
      me.system_->constraint_velocity(t, q, v, g);
      v -= me.tangent_.step(g);
      auto out = me.map(correction);
      out.head(n) = q - q0;
      out.segment(n, n) = v - v0;
      if (error) me.project_error(t, q, v, me.map(error));
      return out.allFinite();
    });
  }

  /// Newton to the rounding of g: what remains after the last correction is not smaller any more. Throws CannotEvaluate
  /// when the last correction is above the integrator's tolerance.
  void project_position(double t, double tolerance, Vector& q) {
    constexpr int most_iterations = 12;
    const Vector weight = (rtol_ * q.array().abs() + map(tolerances_.get()).head(n_).array()).inverse();
    double before = std::numeric_limits<double>::infinity();
    Vector g(m_);
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      tangent_.factor(t, q);
      system_->constraints(t, q, g);
      const Vector dq = tangent_.step(g);
      const double now = dq.cwiseProduct(weight).norm() / std::sqrt(static_cast<double>(n_));
      if (!(now < before / 2)) break;
      q -= dq;
      before = now;
      if (now == 0) break;
    }
    if (!(before <= tolerance)) throw gnomon::CannotEvaluate("the projection onto g = 0 does not converge");
  }

  /// Constraints of velocities leave errors of positions as they are.
  /// e_q -= M^-1 G^T A^-1 G e_q,   e_v -= M^-1 G^T A^-1 (G e_v + d(G v)/dq e_q)
  void project_error(double t, const Vector& q, const Vector& v, Eigen::Map<Vector> error) {
    Vector e_q = error.head(n_), e_v = error.segment(n_, n_);
    Vector seen = tangent_.jacobian() * e_q;
    seen.tail(system_->parts().n_velocity_constraints()).setZero();
    e_q -= tangent_.step(seen);
    Vector turning(system_->constraint_pattern().nonzeros()), turned(m_);
    system_->constraint_jacobian_derivative(t, q, v, turning);
    multiply(system_->constraint_pattern(), turning, e_q, turned);
    e_v -= tangent_.step(tangent_.jacobian() * e_v + turned);
    error.head(n_) = e_q;
    error.segment(n_, n_) = e_v;
  }

  std::shared_ptr<const System> system_;
  Index n_;
  std::unique_ptr<void, FreeCvode> memory_;
  TangentProjection tangent_;
  gnomon::RootFunctions root_functions_;
};

class CvodeProjection final : public gnomon::Reference {
 public:
  std::string name() const override { return "cvode-projection"; }
  std::string description() const override {
    return "CVODE on the underlying ODE (multipliers eliminated), projected onto both constraint levels in the mass "
           "metric";
  }
  gnomon::OptionSpecs options() const override {
    return gnomon::kernels::sundials_options(gnomon::thresholds::reference_newton);
  }
  std::unique_ptr<gnomon::ReferenceSolution> start(const gnomon::ProblemInstance& instance,
                                                   const gnomon::Options& options) const override {
    const auto refuse = [&](const char* why) {
      throw gnomon::Error(gnomon::ErrorCode::refused,
                          "reference cvode-projection: system " + instance.model->name() + " " + why);
    };
    const System* system = instance.model->mechanical();
    if (!system) refuse("is an overdetermined DAE, and a mechanical system is expected; use ida-index1 or ida-ggl");
    gnomon::kernels::check_reference_fits(instance, name(), 0);
    if (system->parts().obstacles) refuse("has obstacles c(q) >= 0, which it cannot hold; use ida-index1 or ida-ggl");
    if (system->parts().friction)
      refuse("has friction that depends on the multipliers, which it cannot eliminate; ida-index1 and ida-ggl take it");
    if (system->parts().mass)
      refuse(
          "has a mass matrix that depends on q, and a constant one is expected; use "
          "ida-index1 or ida-ggl");
    return gnomon::kernels::graded_reference(options, [instance](const gnomon::Options& set) {
      return gnomon::bordered_reference(instance, {}, [set](const gnomon::ProblemInstance& piece, const auto& roots) {
        return std::make_unique<CvodeSolution>(piece, set, roots);
      });
    });
  }
};

}  // namespace

GNOMON_PLUGIN(cvode_projection) {
  registrar.add(std::unique_ptr<gnomon::Reference>(new CvodeProjection));
}
