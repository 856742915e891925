#pragma once
/// \file
/// A bead with obstacles and friction, through the C interface and as a System, for the tests of the former.

#include <array>
#include <cmath>

#include "gnomon/gnomon.hpp"
#include "support/builtin_registry.hpp"
#include "test/c_api/c_api_pendulum.hpp"

namespace gnomon::bead {

/// A bead of mass 1 in the plane under gravity, in a corner c = (q2, sqrt(3/4) q1 - q2/2) >= 0 or, the floor only, with
/// g = q2 = 0, with Coulomb friction mu. Everything is linear, so that C++ and C can do the same operations.
struct Bead {
  double gravity = 1, mu = 0;
  int flag = 0;  ///< what the friction returns
};
inline double bead_U(const Bead& b, const double* q) {
  return b.gravity * q[1];
}
inline void bead_corner(const double* q, double* c) {
  c[0] = q[1];
  c[1] = std::sqrt(.75) * q[0] - .5 * q[1];
}
inline const std::array<double, 4> corner_jacobian{0, 1, std::sqrt(.75), -.5};
inline void bead_friction(const Bead& b, const double* v, double load, double* R) {
  const double speed = std::sqrt(v[0] * v[0] + v[1] * v[1]);
  for (int j = 0; j < 2; ++j) R[j] = -b.mu * load * v[j] / speed;
}
/// dR_i/dv_j = -mu load (delta_ij - v_i v_j / |v|^2) / |v|
inline void bead_friction_by_v(const Bead& b, const double* v, double load, double out[2][2]) {
  const double speed = std::sqrt(v[0] * v[0] + v[1] * v[1]);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) out[i][j] = -b.mu * load / speed * ((i == j ? 1 : 0) - v[i] * v[j] / (speed * speed));
}

/// The same as a System.
class BeadSystem final : public System, public Friction, public Obstacles {
 public:
  BeadSystem(const Bead& bead, Index constraints, Index obstacles, bool closed = false)
      : bead_(bead), rows_(constraints), contacts_(obstacles), closed_(closed) {
    traits_ = polynomial_traits("bead", 1, 1);
    traits_.n = 2;
    traits_.m = rows_ + (closed ? contacts_ : 0);
    if (contacts_ > 0 && !closed) parts_.obstacles = this;
    if (bead.mu != 0) parts_.friction = this;
    pattern_ = SparsityPattern::dense(traits_.m, 2);
    by_lambda_ = SparsityPattern::dense(2, rows_ + contacts_);
  }
  const SystemTraits& traits() const override { return traits_; }
  const Mass& mass() const override { return mass_; }
  double potential(double, const ConstVectorRef& q) const override { return bead_U(bead_, q.data()); }
  void potential_gradient(double, const ConstVectorRef&, VectorRef out) const override { out << 0, bead_.gravity; }
  void potential_hessian_times(double, const ConstVectorRef&, const ConstVectorRef&, VectorRef out) const override {
    out.setZero();
  }
  const SparsityPattern& constraint_pattern() const override { return pattern_; }
  void constraints(double, const ConstVectorRef& q, VectorRef out) const override {
    double c[2];
    bead_corner(q.data(), c);
    for (Index i = 0; i < traits_.m; ++i) out[i] = sign() * c[i];
  }
  void constraint_jacobian(double, const ConstVectorRef&, VectorRef values) const override {
    for (Index k = 0; k < values.size(); ++k) values[k] = sign() * corner_jacobian[static_cast<std::size_t>(k)];
  }
  void constraint_hessian_times(double, const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                                VectorRef out) const override {
    out.setZero();
  }
  void constraint_jacobian_derivative(double, const ConstVectorRef&, const ConstVectorRef&,
                                      VectorRef values) const override {
    values.setZero();
  }
  void constraint_third(double, const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                        VectorRef values) const override {
    values.setZero();
  }
  void constraint_velocity(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override {
    Vector values(pattern_.nonzeros());
    constraint_jacobian(t, q, values);
    multiply(pattern_, values, v, out);
  }
  void constraint_bias(double, const ConstVectorRef&, const ConstVectorRef&, VectorRef out) const override {
    out.setZero();
  }
  const SparsityPattern& hessian_pattern() const override { return square_; }
  void lagrangian_hessian(double, const ConstVectorRef&, const ConstVectorRef&, VectorRef values) const override {
    values.setZero();
  }
  void friction(const ConstVectorRef&, const ConstVectorRef& v, const ConstVectorRef& lambda,
                VectorRef out) const override {
    bead_friction(bead_, v.data(), load(lambda), out.data());
  }
  const SparsityPattern& friction_pattern(ForceArgument by) const override {
    return by == ForceArgument::lambda ? by_lambda_ : square_;
  }
  void friction_jacobian(ForceArgument by, const ConstVectorRef&, const ConstVectorRef& v, const ConstVectorRef& lambda,
                         VectorRef values) const override {
    values.setZero();
    double out[2][2] = {{0, 0}, {0, 0}}, direction[2];
    bead_friction_by_v(bead_, v.data(), load(lambda), out);
    bead_friction(bead_, v.data(), 1, direction);
    for (Index i = 0; i < 2; ++i) {
      if (by == ForceArgument::v)
        for (Index j = 0; j < 2; ++j) values[2 * i + j] = out[i][j];
      if (by == ForceArgument::lambda)
        for (Index j = 0; j < lambda.size(); ++j)
          values[lambda.size() * i + j] = lambda[j] < 0 ? -direction[i] : direction[i];
    }
  }
  Index n_obstacles() const override { return contacts_; }
  void obstacles(const ConstVectorRef& q, VectorRef out) const override { bead_corner(q.data(), out.data()); }
  std::shared_ptr<const System> with_obstacles_closed() const override {
    return std::make_shared<BeadSystem>(bead_, rows_, contacts_, true);
  }

 private:
  double sign() const { return closed_ ? -1 : 1; }
  static double load(const ConstVectorRef& lambda) {
    double sum = 0;
    for (Index i = 0; i < lambda.size(); ++i) sum += std::abs(lambda[i]);
    return sum;
  }
  Bead bead_;
  Index rows_, contacts_;
  bool closed_;
  SystemTraits traits_;
  Mass mass_ = Mass::diagonal(Vector::Ones(2));
  SparsityPattern pattern_, by_lambda_, square_ = SparsityPattern::dense(2, 2);
};

inline const Bead& bead_of(void* data) {
  return *static_cast<const Bead*>(data);
}
inline double load_of(N_Vector lambda) {
  double sum = 0;
  for (sunindextype i = 0; i < N_VGetLength(lambda); ++i) sum += std::abs(NV_Ith_S(lambda, i));
  return sum;
}

extern "C" {
inline int c_U(sunrealtype, N_Vector q, sunrealtype* U, void* data) {
  *U = bead_U(bead_of(data), NV_DATA_S(q));
  return 0;
}
inline int c_gradient(sunrealtype, N_Vector, N_Vector grad, void* data) {
  NV_Ith_S(grad, 0) = 0;
  NV_Ith_S(grad, 1) = bead_of(data).gravity;
  return 0;
}
inline int c_rows(sunrealtype, N_Vector q, N_Vector c, void*) {
  double both[2];
  bead_corner(NV_DATA_S(q), both);
  for (sunindextype i = 0; i < N_VGetLength(c); ++i) NV_Ith_S(c, i) = both[i];
  return 0;
}
inline int c_rows_jacobian(sunrealtype, N_Vector, SUNMatrix C, void*) {
  for (sunindextype i = 0; i < SM_ROWS_D(C); ++i)
    for (sunindextype j = 0; j < 2; ++j) SM_ELEMENT_D(C, i, j) = corner_jacobian[static_cast<std::size_t>(2 * i + j)];
  return 0;
}
inline int c_no_hessian(sunrealtype, N_Vector, N_Vector, SUNMatrix, void*) {
  return 0;
}
inline int c_friction(N_Vector, N_Vector v, N_Vector lambda, N_Vector R, void* data) {
  bead_friction(bead_of(data), NV_DATA_S(v), load_of(lambda), NV_DATA_S(R));
  return bead_of(data).flag;
}
inline int c_friction_by_q(N_Vector, N_Vector, N_Vector, SUNMatrix, void*) {
  return 0;
}
inline int c_friction_by_v(N_Vector, N_Vector v, N_Vector lambda, SUNMatrix R, void* data) {
  double out[2][2];
  bead_friction_by_v(bead_of(data), NV_DATA_S(v), load_of(lambda), out);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) SM_ELEMENT_D(R, i, j) = out[i][j];
  return 0;
}
inline int c_friction_by_lambda(N_Vector, N_Vector v, N_Vector lambda, SUNMatrix R, void* data) {
  double direction[2];
  bead_friction(bead_of(data), NV_DATA_S(v), 1, direction);
  for (int i = 0; i < 2; ++i)
    for (sunindextype j = 0; j < N_VGetLength(lambda); ++j)
      SM_ELEMENT_D(R, i, j) = NV_Ith_S(lambda, j) < 0 ? -direction[i] : direction[i];
  return 0;
}
}

