#pragma once
/// \file
/// One step of a symplectic Euler method for an overdetermined DAE: one or two tables of terms, solved in order.
///
/// State: q = y, p = p(y,z), scheme_data = z. The start value of Newton's method matters more than elsewhere: from Z =
/// z0, y1 = y0 it may end, without any sign of failure, at another root. So unknowns are extrapolated in units of their
/// powers of h (dZ/h, dy/h, psi), from the slopes of the consistent start in the first step.
///
/// Time is a coordinate beside y, t' = 1: every term is taken at the time of its y, f(y0,Z) at t0, r(y1,z1,psi), g(y1)
/// and h(y1,z1) = g_y v + g_t at t1. That is the same method for the system of (y,t), with its order and its adjoint.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/overdetermined_in_time.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/scheme/scheme.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "kernels/common/energy_balance.hpp"
#include "kernels/euler/euler_diagnosis.hpp"
#include "kernels/euler/euler_tangent.hpp"
#include "kernels/euler/term_equations.hpp"

namespace gnomon::kernels {

class EulerStep final : public StepEquations {
 public:
  EulerStep(std::shared_ptr<const Model> model, const EulerTables& tables)
      : start_(model),
        end_(start_.moves() ? OverdeterminedInTime(model) : start_),
        system_(&start_.system()),
        first_(tables.first),
        second_(tables.second),
        booked_at_start_(tables.booked_at_start),
        point_(*system_),
        tangent_(*system_) {
    if (const System* system = model->mechanical(); system && system->parts().time_dependence) {
      moving_ = shared_system(model);
      rest_.setZero(system->n());
      rate_.setZero(system->m());
    }
    const OverdeterminedTraits& traits = system_->traits();
    for (const TermTable& table : tables.systems) {
      equations_.push_back(std::make_unique<TermEquations>(*system_, end_.system(), point_, table));
      unknowns_.push_back(table.unknowns);
      start_of_.push_back(size_);
      size_ += equations_.back()->size();
    }
    shape_.setZero(size_);
    guess_.setZero(size_);
    dp_.setZero(traits.nz);
    dy_.setZero(traits.ny);
    hidden_z_.setZero(system_->pattern(Term::hidden, Argument::z).nonzeros());
    r_psi_.setZero(system_->pattern(Term::multiplier_force, Argument::psi).nonzeros());
    p_z_.setZero(system_->pattern(Term::momentum, Argument::z).nonzeros());
  }

  Index n_systems() const override { return static_cast<Index>(equations_.size()); }
  NonlinearEquations& system(Index k) override { return *equations_[static_cast<std::size_t>(k)]; }

  void prepare(State& z) const override {
    start_.hold(z.t);
    Index1 index1(*system_);
    Vector velocity = Vector::Zero(system_->traits().nz);
    z.scheme_data.setZero(system_->traits().nz);
    index1.solve_momentum(z.q.value(), z.p.value(), z.scheme_data);
    index1.solve(z.q.value(), z.scheme_data, velocity, z.lambda);
    z.history.resize(size_, 2);
    z.history.clear();
    // The unknowns of a step over h = 1 if the slopes stayed as they are.
    Vector slope(size_), y_slope(system_->traits().ny);
    system_->evaluate(Term::velocity, {z.q.value(), z.scheme_data, z.lambda}, y_slope);
    for_each_unknown([&](Slot slot, Index offset) {
      const Argument argument = argument_of(slot);
      const Vector& part = argument == Argument::y ? y_slope : argument == Argument::z ? velocity : z.lambda;
      slope.segment(offset, part.size()) = part;
    });
    z.history.push(slope);
  }
  void begin(const State& z0, double h) override {
    z0_ = &z0;
    start_time_ = z0.t;
    end_time_ = start_.moves() ? time_after(z0, h) : z0.t + h;
    start_.hold(z0.t);
    end_.hold(end_time_);
    point_.h = h;
    point_.p0 = &z0.p;
    point_[Slot::y0] = z0.q.value();
    point_[Slot::z0] = z0.scheme_data;
    point_[Slot::first] = point_[Slot::second] = z0.lambda;
    scale();
    for_each_unknown([&](Slot slot, Index offset) {
      shape_.segment(offset, point_[slot].size()).setConstant(argument_of(slot) == Argument::psi ? 1 : h);
    });
    guess_ = z0.history.at(0);
    if (z0.history.count() > 1 && z0.last_h == h) guess_ = 2 * z0.history.at(0) - z0.history.at(1);
    guess_ = guess_.cwiseProduct(shape_);
    if (changes_) tangent_.begin(point_, *changes_);
  }
  void predict(Index k, VectorRef x) override {
    const auto i = static_cast<std::size_t>(k);
    x = guess_.segment(start_of_[i], x.size());
    equations_[i]->begin();
  }
  Next accept(Index k, const ConstVectorRef& x) override {
    const auto i = static_cast<std::size_t>(k);
    equations_[i]->place(x);
    guess_.segment(start_of_[i], x.size()) = x;
    if (const Index y1 = equations_[i]->offset(Slot::y1); y1 >= 0) dy_ = x.segment(y1, dy_.size());
    if (changes_) tangent_.solved(*equations_[i], point_, unknowns_[i], x);
    return Next::advance;
  }

