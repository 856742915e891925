#include "gnomon/run/reference_pieces.hpp"

#include <algorithm>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thrown.hpp"
#include "gnomon/run/stepwise_reference.hpp"
#include "gnomon/start/border.hpp"
#include "gnomon/start/consistent_start.hpp"
#include "run/switches/switched_reference.hpp"

namespace gnomon {

namespace {

class BorderedReference final : public ReferenceSolution, public StepwiseReference {
 public:
  BorderedReference(const ProblemInstance& instance, std::shared_ptr<Border> border, const RootFunctions& roots,
                    StartPiece start)
      : now_(instance), border_(std::move(border)), n_(instance.q0.size()), start_(std::move(start)) {
    roots_.count = roots.count;
    roots_.evaluate = [this, evaluate = roots.evaluate](double t, const Vector& q, const Vector& p,
                                                        const Vector& lambda, VectorRef out) {
      evaluate(t, q.head(n_), p.head(n_), lambda, out);
    };
    start_piece();
  }

  ReferenceReport advance_to(double t) override {
    for (;;) {
      turned_ = false;
      const ReferenceReport piece = piece_->advance_to(t);
      ReferenceReport report = narrowed(piece);
      if (!turned_ || report.t == t || stopped() || !report.roots.empty()) return report;
      try {
        append_piece(piece, past_);
        now_.t0 = report.t;
        now_.q0 = report.q;
        now_.p0 = report.p;
        now_.turns = report.turns;
        project_start(*now_.model->mechanical(), now_.t0, now_.q0, now_.p0);
        Border::set_position(now_.t0, now_.q0, position_);
        if (!border_->take(position_)) throw CannotEvaluate("the constraints lose rank there");
        start_piece();
      } catch (...) {
        report.success = false;
        report.message =
            "the border of constraints that repeat others could not be renewed at t = " + number_text(report.t) + ": " +
            thrown_text();
        return report;
      }
    }
  }

 private:
  void start_piece() {
    piece_ = start_(bordered(now_, *border_), roots_);
    piece_->stop_when([this] { return turned_ || stopped(); });
    if (auto* const stepwise = dynamic_cast<StepwiseReference*>(piece_.get()))
      stepwise->watch_steps([this](const ReferenceStep& at) {
        q_ = at.q.head(n_);
        p_ = at.p.head(n_);
        turned_ = border_->is_outgrown(at.t, q_);
        if (watched()) show({at.t, q_, p_, p_, at.lambda});
      });
  }

  ReferenceReport narrowed(const ReferenceReport& piece) const {
    ReferenceReport report = past_;
    append_piece(piece, report);
    report.success = piece.success;
    report.message = piece.message;
    report.t = piece.t;
    report.q = piece.q.head(n_);
    report.p = piece.p.head(n_);
    report.roots = piece.roots;
    report.turns = piece.turns;
    report.own_lambda = piece.own_lambda;
    report.lambda = piece.lambda;
    const Vector none = Vector::Zero(n_), no_z;
    try {
      report.lambda = index1_multipliers(*now_.model, {report.t, report.q, none, report.p, none, no_z, piece.lambda});
    } catch (...) {
      // The integrator's own say as much as there is.
    }
    return report;
  }

  ProblemInstance now_;  // at the start of the piece
  std::shared_ptr<Border> border_;
  Index n_;
  StartPiece start_;
  RootFunctions roots_;
  std::unique_ptr<ReferenceSolution> piece_;
  ReferenceReport past_;  // of the pieces before
  bool turned_ = false;   // the border is to be renewed
  Vector q_, p_, position_;
};

}  // namespace

void add_piece(const ReferenceReport& piece, ReferenceReport& all) {
  all.steps += piece.steps;
  all.residual_evaluations += piece.residual_evaluations;
  all.jacobian_evaluations += piece.jacobian_evaluations;
  if (all.warning.empty()) all.warning = piece.warning;
  if (!piece.levels) return;
  if (!all.levels) {
    all.levels = piece.levels;
    return;
  }
  all.levels->energy = std::max(all.levels->energy, piece.levels->energy);
  all.levels->position = std::max(all.levels->position, piece.levels->position);
  all.levels->velocity = std::max(all.levels->velocity, piece.levels->velocity);
  if (!all.levels->doubtful_from) all.levels->doubtful_from = piece.levels->doubtful_from;
}

std::unique_ptr<ReferenceSolution> bordered_reference(const ProblemInstance& instance, const RootFunctions& roots,
                                                      StartPiece start) {
  std::shared_ptr<Border> border;
  if (instance.model->mechanical()) border = Border::find(shared_system(instance.model), instance.t0, instance.q0);
  const StartPiece switched = [start = std::move(start)](const ProblemInstance& piece, const RootFunctions& looked_at) {
    return switched_reference(piece, looked_at, start);
  };
  if (!border) return switched(instance, roots);
  return std::make_unique<BorderedReference>(instance, std::move(border), roots, switched);
}

}  // namespace gnomon
