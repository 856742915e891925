/// \file
/// Coverage of intervals: five models, each fitted as often as is asked to its motion with errors drawn anew, normal
/// and independent. An interval of 95 % has the true value in 95 of 100 fits. Findings: a model whose intervals, those
/// of all its parameters together, have it in less than 93.5 % or more than 96.5 % of 2000 fits, or, of another number,
/// in a part that is as improbable; one parameter that is off by four standard deviations; a fit that does not end.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

#include "campaign/campaign.hpp"
#include "campaign/tally.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/fit/fit.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/registry/registry.hpp"
#include "gnomon/run/states_at_times.hpp"

namespace gnomon::campaign {

namespace {

constexpr double nominal = 0.95;
/// For a model: of 2000 fits a part between 93.5 and 96.5 %, in standard deviations; of one parameter more is allowed.
const double of_model = 0.015 / std::sqrt(nominal * (1 - nominal) / 2000);
constexpr double of_parameter = 4;

struct Sought {
  const char* name;
  double truth, began;
};

struct Measured {
  const char* quantity;
  Index entry;  ///< of (q, v)
  double offset, error;
  bool given;  ///< the fit knows the error
};

/// A record, with what its start has of its own.
struct Motion {
  double t0;
  long count;
  double gaps;  ///< the part of the values that is missing
  std::vector<FitParameter> start;
};

struct Fitted {
  const char* name;
  const char* toml;
  double step;  ///< records have a value after every second one
  std::vector<Sought> sought;
  std::vector<Measured> measured;
  std::vector<Motion> motions;
};

const std::vector<Fitted>& all_models() {
  static const std::vector<Fitted> all{
      {"pendulum with an encoder",
       R"toml(format = 1
coordinates = ["a"]
mass = "l^2"
potential = "-9.81*l*cos(a)"
force = { a = "-c*der(a)" }
parameters = { l = 1.0, c = { value = 0.1, min = 0 }, offset = 0.0 }
start = { position = { a = 0.7 } }
outputs = { encoder = "a + offset" }
)toml",
       0.05,
       {{"l", 1.1, 1}, {"c", 0.2, 0.1}, {"offset", 0.03, 0}, {"start.a", 0.8, 0.7}},
       {{"encoder", 0, 0.03, 0.01, false}},
       {{0, 31, 0, {}}}},
      {"bob on a rod with a spring",
       R"toml(format = 1
coordinates = ["x", "y"]
mass = 2
potential = "2*9.81*y + k*x^2/2"
constraints = { rod = "x^2 + y^2 - l^2" }
parameters = { k = 3.0, l = 1.0 }
start = { position = { x = "l*sin(0.9)", y = "-l*cos(0.9)" } }
)toml",
       0.05,
       {{"k", 3.4, 3}, {"l", 1.05, 1}, {"start.der(x)", 0, 0.1}},
       {{"x", 0, 0, 0.01, false}, {"y", 1, 0, 0.03, false}},
       {{0, 31, 0, {}}}},
      {"driven oscillator",
       R"toml(format = 1
coordinates = ["x"]
mass = 1
potential = "k*x^2/2 + b*x^4/4"
force = { x = "-c*der(x) + 0.5*cos(1.3*t)" }
parameters = { k = 1.0, b = 0.3, c = 0.1 }
start = { position = { x = 1 } }
)toml",
       0.1,
       {{"k", 1.2, 1}, {"b", 0.25, 0.3}, {"c", 0.15, 0.1}},
       {{"x", 0, 0, 0.02, true}, {"der(x)", 1, 0, 0.05, true}},
       {{2, 41, 0, {}}}},
      {"double pendulum, a short record",
       R"toml(format = 1
coordinates = ["a", "b"]
mass = [["1 + m", "m*l*cos(a - b)"], ["m*l*cos(a - b)", "m*l^2"]]
potential = "-(1 + m)*9.81*cos(a) - m*9.81*l*cos(b)"
parameters = { m = { value = 1.0, min = 0.1 }, l = 1.0 }
start = { position = { a = 0.6, b = -0.3 } }
)toml",
       0.02,
       {{"m", 0.8, 1}, {"l", 0.9, 1}},
       {{"a", 0, 0, 0.01, false}, {"b", 1, 0, 0.01, false}},
       {{0, 26, 0, {}}}},
      {"pendulum in two records with gaps",
       R"toml(format = 1
coordinates = ["a"]
mass = "l^2"
potential = "-9.81*l*cos(a)"
force = { a = "-c*der(a)" }
parameters = { l = 1.0, c = 0.1 }
start = { position = { a = 0.7 } }
)toml",
       0.05,
       {{"l", 1.1, 1}, {"c", 0.2, 0.1}, {"one.start.a", 0.9, 0.8}, {"two.start.der(a)", 2, 1.5}},
       {{"a", 0, 0, 0.02, false}},
       {{0, 25, 0.3, {{"start.a", 0.9}}}, {5, 21, 0.2, {{"start.a", -0.2}, {"start.der(a)", 2}}}}},
  };
  return all;
}

