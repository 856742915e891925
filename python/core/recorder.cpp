#include "recorder.hpp"

#include <algorithm>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::python {

Recorder::Recorder(const Instance& instance, Integrator& integrator, Request request)
    : instance_(instance),
      integrator_(integrator),
      request_(std::move(request)),
      steps_(instance),
      output_(instance),
      watcher_(request_.events, signals_) {
  signals_.tell(request_.progress, [&integrator] { return integrator.state().t; });
  if (watcher_.watches()) inside_.emplace(integrator, request_.side, true);
  if (!request_.times) request_.every_step = true;
  if (request_.times) {
    output_.reserve(request_.times->size());
    at_times_ = std::make_unique<StatesAtTimes>(
        integrator, *request_.times, [this](const State& at, bool end) { add_between(at, end); },
        std::move(request_.side), true);
  }
  const double count = request_.step != 0 ? (request_.t_end - integrator.state().t) / request_.step + 2 : 0;
  const double most =
      1e8 / static_cast<double>(instance.width() + instance.multipliers() + 2);  // numbers; then it grows
  if (request_.every_step) steps_.reserve(static_cast<std::size_t>(std::min(count, most)));
}

void Recorder::add(Trajectory& states, Rows& derivatives, const State& z, double energy_error) {
  states.add(instance_, z, energy_error);
  if (!sensitivities_) return;
  double* const row = derivatives.add();
  if (sensitivities_->at(z.t)) {
    const Matrix motion = sensitivities_->motion();
    std::copy_n(motion.data(), motion.size(), row);
  } else {
    std::fill_n(row, derivatives.width(), std::numeric_limits<double>::quiet_NaN());
  }
}

StepReport Recorder::run() {
  const State& z = integrator_.state();
  if (!request_.parameters.empty()) {
    sensitivities_ = std::make_unique<Sensitivities>(integrator_, request_.parameters, request_.variant);
    if (!sensitivities_->observe(z, 0)) throw Error(ErrorCode::refused, sensitivities_->failure());
    const auto width = static_cast<std::size_t>(sensitivities_->motion().size());
    of_steps_ = std::make_unique<Rows>(width);
    of_output_ = std::make_unique<Rows>(width);
  }
  if (request_.every_step) add(steps_, *of_steps_, z, error_now());
  if (inside_) inside_->begin(z);
  if (at_times_) at_times_->observe(z, 0);
  return request_.step != 0 ? integrator_.advance_to(request_.t_end, request_.step)
                            : integrator_.advance_to(request_.t_end);
}

bool Recorder::step_taken(const State& z) {
  bool go_on = !sensitivities_ || sensitivities_->observe(z, integrator_.counters().steps);
  if (!go_on) return false;
  if (inside_) {
    const auto at = [&](double t) { return instance_.column(inside(z, t)); };
    go_on = watcher_.step(inside_->before().t, z.t, instance_.column(z), at);
  }
  if (at_times_) at_times_->observe(z, 0);
  const std::optional<double>& end = watcher_.ended_at();
  if (request_.every_step) {
    if (end && *end != z.t) {
      const State& last = inside(z, *end);
      add(steps_, *of_steps_, last, error_of(last));
    } else {
      add(steps_, *of_steps_, z, error_now());
    }
  }
  if (inside_) inside_->begin(z);
  return go_on && !signals_.pending();
}

const State& Recorder::inside(const State& z, double t) {
  const State& before = inside_->before();
  return t == z.t ? z : t == before.t ? before : inside_->at(z, t);
}

void Recorder::add_between(const State& at, bool end) {
  if (watcher_.ended_at() && at.t > *watcher_.ended_at()) return;
  add(output_, *of_output_, at, end ? error_now() : error_of(at));
}

/// H less what it is expected to be, where the work is known.
double Recorder::error_of(const State& z) const {
  if (!instance_.model().has_energy()) return std::numeric_limits<double>::quiet_NaN();
  Measured now;
  instance_.model().measure(z.view(), now);
  return static_cast<double>(now.energy - z.work.total() -
                             static_cast<long double>(integrator_.monitor().energy().initial()));
}

py::dict Recorder::take() {
  py::dict out(py::arg("raised") = signals_.raised());
  if (sensitivities_) {
    out["no_derivative"] = sensitivities_->failure();
    out["derivative_warning"] = sensitivities_->warning();
    if (request_.every_step) out["steps_by"] = of_steps_->take_columns();
    if (request_.times) out["output_by"] = of_output_->take_columns();
  }
  if (request_.every_step) out["steps"] = steps_.take();
  if (request_.times) out["output"] = output_.take();
  return out;
}

}  // namespace gnomon::python
