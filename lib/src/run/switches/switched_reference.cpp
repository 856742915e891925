#include "run/switches/switched_reference.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thrown.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/run/stepwise_reference.hpp"
#include "gnomon/start/consistency.hpp"
#include "run/switches/switch_watch.hpp"

namespace gnomon {

namespace {

class SwitchedReference final : public ReferenceSolution, public StepwiseReference {
 public:
  SwitchedReference(const ProblemInstance& instance, const RootFunctions& roots, StartPiece start)
      : now_(instance), switches_(*instance.model), own_(roots.count), start_(std::move(start)) {
    roots_.count = own_ + switches_.count();
    roots_.evaluate = [this, evaluate = roots.evaluate](double t, const Vector& q, const Vector& p,
                                                        const Vector& lambda, VectorRef out) {
      if (own_ > 0) evaluate(t, q, p, lambda, out.head(own_));
      at_.t = t;
      at_.q.set(q);
      at_.p.set(p);
      at_.lambda = lambda;
      switches_.measure(at_, 0);
      for (Index i = 0; i < switches_.count(); ++i) out[own_ + i] = switches_.margin(at_, i, switches_.values()[i]);
    };
    start_piece();
  }

  ReferenceReport advance_to(double t) override {
    for (;;) {
      const ReferenceReport piece = piece_->advance_to(t);
      ReferenceReport report = past_;
      append_piece(piece, report);
      const std::optional<ReferenceLevels> levels = report.levels;
      const long steps = report.steps, residuals = report.residual_evaluations, jacobians = report.jacobian_evaluations;
      std::string warning = report.warning;
      report = piece;
      report.levels = levels;
      report.steps = steps;
      report.residual_evaluations = residuals;
      report.jacobian_evaluations = jacobians;
      report.warning = std::move(warning);
      report.events = events_;
      report.roots.erase(std::remove_if(report.roots.begin(), report.roots.end(), [&](Index i) { return i >= own_; }),
                         report.roots.end());
      const bool switched = report.roots.size() < piece.roots.size();
      if (!switched) return report;
      try {
        take(piece);
        if (!report.roots.empty() || report.t == t || stopped()) {
          report.turns = now_.turns;
          report.events = events_;
          return report;
        }
      } catch (...) {
        report.success = false;
        report.message = thrown_text();
        return report;
      }
    }
  }

 private:
  /// Goes on from the end of a piece, on the other side of its switches.
  void take(const ReferenceReport& piece) {
    append_piece(piece, past_);
    now_.t0 = piece.t;
    now_.q0 = piece.q;
    now_.p0 = piece.p;
    now_.turns = piece.turns;
    const Windings held(now_.turns);
    set_state();
    for (const Index root : piece.roots) {
      if (root < own_) continue;
      const Index which = root - own_;
      held_ = which == last_ && piece.steps <= few_steps ? held_ + 1 : 0;
      last_ = which;
      if (held_ > most_returns)
        throw CannotEvaluate("both branches of " + switches_.name(which) +
                             " lead back to where it switches, at t = " + number_text(piece.t));
      if (const std::string what = switches_.jump(at_, which); !what.empty())
        throw CannotEvaluate("at " + switches_.name(which) + " " + what + ": an impulse is no step");
      switches_.flip(at_, which);
      events_.push_back({piece.t, EventKind::switched, which, 0});
    }
    now_.turns = at_.turns;
    project_start(*now_.model->mechanical(), now_.t0, now_.q0, now_.p0);
    start_piece();
  }

  void set_state() {
    at_.t = now_.t0;
    at_.q.set(now_.q0);
    at_.p.set(now_.p0);
    at_.turns = now_.turns;
    at_.lambda = Vector::Zero(now_.model->m());
    at_.energy_scale = std::max(at_.energy_scale, std::abs(now_.model->mechanical()->potential(now_.t0, now_.q0)));
  }

  void start_piece() {
    set_state();
    switches_.begin(at_, 0);
    now_.turns = at_.turns;
    piece_ = start_(now_, roots_);
    piece_->stop_when([this] { return stopped(); });
    if (auto* const stepwise = dynamic_cast<StepwiseReference*>(piece_.get()))
      stepwise->watch_steps([this](const ReferenceStep& at) {
        if (watched()) show(at);
      });
  }

  ProblemInstance now_;  // at the start of the piece
  SwitchWatch switches_;
  Index own_;  // roots that are looked for from outside
  StartPiece start_;
  RootFunctions roots_;
  State at_;
  static constexpr int few_steps = 3, most_returns = 20;
  std::vector<ContactEvent> events_;
  Index last_ = -1;  // switch that was flipped
  int held_ = 0;     // times that it came back within a few steps
  std::unique_ptr<ReferenceSolution> piece_;
  ReferenceReport past_;  // of the pieces before
};

}  // namespace

void append_piece(const ReferenceReport& piece, ReferenceReport& all) {
  const double before = all.levels ? all.levels->energy : 0;
  add_piece(piece, all);
  if (piece.levels) all.levels->energy = before + piece.levels->energy;
  all.events.insert(all.events.end(), piece.events.begin(), piece.events.end());
}

std::unique_ptr<ReferenceSolution> switched_reference(const ProblemInstance& instance, const RootFunctions& roots,
                                                      StartPiece start) {
  const System* system = instance.model->mechanical();
  if (!system || !system->parts().switches) return start(instance, roots);
  return std::make_unique<SwitchedReference>(instance, roots, std::move(start));
}

}  // namespace gnomon
