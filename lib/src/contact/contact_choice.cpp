#include "contact/contact_choice.hpp"

#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "start/friction_acceleration.hpp"

namespace gnomon {

std::vector<Slip> ContactChoice::directions(const Contacts& letting_go, const Contacts& rubbing) {
  std::vector<Slip> along(rubbing.size(), Slip{});
  at_limit_ = along;
  lets_go_in_space_ =
      std::any_of(letting_go.begin(), letting_go.end(), [&](Index i) { return quantities_.in_space(i); });
  if (letting_go.empty()) return along;
  ContactPhase& phase = contact_.phase();
  contact_.consistent(phase, contact_.state());
  const State& z = contact_.state();
  const Vector v = quantities_.velocity(z.q.value(), z.p.value());
  phase.share_forces(quantities_, contact_.largest_psi(), {z.t, z.q.value(), v});
  for (std::size_t j = 0; j < rubbing.size(); ++j) {
    if (!contains(letting_go, rubbing[j])) continue;
    const Slip force = phase.tangential_force(place(contact_.state().closed, rubbing[j]));
    at_limit_[j] = direction_of({-force[0], -force[1]});
    if (lets_go_in_space_) continue;
    along[j] = is_zero(at_limit_[j]) ? Slip{-1, 0} : at_limit_[j];
  }
  return along;
}

ContactKey ContactChoice::choose(const TouchingContacts& touching, const Contacts& candidates,
                                 const std::vector<Slip>& along) {
  return touching.rubbing.empty() ? choose_closed(candidates) : choose_sticking(touching, candidates, along);
}

/// Without friction: psi >= 0 where closed, c'' >= 0 where not, by pivoting with the least index from all of them
/// closed.
ContactKey ContactChoice::choose_closed(const Contacts& candidates) {
  std::vector<bool> closed(candidates.size(), true);
  constexpr int most_pivots = 10000;
  for (int pivot = 0; pivot < most_pivots; ++pivot) {
    contact_.stop_if_interrupted();
    ContactKey chosen;
    for (std::size_t k = 0; k < candidates.size(); ++k)
      if (closed[k]) chosen.first.push_back(candidates[k]);
    if (quantities_.coulomb()) chosen.second.assign(chosen.first.size(), State::loose);
    ContactPhase& trial = contact_.phases().at(chosen);
    contact_.consistent(trial, contact_.state());
    std::size_t violated = 0;
    if (candidates.empty() || !find_violated(trial, candidates, closed, violated)) return chosen;
    closed[violated] = !closed[violated];
  }
  throw CannotEvaluate("no set of closed contacts was found at t = " + number_text(contact_.state().t));
}

/// The first candidate whose multiplier or gap has an acceleration that is not allowed.
bool ContactChoice::find_violated(const ContactPhase& trial, const Contacts& candidates,
                                  const std::vector<bool>& closed, std::size_t& violated) const {
  const State& z = contact_.state();
  const Vector curve = quantities_.gap_accelerations(z, trial.a);
  double size = quantities_.norm(z.q.value(), trial.a);
  for (Index i = 0; i < curve.size(); ++i) size = std::max(size, std::abs(curve[i]) / contact_.length(i));
  Index row = quantities_.first();
  for (violated = 0; violated < candidates.size(); ++violated)
    if (closed[violated]
            ? trial.psi[row++] < 0
            : curve[candidates[violated]] < -thresholds::no_acceleration * size * contact_.length(candidates[violated]))
      return true;
  return false;
}

/// The laws of contact and friction for the accelerations and forces of the candidates. Where a contact slides along e,
/// T = -mu P e; may_stick: the others with friction.
FrictionProblem ContactChoice::forces_and_accelerations(const TouchingContacts& touching, const Contacts& candidates,
                                                        const std::vector<Slip>& along, const Contacts& may_stick,
                                                        const Vector& a) const {
  const auto& [all, rubbing, impulses] = touching;
  const Vector& mu = quantities_.friction_coefficients();
  const Matrix& W = impulses.compliance();
  const Vector curve = quantities_.row_accelerations(contact_.state(), a);

  FrictionProblem problem;
  std::vector<Index> normals, slips;  // rows of the compliance
  for (const Index i : candidates) normals.push_back(place(all, i));
  for (const Index i : may_stick) {
    const SlipRows& slip = impulses.slip(static_cast<std::size_t>(place(rubbing, i)));
    for (Index c = 0; c < slip.count; ++c) {
      slips.push_back(slip.first + c);
      problem.normal_of.push_back(place(candidates, i));
    }
  }
  problem.W_nn = W(normals, normals);
  problem.W_nt = W(normals, slips);
  problem.W_tn = W(slips, normals);
  problem.W_tt = W(slips, slips);
  for (std::size_t j = 0; j < rubbing.size(); ++j) {
    if (is_zero(along[j]) || !contains(candidates, rubbing[j])) continue;
    const Index k = place(candidates, rubbing[j]);
    const SlipRows& slip = impulses.slip(j);
    for (Index c = 0; c < slip.count; ++c) {
      const double part = mu[rubbing[j]] * along[j][static_cast<std::size_t>(c)];
      problem.W_nn.col(k) -= part * W(normals, slip.first + c);
      problem.W_tn.col(k) -= part * W(slips, slip.first + c);
    }
  }
  const Index m = quantities_.first();
  const auto n = static_cast<Index>(normals.size());
  problem.w_0.resize(n);
  problem.u_0.resize(static_cast<Index>(slips.size()));
  problem.mu.resize(problem.u_0.size());
  for (Index k = 0; k < n; ++k) problem.w_0[k] = -curve[m + candidates[static_cast<std::size_t>(k)]];
  Index row = 0;
  for (const Index i : may_stick)
    for (Index c = 0; c < quantities_.slip_rows(i).count; ++c) {
      problem.u_0[row] = curve[quantities_.slip_rows(i).first + c];
      problem.mu[row++] = mu[i];
    }
  return problem;
}

/// R(q,lambda) of the multipliers of a phase.
Vector ContactChoice::friction_of(ContactPhase& phase) const {
  const State& z = contact_.state();
  contact_.consistent(phase, z);
  Vector out(z.p.value().size());
  const Vector& v = quantities_.velocity(z.q.value(), z.p.value());
  phase.model->friction_of_model(z.q.value(), v, phase.psi, out);
  return out;
}

/// A friction R(q,lambda) that presses contacts depends on what they do: from the one without contacts, until the
/// contacts that follow from R are those that R follows from.
ContactKey ContactChoice::choose_sticking(const TouchingContacts& touching, const Contacts& candidates,
                                          const std::vector<Slip>& along) {
  ContactPhase& free = contact_.phases().at({});
  contact_.consistent(free, contact_.state());
  Vector a = free.a;
  ContactKey chosen = choose_sticking(touching, candidates, along, a);
  if (!quantities_.system()->parts().friction) return chosen;
  const State& z = contact_.state();
  const Vector R = friction_of(free);
  constexpr int most_trials = 50;
  for (int trial = 0; trial < most_trials; ++trial) {
    a = free.a + acceleration_by(*free.model, z.t, z.q.value(), friction_of(contact_.phases().at(chosen)) - R);
    const ContactKey next = choose_sticking(touching, candidates, along, a);
    if (next == chosen) return chosen;
    chosen = next;
  }
  throw CannotEvaluate("no accelerations and reactions agree with the friction by them at t = " + number_text(z.t) +
                       ", contacts " + listed(candidates));
}

ContactKey ContactChoice::choose_sticking(const TouchingContacts& touching, const Contacts& candidates,
                                          const std::vector<Slip>& along, const Vector& a) const {
  const Contacts& rubbing = touching.rubbing;
  Contacts may_stick;
  for (std::size_t j = 0; j < rubbing.size(); ++j)
    if (is_zero(along[j]) && contains(candidates, rubbing[j])) may_stick.push_back(rubbing[j]);
  FrictionProblem problem = forces_and_accelerations(touching, candidates, along, may_stick, a);
  // At the limit nothing moves yet: contacts in space, which may hold each other, begin to slide as they would with a
  // little less friction.
  auto solution = lets_go_in_space_ ? std::nullopt : problem.solve();
  const Vector mu = problem.mu;
  for (double less = thresholds::less_friction; lets_go_in_space_ && !solution && less < 1; less *= 100) {
    problem.mu = (1 - less) * mu;
    solution = problem.solve();
  }
  if (!solution)
    throw CannotEvaluate("no accelerations and forces satisfy the laws of contact and friction at t = " +
                         number_text(contact_.state().t) + " (Painleve's paradox), contacts " + listed(candidates));
  double size = problem.w_0.size() ? problem.w_0.lpNorm<Eigen::Infinity>() : 0;
  if (!may_stick.empty()) size = std::max(size, problem.u_0.lpNorm<Eigen::Infinity>());

  ContactKey chosen;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const auto at = static_cast<Index>(k);
    if (!(solution->P[at] > 0) && solution->w[at] > thresholds::no_acceleration * size) continue;
    const Index i = candidates[k];
    int slip = State::loose;
    if (quantities_.is_frictional(i)) {
      Slip e = along[static_cast<std::size_t>(place(rubbing, i))];
      if (contains(may_stick, i)) {
        const Index row = std::find(problem.normal_of.begin(), problem.normal_of.end(), at) - problem.normal_of.begin();
        const Slip begun{solution->u[row], quantities_.in_space(i) ? solution->u[row + 1] : 0};
        if (size_of(begun) > thresholds::no_acceleration * size) e = direction_of(begun);
        // Its force at the limit says it exactly, less friction not: where contacts hold each other by its square root.
        const Slip& limit = at_limit_[static_cast<std::size_t>(place(rubbing, i))];
        constexpr double similar = .5;
        if (e[0] * limit[0] + e[1] * limit[1] > similar) e = limit;
      }
      slip = is_zero(e) ? State::sticks : quantities_.in_space(i) || e[0] > 0 ? 1 : -1;
      contact_.set_heading(i, e);
    }
    chosen.first.push_back(i);
    chosen.second.push_back(slip);
  }
  loosen_dependent(touching, chosen);
  return chosen;
}

/// A contact that sticks and whose slip is held by others already makes no constraint of its own. In space one of its
/// two may be held and the other not: there the multipliers are of least norm.
void ContactChoice::loosen_dependent(const TouchingContacts& touching, ContactKey& chosen) const {
  const Matrix& W = touching.impulses.compliance();
  std::vector<Index> kept;
  for (const Index i : chosen.first) kept.push_back(place(touching.all, i));
  for (std::size_t k = 0; k < chosen.first.size(); ++k) {
    if (chosen.second[k] != State::sticks || quantities_.in_space(chosen.first[k])) continue;
    const Index row = touching.impulses.slip(static_cast<std::size_t>(place(touching.rubbing, chosen.first[k]))).first;
    const Vector by = W(kept, row);
    const double left = W(row, row) - by.dot(Matrix(W(kept, kept)).ldlt().solve(by));
    if (left <= thresholds::dependent_slip * W(row, row))
      chosen.second[k] = State::loose;
    else
      kept.push_back(row);
  }
}

}  // namespace gnomon
