#include "gnomon/contact/contact_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "contact/contact_laws.hpp"
#include "contact/contact_tolerances.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/base/thrown.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/run/evaluated_outputs.hpp"
#include "gnomon/run/stepwise_reference.hpp"
#include "gnomon/start/consistency.hpp"

namespace gnomon {

namespace {

using namespace contact_tolerances;

class ContactReference final : public ReferenceSolution, public StepwiseReference {
 public:
  ContactReference(const ProblemInstance& instance, const ContactOptions& options, StartPiece start)
      : instance_(instance),
        contact_(shared_system(instance.model), nullptr),
        quantities_(contact_.quantities()),
        laws_(contact_, options),
        start_(std::move(start)),
        m_(quantities_.m()) {
    if (!laws_.located()) throw Error(ErrorCode::bad_value, "contact mode is time-stepping, expected event-driven");
    contact_.set_step(1);
    laws_.leave_gaps();
    laws_.start(instance.t0, instance.q0, instance.p0);
    lambda_ = own_lambda_ = Vector::Zero(n_state_multipliers(*quantities_.system()));
    if (!contact_.resting()) start_piece();
  }

  ReferenceReport advance_to(double t) override {
    const Windings turns(contact_.state().turns);
    if (!(t >= contact_.state().t))
      return refused(report("the run with contacts is at t = " + number_text(contact_.state().t) +
                            " and cannot turn back to t = " + number_text(t)));
    try {
      return report(advance(t));
    } catch (...) {
      return report("contact stopped at t = " + number_text(contact_.state().t) + ": " + thrown_text());
    }
  }

 private:
  /// The roots of a piece; `lowest` is the least gap within a step, which the ends of the step may not show;
  /// at `turning` and `begun` a slip in space becomes so slow that its direction is held, or so fast that it is not.
  enum class RootKind { landing, opened, lowest, launch, limit, slip, turning, begun, slow };
  struct Root {
    RootKind kind;
    Index which;    ///< the contact; of a launch, a limit and a slip its row in ContactPhase::margins
    double offset;  ///< added to the function, so that rounding at the start of the piece is no event
  };

  /// Empty, or why it stopped.
  std::string advance(double t) {
    const State& state = contact_.state();
    for (int cuts = 0; state.t < t; ++cuts) {
      if (cuts == most_cuts)
        return "more than " + std::to_string(most_cuts) + " events up to t = " + number_text(t) +
               "; a larger zeno-speed ends a sequence of rebounds that a double of q does not resolve";
      if (stopped()) return "contact was stopped at t = " + number_text(state.t);
      contact_.set_step(t - state.t);
      if (contact_.resting()) {
        laws_.rest(t - state.t);
        if (contact_.resting()) set_time(t);
        show_state();
        continue;
      }
      const State before = state;
      if (laws_.stops(before, t - state.t)) {
        finish_piece();
        laws_.stop(before);
        laws_.start_again();
        show_state();
        continue;
      }
      if (!piece_) start_piece();
      const ReferenceReport reached = piece_->advance_to(std::min(t, rerun_to_));
      leave(reached);
      if (!reached.success) return reached.message;
      if (reached.roots.empty()) {
        if (std::string why = unseen_text(); !why.empty()) return why;
        continue;
      }
      at_roots(reached.roots);
      show_state();
    }
    return "";
  }

  void show_state() const {
    const State& state = contact_.state();
    show({state.t, state.q.value(), state.p.value(), state.p.value(), lambda_});
  }

  void set_time(double t) {
    contact_.state().t = t;
    contact_.state().t_tail = 0;
  }

