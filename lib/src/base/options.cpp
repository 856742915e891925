#include "gnomon/base/options.hpp"

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/names.hpp"
#include "gnomon/base/numbers.hpp"

namespace gnomon {

namespace {

std::vector<std::string> names_of(const OptionSpecs& specs) {
  std::vector<std::string> names;
  for (const auto& spec : specs) names.push_back(spec.name);
  return names;
}

double parse_number(const std::string& owner, const OptionSpec& spec, const std::string& text) {
  const auto refuse = [&] {
    return Error(ErrorCode::bad_value, owner + ": " + spec.name + " = \"" + text + "\" is not " + spec.range_text());
  };
  double value = 0;
  if (!read_number(text, value) || !std::isfinite(value)) throw refuse();
  if (spec.kind == OptionSpec::Kind::integer && value != std::floor(value)) throw refuse();
  if (value < spec.minimum || value > spec.maximum) throw refuse();
  return value;
}

Error no_choice(const std::string& option, const std::string& text, const OptionSpec& spec) {
  return {ErrorCode::bad_value, option + " = \"" + text + "\" is not " + spec.range_text() +
                                    (text.size() < 2 ? "" : did_you_mean(text, spec.choices))};
}

}  // namespace

OptionSpec OptionSpec::real(std::string name, double value, double minimum, double maximum, std::string unit,
                            std::string help) {
  OptionSpec spec;
  spec.name = std::move(name);
  spec.default_number = value;
  spec.minimum = minimum;
  spec.maximum = maximum;
  spec.unit = std::move(unit);
  spec.help = std::move(help);
  return spec;
}

OptionSpec OptionSpec::integer(std::string name, long value, long minimum, long maximum, std::string help) {
  OptionSpec spec = real(std::move(name), static_cast<double>(value), static_cast<double>(minimum),
                         static_cast<double>(maximum), "", std::move(help));
  spec.kind = Kind::integer;
  return spec;
}

OptionSpec OptionSpec::choice(std::string name, std::vector<std::string> choices, std::string help) {
  OptionSpec spec;
  spec.name = std::move(name);
  spec.kind = Kind::choice;
  spec.default_choice = choices.front();
  spec.choices = std::move(choices);
  spec.help = std::move(help);
  return spec;
}

OptionSpec OptionSpec::choice_with_options(std::string name, std::vector<std::string> choices, std::string help) {
  OptionSpec spec = choice(std::move(name), std::move(choices), std::move(help));
  spec.nested = true;
  return spec;
}

OptionSpec OptionSpec::scheme(std::string name, std::string default_scheme, std::string help) {
  OptionSpec spec;
  spec.name = std::move(name);
  spec.kind = Kind::scheme;
  spec.nested = true;
  spec.default_choice = std::move(default_scheme);
  spec.help = std::move(help);
  return spec;
}

std::string OptionSpec::default_text() const {
  return kind == Kind::choice || kind == Kind::scheme ? default_choice : number_text(default_number);
}

std::string OptionSpec::range_text() const {
  if (kind == Kind::scheme) return "the name of a scheme, its options as " + name + ".option=value";
  if (kind == Kind::choice) {
    std::string text = "one of ";
    for (std::size_t i = 0; i < choices.size(); ++i) text += (i ? "|" : "") + choices[i];
    return text + (nested ? ", its options as " + name + ".option=value" : "");
  }
  const std::string number = kind == Kind::integer ? "an integer" : "a number";
  if (std::isinf(minimum) && std::isinf(maximum)) return number;
  if (std::isinf(maximum)) return number + " of at least " + number_text(minimum);
  if (std::isinf(minimum)) return number + " of at most " + number_text(maximum);
  return number + " in [" + number_text(minimum) + ", " + number_text(maximum) + "]";
}

Options::Options(std::string owner, OptionSpecs specs, const Assignments& assignments)
    : owner_(std::move(owner)), specs_(std::move(specs)) {
  for (const auto& spec : specs_) {
    if (spec.kind == OptionSpec::Kind::choice || spec.kind == OptionSpec::Kind::scheme)
      values_[spec.name] = spec.default_choice;
    else
      values_[spec.name] = spec.default_number;
  }
  for (const auto& [name, text] : assignments) {
    const OptionSpec* found = nullptr;
    std::string prefix;  // of an option of what another option chose
    for (const auto& spec : specs_) {
      if (spec.name == name) found = &spec;
      if (spec.nested && name.rfind(spec.name + ".", 0) == 0) prefix = spec.name;
    }
    if (!prefix.empty()) {
      nested_[prefix].emplace_back(name.substr(prefix.size() + 1), text);
      continue;
    }
    if (!found) throw unknown_name("option of " + owner_, name, names_of(specs_));
    if (found->kind == OptionSpec::Kind::choice) {
      if (std::find(found->choices.begin(), found->choices.end(), text) == found->choices.end())
        throw no_choice(owner_ + ": " + name, text, *found);
      values_[name] = text;
    } else if (found->kind == OptionSpec::Kind::scheme) {
      values_[name] = text;
    } else {
      values_[name] = parse_number(owner_, *found, text);
    }
    assigned_[name] = true;
  }
}

const OptionSpec& Options::spec(const std::string& name, OptionSpec::Kind kind) const {
  for (const auto& spec : specs_)
    if (spec.name == name && spec.kind == kind) return spec;
  throw unknown_name("option of " + owner_, name, names_of(specs_));
}

double Options::real(const std::string& name) const {
  spec(name, OptionSpec::Kind::real);
  return std::get<double>(values_.at(name));
}

Options Options::with(const std::string& name, double value) const {
  Options other = *this;
  spec(name, OptionSpec::Kind::real);
  other.values_[name] = value;
  other.assigned_[name] = true;
  return other;
}

long Options::integer(const std::string& name) const {
  spec(name, OptionSpec::Kind::integer);
  return static_cast<long>(std::get<double>(values_.at(name)));
}

const std::string& Options::choice(const std::string& name) const {
  spec(name, OptionSpec::Kind::choice);
  return std::get<std::string>(values_.at(name));
}

const std::string& Options::scheme(const std::string& name) const {
  spec(name, OptionSpec::Kind::scheme);
  return std::get<std::string>(values_.at(name));
}

Assignments Options::nested(const std::string& name) const {
  const auto at = nested_.find(name);
  return at == nested_.end() ? Assignments() : at->second;
}

std::string Options::to_text() const {
  std::string text;
  for (const auto& [name, value] : values_) {
    text += (text.empty() ? "" : " ") + name + "=";
    if (const double* number = std::get_if<double>(&value))
      text += number_text(*number, 17);
    else
      text += std::get<std::string>(value);
    const auto nested = nested_.find(name);
    if (nested == nested_.end()) continue;
    for (const auto& [inner, assigned] : nested->second)
      text.append(" ").append(name).append(".").append(inner).append("=").append(assigned);
  }
  return text;
}

bool Options::assigned(const std::string& name) const {
  return assigned_.count(name) != 0;
}

std::pair<std::string, std::string> parse_assignment(const std::string& text, const std::string& flag) {
  const auto at = text.find('=');
  if (at == std::string::npos || at == 0)
    throw Error(ErrorCode::bad_value, flag + " \"" + text + "\" is not of the form name=value");
  return {text.substr(0, at), text.substr(at + 1)};
}

}  // namespace gnomon

template class std::vector<gnomon::OptionSpec>;
