/// \file
/// The input of a FittedMotion: names of what is sought, columns of records, times.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "fit/fitted_motion.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/fit/units.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/registry/coordinate_names.hpp"

namespace gnomon {

namespace {

constexpr const char* of_start = "start.";
constexpr const char* of_all = "shared.";
constexpr double any = std::numeric_limits<double>::infinity();

bool begins(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

void check_times(const Record& record) {
  const auto subject = [&](std::size_t k) {
    return "record " + record.name + ": time " + std::to_string(k) + " is " + number_text(record.times[k]);
  };
  for (std::size_t k = 0; k < record.times.size(); ++k) {
    if (!std::isfinite(record.times[k])) throw Error(ErrorCode::bad_value, subject(k) + ", expected a finite number");
    if (k > 0 && !(record.times[k] > record.times[k - 1]))
      throw Error(ErrorCode::bad_value,
                  subject(k) + ", which is not after the one before, " + number_text(record.times[k - 1]));
  }
  if (record.start_time && !record.times.empty() && *record.start_time > record.times.front())
    throw Error(ErrorCode::bad_value,
                subject(0) + ", which is before the start of the motion, " + number_text(*record.start_time));
}

}  // namespace

/// Names, units and columns of the records.
void FittedMotion::read_records() {
  if (setup_.records.empty()) throw Error(ErrorCode::bad_value, "there is no record to fit: give measured motions");
  std::set<std::string> names;
  for (const Record& record : setup_.records) {
    if (!names.insert(record.name).second)
      throw Error(ErrorCode::bad_value, "two records have the name " + record.name + ": give each another one");
    if (record.name + "." == of_start || record.name + "." == of_all)
      throw Error(ErrorCode::bad_value,
                  "record " + record.name + " has a name that stands for all: give it another one");
    check_times(record);
  }
  if (setup_.columns.empty()) throw Error(ErrorCode::bad_value, "there is no column to fit");
  const ProblemInstance instance =
      setup_.problem->build(Options("problem " + setup_.problem->name(), setup_.problem->parameters(), setup_.set));
  std::vector<std::string> quantities;
  for (const FitColumn& column : setup_.columns) quantities.push_back(column.quantity);
  quantities_ = std::make_unique<Quantities>(instance, quantities);
  for (std::size_t c = 0; c < setup_.columns.size(); ++c) {
    const FitColumn& column = setup_.columns[c];
    const std::string &of_model = quantities_->unit(c), subject = "column " + column.column;
    factors_.push_back(column.factor ? *column.factor : unit_factor(column.unit, of_model, subject));
    offsets_.push_back(column.offset);
    units_.push_back(column.unit.empty() && !column.factor ? of_model : column.unit);
    if (!(std::isfinite(factors_[c]) && factors_[c] != 0))
      throw Error(ErrorCode::bad_value,
                  subject + " has the factor " + number_text(factors_[c]) + ", expected a number that is not zero");
    if (!(std::isfinite(column.sigma) && column.sigma >= 0))
      throw Error(ErrorCode::bad_value,
                  subject + " has the sigma " + number_text(column.sigma) + ", expected a number above zero");
  }
}

/// Which number of the model, or of its start, a name stands for, and in which records.
FittedMotion::Named FittedMotion::read_name(const std::string& name) const {
  std::vector<std::size_t> every(setup_.records.size());
  for (std::size_t r = 0; r < every.size(); ++r) every[r] = r;
  for (const OptionSpec& spec : setup_.problem->parameters())
    if (spec.name == name) return {name, every, true};
  if (begins(name, of_all)) return {name.substr(std::string(of_all).size()), every, true};
  if (begins(name, of_start)) return {name, every, every.size() == 1};
  for (const std::size_t r : every)
    if (begins(name, setup_.records[r].name + ".")) return {name.substr(setup_.records[r].name.size() + 1), {r}, true};
  return {name, every, true};  // VariedProblem says what is known
}

void FittedMotion::name_parameters() {
  locals_.resize(setup_.records.size());
  held_.resize(setup_.records.size());
  const auto add = [this](std::size_t record, const std::string& local, const std::string& name, Index free,
                          double value) {
    for (const auto& [known, number] : locals_[record])
      if (known == local)
        throw Error(ErrorCode::bad_value, "parameter " + name + " is sought or held twice: once is enough");
    locals_[record].emplace_back(local, free);
    held_[record].push_back(value);
  };
  for (const FitParameter& one : setup_.free) {
    const Named named = read_name(one.name);
    if (one.value && !std::isfinite(*one.value))
      throw Error(ErrorCode::bad_value,
                  "parameter " + one.name + " begins at " + number_text(*one.value) + ", expected a finite number");
    const std::size_t count = named.shared ? 1 : named.records.size();
    for (std::size_t k = 0; k < count; ++k) {
      Free free;
      free.name = named.shared ? one.name : setup_.records[named.records[k]].name + "." + named.local;
      free.began = one.value.value_or(std::numeric_limits<double>::quiet_NaN());
      free.record = named.records[k];
      const auto number = static_cast<Index>(free_.size());
      free_.push_back(free);
      for (const std::size_t record : named.shared ? named.records : std::vector<std::size_t>{named.records[k]})
        add(record, named.local, one.name, number, 0);
    }
  }
  if (free_.empty()) throw Error(ErrorCode::bad_value, "no parameter is sought: name one, e.g. k or start.x");
  for (const FitParameter& one : setup_.held) {
    const Named named = read_name(one.name);
    for (const std::size_t record : named.records) add(record, named.local, one.name, -1, one.value.value());
  }
}

/// Times and places of the values of a record, its problem, and what its parameters begin at.
void FittedMotion::plan_record(std::size_t r) {
  const Record& record = setup_.records[r];
  Plan& plan = plans_[r];
  for (Index i = 0; i < static_cast<Index>(record.times.size()); ++i) {
    std::vector<std::size_t> here;
    for (std::size_t c = 0; c < setup_.columns.size(); ++c) {
      const auto found = std::find(record.columns.begin(), record.columns.end(), setup_.columns[c].column);
      if (found == record.columns.end()) continue;
      const double value = record.values(i, found - record.columns.begin());
      if (std::isnan(value)) continue;
      if (std::isinf(value))
        throw Error(ErrorCode::bad_value, "record " + record.name + ", column " + *found + ": the value at t = " +
                                              number_text(record.times[static_cast<std::size_t>(i)]) +
                                              " is not finite");
      here.push_back(places_.size());
      places_.push_back({r, c, i, value});
    }
    if (here.empty()) continue;
    plan.times.push_back(record.times[static_cast<std::size_t>(i)]);
    plan.at.push_back(here);
  }
  if (plan.times.empty()) {
    std::string columns;
    for (const FitColumn& column : setup_.columns) columns += (columns.empty() ? "" : ", ") + column.column;
    throw Error(ErrorCode::bad_value, "record " + record.name + " has no value of " + columns);
  }
  plan.t0 = record.start_time.value_or(record.times.front());

  std::vector<std::string> names;
  for (const auto& local : locals_[r]) {
    names.push_back(local.first);
    plan.of_free.push_back(local.second);
  }
  plan.problem = std::make_unique<VariedProblem>(*setup_.problem, setup_.set, setup_.run, names, "parameter");
  plan.values = plan.problem->values();
  const std::vector<std::string> coordinates = coordinate_names(*plan.problem->instance(plan.values).model);
  const OptionSpecs specs = setup_.problem->parameters();
  for (std::size_t k = 0; k < names.size(); ++k) {
    double& value = plan.values[static_cast<Index>(k)];
    if (plan.of_free[k] < 0) {
      value = held_[r][k];
      continue;
    }
    Free& free = free_[static_cast<std::size_t>(plan.of_free[k])];
    const bool seen = free.record != r;  // in a record before
    if (!std::isnan(free.began)) value = free.began;
    if (seen) continue;
    free.began = value;
    free.lower = -any;
    free.upper = any;
    free.size = std::abs(value) > 0 ? std::abs(value) : plan.problem->parameters()[k].size;
    if (!plan.problem->parameters()[k].of_model) {
      free.size = std::max(free.size, plan.problem->parameters()[k].size);
      for (std::size_t i = 0; i < coordinates.size(); ++i) {
        if (names[k] == of_start + coordinates[i]) free.coordinate = static_cast<Index>(i);
        if (names[k] == std::string(of_start) + "der(" + coordinates[i] + ")")
          free.coordinate = static_cast<Index>(i + coordinates.size());
      }
      continue;
    }
    for (const OptionSpec& spec : specs)
      if (spec.name == names[k]) {
        free.unit = spec.unit;
        free.lower = spec.minimum;
        free.upper = spec.maximum;
      }
    if (!(value >= free.lower && value <= free.upper))
      throw Error(ErrorCode::bad_value, "parameter " + free.name + " begins at " + number_text(value) +
                                            ", expected a number between " + number_text(free.lower) + " and " +
                                            number_text(free.upper));
  }
}

}  // namespace gnomon
