#include "gnomon/model/largest_eigenvalue.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <vector>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/mass.hpp"

namespace gnomon {

double largest_eigenvalue(const Mass& mass, const SparsityPattern& pattern, const Vector& values) {
  const Index n = mass.size();
  constexpr Index dense_limit = 100, most_steps = 500;
  if (n <= dense_limit) {
    const Matrix a = to_dense(pattern, values), m = to_dense(mass.pattern(), mass.values());
    const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> solver(a, m, Eigen::EigenvaluesOnly);
    return std::max(0.0, solver.eigenvalues().maxCoeff());
  }
  // The start has a part of every eigenvector, smooth and rough ones.
  Vector v(n), before = Vector::Zero(n), mv(n), w(n);
  for (Index j = 0; j < n; ++j) v[j] = 1 + std::sin(1e3 * std::sqrt(2.0) * static_cast<double>(j * j % 9973));
  mass.apply(v, mv);
  v /= std::sqrt(v.dot(mv));
  std::vector<double> alpha, beta;
  double largest = 0, beta_last = 0;
  for (Index k = 0; k < most_steps; ++k) {
    multiply(pattern, values, v, mv);
    alpha.push_back(v.dot(mv));
    mass.solve(mv, w);
    w -= alpha.back() * v + beta_last * before;
    mass.apply(w, mv);
    const double norm2 = w.dot(mv);
    if (k % 10 == 9 || !(norm2 > 0)) {
      Eigen::SelfAdjointEigenSolver<Matrix> ritz;
      ritz.computeFromTridiagonal(Eigen::Map<const Vector>(alpha.data(), static_cast<Index>(alpha.size())),
                                  Eigen::Map<const Vector>(beta.data(), static_cast<Index>(beta.size())),
                                  Eigen::EigenvaluesOnly);
      const double previous = largest;
      largest = ritz.eigenvalues().maxCoeff();
      if (!(norm2 > 0) || largest - previous <= thresholds::eigenvalue_accuracy * std::abs(largest)) break;
    }
    beta_last = std::sqrt(norm2);
    beta.push_back(beta_last);
    before = v;
    v = w / beta_last;
  }
  return std::max(0.0, largest);
}

}  // namespace gnomon
