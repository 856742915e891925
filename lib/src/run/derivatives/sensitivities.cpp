#include "gnomon/run/sensitivities.hpp"

#include <limits>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/start/consistent_start.hpp"
#include "run/derivatives/step_derivative.hpp"

namespace gnomon {

Variant::Variant(ProblemInstance changed, Integrator run)
    : instance(std::move(changed)), integrator(std::move(run)), outputs(instance) {}

Index size_of_motion(const Variant& of) {
  const Model& model = of.integrator.model();
  return 2 * model.mechanical()->n() + n_state_multipliers(model) + static_cast<Index>(of.outputs.outputs().size());
}

void measure_motion(Variant& of, const State& z, VectorRef out) {
  const System& system = of.integrator.system();
  const Index n = system.n(), m = n_state_multipliers(system);
  const Windings turns(z.turns);
  out.head(n) = z.q.value();
  Vector scratch(n), v(n);
  system.velocity(z.q.value(), z.p.value(), scratch, v);
  out.segment(n, n) = v;
  try {
    if (system.parts().obstacles) {
      of.integrator.restore(z);
      out.segment(2 * n, m) = of.integrator.index1_multipliers();
    } else {
      out.segment(2 * n, m) = index1_multipliers(system, z.view(), of.integrator.constraint_rank().rank);
    }
  } catch (const std::exception&) {
    out.segment(2 * n, m).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  out.tail(out.size() - 2 * n - m) = of.outputs.evaluate(z);
}

Sensitivities::Sensitivities(Integrator& run, std::vector<Parameter> parameters, Make make)
    : parameters_(std::move(parameters)) {
  if (!run.model().mechanical())
    throw Error(ErrorCode::refused,
                "system \"" + run.model().name() +
                    "\" is an overdetermined DAE, and sensitivities are those of mechanical systems");
  steps_ = std::make_unique<TakenSteps>(run);
  if (!parameters_.empty()) step_ = std::make_unique<StepDerivative>(run, std::move(make));
}

Sensitivities::~Sensitivities() = default;

bool Sensitivities::observe(const State& z, long step) {
  if (!failure_.empty()) return false;
  if (step == 0) begin(z);
  if (step > 0) steps_->get(end_, z, last_);
  end_ = z;
  before_ = carried_;
  if (!take_pieces(last_.pieces.size())) {
    const std::string what = step == 0 ? "start" : "step to t = " + number_text(z.t);
    failure_ = "the " + what + " has no derivative: " + failure_;
    return false;
  }
  for (std::size_t k = 0; k < directions_.size(); ++k) carried_[k] = directions_[k].end;
  shown_ = z.t;
  return true;
}

/// The first pieces of the last step: directions are those at their end.
bool Sensitivities::take_pieces(std::size_t count) {
  for (std::size_t k = 0; k < directions_.size(); ++k) directions_[k].end = before_[k];
  for (std::size_t piece = 0; piece < count; ++piece) {
    for (Direction& direction : directions_) direction.start = direction.end;
    if (!take(last_.pieces[piece], true)) return false;
  }
  return true;
}

bool Sensitivities::at(double t) {
  if (!failure_.empty() || t == shown_) return failure_.empty();
  std::size_t place = 0;  // of the last piece that begins before t
  for (std::size_t k = 0; k < last_.pieces.size(); ++k)
    if ((last_.pieces[k].start.t - t) * last_.pieces[k].h <= 0) place = k;
  const SolvedStep& from = last_.pieces[place];
  if (from.h == 0) throw Error(ErrorCode::bad_value, "there is no step yet whose inside could be asked for");
  // Where there is one piece alone, its start is in the directions.
  bool taken = last_.pieces.size() == 1 || take_pieces(place);
  if (taken && last_.pieces.size() > 1)
    for (Direction& direction : directions_) direction.start = direction.end;
  const bool whole = t == end_.t;
  const SolvedStep part{from.start, t - from.start.t - from.start.t_tail, {}};
  taken = taken && take(whole ? from : part, whole);
  if (taken) {
    shown_ = t;
    return true;
  }
  failure_ = "the state at t = " + number_text(t) + " has no derivative: " + failure_;
  return false;
}

void Sensitivities::begin(const State& z) {
  end_ = z;
  last_ = {{{z, 0, {}}}, false};
  directions_.clear();
  for (std::size_t i = 0; i < parameters_.size(); ++i) directions_.emplace_back(i, parameters_[i]);
  carried_.assign(parameters_.size(), StateChange::zero(z));
}

/// The derivatives of a step, of the start where it goes over no time. solved: the run has taken it.
bool Sensitivities::take(const SolvedStep& piece, bool solved) {
  if (directions_.empty()) return true;
  const State* const led_to = solved ? &TakenSteps::end_of(last_, piece, end_) : nullptr;
  if (piece.h == 0) step_->take_start(end_);
  const bool taken = piece.h == 0 || step_->take(piece, last_.whole, end_, led_to);
  failure_ = taken ? std::string() : step_->failure();
  for (Direction& direction : directions_)
    if (taken && failure_.empty() && !step_->find(direction))
      failure_ = "by " + direction.of.name + ", " + step_->failure();
  return failure_.empty();
}

double Sensitivities::largest_remainder() const {
  return step_ ? step_->largest_remainder() : 0;
}

std::string Sensitivities::warning() const {
  std::string text = StepDerivative::warning(largest_remainder());
  for (const Direction& direction : directions_) {
    if (direction.shows) continue;
    text += (text.empty() ? "" : "; ") + std::string("changes of ") + direction.of.name + " by " +
            number_text(direction.largest()) +
            " do not show in positions and momenta: their derivatives by it are zero to the rounding of that";
  }
  return text;
}

namespace {

/// One column a direction.
template <class Column>
Matrix columns(Index rows, const std::vector<Direction>& directions, const Column& column) {
  Matrix out(rows, static_cast<Index>(directions.size()));
  for (const Direction& direction : directions) out.col(static_cast<Index>(direction.parameter)) = column(direction);
  return out;
}

}  // namespace

Matrix Sensitivities::positions() const {
  return columns(end_.q.value().size(), directions_, [](const Direction& one) { return one.end.q; });
}

Matrix Sensitivities::momenta() const {
  return columns(end_.p.value().size(), directions_, [](const Direction& one) { return one.end.p; });
}

Matrix Sensitivities::motion() const {
  if (directions_.empty()) return {};
  return derivative(size_of_motion(step_->same()),
                    [](Variant& of, const State& z, VectorRef out) { measure_motion(of, z, out); });
}

Matrix Sensitivities::derivative(Index size, const Measure& f) const {
  return columns(size, directions_, [&](const Direction& one) { return step_->derivative(one, size, f); });
}

}  // namespace gnomon
