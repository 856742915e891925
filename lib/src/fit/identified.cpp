#include "fit/identified.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace gnomon {

namespace {

/// A part of what was measured: a parameter whose change by its size makes less makes rounding.
constexpr double no_effect = 0x1p-30;
/// A part of the largest singular value: a smaller one is rounding of derivatives.
constexpr double zero_singular_value = 0x1p-26;
/// An entry of a direction of length one that is none.
constexpr double no_part = 0x1p-10;
constexpr double upper_quantile = 0.975;

/// The same space with as many zeros as columns allow: rows that are taken one after another, the largest that is left,
/// become those of the unit matrix.
Matrix with_zeros(Matrix directions) {
  const Index count = directions.cols();
  for (Index k = 0; k < count; ++k) {
    Index row = 0, column = 0;
    directions.rightCols(count - k).cwiseAbs().maxCoeff(&row, &column);
    directions.col(k).swap(directions.col(k + column));
    directions.col(k) /= directions(row, k);
    for (Index j = 0; j < count; ++j)
      if (j != k) directions.col(j) -= directions(row, j) * directions.col(k);
  }
  for (Index k = 0; k < count; ++k) {
    const double largest = directions.col(k).lpNorm<Eigen::Infinity>();
    directions.col(k) = (directions.col(k).array().abs() > no_part * largest).select(directions.col(k) / largest, 0);
  }
  return directions;
}

}  // namespace

Identified identify(const Matrix& jacobian, const Vector& sizes, double size) {
  const Index n = jacobian.cols();
  Identified out;
  Vector lengths = jacobian.colwise().norm();
  Matrix scaled = jacobian;
  for (Index j = 0; j < n; ++j) {
    const bool shows = lengths[j] * sizes[j] > no_effect * size;
    if (!shows) lengths[j] = 1 / sizes[j];
    scaled.col(j) = shows ? Vector(jacobian.col(j) / lengths[j]) : Vector::Zero(jacobian.rows());
  }
  // With rows of zeros there are as many singular values as parameters.
  if (scaled.rows() < n) {
    Matrix more = Matrix::Zero(n, n);
    more.topRows(scaled.rows()) = scaled;
    scaled = more;
  }
  const Eigen::JacobiSVD<Matrix> svd(scaled, Eigen::ComputeThinU | Eigen::ComputeThinV);
  out.singular_values = svd.singularValues();
  const double least = zero_singular_value * out.singular_values[0];
  while (out.rank < n && out.singular_values[out.rank] > least) ++out.rank;
  const Matrix kept = svd.matrixV().leftCols(out.rank) * out.singular_values.head(out.rank).cwiseInverse().asDiagonal();
  out.leverages = svd.matrixU().topRows(jacobian.rows()).leftCols(out.rank).rowwise().squaredNorm();
  const Vector back = lengths.cwiseInverse();
  out.covariance = back.asDiagonal() * Matrix(kept * kept.transpose()) * back.asDiagonal();
  out.directions = back.asDiagonal() * with_zeros(svd.matrixV().rightCols(n - out.rank));
  return out;
}

double interval_factor(double degrees_of_freedom) {
  if (std::isinf(degrees_of_freedom)) return boost::math::quantile(boost::math::normal(), upper_quantile);
  if (!(degrees_of_freedom > 0)) return std::numeric_limits<double>::quiet_NaN();
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), upper_quantile);
}

double probability_of_larger(double chi_squared, long degrees_of_freedom) {
  if (degrees_of_freedom <= 0) return 1;
  const boost::math::chi_squared distribution(static_cast<double>(degrees_of_freedom));
  return boost::math::cdf(boost::math::complement(distribution, chi_squared));
}

}  // namespace gnomon
