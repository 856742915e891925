#include "gnomon/run/dense_output.hpp"

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/start/consistency.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "model/contact_model.hpp"
#include "start/friction_acceleration.hpp"

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

/// With values and derivatives at s = 0, 1/2 and 1: d and u are what is left of those at 1 after c0 + c1 s, d_m and u_m
/// in the middle, and
///     c2 + c3 + c4 + c5 = d,      c2/4 + c3/8 + c4/16 + c5/32 = d_m,
///     2 c2 + 3 c3 + 4 c4 + 5 c5 = u,    c2 + 3/4 c3 + c4/2 + 5/16 c5 = u_m
Matrix quintic_with_middle(const Vector& x0, const Vector& rise, const Vector& rise_m, const Vector& v0,
                           const Vector& v_m, const Vector& v1, double h) {
  Matrix c(x0.size(), 6);
  c.col(0) = x0;
  c.col(1) = h * v0;
  const Vector d = rise - c.col(1), d_m = rise_m - 0.5 * c.col(1), u = h * (v1 - v0), u_m = h * (v_m - v0);
  c.col(2) = 7 * d - u + 16 * d_m - 8 * u_m;
  c.col(3) = -34 * d + 5 * u - 32 * d_m + 32 * u_m;
  c.col(4) = 52 * d - 8 * u + 16 * d_m - 40 * u_m;
  c.col(5) = -24 * d + 4 * u + 16 * u_m;
  return c;
}

/// The derivative of this order by t of sum_j c_j s^j, s = (t - t0) / h.
Vector derivative(const Matrix& c, double s, double h, int order) {
  Vector sum = Vector::Zero(c.rows());
  for (Index j = c.cols() - 1; j >= order; --j) {
    double factor = 1;
    for (int i = 0; i < order; ++i) factor *= static_cast<double>(j - i) / h;
    sum *= s;
    sum += factor * c.col(j);
  }
  return sum;
}

/// One end of a step: x = q (y) with its derivatives; of an overdetermined DAE also z with its slope.
struct End {
  Vector x, v, a, z, slope;
};

/// p = M(q) q' and p' = M (q'' - T_pq q') along q(t).
struct Momentum {
  Momentum(const ConfigurationMass& mass, const Vector& q, const Vector& v, const Vector& a) {
    const Index n = q.size();
    Matrix m(n, n);
    Vector t_q(n), drift(n);
    mass.mass_matrix(q, m);
    p = m * v;
    mass.kinetic_hessian_times(q, p, v, Vector::Zero(n), t_q, drift);
    slope = m * (a - drift);
  }
  Vector p, slope;
};

}  // namespace

struct StepInterpolant::Impl {
  std::shared_ptr<const Model> model;          // shares what somebody else keeps alive
  std::shared_ptr<const System> system;        // the model, null for an overdetermined DAE
  std::shared_ptr<const System> closed, now;   // with all obstacles closed, and with those that are
  std::shared_ptr<ContactModel> contacts_now;  // the same, null without obstacles
  std::vector<Index> contacts;
  std::vector<int> slip;
  std::shared_ptr<const OverdeterminedSystem> dae;  // the model, null for a System
  std::unique_ptr<Index1> index1;                   // of that
  double t0 = 0, h = 0;
  Matrix first, second;  // second: of an overdetermined DAE, and p where the mass depends on q

  explicit Impl(const Model& borrowed) : model(std::shared_ptr<void>(), &borrowed), system(shared_system(model)) {
    if (system) return;
    dae = overdetermined_from(model);
    index1 = std::make_unique<Index1>(*dae);
  }

  const ConfigurationMass* mass() const { return system ? system->parts().mass : nullptr; }

  void choose(const std::vector<Index>& now_closed, const std::vector<int>& now_slip) {
    if (now && contacts == now_closed && slip == now_slip) return;
    contacts = now_closed;
    slip = now_slip;
    if (!system->parts().obstacles) {
      now = system;
    } else {
      if (!closed) closed = system->parts().obstacles->with_obstacles_closed();
      contacts_now = std::make_shared<ContactModel>(system, closed, contacts, slip);
      now = contacts_now;
    }
  }

