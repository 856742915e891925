#include "gnomon/run/monitor.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/archive.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/constraint_sizes.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/scheme/constraint_terms.hpp"

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
  archive.require(count_ >= 0 && powers_ >= 0 && powers_ <= static_cast<int>(max_at_power_.size()),
                  "the statistics of an invariant have impossible counts");
}

bool InvariantMonitor::evaluate(const State& z, long double added_energy) {
  t_ = z.t;
  const bool finite = model_->measure(z.view(), now_);
  energy_now_ = now_.energy + (added_energy - z.work.total());
  if (started_ && !(std::abs(static_cast<double>(energy_now_) - energy_.initial()) <= energy_gate())) look_at_terms(z);
  return finite && std::isfinite(energy_now_);
}

bool InvariantMonitor::evaluate_discrete(long double energy) {
  discrete_now_ = energy;
  discrete_known_ = true;
  return std::isfinite(energy);
}

void InvariantMonitor::start(const State& z) {
  energy_.start(energy_now_);
  discrete_energy_ = Drift();
  discrete_known_ = discrete_shifted_ = false;
  momentum_.resize(static_cast<std::size_t>(now_.momentum.size()));
  integrals_.resize(static_cast<std::size_t>(now_.integrals.size()));
  for (std::size_t a = 0; a < momentum_.size(); ++a) momentum_[a].start(now_.momentum[static_cast<Index>(a)]);
  for (std::size_t a = 0; a < integrals_.size(); ++a) integrals_[a].start(now_.integrals[static_cast<Index>(a)]);
  position_rows_ = now_.g.cwiseAbs();
  velocity_rows_ = now_.g_rate.cwiseAbs();
  started_ = true;
  terms_max_ = seen_pulled_ = longest_step_ = 0;
  recorded_t_ = t_;
  pull_ = free_acceleration(*model_, z);
  kinetic_max_ = static_cast<double>(std::abs(now_.kinetic));
  potential_max_ = static_cast<double>(std::abs(now_.potential));
  steps_ = 0;
}

void InvariantMonitor::shift() {
  recorded_t_ = t_;
  energy_.shift(energy_now_);
  discrete_shifted_ = true;  // its value is known after the next step
  for (std::size_t a = 0; a < momentum_.size(); ++a) momentum_[a].shift(now_.momentum[static_cast<Index>(a)]);
  for (std::size_t a = 0; a < integrals_.size(); ++a) integrals_[a].shift(now_.integrals[static_cast<Index>(a)]);
}

void InvariantMonitor::record() {
  ++steps_;
  longest_step_ = step_now();
  recorded_t_ = t_;
  energy_.record(t_, energy_now_);
  if (discrete_known_) {
    if (discrete_energy_.count() == 0) discrete_energy_.start(discrete_now_);
    if (discrete_shifted_) discrete_energy_.shift(discrete_now_);
    discrete_shifted_ = false;
    discrete_energy_.record(t_, discrete_now_);
  }
  for (std::size_t a = 0; a < momentum_.size(); ++a) momentum_[a].record(t_, now_.momentum[static_cast<Index>(a)]);
  for (std::size_t a = 0; a < integrals_.size(); ++a) integrals_[a].record(t_, now_.integrals[static_cast<Index>(a)]);
  position_rows_ = position_rows_.cwiseMax(now_.g.cwiseAbs());
  velocity_rows_ = velocity_rows_.cwiseMax(now_.g_rate.cwiseAbs());
  kinetic_max_ = std::max(kinetic_max_, static_cast<double>(std::abs(now_.kinetic)));
  potential_max_ = std::max(potential_max_, static_cast<double>(std::abs(now_.potential)));
}

void InvariantMonitor::serialize(Archive& archive) {
  long double written = energy_now_;
  started_ = true;
  archive(written, energy_, discrete_energy_, momentum_, integrals_, position_rows_, velocity_rows_, kinetic_max_,
          potential_max_, terms_max_, seen_pulled_, longest_step_, pull_, steps_);
  recorded_t_ = t_;
  const auto largest = [this](const Vector& rows) {
    return rows.size() == now_.g.size() && rows.allFinite() && (rows.array() >= 0).all();
  };
  const auto is_size = [](double x) { return x >= 0 && std::isfinite(x); };
  archive.require(steps_ >= 0 && largest(position_rows_) && largest(velocity_rows_) && is_size(kinetic_max_) &&
                      is_size(potential_max_) && is_size(terms_max_) && is_size(seen_pulled_) && is_size(pull_) &&
                      is_size(longest_step_),
                  "the largest values of a run are no such values");
  if (static_cast<Index>(momentum_.size()) != now_.momentum.size() ||
      static_cast<Index>(integrals_.size()) != now_.integrals.size())
    throw Error(ErrorCode::bad_file, "it was written for a model with other invariants");
  if (!(std::abs(written - energy_now_) <= thresholds::same_energy * std::max(energy_scale(), terms_max_)))
    throw Error(ErrorCode::bad_file, "it was written for a model with other parameters: the energy of its state is " +
                                         number_text(static_cast<double>(written)) + " there and " +
                                         number_text(static_cast<double>(energy_now_)) + " here");
}

void InvariantMonitor::require_on_constraints(const State& z) const {
  if (is_off_constraints(z))
    throw Error(ErrorCode::bad_file,
                "it was written for a model with other parameters: the constraints of its state "
                "are " +
                    number_text(now_.position) + " here, and were at most " + number_text(position_max()) + " there");
}

bool InvariantMonitor::is_off_constraints(const State& z) const {
  constexpr double much_larger = 1e3;
  const ConstraintTerms terms(*model_, z);
  for (Index i = 0; i < now_.g.size(); ++i)
    if (!(std::abs(now_.g[i]) <=
          much_larger * std::max(position_rows_[i], thresholds::term_rounding * terms.of_positions()[i])))
      return true;
  return false;
}

void InvariantMonitor::look_at_terms(const State& z) {
  if (const System* system = model_->mechanical()) {
    system->potential_gradient(z.t, z.q.value(), now_.gradient);
    terms_max_ = std::max(terms_max_, now_.gradient.cwiseAbs().dot(z.q.value().cwiseAbs()));
    seen_pulled_ = pull_ * step_now();
  }
}

double InvariantMonitor::size_now() const {
  return static_cast<double>(std::max(std::abs(now_.kinetic), std::abs(now_.potential)));
}

double InvariantMonitor::rounding_gate() const {
  return thresholds::invariant_rounding * std::sqrt(static_cast<double>(std::max(steps_, 1L)));
}

double InvariantMonitor::energy_gate() const {
  const double speed = rounding_gate() * seen_pulled_;
  return rounding_gate() * std::max(energy_scale(), terms_max_) + speed * (std::sqrt(2 * energy_scale()) + speed / 2);
}

}  // namespace gnomon