  /// A piece with the contacts that are closed now, from where the constraints hold exactly.
  void start_piece() {
    const State& state = contact_.state();
    laws_.hold_directions(state, std::numeric_limits<double>::infinity());
    piece_start_ = state;
    ProblemInstance piece;
    piece.model = contact_.phase().model;
    piece.t0 = state.t;
    piece.q0 = state.q.value();
    piece.p0 = state.p.value();
    piece.turns = state.turns;
    if (contact_.phase().model->m() > 0) project_start(*contact_.phase().model, piece.t0, piece.q0, piece.p0);
    set_roots();
    probe_ = state;
    fastest_ = std::max(contact_.fastest(), quantities_.speed(state));
    RootFunctions roots;
    roots.count = static_cast<Index>(roots_.size());
    roots.evaluate = [this](double t, const Vector& q, const Vector& p, const Vector& lambda, VectorRef out) {
      probe_.t = t;
      probe_.q.set(q);
      probe_.p.set(p);
      evaluate(lambda, out);
    };
    piece_ = start_(piece, roots);
    piece_->stop_when([this] { return stopped(); });
    if (auto* const stepwise = dynamic_cast<StepwiseReference*>(piece_.get()))
      stepwise->watch_steps([this](const ReferenceStep& at) {
        if (watched()) show({at.t, at.q, at.p, at.z, spread(at.lambda)});
      });
  }

  void set_roots() {
    roots_.clear();
    const State& state = contact_.state();
    quantities_.gaps(state, gaps_);
    for (const Index i : contact_.open()) {
      const double tolerance = contact_.gap_tolerance(i);
      const bool released = contains(state.released, i);
      const bool touches = gaps_.c[i] <= 10 * tolerance && gaps_.rate[i] <= contact_.moving(i);
      roots_.push_back({RootKind::landing, i, released ? opened * tolerance : touches ? tolerance : 0});
      if (!released && !touches) roots_.push_back({RootKind::lowest, i, 0});
      // Twice as far as the laws need to see it open.
      if (released) roots_.push_back({RootKind::opened, i, 2 * opened * tolerance});
    }
    ContactPhase& phase = contact_.phase();
    contact_.consistent(phase, state);
    const double rounding = thresholds::force_rounding * std::max(contact_.largest_psi(), largest_psi(phase.psi));
    for (std::size_t k = 0; k < state.closed.size(); ++k) {
      const auto at = static_cast<Index>(k);
      roots_.push_back({RootKind::launch, at, phase.psi[quantities_.first() + at] <= rounding ? 2 * rounding : 0});
    }
    if (phase.frictional()) roots_.push_back({RootKind::slow, -1, 0});
    if (!quantities_.coulomb() || state.closed.empty()) return;
    contact_.margins(state.t, state.q.value(), quantities_.velocity(state.q.value(), state.p.value()), margins_);
    const auto count = static_cast<Index>(state.closed.size());
    for (Index k = 0; k < count; ++k) {
      if (!quantities_.in_space(state.closed[static_cast<std::size_t>(k)])) continue;
      const int slip = state.slip[static_cast<std::size_t>(k)];
      if (slides(slip)) roots_.push_back({slip == 1 ? RootKind::turning : RootKind::begun, k, 0});
    }
    for (Index row = count; row < 3 * count; ++row) {
      if (std::isinf(margins_[row])) continue;
      const bool slides = row >= 2 * count;
      const Index contact = state.closed[static_cast<std::size_t>(row % count)];
      const Index slip = quantities_.slip_rows(contact).first - quantities_.first();
      const double tolerance = slides ? contact_.moving(slip) : rounding;
      roots_.push_back(
          {slides ? RootKind::slip : RootKind::limit, row, margins_[row] <= tolerance ? 2 * tolerance : 0});
    }
  }

  double largest_psi(const Vector& psi) const {
    const Index contacts = psi.size() - m_;
    return contacts > 0 ? psi.segment(quantities_.first(), contacts).lpNorm<Eigen::Infinity>() : 0;
  }