class Coverage {
 public:
  Coverage(const Registry& registry, const Range& range) : registry_(registry), range_(range), tally_(range) {
    for (const Fitted& one : all_models()) {
      if (!range.only.empty() && range.only != one.name) continue;
      Prepared prepared;
      prepared.of = &one;
      prepared.problem = read_model_text(one.toml, std::string(one.name) + ".toml");
      prepared.covered.resize(one.sought.size());
      for (std::size_t r = 0; r < one.motions.size(); ++r) prepared.exact.push_back(exact_record(prepared, r));
      models_.push_back(std::move(prepared));
    }
    if (models_.empty()) throw Error(ErrorCode::unknown_name, "no model is called " + range.only);
  }

  long judge_all() {
    for_each_number(range_, [this](long number) {
      for (std::size_t k = 0; k < models_.size(); ++k) fit_one(k, number);
    });
    for (std::size_t k = 0; k < models_.size(); ++k) judge(k);
    return tally_.print();
  }

 private:
  struct Prepared {
    const Fitted* of = nullptr;
    std::unique_ptr<const Problem> problem;
    std::vector<Record> exact;
    std::vector<long> covered;  ///< one a parameter
    long fits = 0;
  };

  Integrator run(const ProblemInstance& instance) const {
    IntegratorOptions options;
    options.project_start = true;
    return registry_.integrator(instance, "energy-momentum-ggl", "newton", {}, {}, options);
  }

  /// The motion with the true numbers.
  Record exact_record(const Prepared& prepared, std::size_t r) const {
    constexpr const char* names[] = {"one", "two"};
    const Fitted& of = *prepared.of;
    const Motion& motion = of.motions[r];
    std::vector<std::string> entries;
    std::vector<double> values;
    for (const Sought& one : of.sought)
      if (std::string(one.name).find('.') == std::string::npos || of.motions.size() == 1) {
        entries.emplace_back(one.name);
        values.push_back(one.truth);
      }
    for (const FitParameter& one : motion.start) {
      entries.push_back(one.name);
      values.push_back(*one.value);
    }
    const VariedProblem problem(*prepared.problem, {}, {}, entries);
    ProblemInstance instance = problem.instance(Eigen::Map<const Vector>(values.data(), std::size(values)));
    instance.t0 = motion.t0;
    Record record;
    record.name = names[r];
    for (long i = 0; i < motion.count; ++i) record.times.push_back(motion.t0 + 2 * of.step * static_cast<double>(i));
    Integrator integrator = run(instance);
    const Matrix states = solve(integrator, record.times, of.step);
    record.values.resize(states.cols(), static_cast<Index>(of.measured.size()));
    for (std::size_t c = 0; c < of.measured.size(); ++c) {
      record.columns.emplace_back(of.measured[c].quantity);
      record.values.col(static_cast<Index>(c)) =
          states.row(of.measured[c].entry).transpose().array() + of.measured[c].offset;
    }
    return record;
  }

