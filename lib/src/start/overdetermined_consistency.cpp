#include "gnomon/start/overdetermined_consistency.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/base/thrown.hpp"
#include "gnomon/model/constraint_sizes.hpp"
#include "model/term_matrix.hpp"

namespace gnomon {

namespace {

constexpr int max_iterations = 50;
constexpr int max_halvings = 40;
constexpr double largest_condition = 1e12;  // of h_z p_z^-1 r_psi
constexpr Index dense_size = 400;           // up to which it is computed at every start

using Outcome = TermMatrix::Outcome;

std::string subject(const OverdeterminedSystem& system) {
  return "system " + system.traits().name + ": ";
}

Error singular(const OverdeterminedSystem& system, const std::string& where, double condition) {
  return Error(ErrorCode::rank_deficient,
               subject(system) + "g_y v_z p_z^-1 r_psi is singular" + where + ", its condition number is " +
                   number_text(condition) +
                   "; expected multiplier forces that move the constraints independently, or no multiplier is "
                   "determined");
}

}  // namespace

std::string vector_text(const ConstVectorRef& v) {
  constexpr Index most = 6;
  std::string text = v.size() == 1 ? "" : "(";
  for (Index i = 0; i < std::min(v.size(), most); ++i) text += (i > 0 ? ", " : "") + number_text(v[i]);
  return text + (v.size() == 1 ? "" : v.size() > most ? ", ...)" : ")");
}

struct Index1::Impl {
  const OverdeterminedSystem& system;
  Index ny, nz, m;
  TermMatrix momentum, whole;  // p_z and [p_z -r_psi; h_z 0]
  Vector none, v, known, force, bias, residual, dz, right, solution, candidate, sizes;
  Vector p_y, h_y, by_psi, by_z, hidden;  // on their patterns
  Vector mass, lengths;                   // diagonal of p_z, and the lengths of the rows of h_z in its metric

  explicit Impl(const OverdeterminedSystem& s)
      : system(s),
        ny(s.traits().ny),
        nz(s.traits().nz),
        m(s.traits().m),
        momentum(s, nz, nz, {{Term::momentum, Argument::z, 0, 0, 1}}),
        whole(s, nz + m, nz,
              {{Term::momentum, Argument::z, 0, 0, 1},
               {Term::multiplier_force, Argument::psi, 0, nz, -1},
               {Term::hidden, Argument::z, nz, 0, 1}}) {
    for (Vector* x : {&none, &bias, &candidate}) x->setZero(m);
    sizes.setOnes(m);
    for (Vector* x : {&known, &force, &residual, &dz}) x->setZero(nz);
    for (Vector* x : {&right, &solution}) x->setZero(nz + m);
    v.setZero(ny);
    p_y.setZero(s.pattern(Term::momentum, Argument::y).nonzeros());
    h_y.setZero(s.pattern(Term::hidden, Argument::y).nonzeros());
    by_psi.setZero(s.pattern(Term::multiplier_force, Argument::psi).nonzeros());
    by_z.setZero(s.pattern(Term::momentum, Argument::z).nonzeros());
    hidden.setZero(s.pattern(Term::hidden, Argument::z).nonzeros());
    mass.setOnes(nz);
    lengths.setOnes(m);
  }

  /// out = d(term)/dy v
  void along_velocity(Term term, const OverdeterminedPoint& at, Vector& values, Vector& out) {
    if (values.size() > 0) system.jacobian(term, Argument::y, at, values);
    multiply(system.pattern(term, Argument::y), values, v, out);
  }

  /// force = r(psi); false where it is not finite or cannot be evaluated
  bool multiplier_force(const OverdeterminedPoint& at) {
    try {
      system.evaluate(Term::multiplier_force, at, force);
    } catch (const CannotEvaluate&) {
      return false;
    }
    return force.allFinite();
  }

  /// What psi counts against: the force and the curvature of the constraints that it has to balance.
  void find_sizes(const OverdeterminedPoint& at) {
    const SparsityPattern &r = system.pattern(Term::multiplier_force, Argument::psi),
                          &p_z = system.pattern(Term::momentum, Argument::z),
                          &h_z = system.pattern(Term::hidden, Argument::z);
    system.jacobian(Term::multiplier_force, Argument::psi, at, by_psi);
    system.jacobian(Term::momentum, Argument::z, at, by_z);
    system.jacobian(Term::hidden, Argument::z, at, hidden);
    for (Index j = 0; j < nz; ++j) {
      const Index k = p_z.find(j, j);
      mass[j] = k >= 0 && by_z[k] != 0 ? std::abs(by_z[k]) : 1;
    }
    row_lengths(h_z, hidden, mass, lengths);
    const double strength =
        std::sqrt(known.cwiseAbs2().cwiseQuotient(mass).sum()) + max_norm(bias.cwiseQuotient(lengths));
    sizes.setZero();
    for (Index i = 0; i < r.rows; ++i)
      for (Index k = r.offsets[i]; k < r.offsets[i + 1]; ++k) sizes[r.indices[k]] += by_psi[k] * by_psi[k] / mass[i];
    for (Index i = 0; i < m; ++i) {
      const double length = sizes[i] > 0 && std::isfinite(sizes[i]) ? std::sqrt(sizes[i]) : lengths[i];
      sizes[i] = strength > 0 ? strength / length : 1;
    }
  }

