/// Coulomb friction at an event: impulses, which contacts stick, rest.
#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/complementarity.hpp"
#include "contact/contact_laws.hpp"
#include "contact/contact_tolerances.hpp"
#include "gnomon/base/error.hpp"

namespace gnomon {

using namespace contact_tolerances;

namespace {

Index place(const std::vector<Index>& set, Index i) {
  return std::find(set.begin(), set.end(), i) - set.begin();
}

bool slides(int slip) {
  return slip == 1 || slip == -1;
}

std::string listed(const std::vector<Index>& contacts) {
  std::string text;
  for (const Index i : contacts) text += (text.empty() ? "" : ", ") + std::to_string(i);
  return text;
}

}  // namespace

ContactLaws::Contacts ContactLaws::with_friction(const Contacts& contacts) const {
  Contacts out;
  for (const Index i : contacts)
    if (is_frictional(i)) out.push_back(i);
  return out;
}

/// How a closed contact slips; loose where it is open or there is no Coulomb friction.
int ContactLaws::slip_of(Index contact) const {
  const auto k = static_cast<std::size_t>(place(state_.closed, contact));
  return k < state_.slip.size() ? state_.slip[k] : State::loose;
}

/// d at the compensated position
Vector ContactLaws::slips(const State& z) const {
  closed_->constraints_compensated(z.t, z.q.value(), z.q.tail(), rows_, values_);
  return rows_.tail(n_contacts_);
}

/// d of the contact less what it is at double; zero where the model has no d at Extended.
double ContactLaws::rounding_of_slip(Index contact) const {
  const ExtendedPrecision* extended = closed_->parts().extended;
  if (!extended || !extended->extended_constraints(state_.t, state_.q.value(), state_.q.tail(), extended_rows_))
    return 0;
  const Extended d = extended_rows_[m_ + n_contacts_ + contact];
  return static_cast<double>(d - static_cast<Extended>(static_cast<double>(d)));
}

/// Where the closed contacts are held: where they are, or were when they began to stick.
Vector ContactLaws::held_now(const Key& key) const {
  const auto& [contacts, slip] = key;
  Vector held(static_cast<Index>(slip.size()));
  if (held.size() == 0) return held;
  const Vector d = slips(state_);
  for (std::size_t k = 0; k < slip.size(); ++k) {
    const auto before = static_cast<std::size_t>(place(state_.closed, contacts[k]));
    const bool stuck = before < state_.slip.size() && state_.slip[before] == State::sticks;
    held[static_cast<Index>(k)] =
        stuck && slip[k] == State::sticks ? state_.held[static_cast<Index>(before)] : d[contacts[k]];
  }
  return held;
}

/// Of every rubbing contact the side to which it begins to slide: that to which it would have gone without friction.
std::vector<int> ContactLaws::sides(const Contacts& letting_go, const Contacts& rubbing) {
  std::vector<int> side(rubbing.size(), 0);
  if (letting_go.empty()) return side;
  consistent(*phase_, state_);
  share_forces(*phase_);
  for (std::size_t j = 0; j < rubbing.size(); ++j)
    if (contains(letting_go, rubbing[j])) side[j] = phase_->grip[place(state_.closed, rubbing[j])] < 0 ? 1 : -1;
  return side;
}

/// Moreau's law: 0 <= w+ + e w- _|_ P >= 0, and with friction T in the cone |T| <= mu P, opposite to u+ where that is
/// not zero.
Vector ContactLaws::impulses(const ContactImpulses& contacts, const Contacts& all, const Contacts& rubbing,
                             const Vector& rates, const Vector& restitution) const {
  if (rubbing.empty()) return contacts.impact(rates, restitution);
  const auto n = static_cast<Index>(all.size()), s = static_cast<Index>(rubbing.size());
  const Matrix& W = contacts.compliance();
  FrictionProblem problem{W.topLeftCorner(n, n),
                          W.topRightCorner(n, s),
                          W.bottomLeftCorner(s, n),
                          W.bottomRightCorner(s, s),
                          rates.head(n) + restitution.cwiseProduct(rates.head(n)),
                          rates.tail(s),
                          Vector(s),
                          {}};
  for (Index j = 0; j < s; ++j) {
    const Index i = rubbing[static_cast<std::size_t>(j)];
    problem.mu[j] = coulomb_->friction_coefficients()[i];
    problem.normal_of.push_back(place(all, i));
  }
  const auto solution = problem.solve();
  if (!solution)
    throw CannotEvaluate("no impulses satisfy the impact law with friction at t = " + number_text(state_.t) +
                         ", contacts " + listed(all));
  Vector P(n + s);
  P << solution->P, solution->T;
  return P;
}

/// Which of the contacts that touch with rate zero stay closed, and how they slip: from the accelerations and forces
/// that satisfy the laws of contact and friction. side: of the rubbing contacts, to which side they slide; 0: to none.
ContactLaws::Key ContactLaws::choose(const ContactImpulses& contacts, const Contacts& all, const Contacts& rubbing,
                                     const Contacts& candidates, const std::vector<int>& side) {
  const auto total = static_cast<Index>(all.size());
  const Vector& mu = coulomb_->friction_coefficients();
  Phase& free = phase({});
  consistent(free, state_);
  const Vector curve = row_accelerations(state_, free.a);

  std::vector<Index> normals, slips;  // rows of the compliance
  FrictionProblem problem;
  for (const Index i : candidates) normals.push_back(place(all, i));
  Contacts may_stick;
  for (std::size_t j = 0; j < rubbing.size(); ++j)
    if (side[j] == 0 && contains(candidates, rubbing[j])) {
      slips.push_back(total + static_cast<Index>(j));
      may_stick.push_back(rubbing[j]);
      problem.normal_of.push_back(place(candidates, rubbing[j]));
    }
  const auto n = static_cast<Index>(normals.size()), s = static_cast<Index>(slips.size());
  const Matrix& W = contacts.compliance();
  const auto block = [&](const std::vector<Index>& rows, const std::vector<Index>& columns) {
    Matrix out(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
    for (Index i = 0; i < out.rows(); ++i)
      for (Index j = 0; j < out.cols(); ++j)
        out(i, j) = W(rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(j)]);
    return out;
  };
  problem.W_nn = block(normals, normals);
  problem.W_nt = block(normals, slips);
  problem.W_tn = block(slips, normals);
  problem.W_tt = block(slips, slips);
  // Where it slides T = -s mu P.
  for (std::size_t j = 0; j < rubbing.size(); ++j) {
    if (side[j] == 0 || !contains(candidates, rubbing[j])) continue;
    const Index k = place(candidates, rubbing[j]);
    const std::vector<Index> row{total + static_cast<Index>(j)};
    problem.W_nn.col(k) -= side[j] * mu[rubbing[j]] * block(normals, row);
    problem.W_tn.col(k) -= side[j] * mu[rubbing[j]] * block(slips, row);
  }
  problem.w_0.resize(n);
  problem.u_0.resize(s);
  problem.mu.resize(s);
  for (Index k = 0; k < n; ++k) problem.w_0[k] = -curve[m_ + candidates[static_cast<std::size_t>(k)]];
  for (Index j = 0; j < s; ++j) {
    const Index i = may_stick[static_cast<std::size_t>(j)];
    problem.u_0[j] = curve[m_ + n_contacts_ + i];
    problem.mu[j] = mu[i];
  }
  const auto solution = problem.solve();
  if (!solution)
    throw CannotEvaluate("no accelerations and forces satisfy the laws of contact and friction at t = " +
                         number_text(state_.t) + " (Painleve's paradox), contacts " + listed(candidates));
  double size = problem.w_0.size() ? problem.w_0.lpNorm<Eigen::Infinity>() : 0;
  if (s > 0) size = std::max(size, problem.u_0.lpNorm<Eigen::Infinity>());

  Key chosen;
  for (Index k = 0; k < n; ++k) {
    if (!(solution->P[k] > 0) && solution->w[k] > 1e-10 * size) continue;
    const Index i = candidates[static_cast<std::size_t>(k)];
    int slip = State::loose;
    if (is_frictional(i)) {
      slip = side[static_cast<std::size_t>(place(rubbing, i))];
      if (const Index j = place(may_stick, i); j < s && std::abs(solution->u[j]) > 1e-10 * size)
        slip = solution->u[j] > 0 ? 1 : -1;
    }
    chosen.first.push_back(i);
    chosen.second.push_back(slip);
  }
  loosen_dependent(W, all, rubbing, chosen);
  return chosen;
}

/// A contact that sticks and whose slip is held by others already makes no constraint of its own.
void ContactLaws::loosen_dependent(const Matrix& compliance, const Contacts& all, const Contacts& rubbing,
                                   Key& chosen) const {
  std::vector<Index> kept;
  for (const Index i : chosen.first) kept.push_back(place(all, i));
  for (std::size_t k = 0; k < chosen.first.size(); ++k) {
    if (chosen.second[k] != State::sticks) continue;
    const Index row = static_cast<Index>(all.size()) + place(rubbing, chosen.first[k]);
    const auto size = static_cast<Index>(kept.size());
    Matrix held(size, size);
    Vector by(size);
    for (Index i = 0; i < size; ++i) {
      by[i] = compliance(kept[static_cast<std::size_t>(i)], row);
      for (Index j = 0; j < size; ++j)
        held(i, j) = compliance(kept[static_cast<std::size_t>(i)], kept[static_cast<std::size_t>(j)]);
    }
    const double left = compliance(row, row) - by.dot(held.ldlt().solve(by));
    if (left <= dependent * compliance(row, row))
      chosen.second[k] = State::loose;
    else
      kept.push_back(row);
  }
}

/// The phase takes over where contacts are held, and how those share their forces that hold each other: a contact r
/// that sticks without a constraint of its own has dd_r/dq = sum_k x_k (row k), k the closed contacts and those that
/// stick, so that a force 1 at r and -x_k at the others does nothing.
void ContactLaws::take_hold() {
  phase_->model->hold(state_.held);
  if (!coulomb_) return;
  const auto count = static_cast<Index>(state_.closed.size());
  for (Vector* v : {&phase_->push, &phase_->grip}) v->setZero(count);
  Contacts stuck, loose;
  for (const Index i : state_.closed) {
    if (is_frictional(i) && slip_of(i) == State::sticks) stuck.push_back(i);
    if (is_frictional(i) && slip_of(i) == State::loose) loose.push_back(i);
  }
  phase_->shared.resize(2 * count, static_cast<Index>(loose.size()));
  phase_->shared.setZero();
  if (loose.empty()) return;
  Contacts rubbing = stuck;
  rubbing.insert(rubbing.end(), loose.begin(), loose.end());
  const ContactImpulses contacts(*closed_, m_, n_contacts_, state_.t, state_.q.value(), state_.closed, rubbing);
  const Matrix& W = contacts.compliance();
  const Index rows = count + static_cast<Index>(stuck.size());
  const Matrix x = W.topLeftCorner(rows, rows).ldlt().solve(W.topRightCorner(rows, phase_->shared.cols()));
  for (Index r = 0; r < phase_->shared.cols(); ++r) {
    phase_->shared.col(r).head(count) = -x.col(r).head(count);
    for (std::size_t j = 0; j < stuck.size(); ++j)
      phase_->shared(count + place(state_.closed, stuck[j]), r) = -x(count + static_cast<Index>(j), r);
    phase_->shared(count + place(state_.closed, loose[static_cast<std::size_t>(r)]), r) = 1;
  }
  phase_->share_matrix.setZero(phase_->shared.cols(), phase_->shared.cols());
  phase_->share_right.setZero(phase_->shared.cols());
  phase_->share.setZero(phase_->shared.cols());
}

/// push: the normal forces of the closed contacts; grip: the tangential forces T of those that stick, the sum of
/// T_i^2/(mu_i psi_i) as small as the motion allows.
void ContactLaws::share_forces(Phase& phase) const {
  const std::vector<Index>& contacts = phase.model->contacts();
  const std::vector<int>& slip = phase.model->slip();
  const auto count = static_cast<Index>(contacts.size());
  phase.push = phase.psi.segment(m_, count);
  phase.grip.setZero();
  Index row = m_ + count;
  for (Index k = 0; k < count; ++k)
    if (slip[static_cast<std::size_t>(k)] == State::sticks) phase.grip[k] = -phase.psi[row++];
  const Index shares = phase.shared.cols();
  if (shares == 0) return;
  const Vector& mu = coulomb_->friction_coefficients();
  const double least =
      1e-12 * std::max(phase.push.lpNorm<Eigen::Infinity>(), largest_psi_) + std::numeric_limits<double>::min();
  phase.share_matrix.setZero();
  phase.share_right.setZero();
  for (Index k = 0; k < count; ++k) {
    const Index i = contacts[static_cast<std::size_t>(k)];
    if (!(mu[i] > 0)) continue;
    const double weight = 1 / (mu[i] * std::max(phase.push[k], least));
    for (Index a = 0; a < shares; ++a) {
      const double of_a = weight * phase.shared(count + k, a);
      phase.share_right[a] -= of_a * phase.grip[k];
      for (Index b = 0; b < shares; ++b) phase.share_matrix(a, b) += of_a * phase.shared(count + k, b);
    }
  }
  phase.share_solver.compute(phase.share_matrix);
  phase.share = phase.share_solver.solve(phase.share_right);
  for (Index a = 0; a < shares; ++a) {
    phase.push += phase.share[a] * phase.shared.col(a).head(count);
    phase.grip += phase.share[a] * phase.shared.col(a).tail(count);
  }
}

void ContactLaws::margins(Phase& phase, double t, const Vector& q, const Vector& v, Vector& out) const {
  const std::vector<Index>& contacts = phase.model->contacts();
  const auto count = static_cast<Index>(contacts.size());
  if (!coulomb_) {
    out = phase.psi.segment(m_, count);
    return;
  }
  share_forces(phase);
  closed_->constraint_velocity(t, q, v, rows_);
  out.setConstant(3 * count, std::numeric_limits<double>::infinity());
  out.head(count) = phase.push;
  for (Index k = 0; k < count; ++k) {
    const Index i = contacts[static_cast<std::size_t>(k)];
    if (!is_frictional(i)) continue;
    const int slip = phase.model->slip()[static_cast<std::size_t>(k)];
    if (slides(slip))
      out[2 * count + k] = slip * rows_[m_ + n_contacts_ + i];
    else
      out[count + k] = coulomb_->friction_coefficients()[i] * phase.push[k] - std::abs(phase.grip[k]);
  }
}

/// Is there no motion, and will there be none? Either no freedom is left, or no acceleration and no force that changes.
bool ContactLaws::stays() {
  if (speed(state_) > no_slip * fastest_) return false;
  if (std::any_of(state_.slip.begin(), state_.slip.end(), slides)) return false;
  if (phase_->model->m() == system_->n()) return true;
  if (changes_with_time()) return false;
  consistent(*phase_, state_);
  Phase& free = phase({});
  if (&free == phase_) return phase_->a.isZero(0);
  consistent(free, state_);
  return norm(state_.q.value(), phase_->a) <= no_slip * norm(state_.q.value(), free.a);
}

/// Do the contacts hold the state at rest at this time?
bool ContactLaws::is_held(double t) {
  const Vector& q = state_.q.value();
  const Vector v = Vector::Zero(system_->n());
  phase_->solve_index1(t, q, v);
  margins(*phase_, t, q, v, margins_);
  return margins_.size() == 0 || margins_.minCoeff() >= 0;
}

/// As rest(), of contacts that stick.
double ContactLaws::rest_held(double remaining) {
  if (!changes_with_time() || (is_held(state_.t + remaining / 2) && is_held(state_.t + remaining))) {
    state_.advance_time(remaining);
    return remaining;
  }
  double held = 0, moves = is_held(state_.t + remaining / 2) ? remaining : remaining / 2;
  while (moves - held > 4e-16 * (std::abs(state_.t) + remaining)) {
    const double middle = held + (moves - held) / 2;
    if (middle == held || middle == moves) break;
    (is_held(state_.t + middle) ? held : moves) = middle;
  }
  state_.advance_time(moves);
  resting_ = false;
  is_held(state_.t);
  const auto count = static_cast<Index>(state_.closed.size());
  Contacts opening, letting_go;
  const double none = grip_rounding * phase_->push.lpNorm<Eigen::Infinity>();
  for (Index k = 0; k < count; ++k) {
    const Index i = state_.closed[static_cast<std::size_t>(k)];
    if (margins_[k] <= none)
      opening.push_back(i);
    else if (margins_[count + k] <= none)
      letting_go.push_back(i);
  }
  settle({}, opening, letting_go);
  return moves;
}

}  // namespace gnomon
