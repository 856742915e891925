/// \file
/// Every scheme, and the one that a tolerance takes, on the files of the
/// gallery and the problems of formulas, seen in other coordinates and units,
/// drawn at random. Models take turns; for each of them, by the number of the
/// input,
///
///     axes    permuted   coordinates and rows of g in another order
///             mirrored   axes of some coordinates turned round
///             turned     x, y (and z) of points and vectors in turned axes
///     units   scaled     lengths, masses, times and rows of g in units that
///     differ by powers of two
///
/// A run and its image must end alike, stopped or not, with the same promises
/// broken; in other axes they must agree as well as a run agrees with one from
/// a start that differs by rounding, in other units to the bit. With a
/// tolerance turned ones agree to the tolerance: the error of every coordinate
/// is compared with its own size. In other units the checks of a model, its
/// static equilibrium and the modes beside that are the same, too.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "campaign/campaign.hpp"
#include "campaign/tally.hpp"
#include "campaign/transformed_problem.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/formula/tape.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/registry/coordinate_names.hpp"
#include "gnomon/registry/registry.hpp"
#include "gnomon/registry/suited_scheme.hpp"
#include "gnomon/solve/linearisation.hpp"
#include "gnomon/solve/minimum.hpp"
#include "gnomon/start/verify.hpp"

namespace gnomon::campaign {

namespace {

enum class Kind { permuted, mirrored, turned, scaled };
constexpr std::array<const char*, 4> kind_names{"permuted", "mirrored", "turned", "scaled"};
constexpr long image_steps = 100;
constexpr double image_tolerance = 1e-6;
/// Differences below it are of numbers that underflow in one unit and not in
/// another.
constexpr double underflow = 1e-290;
/// Times the growth of rounding errors that one run shows is allowed.
constexpr double factor_of_rounding = 1e3;

using Engine = std::mt19937_64;

std::vector<Index> shuffled(Index n, Engine& engine) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  std::shuffle(order.begin(), order.end(), engine);
  return order;
}

/// Turned axes: the same for all of three, and for all of two.
void turn(const Model& model, Engine& engine, Transformation& by) {
  std::normal_distribution<double> normal;
  Eigen::Quaterniond q(normal(engine), normal(engine), normal(engine), normal(engine));
  q.normalize();
  const Eigen::Matrix3d space = q.toRotationMatrix();
  const Eigen::Matrix2d plane = Eigen::Rotation2Dd(normal(engine)).toRotationMatrix();
  for (const NamedAxes& axes : named_axes(model)) {
    const Index dimension = axes.at[2] >= 0 ? 3 : 2;
    for (Index i = 0; i < dimension; ++i)
      for (Index j = 0; j < dimension; ++j)
        by.s(axes.at[static_cast<std::size_t>(i)], axes.at[static_cast<std::size_t>(j)]) =
            dimension == 3 ? space(i, j) : plane(i, j);
  }
  by.inverse = by.s.transpose();
}

Transformation draw(Kind kind, const Model& model, Engine& engine) {
  const Index n = model.mechanical()->n(), m = model.m();
  Transformation by(n, m);
  const auto power = [&engine] { return std::ldexp(1.0, 2 * (static_cast<int>(engine() % 41) - 20)); };
  switch (kind) {
    case Kind::permuted: {
      const std::vector<Index> order = shuffled(n, engine);
      by.s.setZero();
      for (Index j = 0; j < n; ++j) by.s(order[static_cast<std::size_t>(j)], j) = 1;
      by.inverse = by.s.transpose();
      const Index positions = m - model.mechanical()->parts().n_velocity_constraints();
      by.rows = shuffled(positions, engine);
      for (const Index row : shuffled(m - positions, engine)) by.rows.push_back(positions + row);
      break;
    }
    case Kind::mirrored:
      for (Index j = 0; j < n; ++j)
        if (engine() % 2) by.s(j, j) = by.inverse(j, j) = -1;
      break;
    case Kind::turned:
      turn(model, engine, by);
      break;
    case Kind::scaled: {
      const double length = power(), mass = power();
      by.time = power();
      by.energy = mass * length * length / (by.time * by.time);
      by.s *= length;
      by.inverse /= length;
      by.contact_factor = 1 / length;
      for (double& factor : by.factors) factor = power();
    }
  }
  return by;
}

struct Ended {
  bool success = false;
  std::string message, broken;
  Vector q;
  long steps = 0, events = 0;
};

struct Setup {
  std::string scheme;
  Assignments options, contact;
  double h = 0, until = 0;  ///< h = 0: steps of the tolerance
};

std::optional<Ended> run(const Registry& registry, const ProblemInstance& instance, const Setup& setup, double time) {
  IntegratorOptions options;
  options.contact = contact_options(setup.contact);
  try {
    Integrator integrator = registry.integrator(instance, setup.scheme, "newton", setup.options, {}, options);
    if (setup.h == 0) integrator.set_tolerances(Tolerances(image_tolerance));
    Ended out;
    try {
      integrator.start(instance.t0, instance.q0, instance.p0);
      const StepReport report =
          setup.h == 0 ? integrator.advance_to(setup.until / time) : integrator.advance(image_steps, setup.h / time);
      out.success = report.success();
      out.message = report.message;
      for (const BrokenPromise& promise : integrator.broken_promises()) out.broken += promise.text() + "; ";
    } catch (const Error& error) {
      out.message = error.what();
    }
    out.q = integrator.state().q.value().head(instance.q0.size());
    out.steps = integrator.counters().steps;
    out.events = static_cast<long>(integrator.events().size());
    return out;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused) throw;
    return std::nullopt;
  }
}