  /// The root functions at probe_, with the multipliers of the piece.
  void evaluate(const Vector& lambda, VectorRef out) {
    quantities_.gaps(probe_, gaps_);
    if (quantities_.coulomb() && !contact_.state().closed.empty()) {
      ContactPhase& phase = contact_.phase();
      phase.psi = lambda;
      contact_.margins(probe_.t, probe_.q.value(), quantities_.velocity(probe_.q.value(), probe_.p.value()), margins_);
    }
    const double speed = quantities_.speed(probe_);
    fastest_ = std::max(fastest_, speed);
    Index row = 0;
    for (const Root& root : roots_) {
      double& value = out[row++];
      switch (root.kind) {
        case RootKind::landing:
          value = gaps_.c[root.which] + root.offset;
          break;
        case RootKind::opened:
          value = root.offset - gaps_.c[root.which];
          break;
        case RootKind::lowest:
          value = -gaps_.rate[root.which];
          break;
        case RootKind::launch:
          value = lambda[quantities_.first() + root.which] + root.offset;
          break;
        case RootKind::limit:
        case RootKind::slip:
          value = margins_[root.which] + root.offset;
          break;
        case RootKind::turning:
          value = rate_of_slip(root.which) - .99 * slow_slip(root.which);
          break;
        case RootKind::begun:
          value = 1.01 * slow_slip(root.which) - rate_of_slip(root.which);
          break;
        case RootKind::slow:
          value = speed - 0.99 * thresholds::slow * fastest_;
          break;
      }
    }
  }

  /// |u| of the k-th closed contact, at probe_.
  double rate_of_slip(Index k) const {
    const Vector& v = quantities_.velocity(probe_.q.value(), probe_.p.value());
    return size_of(quantities_.slip_of(quantities_.row_rates(probe_.t, probe_.q.value(), v),
                                       contact_.state().closed[static_cast<std::size_t>(k)]));
  }
  double slow_slip(Index k) const { return contact_.slow_slip(contact_.state().closed[static_cast<std::size_t>(k)]); }

  /// The state of the laws from that of the piece.
  void leave(const ReferenceReport& reached) {
    State& state = contact_.state();
    set_time(reached.t);
    state.q.set(reached.q);
    state.p.set(reached.p);
    state.turns = reached.turns;
    lambda_ = spread(reached.lambda);
    own_lambda_ = spread(reached.own_lambda);
    last_ = reached;
    contact_.note_speed(fastest_);
    contact_.note_speed(quantities_.speed(state));
    const Index contacts = reached.own_lambda.size() - m_;
    if (contacts > 0) contact_.note_multipliers(reached.own_lambda.segment(quantities_.first(), contacts));
    quantities_.gaps(state, gaps_);
    contact_.forget_released(gaps_);
  }

  /// Empty, or which obstacle the piece went through, or is held by, although no root was seen.
  std::string unseen_text() const {
    const State& state = contact_.state();
    const auto unseen = [&](const char* event, Index i, const char* what, double value) {
      return std::string("the ") + event + " of contact " + std::to_string(i) +
             " was not seen: at t = " + number_text(state.t) + " its " + what + " is " + number_text(value);
    };
    for (const Index i : contact_.open())
      if (gaps_.c[i] < -thresholds::doubtful * contact_.gap_tolerance(i) / thresholds::gap_rounding)
        return unseen("landing", i, "gap", gaps_.c[i]);
    for (const Index i : state.closed)
      if (lambda_[m_ + i] < -thresholds::doubtful * contact_.largest_psi())
        return unseen("launch", i, "multiplier", lambda_[m_ + i]);
    return {};
  }

  /// Multipliers of the piece, one for each constraint and obstacle.
  Vector spread(const Vector& lambda) const {
    if (lambda.size() < m_) return Vector::Zero(lambda_.size());
    Vector all;
    contact_.spread(lambda, all);
    return all;
  }

