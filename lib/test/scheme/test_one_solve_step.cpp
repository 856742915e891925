#include <Eigen/LU>
#include <boost/test/unit_test.hpp>

#include "gnomon/base/error.hpp"
#include "gnomon/scheme/one_solve_step.hpp"
#include "gnomon/solve/scaled_equations.hpp"

using namespace gnomon;

namespace {

/// The implicit midpoint rule for q' = sin p, p' = -q^3 of each pair, with a Jacobian of four diagonals.
class Oscillators final : public gnomon::TemplatedEquations<Oscillators> {
 public:
  explicit Oscillators(Index n) {
    dq_ = layout_.unknown("dq", n), dp_ = layout_.unknown("dp", n);
    const Block rate = layout_.rows(n), force = layout_.rows(n);
    for (const Block& rows : {rate, force})
      for (const Block& unknown : {dq_, dp_}) layout_.place(rows, unknown, SparsityPattern::diagonal(n));
    finish_layout();
  }
  void begin(const State& z0, double h) { z0_ = &z0, h_ = h; }
  void predict(VectorRef x) {
    x.setZero();
    ++predictions;
  }
  void scales(VectorRef columns, VectorRef rows) const override {
    columns.setConstant(h_);
    rows.setConstant(h_);
  }
  template <class S>
  void evaluate(const ConstVectorRefOf<S>& x, VectorRefOf<S> f) {
    using std::sin;
    if (throws) throw gnomon::CannotEvaluate("outside the domain");
    const Index n = dq_.size;
    for (Index j = 0; j < n; ++j) {
      const S q = x[j] * 0.5 + z0_->q.value()[j], p = x[n + j] * 0.5 + z0_->p.value()[j];
      f[j] = x[j] - sin(p) * h_;
      f[n + j] = x[n + j] + q * q * q * h_;
    }
  }
  /// What the default is compared with.
  Vector written(const Vector& x) const {
    Vector values = Vector::Zero(pattern().nonzeros());
    const Index n = dq_.size;
    for (Index j = 0; j < n; ++j) {
      const double q = 0.5 * x[j] + z0_->q.value()[j], p = 0.5 * x[n + j] + z0_->p.value()[j];
      values[pattern().find(j, j)] = values[pattern().find(n + j, n + j)] = 1;
      values[pattern().find(j, n + j)] = -0.5 * h_ * std::cos(p);
      values[pattern().find(n + j, j)] = 1.5 * h_ * q * q;
    }
    return values;
  }
  void finish(const Vector& x, State& next) const {
    if (refuses) throw gnomon::CannotEvaluate("not this state");
    next.q.add(dq_(x));
    next.p.add(dp_(x));
  }

  bool throws = false, refuses = false;
  int predictions = 0;

 private:
  Block dq_, dp_;
  const State* z0_ = nullptr;
  double h_ = 0;
};

/// Shows what the step keeps to itself.
class Step final : public gnomon::OneSolveStep<Oscillators> {
 public:
  using OneSolveStep::OneSolveStep;
  Oscillators& equations() { return equations_; }
};

State start(Index n) {
  State z;
  z.q.set(Vector::LinSpaced(n, 0.5, 1));
  z.p.set(Vector::LinSpaced(n, -1, 0.25));
  return z;
}

/// Newton's method; the state after the step.
State advance(Step& step, const State& z0, double h) {
  Vector x(step.equations().size()), f(x.size());
  step.begin(z0, h);
  step.predict(0, x);
  for (int k = 0; k < 8; ++k) {
    step.system(0).residual(x, f);
    x -= to_dense(step.system(0).pattern(), step.equations().written(x)).partialPivLu().solve(f);
  }
  BOOST_REQUIRE(step.accept(0, x) == Next::advance);
  State next = z0;
  step.finish(next);
  return next;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_jacobian_that_is_not_written_comes_from_tangents) {
  Oscillators equations(7);
  const State z0 = start(7);
  equations.begin(z0, 0.1);
  const Vector x = Vector::LinSpaced(14, -0.3, 0.2);
  for (int k = 0; k < 2; ++k) {
    Vector values = Vector::Constant(equations.pattern().nonzeros(), 17);
    equations.jacobian(x, values);
    BOOST_TEST((values - equations.written(x)).lpNorm<Eigen::Infinity>() <= 1e-16);
  }
  ScaledEquations scaled(equations, JacobianSource::analytic);
  scaled.update_scales();
  double outside = 1;
  BOOST_TEST(compare_jacobians(scaled, x, JacobianSource::analytic, JacobianSource::dual) <= 1e-16);
  BOOST_TEST(compare_jacobians(scaled, x, JacobianSource::analytic, JacobianSource::differences, &outside) <= 1e-9);
  BOOST_TEST(outside <= 1e-9);
}

BOOST_AUTO_TEST_CASE(a_throwing_residual_leaves_the_next_jacobian_right) {
  Oscillators equations(3);
  const State z0 = start(3);
  equations.begin(z0, 0.1);
  ScaledEquations scaled(equations, JacobianSource::analytic);
  scaled.update_scales();
  const Vector x = Vector::Constant(6, 0.1);
  Vector values(equations.pattern().nonzeros());
  equations.throws = true;
  BOOST_TEST((scaled.jacobian(x, values) == EvaluationStatus::failed));
  BOOST_TEST(scaled.message() == "Jacobian: outside the domain");
  equations.throws = false;
  equations.jacobian(x, values);
  BOOST_TEST((values - equations.written(x)).lpNorm<Eigen::Infinity>() <= 1e-16);
}

BOOST_AUTO_TEST_CASE(start_values_are_extrapolated_once_there_is_a_history) {
  Step step(2);
  State z = start(2);
  step.prepare(z);
  BOOST_TEST(z.history.size() == 4);
  for (int k = 0; k < 6; ++k) z = advance(step, z, 0.1);
  BOOST_TEST(step.equations().predictions == gnomon::predictor_depth);
  BOOST_TEST(z.t == 0.6, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(z.last_h == 0.1);
  advance(step, z, 0.05);
  BOOST_TEST(step.equations().predictions == gnomon::predictor_depth + 1);  // another step size
  // The rule is symmetric.
  State back = start(2);
  step.prepare(back);
  State there = advance(step, back, 0.1);
  there = advance(step, there, -0.1);
  BOOST_TEST((there.q.value() - back.q.value()).lpNorm<Eigen::Infinity>() <= 1e-15);
}

BOOST_AUTO_TEST_CASE(a_step_refused_at_its_end_throws_and_the_next_one_is_as_if_it_had_not_been) {
  Step step(2), other(2);
  State z = start(2);
  step.prepare(z);
  for (int k = 0; k < 5; ++k) z = advance(step, z, 0.1);
  step.equations().refuses = true;
  const auto mark = z.history.mark();
  BOOST_CHECK_THROW(advance(step, z, 0.1), gnomon::CannotEvaluate);
  step.equations().refuses = false;
  BOOST_TEST(z.history.mark().count == mark.count);
  const State again = advance(step, z, 0.1), plain = advance(other, z, 0.1);
  BOOST_TEST((again.q.value() - plain.q.value()).norm() == 0);
  BOOST_TEST((again.q.tail() - plain.q.tail()).norm() == 0);
  BOOST_TEST((again.p.value() - plain.p.value()).norm() == 0);
}