/// From a start that differs by a rounding.
ProblemInstance nudged(const ProblemInstance& instance, Engine& engine) {
  ProblemInstance out = instance;
  std::uniform_real_distribution<double> part(-2.2e-16, 2.2e-16);
  for (double& x : out.q0) x *= 1 + part(engine);
  for (double& x : out.p0) x *= 1 + part(engine);
  return out;
}

/// What the name stands for, the same played from its tapes, as every image is,
/// and how it is run.
struct Source {
  std::string name;
  ProblemInstance given, instance;
  Setup setup;
};

/// An image, and a second one whose rows of g have one unit, for schemes with
/// options in units of g.
struct Image {
  Image(const Source& source, const Transformation& transformation)
      : by(transformation), instance(transformed(source.given, by)) {}
  Transformation by;
  ProblemInstance instance;
};

/// Discrete derivatives by the inner product of M: that of the identity adds
/// squares of positions and of momenta.
Assignments independent_of_units(const OptionSpecs& options) {
  Assignments out;
  for (const OptionSpec& option : options)
    if (option.name == "weight") out.emplace_back("weight", "mass");
  return out;
}

/// The options that have a unit, as they are for an image all of whose rows of
/// g have the same one.
Assignments in_units_of(const Transformation& by, const OptionSpecs& options) {
  Assignments out;
  const double energy = by.energy, unit = by.factors.size() > 0 ? 1 / by.factors[0] : 1;
  for (const OptionSpec& option : options) {
    const double factor = option.unit == "energy / unit of R"         ? energy / (unit * unit)
                          : option.unit == "unit of w g^2 per energy" ? unit * unit / energy
                          : option.unit == "unit of g"                ? unit
                                                                      : 0;
    if (factor != 0) out.emplace_back(option.name, number_text(option.default_number / factor, 17));
  }
  return out;
}

bool has_tapes(const System& system) {
  const TapedFunctions* tapes = system.parts().tapes;
  try {
    for (int which = 0; tapes && which < TapedFunctions::count; ++which)
      tapes->tape(static_cast<TapedFunctions::Which>(which));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused) throw;
    return false;
  }
  return tapes != nullptr;
}

/// Built-in problems and files of the gallery, whose functions are tapes.
std::vector<Source> sources(const Registry& registry) {
  std::vector<std::string> names = registry.problems();
  for (const char* file :
       {"bead-with-friction", "bouncing-box",    "bricard",       "chaplygin-sleigh", "crane",
        "double-pendulum",    "double-wishbone", "falling-chain", "flyball-governor", "gyroscope",
        "kapitza-pendulum",   "knife-edge",      "n-four-bar",    "newtons-cradle",   "rattleback",
        "robot-arm",          "rolling-coin",    "slider-crank",  "snakeboard",       "spherical-pendulum",
        "squeezer",           "tippe-top",       "trampoline",    "trebuchet",        "tumbling-cube",
        "watt-six-bar",       "wheeled-robot"})
    names.push_back("gallery/" + std::string(file) + ".toml");
  std::vector<Source> out;
  for (const std::string& name : names) {
    const ProblemInstance instance = registry.build(name);
    const System* system = instance.model->mechanical();
    if (!system || !has_tapes(*system) || system->parts().penalty) continue;
    Source source{name, instance, transformed(instance, Transformation(system->n(), system->m())), {}};
    source.setup.until = 1;
    for (const auto& [key, value] : registry.problem(name).run_defaults()) {
      if (key == "until") source.setup.until = std::min(2.0, std::stod(value));
      if (key == "contact") source.setup.contact.push_back(parse_assignment(value, "contact"));
    }
    source.setup.h = source.setup.until / 1000;
    source.setup.until += source.instance.t0;
    out.push_back(source);
  }
  return out;
}

