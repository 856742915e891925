#include "program/run/reference_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "gnomon/base/error.hpp"
#include "gnomon/contact/contact_reference.hpp"
#include "gnomon/model/overdetermined.hpp"
#include "gnomon/run/stepwise_reference.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "program/arguments.hpp"
#include "program/run/progress.hpp"

namespace gnomon::program {

namespace {

bool has(const OptionSpecs& specs, const std::string& name) {
  return std::any_of(specs.begin(), specs.end(), [&](const OptionSpec& spec) { return spec.name == name; });
}

}  // namespace

ReferenceRun::ReferenceRun(const Registry& registry, const std::string& name, ProblemInstance instance,
                           const Assignments& own, const std::vector<std::string>& contact)
    : name_(name), instance_(std::move(instance)) {
  const Reference& reference = registry.reference(name);
  Assignments assignments = contact_of_reference(parse_assignments(contact, "--contact"), reference.options());
  assignments.insert(assignments.end(), own.begin(), own.end());
  const Options options("reference " + name, reference.options(), assignments);
  if (has(reference.options(), "rtol")) tolerance_ = ", rtol = " + number_text(options.real("rtol"));
  solution_ = reference.start(instance_, options);
}

std::string ReferenceRun::label() const {
  return name_ + tolerance_;
}

/// The start has p, of an overdetermined DAE z, and none of the other.
State ReferenceRun::state(double t, const Vector& q, const Vector& p, const Vector& z, const Vector& lambda) const {
  State out;
  out.t = t;
  out.q.set(q);
  out.p.set(p);
  if (!instance_.model->mechanical()) out.scheme_data = z;
  out.lambda = lambda;
  return out;
}

ReferenceReport ReferenceRun::advance_to(double t_end, Observer* observer, const std::vector<double>& times) {
  const auto begin = std::chrono::steady_clock::now();
  const Model& model = *instance_.model;
  const OverdeterminedSystem* dae = model.overdetermined();
  std::optional<Index1> index1;
  if (dae) index1.emplace(*dae);
  const auto momentum = [&](const Vector& y, const Vector& z) {
    Vector p(dae->traits().rows(Term::momentum));
    dae->evaluate(Term::momentum, {y, z, Vector::Zero(model.m())}, p);
    return p;
  };
  bool enough = false;
  long step = 0;
  const auto show = [&](double t, const Vector& q, const Vector& p, const Vector& z, const Vector& lambda) {
    if (observer && !enough) enough = !observer->observe(state(t, q, p, z, lambda), step++);
  };
  solution_->stop_when([&enough] { return enough || Progress::interrupted(); });
  if (observer)
    show(instance_.t0, instance_.q0, dae ? momentum(instance_.q0, instance_.p0) : instance_.p0, instance_.p0,
         solution_->advance_to(instance_.t0).lambda);
  auto* const stepwise = dynamic_cast<StepwiseReference*>(solution_.get());
  if (stepwise) {
    if (observer) stepwise->watch_steps([&](const ReferenceStep& at) { show(at.t, at.q, at.p, at.z, at.lambda); });
  } else if (observer) {
    for (const double t : times) {
      if (!(t > instance_.t0 && t < t_end) || enough) continue;
      const ReferenceReport there = solution_->advance_to(t);
      if (!there.success) return there;
      Vector z = instance_.p0;
      if (index1) index1->solve_momentum(there.q, there.p, z);
      show(t, there.q, there.p, z, there.lambda);
    }
  }
  ReferenceReport report = solution_->advance_to(t_end);
  if (!stepwise && observer && report.success) {
    Vector z = instance_.p0;
    if (index1) index1->solve_momentum(report.q, report.p, z);
    show(t_end, report.q, report.p, z, report.lambda);
  }
  if (stepwise) stepwise->watch_steps(nullptr);
  wall_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

std::vector<ReferenceRun> start_references(const Registry& registry, const std::vector<std::string>& names,
                                           const ProblemInstance& instance, const std::vector<std::string>& options,
                                           const std::vector<std::string>& contact) {
  if (names.empty() && !options.empty())
    throw Error(ErrorCode::bad_value, "--reference-option is given without --reference");
  const Assignments all = parse_assignments(options, "--reference-option");
  std::vector<ReferenceRun> runs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::count(names.begin(), names.end(), names[i]) > 1)
      throw Error(ErrorCode::bad_value, "--reference " + names[i] + " is given more than once");
    Assignments own;
    for (const auto& one : all) {
      const auto knows = [&](const std::string& name) { return has(registry.reference(name).options(), one.first); };
      if (knows(names[i]) || std::none_of(names.begin(), names.end(), knows)) own.push_back(one);
    }
    runs.emplace_back(registry, names[i], instance, own, contact);
  }
  return runs;
}

bool ReferenceObserver::observe(const State& z, long) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  trace_->add(z, {unknown, unknown});
  return true;
}

}  // namespace gnomon::program
