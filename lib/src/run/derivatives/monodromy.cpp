#include "gnomon/run/monodromy.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <string>

#include "gnomon/base/error.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/run/sensitivities.hpp"

namespace gnomon {

namespace {

/// A motion is periodic whose end is nearer to its start, in parts of its largest distance from there.
constexpr double closes = 0x1p-10;
/// A motion that goes no farther, in parts of the positions, stays where it is.
constexpr double stays = 0x1p-30;

/// How far a motion goes from its start.
class Distance final : public Observer {
 public:
  Distance(const State& start, const Matrix& mass, double time)
      : start_(start), L_(mass), time_(time), size_(length(start.q.value(), Vector::Zero(mass.cols()))) {}

  bool observe(const State& z, long) override {
    last_ = length(z.q.value() - start_.q.value(), z.p.value() - start_.p.value());
    largest_ = std::max(largest_, last_);
    return true;
  }
  /// The distance of the end, in parts of the largest one; what is rounding of the positions is none.
  double gap() const {
    const double whole = std::max(largest_, stays * size_);
    return whole > 0 ? last_ / whole : 0;
  }
  /// |q| of the start
  double size() const { return size_; }

 private:
  double length(const Vector& q, const Vector& p) const {
    return std::hypot((L_.matrixU() * q).norm(), time_ * L_.matrixL().solve(p).norm());
  }
  const State start_;
  const Eigen::LLT<Matrix> L_;
  const double time_, size_;
  double last_ = 0, largest_ = 0;
};

std::vector<std::complex<double>> eigenvalues_of(const Matrix& matrix) {
  std::vector<std::complex<double>> all;
  if (matrix.size() == 0) return all;
  if (!matrix.allFinite()) throw Error(ErrorCode::not_finite, "the monodromy matrix is not finite");
  const Eigen::EigenSolver<Matrix> solver(matrix, false);
  if (solver.info() != Eigen::Success) throw Error(ErrorCode::not_finite, "the Floquet multipliers were not found");
  for (const std::complex<double>& one : solver.eigenvalues()) all.push_back(one);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return std::abs(a) > std::abs(b); });
  return all;
}

}  // namespace

Monodromy monodromy(const ProblemInstance& instance, const StartedRun& start, double period, const OverPeriod& over) {
  Integrator run = start(instance);
  const State z0 = run.state();
  const System& system = run.system();
  const Index n = system.n();
  Monodromy found;
  found.period = period;
  {
    const Windings turns(z0.turns);
    found.linear = linearise(system, z0.t, z0.q.value(), z0.p.value(), run.index1_multipliers(), z0.closed);
  }
  const Linearisation& linear = found.linear;
  const Index N = linear.n_positions(), w = linear.n_velocities();
  Matrix M(n, n);
  if (system.parts().mass)
    system.parts().mass->mass_matrix(z0.q.value(), M);
  else
    M = to_dense(system.mass().pattern(), system.mass().values());

  const double time = std::abs(period) / (2 * std::acos(-1));
  Distance distance(z0, M, time);
  const double length = distance.size() > 0 ? distance.size() : 1;
  std::vector<Sensitivities::Parameter> directions;
  for (Index j = 0; j < N; ++j) directions.push_back({"position " + std::to_string(j + 1), length, false, {}});
  for (Index j = 0; j < w; ++j) directions.push_back({"velocity " + std::to_string(j + 1), length / time, false, {}});
  const auto make = [&](std::size_t direction, double change) {
    ProblemInstance moved = instance;
    moved.q0 = z0.q.value();
    moved.p0 = z0.p.value();
    const auto j = static_cast<Index>(direction);
    if (change != 0 && j < N) {
      moved.q0 += change * linear.positions.col(j);
      moved.p0 += change * linear.carried.col(j);
    } else if (change != 0) {
      moved.p0 += change * linear.momenta.col(j - N);
    }
    Integrator beside = start(moved);
    return std::make_unique<Variant>(std::move(moved), std::move(beside));
  };
  Sensitivities derivatives(run, directions, make);
  derivatives.observe(run.state(), 0);
  if (!derivatives.failure().empty()) throw Error(ErrorCode::refused, derivatives.failure());
  run.add_observer(derivatives);
  run.add_observer(distance);
  const StepReport report = over(run);
  found.stopped = derivatives.failure().empty() ? report.message : derivatives.failure();
  if (!found.stopped.empty()) return found;
  found.steps = run.counters().steps;
  found.remainder = derivatives.largest_remainder();
  found.gap = distance.gap();
  if (found.gap > closes)
    throw Error(ErrorCode::refused, "after the period " + number_text(period) + " the motion is off its start by " +
                                        number_text(found.gap) +
                                        " of its largest distance from there, and a monodromy matrix is that of a "
                                        "motion that comes back");
  const Matrix W = M.llt().solve(linear.momenta);
  found.matrix.resize(N + w, N + w);
  if (found.matrix.size() > 0)
    found.matrix << linear.positions.transpose() * (M * derivatives.positions()), W.transpose() * derivatives.momenta();
  found.multipliers = eigenvalues_of(found.matrix);
  return found;
}

}  // namespace gnomon
