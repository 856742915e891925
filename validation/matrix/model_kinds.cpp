#include "matrix/model_kinds.hpp"

#include <cmath>
#include <utility>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon::matrix {

namespace {

/// What a model has beside the parts of its class.
struct Features {
  bool quadratic = false;         ///< U, g and c are at most quadratic in q, else no polynomials
  bool moving = false;            ///< U and g depend on t
  bool timed_force = false;       ///< the force depends on t
  bool variable_inertia = false;  ///< M depends on q
};

/// Three coordinates and one constraint; U has no other form than its formula.
struct Core : AutodiffModel<3, 1> {
  Features has;

  explicit Core(Features features) : has(features) {}

  SystemTraits describe() const {
    SystemTraits traits;
    traits.name = "generic-model";
    return traits;
  }
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    using std::cos;
    for (int i = 0; i < 3; ++i) m[4 * i] = S(1.0 + 0.5 * i);
    if (!has.variable_inertia) return;
    m[0] += 0.2 * cos(q[1]);
    m[4] += 0.3 * cos(q[0] - q[2]);
    m[1] = m[3] = 0.1 * cos(q[2]);
  }
  template <class S>
  S potential(const S& t, const S* q) const {
    using std::cos;
    using std::sin;
    S u = 0.5 * (q[0] * q[0] + 2.0 * q[1] * q[1] + 3.0 * q[2] * q[2]) + 0.3 * q[0] * q[1] + q[2];
    if (!has.quadratic) u += cos(q[0] + 0.5 * q[1]);
    if (has.moving) u += 0.2 * sin(t) * q[0] * q[1];
    return u;
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    using std::sin;
    g[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1.0);
    if (!has.quadratic) g[0] += 0.2 * sin(q[0] * q[2]);
    if (has.moving) g[0] += 0.1 * sin(t) * q[1];
  }
};

template <class Base>
struct WithForce : Base {
  using Base::Base;
  template <class S>
  void force(const S& t, const S* q, const S* v, S* f) const {
    using std::sin;
    for (int j = 0; j < 3; ++j) f[j] = -0.1 * v[j] * v[j] * v[j];
    f[0] += 0.2 * q[1];
    if (this->has.timed_force) f[1] += 0.2 * sin(t);
  }
};

template <class Base>
struct WithVelocityConstraint : Base {
  using Base::Base;
  template <class S>
  void velocity_constraints(const S& t, const S* q, const S* v, S* psi) const {
    using std::sin;
    psi[0] = v[0] * sin(q[1]) - 0.3 * v[1] + (1.0 + 0.2 * q[0] * q[0]) * v[2];
    if (this->has.moving) psi[0] += 0.1 * sin(t) * (v[0] + q[2]);
  }
};

template <class Base>
struct WithFriction : Base {
  using Base::Base;
  template <class S>
  void friction(const S*, const S* v, const S* lambda, S* f) const {
    using std::sqrt;
    const S pressure = sqrt(1.0 + lambda[0] * lambda[0]);
    for (int j = 0; j < 3; ++j) f[j] = -0.1 * pressure * v[j];
  }
};

/// The start is inside.
template <class Base>
struct WithObstacles : Base {
  using Base::Base;
  static constexpr int n_obstacles = 1;
  template <class S>
  void obstacles(const S* q, S* c) const {
    using std::sin;
    c[0] = 1.0 + q[0] + 0.1 * q[1] * q[1];
    if (!this->has.quadratic) c[0] += 0.1 * sin(q[2]);
  }
};

template <class Written>
ProblemInstance instance_of(const Features& features) {
  ProblemInstance instance;
  instance.q0 = Vector::Constant(3, 0.6);
  instance.p0.resize(3);
  instance.p0 << 0.3, -0.2, 0.4;
  const auto system = std::make_shared<AutodiffSystem<Written>>(Written(features), instance.q0);
  project_start(*system, instance.t0, instance.q0, instance.p0);
  instance.model = system;
  return instance;
}

template <class Written>
ModelKind kind(std::string what, Features features) {
  ModelKind result{std::move(what), instance_of<Written>(features), std::nullopt};
  if (features.quadratic) return result;
  features.quadratic = true;
  result.quadratic = instance_of<Written>(features);
  return result;
}

}  // namespace

std::vector<ModelKind> model_kinds() {
  Features plain, quadratic, quadratic_moving, moving, timed_force, inertia, inertia_timed_force, inertia_moving;
  quadratic.quadratic = true;
  quadratic_moving.quadratic = quadratic_moving.moving = true;
  moving.moving = true;
  timed_force.timed_force = true;
  inertia.variable_inertia = true;
  inertia_timed_force.variable_inertia = inertia_timed_force.timed_force = true;
  inertia_moving.variable_inertia = inertia_moving.moving = true;

  std::vector<ModelKind> kinds;
  kinds.push_back(kind<Core>("U(q) and g(q) at most quadratic", quadratic));
  kinds.push_back(kind<Core>("any smooth U(q) and g(q)", plain));
  kinds.push_back(kind<WithForce<Core>>("a force Q(q,v)", plain));
  kinds.push_back(kind<WithForce<Core>>("a force Q(q,v,t)", timed_force));
  kinds.push_back(kind<Core>("U(q,t) and g(q,t) at most quadratic in q", quadratic_moving));
  kinds.push_back(kind<Core>("any smooth U(q,t) and g(q,t)", moving));
  kinds.push_back(kind<WithFriction<Core>>("friction R(q,v,lambda)", plain));
  kinds.push_back(kind<WithObstacles<Core>>("obstacles c(q) >= 0", plain));
  kinds.push_back(kind<WithFriction<WithObstacles<Core>>>("obstacles and friction", plain));
  kinds.push_back(kind<Core>("a mass M(q)", inertia));
  kinds.push_back(kind<WithForce<Core>>("M(q) and Q(q,v,t)", inertia_timed_force));
  kinds.push_back(kind<Core>("M(q), U(q,t) and g(q,t)", inertia_moving));
  kinds.push_back(kind<WithObstacles<Core>>("M(q) and obstacles", inertia));
  kinds.push_back(kind<WithObstacles<Core>>("U(q,t), g(q,t) and obstacles", moving));
  kinds.push_back(kind<WithFriction<Core>>("M(q) and friction", inertia));
  kinds.push_back(kind<WithFriction<WithObstacles<Core>>>("M(q), friction and obstacles", inertia));
  kinds.push_back(kind<WithVelocityConstraint<Core>>("A(q) v = 0 beside g(q)", plain));
  kinds.push_back(kind<WithVelocityConstraint<WithForce<Core>>>(
      "M(q), Q(q,v), U(q,t), g(q,t) and A(q,t) v + b(q,t) = 0", inertia_moving));
  return kinds;
}

}  // namespace gnomon::matrix