/// The bead in C, with all derivatives.
inline void set_bead(Run& run, Bead& bead, sunindextype constraints, sunindextype obstacles) {
  BOOST_TEST(GnomonSetUserData(run.mem, &bead) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetMassDiagonal(run.mem, run.mass.get()) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetPotentialFn(run.mem, c_U) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetGradientFn(run.mem, c_gradient) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetHessianFn(run.mem, c_no_hessian, nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetDegrees(run.mem, 1, 1) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetConstraintFn(run.mem, constraints, c_rows) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetConstraintJacFn(run.mem, c_rows_jacobian, nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetObstacleFn(run.mem, obstacles, c_rows) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetObstacleJacFn(run.mem, c_rows_jacobian, nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetObstacleDegree(run.mem, 1) == GNOMON_SUCCESS);
  if (bead.mu == 0) return;
  BOOST_TEST(GnomonSetFrictionFn(run.mem, c_friction) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetFrictionJacFn(run.mem, GNOMON_BY_Q, c_friction_by_q, nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetFrictionJacFn(run.mem, GNOMON_BY_V, c_friction_by_v, nullptr) == GNOMON_SUCCESS);
  BOOST_TEST(GnomonSetFrictionJacFn(run.mem, GNOMON_BY_LAMBDA, c_friction_by_lambda, nullptr) == GNOMON_SUCCESS);
}

inline Integrator in_cpp(const Bead& bead, Index constraints, Index obstacles, const std::string& scheme,
                         const std::array<double, 4>& start, const Assignments& contact = {}) {
  ProblemInstance instance;
  instance.model = std::make_shared<BeadSystem>(bead, constraints, obstacles);
  instance.q0 = Eigen::Map<const Vector>(start.data(), 2);
  instance.p0 = Eigen::Map<const Vector>(start.data() + 2, 2);
  IntegratorOptions options;
  options.contact = contact_options(contact);
  return registry().integrator(instance, scheme, "kinsol-newton", {}, {}, options);
}

}  // namespace gnomon::bead