  /// rests: it is at rest at both ends, where friction holds it.
  End end_of(const State& state, bool rests) {
    End end;
    end.x = state.q.value();
    end.v.setZero(end.x.size());
    end.a.setZero(end.x.size());
    if (system) {
      Vector scratch(end.x.size());
      system->velocity(end.x, state.p.value(), scratch, end.v);
    }
    if (rests) return end;
    if (system) {
      Vector lambda = Vector::Zero(now->m());
      friction_acceleration(*now, state.t, end.x, end.v, end.a, lambda);
      return end;
    }
    end.z = state.scheme_data;
    end.slope.setZero(end.z.size());
    const Vector none = Vector::Zero(dae->m());
    Vector psi = state.lambda.size() != dae->m() ? none : state.lambda;
    index1->solve(end.x, end.z, end.slope, psi);
    const OverdeterminedPoint at{end.x, end.z, psi};
    dae->evaluate(Term::velocity, at, end.v);
    dae->tangent(Term::velocity, at, {end.v, end.slope, none}, end.a);
    return end;
  }

  void set(const State& z0, const State& z1) {
    if (z0.closed != z1.closed || z0.slip != z1.slip)
      throw Error(ErrorCode::refused,
                  "system " + model->name() +
                      " has other contacts closed, or sliding, at the end of the step than at its start, and "
                      "dense output is valid between events only");
    if (system) choose(z1.closed, z1.slip);
    if (contacts_now && contacts_now->slides_in_space()) hold(z0, z1);
    const bool rests = system && now->parts().friction && z0.p.value().isZero(0) && z1.p.value().isZero(0);
    const End e0 = end_of(z0, rests), e1 = end_of(z1, rests);
    first = quintic(e0.x, (e1.x - e0.x) + (z1.q.tail() - z0.q.tail()), e0.v, e1.v, e0.a, e1.a, h);
    if (!system) second = cubic(e0.z, e1.z, e0.slope, e1.slope, h);
    if (mass()) set_momentum(z0, z1, e0, e1);
  }

  /// A slip in space that is rounding beside what it is at the other end has the direction in which it begins.
  void hold(const State& z0, const State& z1) {
    Vector rows(closed->m()), v(system->n()), scratch(system->n()), none = Vector::Zero(z1.held.size());
    const std::vector<SlipRows> slips = slip_rows(*system, *closed);
    for (const State* z : {&z0, &z1}) {
      system->velocity(z->q.value(), z->p.value(), scratch, v);
      closed->constraint_velocity(z->t, z->q.value(), v, rows);
      for (std::size_t k = 0; k < contacts.size(); ++k) {
        const SlipRows& at = slips[static_cast<std::size_t>(contacts[k])];
        double& most = none[static_cast<Index>(k)];
        most = std::max(most, thresholds::no_slip * rows.segment(at.first, at.count).norm());
      }
    }
    contacts_now->hold(z1.held, none);
  }

  void set_momentum(const State& z0, const State& z1, const End& e0, const End& e1) {
    const Momentum start(*mass(), e0.x, e0.v, e0.a), end(*mass(), e1.x, e1.v, e1.a),
        middle(*mass(), derivative(first, 0.5, h, 0), derivative(first, 0.5, h, 1), derivative(first, 0.5, h, 2));
    const Vector& p0 = z0.p.value();
    second = quintic_with_middle(p0, (z1.p.value() - p0) + (z1.p.tail() - z0.p.tail()), middle.p - p0, start.slope,
                                 middle.slope, end.slope, h);
  }
};

StepInterpolant::StepInterpolant(const Model& model) : impl_(std::make_unique<Impl>(model)) {}

StepInterpolant::~StepInterpolant() = default;
StepInterpolant::StepInterpolant(StepInterpolant&&) noexcept = default;
StepInterpolant& StepInterpolant::operator=(StepInterpolant&&) noexcept = default;

void StepInterpolant::set(const State& z0, const State& z1) {
  const Windings turns(z0.turns);
  impl_->t0 = z0.t;
  impl_->h = (z1.t - z0.t) + (z1.t_tail - z0.t_tail);
  try {
    impl_->set(z0, z1);
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
  if (impl_->system && !impl_->mass())
    impl_->system->mass().apply(derivative(impl_->first, s, impl_->h, k + 1), second);
  else
    second = derivative(impl_->second, s, impl_->h, k);
}

void StepInterpolant::multipliers(const State& at, Vector& lambda) const {
  const Vector& q = at.q.value();
  Vector v(q.size()), a(q.size()), scratch(q.size()), inner = Vector::Zero(impl_->now->m());
  impl_->system->velocity(q, at.p.value(), scratch, v);
  friction_acceleration(*impl_->now, at.t, q, v, a, inner);
  impl_->contacts_now->write_multipliers(q, v, inner, lambda);
}

}  // namespace gnomon
