/// \file
/// projected-rk: an implicit Runge-Kutta method in accelerations, then projections onto the constraints and the energy.
///
///     stages           M W_i + grad U(Q_i,t_i) + G(Q_i,t_i)^T Lambda_i - F(Q_i,V_i,t_i) = 0,  t_i = t0 + c_i h,
///                      and  g(Q_i,t_i) = 0  or  its second derivative along the motion, G W_i + b(Q_i,V_i,t_i) = 0
///     end              q^ = q0 + h v0 + h^2 b^T A W,  v^ = v0 + h b^T W
///     projection       (q^, v^) -> (q1, v1) on g = 0 (p), G v + g_t = 0 (v), H = H* (e), all at t1, along the
///                      directions at (q1, v1) (manifold_projection.hpp) or at (q^, v^) (frozen_projection.hpp); or
///                      symmetric: p and v, with the same multipliers at the start of the stages
///                      (symmetric_projection.hpp)
///     accelerations    w^ = R w0 + d^T W, lambda^ = R lambda0 + d^T Lambda, then w^ -> w1 on G w + b(q1,v1,t1) = 0
///                      (a); or both from the equations of motion at (q1, v1, t1) (carry=kkt), where (a) is implied
///     work             E = h sum_i b_i [F_i.V_i + U_t(Q_i,t_i) + Lambda_i.g_t(Q_i,t_i)], booked in every step
///
/// b = v^T (Hess g) v + 2 G_t v + g_tt, and F is the force outside the potential (Q in System). d^T = b^T A^-1,
/// R = 1 - sum d_i (R = -1 for Gauss with three stages: the carried part alternates for ever). H* is the energy at the
/// start of the step plus E (pvae-n, pve) or at the start of the run plus every E since (pvae-0): since dH/dt = F.v +
/// U_t + lambda.g_t and the quadrature E has the order of the method, so has the projection (stage_work.hpp). Without F
/// and time E = 0.
///
/// A mass M(q): all of it in (q, p), for Hamilton's equations with T = p.M(q)^-1 p/2. Their method is that of q' = T_p,
/// p' = -(T_q + grad U + G^T lambda - F) (projected_rk/configuration_stages.hpp), which has the order that a constant
/// mass gives; the velocity level is G T_p + g_t = 0, the metric M that at the place of the direction
/// (projected_rk/configuration_projection.hpp), the acceleration w is v' = T_pq v + T_pp p', and its equation
///
///     M w + G^T lambda = M T_pq v - T_q - grad U + F,    G w + b = 0
///
/// Source: Wei, Deng, Li, Wang, Appl. Math. Mech. 37 (2016), (10), (11), (19), (23)-(30): tableau=gauss stages=3
/// index=3 metric=euclidean carry=paper, and without F and time. The defaults are better: stages of index 1 keep the
/// order 2s of the Gauss methods in q, v and lambda, where index 3 leaves 2; the mass metric does not depend on units;
/// and carry=kkt satisfies the equation of motion that the paper's carry leaves violated by O(h^2).
/// projection=symmetric makes the Gauss methods symmetric on the constraints: Hairer, BIT 40 (2000).
///
/// Local errors, with stages of index 1 and projections of positions and velocities: from a Gauss method of higher order
/// (projected_rk/projected_rk_error.hpp).
///
/// Cost: one system of s (n + m) unknowns, one of 2 (n + m) (+ 1) (frozen: 2 m (+ 1), dense) and one linear of n + m a
/// step; the symmetric projection joins the first two in s (n + m) + 4 n + 2 m unknowns; the energy projection
/// factorises a dense m x m matrix. With M(q) the stages have s (2 n + m) unknowns, and all matrices are dense.

#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/options.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/scheme/one_solve_step.hpp"
#include "kernels/common/extended_state.hpp"
#include "kernels/common/ledger.hpp"
#include "kernels/runge_kutta/saddle_equations.hpp"
#include "projected_rk/configuration_motion.hpp"
#include "projected_rk/constant_motion.hpp"
#include "projected_rk/projected_rk_error.hpp"

