#include "fit/fitted_motion.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/start_velocity.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/registry/coordinate_names.hpp"
#include "gnomon/run/states_at_times.hpp"

namespace gnomon {

namespace {

/// A number is varied by parts of its size, and of this part of the size that it had at first.
constexpr double least_part_of_size = 0x1p-4;

}  // namespace

FittedMotion::FittedMotion(const FitSetup& setup) : setup_(setup) {
  read_records();
  name_parameters();
  plans_.resize(setup.records.size());
  for (std::size_t record = 0; record < setup.records.size(); ++record) plan_record(record);
}

Vector FittedMotion::values_of(const Plan& plan, const Vector& x) const {
  Vector values = plan.values;
  for (std::size_t k = 0; k < plan.of_free.size(); ++k)
    if (plan.of_free[k] >= 0) values[static_cast<Index>(k)] = x[plan.of_free[k]];
  return values;
}

ProblemInstance FittedMotion::instance_of(const Plan& plan, const Vector& values) const {
  ProblemInstance instance = plan.problem->instance(values);
  instance.t0 = plan.t0;
  return instance;
}

std::unique_ptr<Variant> FittedMotion::run_of(std::size_t record, const Vector& x) const {
  const Plan& plan = plans_[record];
  ProblemInstance instance = instance_of(plan, values_of(plan, x));
  Integrator run = setup_.run(instance);
  return std::make_unique<Variant>(std::move(instance), std::move(run));
}

StepReport FittedMotion::advance(Integrator& run, double t_end) const {
  if (!(t_end > run.state().t)) return {};
  return setup_.step > 0 ? run.advance_to(t_end, setup_.step) : run.advance_to(t_end);
}

bool FittedMotion::evaluate(const Vector& x, Vector& y, Matrix* by) {
  y.resize(static_cast<Index>(places_.size()));
  if (by) by->setZero(y.size(), static_cast<Index>(free_.size()));
  if (by) starts_.assign(plans_.size(), {});
  ++(by ? runs_with_derivatives_ : runs_);
  why_.clear();
  for (std::size_t record = 0; record < plans_.size(); ++record) {
    try {
      if (evaluate(record, x, y, by)) continue;
    } catch (const std::exception& error) {
      why_ = error.what();
    }
    if (plans_.size() > 1) why_ = "record " + setup_.records[record].name + ": " + why_;
    return false;
  }
  return true;
}

bool FittedMotion::evaluate(std::size_t record, const Vector& x, Vector& y, Matrix* by) {
  const Plan& plan = plans_[record];
  const Vector values = values_of(plan, x);
  const std::unique_ptr<Variant> main = run_of(record, x);
  Integrator& run = main->integrator;
  const Index n = run.system().n();

  std::unique_ptr<Sensitivities> found;
  std::vector<std::size_t> sought;  // names of the problem
  if (by) {
    // A start that is moved onto the constraints is differentiated after the move.
    const double move = (run.state().q.value() - main->instance.q0).lpNorm<Eigen::Infinity>() +
                        (run.state().p.value() - main->instance.p0).lpNorm<Eigen::Infinity>();
    const bool moved = move > thresholds::start_rounding * (1 + main->instance.q0.lpNorm<Eigen::Infinity>() +
                                                            main->instance.p0.lpNorm<Eigen::Infinity>());
    std::vector<Sensitivities::Parameter> parameters;
    for (std::size_t k = 0; k < plan.of_free.size(); ++k) {
      if (plan.of_free[k] < 0) continue;
      const Free& free = free_[static_cast<std::size_t>(plan.of_free[k])];
      const double size = std::max(std::abs(values[static_cast<Index>(k)]), least_part_of_size * free.size);
      parameters.push_back(
          {free.name, size, plan.problem->parameters()[k].of_model, plan.problem->parameters()[k].acts});
      sought.push_back(k);
    }
    found = std::make_unique<Sensitivities>(run, std::move(parameters),
                                            [this, &plan, values, sought, moved](std::size_t i, double change) {
                                              Vector other = values;
                                              other[static_cast<Index>(sought[i])] += change;
                                              ProblemInstance instance = instance_of(plan, other);
                                              Integrator beside = setup_.run(instance);
                                              if (moved) {
                                                instance.q0 = beside.state().q.value();
                                                instance.p0 = beside.state().p.value();
                                              }
                                              return std::make_unique<Variant>(std::move(instance), std::move(beside));
                                            });
    if (!found->observe(run.state(), 0)) {
      why_ = found->failure();
      return false;
    }
    run.add_observer(*found);
  }

  const Quantities& of = *quantities_;
  const auto measure = [&of](Variant& at, const State& z, VectorRef out) { of.measure(at, z, out); };
  const auto measure_state = [n](Variant& at, const State& z, VectorRef out) {
    Vector scratch(n), v(n);
    at.integrator.system().velocity(z.q.value(), z.p.value(), scratch, v);
    out << z.q.value(), v;
  };
  if (by) {
    MotionStart& start = starts_[record];
    start.t0 = run.state().t;
    start.qv.resize(2 * n);
    measure_state(*main, run.state(), start.qv);
    start.by.setZero(2 * n, by->cols());
    const Matrix of_sought = found->derivative(2 * n, measure_state);
    for (std::size_t i = 0; i < sought.size(); ++i)
      start.by.col(plan.of_free[sought[i]]) = of_sought.col(static_cast<Index>(i));
  }

  std::size_t next = 0;
  bool known = true;
  Vector all(of.size());
  const auto receive = [&](const State& at, bool end) {
    if (!known) return;
    of.measure(*main, at, all);
    Matrix slopes;
    if (found) {
      known = found->at(end ? run.state().t : at.t);
      if (known) slopes = found->derivative(of.size(), measure);
    }
    for (const std::size_t place : plan.at[next]) {
      const auto row = static_cast<Index>(place);
      const auto column = static_cast<Index>(places_[place].column);
      const double factor = factors_[places_[place].column];
      y[row] = (all[column] - offsets_[places_[place].column]) / factor;
      known = known && std::isfinite(y[row]);
      if (!found || !known) continue;
      for (std::size_t i = 0; i < sought.size(); ++i)
        (*by)(row, plan.of_free[sought[i]]) = slopes(column, static_cast<Index>(i)) / factor;
    }
    ++next;
  };
  const auto side = [this, record, x] { return std::move(run_of(record, x)->integrator); };
  StatesAtTimes states(run, plan.times, receive, side, true);
  run.add_observer(states);
  states.observe(run.state(), 0);
  const StepReport report = advance(run, plan.times.back());
  if (found && !found->failure().empty())
    why_ = found->failure();
  else if (!report.success())
    why_ = report.message;
  else if (!known || next < plan.times.size())
    why_ = "a quantity that was measured has no value, or no derivative, at t = " + number_text(run.state().t);
  return why_.empty();
}

}  // namespace gnomon
