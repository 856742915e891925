/// The errors that Wei, Deng, Li, Wang, Appl. Math. Mech. 37 (2016) plot in Figs. 2-5: the constraints at position,
/// velocity and acceleration level and the energy; beside them the equation of motion itself, which the acceleration
/// constraint does not imply. For schemes whose state carries accelerations.
#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "measures/measure.hpp"
#include "measures/setup.hpp"

namespace gnomon::validation {

namespace {

/// A run whose constraints are violated by more than this has left the solution, and is stopped.
constexpr double divergence = 1e-3;
/// Between these its growth is measured.
constexpr double growth_from = 1e-9, growth_to = 1e-5;

class Levels final : public Observer {
 public:
  explicit Levels(const System& system) : system_(&system), g_(system.m()), f_(system.n()) {
    v_ = w_ = work_ = f_;
    values_.resize(system.constraint_pattern().nonzeros());
  }

  bool observe(const State& z, long) override {
    const Vector& q = z.q.value();
    w_ = z.scheme_data.head(system_->n());
    system_->mass().solve(z.p.value(), v_);
    system_->constraint_jacobian(z.t, q, values_);
    system_->constraint_bias(z.t, q, v_, g_);
    const SparsityPattern& pattern = system_->constraint_pattern();
    for (Index i = 0; i < g_.size(); ++i) {
      long double sum = g_[i];
      for (Index k = pattern.offsets[static_cast<std::size_t>(i)]; k < pattern.offsets[static_cast<std::size_t>(i) + 1];
           ++k)
        sum += static_cast<long double>(values_[k]) * w_[pattern.indices[static_cast<std::size_t>(k)]];
      acceleration_ = std::max(acceleration_, static_cast<double>(std::abs(sum)));
    }

    system_->mass().apply(w_, f_);
    system_->potential_gradient(z.t, q, work_);
    f_ += work_;
    multiply_transposed(system_->constraint_pattern(), values_, z.lambda, work_);
    equation_ = std::max(equation_, max_norm(f_ + work_));

    system_->constraints(z.t, q, g_);
    end_ = z.t;
    const double error = max_norm(g_);
    if (error <= growth_from) growth_start_ = z.t;
    if (error <= growth_to) growth_end_ = z.t;
    return error <= divergence;
  }
  double acceleration() const { return acceleration_; }
  double equation() const { return equation_; }
  double end() const { return end_; }
  /// Decades of |g| a unit of time on the way to divergence, which does not depend on the rounding errors it grows
  /// from.
  double growth() const { return std::log10(growth_to / growth_from) / (growth_end_ - growth_start_); }

 private:
  const System* system_;
  Vector g_, f_, v_, w_, work_, values_;
  double acceleration_ = 0, equation_ = 0, end_ = 0, growth_start_ = 0, growth_end_ = 0;
};

}  // namespace

Quantities measure_constraint_levels(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  Integrator integrator = started(registry, instance, c.method);
  if (integrator.state().scheme_data.size() < mechanical(instance).n())
    throw Error(ErrorCode::refused,
                "measure constraint-levels needs the accelerations that scheme " + c.method.scheme + " does not carry");
  Levels levels(mechanical(instance));
  integrator.add_observer(levels);
  const double h = c.step.front();
  advance(integrator, whole_steps(c.until - instance.t0, h), h);

  const InvariantMonitor& monitor = integrator.monitor();
  double momentum = 0, momentum0 = 0;
  for (const Drift& map : monitor.momentum()) {
    momentum = std::max(momentum, map.max_abs_error());
    momentum0 = std::hypot(momentum0, map.initial());
  }
  Quantities out{
      {"position", monitor.position_max(), "max |g|"},
      {"velocity", monitor.velocity_max(), "max |G v|"},
      {"acceleration", levels.acceleration(), "max |G w + v^T (Hess g) v|"},
      {"equation", levels.equation(), "max |M w + grad U + G^T lambda|"},
      {"energy", monitor.energy().max_abs_error(), "max |H - H0|"},
      {"energy-relative", monitor.relative_energy_error(), relative_energy_error_text},
      {"momentum-relative", momentum / (momentum0 > 0 ? momentum0 : 1), "largest error of a momentum map / |J0|"},
      {"end", levels.end(), "where the run ended: until, or where |g| passed 1e-3"}};
  if (levels.end() < c.until - h / 2)
    out.push_back({"growth", levels.growth(), "decades of |g| a unit of time, from 1e-9 to 1e-5"});
  return out;
}

}  // namespace gnomon::validation
