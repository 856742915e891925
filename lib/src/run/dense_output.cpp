#include "gnomon/run/dense_output.hpp"

#include "gnomon/base/error.hpp"
#include "gnomon/start/consistency.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "model/contact_model.hpp"

namespace gnomon {

namespace {

/// With d, u, w what is left of x1 - x0, h x1' and h^2 x1'' / 2 after the terms of the start:
///     c3 + c4 + c5 = d,   3 c3 + 4 c4 + 5 c5 = u,   3 c3 + 6 c4 + 10 c5 = w
Matrix quintic(const Vector& x0, const Vector& rise, const Vector& v0, const Vector& v1, const Vector& a0,
               const Vector& a1, double h) {
  Matrix c(x0.size(), 6);
  c.col(0) = x0;
  c.col(1) = h * v0;
  c.col(2) = h * h / 2 * a0;
  const Vector d = rise - c.col(1) - c.col(2);
  const Vector u = h * v1 - c.col(1) - 2 * c.col(2);
  const Vector w = h * h / 2 * a1 - c.col(2);
  c.col(3) = 10 * d - 4 * u + w;
  c.col(4) = -15 * d + 7 * u - 2 * w;
  c.col(5) = 6 * d - 3 * u + w;
  return c;
}

/// c2 + c3 = d,   2 c2 + 3 c3 = u
Matrix cubic(const Vector& x0, const Vector& x1, const Vector& v0, const Vector& v1, double h) {
  Matrix c(x0.size(), 4);
  c.col(0) = x0;
  c.col(1) = h * v0;
  const Vector d = x1 - x0 - c.col(1), u = h * (v1 - v0);
  c.col(2) = 3 * d - u;
  c.col(3) = u - 2 * d;
  return c;
}

/// The derivative of this order by t of sum_j c_j s^j, s = (t - t0) / h.
Vector derivative(const Matrix& c, double s, double h, int order) {
  Vector sum = Vector::Zero(c.rows());
  for (Index j = c.cols() - 1; j >= order; --j) {
    double factor = 1;
    for (int i = 0; i < order; ++i) factor *= static_cast<double>(j - i) / h;
    sum = sum * s + factor * c.col(j);
  }
  return sum;
}

/// Shares what somebody else keeps alive.
template <class T>
std::shared_ptr<const T> borrowed(const T* object) {
  return {std::shared_ptr<void>(), object};
}

}  // namespace

struct StepInterpolant::Impl {
  const System* system = nullptr;
  const OverdeterminedSystem* overdetermined = nullptr;
  bool dependent_constraints = false;
  std::shared_ptr<const System> closed, model;  // with all obstacles closed, and with those that are
  std::vector<Index> contacts;
  std::shared_ptr<const OverdeterminedSystem> dae;  // of the model, where there is friction
  std::unique_ptr<Index1> index1;
  double t0 = 0, h = 0;
  Matrix first, second;  // second: of an overdetermined DAE

  void choose(const std::vector<Index>& now_closed) {
    if (model && contacts == now_closed) return;
    contacts = now_closed;
    if (!system->parts().obstacles) {
      model = borrowed(system);
    } else {
      if (!closed) closed = system->parts().obstacles->with_obstacles_closed();
      model = std::make_shared<ContactModel>(borrowed(system), closed, contacts);
    }
    index1.reset();
    dae = model->parts().friction ? overdetermined_from(model) : nullptr;
    if (dae) index1 = std::make_unique<Index1>(*dae);
  }