  FitSetup setup_of(const Prepared& prepared) const {
    const Fitted& of = *prepared.of;
    FitSetup setup;
    setup.problem = prepared.problem.get();
    setup.run = [this](const ProblemInstance& instance) { return run(instance); };
    setup.step = of.step;
    setup.look_for_chaos = false;
    for (const Sought& one : of.sought) setup.free.push_back({one.name, one.began});
    for (const Measured& one : of.measured) {
      FitColumn column;
      column.column = column.quantity = one.quantity;
      column.sigma = one.given ? one.error : 0;
      setup.columns.push_back(column);
    }
    // Entries of the starts of records that are not sought are known.
    for (std::size_t r = 0; r < of.motions.size(); ++r)
      for (const FitParameter& one : of.motions[r].start) {
        const std::string name = prepared.exact[r].name + "." + one.name;
        const auto sought = [&](const Sought& other) { return name == other.name; };
        if (std::none_of(of.sought.begin(), of.sought.end(), sought)) setup.held.push_back({name, one.value});
      }
    return setup;
  }

  void fit_one(std::size_t k, long number) {
    Prepared& prepared = models_[k];
    const Fitted& of = *prepared.of;
    std::seed_seq seeds{static_cast<std::uint64_t>(range_.seed), static_cast<std::uint64_t>(number),
                        static_cast<std::uint64_t>(k)};
    std::mt19937_64 engine(seeds);
    std::normal_distribution<double> error;
    std::uniform_real_distribution<double> part(0, 1);
    FitSetup setup = setup_of(prepared);
    for (std::size_t r = 0; r < of.motions.size(); ++r) {
      Record record = prepared.exact[r];
      for (Index i = 0; i < record.values.rows(); ++i)
        for (std::size_t c = 0; c < of.measured.size(); ++c) {
          double& value = record.values(i, static_cast<Index>(c));
          value += of.measured[c].error * error(engine);
          if (part(engine) < of.motions[r].gaps) value = std::numeric_limits<double>::quiet_NaN();
        }
      record.start_time = record.times.front();
      setup.records.push_back(record);
    }
    try {
      const FitResult result = fit(setup);
      if (!result.converged) return tally_.found(number, of.name, result.message);
      const std::lock_guard<std::mutex> lock(mutex_);
      ++prepared.fits;
      for (std::size_t j = 0; j < of.sought.size(); ++j) {
        const FittedParameter& found = result.parameters[j];
        if (found.lower <= of.sought[j].truth && of.sought[j].truth <= found.upper) ++prepared.covered[j];
      }
    } catch (const Error& failure) {
      return tally_.found(number, of.name, failure.what());
    }
    tally_.add(of.name);
  }

  void judge(std::size_t k) {
    const Prepared& prepared = models_[k];
    const auto fits = static_cast<double>(prepared.fits);
    const double deviation = std::sqrt(nominal * (1 - nominal) / fits);
    double mean = 0;
    for (std::size_t j = 0; j < prepared.covered.size(); ++j) {
      const double part = static_cast<double>(prepared.covered[j]) / fits;
      mean += part / static_cast<double>(prepared.covered.size());
      std::printf("%8.2f %%  %s, %s\n", 100 * part, prepared.of->name, prepared.of->sought[j].name);
      if (!(std::abs(part - nominal) <= of_parameter * deviation))
        tally_.found(range_.first, prepared.of->name,
                     std::string("intervals of ") + prepared.of->sought[j].name + " have the truth in " +
                         number_text(100 * part) + " %");
    }
    std::printf("%8.2f %%  %s\n", 100 * mean, prepared.of->name);
    if (!(std::abs(mean - nominal) <= of_model * deviation))
      tally_.found(range_.first, prepared.of->name, "intervals have the truth in " + number_text(100 * mean) + " %");
  }

  const Registry& registry_;
  const Range& range_;
  Tally tally_;
  std::vector<Prepared> models_;
  std::mutex mutex_;
};

}  // namespace

long fits(const Registry& registry, const Range& range) {
  try {
    ceres_least_squares();
  } catch (const Error& missing) {
    std::printf("%s\n", missing.what());
    return 0;
  }
  return Coverage(registry, range).judge_all();
}

}  // namespace gnomon::campaign
