/// What a checkpoint holds of a run with obstacles.
#include <cmath>

#include "contact/contact_run.hpp"
#include "gnomon/base/archive.hpp"
#include "run/state_checks.hpp"

namespace gnomon {

void ContactRun::serialize(Archive& archive) {
  contact_.serialize(archive);
  archive(judged_);
  if (archive.reading()) {
    promises_ = bound_;
    if (judged_) promises_.symmetric = promises_.symplectic = false;
  }
  archive(now_energy_, defect_, deepest_, counters_, singular_.step, singular_.t, singular_.pivot_ratio,
          singular_.velocity_before);
  archive.require(std::isfinite(now_energy_ + defect_), "its energy book is not finite");
  archive.require(std::isfinite(deepest_) && deepest_ >= 0, "the largest values of a run are no such values");
  if (!contact_.resting()) {
    State inner;
    if (!archive.reading()) inner = integrator_->state();
    archive(inner);
    const Index n = quantities_.system()->n();
    archive.require(inner.q.value().size() == n && inner.p.value().size() == n &&
                        inner.lambda.size() == contact_.phase().model->m() && inner.closed == contact_.state().closed &&
                        inner.slip == contact_.state().slip && is_finite(inner),
                    "the state between two events is none of the model");
    if (archive.reading()) {
      Integrator& integrator = integrator_of(contact_.phase());
      integrator.restart(inner);
      archive.require(carries_the_same(inner, integrator.state()),
                      "the state between two events is not what this scheme carries from step to step");
      integrator.restore(inner);
    }
  }
  std::vector<Contacts> visited;
  std::vector<std::vector<int>> slips;
  for (const auto& [key, integrator] : integrators_) {
    visited.push_back(key.first);
    slips.push_back(key.second);
  }
  archive(visited, slips);
  archive.require(visited.size() == slips.size(), "its sets of closed contacts are incomplete");
  for (std::size_t k = 0; k < visited.size(); ++k)
    archive.require(contact_.phases().is_key({visited[k], slips[k]}), "a set of closed contacts is none");
  for (std::size_t k = 0; k < visited.size(); ++k)
    integrator_of(contact_.phases().at({visited[k], slips[k]})).serialize_solvers(archive);
  if (archive.reading()) integrator_ = contact_.resting() ? nullptr : &integrator_of(contact_.phase());
}

}  // namespace gnomon
