#include <boost/test/unit_test.hpp>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/solve/scaled_equations.hpp"
#include "support/differences.hpp"

using namespace gnomon;

namespace {

class DiagonalInverse final : public gnomon::ApproximateInverse {
 public:
  bool update(const ConstVectorRef& x) override {
    if (throws) throw gnomon::CannotEvaluate("outside the domain");
    diagonal_ = x.array().exp();
    return !singular;
  }
  void solve(const ConstVectorRef& f, VectorRef d) override { d = f.cwiseQuotient(diagonal_) * factor; }

  bool throws = false, singular = false;
  double factor = 1;

 private:
  Vector diagonal_;
};

/// A tridiagonal pattern, and the first column.
SparsityPattern tridiagonal(Index n, bool first_column) {
  std::vector<std::pair<Index, Index>> entries;
  for (Index i = 0; i < n; ++i) {
    if (first_column) entries.emplace_back(i, 0);
    for (Index j = std::max<Index>(0, i - 1); j <= std::min(n - 1, i + 1); ++j) entries.emplace_back(i, j);
  }
  return SparsityPattern::from_entries(n, n, entries);
}

/// F_i = exp(x_i) - x_{i-1} x_{i+1} + sin(x_0), with x outside the range as zero: tridiagonal plus the first column.
class Example final : public gnomon::TemplatedEquations<Example> {
 public:
  explicit Example(Index n) : n_(n), pattern_(tridiagonal(n, true)) { allocate(n); }

  const SparsityPattern& pattern() const override { return pattern_; }
  const std::vector<Block>& blocks() const override { return blocks_; }

  template <class S>
  void evaluate(const gnomon::ConstVectorRefOf<S>& x, gnomon::VectorRefOf<S> f) {
    using std::exp;
    using std::sin;
    if (failure == Failure::throws) throw gnomon::CannotEvaluate("outside the domain");
    if (failure == Failure::throws_a_number) throw 7;
    for (Index i = 0; i < n_; ++i) {
      f[i] = exp(x[i]) + sin(x[0]);
      if (i > 0 && i + 1 < n_) f[i] -= x[i - 1] * x[i + 1];
    }
    if (failure == Failure::nan) f[n_ - 1] = f[n_ - 1] * std::numeric_limits<double>::quiet_NaN();
  }

  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    if (failure == Failure::throws) throw gnomon::CannotEvaluate("outside the domain");
    values.setZero();
    for (Index i = 0; i < n_; ++i) {
      values[pattern_.find(i, i)] += std::exp(x[i]);
      values[pattern_.find(i, 0)] += std::cos(x[0]);
      if (i > 0 && i + 1 < n_) {
        values[pattern_.find(i, i - 1)] -= x[i + 1];
        values[pattern_.find(i, i + 1)] -= x[i - 1];
      }
    }
    if (wrong_entry) values[pattern_.find(3, 2)] *= 1.001;
    if (failure == Failure::nan) values[0] = std::numeric_limits<double>::quiet_NaN();
  }

  void scales(VectorRef columns, VectorRef rows) const override {
    for (Index i = 0; i < n_; ++i) {
      columns[i] = std::pow(10.0, static_cast<double>(i % 3) - 2);
      rows[i] = std::pow(10.0, 1 - static_cast<double>(i % 4));
    }
  }

  /// With `exposed`: the inverse of diag(exp(x_i)).
  gnomon::ApproximateInverse* approximate_inverse() override { return exposed ? &inverse_ : nullptr; }
  DiagonalInverse& inverse() { return inverse_; }
  bool exposed = false;

  enum class Failure { none, throws, throws_a_number, nan } failure = Failure::none;
  bool wrong_entry = false;
  /// Leaves out an entry that the equations have.
  void hide_first_column() { pattern_ = tridiagonal(n_, false); }

 private:
  Index n_;
  SparsityPattern pattern_;
  std::vector<Block> blocks_;
  DiagonalInverse inverse_;
};

constexpr Index size = 12;

struct Fixture {
  Example example{size};
  Vector xs = Vector::LinSpaced(size, -0.4, 0.6), f = Vector::Zero(size);
};

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(scaled_equations, Fixture)

BOOST_AUTO_TEST_CASE(scaling) {
  ScaledEquations equations(example, JacobianSource::analytic);
  equations.update_scales();
  Vector columns(size), rows(size), x(size), back(size), expected(size);
  example.scales(columns, rows);
  equations.to_unscaled(xs, x);
  gnomon::test::check_close(x, xs.cwiseProduct(columns), 1e-15);
  equations.to_scaled(x, back);
  gnomon::test::check_close(back, xs, 1e-15);

  BOOST_TEST((equations.residual(xs, f) == EvaluationStatus::ok));
  example.residual(x, expected);
  gnomon::test::check_close(f, expected.cwiseQuotient(rows), 1e-15);
}

BOOST_AUTO_TEST_CASE(three_sources_of_the_jacobian_agree) {
  ScaledEquations equations(example, JacobianSource::analytic);
  equations.update_scales();
  BOOST_TEST(equations.colouring().colours < size);
  double outside = -1;
  BOOST_TEST(compare_jacobians(equations, xs, JacobianSource::analytic, JacobianSource::dual) <= 1e-15);
  BOOST_TEST(compare_jacobians(equations, xs, JacobianSource::analytic, JacobianSource::differences, &outside) <= 1e-7);
  BOOST_TEST(outside == 0);
}

