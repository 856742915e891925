#include "measures/run/error_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"

namespace gnomon::validation {

double PartEstimate::factor() const {
  const double power = std::pow(2.0, order);
  return power / (power - 1);
}

StepHalving::StepHalving(const Integrator& run, Integrator halved, double h)
    : run_(&run), halved_(std::move(halved)), h_(h), t0_(run.state().t) {
  const Promises& promises = run.promises();
  const int second = promises.momentum_order ? promises.momentum_order : promises.order;
  if (promises.order < 1 || second < 1)
    throw Error(ErrorCode::refused,
                "an estimate of the error needs an order of at least 1, and the scheme has order 0 on \"" +
                    run.model().name() + "\": halved steps come no closer to the motion");
  const auto& names = run.model().traits().state_names;
  found_.parts[0].name = names[0];
  found_.parts[1].name = run.model().mechanical() ? "v" : names[1];
  found_.parts[2].name = names[2];
  found_.parts[0].order = promises.order;
  found_.parts[1].order = found_.parts[2].order = std::min(second, promises.order);
  found_.own_limit = !promises.constrained_limit;
}

std::array<Vector, 3> StepHalving::parts(const Integrator& integrator) const {
  const StateView at = integrator.state().view();
  const Model& model = integrator.model();
  Vector second;
  if (model.mechanical()) {
    Vector scratch(at.p.size());
    second.resize(at.p.size());
    model.velocity(at, scratch, second);
  } else {
    second = model.second_half(at);
  }
  return {at.q, second, integrator.index1_multipliers()};
}

bool StepHalving::observe(const State& z, long) {
  if (!found_.message.empty()) return true;
  const State& other = halved_.state();
  double h = (z.t - other.t) + (z.t_tail - other.t_tail);
  if (!(h > 1e-9 * h_)) return true;  // the start
  if (std::abs(h - h_) <= 1e-9 * h_) h = h_;
  for (int half = 0; half < 2; ++half) {
    const StepReport report = halved_.step(h / 2);
    if (report.success()) continue;
    found_.message = report.message;
    return true;
  }
  found_.until = z.t;
  if (run_->events().size() != halved_.events().size() || z.closed != halved_.state().closed) {
    ++found_.left_out;
    return true;
  }
  std::array<Vector, 3> coarse, fine;
  try {
    coarse = parts(*run_);
    fine = parts(halved_);
  } catch (const Error&) {  // where G loses rank there are no multipliers
    ++found_.left_out;
    return true;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    PartEstimate& part = found_.parts[i];
    part.end = (coarse[i] - fine[i]).norm() * part.factor();
    part.size = std::max(part.size, fine[i].norm());
    if (part.end > part.largest) {
      part.largest = part.end;
      part.at = z.t;
    }
  }
  const auto& [q, v, lambda] = found_.parts;
  growth_.add(z.t - t0_, std::max(q.relative(q.end), v.relative(v.end)));
  return true;
}

ErrorEstimate StepHalving::estimate() const {
  ErrorEstimate estimate = found_;
  estimate.growth = growth_.law();
  return estimate;
}

}  // namespace gnomon::validation