/// A model without a run: its checks, the equilibrium near its start, the modes
/// beside that. In units of the source.
struct Statics {
  std::vector<ModelCheck> checks;
  std::string equilibrium;  ///< how the search ended
  Vector rest;
  std::vector<std::complex<double>> rates;
};

Statics statics(const ProblemInstance& instance, const Transformation& by) {
  Statics out;
  const System& system = *instance.model->mechanical();
  out.checks = verify_functions(*instance.model, instance.t0, instance.q0, instance.p0);
  try {
    const Minimum found = find_minimum(shared_system(instance.model), instance.t0, instance.q0);
    out.equilibrium = std::string(to_string(found.report.status)) + " after " +
                      std::to_string(found.report.iterations) + " with " + std::to_string(found.closed.size()) +
                      " closed";
    if (found.report.status != SolveStatus::converged) return out;
    out.rest = by.s * found.q;
    const Vector none = Vector::Zero(found.q.size());
    for (const Mode& mode : modes_of(linearise(system, instance.t0, found.q, none, found.lambda, found.closed)))
      out.rates.push_back(mode.s / by.time);
  } catch (const Error& error) {
    out.equilibrium += std::string(", ") + to_string(error.code());
  }
  return out;
}

class Images {
 public:
  Images(const Registry& registry, const Range& range, std::vector<Kind> kinds)
      : registry_(registry), range_(range), kinds_(std::move(kinds)), sources_(sources(registry)), tally_(range) {}

  long judge_all() {
    for_each_number(range_, [this](long number) { judge(number); });
    return tally_.print();
  }

