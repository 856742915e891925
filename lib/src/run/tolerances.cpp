#include "gnomon/run/tolerances.hpp"

#include <cmath>
#include <string>

#include "gnomon/base/error.hpp"

namespace gnomon {

namespace {

bool positive(double value) {
  return value > 0 && std::isfinite(value);
}

void require_positive(double value, const std::string& what) {
  if (!positive(value))
    throw Error(ErrorCode::bad_value,
                "the " + what + " = " + number_text(value) + " is not a finite number above zero");
}

void require_positive(const Vector& values, const std::string& what) {
  for (Index i = 0; i < values.size(); ++i)
    require_positive(values[i], "absolute tolerance of " + what + "[" + std::to_string(i) + "]");
}

void require_size(double value, const std::string& what) {
  if (!(value >= 0 && std::isfinite(value)))
    throw Error(ErrorCode::bad_value,
                "the " + what + " step " + number_text(value) + " is not a finite number of at least zero");
}

void require_order(double less, const std::string& lesser, double more, const std::string& greater) {
  if (less > 0 && more > 0 && less > more)
    throw Error(ErrorCode::bad_value, "the " + lesser + " step " + number_text(less) + " is above the " + greater +
                                          " step " + number_text(more));
}

bool same(const Vector& a, const Vector& b) {
  return a.size() == b.size() && a == b;
}

}  // namespace

bool Tolerances::operator==(const Tolerances& other) const {
  return relative == other.relative && absolute == other.absolute && same(absolute_q, other.absolute_q) &&
         same(absolute_v, other.absolute_v);
}

void Tolerances::serialize(Archive& archive) {
  archive(relative, absolute, absolute_q, absolute_v);
}

bool StepLimits::operator==(const StepLimits& other) const {
  return first == other.first && smallest == other.smallest && largest == other.largest &&
         most_steps == other.most_steps;
}

void StepLimits::serialize(Archive& archive) {
  archive(first, smallest, largest, most_steps);
}

void check(const Tolerances& tolerances) {
  require_positive(tolerances.relative, "relative tolerance");
  if (!(tolerances.absolute >= 0 && std::isfinite(tolerances.absolute)))
    throw Error(ErrorCode::bad_value, "the absolute tolerance = " + number_text(tolerances.absolute) +
                                          " is not a finite number of at least zero");
  require_positive(tolerances.absolute_q, "q");
  require_positive(tolerances.absolute_v, "v");
}

void check(const StepLimits& limits) {
  require_size(limits.first, "first");
  require_size(limits.smallest, "smallest");
  require_size(limits.largest, "largest");
  require_order(limits.smallest, "smallest", limits.largest, "largest");
  require_order(limits.smallest, "smallest", limits.first, "first");
  require_order(limits.first, "first", limits.largest, "largest");
  if (limits.most_steps < 0)
    throw Error(ErrorCode::bad_value,
                "at most " + std::to_string(limits.most_steps) + " steps are allowed, which is less than none");
}

}  // namespace gnomon