  /// The work of the forces outside the energy, w' = P(y,z,psi), is one more equation of the system, integrated by the
  /// same method: by the rectangle at the end of the step, or by its adjoint at the start. So are U_t and psi.g_t of a
  /// system that moves.
  void finish(State& next) override {
    next.q.add(dy_);
    // Not p0 and the impulse of the forces: of stiff ones its rounding is large beside p, and takes p off h(y1,z1) = 0.
    end_.system().evaluate(Term::momentum, {point_[Slot::y1], point_[Slot::z1], point_[Slot::second]}, dp_);
    next.p.set(dp_);
    next.scheme_data = point_[Slot::z1];
    next.lambda = first_ * point_[Slot::first] + second_ * point_[Slot::second];
    book(next.lambda, next.work);
    guess_ = guess_.cwiseQuotient(shape_);
    if (next.last_h != point_.h && next.last_h != 0) next.history.clear();
    next.history.push(guess_);
    next.last_h = point_.h;
    next.advance_time(point_.h);
    if (changes_) tangent_.finish(point_, *changes_);
  }
  const char* diagnosis(Index solve) const override {
    diagnosis_ = euler_diagnosis(end_.system(), *equations_[static_cast<std::size_t>(solve)], point_, z0_->lambda);
    return diagnosis_.empty() ? nullptr : diagnosis_.c_str();
  }
  bool differentiate(Matrix* changes) override {
    changes_ = changes;
    return true;
  }

 private:
  void book(const Vector& psi, Work& work) {
    const OverdeterminedSystem& system = booked_at_start_ ? *system_ : end_.system();
    const Vector &y = point_[booked_at_start_ ? Slot::y0 : Slot::y1],
                 &z = point_[booked_at_start_ ? Slot::z0 : Slot::z1];
    const OverdeterminedTraits& traits = system.traits();
    if (traits.has_energy && !traits.hamiltonian) work.force += point_.h * system.power({y, z, psi});
    if (!moving_) return;
    const double t = booked_at_start_ ? start_time_ : end_time_;
    work.potential += point_.h * moving_->parts().time_dependence->potential_rate(t, y);
    moving_->constraint_velocity(t, y, rest_, rate_);  // of v = 0: g_t
    work.position += point_.h * psi.dot(rate_);
  }

  template <class F>
  void for_each_unknown(F&& f) const {
    for (std::size_t i = 0; i < equations_.size(); ++i)
      for (const Slot slot : unknowns_[i]) f(slot, start_of_[i] + equations_[i]->offset(slot));
  }

