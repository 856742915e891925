/// What a checkpoint holds of a run with obstacles.
#include <algorithm>
#include <cmath>

#include "contact/contact_run.hpp"
#include "contact/contact_tolerances.hpp"
#include "gnomon/base/archive.hpp"
#include "run/state_checks.hpp"

namespace gnomon {

using contact_tolerances::contains;

void ContactRun::serialize(Archive& archive) {
  archive(state_, open_, resting_, events_, start_energy_, now_energy_, impact_, defect_, step_, deepest_, fastest_,
          largest_psi_, gap_tolerance_, counters_);
  require_fit(archive);
  if (archive.reading()) phase_ = &phase(state_.closed);
  if (!resting_) {
    State inner;
    if (!archive.reading()) inner = phase_->integrator->state();
    archive(inner);
    const Index n = system_->n();
    archive.require(inner.q.value().size() == n && inner.p.value().size() == n &&
                        inner.lambda.size() == phase_->model->m() && inner.closed == state_.closed && is_finite(inner),
                    "the state between two events is none of the model");
    if (archive.reading()) {
      Integrator& integrator = integrator_of(*phase_);
      integrator.restart(inner);
      archive.require(carries_the_same(inner, integrator.state()),
                      "the state between two events is not what this scheme carries from step to step");
      integrator.restore(inner);
    }
  }
  std::vector<Contacts> visited;
  for (const auto& [contacts, phase] : phases_)
    if (phase.integrator) visited.push_back(contacts);
  archive(visited);
  for (const Contacts& contacts : visited) archive.require(is_set(contacts), "a set of closed contacts is none");
  for (const Contacts& contacts : visited) integrator_of(phase(contacts)).serialize_solvers(archive);
}

bool ContactRun::is_set(const Contacts& contacts) const {
  for (std::size_t k = 0; k < contacts.size(); ++k)
    if (contacts[k] < 0 || contacts[k] >= n_contacts_ || (k > 0 && contacts[k] <= contacts[k - 1])) return false;
  return true;
}

/// What was just read is of this model. Throws Error(bad_file).
void ContactRun::require_fit(const Archive& archive) const {
  const Index n = system_->n();
  archive.require(state_.q.value().size() == n && state_.p.value().size() == n &&
                      state_.lambda.size() == m_ + n_contacts_ && gap_tolerance_.size() == n_contacts_,
                  "its state has other sizes than the model");
  archive.require(is_finite(state_) && gap_tolerance_.allFinite(), "its state is not finite");
  archive.require(is_set(state_.closed) && is_set(open_) &&
                      static_cast<Index>(state_.closed.size() + open_.size()) == n_contacts_ &&
                      std::none_of(open_.begin(), open_.end(), [&](Index i) { return contains(state_.closed, i); }) &&
                      std::all_of(state_.released.begin(), state_.released.end(),
                                  [&](Index i) { return i >= 0 && i < n_contacts_; }),
                  "its open and closed contacts are not those of the model");
  for (const ContactEvent& event : events_)
    archive.require(std::isfinite(event.t) && std::isfinite(event.energy_change) && event.contact >= -1 &&
                        event.contact < n_contacts_,
                    "an event is none of the model");
  archive.require(std::isfinite(start_energy_ + now_energy_ + impact_ + defect_), "its energy book is not finite");
  for (const double size : {step_, deepest_, fastest_, largest_psi_})
    archive.require(std::isfinite(size) && size >= 0, "the largest values of a run are no such values");
}

}  // namespace gnomon
