/// \file
/// Models that contradict themselves: one false function or declaration each, found at the start and by verify().

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/start/verify.hpp"
#include "support/faulty_system.hpp"
#include "support/models.hpp"

namespace {

using namespace gnomon;

/// A pendulum of unit mass, length and gravity with every function written by hand; `wrong` changes what they return.
class Pendulum final : public System {
 public:
  enum class Wrong {
    nothing,
    gradient,
    hessian,
    jacobian,
    constraint_hessian,
    potential_degree,
    constraint_degree,
    potential_in_time,
    constraint_in_time
  };
  explicit Pendulum(Wrong wrong) : wrong_(wrong) {
    traits_ = polynomial_traits("pendulum", is(Wrong::potential_degree) ? 2 : SystemTraits::not_polynomial,
                                is(Wrong::constraint_degree) ? 1 : 2);
    traits_.n = 2;
    traits_.m = 1;
  }
  const SystemTraits& traits() const override { return traits_; }
  const Mass& mass() const override { return mass_; }
  double potential(double t, const ConstVectorRef& q) const override {
    return q[1] + 0.1 * std::exp(q[0]) + (is(Wrong::potential_in_time) ? 1e-6 * t * q[0] : 0);
  }
  void potential_gradient(double, const ConstVectorRef& q, VectorRef out) const override {
    out[0] = 0.1 * std::exp(q[0]);
    out[1] = is(Wrong::gradient) ? 1.001 : 1;
  }
  void potential_hessian_times(double, const ConstVectorRef& q, const ConstVectorRef& w, VectorRef out) const override {
    out[0] = 0.1 * std::exp(q[0]) * w[0] * (is(Wrong::hessian) ? -1 : 1);
    out[1] = 0;
  }
  const SparsityPattern& constraint_pattern() const override { return constraint_pattern_; }
  void constraints(double t, const ConstVectorRef& q, VectorRef out) const override {
    out[0] = (q.squaredNorm() - 1) / 2 + (is(Wrong::constraint_in_time) ? 1e-6 * std::sin(t) : 0);
  }
  void constraint_jacobian(double, const ConstVectorRef& q, VectorRef values) const override {
    values = q;
    if (is(Wrong::jacobian)) values[0] *= -1;
  }
  void constraint_hessian_times(double, const ConstVectorRef&, const ConstVectorRef& lambda, const ConstVectorRef& w,
                                VectorRef out) const override {
    out = (is(Wrong::constraint_hessian) ? 2 : 1) * lambda[0] * w;
  }
  void constraint_jacobian_derivative(double, const ConstVectorRef&, const ConstVectorRef& v,
                                      VectorRef values) const override {
    values = v;
  }
  void constraint_third(double, const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                        VectorRef values) const override {
    values.setZero();
  }
  void constraint_velocity(double, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    out[0] = q.dot(v);
  }
  void constraint_bias(double, const ConstVectorRef&, const ConstVectorRef& v, VectorRef out) const override {
    out[0] = v.squaredNorm();
  }
  const SparsityPattern& hessian_pattern() const override { return hessian_pattern_; }
  void lagrangian_hessian(double, const ConstVectorRef& q, const ConstVectorRef& lambda,
                          VectorRef values) const override {
    values.setConstant(lambda[0]);
    values[0] += 0.1 * std::exp(q[0]);
  }

 private:
  bool is(Wrong wrong) const { return wrong_ == wrong; }

  Wrong wrong_;
  SystemTraits traits_;
  Mass mass_ = Mass::diagonal(Vector::Ones(2));
  SparsityPattern constraint_pattern_ = SparsityPattern::dense(1, 2), hessian_pattern_ = SparsityPattern::diagonal(2);
};

/// Lengths of this size, and an energy that is large beside its changes.
struct Scaled : AutodiffModel<2, 1> {
  double size = 1;
  SystemTraits describe() const { return polynomial_traits("scaled", SystemTraits::not_polynomial, 2); }
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  S potential(const S&, const S* q) const {
    using std::cos;
    return 1e5 + cos(q[0] / size) * 1e-3 + q[1] / size * (q[1] / size);
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    g[0] = q[0] * q[0] + q[1] * q[1] - size * size;
  }
};

std::string complaint(const Model& model, double t0, const Vector& q0, const Vector& p0) {
  try {
    check_declarations(model, t0, q0, p0);
    return {};
  } catch (const Error& error) {
    BOOST_TEST((error.code() == ErrorCode::bad_value));
    return error.what();
  }
}

/// M(q) that is symmetric at q = 0 only.
struct Lopsided : AutodiffModel<2, 0> {
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    m[0] = 1;
    m[1] = 0.01 * q[0];
    m[2] = 0;
    m[3] = 1;
  }
  template <class S>
  S potential(const S* q) const {
    return q[1];
  }
};

