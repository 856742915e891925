#include "gnomon/registry/changed_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gnomon/base/numbers.hpp"
#include "gnomon/base/options.hpp"
#include "registry/without_bounds.hpp"

namespace gnomon {

namespace {

Assignments without(Assignments set, const std::string& name) {
  set.erase(std::remove_if(set.begin(), set.end(), [&](const auto& assignment) { return assignment.first == name; }),
            set.end());
  return set;
}

}  // namespace

OptionSpecs without_bounds(OptionSpecs specs) {
  constexpr double any = std::numeric_limits<double>::infinity();
  for (OptionSpec& spec : specs)
    if (spec.kind == OptionSpec::Kind::real) {
      spec.minimum = -any;
      spec.maximum = any;
    }
  return specs;
}

Assignments with_value(Assignments set, const std::string& name, double value) {
  set = without(std::move(set), name);
  set.emplace_back(name, shortest_text(value));
  return set;
}

ChangedParameters::ChangedParameters(const Problem& problem, Assignments set, std::vector<std::string> names)
    : problem_(&problem), set_(std::move(set)), names_(std::move(names)), specs_(without_bounds(problem.parameters())) {
  constexpr double seen = 0x1p-10;
  Assignments others = set_;
  for (std::size_t k = 0; k < names_.size(); ++k) values_.push_back(value(set_, k));
  for (std::size_t k = 0; k < names_.size() && names_.size() > 1; ++k)
    others = with_value(others, names_[k], values_[k] + seen * (values_[k] == 0 ? 1 : std::abs(values_[k])));
  for (std::size_t k = 0; k < names_.size(); ++k)
    if (value(others, k) != values_[k]) made_of_others_.push_back(k);
}

double ChangedParameters::value(const Assignments& others, std::size_t k) const {
  const std::string& name = names_[k];
  Assignments all = without(others, name);
  for (const auto& [given, text] : set_)
    if (given == name) all.emplace_back(given, text);
  return problem_->value(Options("problem " + problem_->name(), specs_, all), name);
}

Assignments ChangedParameters::operator()(const Vector& changes) const {
  Assignments all = set_;
  const auto change = [&](std::size_t k) { return changes[static_cast<Index>(k)]; };
  for (std::size_t k = 0; k < names_.size(); ++k)
    if (change(k) != 0) all = with_value(all, names_[k], values_[k] + change(k));
  // One may be made of another that is.
  for (std::size_t pass = 0; pass < made_of_others_.size(); ++pass)
    for (const std::size_t k : made_of_others_)
      if (change(k) != 0) all = with_value(all, names_[k], value(all, k) + change(k));
  return all;
}

}  // namespace gnomon
