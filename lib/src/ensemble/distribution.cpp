#include "gnomon/ensemble/distribution.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/ensemble/design.hpp"

namespace gnomon {

namespace {

std::string trimmed(std::string text) {
  const auto space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && space(text.back())) text.pop_back();
  while (!text.empty() && space(text.front())) text.erase(text.begin());
  return text;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= text.size(); ++i)
    if (i == text.size() || text[i] == ',') {
      parts.push_back(trimmed(text.substr(from, i - from)));
      from = i + 1;
    }
  return parts;
}

const std::vector<std::string>& form_names() {
  static const std::vector<std::string> names = {"list", "grid", "log-grid", "uniform", "log-uniform", "normal"};
  return names;
}
constexpr const char* form_arguments[] = {"list(x1,x2,...)", "grid(a,b,n)",      "log-grid(a,b,n)",
                                          "uniform(a,b)",    "log-uniform(a,b)", "normal(mean,deviation)"};

}  // namespace

Distribution::Distribution(const std::string& what, const std::string& text) : text_(trimmed(text)) {
  const auto wrong = [&](const std::string& why) {
    return Error(ErrorCode::bad_value, what + " = \"" + text_ + "\" " + why);
  };
  const std::size_t open = text_.find('(');
  if (open == std::string::npos || text_.back() != ')')
    throw wrong(
        "is no set of values: expected list(...), grid(a,b,n), log-grid(a,b,n), uniform(a,b), "
        "log-uniform(a,b) or normal(mean,deviation)");
  const std::string name = trimmed(text_.substr(0, open));
  const auto found = std::find(form_names().begin(), form_names().end(), name);
  if (found == form_names().end())
    throw wrong("is no set of values: " + std::string(unknown_name("form", name, form_names()).what()));
  form_ = static_cast<Form>(found - form_names().begin());
  const std::string inside = trimmed(text_.substr(open + 1, text_.size() - open - 2));
  const std::vector<std::string> parts = inside.empty() ? std::vector<std::string>() : split(inside);
  std::vector<double> numbers;
  for (const std::string& part : parts) {
    double number = 0;
    if (part.empty()) throw wrong("has an empty entry");
    if (read_number(part, number)) {
      if (!std::isfinite(number)) throw wrong("has the entry \"" + part + "\", which is not finite");
      numbers.push_back(number);
    } else if (form_ != Form::list) {
      throw wrong("has the entry \"" + part + "\", which is no number");
    }
  }
  if (form_ == Form::list) {
    if (parts.empty()) throw wrong("is an empty list: expected at least one value");
    count_ = static_cast<long>(parts.size());
    if (numbers.size() == parts.size())
      numbers_ = numbers;
    else
      words_ = parts;
    return;
  }
  const bool grid = form_ == Form::grid || form_ == Form::log_grid;
  if (numbers.size() != (grid ? 3U : 2U))
    throw wrong("has " + std::to_string(numbers.size()) + " entries: expected " +
                form_arguments[static_cast<int>(form_)]);
  a_ = numbers[0];
  b_ = numbers[1];
  if (grid) {
    if (!(numbers[2] >= 1 && numbers[2] <= static_cast<double>(Design::most_runs)) ||
        numbers[2] != std::floor(numbers[2]))
      throw wrong("has n = " + parts[2] + ": expected a whole number from 1 to 1e9");
    count_ = static_cast<long>(numbers[2]);
    if (count_ == 1 && a_ != b_) throw wrong("is a grid of one value: its ends must then be equal");
  } else if (form_ == Form::normal) {
    if (!(b_ > 0)) throw wrong("has a standard deviation that is not above zero");
  } else if (!(a_ < b_)) {
    throw wrong("is an empty range: its first end must be below the second");
  }
  if ((form_ == Form::log_grid || form_ == Form::log_uniform) && !(a_ > 0 && b_ > 0))
    throw wrong("has an end that is not above zero, and has no logarithm");
  if (form_ != Form::normal && !std::isfinite(b_ - a_)) throw wrong("is wider than the range of numbers");
}

double Distribution::listed(long i) const {
  if (!words_.empty()) return static_cast<double>(i);
  if (form_ == Form::list) return numbers_[static_cast<std::size_t>(i)];
  if (i == 0) return a_;
  if (i == count_ - 1) return b_;
  const double share = static_cast<double>(i) / static_cast<double>(count_ - 1);
  return form_ == Form::grid ? a_ + share * (b_ - a_) : a_ * std::pow(b_ / a_, share);
}

double Distribution::quantile(double u) const {
  switch (form_) {
    case Form::uniform:
      return a_ + u * (b_ - a_);
    case Form::log_uniform:
      return a_ * std::pow(b_ / a_, u);
    default:  // the normal distribution: m - s sqrt(2) erfc^-1(2u)
      return a_ - b_ * std::sqrt(2.0) * boost::math::erfc_inv(2 * u);
  }
}

std::string Distribution::value_text(double value) const {
  return words_.empty() ? shortest_text(value) : words_[static_cast<std::size_t>(value)];
}

}  // namespace gnomon
