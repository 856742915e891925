#include "gnomon/overdetermined_consistency.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <Eigen/SparseLU>
#include <cmath>

#include "gnomon/error.hpp"

namespace gnomon {

namespace {

constexpr int max_iterations = 50;
constexpr double largest_condition = 1e12;  // of h_z p_z^-1 r_psi
constexpr Index dense_size = 400;           // up to which it is computed at every start

using Sparse = Eigen::SparseMatrix<double>;

std::string subject(const OverdeterminedSystem& system) {
  return "system " + system.traits().name + ": ";
}

Error singular(const OverdeterminedSystem& system, double condition) {
  return Error(ErrorCode::rank_deficient,
               subject(system) + "g_y v_z p_z^-1 r_psi is singular at the start, its condition number is " +
                   number_text(condition) +
                   "; expected multiplier forces that move the constraints independently, or no multiplier is "
                   "determined");
}

double max_norm(const Vector& v) {
  return v.size() ? v.lpNorm<Eigen::Infinity>() : 0;
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
  Vector none;
  std::vector<Eigen::Triplet<double>> entries;

  explicit Impl(const OverdeterminedSystem& s) : system(s), ny(s.traits().ny), nz(s.traits().nz), m(s.traits().m) {
    none = Vector::Zero(m);
  }

  void place(Term term, Argument argument, const OverdeterminedPoint& at, Index row, Index column, double factor) {
    const SparsityPattern& pattern = system.pattern(term, argument);
    Vector values(pattern.nonzeros());
    system.jacobian(term, argument, at, values);
    for (Index i = 0; i < pattern.rows; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
        entries.emplace_back(row + i, column + pattern.indices[k], factor * values[k]);
  }
  Vector product(Term term, Argument argument, const OverdeterminedPoint& at, const Vector& x) const {
    const SparsityPattern& pattern = system.pattern(term, argument);
    Vector values(pattern.nonzeros()), out = Vector::Zero(pattern.rows);
    system.jacobian(term, argument, at, values);
    multiply(pattern, values, x, out);
    return out;
  }
  Vector evaluate(Term term, const OverdeterminedPoint& at) const {
    Vector out(system.traits().rows(term));
    system.evaluate(term, at, out);
    return out;
  }

  /// A^-1 b for the matrix of the entries; false where it is singular.
  bool solve(Index size, const Vector& b, Vector& x) const {
    Sparse a(size, size);
    a.setFromTriplets(entries.begin(), entries.end());
    Eigen::SparseLU<Sparse> lu(a);
    if (lu.info() != Eigen::Success) return false;
    x = lu.solve(b);
    return x.allFinite();
  }

  double condition(const OverdeterminedPoint& at) {
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
};

Index1::Index1(const OverdeterminedSystem& system) : impl_(std::make_unique<Impl>(system)) {}
Index1::~Index1() = default;

void Index1::solve_momentum(const ConstVectorRef& y, const ConstVectorRef& p, VectorRef z) {
  Impl& s = *impl_;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const OverdeterminedPoint at{y, z, s.none};
    const Vector residual = s.evaluate(Term::momentum, at) - p;
    s.entries.clear();
    s.place(Term::momentum, Argument::z, at, 0, 0, 1);
    Vector dz;
    if (!s.solve(s.nz, residual, dz)) throw CannotEvaluate("the derivative of the momentum p(y,z) by z is singular");
    z -= dz;
    if (max_norm(dz) <= 1e-15 * max_norm(z) || max_norm(residual) <= 1e-15 * max_norm(p)) return;
  }
  throw CannotEvaluate("no z was found that belongs to the momentum p(y,z)");
}

void Index1::solve(const ConstVectorRef& y, const ConstVectorRef& z, VectorRef w, VectorRef psi) {
  Impl& s = *impl_;
  const OverdeterminedPoint start{y, z, psi};
  const Vector v = s.evaluate(Term::velocity, start);
  const Vector known = s.evaluate(Term::force, start) - s.product(Term::momentum, Argument::y, start, v);
  const Vector bias = s.product(Term::hidden, Argument::y, start, v);
  // Friction like psi^r, r < 1, has no derivative at psi = 0.
  Vector r_psi(s.system.pattern(Term::multiplier_force, Argument::psi).nonzeros());
  s.system.jacobian(Term::multiplier_force, Argument::psi, start, r_psi);
  if (!r_psi.allFinite()) psi.setOnes();
  Vector b(s.nz + s.m), x;
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const OverdeterminedPoint at{y, z, psi};
    s.entries.clear();
    s.place(Term::momentum, Argument::z, at, 0, 0, 1);
    s.place(Term::multiplier_force, Argument::psi, at, 0, s.nz, -1);
    s.place(Term::hidden, Argument::z, at, s.nz, 0, 1);
    // With w eliminated from the rows: p_z w - r_psi dpsi = f + r - p_y v, so that w is solved for, psi corrected.
    const Vector r = s.evaluate(Term::multiplier_force, at);
    if (!r.allFinite())
      throw CannotEvaluate("the multiplier force r(y,z,psi) is not finite at psi = " + vector_text(psi));
    b << known + r, -bias;
    if (!s.solve(s.nz + s.m, b, x)) throw singular(s.system, s.condition(at));
    w = x.head(s.nz);
    psi += x.tail(s.m);
    const double step = max_norm(x.tail(s.m)), size = max_norm(psi);
    if (step <= 1e-15 * (1 + size) || (step <= 1e-9 * (1 + size) && step >= last)) return;
    last = step;
  }
  throw CannotEvaluate("no multiplier was found for which the hidden constraint stays satisfied");
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
    } catch (const std::exception& error) {
      throw Error(ErrorCode::callback_failed,
                  subject(system) + "the " + to_string(term) + " cannot be evaluated at the start: " + error.what());
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
    Vector values(pattern.nonzeros());
    system.jacobian(term, argument, {y0, z0, psi}, values);
    for (Index i = 0; i < traits.m; ++i) {
      double scale = 0;
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
        scale += std::abs(values[k]) * std::max(1.0, std::abs(scale_of[pattern.indices[k]]));
      const double tolerance = 1e-10 * std::max(scale, 1e-300);
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
  }
  if (traits.nz + traits.m > dense_size) return;
  if (const double condition = index1.condition(y0, z0, psi); condition > largest_condition)
    throw singular(system, condition);
}

}  // namespace gnomon
