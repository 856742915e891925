#include "projected_rk/projected_rk_step.hpp"

#include "gnomon/scheme/one_solve_step.hpp"
#include "kernels/common/energy_balance.hpp"
#include "kernels/common/extended_state.hpp"
#include "kernels/runge_kutta/frozen_projection.hpp"
#include "kernels/runge_kutta/manifold_projection.hpp"
#include "kernels/runge_kutta/stage_extrapolation.hpp"
#include "kernels/runge_kutta/symmetric_projection.hpp"
#include "projected_rk/projected_rk_error.hpp"
#include "projected_rk/rk_motion.hpp"
#include "projected_rk/saddle_equations.hpp"

namespace gnomon::kernels {
namespace {

/// Motion: what depends on the mass being constant, ConstantRkMotion, or M(q), ConfigurationRkMotion. The second half
/// of an increment, dv below, is that of v, or that of p.
template <class Motion>
class ProjectedRkStep final : public StepEquations {
  using Inertia = typename Motion::Inertia;

 public:
  ProjectedRkStep(const System& system, const ProjectedRkMethod& method, int estimated, const AlgebraTable& table)
      : system_(&system),
        table_(&table),
        estimated_(estimated),
        applied_(system),
        method_(method),
        n_(system.n()),
        m_(system.m()),
        scales_(system),
        extrapolation_(method.tableau),
        motion_(system),
        accelerations_(system, method.kkt || method.rule.mass_metric) {
    if (method.mirror_sign != 0) {
      symmetric_ = std::make_unique<SymmetricProjection<Inertia>>(system, method.tableau, method.index1,
                                                                  method.rule.mass_metric, method.mirror_sign, scales_);
      systems_.push_back(symmetric_.get());
    } else {
      stages_ = std::make_unique<RkStages<Inertia>>(system, method.tableau, method.index1, scales_);
      systems_.push_back(stages_.get());
    }
    if (!symmetric_ && method.project && (m_ > 0 || method.rule.energy)) {
      if (method.frozen)
        projection_ = std::make_unique<FrozenProjection<Inertia>>(system, method.rule, scales_);
      else
        projection_ = std::make_unique<ManifoldProjection<Inertia>>(system, method.rule, scales_);
      projection_at_ = n_systems();
      systems_.push_back(&projection_->equations());
    }
    if (method.kkt || method.project_acceleration) {
      accelerations_at_ = n_systems();
      systems_.push_back(&accelerations_);
    }
    x_.setZero(systems_.front()->size());
    remembered_.setZero(x_.size() + 2);
    for (Vector* v : {&v0_, &slope_, &q1_, &v1_, &dq_, &dv_, &w_, &work_, &velocity_}) v->setZero(n_);
    for (auto* v : {&fix_q_, &fix_v_}) v->setZero(n_);
    lambda_.setZero(m_);
    no_multipliers_.setZero(m_);
  }

  Index n_systems() const override { return static_cast<Index>(systems_.size()); }
  NonlinearEquations& system(Index k) override { return *systems_[static_cast<std::size_t>(k)]; }