  void at_roots(const std::vector<Index>& found) {
    const State& state = contact_.state();
    Contacts landing, opening, letting_go, stopping;
    bool new_piece = false;
    for (const Index row : found) {
      const Root& root = roots_[static_cast<std::size_t>(row)];
      if (root.kind == RootKind::landing) landing.push_back(root.which);
      if (root.kind == RootKind::launch) opening.push_back(state.closed[static_cast<std::size_t>(root.which)]);
      const auto place = static_cast<std::size_t>(root.which) % std::max<std::size_t>(1, state.closed.size());
      if (root.kind == RootKind::limit) letting_go.push_back(state.closed[place]);
      if (root.kind == RootKind::slip) stopping.push_back(state.closed[place]);
      if (root.kind == RootKind::opened || root.kind == RootKind::slow || root.kind == RootKind::turning ||
          root.kind == RootKind::begun)
        new_piece = true;
      if (root.kind != RootKind::lowest) continue;
      if (gaps_.c[root.which] >= -10 * contact_.gap_tolerance(root.which) || rerun_to_ <= state.t) continue;
      // The gap was above zero at the step's start: with a step that ends here its root shows.
      finish_piece();
      rerun_to_ = state.t;
      contact_.state() = piece_start_;
      return;
    }
    if (landing.empty() && opening.empty() && letting_go.empty() && stopping.empty()) {
      if (new_piece) finish_piece();
      return;
    }
    finish_piece();
    for (const Index i : contact_.open())
      if (!contains(landing, i) && gaps_.c[i] <= 10 * contact_.gap_tolerance(i) && gaps_.rate[i] < -contact_.moving(i))
        landing.push_back(i);
    laws_.settle(landing, opening, letting_go, stopping);
    if (!contact_.resting()) return require_visible_rebounds(landing);
    if (!quantities_.coulomb()) return;
    contact_.multipliers_at_rest(lambda_);
    own_lambda_ = lambda_;
  }

  /// A rebound from a contact rises by w^2/(2 a), which a double of q must resolve.
  void require_visible_rebounds(const Contacts& landing) {
    const State& state = contact_.state();
    quantities_.gaps(state, gaps_);
    contact_.consistent(contact_.phase(), state);
    const Vector a = quantities_.gap_accelerations(state, contact_.phase().a);
    for (const Index i : landing) {
      const double rate = gaps_.rate[i], least = std::sqrt(-2 * a[i] * rebound_gaps * contact_.gap_tolerance(i));
      if (contains(state.closed, i) || !(a[i] < 0) || !(rate > 0) || rate >= least) continue;
      throw CannotEvaluate("the rebound of contact " + std::to_string(i) + " with the rate " + number_text(rate) +
                           " is too low for a double of q: a zeno-speed of at least " + number_text(least) +
                           " ends the sequence of rebounds before");
    }
  }

  /// What the report takes over from it.
  void finish_piece() {
    rerun_to_ = std::numeric_limits<double>::infinity();
    if (!piece_) return;
    add_piece(last_, past_);
    last_ = ReferenceReport();
    piece_.reset();
  }

  ReferenceReport report(std::string message) const {
    const State& state = contact_.state();
    ReferenceReport report = past_;
    add_piece(last_, report);
    report.success = message.empty();
    report.message = std::move(message);
    report.t = state.t;
    report.q = state.q.value();
    report.p = state.p.value();
    report.lambda = lambda_;
    report.own_lambda = own_lambda_;
    report.events = contact_.events();
    return report;
  }

  ProblemInstance instance_;
  ContactState contact_;
  ContactQuantities& quantities_;
  ContactLaws laws_;
  StartPiece start_;
  Index m_;
  std::unique_ptr<ReferenceSolution> piece_;  // null: the next one has not started
  std::vector<Root> roots_;                   // of the piece
  State piece_start_, probe_;
  ContactGaps gaps_;
  Vector margins_;
  double fastest_ = 0;                                         // speed, of what the piece has seen
  double rerun_to_ = std::numeric_limits<double>::infinity();  // a piece that missed a landing ends here
  Vector lambda_, own_lambda_;
  ReferenceReport last_, past_;  // of the piece, and what all before it add up to
};

}  // namespace

std::unique_ptr<ReferenceSolution> contact_reference(const ProblemInstance& instance, const ContactOptions& options,
                                                     StartPiece start) {
  return std::make_unique<ContactReference>(instance, options, std::move(start));
}

Assignments contact_of_reference(const Assignments& contact, const OptionSpecs& options) {
  Assignments result;
  for (const auto& assignment : contact)
    if (std::any_of(options.begin(), options.end(),
                    [&](const OptionSpec& spec) { return spec.name == assignment.first; }))
      result.push_back(assignment);
  return result;
}

}  // namespace gnomon
