/// Over a step backwards, by transposed equations, and what a product with a change at random says of it.
#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/model/start_velocity.hpp"
#include "gnomon/model/system.hpp"
#include "run/derivatives/step_derivative.hpp"
#include "start/saddle_point.hpp"

namespace gnomon {

bool StepDerivative::has_transpose() const {
  return !whole_ && !line_.repeats() && line_.extended();
}

namespace {

SparsityPattern first_rows(const SparsityPattern& pattern, Index rows) {
  SparsityPattern first = pattern;
  first.rows = rows;
  first.offsets.resize(static_cast<std::size_t>(rows) + 1);
  first.indices.resize(static_cast<std::size_t>(first.offsets.back()));
  return first;
}

/// How exact a product of a covector and a change is by quotients of two points, in parts of its terms.
constexpr double exact_product = 0x1p-40;

double size_of_terms(const StateChange& covector, const StateChange& change) {
  const auto part = [](const Vector& a, const Vector& b) {
    return a.size() == b.size() ? a.cwiseAbs().dot(b.cwiseAbs()) : 0;
  };
  return part(covector.q, change.q) + part(covector.p, change.p) + part(covector.data, change.data) +
         part(covector.border, change.border);
}

}  // namespace

/// The derivative along a change at random of all that a step depends on.
bool StepDerivative::find_check() {
  if (!check_)
    check_ = std::make_unique<Direction>(Direction::of_state, Sensitivities::Parameter{"the state", 1, false, {}});
  std::uniform_real_distribution<double> part(-1, 1);
  const auto set_entries = [&](const Vector& sizes, Vector& out) {
    for (Index j = 0; j < out.size(); ++j) out[j] = part(random_) * sizes[j];
  };
  const Index n = start_.q.value().size();
  const Vector sizes = sizes_of(start_, run_->system().mass());
  StateChange& change = check_->start;
  change = StateChange::zero(start_);
  set_entries(sizes.head(n), change.q);
  set_entries(sizes.tail(n), change.p);
  const Index carried = run_->equations().carried_arguments(start_);
  const double data = carried > 0 ? start_.scheme_data.head(carried).lpNorm<Eigen::Infinity>() : 0;
  for (Index j = 0; j < carried; ++j) change.data[j] = part(random_) * data;
  for (Index j = 0; j + 1 < change.border.size(); ++j) change.border[j] = part(random_) * sizes[j];
  return find(*check_);
}

bool StepDerivative::pull_back(const StateChange& of_end, Index size, const Sensitivities::Measure& f,
                               const Vector* of_values, StateChange& of_start) {
  // Quotients of two points, then those of six; then patterns are looked for once more.
  for (bool again = false;;) {
    StateChange at_end = of_end;
    if (renews_border()) at_end.q += at_end.border.head(at_end.q.size());
    if (of_values && !add_gradient(size, f, *of_values, again, at_end)) return false;
    if (!transpose_.pull_back(line_, unchanged(0), start_, h_, at_end, of_start)) {
      failure_ = transpose_.failure();
      return false;
    }
    if (!renews_border()) of_start.border += of_end.border;
    if (!find_check()) return false;
    const Direction& check = *check_;
    const Vector values = of_values ? derivative(check, size, f) : Vector();
    const double forwards = inner(of_end, check.end) + (of_values ? of_values->dot(values) : 0);
    const double off = std::abs(forwards - inner(of_start, check.start));
    const double terms = size_of_terms(of_end, check.end) + size_of_terms(of_start, check.start) +
                         (of_values ? of_values->cwiseAbs().dot(values.cwiseAbs()) : 0);
    if (off <= (transpose_.by_two_points() ? exact_product : thresholds::unshrinking_change) * terms)
      return take_off_normals(of_start.q);
    if (transpose_.by_two_points()) {
      transpose_.take_six_points();
    } else if (!again) {
      again = true;
      transpose_.forget_patterns();
    } else {
      failure_ = "its transposed equations are off by " + number_text(off / terms) + " of the terms of a product";
      return false;
    }
  }
}

/// A change of q that leaves the constraints asks for impulses of the size M/h, so that its part of dJ/dq is large, and
/// its rounding in the step before: of_q <- of_q - G^T mu, G M^-1 of_q = 0.
bool StepDerivative::take_off_normals(Vector& of_q) try {
  const System& base = run_->system();
  const Index rows = base.m() - base.parts().n_velocity_constraints();
  if (rows == 0 || !run_->promises().position) return true;
  const Vector& q0 = start_.q.value();
  if (!base.parts().mass && base.mass().is_diagonal() && run_->constraint_rank().dependent.empty()) {
    if (!normals_) {
      const SparsityPattern pattern = first_rows(base.constraint_pattern(), rows);
      normals_.emplace(Normals{pattern, GramCholesky(pattern, pattern), Vector(base.constraint_pattern().nonzeros())});
    }
    const SparsityPattern& g = normals_->pattern;
    base.constraint_jacobian(start_.t, q0, normals_->values);
    const auto values = normals_->values.head(g.nonzeros());
    Vector by_mass = values;
    for (Index e = 0; e < by_mass.size(); ++e)
      by_mass[e] /= base.mass().diagonal_entries()[g.indices[static_cast<std::size_t>(e)]];
    if (normals_->factors.factorise(values, by_mass)) {
      Vector mu(rows), off(of_q.size());
      for (int pass = 0; pass < 2; ++pass) {  // the second one takes what the condition of G M^-1 G^T leaves
        multiply(g, by_mass, of_q, mu);
        normals_->factors.solve(mu);
        multiply_transposed(g, values, mu, off);
        of_q -= off;
      }
      return true;
    }
  }
  Vector x, multipliers;
  SaddlePoint(base, start_.t, q0, thresholds::rank, nullptr, true).solve(of_q, Vector::Zero(base.m()), x, multipliers);
  of_q = momenta(base, q0, x);
  return true;
} catch (const Error& error) {
  failure_ = error.what();
  return false;
}

/// covector += (df/dz)^T weights at the end of the step, by q and p.
bool StepDerivative::add_gradient(Index size, const Sensitivities::Measure& f, const Vector& weights, bool again,
                                  StateChange& covector) {
  const Index n = again_.q.value().size();
  State moved;
  Vector values(size);
  StateChange change = StateChange::zero(again_);
  const auto at = [&](const VectorOf<Extended>& d, VectorOf<Extended>& out) {
    change.q = d.head(n).cast<double>();
    change.p = d.tail(n).cast<double>();
    displace(again_, change, 1, moved);
    const InUse in_use(*same_);
    const Windings turns(moved.turns);
    f(*same_, moved, values);
    out = values.cast<Extended>();
    return values.allFinite();
  };
  if (again || measured_.columns() != 2 * n) {
    measured_.set(sizes_of(again_, run_->system().mass()), std::vector<bool>(static_cast<std::size_t>(size), true));
    if (!measured_.find_pattern(at, Vector::Zero(2 * n))) return false;
  }
  if (!measured_.evaluate(at, false)) {
    failure_ = "a quantity at its end has no derivative";
    return false;
  }
  Vector sum = Vector::Zero(2 * n);
  measured_.add_transposed(weights, 1, sum);
  covector.q += sum.head(n);
  covector.p += sum.tail(n);
  return true;
}

}  // namespace gnomon
