// Systems from tapes against systems from forward duals of the same models.
#include <boost/test/unit_test.hpp>

#include "gnomon/model/system_at.hpp"
#include "model/chain_model.hpp"
#include "support/compare_systems.hpp"
#include "support/models.hpp"

using gnomon::AutodiffModel;
using gnomon::Index;
using gnomon::Matrix;
using gnomon::Vector;
using gnomon::test::compare;
using gnomon::test::q4;

namespace {

/// Two angles, M = [a, b cos(q1 - q0); ., c], friction that grows with the multiplier.
struct Angles : AutodiffModel<2, 1> {
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    using std::cos;
    m[0] = 1.4;
    m[1] = m[2] = 0.5 * cos(q[1] - q[0]);
    m[3] = 0.35;
  }
  template <class S>
  S potential(const S* q) const {
    using std::cos;
    return -2.0 * cos(q[0]) - cos(q[1]);
  }
  template <class S>
  void constraints(const S* q, S* g) const {
    using std::cos;
    g[0] = cos(q[0]) + 0.5 * cos(q[1]) - 1.0;
  }
  template <class S>
  void friction(const S* q, const S* v, const S* lambda, S* f) const {
    using std::sqrt;
    for (int j = 0; j < 2; ++j) f[j] = -0.1 * v[j] * sqrt(1.0 + lambda[0] * lambda[0]) / (1.0 + q[j] * q[j]);
  }
};
/// A chain of ten angles: more than the second derivatives of M that forward duals take at a time.
struct ManyAngles : AutodiffModel<10, 1> {
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    using std::cos, std::sin;
    for (int i = 0; i < 10; ++i) m[11 * i] = 2.0 + 0.3 * sin(q[i]);
    for (int i = 0; i < 9; ++i) m[10 * i + i + 1] = m[10 * (i + 1) + i] = 0.4 * cos(q[i] - q[i + 1]);
  }
  template <class S>
  S potential(const S* q) const {
    using std::cos;
    return -cos(q[0]) - q[9] * q[9] * q[4];
  }
  template <class S>
  void constraints(const S* q, S* g) const {
    using std::sin;
    g[0] = sin(q[2]) * q[3];
  }
};
/// Angles with a branch in everything, on a value that the test does not cross.
struct BranchingAngles : Angles {
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    Angles::mass_matrix(q, m);
    if (q[0] > 50.0) m[0] = 2.0;
  }
  template <class S>
  S potential(const S* q) const {
    using std::abs;
    return Angles::potential(q) + abs(q[0] + 50.0);
  }
};
struct PlainAngles : Angles {
  template <class S>
  S potential(const S* q) const {
    return Angles::potential(q) + (q[0] + 50.0);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(all_parts_as_with_forward_duals) {
  const gnomon::model::ForwardSystem<gnomon::test::Nonlinear> forward{gnomon::test::Nonlinear()};
  const gnomon::model::RecordedSystem<gnomon::test::Nonlinear> recorded{gnomon::test::Nonlinear()};
  compare(forward, recorded, 0.7, q4, 1e-13);
  BOOST_TEST(recorded.parts().force->force_depends_on_time());
  BOOST_TEST(recorded.symmetry_name(0) == "turn");
  const auto forward_closed = forward.with_obstacles_closed(), recorded_closed = recorded.with_obstacles_closed();
  BOOST_TEST(recorded_closed->m() == 3);
  compare(*forward_closed, *recorded_closed, 0.7, q4, 1e-13);
}

BOOST_AUTO_TEST_CASE(quadratic_constraints_as_with_forward_duals) {
  gnomon::test::Rods<> model;
  for (const double sway : {0.0, 0.3}) {
    model.sway = sway;
    const gnomon::model::ForwardSystem<gnomon::test::Rods<>> forward{model};
    const gnomon::model::RecordedSystem<gnomon::test::Rods<>> recorded{model};
    BOOST_TEST((recorded.parts().time_dependence != nullptr) == (sway != 0));
    BOOST_TEST(recorded.constraint_pattern().nonzeros() == 6);
    compare(forward, recorded, 0.7, q4, 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(a_mass_that_depends_on_q_and_friction) {
  const Vector q = (Vector(2) << 0.4, 1.3).finished();
  const gnomon::model::ForwardSystem<Angles> forward{Angles(), q};
  const gnomon::model::RecordedSystem<Angles> recorded{Angles(), q};
  BOOST_TEST(forward.parts().mass);
  BOOST_TEST(forward.parts().friction);
  BOOST_TEST(forward.traits().name == "Angles");
  compare(forward, recorded, 0, q, 1e-13);
  // mass() is M at the start
  Matrix at_start(2, 2);
  recorded.mass_matrix(q, at_start);
  BOOST_TEST((to_dense(recorded.mass().pattern(), recorded.mass().values()) == at_start));
  BOOST_TEST((to_dense(forward.mass().pattern(), forward.mass().values()) == at_start));
  const Vector v = (Vector(2) << 0.7, -0.2).finished();
  BOOST_TEST((momenta(recorded, q, v) - at_start * v).norm() == 0);
}

BOOST_AUTO_TEST_CASE(a_mass_of_many_angles) {
  const Vector q = Vector::LinSpaced(10, 0.4, 1.9);
  const gnomon::model::ForwardSystem<ManyAngles> forward{ManyAngles(), q};
  const gnomon::model::RecordedSystem<ManyAngles> recorded{ManyAngles(), q};
  BOOST_TEST(forward.parts().mass);
  compare(forward, recorded, 0, q, 1e-12);
}

BOOST_AUTO_TEST_CASE(branches_take_forward_duals_in_chunks) {
  const Vector q = (Vector(2) << 0.4, 1.3).finished();
  const gnomon::model::RecordedSystem<BranchingAngles> branching{BranchingAngles(), q};
  const gnomon::model::RecordedSystem<PlainAngles> plain{PlainAngles(), q};
  BOOST_TEST(branching.traits().branches == "potential: abs; mass_matrix: >");
  BOOST_TEST(plain.traits().branches == "");
  BOOST_TEST(branching.traits().potential_degree == gnomon::SystemTraits::not_polynomial);
  compare(plain, branching, 0, q, 1e-13);
}

BOOST_AUTO_TEST_CASE(a_chain_of_any_length_is_sparse) {
  const Index links = 50;
  const gnomon::AutodiffSystem<gnomon::test::ChainModel> system{
      gnomon::test::ChainModel(std::vector<double>(links, 1.0 / links))};
  BOOST_TEST(system.n() == 3 * links);
  BOOST_TEST(system.m() == links);
  BOOST_TEST(system.traits().potential_degree == 1);
  BOOST_TEST(system.traits().constraint_degree == 2);
  BOOST_TEST(!system.parts().time_dependence);
  BOOST_TEST(system.constraint_pattern().nonzeros() == 6 * links - 3);
  BOOST_TEST(system.hessian_pattern().nonzeros() == 9 * links - 6);
  BOOST_TEST(system.mass().is_diagonal());
}
