#include "c_api/c_api_forces.hpp"

#include <cmath>

#include "c_api/c_api_scratch.hpp"
#include "gnomon/base/thresholds.hpp"

namespace gnomon::c_api {

namespace {

constexpr const char* of_force[] = {"the derivative of the force by q", "the derivative of the force by v"};
constexpr const char* of_friction[] = {"the derivative of the friction by q", "the derivative of the friction by v",
                                       "the derivative of the friction by lambda"};

std::size_t index(ForceArgument by) {
  return static_cast<std::size_t>(by);
}

/// The size of x, or the usual one where x is next to nothing. A friction law has a corner at v = 0, and at lambda = 0:
/// differences stay on one side of it.
double own_size(const ConstVectorRef& x, double usual) {
  const double size = x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0;
  return size > thresholds::next_to_nothing * usual && std::isfinite(size) ? size : usual;
}

}  // namespace

CallbackForces::CallbackForces(const Callbacks& callbacks) : calls_(callbacks) {}

CallbackForces::~CallbackForces() = default;

double CallbackForces::size_of(const ConstVectorRef& q) const {
  const double size = std::max(q.lpNorm<Eigen::Infinity>(), calls_.size);
  return std::isfinite(size) ? size : calls_.size;
}

void CallbackForces::force(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const {
  call("the force", [&] {
    return calls_.force(t, scratch_->q(q.data()), scratch_->v(v.data()), scratch_->vector_n(out.data()),
                        calls_.user_data);
  });
}

void CallbackForces::switches(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef&,
                              VectorRef out) const {
  call("the switching function", [&] {
    return calls_.switches(t, scratch_->q(q.data()), scratch_->v(v.data()), scratch_->switches(out.data()),
                           calls_.user_data);
  });
}

const SparsityPattern& CallbackForces::force_pattern(ForceArgument by) const {
  return scratch_->force[index(by)]->pattern();
}

void CallbackForces::force_jacobian(ForceArgument by, double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                    VectorRef values) const {
  Derivative& derivative = *scratch_->force[index(by)];
  if (filled(of_force[index(by)], calls_.force_jacobian[index(by)].function, derivative, values, t,
             scratch_->q(q.data()), scratch_->v(v.data())))
    return;
  if (by == ForceArgument::q)
    derivative.differences(size_of(q), not_polynomial, q, values,
                           [&](const Vector& x, auto&& out) { force(t, x, v, out); });
  else
    derivative.differences(own_size(v, calls_.speed), not_polynomial, v, values,
                           [&](const Vector& x, auto&& out) { force(t, q, x, out); });
}

void CallbackForces::friction(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                              VectorRef out) const {
  call("the friction", [&] {
    return calls_.friction(scratch_->q(q.data()), scratch_->v(v.data()), scratch_->multipliers(lambda.data()),
                           scratch_->vector_n(out.data()), calls_.user_data);
  });
}

const SparsityPattern& CallbackForces::friction_pattern(ForceArgument by) const {
  return scratch_->friction[index(by)]->pattern();
}

void CallbackForces::friction_jacobian(ForceArgument by, const ConstVectorRef& q, const ConstVectorRef& v,
                                       const ConstVectorRef& lambda, VectorRef values) const {
  Derivative& derivative = *scratch_->friction[index(by)];
  if (derivative.pattern().nonzeros() == 0) return;
  if (filled(of_friction[index(by)], calls_.friction_jacobian[index(by)].function, derivative, values,
             scratch_->q(q.data()), scratch_->v(v.data()), scratch_->multipliers(lambda.data())))
    return;
  const auto along = [&](double size, const ConstVectorRef& x, auto&& f) {
    derivative.differences(size, not_polynomial, x, values, f);
  };
  if (by == ForceArgument::q)
    along(size_of(q), q, [&](const Vector& x, auto&& out) { friction(x, v, lambda, out); });
  else if (by == ForceArgument::v)
    along(own_size(v, calls_.speed), v, [&](const Vector& x, auto&& out) { friction(q, x, lambda, out); });
  else
    along(own_size(lambda, 1), lambda, [&](const Vector& x, auto&& out) { friction(q, v, x, out); });
}

std::string CallbackForces::symmetry_name(Index a) const {
  return calls_.symmetries[static_cast<std::size_t>(a)].name;
}

void CallbackForces::symmetry_generator(Index a, const ConstVectorRef& q, VectorRef out) const {
  const auto& symmetry = calls_.symmetries[static_cast<std::size_t>(a)];
  call("a symmetry",
       [&] { return symmetry.function(scratch_->q(q.data()), scratch_->vector_n(out.data()), calls_.user_data); });
}

std::string CallbackForces::integral_name(Index a) const {
  return calls_.integrals[static_cast<std::size_t>(a)].name;
}

double CallbackForces::integral(Index a, double t, const ConstVectorRef& q, const ConstVectorRef& p) const {
  const auto& integral = calls_.integrals[static_cast<std::size_t>(a)];
  double value = 0;
  call("a first integral",
       [&] { return integral.function(t, scratch_->q(q.data()), scratch_->v(p.data()), &value, calls_.user_data); });
  return value;
}

}  // namespace gnomon::c_api
