// Models that get one thing wrong, or leave out what older models had to declare: each gets the right answer or a
// sentence. Those that must not compile are in wrong_models.cpp.
#include <boost/test/unit_test.hpp>

#include "gnomon/start/consistency.hpp"
#include "model/chain_model.hpp"
#include "support/models.hpp"

using gnomon::AutodiffModel;
using gnomon::AutodiffSystem;
using gnomon::Dynamic;
using gnomon::Error;
using gnomon::Index;
using gnomon::Matrix;
using gnomon::SystemTraits;
using gnomon::Vector;

namespace {

/// A pendulum in the plane; declares nothing.
struct Plain : AutodiffModel<2, 1> {
  Vector mass() const { return Vector::Constant(2, 1.5); }
  template <class S>
  S potential(const S* q) const {
    return 9.81 * q[1];
  }
  template <class S>
  void constraints(const S* q, S* g) const {
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
};

template <class Make>
std::string sentence_of(const Make& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
#define CHECK_SENTENCE(model, part)                                                                           \
  do {                                                                                                        \
    const std::string text = sentence_of([&] { AutodiffSystem<std::decay_t<decltype(model)>> made{model}; }); \
    BOOST_TEST(text.find(part) != std::string::npos, "\"" << text << "\" without \"" << (part) << "\"");      \
  } while (false)

const Vector q2 = (Vector(2) << 0.6, -0.8).finished();

}  // namespace

BOOST_AUTO_TEST_CASE(nothing_declared) {
  const AutodiffSystem<Plain> system{Plain()};
  const SystemTraits& traits = system.traits();
  BOOST_TEST(traits.name == "Plain");
  BOOST_TEST(traits.potential_degree == 1);
  BOOST_TEST(traits.constraint_degree == 2);
  const gnomon::Parts& parts = system.parts();
  BOOST_TEST((!parts.mass && !parts.force && !parts.friction && !parts.time_dependence && !parts.obstacles));
}

namespace {
struct Forced : Plain {  // older models: has_force, time_dependent_force
  template <class S>
  void force(const S& t, const S*, const S* v, S* f) const {
    using std::sin;
    f[0] = sin(t) - 0.1 * v[0];
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(a_force_without_flags_and_an_entry_left_unset) {
  const AutodiffSystem<Forced> system{Forced()};
  BOOST_TEST(system.parts().force);
  BOOST_TEST(system.parts().force->force_depends_on_time());
  BOOST_TEST(!system.parts().time_dependence);
  Vector out = Vector::Constant(2, 77);
  system.force(0.5, q2, q2, out);
  BOOST_TEST(out[0] == std::sin(0.5) - 0.1 * 0.6);
  BOOST_TEST(out[1] == 0);
}

namespace {
struct Moving : Plain {  // time_dependent
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    const S y = q[1] - 0.1 * t;
    g[0] = 0.5 * (q[0] * q[0] + y * y - 1.0);
  }
};
struct UnusedTime : Plain {
  template <class S>
  S potential(const S&, const S* q) const {
    return 9.81 * q[1];
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(the_use_of_time_is_found) {
  BOOST_TEST(AutodiffSystem<Moving>(Moving()).parts().time_dependence);
  BOOST_TEST(!AutodiffSystem<UnusedTime>(UnusedTime()).parts().time_dependence);
  Vector rate(2);
  AutodiffSystem<Moving>(Moving()).constraint_rate_jacobian(0.3, q2, rate);
  BOOST_TEST(rate[1] == -0.1);
}

namespace {
struct VariableMass : AutodiffModel<2, 0> {  // constant_mass = false, mass()
  double off = 0.5, other = 0.5, first = 2;
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    m[0] = first + q[1] * q[1];
    m[1] = S(off);
    m[2] = S(other);
    m[3] = S(1.0);
  }
  template <class S>
  S potential(const S* q) const {
    return q[0] * q[1];
  }
};
struct WronglyConstant : VariableMass {
  static constexpr bool constant_mass = true;
};
struct ConstantMatrix : VariableMass {
  template <class S>
  void mass_matrix(const S*, S* m) const {
    m[0] = 2.0;
    m[3] = 3.0;
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(the_mass) {
  const AutodiffSystem<VariableMass> variable{VariableMass(), q2};
  BOOST_TEST(variable.parts().mass);
  BOOST_TEST(variable.mass().values()[0] == 2 + 0.64, boost::test_tools::tolerance(1e-15));
  const AutodiffSystem<ConstantMatrix> constant{ConstantMatrix()};
  BOOST_TEST(!constant.parts().mass);
  BOOST_TEST(constant.mass().is_diagonal());
  BOOST_TEST(constant.mass().diagonal_entries()[1] == 3);
  BOOST_TEST((momenta(constant, q2, q2) - (Vector(2) << 1.2, -2.4).finished()).norm() < 1e-15);

  VariableMass asymmetric;
  asymmetric.other = 0.25;
  CHECK_SENTENCE(asymmetric, "the mass matrix is not symmetric: entry (1, 0) = 0.25, entry (0, 1) = 0.5");
  VariableMass massless;
  massless.first = -1;
  CHECK_SENTENCE(massless, "coordinate 0 has the mass");
  CHECK_SENTENCE(WronglyConstant(), "declares a constant mass, but its mass_matrix depends on q");
}

namespace {
struct NoMass : Plain {
  SystemTraits describe() const {
    SystemTraits traits;
    traits.name = "no-mass";
    traits.blocks = {{"rod", 0, 1}, {"slider", 1, 1}};
    return traits;
  }
  Vector mass() const { return Vector::Unit(2, 0); }
};
struct WrongMassMatrix : Plain {
  Matrix mass() const { return (Matrix(2, 2) << 2, 1, 0, 2).finished(); }
};
}  // namespace

BOOST_AUTO_TEST_CASE(a_mass_of_zero_is_refused_by_name_and_an_asymmetric_one) {
  CHECK_SENTENCE(NoMass(), "system no-mass: coordinate 1 (slider) has the mass 0, expected a positive one");
  CHECK_SENTENCE(WrongMassMatrix(), "the mass matrix is not symmetric");
}

namespace {
struct Declares : Plain {
  int u = SystemTraits::not_polynomial, g = SystemTraits::not_polynomial;
  SystemTraits describe() const { return gnomon::polynomial_traits("declares", u, g); }
};
}  // namespace

BOOST_AUTO_TEST_CASE(degrees) {
  Declares model;
  model.g = 1;
  CHECK_SENTENCE(model,
                 "system declares: the constraints are declared a polynomial of degree 1 in q, but the terms show a "
                 "polynomial of degree 2");
  model.g = 4;  // above: the found one
  BOOST_TEST(AutodiffSystem<Declares>(model).traits().constraint_degree == 2);
}

namespace {
// The mistake is what is tested; the compiler sees it where constraints() is inlined.
#pragma GCC diagnostic ignored "-Warray-bounds"
struct TooMany : Plain {
  template <class S>
  void constraints(const S* q, S* g) const {
    g[0] = q[0];
    g[1] = q[1];
  }
};
struct NoConstraints : AutodiffModel<Dynamic, Dynamic> {
  explicit NoConstraints(Index m) : AutodiffModel(2, m) {}
  Vector mass() const { return Vector::Ones(2); }
  template <class S>
  S potential(const S* q) const {
    return q[0];
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(sizes) {
  CHECK_SENTENCE(TooMany(), "writes to entry 1 of its output, which has 1 entry");
  CHECK_SENTENCE(NoConstraints(1), "has 1 constraints, but the model has no member function \"constraints\"");
  CHECK_SENTENCE(gnomon::test::ChainModel({}), "expected at least one");
  const AutodiffSystem<NoConstraints> free{NoConstraints(0)};
  BOOST_TEST(free.m() == 0);
}

namespace {
struct Walls : AutodiffModel<2, 0> {  // n_obstacles, n_invariants
  Vector mass() const { return Vector::Ones(2); }
  template <class S>
  S potential(const S*) const {
    return S(0.0);
  }
  template <class S>
  void invariants(const S* q, S* pi) const {
    pi[0] = q[0] * q[0];
    pi[1] = q[1] * q[1];
  }
  template <class S>
  S invariant_potential(int k, const S& pi) const {
    return (1.0 + k) * pi;
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    for (int i = 0; i < 2; ++i) c[i] = q[i];
    c[2] = 3.0 - q[0] * q[1];
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(numbers_of_obstacles_and_invariants_are_found) {
  const AutodiffSystem<Walls> system{Walls()};
  BOOST_TEST(system.parts().n_obstacles() == 3);
  BOOST_TEST(system.parts().n_invariants() == 2);
  BOOST_TEST(system.traits().potential_degree == 2);
  BOOST_TEST(system.potential(0, q2) == 0.36 + 2 * 0.64, boost::test_tools::tolerance(1e-15));
  const auto closed = system.with_obstacles_closed();
  BOOST_TEST(closed->m() == 3);
  Vector g(3);
  closed->constraints(0, q2, g);
  BOOST_TEST(g[2] == -3 + 0.6 * -0.8, boost::test_tools::tolerance(1e-15));
}

namespace {
/// A chain of 41 links in the plane, with sizes at compile time: the work space of forward duals would be 2 x 82^2
/// numbers an argument.
struct Many : AutodiffModel<82, 81> {
  Vector mass() const { return Vector::Ones(82); }
  template <class S>
  S potential(const S* q) const {
    S u = 0;
    for (int k = 1; k < 82; k += 2) u += q[k];
    return u;
  }
  template <class S>
  void constraints(const S* q, S* g) const {
    g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    for (int k = 1; k < 81; ++k) {
      const int i = k % 80;
      g[k] = (q[i + 2] - q[i]) * (q[i + 2] - q[i]) + q[k] * q[0] - 1.0;
    }
  }
};
/// A branch that is a switch, or one by a number that the recording does not see, and more coordinates than forward
/// duals are made for.
template <bool hidden>
struct LargeBranching : AutodiffModel<Dynamic, Dynamic> {
  explicit LargeBranching(Index n) : AutodiffModel(n, 0) {}
  Vector mass() const { return Vector::Ones(coordinates()); }
  template <class S>
  S potential(const S* q) const {
    if constexpr (hidden) return gnomon::value_of(q[0]) > 0 ? q[0] * q[1] : q[1] * q[1];
    return q[0] > 0.0 ? q[0] * q[1] : q[1] * q[1];
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(many_coordinates) {
  const AutodiffSystem<Many> system{Many()};
  BOOST_TEST(system.traits().constraint_degree == 2);
  Vector out(82), values(system.hessian_pattern().nonzeros());
  const Vector q = Vector::LinSpaced(82, -1, 1), lambda = Vector::LinSpaced(81, 2, 1);
  system.lagrangian_hessian(0, q, lambda, values);
  system.constraint_hessian_times(0, q, lambda, q, out);
  BOOST_TEST((to_dense(system.hessian_pattern(), values) * q - out).norm() < 1e-12 * out.norm());
  BOOST_TEST(out.norm() > 1);
}

BOOST_AUTO_TEST_CASE(a_branch_is_a_switch_and_a_hidden_one_is_reported) {
  BOOST_TEST(AutodiffSystem<LargeBranching<false>>(LargeBranching<false>(201)).traits().branches.empty());
  BOOST_TEST(AutodiffSystem<LargeBranching<true>>(LargeBranching<true>(200)).traits().branches ==
             "potential: conversion to double");
  CHECK_SENTENCE(LargeBranching<true>(201),
                 "its potential branches on a value (conversion to double), which is supported up to 200 coordinates, "
                 "and it has 201");
}

namespace {
struct OldStyle : Plain {  // everything that older models declare, rightly
  static constexpr int n_invariants = 0, n_symmetries = 0, n_obstacles = 0;
  static constexpr bool constant_mass = true, has_force = false, has_friction = false;
};
}  // namespace

BOOST_AUTO_TEST_CASE(older_flags_are_accepted) {
  const AutodiffSystem<OldStyle> system{OldStyle()};
  BOOST_TEST(!system.parts().force);
  BOOST_TEST(system.parts().n_obstacles() == 0);
}