namespace {

using namespace gnomon;

struct Method {
  kernels::RkTableau tableau;
  bool index1 = true;
  bool project = true;  ///< onto the position constraint, and what the rule adds
  kernels::ProjectionRule rule;
  bool frozen = false;     ///< directions of the projection at (q^, v^)
  double mirror_sign = 0;  ///< symmetric projection: sign of its second half; else 0
  bool project_acceleration = false;
  bool from_start = false;  ///< H* counts from the start of the run
  bool kkt = true;
};

/// Motion: what depends on the mass being constant, ConstantRkMotion, or M(q), ConfigurationRkMotion. The second half
/// of an increment, dv below, is that of v, or that of p.
template <class Motion>
class ProjectedRkStep final : public StepEquations {
 public:
  /// estimated: the order of the estimates of local errors, 0 without them
  ProjectedRkStep(const System& system, const Method& method, int estimated, const AlgebraTable& table)
      : system_(&system),
        table_(&table),
        estimated_(estimated),
        applied_(system),
        method_(method),
        n_(system.n()),
        m_(system.m()),
        scales_(system),
        motion_(system),
        accelerations_(system, method.kkt || method.rule.mass_metric) {
    if (method.mirror_sign != 0) {
      symmetric_ = std::make_unique<typename Motion::Symmetric>(system, method.tableau, method.index1,
                                                                method.rule.mass_metric, method.mirror_sign, scales_);
      systems_.push_back(symmetric_.get());
    } else {
      stages_ = std::make_unique<typename Motion::Stages>(system, method.tableau, method.index1, scales_);
      systems_.push_back(stages_.get());
    }
    if (!symmetric_ && method.project && (m_ > 0 || method.rule.energy)) {
      if (method.frozen)
        projection_ = std::make_unique<typename Motion::Frozen>(system, method.rule, scales_);
      else
        projection_ = std::make_unique<typename Motion::AtEnd>(system, method.rule, scales_);
      projection_at_ = n_systems();
      systems_.push_back(&projection_->equations());
    }
    if (method.kkt || method.project_acceleration) {
      accelerations_at_ = n_systems();
      systems_.push_back(&accelerations_);
    }
    x_.setZero(systems_.front()->size());
    for (Vector* v : {&v0_, &slope_, &q1_, &v1_, &dq_, &dv_, &w_, &work_, &velocity_}) v->setZero(n_);
    for (auto* v : {&fix_q_, &fix_v_}) v->setZero(n_);
    lambda_.setZero(m_);
    no_multipliers_.setZero(m_);
  }

  Index n_systems() const override { return static_cast<Index>(systems_.size()); }
  NonlinearEquations& system(Index k) override { return *systems_[static_cast<std::size_t>(k)]; }

  /// scheme_data = [w | H of the start less the work done until then, in two doubles]
  void prepare(State& z) const override {
    z.history.resize(x_.size(), predictor_depth);
    Vector force(n_), w(n_);
    Vector values(system_->constraint_pattern().nonzeros());
    system_->constraint_jacobian(z.t, z.q.value(), values);
    multiply_transposed(system_->constraint_pattern(), values, z.lambda, force);
    system_->potential_gradient(z.t, z.q.value(), w);
    force = -(force + w);
    if (const Force* applied = system_->parts().force) {
      Vector v(n_);
      system_->velocity(z.q.value(), z.p.value(), w, v);
      applied->force(z.t, z.q.value(), v, w);
      force += w;
    }
    motion_.acceleration(z, force, w);
    z.scheme_data.resize(n_ + 2);
    z.scheme_data.head(n_) = w;
    const long double h0 = energy(z, force, w) - z.work.total();
    z.scheme_data[n_] = static_cast<double>(h0);
    z.scheme_data[n_ + 1] = static_cast<double>(h0 - z.scheme_data[n_]);
  }

  void begin(const State& z0, double h) override {
    z0_ = &z0;
    h_ = h;
    system_->velocity(z0.q.value(), z0.p.value(), work_, v0_);
    scales_.update(z0, h);
    if (symmetric_)
      symmetric_->begin(z0, v0_, h);
    else
      stages_->begin(z0, v0_, h);
    feasibility_ = kernels::Feasibility::regular;
  }