 private:
  void judge(long number) {
    const auto at = static_cast<std::size_t>(number);
    const Source& source = sources_[at / kinds_.size() % sources_.size()];
    const Kind kind = kinds_[at % kinds_.size()];
    std::seed_seq seed{range_.seed, static_cast<std::uint64_t>(number)};
    Engine engine(seed);
    const Image image(source, draw(kind, *source.given.model, engine));
    Transformation one_unit = image.by;
    if (one_unit.factors.size() > 0) one_unit.factors.setConstant(one_unit.factors[0]);
    const Image in_one_unit(source, one_unit);
    if (kind == Kind::scaled && (range_.only.empty() || range_.only == "statics"))
      compare_statics(number, source, image);
    const ProblemInstance near = nudged(source.instance, engine);
    for (const std::string& scheme : registry_.schemes()) {
      if (!range_.only.empty() && range_.only != scheme) continue;
      Setup setup = source.setup;
      const OptionSpecs options = registry_.scheme(scheme).options();
      setup.scheme = scheme;
      if (kind == Kind::scaled) setup.options = independent_of_units(options);
      const Assignments assigned = in_units_of(in_one_unit.by, options);
      compare(number, kind, source, assigned.empty() ? image : in_one_unit, near, setup, assigned);
    }
    if (!range_.only.empty() && range_.only != "tolerance") return;
    try {
      const SolverFactory& solver = registry_.solver("newton");
      IntegratorOptions options;
      options.contact = contact_options(source.setup.contact);
      const SchemeChoice choice = suited_scheme(
          registry_, {source.instance, image_tolerance, &solver, Options("newton", solver.options()), options});
      Setup setup = source.setup;
      setup.scheme = choice.scheme;
      setup.options = choice.options;
      setup.h = 0;
      compare(number, kind, source, image, near, setup);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::refused) throw;
    }
  }

  void compare_statics(long number, const Source& source, const Image& image) {
    constexpr Index most = 60;  // coordinates: checks take n^2 evaluations
    const Index n = source.instance.q0.size();
    if (n > most || source.instance.q0.isZero(0)) return;  // the origin has no size
    const Statics one = statics(source.instance, Transformation(n, image.by.factors.size()));
    const Statics other = statics(image.instance, image.by);
    tally_.add("scaled, checks, equilibrium and modes");
    const std::string what = source.name + ", ";
    for (std::size_t k = 0; k < one.checks.size() && k < other.checks.size(); ++k) {
      const ModelCheck &a = one.checks[k], &b = other.checks[k];
      if (a.name != b.name || a.passed() != b.passed())
        tally_.found(number, what + "check " + a.name,
                     number_text(a.value) + ", and of its image " + b.name + ", " + number_text(b.value));
    }
    if (one.checks.size() != other.checks.size()) tally_.found(number, what + "checks", "there are not the same ones");
    if (one.equilibrium != other.equilibrium)
      tally_.found(number, what + "equilibrium",
                   "it ends: " + one.equilibrium + ", and its image: " + other.equilibrium);
    else if (one.rest.size() > 0 && one.rest != other.rest)
      tally_.found(number, what + "equilibrium", "differs by " + number_text(max_norm(one.rest - other.rest)));
    double fastest = 0, apart = 0;
    for (std::size_t k = 0; k < std::min(one.rates.size(), other.rates.size()); ++k) {
      fastest = std::max(fastest, std::abs(one.rates[k]));
      apart = std::max(apart, std::abs(one.rates[k] - other.rates[k]));
    }
    if (one.rates.size() != other.rates.size() || apart > 1e-10 * fastest)
      tally_.found(number, what + "modes",
                   std::to_string(one.rates.size()) + ", and of its image " + std::to_string(other.rates.size()) +
                       ", which differ by " + number_text(apart) + " of " + number_text(fastest));
  }

  /// assigned: options of the scheme that are others for the image.
  void compare(long number, Kind kind, const Source& source, const Image& image, const ProblemInstance& near,
               const Setup& setup, const Assignments& assigned = {}) {
    const std::string seen =
        kind_names[static_cast<std::size_t>(kind)] + std::string(setup.h == 0 ? ", with a tolerance" : "");
    const std::string what = source.name + ", " + setup.scheme + ", " + seen;
    std::optional<Ended> one, other;
    try {
      one = run(registry_, source.instance, setup, 1);
      Setup its = setup;
      its.options.insert(its.options.end(), assigned.begin(), assigned.end());
      other = run(registry_, image.instance, its, image.by.time);
    } catch (const std::exception& error) {
      tally_.found(number, what, error.what());
      return;
    }
    if (one.has_value() != other.has_value()) {
      tally_.found(number, what, one ? "the image is refused" : "the image is not refused");
      return;
    }
    if (!one) return;
    tally_.add(seen);
    if (one->success != other->success || one->broken.empty() != other->broken.empty()) {
      tally_.found(number, what, "it " + verdict(*one) + ", and its image " + verdict(*other));
      return;
    }
    if (!one->success) return;
    const Vector q = image.by.s * other->q;
    const double size = std::max(one->q.lpNorm<Eigen::Infinity>(), source.instance.q0.lpNorm<Eigen::Infinity>());
    const double apart = (one->q - q).lpNorm<Eigen::Infinity>() / (size > 0 ? size : 1);
    if (kind == Kind::scaled) {
      if (one->events != other->events)
        tally_.found(
            number, what,
            "it has " + std::to_string(one->events) + " events, and its image " + std::to_string(other->events));
      if (apart > underflow) tally_.found(number, what, "differs by " + number_text(apart));
      return;
    }
    if (apart < (setup.h == 0 && kind == Kind::turned ? 10 * image_tolerance : 1e-13)) return;
    const std::optional<Ended> rounded = run(registry_, near, setup, 1);
    const double grown =
        rounded && rounded->success ? (one->q - rounded->q).lpNorm<Eigen::Infinity>() / (size > 0 ? size : 1) : 0;
    if (!(apart <= factor_of_rounding * std::max(grown, 2.2e-16)))
      tally_.found(number, what,
                   "differs by " + number_text(apart) + ", rounding by " + number_text(grown) + ", after " +
                       std::to_string(one->steps) + " and " + std::to_string(other->steps) + " steps");
  }
  static std::string verdict(const Ended& ended) {
    return (ended.success ? "ends" : "stops: " + ended.message) +
           (ended.broken.empty() ? "" : ", with broken promises: " + ended.broken);
  }

  const Registry& registry_;
  const Range& range_;
  std::vector<Kind> kinds_;
  std::vector<Source> sources_;
  Tally tally_;
};

}  // namespace

long axes(const Registry& registry, const Range& range) {
  return Images(registry, range, {Kind::permuted, Kind::mirrored, Kind::turned}).judge_all();
}

long units(const Registry& registry, const Range& range) {
  return Images(registry, range, {Kind::scaled}).judge_all();
}

}  // namespace gnomon::campaign
