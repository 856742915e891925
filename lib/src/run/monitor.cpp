#include "gnomon/run/monitor.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/archive.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"

namespace gnomon {

void Drift::start(long double initial) {
  *this = Drift();
  initial_ = initial;
}

void Drift::record(double t, long double value) {
  const double error = static_cast<double>(value - initial_);
  last_ = error;
  max_abs_ = std::max(max_abs_, std::abs(error));
  ++count_;
  // Running covariance of (t, error), numerically stable (Welford).
  const double dt = t - mean_t_;
  mean_t_ += dt / static_cast<double>(count_);
  stt_ += dt * (t - mean_t_);
  mean_e_ += (error - mean_e_) / static_cast<double>(count_);
  ste_ += dt * (error - mean_e_);
  if ((count_ & (count_ - 1)) == 0 && powers_ < static_cast<int>(max_at_power_.size()))
    max_at_power_[static_cast<std::size_t>(powers_++)] = max_abs_;
}

double Drift::slope() const {
  return stt_ > 0 ? ste_ / stt_ : 0;
}

double Drift::growth_exponent(double floor) const {
  constexpr int first = 10;  // N = 1024
  const int n = powers_ - first;
  if (n < 3) return 0;
  double mean_x = 0, mean_y = 0, sxx = 0, sxy = 0;
  const auto y = [&](int k) { return std::log2(std::max(max_at_power_[static_cast<std::size_t>(k)], floor)); };
  for (int k = first; k < powers_; ++k) {
    mean_x += static_cast<double>(k) / n;
    mean_y += y(k) / n;
  }
  for (int k = first; k < powers_; ++k) {
    sxx += (k - mean_x) * (k - mean_x);
    sxy += (k - mean_x) * (y(k) - mean_y);
  }
  return sxy / sxx;
}

void Drift::serialize(Archive& archive) {
  archive(initial_, last_, max_abs_, count_, mean_t_, mean_e_, stt_, ste_, powers_);
  for (double& value : max_at_power_) archive(value);
}

InvariantMonitor::InvariantMonitor(const System& system) : system_(&system) {
  v_.setZero(system.n());
  gradient_.setZero(system.n());
  xi_.setZero(system.n());
  g_.setZero(system.m());
  j_.setZero(system.parts().n_symmetries());
  momentum_.resize(static_cast<std::size_t>(system.parts().n_symmetries()));
  i_.setZero(system.parts().n_integrals());
  integrals_.resize(static_cast<std::size_t>(system.parts().n_integrals()));
}

InvariantMonitor::InvariantMonitor(const OverdeterminedSystem& system) : overdetermined_(&system) {
  g_.setZero(system.traits().m);
}

bool InvariantMonitor::evaluate_overdetermined(const State& z, long double added_energy) {
  t_ = z.t;
  const OverdeterminedPoint at{z.q.value(), z.scheme_data, z.lambda};
  overdetermined_->evaluate(Term::constraint, at, g_);
  g_max_ = max_norm(g_);
  overdetermined_->evaluate(Term::hidden, at, g_);
  gv_max_ = max_norm(g_);
  energy_now_ = added_energy - z.work.total();
  if (overdetermined_->traits().has_energy) energy_now_ += overdetermined_->energy(at);
  return std::isfinite(g_max_) && std::isfinite(gv_max_) && std::isfinite(energy_now_) && z.q.value().allFinite() &&
         z.scheme_data.allFinite();
}

bool InvariantMonitor::evaluate(const State& z, long double added_energy) {
  if (overdetermined_ != nullptr) return evaluate_overdetermined(z, added_energy);
  t_ = z.t;
  const Vector &q = z.q.value(), &p = z.p.value();
  system_->velocity(q, p, gradient_, v_);
  const Vector &q_tail = z.q.tail(), &p_tail = z.p.tail();
  if (system_->parts().mass) {
    kinetic_ = system_->parts().mass->kinetic_compensated(q, q_tail, p, p_tail, xi_, gradient_);
  } else if (system_->mass().is_diagonal()) {
    const Vector& mass = system_->mass().diagonal_entries();
    kinetic_ = 0;
    // Neighbours often have the same mass: one division for all of them.
    double shared = 0;
    long double squares = 0;
    for (Index j = 0; j < p.size(); ++j) {
      if (mass[j] != shared) {
        if (shared > 0) kinetic_ += squares / (2 * shared);
        shared = mass[j];
        squares = 0;
      }
      const long double pj = static_cast<long double>(p[j]) + p_tail[j];
      squares += pj * pj;
    }
    if (shared > 0) kinetic_ += squares / (2 * shared);
  } else {
    kinetic_ = 0.5L * p.dot(v_) + p_tail.dot(v_);
  }
  potential_ = system_->potential_compensated(z.t, q, q_tail, gradient_);
  system_->constraints(z.t, q, g_);
  g_max_ = max_norm(g_);
  system_->constraint_velocity(z.t, q, v_, g_);
  gv_max_ = max_norm(g_);
  for (Index a = 0; a < j_.size(); ++a) {
    system_->parts().symmetries->symmetry_generator(a, q, xi_);
    j_[a] = p.dot(xi_);
  }
  for (Index a = 0; a < i_.size(); ++a) i_[a] = system_->parts().integrals->integral(a, z.t, q, p);
  energy_now_ = kinetic_ + potential_ + (added_energy - z.work.total());
  return std::isfinite(energy_now_) && std::isfinite(g_max_) && std::isfinite(gv_max_) && j_.allFinite() &&
         i_.allFinite();
}

bool InvariantMonitor::evaluate_discrete(long double energy) {
  discrete_now_ = energy;
  discrete_known_ = true;
  return std::isfinite(energy);
}

void InvariantMonitor::start() {
  energy_.start(energy_now_);
  discrete_energy_ = Drift();
  discrete_known_ = false;
  for (std::size_t a = 0; a < momentum_.size(); ++a) momentum_[a].start(j_[static_cast<Index>(a)]);
  for (std::size_t a = 0; a < integrals_.size(); ++a) integrals_[a].start(i_[static_cast<Index>(a)]);
  position_max_ = g_max_;
  velocity_max_ = gv_max_;
  kinetic_max_ = static_cast<double>(std::abs(kinetic_));
  potential_max_ = static_cast<double>(std::abs(potential_));
  steps_ = 0;
}

void InvariantMonitor::record() {
  ++steps_;
  energy_.record(t_, energy_now_);
  if (discrete_known_) {
    if (discrete_energy_.count() == 0) discrete_energy_.start(discrete_now_);
    discrete_energy_.record(t_, discrete_now_);
  }
  for (std::size_t a = 0; a < momentum_.size(); ++a) momentum_[a].record(t_, j_[static_cast<Index>(a)]);
  for (std::size_t a = 0; a < integrals_.size(); ++a) integrals_[a].record(t_, i_[static_cast<Index>(a)]);
  position_max_ = std::max(position_max_, g_max_);
  velocity_max_ = std::max(velocity_max_, gv_max_);
  kinetic_max_ = std::max(kinetic_max_, static_cast<double>(std::abs(kinetic_)));
  potential_max_ = std::max(potential_max_, static_cast<double>(std::abs(potential_)));
}

void InvariantMonitor::serialize(Archive& archive) {
  const std::size_t n_momentum = momentum_.size(), n_integrals = integrals_.size();
  long double written = energy_now_;
  archive(written, energy_, discrete_energy_, momentum_, integrals_, position_max_, velocity_max_, kinetic_max_,
          potential_max_, steps_);
  if (momentum_.size() != n_momentum || integrals_.size() != n_integrals)
    throw Error(ErrorCode::bad_file, "it was written for a model with other invariants");
  if (!(std::abs(written - energy_now_) <= 1e-9L * std::max({1.0, kinetic_max_, potential_max_})))
    throw Error(ErrorCode::bad_file, "it was written for a model with other parameters: the energy of its state is " +
                                         number_text(static_cast<double>(written)) + " there and " +
                                         number_text(static_cast<double>(energy_now_)) + " here");
  if (!(g_max_ <= 1e3 * std::max(position_max_, 1e-15)))
    throw Error(ErrorCode::bad_file,
                "it was written for a model with other parameters: the constraints of its state "
                "are " +
                    number_text(g_max_) + " here, and were at most " + number_text(position_max_) + " there");
}

double InvariantMonitor::energy_gate() const {
  const double steps = static_cast<double>(std::max(steps_, 1L));
  return 1e-14 * std::sqrt(steps) * std::max({1.0, kinetic_max_, potential_max_});
}

}  // namespace gnomon