  /// psi += dpsi, halved until r(psi) can be evaluated; leaves it in `force`. Returns the part of psi that the step
  /// was.
  double advance(const ConstVectorRef& y, const ConstVectorRef& z, VectorRef psi) {
    double share = 1;
    for (int halving = 0; halving <= max_halvings; ++halving, share /= 2) {
      candidate = psi + share * solution.tail(m);
      if (!multiplier_force({y, z, candidate})) continue;
      const double part = share * largest_part(solution.tail(m), psi, sizes);
      psi = candidate;
      return part;
    }
    throw CannotEvaluate("the multiplier force r(y,z,psi) is not finite at psi = " + vector_text(candidate) +
                         " on the way to the multiplier");
  }

  double condition(const OverdeterminedPoint& at) const {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const auto dense = [&](Term term, Argument argument) {
      const SparsityPattern& pattern = system.pattern(term, argument);
      Vector values(pattern.nonzeros());
      system.jacobian(term, argument, at, values);
      return to_dense(pattern, values);
    };
    const Matrix p_z = dense(Term::momentum, Argument::z);
    Vector d = p_z.diagonal().cwiseAbs().cwiseSqrt();
    for (double& w : d)
      if (!(w > 0)) w = 1;
    Matrix hidden = dense(Term::hidden, Argument::z) * d.cwiseInverse().asDiagonal();
    Matrix force = d.asDiagonal() * p_z.partialPivLu().solve(dense(Term::multiplier_force, Argument::psi));
    hidden.rowwise().normalize();
    force.colwise().normalize();
    const Matrix reduced = hidden * force;
    if (!reduced.allFinite()) return infinite;
    const Vector s = Eigen::JacobiSVD<Matrix>(reduced).singularValues();
    // Not s[0]/s[last]: a single constraint would always be well conditioned.
    return s[s.size() - 1] > 0 ? std::max(s[0], 1.0) / s[s.size() - 1] : infinite;
  }

  void require_regular(Outcome outcome, const OverdeterminedPoint& at) const {
    if (outcome == Outcome::regular) return;
    if (m == 0) {
      if (outcome == Outcome::suspicious) return;
      throw CannotEvaluate("the derivative of the momentum p(y,z) by z is singular");
    }
    const double c = condition(at);
    if (outcome == Outcome::suspicious && c <= largest_condition) return;
    throw singular(system, "", c);
  }
};

Index1::Index1(const OverdeterminedSystem& system) : impl_(std::make_unique<Impl>(system)) {}
Index1::~Index1() = default;

void Index1::solve_momentum(const ConstVectorRef& y, const ConstVectorRef& p, VectorRef z) {
  Impl& s = *impl_;
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const OverdeterminedPoint at{y, z, s.none};
    s.system.evaluate(Term::momentum, at, s.residual);
    s.residual -= p;
    if (max_norm(s.residual) == 0) return;
    const Outcome outcome = s.momentum.factor(at);
    if (outcome == Outcome::singular || outcome == Outcome::not_finite)
      throw CannotEvaluate("the derivative of the momentum p(y,z) by z is singular");
    s.momentum.solve(s.residual, s.dz);
    if (!s.dz.allFinite()) break;
    z -= s.dz;
    const double step = part_of(max_norm(s.dz), max_norm(z));
    if (at_rounding(step, last) || max_norm(s.residual) <= thresholds::residual_rounding * max_norm(p)) return;
    last = step;
  }
  throw CannotEvaluate("no z was found that belongs to the momentum p(y,z)");
}