  void predict(Index solve, VectorRef x) override {
    if (solve == 0) {
      if (extrapolate(*z0_, h_, x)) return;
      x.setZero();
      motion_.slope(*z0_, slope_);
      rows().predict(v0_, slope_, z0_->lambda, x);
      if (symmetric_) {
        x.segment(symmetric_->dq(), n_) = h_ * v0_;
        x.segment(symmetric_->dv(), n_) = h_ * slope_;
      }
    } else {
      x.setZero();
    }
  }

  Next accept(Index solve, const ConstVectorRef& x) override {
    if (solve == 0) {
      take_stages(x);
      if (projection_at_ > 0) begin_projection();
    } else if (solve == projection_at_) {
      projection_->corrections(x, fix_q_, fix_v_);
    } else {
      w_ += x.head(n_);
      if (method_.kkt) lambda_ += x.tail(m_);
    }
    if (solve + 1 == accelerations_at_) begin_accelerations();
    return Next::advance;
  }
  const char* diagnosis(Index solve) const override {
    if (solve != projection_at_ || feasibility_ != kernels::Feasibility::distant) return nullptr;
    return "the energy projection may have no real root: along its directions H turns back before it reaches the "
           "energy of the start; a smaller step has a smaller energy error";
  }

  int estimate_errors(bool on) override {
    error_ = on && estimated_ > 0 ? std::make_unique<kernels::ProjectedRkError<Motion>>(
                                        *system_, *table_, method_.tableau, method_.rule, scales_)
                                  : nullptr;
    return estimated_;
  }
  bool local_error(const State& before, const State& after, VectorRef error_q, VectorRef error_v) override {
    return error_ && kernels::led(before, after, h_) && error_->estimate(before, v0_, after, h_, x_, error_q, error_v);
  }

  void finish(State& next) override {
    next.q.add(dq_);
    kernels::add(next.q, fix_q_, work_);
    motion_.finish(dv_, fix_v_, next);
    next.lambda = lambda_;
    next.scheme_data.head(n_) = w_;
    next.work += done_;
    remember(next, h_, x_);
    next.advance_time(h_);
  }

 private:
  typename Motion::StageRows& rows() { return symmetric_ ? symmetric_->rows() : stages_->rows(); }

  /// q^, v^, w^ and lambda^, and the work of the step
  void take_stages(const ConstVectorRef& x) {
    x_ = x;
    w_ = method_.tableau.r * z0_->scheme_data.head(n_);
    lambda_ = method_.tableau.r * z0_->lambda;
    rows().increments(x, dq_, dv_);
    rows().carry(x, w_, lambda_);
    if (symmetric_) {
      dq_ = x.segment(symmetric_->dq(), n_);
      dv_ = x.segment(symmetric_->dv(), n_);
    }
    fix_q_.setZero();
    fix_v_.setZero();
    if (rows().works()) done_ = rows().work(x);
  }

  void begin_projection() {
    long double defect = -done_.total();
    if (method_.from_start)
      defect += energy(*z0_, work_, velocity_) - z0_->work.total() - z0_->scheme_data[n_] - z0_->scheme_data[n_ + 1];
    feasibility_ = projection_->begin(*z0_, dq_, dv_, h_, static_cast<double>(defect));
  }

  void begin_accelerations() {
    const double t1 = kernels::time_after(*z0_, h_);
    q1_ = ((dq_ + fix_q_.cast<double>()) + z0_->q.tail()) + z0_->q.value();
    motion_.end(*z0_, dv_, fix_v_, q1_, v1_);
    if (method_.kkt) {
      system_->potential_gradient(t1, q1_, work_);
      work_ = -work_;
      if (applied_.active()) work_ += applied_(t1, q1_, v1_);
      motion_.add_inertia(q1_, v1_, work_);
    } else if (method_.rule.mass_metric) {
      motion_.weigh(q1_, w_, work_);
    } else {
      work_ = w_;
    }
    accelerations_.begin(t1, q1_, v1_, work_, w_, method_.kkt ? lambda_ : no_multipliers_);
  }

  /// H of the compensated state, as the monitor measures it; `gradient` and `v` are scratch of length n.
  long double energy(const State& z, Vector& gradient, Vector& v) const {
    const long double kinetic = motion_.kinetic(z, gradient, v);
    return kinetic + system_->potential_compensated(z.t, z.q.value(), z.q.tail(), gradient);
  }