  void set_mechanical(const State& z0, const State& z1) {
    if (z0.closed != z1.closed)
      throw Error(ErrorCode::refused, "system " + system->traits().name +
                                          " has other contacts closed at the end of the step than at its start, and "
                                          "dense output is valid between events only");
    choose(z1.closed);
    const Index n = system->n();
    const Vector &q0 = z0.q.value(), &q1 = z1.q.value();
    Vector v0(n), v1(n), a0 = Vector::Zero(n), a1 = Vector::Zero(n), lambda(model->m());
    system->mass().solve(z0.p.value(), v0);
    system->mass().solve(z1.p.value(), v1);
    const auto accelerate = [&](double t, const Vector& q, const Vector& v, Vector& a) {
      if (!index1) return acceleration(*model, t, q, v, a, lambda, dependent_constraints);
      lambda.setZero();
      index1->solve(q, v, a, lambda);
    };
    const bool rests = index1 && v0.isZero(0) && v1.isZero(0);  // where friction holds it
    if (!rests) {
      accelerate(z0.t, q0, v0, a0);
      accelerate(z1.t, q1, v1, a1);
    }
    first = quintic(q0, (q1 - q0) + (z1.q.tail() - z0.q.tail()), v0, v1, a0, a1, h);
  }

  void set_overdetermined(const State& z0, const State& z1) {
    if (!index1) index1 = std::make_unique<Index1>(*overdetermined);
    const OverdeterminedTraits& traits = overdetermined->traits();
    const auto at_end = [&](const State& z, Vector& velocity, Vector& curve, Vector& slope) {
      Vector psi = z.lambda.size() == traits.m ? z.lambda : Vector::Zero(traits.m);
      const Vector none = Vector::Zero(traits.m);
      for (Vector* x : {&velocity, &curve}) x->setZero(traits.ny);
      slope.setZero(traits.nz);
      index1->solve(z.q.value(), z.scheme_data, slope, psi);
      const OverdeterminedPoint at{z.q.value(), z.scheme_data, psi};
      overdetermined->evaluate(Term::velocity, at, velocity);
      overdetermined->tangent(Term::velocity, at, {velocity, slope, none}, curve);
    };
    Vector v0, v1, a0, a1, w0, w1;
    at_end(z0, v0, a0, w0);
    at_end(z1, v1, a1, w1);
    const Vector rise = (z1.q.value() - z0.q.value()) + (z1.q.tail() - z0.q.tail());
    first = quintic(z0.q.value(), rise, v0, v1, a0, a1, h);
    second = cubic(z0.scheme_data, z1.scheme_data, w0, w1, h);
  }
};

StepInterpolant::StepInterpolant(const System& system, bool dependent_constraints) : impl_(std::make_unique<Impl>()) {
  if (system.parts().mass)
    throw Error(ErrorCode::refused,
                "system " + system.traits().name + " has a mass that depends on q, which dense output does not take");
  impl_->system = &system;
  impl_->dependent_constraints = dependent_constraints;
}

StepInterpolant::StepInterpolant(const OverdeterminedSystem& system) : impl_(std::make_unique<Impl>()) {
  impl_->overdetermined = &system;
}

StepInterpolant::~StepInterpolant() = default;
StepInterpolant::StepInterpolant(StepInterpolant&&) noexcept = default;
StepInterpolant& StepInterpolant::operator=(StepInterpolant&&) noexcept = default;

void StepInterpolant::set(const State& z0, const State& z1) {
  impl_->t0 = z0.t;
  impl_->h = (z1.t - z0.t) + (z1.t_tail - z0.t_tail);
  try {
    if (impl_->system)
      impl_->set_mechanical(z0, z1);
    else
      impl_->set_overdetermined(z0, z1);
  } catch (const CannotEvaluate& why) {
    throw Error(ErrorCode::callback_failed,
                "dense output needs the accelerations at both ends of the step: " + std::string(why.what()));
  }
}

void StepInterpolant::evaluate(double t, int k, VectorRef first, VectorRef second) const {
  if (k < 0 || k > 2)
    throw Error(ErrorCode::bad_value, "derivative " + std::to_string(k) + " of the solution is none of 0, 1 and 2");
  const double s = (t - impl_->t0) / impl_->h;
  first = derivative(impl_->first, s, impl_->h, k);
  if (impl_->system)
    impl_->system->mass().apply(derivative(impl_->first, s, impl_->h, k + 1), second);
  else
    second = derivative(impl_->second, s, impl_->h, k);
}

}  // namespace gnomon
