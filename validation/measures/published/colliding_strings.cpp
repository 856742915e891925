/// The colliding strings of Glowinski, Holmstroem, section 3: errors, penetration and energy against the table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "measures/published/alpha_measures.hpp"
#include "measures/setup.hpp"
#include "measures/table_file.hpp"

namespace gnomon::validation {

namespace {

constexpr double strings_gate = 1e-3;  // relative, of errors and penetrations: the table has four digits or five
constexpr long sampled_steps = 100;    // from one error of the table to the next
constexpr double start_gate = 1e-9;    // relative, of the first energy: the table has eleven digits
constexpr double energy_gate = 1e-11;  // of the first energy, over the run

struct StringsRow {
  double intervals = 0, h = 0, eps = 0, node = 0, mid = 0, contact = 0, energy = 0, spread = 0, error = 0, half = 0,
         end = 0;
};

StringsRow table_row(const std::string& path, double intervals, double h, double eps) {
  for (const TableFile::Row& cells : TableFile(path)) {
    if (cells.number(0) != intervals || cells.number(1) != h || cells.number(2) != eps) continue;
    StringsRow row;
    double* const values[] = {&row.intervals, &row.h,      &row.eps,   &row.node, &row.mid, &row.contact,
                              &row.energy,    &row.spread, &row.error, &row.half, &row.end};
    for (std::size_t i = 0; i < std::size(values); ++i) *values[i] = cells.number(i);
    return row;
  }
  throw Error(ErrorCode::bad_file, fmt::format("table \"{}\" has no row with {} intervals, step {:g} and eps {:g}",
                                               path, intervals, h, eps));
}

/// Largest penetration at nodes and middles of steps, and error, along a run.
class StringObserver final : public Observer {
 public:
  explicit StringObserver(const ProblemInstance& instance) : instance_(&instance), before_(instance.q0) {}

  bool observe(const State& z, long step) override {
    const Vector& q = z.q.value();
    node_ = std::max(node_, penetration(q));
    middle_ = 0.5 * (q + before_);
    mid_ = std::max(mid_, penetration(middle_));
    if (contact_ == 0 && penetration(middle_) > 0) contact_ = z.t;
    before_ = q;
    if (step == 0) return true;
    instance_->exact(z.t, exact_q_, exact_p_);
    end_ = (q - exact_q_).lpNorm<Eigen::Infinity>();
    error_ = std::max(error_, end_);
    if (step % sampled_steps == 0) sampled_ = std::max(sampled_, end_);
    return true;
  }
  double node() const { return node_; }
  double mid() const { return mid_; }
  double contact() const { return contact_; }
  double error() const { return error_; }
  double sampled_error() const { return sampled_; }
  double end() const { return end_; }

 private:
  static double penetration(const Vector& q) {
    double deepest = 0;
    for (Index i = 0; i + 1 < q.size(); i += 2) deepest = std::max(deepest, q[i + 1] - q[i]);
    return deepest;
  }

  const ProblemInstance* instance_;
  Vector before_, middle_, exact_q_, exact_p_;
  double node_ = 0, mid_ = 0, contact_ = 0, error_ = 0, sampled_ = 0, end_ = 0;
};

}  // namespace

Quantities measure_colliding_strings(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  if (!instance.exact)
    throw Error(ErrorCode::refused, "problem " + c.problem + " has no exact solution with these parameters");
  const double h = c.step.front();
  const Options options("scheme " + c.method.scheme, registry.scheme(c.method.scheme).options(), c.method.options);
  const Index points = instance.q0.size() / 2;  // of each string
  const auto intervals = static_cast<double>(points + 1);
  const StringsRow row = table_row(c.data_folder + "/" + c.table.file, intervals, h, options.real("eps"));

  Integrator integrator = started(registry, instance, c.method);
  StringObserver observer(instance);
  integrator.add_observer(observer);
  advance(integrator, whole_steps(1 - instance.t0, h), h);

  const Drift& energy = integrator.monitor().discrete_energy();
  const double initial = static_cast<double>(energy.initial());
  // The state at t = 1 mirrors the start: the one string is where the other began, which is below it, upside down.
  const Vector& q = integrator.state().q.value();
  double mirror = 0;
  for (Index i = 0; i < q.size(); i += 2)
    mirror = std::max({mirror, std::abs(q[i] - instance.q0[i + 1]), std::abs(q[i + 1] + instance.q0[i])});
  const auto near = [](double value, double within) { return Gate::around(value, within * value); };
  return {{"energy-initial", initial, "conserved, of the first step", near(row.energy, start_gate)},
          {"energy", energy.max_abs_error() / initial, "largest change / energy of the first step",
           Gate::at_most(energy_gate)},
          {"error-sampled", observer.sampled_error(), "max over nodes against the exact solution, every 100 steps",
           near(row.error, strings_gate)},
          {"error-max", observer.error(), "the same over all steps"},
          {"error-end", observer.end(), "at t = 1", near(row.end, strings_gate)},
          {"penetration-mid", observer.mid(), "max of v - u at the middles of steps", near(row.mid, strings_gate)},
          {"penetration-node", observer.node(), "and at their ends", near(row.node, strings_gate)},
          {"first-contact", observer.contact(), "", Gate::around(row.contact, 2 * h)},
          {"mirror", mirror, "distance from the mirrored start at t = 1", near(row.end, strings_gate)}};
}

}  // namespace gnomon::validation
