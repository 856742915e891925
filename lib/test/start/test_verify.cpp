/// \file
/// Models that contradict themselves: one false function or declaration each, found at the start and by verify().

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/start/verify.hpp"
#include "mechanism/built_models.hpp"
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
    forgotten,
    hessian,
    jacobian,
    constraint_hessian,
    potential_degree,
    constraint_degree,
    potential_in_time,
    constraint_in_time
  };
  /// The constraint in another unit: times `row`.
  explicit Pendulum(Wrong wrong, double row = 1) : wrong_(wrong), row_(row) {
    traits_ = polynomial_traits("pendulum", is(Wrong::potential_degree) ? 2 : SystemTraits::not_polynomial,
                                is(Wrong::constraint_degree) ? 1 : 2);
    traits_.n = 2;
    traits_.m = 1;
  }
  const SystemTraits& traits() const override { return traits_; }
  const Mass& mass() const override { return mass_; }
  double potential(double t, const ConstVectorRef& q) const override {
    return (is(Wrong::forgotten) ? 10 + 1e-3 * q[0] : 0.1 * std::exp(q[0])) + q[1] +
           (is(Wrong::potential_in_time) ? 1e-6 * t * q[0] : 0);
  }
  void potential_gradient(double, const ConstVectorRef& q, VectorRef out) const override {
    out[0] = is(Wrong::forgotten) ? 0 : 0.1 * std::exp(q[0]);
    out[1] = is(Wrong::gradient) ? 1.001 : 1;
  }
  void potential_hessian_times(double, const ConstVectorRef& q, const ConstVectorRef& w, VectorRef out) const override {
    out[0] = 0.1 * std::exp(q[0]) * w[0] * (is(Wrong::hessian) ? -1 : 1);
    out[1] = 0;
  }
  const SparsityPattern& constraint_pattern() const override { return constraint_pattern_; }
  void constraints(double t, const ConstVectorRef& q, VectorRef out) const override {
    out[0] = row_ * ((q.squaredNorm() - 1) / 2 + (is(Wrong::constraint_in_time) ? 1e-6 * std::sin(t) : 0));
  }
  void constraint_jacobian(double, const ConstVectorRef& q, VectorRef values) const override {
    values = row_ * q;
    if (is(Wrong::jacobian)) values[0] *= -1;
  }
  void constraint_hessian_times(double, const ConstVectorRef&, const ConstVectorRef& lambda, const ConstVectorRef& w,
                                VectorRef out) const override {
    out = (is(Wrong::constraint_hessian) ? 2 : 1) * row_ * lambda[0] * w;
  }
  void constraint_jacobian_derivative(double, const ConstVectorRef&, const ConstVectorRef& v,
                                      VectorRef values) const override {
    values = row_ * v;
  }
  void constraint_third(double, const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                        VectorRef values) const override {
    values.setZero();
  }
  void constraint_velocity(double, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    out[0] = row_ * q.dot(v);
  }
  void constraint_bias(double, const ConstVectorRef&, const ConstVectorRef& v, VectorRef out) const override {
    out[0] = row_ * v.squaredNorm();
  }
  const SparsityPattern& hessian_pattern() const override { return hessian_pattern_; }
  void lagrangian_hessian(double, const ConstVectorRef& q, const ConstVectorRef& lambda,
                          VectorRef values) const override {
    values.setConstant(row_ * lambda[0]);
    values[0] += 0.1 * std::exp(q[0]);
  }

 private:
  bool is(Wrong wrong) const { return wrong_ == wrong; }

  Wrong wrong_;
  double row_;
  SystemTraits traits_;
  Mass mass_ = Mass::diagonal(Vector::Ones(2));
  SparsityPattern constraint_pattern_ = SparsityPattern::dense(1, 2), hessian_pattern_ = SparsityPattern::diagonal(2);
};

/// Lengths of this size, and an energy that is large beside its changes where it has that constant.
struct Scaled : AutodiffModel<2, 1> {
  double size = 1, constant = 1e5;
  SystemTraits describe() const { return polynomial_traits("scaled", SystemTraits::not_polynomial, 2); }
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }
  template <class S>
  S potential(const S&, const S* q) const {
    using std::cos;
    return constant + cos(q[0] / size) * 1e-3 + q[1] / size * (q[1] / size);
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

// Below rounding every function is constant, and a derivative of zero would be right.
BOOST_AUTO_TEST_CASE(a_forgotten_derivative_is_found) {
  int found = 0;
  for (const ModelCheck& check : verify(Pendulum(Pendulum::Wrong::forgotten), 0, right, still))
    if (check.name == "potential-gradient" && std::abs(check.value - 1e-3) < 1e-6) ++found;
  BOOST_TEST(found == 1);
}

// Beside U and beside other rows, whatever their units.
BOOST_AUTO_TEST_CASE(units_of_rows_hide_nothing) {
  using Wrong = Pendulum::Wrong;
  for (const double row : {1e-12, 1e12}) {
    BOOST_TEST(all_passed(verify(Pendulum(Wrong::nothing, row), 0, right, still)), row);
    for (const Wrong wrong : {Wrong::gradient, Wrong::hessian, Wrong::jacobian, Wrong::constraint_hessian})
      BOOST_TEST(!all_passed(verify(Pendulum(wrong, row), 0, right, still)), row << " " << static_cast<int>(wrong));
  }
}

// A drive may be faster or slower than the motion under forces.
BOOST_AUTO_TEST_CASE(drives_of_any_speed_pass) {
  for (const std::string w : {"1e-6", "1", "1e3", "1e6"}) {
    const ProblemInstance driven =
        test::build("format = 1\ncoordinates = [\"x\", \"y\"]\nmass = 1\npotential = \"9.81*y + (x - sin(" + w +
                    "*t))^2\"\n[constraints]\nrod = \"(x - 0.1*sin(" + w + "*t))^2 + y^2 - 1\"\nslot = \"x - 0.3*cos(" +
                    w + "*t)\"\n[start]\nposition = { x = 0.3, y = -1 }\nproject = true\n");
    const auto checks = verify(driven);
    BOOST_TEST(all_passed(checks), "w = " << w << "\n" << to_text(checks));
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
    model.constant = 0;
    const auto checks = verify(AutodiffSystem<Scaled>(model), 0, size * right, still);
    BOOST_TEST(all_passed(checks), "size " << size << "\n" << to_text(checks));
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
