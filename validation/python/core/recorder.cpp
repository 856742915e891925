#include "recorder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "gnomon/scheme/state.hpp"

namespace gnomon::python {

namespace {
constexpr double none = std::numeric_limits<double>::quiet_NaN();
}

Signals::~Signals() {
  if (!raised_) return;
  const py::gil_scoped_acquire locked;
  raised_.reset();
}

bool Signals::pending() {
  if (raised_) return true;
  if (++calls_ < every_) return false;
  calls_ = 0;
  const auto passed = Clock::now() - asked_;
  using std::chrono::milliseconds;
  if (passed < milliseconds(2)) {
    every_ = std::min(2 * every_, 1024L);
    return false;
  }
  if (passed > milliseconds(20)) every_ = 1;
  asked_ = Clock::now();
  const py::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() == 0) return false;
  raised_.emplace();
  return true;
}

void Trajectory::reserve(std::size_t states) {
  for (Rows* rows : {&t_, &y_, &lambda_, &error_}) rows->reserve(states);
}

void Trajectory::add_rest(double t, const Vector& lambda, double energy_error) {
  *t_.add() = t;
  *error_.add() = energy_error;
  double* const row = lambda_.add();
  const std::size_t known = std::min(static_cast<std::size_t>(lambda.size()), lambda_.width());
  if (known > 0) std::memcpy(row, lambda.data(), known * sizeof(double));
  std::fill(row + known, row + lambda_.width(), none);
}

void Trajectory::add(const Instance& instance, const State& z, double energy_error, std::optional<double> t) {
  const Index n = z.q.value().size();
  Eigen::Map<Vector> row(y_.add(), static_cast<Index>(y_.width()));
  row.head(n) = z.q.value();
  instance.second_half(z.q.value(), z.p.value(), z.scheme_data, row.tail(row.size() - n));
  add_rest(t.value_or(z.t), z.lambda, energy_error);
}

void Trajectory::add(double t, const ConstVectorRef& column, const Vector& lambda, double energy_error) {
  std::memcpy(y_.add(), column.data(), y_.width() * sizeof(double));
  add_rest(t, lambda, energy_error);
}

void Trajectory::drop_last() {
  for (Rows* rows : {&t_, &y_, &lambda_, &error_}) rows->drop_last();
}

py::dict Trajectory::take() {
  return py::dict(py::arg("t") = t_.take_vector(), py::arg("y") = y_.take_columns(),
                  py::arg("lam") = lambda_.take_columns(), py::arg("energy_error") = error_.take_vector());
}

Recorder::Recorder(const Instance& instance, Integrator& integrator, Request request)
    : instance_(instance),
      integrator_(integrator),
      request_(std::move(request)),
      steps_(instance.width(), instance.multipliers()),
      output_(instance.width(), instance.multipliers()),
      interpolant_(instance.model(), instance.problem().dependent_constraints) {
  if (!request_.times) request_.every_step = true;
  if (request_.times) output_.reserve(request_.times->size());
  const double count = request_.step != 0 ? (request_.t_end - integrator.state().t) / request_.step + 2 : 0;
  const double most =
      1e8 / static_cast<double>(instance.width() + instance.multipliers() + 2);  // numbers; then it grows
  if (request_.every_step) steps_.reserve(static_cast<std::size_t>(std::min(count, most)));
}

bool Recorder::within(double t, double of) const {
  const double size = request_.step != 0 ? std::abs(request_.step) : 1e-3 * std::max(std::abs(t), 1e-300);
  return std::abs(t - of) <= 1e-9 * size;
}