  /// With w_j = |p_z|_jj and V^2 = sum w_j z0_j^2 + h^2 sum f_j^2/w_j + 2 E, E the largest energy of the run: z ~
  /// w^-1/2 V, y ~ h w^-1/2 V (where y and z are of one length), p ~ w^1/2 V; a constraint counts in the velocity by
  /// which z can change it, a multiplier by what gives a part of V over h. (Without E the motion at a turning point,
  /// in the shortest pieces of a step, has no size.)
  void scale() {
    constexpr double part = 1. / 32;
    const OverdeterminedPoint at{point_[Slot::y0], point_[Slot::z0], point_[Slot::first]};
    system_->jacobian(Term::momentum, Argument::z, at, p_z_);
    const SparsityPattern& p_z = system_->pattern(Term::momentum, Argument::z);
    for (Index j = 0; j < p_z.rows; ++j) {
      const Index k = p_z.find(j, j);
      const double w = k < 0 ? 0 : std::abs(p_z_[k]);
      point_.z_row[j] = w > 0 ? std::sqrt(w) : 1;
    }
    system_->evaluate(Term::force, at, dp_);
    const double v2 = point_[Slot::z0].cwiseProduct(point_.z_row).squaredNorm() + 2 * z0_->energy_scale +
                      point_.h * point_.h * dp_.cwiseQuotient(point_.z_row).squaredNorm();
    const double speed = v2 > 0 && std::isfinite(v2) ? std::sqrt(v2) : 1;
    point_.z_size = speed * point_.z_row.cwiseInverse();
    if (point_.y_size.size() == point_.z_size.size()) point_.y_size = point_.z_size;
    point_.z_row *= speed;
    system_->jacobian(Term::hidden, Argument::z, at, hidden_z_);
    const SparsityPattern& hidden = system_->pattern(Term::hidden, Argument::z);
    for (Index i = 0; i < hidden.rows; ++i) {
      double sum = 0;
      for (Index k = hidden.offsets[i]; k < hidden.offsets[i + 1]; ++k) {
        const double w = hidden_z_[k] * point_.z_size[hidden.indices[k]];
        sum += w * w;
      }
      point_.constraint_size[i] = sum > 0 ? std::sqrt(sum) : 1;
    }
    system_->jacobian(Term::multiplier_force, Argument::psi, at, r_psi_);
    const SparsityPattern& r = system_->pattern(Term::multiplier_force, Argument::psi);
    point_.psi_size.setZero();
    for (Index i = 0; i < r.rows; ++i)
      for (Index k = r.offsets[i]; k < r.offsets[i + 1]; ++k) {
        const double w = r_psi_[k] / (part * point_.z_row[i]);
        point_.psi_size[r.indices[k]] += w * w;
      }
    for (Index i = 0; i < point_.psi_size.size(); ++i)
      point_.psi_size[i] = point_.psi_size[i] > 0 ? 1 / std::sqrt(point_.psi_size[i]) : 1;
    double largest = 0;
    for (const Slot slot : {Slot::y0, Slot::z0}) {
      const Vector& size = slot == Slot::y0 ? point_.y_size : point_.z_size;
      const double unit = slot == Slot::y0 ? std::abs(point_.h) : 1;
      largest = std::max(largest, point_[slot].cwiseQuotient(size).lpNorm<Eigen::Infinity>() / unit);
    }
    point_.floor = thresholds::residual_rounding + thresholds::unit_of_rounding * largest;
  }

  mutable OverdeterminedInTime start_;    // at t0; its time is no part of the step's state
  OverdeterminedInTime end_;              // at t1
  const OverdeterminedSystem* system_;    // of start_
  std::shared_ptr<const System> moving_;  // the model where U or g depends on time, else null
  double start_time_ = 0, end_time_ = 0;
  double first_, second_;
  bool booked_at_start_;
  EulerPoint point_;
  EulerTangent tangent_;
  Matrix* changes_ = nullptr;
  std::vector<std::unique_ptr<TermEquations>> equations_;
  std::vector<std::vector<Slot>> unknowns_;
  std::vector<Index> start_of_;
  Index size_ = 0;
  const State* z0_ = nullptr;
  mutable std::string diagnosis_;
  Vector shape_, guess_, dp_, dy_, hidden_z_, r_psi_, p_z_, rest_, rate_;
};

}  // namespace gnomon::kernels
