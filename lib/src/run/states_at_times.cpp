#include "gnomon/run/states_at_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/overdetermined.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/run/evaluated_outputs.hpp"

namespace gnomon {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void check_times(const std::vector<double>& times, double start) {
  for (std::size_t k = 0; k < times.size(); ++k) {
    const std::string subject = "time " + std::to_string(k) + " of the output is " + number_text(times[k]);
    if (!std::isfinite(times[k])) throw Error(ErrorCode::bad_value, subject + ", expected a finite number");
    if (k > 0 && !(times[k] > times[k - 1]))
      throw Error(ErrorCode::bad_value, subject + ", which is not after the one before, " + number_text(times[k - 1]));
  }
  if (!times.empty() && times.front() < start)
    throw Error(ErrorCode::bad_value, "time 0 of the output is " + number_text(times.front()) +
                                          ", which is before the start of the run, " + number_text(start));
}

/// Whether t is where the step of size h ended.
bool ends_at(const State& z, double t) {
  const double rounding = thresholds::same_time * std::max(std::abs(t), std::abs(z.t));
  return std::abs(t - z.t) <= std::max(thresholds::end_of_step * std::abs(z.last_h), rounding);
}

}  // namespace

InsideStep::InsideStep(const Integrator& run, SideMaker side, bool prefer_side)
    : run_(&run), make_side_(std::move(side)), prefer_side_(prefer_side), interpolant_(run.model()) {
  const State& z = run.state();
  first_.resize(z.q.value().size());
  second_.resize(run.model().mechanical() ? z.p.value().size() : z.scheme_data.size());
}

InsideStep::~InsideStep() = default;

void InsideStep::begin(const State& z) {
  before_ = z;
  impact_ = run_->energy_book().impact;
  set_ = false;
}

const State& InsideStep::at(const State& z, double t) {
  const bool found = (!prefer_side_ && by_polynomial(z, t)) || by_side_step(t) || (prefer_side_ && by_polynomial(z, t));
  if (!found) {
    at_ = z;
    at_.q.set(Vector::Constant(first_.size(), nan));
    at_.p.set(Vector::Constant(z.p.value().size(), nan));
  }
  at_.t = t;
  return at_;
}

bool InsideStep::by_polynomial(const State& z, double t) {
  try {
    if (!set_) interpolant_.set(before_, z);
    set_ = true;
    interpolant_.evaluate(t, 0, first_, second_);
  } catch (const std::exception&) {
    return false;  // accelerations are not defined at one of its ends
  }
  at_ = z;
  at_.q.set(first_);
  if (const System* system = run_->model().mechanical()) {
    at_.p.set(second_);
    if (system->parts().obstacles && at_.lambda.size() == n_state_multipliers(run_->model())) try {
        at_.t = t;
        interpolant_.multipliers(at_, at_.lambda);
      } catch (const std::exception&) {
        // Those of the end of the step are as much as there is.
      }
  }
  if (!run_->model().mechanical()) {
    at_.scheme_data = second_;
    Vector p(at_.p.value().size());
    run_->model().overdetermined()->evaluate(Term::momentum, {first_, second_, Vector::Zero(run_->model().m())}, p);
    at_.p.set(p);
  }
  if (z.work.total() != before_.work.total()) at_.work.force = nan;
  ++n_polynomials_;
  return first_.allFinite() && second_.allFinite();
}

bool InsideStep::by_side_step(double t) {
  if (!side_ && !make_side_) return false;
  double impact = 0;
  try {
    if (!side_) {
      const SideMaker make = std::exchange(make_side_, nullptr);
      side_ = std::make_unique<Integrator>(make());
    }
    side_->restart(before_);
    impact = side_->energy_book().impact;
    if (!side_->advance_to(t, t - before_.t).success()) return false;
    impact = side_->energy_book().impact - impact;
  } catch (const std::exception&) {
    return false;
  }
  at_ = side_->state();
  if (const System* system = run_->model().mechanical(); system && system->parts().obstacles) try {
      at_.lambda = side_->index1_multipliers();
    } catch (const std::exception&) {
      // Those of the step are as much as there is.
    }
  // What impacts after t take in this step is as good as done: H at t counts from the end of the step.
  at_.work.force += impact - (run_->energy_book().impact - impact_);
  ++n_side_;
  return true;
}