/// Of which rounding leaves nothing near the bottom.
struct LogWell : AutodiffModel<1, 0> {
  Mass mass() const { return Mass::diagonal(Vector::Ones(1)); }
  template <class S>
  S potential(const S* q) const {
    using std::log;
    return log(1 + q[0] * q[0]);
  }
};

const Vector right = Eigen::Vector2d(1, 0), still = Vector::Zero(2);

}  // namespace

BOOST_AUTO_TEST_CASE(contradictions_are_found) {
  using Wrong = Pendulum::Wrong;
  const Pendulum sound(Wrong::nothing);
  BOOST_TEST(complaint(sound, 0, right, still) == "");
  BOOST_TEST(all_passed(verify(sound, 0, right, still)));
  const std::pair<Wrong, const char*> models[] = {
      {Wrong::gradient, "system pendulum: grad U . w along a direction w is "},
      {Wrong::hessian, "(Hess U) w along a direction w"},
      {Wrong::jacobian, "G w along a direction w"},
      {Wrong::constraint_hessian, "d(G^T lambda)/dq w along a direction w"},
      {Wrong::potential_degree, "the degree of the potential U is declared as 2, and its difference of order 3"},
      {Wrong::constraint_degree, "the degree of the constraints g is declared as 1"},
      {Wrong::potential_in_time, "the potential U is not declared to depend on time, and is "},
      {Wrong::constraint_in_time, "the constraints g is not declared to depend on time, and is "},
  };
  for (const auto& [wrong, says] : models) {
    const Pendulum model(wrong);
    const std::string found = complaint(model, 0, right, still);
    BOOST_TEST(found.find(says) != std::string::npos, "\"" << found << "\" does not say \"" << says << "\"");
    if (wrong == Wrong::potential_in_time || wrong == Wrong::constraint_in_time) continue;
    BOOST_TEST(!all_passed(verify(model, 0, right, still)), says);
  }
}

BOOST_AUTO_TEST_CASE(mass_is_symmetric_beside_the_start) {
  const std::string found = complaint(AutodiffSystem<Lopsided>(Lopsided(), still), 0, still, still);
  BOOST_TEST(found.find("system Lopsided: the mass matrix is not symmetric near the start: entry (") == 0u, found);
}

// Whatever the units, and where the gradient vanishes.
BOOST_AUTO_TEST_CASE(sizes_do_not_matter) {
  for (const double size : {1e-9, 1e-3, 1.0, 1e7}) {
    Scaled model;
    model.size = size;
    const AutodiffSystem<Scaled> system(model);
    for (const Vector& q : {right, Vector(Eigen::Vector2d(0.6, 0.8)), Vector(Vector::Zero(2))})
      BOOST_TEST(complaint(system, 0, size * q, still) == "", "size " << size << ", q = " << q.transpose());
  }
}

BOOST_AUTO_TEST_CASE(below_rounding_nothing_is_decided) {
  const AutodiffSystem<LogWell> system((LogWell()));
  for (const double x : {1e-3, 1e-5, 1e-7, 1e-9, 1e-12})
    BOOST_TEST(complaint(system, 0, Vector::Constant(1, x), Vector::Zero(1)) == "", x);
}

// A callback that fails beside the start is no contradiction.
BOOST_AUTO_TEST_CASE(failures_are_passed_over) {
  using test::FaultySystem;
  const Pendulum sound(Pendulum::Wrong::nothing);
  for (int k = 0; k < static_cast<int>(FaultySystem::Function::count); ++k)
    for (const auto how : {FaultySystem::How::throws, FaultySystem::How::nan})
      BOOST_TEST(complaint(FaultySystem(sound, static_cast<FaultySystem::Function>(k), how), 0, right, still) == "");
}

BOOST_AUTO_TEST_CASE(table) {
  const auto checks = verify(Pendulum(Pendulum::Wrong::gradient), 0, right, still);
  const std::string text = to_text(checks);
  BOOST_TEST(text.find("check                     measured   tolerance       \n") == 0u, text);
  BOOST_TEST(text.find("\nrank                             1              pass   of G, with 1 constraints\n") !=
                 std::string::npos,
             text);
  BOOST_TEST(text.find("<= 1e-07  FAIL   grad U against differences of U\n") != std::string::npos, text);
  BOOST_TEST(text.find("some checks FAILED\n") != std::string::npos);
  BOOST_CHECK_THROW(verify(Pendulum(Pendulum::Wrong::nothing), 0, 2 * right, still), Error);
}
