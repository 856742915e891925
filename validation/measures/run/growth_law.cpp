#include "measures/run/growth_law.hpp"

#include <algorithm>
#include <boost/math/statistics/linear_regression.hpp>
#include <cmath>

namespace gnomon::validation {

namespace {

constexpr std::size_t fewest = 8;   ///< points of a fit
constexpr double least_growth = 5;  ///< L T
constexpr double better = 0.8;      ///< residual of the exponential law over that of the power law
constexpr double largest_exponent = 2, between = 0.25;

struct Points {
  std::vector<double> t, y;  ///< y = log E
};

struct Line {
  double slope = 0, residual = 0;
};

/// y - k log t = a + slope x with slope >= 0, x given; the residual is a root mean square.
Line fit(const Points& points, const std::vector<double>& x, double k) {
  std::vector<double> y;
  for (std::size_t i = 0; i < x.size(); ++i) y.push_back(points.y[i] - k * std::log(points.t[i]));
  Line line;
  double start = boost::math::statistics::mean(y);
  if (boost::math::statistics::variance(x) > 0) {
    const auto [intercept, slope] = boost::math::statistics::simple_ordinary_least_squares(x, y);
    if (slope > 0) {
      line.slope = slope;
      start = intercept;
    }
  }
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double off = y[i] - start - line.slope * x[i];
    sum += off * off / static_cast<double>(x.size());
  }
  line.residual = std::sqrt(sum);
  return line;
}

}  // namespace

void GrowthWatch::add(double t, double error) {
  if (over_ || !(t > 0)) return;
  if (!(error < saturated)) {
    over_ = true;
    return;
  }
  if (length_ == 0) length_ = t;
  auto index = static_cast<std::size_t>(std::max(0.0, std::ceil(t / length_ * (1 - 1e-12)) - 1));
  while (index >= most) {
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
      if (i % 2 == 0)
        intervals_[i / 2] = intervals_[i];
      else
        intervals_[i / 2] = {intervals_[i].end, std::max(intervals_[i / 2].largest, intervals_[i].largest)};
    }
    intervals_.resize((intervals_.size() + 1) / 2);
    length_ *= 2;
    index /= 2;
  }
  while (intervals_.size() <= index) intervals_.push_back({t, 0});
  intervals_[index].end = t;
  intervals_[index].largest = std::max(intervals_[index].largest, error);
}

GrowthLaw GrowthWatch::law() const {
  Points points;
  double largest = 0;
  for (const Interval& interval : intervals_) {
    largest = std::max(largest, interval.largest);
    if (largest < rounding) continue;
    points.t.push_back(interval.end);
    points.y.push_back(std::log(largest));
  }
  GrowthLaw law;
  if (points.t.size() < fewest) return law;
  law.known = true;
  law.until = points.t.back();

  std::vector<double> log_t;
  for (const double t : points.t) log_t.push_back(std::log(t));
  Line power = fit(points, log_t, 0);
  law.exponent = power.slope;
  if (power.slope > largest_exponent) {
    law.exponent = largest_exponent;
    power = fit(points, std::vector<double>(log_t.size(), 0), largest_exponent);
  }
  law.power_residual = power.residual;

  Line best = fit(points, points.t, 0);
  for (double k = between; k <= largest_exponent; k += between) {
    const Line line = fit(points, points.t, k);
    if (line.residual < best.residual) best = line;
  }
  law.rate = best.slope;
  law.residual = best.residual;
  law.exponential = law.rate * law.until > least_growth && law.residual < better * law.power_residual;
  return law;
}

}  // namespace gnomon::validation