  const System* system_;
  const AlgebraTable* table_;
  int estimated_;
  kernels::AppliedForce applied_;
  Method method_;
  Index n_, m_;
  kernels::StepScales scales_;
  Motion motion_;
  std::unique_ptr<typename Motion::Stages> stages_;        // or
  std::unique_ptr<typename Motion::Symmetric> symmetric_;  // stages and projections in one
  std::unique_ptr<kernels::EndProjection> projection_;
  kernels::SaddleEquations accelerations_;
  std::unique_ptr<kernels::ProjectedRkError<Motion>> error_;
  std::vector<NonlinearEquations*> systems_;
  Index projection_at_ = -1, accelerations_at_ = -1;

  const State* z0_ = nullptr;
  double h_ = 0;
  kernels::Feasibility feasibility_ = kernels::Feasibility::regular;
  Work done_;  ///< in this step, on the system
  Vector x_, v0_, slope_, q1_, v1_, dq_, dv_, w_, lambda_, no_multipliers_, work_, velocity_;
  VectorOf<Extended> fix_q_, fix_v_;
};

class ProjectedRk final : public MechanicalScheme {
 public:
  explicit ProjectedRk(const AlgebraTable& algebras) : algebras_(&algebras) {}

  std::string name() const override { return "projected-rk"; }
  std::string description() const override {
    return "implicit Runge-Kutta methods of any order, projected onto constraints and energy";
  }
  std::string source() const override {
    return "Wei, Deng, Li, Wang, Appl. Math. Mech. 37 (2016), eqs. (10), (11), (19), (23)-(30); symmetric projection: "
           "Hairer, BIT 40 (2000); index 1, mass metric and frozen directions are additions";
  }
  OptionSpecs options() const override {
    return {OptionSpec::choice("tableau", {"gauss", "radau-iia", "lobatto-iiic"}, "Runge-Kutta coefficients"),
            OptionSpec::integer("stages", 3, 1, 5, "number of stages; lobatto-iiic has at least 2"),
            OptionSpec::choice("index", {"1", "3"},
                               "what holds at the stages: the second derivative of g (1) or g (3, the paper)"),
            OptionSpec::choice("projection", {"pv", "none", "p", "pve", "pva", "pvae-n", "pvae-0", "symmetric"},
                               "levels projected: position, velocity, acceleration, energy (of the step's start: pve, "
                               "pvae-n; of the run's: pvae-0; plus the work done since); symmetric: position and "
                               "velocity, mirrored at both ends "
                               "of the step"),
            OptionSpec::choice("directions", {"end", "frozen"},
                               "where the directions of the projections are taken: at its result, stacked with it (the "
                               "paper), or before it, with 2 m + 1 unknowns; not for symmetric"),
            OptionSpec::choice("signs", {"auto", "plus-plus", "plus-minus"},
                               "signs of the two halves of the symmetric projection: plus-plus for index 1 and for an "
                               "even number of stages of index 3, plus-minus for an odd one; the others are singular"),
            OptionSpec::choice("metric", {"mass", "euclidean"}, "metric of the projections; the paper: euclidean"),
            OptionSpec::choice("carry", {"kkt", "paper"},
                               "accelerations and multipliers at the end of a step: from the equations of motion, or "
                               "extrapolated from the stages")};
  }
  Promises promises() const override {
    Promises p;
    p.order = 6;
    p.energy = p.position = p.hidden = p.symmetric = p.variable_steps = true;
    return p;
  }
  Binding bind(const System& system, const Options& options) const override {
    require_no_friction(*this, system, "the accelerations at the end of a step are linear in the multipliers");
    const Method method = method_of(options);
    Promises promised;
    promised.order = method.index1 ? method.tableau.order : order_of_index_3(method, system);
    promised.position = method.project || (!method.index1 && method.tableau.stiffly_accurate);
    promised.hidden = method.project && method.rule.velocity;
    promised.variable_steps = promised.hidden && method.index1;
    promised.energy = method.project && method.rule.energy;
    promised.symmetric = method.mirror_sign != 0 || (!method.project && method.tableau.symmetric && method.index1);
    promised = ledger_promises(system, promised);
    const int estimated = promised.variable_steps ? promised.order : 0;
    if (system.parts().mass)
      return {std::make_unique<ProjectedRkStep<kernels::ConfigurationRkMotion>>(system, method, estimated, *algebras_),
              promised};
    return {std::make_unique<ProjectedRkStep<kernels::ConstantRkMotion>>(system, method, estimated, *algebras_),
            promised};
  }

