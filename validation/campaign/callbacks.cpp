/// \file
/// Models whose functions fail once, at a call drawn at random, in one of four ways: through C++ (CannotEvaluate, a
/// number that is thrown, NaN, infinity) and through C (a positive and a negative flag, NaN, infinity). What failed is
/// tried once more, and the run goes on. Findings:
///
///     changed     the state, by a step that failed
///     elsewhere   the run does not end where an undisturbed one does
///     stuck       what failed fails again, although the model is sound again
///     silent      the failure has no message
///     through     a step passes on what a function threw, instead of failing
///     not finite  in a state
#include <gnomon/gnomon.h>
#include <nvector/nvector_serial.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "campaign/campaign.hpp"
#include "campaign/random_system.hpp"
#include "campaign/tally.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/contact/contact.hpp"
#include "gnomon/formula/dual.hpp"
#include "gnomon/registry/registry.hpp"
#include "gnomon/sundials/sundials_compat.hpp"
#include "support/faulty_system.hpp"

namespace gnomon::campaign {

namespace {

using test::FaultySystem;
constexpr long never = std::numeric_limits<long>::max();
constexpr long steps = 12;
/// The start value of Newton's method is another one after a failure; the solution differs by its tolerance.
constexpr double tolerance = 1e-7;

struct Finding : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Ran {
  Vector z;  ///< q and p at the end
  long calls = 0;
  int failures = 0;
};

double distance(const Vector& a, const Vector& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / std::max(1.0, b.lpNorm<Eigen::Infinity>());
}

/// What throws is called once more when it is the fault's doing.
template <class Call>
void twice(Ran& run, const char* what, const Call& call) {
  for (int attempt = 0;; ++attempt) try {
      call();
      return;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::refused) throw;
      if (std::string(error.what()).empty()) throw Finding("silent: " + std::string(what));
      if (attempt > 0) throw Finding("stuck: " + std::string(what) + ": " + error.what());
      ++run.failures;
    } catch (...) {  // what a model throws may come through where nothing is at stake
      if (attempt > 0) throw Finding("stuck: " + std::string(what));
      ++run.failures;
    }
}

Ran run_cpp(const Registry& registry, const ProblemInstance& instance, const std::string& scheme,
            const std::string& solver, double h, FaultySystem::Function function, FaultySystem::How how, long call) {
  const auto faulty = std::make_shared<FaultySystem>(*instance.model->mechanical(), function, how, call);
  ProblemInstance other = instance;
  other.model = faulty;
  IntegratorOptions options;
  options.event_driver = contact_driver;
  options.max_halvings = 0;  // a step that fails is taken again whole
  Ran run;
  std::optional<Integrator> integrator;
  twice(run, "binding", [&] { integrator.emplace(registry.integrator(other, scheme, solver, {}, {}, options)); });
  twice(run, "start", [&] { integrator->start(instance.t0, instance.q0, instance.p0); });
  for (long step = 0; step < steps; ++step) {
    const State before = integrator->state();
    StepReport report;
    try {
      report = integrator->step(h);
    } catch (int) {
      throw Finding("through: step() passed on what a function threw");
    }
    if (!report.success()) {
      if (call == never) return run;  // it has no solution anyway
      if (report.message.empty()) throw Finding("silent: a step");
      const State& after = integrator->state();
      if (after.q.value() != before.q.value() || after.p.value() != before.p.value() || after.t != before.t ||
          after.lambda != before.lambda)
        throw Finding("changed: " + report.message);
      ++run.failures;
      report = integrator->step(h);
      if (!report.success()) throw Finding("stuck: " + report.message);
    }
    const State& z = integrator->state();
    if (!z.q.value().allFinite() || !z.p.value().allFinite() || !z.lambda.allFinite())
      throw Finding("not finite: step " + std::to_string(step));
  }
  const State& z = integrator->state();
  run.z.resize(2 * z.q.value().size());
  run.z << z.q.value(), z.p.value();
  run.calls = faulty->calls();
  return run;
}

/// The model of a C program.
struct CModel {
  enum Function { potential, gradient, constraints, jacobian, count };
  const RandomTerms* terms;
  Function function;  ///< what fails
  int way;            ///< 0, 1: a positive, a negative flag; 2, 3: NaN, infinity
  long fails_at, calls = 0;