  /// scheme_data = [w | H of the start less the work done until then, in two doubles]
  void prepare(State& z) const override {
    if (method_.index1)
      z.history.resize(x_.size() + 2, 2);  // with the size of the step and its end
    else
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

  Index carried_arguments(const State&) const override { return n_ + 1; }
  void begin(const State& z0, double h) override {
    z0_ = &z0;
    h_ = h;
    system_->velocity(z0.q.value(), z0.p.value(), work_, v0_);
    scales_.update(z0, h);
    if (symmetric_)
      symmetric_->begin(z0, v0_, h);
    else
      stages_->begin(z0, v0_, h);
    feasibility_ = Feasibility::regular;
    left_ = 0;
  }

  void predict(Index solve, VectorRef x) override {
    if (solve == 0) {
      if (!method_.index1 && extrapolate(*z0_, h_, x)) return;
      x.setZero();
      motion_.slope(*z0_, slope_);
      rows().predict(v0_, slope_, z0_->lambda, x);
      if (method_.index1) extrapolate_stages(x);
      if (symmetric_) {
        rows().increments(x, dq_, dv_);
        x.segment(symmetric_->dq(), n_) = dq_;
        x.segment(symmetric_->dv(), n_) = dv_;
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
    if (solve != projection_at_ || feasibility_ != Feasibility::distant) return nullptr;
    return "the energy projection may have no real root: along its directions H turns back before it reaches the "
           "energy of the start; a smaller step has a smaller energy error";
  }

  int estimate_errors(bool on) override {
    error_ = on && estimated_ > 0 ? std::make_unique<ProjectedRkError<Inertia>>(*system_, *table_, method_.tableau,
                                                                                method_.rule, scales_)
                                  : nullptr;
    return estimated_;
  }
  void spare_estimates(bool on) override {
    if (error_) error_->spare(on);
  }
  bool local_error(const State& before, const State& after, VectorRef error_q, VectorRef error_v) override {
    return error_ && led(before, after, h_) && error_->estimate(before, v0_, after, h_, x_, error_q, error_v);
  }

  void finish(State& next) override {
    next.q.add(dq_);
    add(next.q, fix_q_, work_);
    motion_.finish(dv_, fix_v_, next);
    next.lambda = lambda_;
    next.scheme_data.head(n_) = w_;
    next.energy_left = left_;
    next.work += done_;
    if (method_.index1) {
      if (next.last_h == 0) next.history.clear();
      remembered_.head(x_.size()) = x_;
      remembered_[x_.size()] = h_;
      next.advance_time(h_);
      remembered_[x_.size() + 1] = next.t;
      next.history.push(remembered_);
    } else {
      remember(next, h_, x_);
      next.advance_time(h_);
    }
  }

 private:
  /// In place of the values at the start of the step at every stage.
  void extrapolate_stages(VectorRef x) {
    const History& history = z0_->history;
    const Index size = x_.size(), s = method_.tableau.stages, known = z0_->last_h == 0 ? 0 : history.count();
    extrapolation_.begin(h_);
    for (Index age = 0; age < known; ++age)
      if (!extrapolation_.add(history.at(age)[size], history.at(age)[size + 1] - z0_->t)) break;
    if (!extrapolation_.finish()) return;
    x.setZero();
    for (Index i = 0; i < s; ++i)
      for (Index k = 0; k < extrapolation_.count(); ++k)
        rows().add_stage(extrapolation_.weight(i, k), history.at(k / s), s - 1 - k % s, x, i);
  }

  RkStageRows<Inertia>& rows() { return symmetric_ ? symmetric_->rows() : stages_->rows(); }

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
    else
      defect += z0_->energy_left;
    feasibility_ = projection_->begin(*z0_, dq_, dv_, h_, static_cast<double>(defect));
    if (feasibility_ == Feasibility::reached) left_ = projection_->energy_left();
  }

  void begin_accelerations() {
    const double t1 = time_after(*z0_, h_);
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
  AppliedForce applied_;
  ProjectedRkMethod method_;
  Index n_, m_;
  StepScales scales_;
  StageExtrapolation extrapolation_;
  Motion motion_;
  std::unique_ptr<RkStages<Inertia>> stages_;                // or
  std::unique_ptr<SymmetricProjection<Inertia>> symmetric_;  // stages and projections in one
  std::unique_ptr<EndProjection> projection_;
  SaddleEquations accelerations_;
  std::unique_ptr<ProjectedRkError<Inertia>> error_;
  std::vector<NonlinearEquations*> systems_;
  Index projection_at_ = -1, accelerations_at_ = -1;

  const State* z0_ = nullptr;
  double h_ = 0;
  Feasibility feasibility_ = Feasibility::regular;
  double left_ = 0;  ///< State::energy_left
  Work done_;        ///< in this step, on the system
  Vector x_, remembered_, v0_, slope_, q1_, v1_, dq_, dv_, w_, lambda_, no_multipliers_, work_, velocity_;
  VectorOf<Extended> fix_q_, fix_v_;
};

}  // namespace

std::unique_ptr<StepEquations> projected_rk_step(const System& system, const ProjectedRkMethod& method, int estimated,
                                                 const AlgebraTable& table) {
  if (system.parts().mass)
    return std::make_unique<ProjectedRkStep<ConfigurationRkMotion>>(system, method, estimated, table);
  return std::make_unique<ProjectedRkStep<ConstantRkMotion>>(system, method, estimated, table);
}

}  // namespace gnomon::kernels