StepReport Recorder::run() {
  const State& z = integrator_.state();
  if (request_.every_step) steps_.add(instance_, z, error_now());
  const bool watched = !request_.watcher.is_none();
  if (watched || (request_.times && between_steps())) before_ = z;
  const auto on = [this](double t) {
    return request_.step != 0 ? integrator_.advance_to(t, request_.step) : integrator_.advance_to(t);
  };
  const std::vector<double> no_times;
  const std::vector<double>& times = request_.times ? *request_.times : no_times;
  while (next_ < times.size() && within(times[next_], z.t)) {
    output_.add(instance_, z, error_now(), times[next_]);
    ++next_;
  }
  StepReport report;
  report.t = z.t;
  if (!between_steps())
    for (; next_ < times.size() && report.success() && !report.stopped_by_observer; ++next_) {
      report = on(times[next_]);
      if (report.success() && !report.stopped_by_observer) output_.add(instance_, z, error_now(), times[next_]);
    }
  if (report.success() && !report.stopped_by_observer) report = on(request_.t_end);
  return report;
}

bool Recorder::step_taken(const State& z) {
  set_ = false;
  const bool go_on = request_.watcher.is_none() || watch(z);
  const double until = ended_at_ ? *ended_at_ : z.t;
  const bool interpolates = request_.times && between_steps();
  if (interpolates) interpolate_up_to(z, until);
  if (request_.every_step) {
    if (ended_at_ && !within(*ended_at_, z.t)) {
      const Vector column = column_at(z, *ended_at_);
      steps_.add(*ended_at_, column, z.lambda, interpolated_error(z, *ended_at_, column));
    } else {
      steps_.add(instance_, z, error_now());
    }
  }
  const bool soon =
      interpolates && next_ < request_.times->size() && (*request_.times)[next_] < z.t + 1.5 * std::abs(request_.step);
  if (!request_.watcher.is_none() || soon) before_ = z;
  return go_on && !signals_.pending();
}

bool Recorder::watch(const State& z) {
  const py::gil_scoped_acquire locked;
  try {
    Vector column(instance_.width());
    column.head(instance_.first()) = z.q.value();
    instance_.second_half(z.q.value(), z.p.value(), z.scheme_data, column.tail(instance_.second()));
    const py::cpp_function at([this, &z](double t) { return array_of(column_at(z, t)); });
    const py::object end = request_.watcher(before_.t, z.t, array_of(column), at);
    if (end.is_none()) return true;
    ended_at_ = end.cast<double>();
  } catch (py::error_already_set& error) {
    signals_.keep(error);
  }
  return false;
}

Vector Recorder::column_at(const State& z, double t) {
  if (!set_) interpolant_.set(before_, z);
  set_ = true;
  Vector column(instance_.width()), q(instance_.first()), second(z.p.value().size());
  if (!instance_.system()) second.resize(instance_.second());
  interpolant_.evaluate(t, 0, q, second);
  column.head(instance_.first()) = q;
  instance_.second_half(q, second, second, column.tail(instance_.second()));
  return column;
}

/// H less what it is expected to be, where nothing has done work over the step.
double Recorder::interpolated_error(const State& z, double t, const Vector& column) const {
  if (!instance_.model().has_energy() || z.work.total() != before_.work.total()) return none;
  Measured now;
  instance_.model().measure(instance_.state(t, column, z.lambda).view(), now);
  return static_cast<double>(now.energy - z.work.total() -
                             static_cast<long double>(integrator_.monitor().energy().initial()));
}

void Recorder::interpolate_up_to(const State& z, double t) {
  const std::vector<double>& times = *request_.times;
  for (; next_ < times.size() && (times[next_] <= t || within(times[next_], t)); ++next_) {
    if (within(times[next_], z.t)) {
      output_.add(instance_, z, error_now(), times[next_]);
      continue;
    }
    const Vector column = column_at(z, times[next_]);
    output_.add(times[next_], column, z.lambda, interpolated_error(z, times[next_], column));
  }
}

py::dict Recorder::take() {
  py::dict out(py::arg("raised") = signals_.raised());
  if (request_.every_step) out["steps"] = steps_.take();
  if (request_.times) out["output"] = output_.take();
  return out;
}

}  // namespace gnomon::python