  int spoil(double& value, Function now) {
    if (now != function || ++calls != fails_at) return 0;
    if (way < 2) return way == 0 ? 1 : -1;
    value = way == 2 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    return 0;
  }
};

constexpr int most = 12;
using Derivatives = Dual<double, most>;
std::array<Derivatives, most> seeded(N_Vector q) {
  std::array<Derivatives, most> x;
  for (sunindextype i = 0; i < N_VGetLength(q); ++i) {
    const auto k = static_cast<std::size_t>(i);
    x[k].value = N_VGetArrayPointer(q)[i];
    x[k].grad[k] = 1;
  }
  return x;
}

extern "C" {
int random_U(sunrealtype, N_Vector q, sunrealtype* U, void* data) {
  auto* model = static_cast<CModel*>(data);
  *U = model->terms->U(0., N_VGetArrayPointer(q));
  return model->spoil(*U, CModel::potential);
}
int random_gradient(sunrealtype, N_Vector q, N_Vector grad, void* data) {
  auto* model = static_cast<CModel*>(data);
  const Derivatives U = model->terms->U(Derivatives(0), seeded(q).data());
  std::copy_n(U.grad.begin(), N_VGetLength(q), N_VGetArrayPointer(grad));
  return model->spoil(*N_VGetArrayPointer(grad), CModel::gradient);
}
int random_g(sunrealtype, N_Vector q, N_Vector g, void* data) {
  auto* model = static_cast<CModel*>(data);
  model->terms->g(0., N_VGetArrayPointer(q), N_VGetArrayPointer(g));
  return model->spoil(*N_VGetArrayPointer(g), CModel::constraints);
}
int random_G(sunrealtype, N_Vector q, SUNMatrix G, void* data) {
  auto* model = static_cast<CModel*>(data);
  const auto x = seeded(q);
  for (std::size_t r = 0; r < model->terms->constraints.size(); ++r) {
    const Derivatives row = model->terms->constraints[r](x.data());
    for (sunindextype j = 0; j < N_VGetLength(q); ++j)
      SM_ELEMENT_D(G, static_cast<sunindextype>(r), j) = row.grad[static_cast<std::size_t>(j)];
  }
  return model->spoil(SM_ELEMENT_D(G, 0, 0), CModel::jacobian);
}
}

/// A negative flag ends the use of a memory up to its next GnomonReInit: it is called twice, then the run begins anew.
Ran run_c(const RandomProblem& problem, const std::string& scheme, double h, CModel model) {
  const Index n = problem.terms.mass.size();
  const SunContext context;
  const SunOwner<N_Vector> start(N_VNew_Serial(2 * n, context)), y(N_VNew_Serial(2 * n, context)),
      mass(N_VNew_Serial(n, context));
  Eigen::Map<Vector>(N_VGetArrayPointer(mass.get()), n) = problem.terms.mass;
  Eigen::Map<Vector>(N_VGetArrayPointer(start.get()), 2 * n) << problem.instance.q0, problem.instance.p0;
  const Eigen::Map<Vector> z(N_VGetArrayPointer(y.get()), 2 * n);
  void* mem = GnomonCreate(context);
  const std::unique_ptr<void*, void (*)(void**)> owner(&mem, [](void** it) { GnomonFree(it); });
  const auto said = [&mem](const char* what) {
    const std::string message = GnomonGetLastMessage(mem);
    if (message.empty()) throw Finding(std::string("silent: ") + what);
    return message;
  };
  const auto must = [&](int flag) {
    if (flag != GNOMON_SUCCESS) throw Error(ErrorCode::refused, said("a setting"));
  };
  must(GnomonSetUserData(mem, &model));
  must(GnomonSetMassDiagonal(mem, mass.get()));
  must(GnomonSetPotentialFn(mem, random_U));
  must(GnomonSetGradientFn(mem, random_gradient));
  if (!problem.terms.constraints.empty()) {
    must(GnomonSetConstraintFn(mem, static_cast<sunindextype>(problem.terms.constraints.size()), random_g));
    must(GnomonSetConstraintJacFn(mem, random_G, nullptr));
  }
  must(GnomonSetScheme(mem, scheme.c_str(), nullptr));
  must(GnomonSetStep(mem, h));
  must(GnomonSetMaxHalvings(mem, 0));  // a step that fails is taken again whole
  Ran run;
  const auto failed = [&](const char* what) {
    said(what);
    if (++run.failures > 1) throw Finding("stuck: " + said(what));
  };
  int flag = GnomonInit(mem, 0, start.get());
  if (flag != GNOMON_SUCCESS && model.calls >= model.fails_at) {
    failed("GnomonInit");
    flag = GnomonInit(mem, 0, start.get());
  }
  must(flag);
  double t = 0;
  for (long step = 1; step <= steps; ++step) {
    const double before = t, tout = static_cast<double>(step) * h;
    flag = GnomonEvolve(mem, tout, y.get(), &t, GNOMON_NORMAL);
    if (flag < 0) {
      if (model.fails_at == never) return run;
      if (t != before) throw Finding("changed: the time of GnomonEvolve");
      failed("GnomonEvolve");
      flag = GnomonEvolve(mem, tout, y.get(), &t, GNOMON_NORMAL);
      if (flag < 0 && model.way == 1) {
        const long calls = model.calls;
        if (GnomonEvolve(mem, tout, y.get(), &t, GNOMON_NORMAL) >= 0 || model.calls != calls)
          throw Finding("changed: a callback was called after a negative flag");
        must(GnomonReInit(mem, 0, start.get()));
        step = 0;
        t = 0;
        continue;
      }
      if (flag < 0) failed("GnomonEvolve");
    }
    if (!z.allFinite()) throw Finding("not finite: step " + std::to_string(step));
  }
  run.z = z;
  run.calls = model.calls;
  return run;
}

class Campaign {
 public:
  Campaign(const Registry& registry, const Range& range) : registry_(registry), range_(range), tally_(range) {}