void Index1::solve(const ConstVectorRef& y, const ConstVectorRef& z, VectorRef w, VectorRef psi) {
  Impl& s = *impl_;
  const OverdeterminedPoint at{y, z, psi};
  s.system.evaluate(Term::velocity, at, s.v);
  s.along_velocity(Term::momentum, at, s.p_y, s.residual);
  s.system.evaluate(Term::force, at, s.known);
  s.known -= s.residual;
  if (!s.system.hidden_bias(at, s.bias)) s.along_velocity(Term::hidden, at, s.h_y, s.bias);
  if (!s.known.allFinite() || !s.bias.allFinite())
    throw CannotEvaluate("the force or the curvature of the constraints is not finite");

  const auto factor = [&] { return s.multiplier_force(at) ? s.whole.factor(at) : Outcome::not_finite; };
  Outcome outcome = factor();
  s.find_sizes(at);
  if (s.m > 0 && (outcome == Outcome::not_finite || outcome == Outcome::singular)) {  // powers of psi are so at zero
    psi = s.sizes;
    outcome = factor();
  }
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    if (iteration > 0) outcome = s.whole.factor(at);
    if (outcome == Outcome::not_finite)
      throw CannotEvaluate("the multiplier force r(y,z,psi) is not finite at psi = " + vector_text(psi));
    s.require_regular(outcome, at);
    // With w eliminated from the rows: p_z w - r_psi dpsi = f + r - p_y v, so that w is solved for, psi corrected.
    s.right.head(s.nz) = s.known + s.force;
    s.right.tail(s.m) = -s.bias;
    s.whole.solve(s.right, s.solution);
    if (!s.solution.allFinite()) s.require_regular(Outcome::singular, at);
    w = s.solution.head(s.nz);
    if (at_rounding(largest_part(s.solution.tail(s.m), psi, s.sizes), last)) {
      psi += s.solution.tail(s.m);
      return;
    }
    last = s.advance(y, z, psi);
  }
  throw CannotEvaluate(
      "no multiplier was found that keeps the hidden constraint satisfied; a multiplier force r(y,z,psi) as strong as "
      "what it balances may leave none");
}

double Index1::condition(const ConstVectorRef& y, const ConstVectorRef& z, const ConstVectorRef& psi) {
  return impl_->condition({y, z, psi});
}

void check_start(const OverdeterminedSystem& system, const Vector& y0, const Vector& z0) {
  const OverdeterminedTraits& traits = system.traits();
  const auto check_vector = [&](const std::string& name, const Vector& x, Index expected) {
    if (x.size() != expected)
      throw Error(ErrorCode::bad_size, subject(system) + "the start " + name + " has " + std::to_string(x.size()) +
                                           " entries, expected " + std::to_string(expected));
    for (Index j = 0; j < x.size(); ++j)
      if (!std::isfinite(x[j]))
        throw Error(ErrorCode::not_finite, subject(system) + "the start " + name + "[" + std::to_string(j) +
                                               "] = " + number_text(x[j]) + " is not a finite number");
  };
  check_vector(traits.state_names[0] + "0", y0, traits.ny);
  check_vector(traits.state_names[1] + "0", z0, traits.nz);

  Vector psi = Vector::Zero(traits.m);
  const auto value = [&](Term term) {
    Vector out(traits.rows(term));
    try {
      system.evaluate(term, {y0, z0, psi}, out);
    } catch (...) {
      throw Error(ErrorCode::callback_failed,
                  subject(system) + "the " + to_string(term) + " cannot be evaluated at the start: " + thrown_text());
    }
    for (Index i = 0; i < out.size(); ++i)
      if (!std::isfinite(out[i]))
        throw Error(ErrorCode::not_finite, subject(system) + "the " + to_string(term) + " is " + number_text(out[i]) +
                                               " at the start (entry " + std::to_string(i) + ")");
    return out;
  };
  for (const Term term : all_terms) value(term);

  const auto check_level = [&](Term term, Argument argument, const Vector& scale_of) {
    const Vector r = value(term);
    const SparsityPattern& pattern = system.pattern(term, argument);
    Vector values(pattern.nonzeros()), sizes(traits.m);
    system.jacobian(term, argument, {y0, z0, psi}, values);
    constraint_sizes(pattern, values, Vector::Ones(pattern.cols), scale_of, sizes);
    for (Index i = 0; i < traits.m; ++i) {
      const double tolerance = thresholds::misfit * sizes[i];
      if (std::abs(r[i]) > tolerance)
        throw Error(ErrorCode::inconsistent_start, subject(system) + "the start is off the manifold: the " +
                                                       to_string(term) + "[" + std::to_string(i) +
                                                       "] = " + number_text(r[i]) + ", expected at most " +
                                                       number_text(tolerance) + " in size");
    }
  };
  check_level(Term::constraint, Argument::y, y0);
  check_level(Term::hidden, Argument::z, z0);

  if (traits.m == 0) return;
  Vector w = Vector::Zero(traits.nz);
  Index1 index1(system);
  try {
    index1.solve(y0, z0, w, psi);
  } catch (const CannotEvaluate& error) {
    throw Error(ErrorCode::callback_failed, subject(system) + "at the start " + error.what());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::rank_deficient) throw;
    throw singular(system, " at the start", index1.condition(y0, z0, psi));
  }
  if (traits.nz + traits.m > dense_size) return;
  if (const double condition = index1.condition(y0, z0, psi); condition > largest_condition)
    throw singular(system, " at the start", condition);
}

}  // namespace gnomon