BOOST_AUTO_TEST_CASE(each_source_is_the_derivative_of_the_residual) {
  for (const auto source : {JacobianSource::analytic, JacobianSource::dual, JacobianSource::differences}) {
    ScaledEquations equations(example, source);
    equations.update_scales();
    Vector values(equations.pattern().nonzeros());
    BOOST_TEST((equations.jacobian(xs, values) == EvaluationStatus::ok));
    gnomon::Matrix expected(size, size);
    for (Index j = 0; j < size; ++j)
      expected.col(j) = gnomon::test::difference([&](double s) {
        Vector at(size);
        equations.residual(xs + s * Vector::Unit(size, j), at);
        return at;
      });
    const double scale = expected.cwiseAbs().maxCoeff();
    BOOST_TEST((to_dense(equations.pattern(), values) - expected).cwiseAbs().maxCoeff() <= 1e-7 * scale,
               to_string(source));
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_formula_is_found) {
  example.wrong_entry = true;
  ScaledEquations equations(example, JacobianSource::analytic);
  equations.update_scales();
  BOOST_TEST(compare_jacobians(equations, xs, JacobianSource::analytic, JacobianSource::dual) > 1e-6);
}

BOOST_AUTO_TEST_CASE(an_entry_outside_the_pattern_is_found) {
  example.hide_first_column();
  ScaledEquations equations(example, JacobianSource::dual);
  equations.update_scales();
  double outside = 0;
  compare_jacobians(equations, xs, JacobianSource::dual, JacobianSource::differences, &outside);
  BOOST_TEST(outside > 1e-6);
}

BOOST_AUTO_TEST_CASE(failures_become_a_status_with_a_message) {
  using Failure = Example::Failure;
  for (const auto failure : {Failure::throws, Failure::throws_a_number, Failure::nan})
    for (const auto source : {JacobianSource::analytic, JacobianSource::dual, JacobianSource::differences}) {
      ScaledEquations equations(example, source);
      equations.update_scales();
      Vector values = Vector::Zero(equations.pattern().nonzeros());
      example.failure = failure;
      BOOST_TEST((equations.residual(xs, f) == EvaluationStatus::failed));
      BOOST_TEST(!equations.message().empty());
      const bool analytic_survives = failure == Failure::throws_a_number && source == JacobianSource::analytic;
      BOOST_TEST(((equations.jacobian(xs, values) == EvaluationStatus::ok) == analytic_survives));
      if (failure == Failure::throws) BOOST_TEST(contains(equations.message(), "outside the domain"));
      if (failure == Failure::nan) BOOST_TEST(contains(equations.message(), "not finite"));
      // And the equations work again afterwards.
      example.failure = Failure::none;
      BOOST_TEST((equations.residual(xs, f) == EvaluationStatus::ok));
      BOOST_TEST((equations.jacobian(xs, values) == EvaluationStatus::ok));
    }
  example.failure = Failure::nan;
  ScaledEquations equations(example, JacobianSource::analytic);
  BOOST_TEST(compare_jacobians(equations, xs, JacobianSource::analytic, JacobianSource::dual) ==
             std::numeric_limits<double>::infinity());
}

BOOST_AUTO_TEST_CASE(evaluations_are_counted) {
  ScaledEquations equations(example, JacobianSource::dual);
  equations.update_scales();
  Vector values(equations.pattern().nonzeros());
  for (int i = 0; i < 3; ++i) equations.residual(xs, f);
  for (int i = 0; i < 2; ++i) equations.jacobian(xs, values);
  BOOST_TEST(equations.residual_evaluations() == 3);
  BOOST_TEST(equations.jacobian_evaluations() == 2);
}

BOOST_AUTO_TEST_CASE(approximate_inverse_is_that_of_the_scaled_jacobian) {
  const Index n = 6;
  Example example(n);
  ScaledEquations scaled(example, JacobianSource::analytic);
  BOOST_TEST(!scaled.has_approximate_inverse());
  example.exposed = true;
  BOOST_TEST(scaled.has_approximate_inverse());

  scaled.update_scales();
  Vector x(n), columns(n), rows(n), xs(n), fs(n), ds(n);
  for (Index i = 0; i < n; ++i) x[i] = 0.3 * static_cast<double>(i) - 0.5;
  example.scales(columns, rows);
  scaled.to_scaled(x, xs);
  BOOST_REQUIRE((scaled.update_inverse(xs) == EvaluationStatus::ok));
  for (Index i = 0; i < n; ++i) fs[i] = 1 + static_cast<double>(i);
  BOOST_REQUIRE((scaled.apply_inverse(fs, ds) == EvaluationStatus::ok));
  // R^-1 diag(exp x) C ds = fs
  for (Index i = 0; i < n; ++i)
    BOOST_TEST(std::exp(x[i]) * columns[i] / rows[i] * ds[i] == fs[i], boost::test_tools::tolerance(1e-14));

  example.inverse().singular = true;
  BOOST_TEST((scaled.update_inverse(xs) == EvaluationStatus::failed));
  BOOST_TEST(scaled.message() == "approximate inverse: its matrix is singular");
  example.inverse().throws = true;
  BOOST_TEST((scaled.update_inverse(xs) == EvaluationStatus::failed));
  BOOST_TEST(scaled.message() == "approximate inverse: outside the domain");
  example.inverse().factor = std::numeric_limits<double>::quiet_NaN();
  BOOST_TEST((scaled.apply_inverse(fs, ds) == EvaluationStatus::failed));
}

BOOST_AUTO_TEST_SUITE_END()