  void take(long number) {
    std::mt19937_64 random(range_.seed * 1000003 + static_cast<std::uint64_t>(number));
    const auto pick = [&random](std::size_t count) { return static_cast<std::size_t>(random() % count); };
    const bool in_c = pick(4) == 0, contact = !in_c && pick(8) == 0;
    const Features features = pick(4) == 0 ? Features().add(Features::curved) : Features();
    RandomProblem problem = random_problem(range_.seed, static_cast<std::uint64_t>(number), features);
    // Short steps: what has a solution must have it with and without the matrix of an earlier step.
    double h = problem.period / 300;
    if (contact) {
      problem.instance = registry_.build("walled-pendulum");
      h = .1;  // reaches the walls
    }
    const std::vector<std::string> schemes = registry_.schemes(), solvers = registry_.solvers();
    std::string scheme = range_.only, solver = "newton";
    for (int attempt = 0; attempt < 50; ++attempt) {
      if (range_.only.empty()) scheme = schemes[pick(schemes.size())];
      solver = in_c || pick(2) == 0 ? "newton" : solvers[pick(solvers.size())];
      if (takes(problem.instance, scheme, solver)) break;
    }
    const auto function = static_cast<FaultySystem::Function>(pick(std::size_t(FaultySystem::Function::count)));
    const auto how = static_cast<FaultySystem::How>(pick(std::size_t(FaultySystem::How::count)));
    const CModel model{&problem.terms, static_cast<CModel::Function>(pick(CModel::count)), static_cast<int>(pick(4)),
                       never};
    std::string text =
        in_c ? scheme + " in C, function " + std::to_string(model.function) + ", way " + std::to_string(model.way)
             : scheme + " by " + solver + ", function " + std::to_string(int(function)) + ", way " +
                   std::to_string(int(how)) + (contact ? ", contact" : "");
    const auto run = [&](long call) {
      if (!in_c) return run_cpp(registry_, problem.instance, scheme, solver, h, function, how, call);
      CModel faulty = model;
      faulty.fails_at = call;
      return run_c(problem, scheme, h, faulty);
    };
    std::string outcome;
    try {
      const Ran sound = run(never);
      if (sound.z.size() == 0) {
        outcome = "without a solution";
      } else if (sound.calls == 0) {
        outcome = "never called";
      } else {
        const long call = 1 + static_cast<long>(pick(static_cast<std::size_t>(sound.calls)));
        text += ", call " + std::to_string(call) + " of " + std::to_string(sound.calls);
        const Ran disturbed = run(call);
        const double apart = distance(disturbed.z, sound.z);
        if (!(apart <= tolerance)) throw Finding("elsewhere: by " + number_text(apart));
        outcome = disturbed.failures > 0 ? "failed, went on" : "without effect";
      }
    } catch (const Finding& finding) {
      outcome = "finding";
      tally_.found(number, (contact ? "walled-pendulum" : problem.text) + "; " + text, finding.what());
    } catch (const Error& error) {
      if (error.code() != ErrorCode::refused) throw;
      outcome = "refused";
    }
    tally_.add(outcome);
  }

  long print() const { return tally_.print(); }

 private:
  bool takes(const ProblemInstance& instance, const std::string& scheme, const std::string& solver) const try {
    registry_.integrator(instance, scheme, solver);
    return true;
  } catch (const Error&) {
    return false;
  }

  const Registry& registry_;
  const Range& range_;
  Tally tally_;
};

}  // namespace

long callbacks(const Registry& registry, const Range& range) {
  Campaign campaign(registry, range);
  for_each_number(range, [&campaign](long number) { campaign.take(number); });
  return campaign.print();
}

}  // namespace gnomon::campaign