 private:
  Method method_of(const Options& options) const {
    const long stages = options.integer("stages");
    if (options.is("tableau", "lobatto-iiic") && stages < 2)
      throw Error(ErrorCode::bad_value, "scheme projected-rk: option stages = " + std::to_string(stages) +
                                            ", but tableau lobatto-iiic has at least 2 stages");
    Method method;
    method.tableau = options.is("tableau", "gauss")       ? kernels::gauss_tableau(stages)
                     : options.is("tableau", "radau-iia") ? kernels::radau_iia_tableau(stages)
                                                          : kernels::lobatto_iiic_tableau(stages);
    method.index1 = options.is("index", "1");
    method.kkt = options.is("carry", "kkt");
    const std::string& projection = options.choice("projection");
    method.project = projection != "none";
    method.rule.velocity = projection != "p";
    method.rule.energy = projection.rfind("pve", 0) == 0 || projection.rfind("pvae", 0) == 0;
    method.rule.mass_metric = options.is("metric", "mass");
    method.project_acceleration = projection.rfind("pva", 0) == 0;
    method.from_start = projection == "pvae-0";
    method.frozen = options.is("directions", "frozen");
    if (projection == "symmetric")
      method.mirror_sign = mirror_sign(method, options);
    else if (!options.is("signs", "auto"))
      throw Error(ErrorCode::bad_value, "scheme projected-rk: signs = " + options.choice("signs") +
                                            " is for projection = symmetric, but projection = " + projection);
    if (method.frozen && !method.project)
      throw Error(ErrorCode::bad_value,
                  "scheme projected-rk: directions = frozen is for a projection, but projection = none");
    return method;
  }

  /// A displacement of the start arrives at the end times R(infinity): (-1)^s with stages of index 3, else 1.
  static double mirror_sign(const Method& method, const Options& options) {
    const auto refuse = [](const std::string& why) {
      return Error(ErrorCode::bad_value, "scheme projected-rk: projection = symmetric " + why);
    };
    if (!method.tableau.symmetric)
      throw refuse("needs a symmetric tableau, tableau = " + options.choice("tableau") + " is not: expected gauss");
    if (method.frozen) throw refuse("has its directions at both ends of the step: directions = frozen does not apply");
    const std::string stages = std::to_string(method.tableau.stages);
    const double sign = method.index1 || method.tableau.stages % 2 == 0 ? 1 : -1;
    if (!options.is("signs", "auto") && options.is("signs", sign > 0 ? "plus-minus" : "plus-plus"))
      throw refuse("with index = " + options.choice("index") + " and stages = " + stages + " is singular for signs = " +
                   options.choice("signs") + ": what the first half adds the second takes away, expected " +
                   (sign > 0 ? "plus-plus" : "plus-minus"));
    return sign;
  }

  /// Measured, for up to three stages (symmetric projection: five); 0 promises nothing. In the mass metric the error of
  /// the multipliers drops out of the projection; stiffly accurate methods keep their full order then.
  static int order_of_index_3(const Method& method, const System& system) {
    const int s = static_cast<int>(method.tableau.stages);
    if (method.mirror_sign != 0) return s + s % 2;
    if (!method.project || !method.rule.velocity || s > 3) return 0;
    const Mass& mass = system.mass();
    const Vector& entries = mass.diagonal_entries();
    const bool mass_metric = method.rule.mass_metric ||
                             (!system.parts().mass && mass.is_diagonal() && entries.maxCoeff() == entries.minCoeff());
    if (method.tableau.stiffly_accurate) return mass_metric ? method.tableau.order : method.tableau.order - s;
    return mass_metric ? s : s - 1;
  }

  const AlgebraTable* algebras_;
};

}  // namespace

GNOMON_PLUGIN(projected_rk) {
  registrar.add(std::make_unique<ProjectedRk>(registrar.algebras()));
}