StatesAtTimes::StatesAtTimes(const Integrator& run, std::vector<double> times, Receiver receiver, SideMaker side,
                             bool prefer_side)
    : times_(std::move(times)), receiver_(std::move(receiver)), inside_(run, std::move(side), prefer_side) {
  check_times(times_, run.state().t);
}

bool StatesAtTimes::observe(const State& z, long) {
  for (; next_ < times_.size() && (times_[next_] <= z.t || ends_at(z, times_[next_])); ++next_) {
    const double t = times_[next_];
    if (!begun_ || ends_at(z, t)) {
      at_ = z;
      at_.t = t;
      receiver_(at_, true);
    } else {
      receiver_(inside_.at(z, t), false);
    }
  }
  begun_ = true;
  if (next_ < times_.size()) inside_.begin(z);
  return true;
}

namespace {

/// The columns of solve().
class Columns {
 public:
  Columns(const Integrator& run, std::size_t times) : model_(run.model()), system_(model_.mechanical()) {
    const State& z = run.state();
    n_ = z.q.value().size();
    out_ = Matrix::Constant(n_ + (system_ ? n_ : z.scheme_data.size()), static_cast<Index>(times), nan);
  }
  void add(const State& z) {
    auto column = out_.col(next_++);
    column.head(n_) = z.q.value();
    if (!system_) {
      column.tail(out_.rows() - n_) = model_.second_half(z.view());
      return;
    }
    Vector v(n_), scratch(n_);
    system_->velocity(z.q.value(), z.p.value(), scratch, v);
    column.tail(n_) = v;
  }
  Matrix take() { return std::move(out_); }

 private:
  const Model& model_;
  const System* system_;
  Index n_ = 0, next_ = 0;
  Matrix out_;
};

/// Steps that end at the times.
Matrix by_arriving(Integrator& run, const std::vector<double>& times, StepReport& report,
                   const std::function<StepReport(double)>& advance_to) {
  check_times(times, run.state().t);
  Columns columns(run, times.size());
  long steps = 0;
  for (const double t : times) {
    if (t != run.state().t) report = advance_to(t);
    steps += report.steps;
    if (!report.success() || report.stopped_by_observer) break;
    columns.add(run.state());
  }
  report.t = run.state().t;
  report.steps = steps;
  return columns.take();
}

bool has_events(const Model& model) {
  const System* system = model.mechanical();
  return system && (system->parts().obstacles || system->parts().friction);
}

}  // namespace

Matrix solve(Integrator& run, const std::vector<double>& times, double h, StepReport* report) {
  StepReport own;
  StepReport& last = report ? *report : own;
  last = {};
  if (times.empty()) return Columns(run, 0).take();
  if (has_events(run.model())) {
    return by_arriving(run, times, last, [&](double t) { return run.advance_to(t, h); });
  }
  Columns columns(run, times.size());
  StatesAtTimes at_times(run, times, [&columns](const State& z, bool) { columns.add(z); });
  at_times.observe(run.state(), 0);
  long steps = 0;
  const auto take = [&](StepReport&& one) {
    last = std::move(one);
    steps += last.steps;
    if (last.success()) at_times.observe(run.state(), 0);
    return last.success() && !last.stopped_by_observer && last.steps > 0;
  };
  bool go_on = true;
  while (go_on && at_times.left() > 0) {
    const double rest = times.back() - run.state().t;
    go_on = rest / h >= 1 - thresholds::end_of_step ? take(run.step(h)) : take(run.advance_to(times.back(), h));
  }
  last.t = run.state().t;
  last.steps = steps;
  return columns.take();
}

Matrix solve(Integrator& run, const std::vector<double>& times, StepReport* report) {
  StepReport own;
  StepReport& last = report ? *report : own;
  last = {};
  return by_arriving(run, times, last, [&run](double t) { return run.advance_to(t); });
}

}  // namespace gnomon
