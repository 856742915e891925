// What iterative refinement takes for a solution, whatever rounding the equations claim.
#include <boost/test/unit_test.hpp>

#include "gnomon/base/thresholds.hpp"
#include "run/refinement.hpp"

using namespace gnomon;

namespace {

/// x = 1, whose residual in extended precision is `noise`, of either sign in turn.
class Noisy final : public NonlinearEquations {
 public:
  Noisy(double floor, double noise) : floor_(floor), noise_(noise) {
    const Block x = layout_.unknown("x", 1), row = layout_.rows(1);
    layout_.place(row, x, SparsityPattern::diagonal(1));
    layout_.finish();
    low_.setZero(1);
  }
  void residual(const ConstVectorRef& x, VectorRef f) override { f[0] = x[0] - 1; }
  void tangent(const ConstVectorRef&, const ConstVectorRef& w, VectorRef jw) override { jw = w; }
  void jacobian(const ConstVectorRef&, VectorRef values) override { values.setOnes(); }
  void scales(VectorRef columns, VectorRef rows) const override {
    columns.setOnes();
    rows.setOnes();
  }
  double rounding_floor() const override { return floor_; }
  bool extended_residual(const ConstVectorRef&, const ConstVectorRef&, VectorRef f) override {
    f[0] = noise_;
    noise_ = -noise_;
    return true;
  }

 private:
  double floor_, noise_;
};

/// Factors of the Jacobian, which is one.
class Factors final : public NonlinearSolver {
 public:
  void attach(ScaledEquations&) override {}
  SolveReport solve(VectorRef) override { return {}; }
  bool correct(VectorRef) override { return true; }
};

Refinement::Report refined(double floor, double noise,
                           Refinement::Functions functions = Refinement::Functions::extended) {
  Noisy equations(floor, noise);
  ScaledEquations scaled(equations, JacobianSource::analytic);
  scaled.update_scales();
  Factors factors;
  Vector x = Vector::Ones(1);
  SolveReport solved;
  solved.step_norm = 1e-8;
  return Refinement(scaled, functions).refine(x, factors, solved);
}

}  // namespace

BOOST_AUTO_TEST_CASE(noise_of_the_size_of_the_rounding_is_harmless) {
  BOOST_TEST(refined(1e-15, 1e-13).solved);
  BOOST_TEST(!refined(1e-15, 1e-9).solved);
  BOOST_TEST(refined(1e-6, 1e-9).solved);  // 100 (eps of Extended / eps) 1e-6 = 5e-8 is its rounding
}

// Functions at double leave the rounding of double in every residual, whatever evaluates the rest of it.
BOOST_AUTO_TEST_CASE(noise_of_functions_at_double_is_harmless) {
  constexpr auto at_double = Refinement::Functions::first_order;
  BOOST_TEST(!refined(1e-11, 5e-10).solved);
  BOOST_TEST(refined(1e-11, 5e-10, at_double).solved);
  BOOST_TEST(!refined(1e-11, 5e-9, at_double).solved);
}

// Equations that call everything rounding do not get it.
BOOST_AUTO_TEST_CASE(no_remainder_above_the_largest_is_accepted) {
  for (const double floor : {1e-6, 1e-3, 1., 1e6})
    for (const double above : {1.01, 10., 1e2, 1e4}) {
      const Refinement::Report report = refined(floor, above * thresholds::largest_remainder);
      BOOST_TEST(!report.solved, "floor " << floor << ", remainder " << report.last);
      BOOST_TEST(!report.refined);
    }
  for (const double floor : {1., 1e6}) BOOST_TEST(refined(floor, 0.5 * thresholds::largest_remainder).solved);
}
