#include "run/connected_root.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gnomon/base/thresholds.hpp"

namespace gnomon {

namespace {

/// |d| of the first test, and the mean ratio of corrections; |d| up to which the second one asks for nothing more.
constexpr double near_start = .02, rate = .25, far_from_start = .5;
/// The first s, and how many are tried: a path that turns back ends at the smallest step in s by s.
constexpr double first_part = 1. / 8;
constexpr int most_tries = 300;
/// Theta by its limit below which the next step in s is twice as large.
constexpr double easy = .25;

}  // namespace

double ConnectedRoot::distance(const ConstVectorRef& x, const ConstVectorRef& x0) {
  return ((x - x0).array().abs() / (1 + x.array().abs().min(x0.array().abs()))).maxCoeff();
}

bool ConnectedRoot::is_near(double way) {
  return way <= near_start;
}

bool ConnectedRoot::is_next(double way) {
  return way <= far_from_start;
}

bool ConnectedRoot::is_noise(double way, const ScaledEquations& equations) {
  constexpr double growth = 100;  // of the rounding of F, in x
  return ConvergenceRule().at_floor(std::min(way / growth, near_start), equations.rounding_floor());
}

bool ConnectedRoot::is_fast(double way, const SolveReport& solved, long matrices) {
  if (matrices > near_matrices || !(is_near(way) || (solved.leading && is_next(way)))) return false;
  double left = way;
  for (long iteration = 2; iteration < solved.iterations && left > solved.step_norm; ++iteration) left *= rate;
  return solved.iterations <= 2 || solved.step_norm <= rate * left;
}

bool ConnectedRoot::is_solved(const SolveReport& report) {
  return report.status == SolveStatus::not_converged && report.residual_norm <= thresholds::nearly_solved &&
         report.step_norm <= thresholds::nearly_solved;
}

bool ConnectedRoot::is_nothing(double way, bool on_path) {
  return way <= (on_path ? thresholds::same_solution : ConvergenceRule().step_tolerance);
}

bool ConnectedRoot::solves(ScaledEquations& equations, const ConstVectorRef& x, VectorRef f) {
  if (equations.residual(x, f) != EvaluationStatus::ok) f.setConstant(std::numeric_limits<double>::quiet_NaN());
  return ConvergenceRule().at_floor(f.lpNorm<Eigen::Infinity>(), equations.rounding_floor());
}

double ConnectedRoot::left_by(const ConstVectorRef& correction, const ConstVectorRef& x, const ConstVectorRef& x0) {
  const double way = distance(x, x0);
  const double left = ((x - x0 + correction).array().abs() / (1 + x.array().abs().min(x0.array().abs()))).maxCoeff();
  return left / way * std::max(1.0, way / far_from_start);
}

void ConnectedRoot::Path::make_room(Index k, Index size) {
  const auto i = static_cast<std::size_t>(k);
  for (Solutions& each : solutions_) {
    if (each.x.size() <= i) each.x.resize(i + 1);
    if (each.x[i].size() < size) each.x[i].setZero(size);
  }
}

void ConnectedRoot::Path::begin() {
  count_ = tries_ = 0;
  reached_ = 0;
  next_ = current().s = first_part;
}

void ConnectedRoot::Path::predict(Index k, VectorRef x) const {
  int count = 0;
  while (count < count_ && place(count, k) >= 0) ++count;
  if (count == 0) return;
  x.setZero();
  for (int i = 0; i < count; ++i) {
    double weight = 1;
    for (int j = 0; j < count; ++j)
      if (j != i) weight *= (current().s - earlier(j).s) / (earlier(i).s - earlier(j).s);
    x += weight * earlier(i).x[static_cast<std::size_t>(place(i, k))].head(x.size());
  }
}

void ConnectedRoot::Path::found(Index k, const ConstVectorRef& x) {
  make_room(k, x.size());
  current().x[static_cast<std::size_t>(k)].head(x.size()) = x;
}

void ConnectedRoot::Path::again(Index k, VectorRef x) const {
  x = current().x[static_cast<std::size_t>(k)].head(x.size());
}

void ConnectedRoot::Path::accept(double doubt) {
  const double step = (count_ > 0 && doubt <= easy ? 2 : 1) * (next_ - reached_);
  newest_ = (newest_ + 1) % (depth + 1);
  count_ = std::min(count_ + 1, depth);
  reached_ = next_;
  next_ = current().s = std::min(1.0, reached_ + step);
  ++tries_;
}

bool ConnectedRoot::Path::shorten() {
  const double step = .25 * (next_ - reached_);
  next_ = current().s = reached_ + step;
  ++tries_;
  return step >= thresholds::least_part_of_path * std::max(reached_, thresholds::least_part_of_path);
}

bool ConnectedRoot::Path::began() const {
  return reached_ > thresholds::least_part_of_path;
}

bool ConnectedRoot::Path::tired() const {
  return tries_ >= most_tries;
}

void ConnectedRoot::Path::end(Index k, VectorRef x) const {
  x = earlier(0).x[static_cast<std::size_t>(k)].head(x.size());
}

}  // namespace gnomon
