#include "c_api_system.hpp"

#include <nvector/nvector_serial.h>

#include <cmath>

#include "gnomon/error.hpp"

namespace gnomon::c_api {

namespace {

/// A serial N_Vector around an array that belongs to somebody else.
class Wrapped {
 public:
  Wrapped(Index size, SUNContext context) : vector_(N_VNewEmpty_Serial(size, context)) {
    if (!vector_) throw std::bad_alloc();
  }
  ~Wrapped() { N_VSetArrayPointer(nullptr, vector_.get()); }
  N_Vector operator()(const double* data) const {
    N_VSetArrayPointer(const_cast<double*>(data), vector_.get());
    return vector_.get();
  }

 private:
  SunOwner<N_Vector> vector_;
};

/// Where a function is evaluated for a difference, and its value there; one a level of nesting.
struct Level {
  Vector q, value;
};

constexpr int exact_degree = 4;

/// out = d/ds f(q + s w) at s = 0, f of this degree along the line (or not_polynomial).
template <class F>
void difference(double usual_size, const ConstVectorRef& q, const ConstVectorRef& w, int degree, Level& level,
                VectorRef out, F&& f) {
  out.setZero();
  const double direction = w.size() ? w.lpNorm<Eigen::Infinity>() : 0;
  if (direction == 0 || degree == 0) return;
  const bool exact = degree > 0 && degree <= exact_degree;
  double size = std::max(q.lpNorm<Eigen::Infinity>(), usual_size);
  if (!std::isfinite(size)) size = usual_size;
  // A power of two, so that s itself makes no rounding error; 2^-10 is eps^(1/5).
  const double s = std::exp2(std::floor(std::log2(size / direction)) - (exact ? 0 : 10));
  auto value = level.value.head(out.size());
  const auto add = [&](double at, double weight) {
    level.q = q + (at * s) * w;
    f(level.q, value);
    out += weight / s * value;
  };
  if (exact && degree <= 2) {
    add(1, .5);
    add(-1, -.5);
    return;
  }
  add(1, 8. / 12);
  add(-1, -8. / 12);
  add(2, -1. / 12);
  add(-2, 1. / 12);
}

/// The values of a matrix from its products with one direction a colour.
template <class Product>
void by_colours(const SparsityPattern& pattern, const Colouring& colouring, Vector& direction, Vector& product,
                VectorRef values, Product&& times) {
  for (Index colour = 0; colour < colouring.colours; ++colour) {
    direction.setZero();
    for (const Index j : colouring.columns[static_cast<std::size_t>(colour)]) direction[j] = 1;
    times(direction, product);
    for (Index i = 0; i < pattern.rows; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
        if (colouring.colour_of[static_cast<std::size_t>(pattern.indices[k])] == colour) values[k] = product[i];
  }
}

}  // namespace

struct CallbackSystem::Scratch {
  Scratch(Index n, Index m, Index jacobian, Index hessian, SUNContext context)
      : q(n, context), vector_n(n, context), vector_m(m, context), lambda(m, context) {
    const Index most = std::max({n, m, jacobian, Index(1)});
    for (Level* level : {&level0, &level1, &level2}) {
      level->q.setZero(n);
      level->value.setZero(most);
    }
    for (Vector* x : {&direction, &hessian_direction, &product_n, &sum_n}) x->setZero(n);
    for (Vector* x : {&product_m, &zero_m}) x->setZero(m);
    for (Vector* x : {&jacobian_values, &bent}) x->setZero(jacobian);
    for (Vector* x : {&hessian_values, &hessian_more}) x->setZero(hessian);
  }
  Wrapped q, vector_n, vector_m, lambda;
  Level level0, level1, level2;
  Vector direction, hessian_direction, product_n, sum_n, product_m, zero_m, jacobian_values, bent, hessian_values,
      hessian_more;
  bool failed_for_good = false;
};

CallbackSystem::CallbackSystem(const Callbacks& callbacks) : calls_(callbacks) {
  const auto missing = [](const char* what) {
    throw Error(ErrorCode::bad_value, std::string(what) + " was not set, and nothing else says what it is");
  };
  if (!calls_.mass) missing("the mass (GnomonSetMassDiagonal or GnomonSetMassMatrix)");
  if (!calls_.potential) missing("the potential (GnomonSetPotentialFn)");
  if (calls_.mass->size() != calls_.n)
    throw Error(ErrorCode::bad_size, "the mass has " + std::to_string(calls_.mass->size()) + " rows, and y has 2 x " +
                                         std::to_string(calls_.n) + " entries");
  traits_ = polynomial_traits("callbacks", calls_.potential_degree, calls_.constraint_degree);
  traits_.n = calls_.n;
  traits_.m = calls_.m;
  jacobian_ = std::make_unique<MatrixBuffer>("the pattern of G", calls_.jacobian_matrix.get(), calls_.m, calls_.n,
                                             calls_.context);
  hessian_ = std::make_unique<MatrixBuffer>("the pattern of H", calls_.hessian_matrix.get(), calls_.n, calls_.n,
                                            calls_.context);
  jacobian_colours_ = colour_columns(jacobian_->pattern());
  hessian_colours_ = colour_columns(hessian_->pattern());
  scratch_ = std::make_unique<Scratch>(calls_.n, calls_.m, jacobian_->pattern().nonzeros(),
                                       hessian_->pattern().nonzeros(), calls_.context);
  traits_.approximate_derivatives = differences() != "none";
}

CallbackSystem::~CallbackSystem() = default;

template <class Call>
void CallbackSystem::call(const char* name, Call&& callback) const {
  if (scratch_->failed_for_good) throw FatalCallback(std::string(name) + " is not called any more");
  const int flag = callback();
  if (flag > 0) throw CannotEvaluate(std::string(name) + " returned " + std::to_string(flag));
  if (flag == 0) return;
  scratch_->failed_for_good = true;
  throw FatalCallback(std::string(name) + " returned " + std::to_string(flag));
}

bool CallbackSystem::failed_for_good() const {
  return scratch_->failed_for_good;
}

double CallbackSystem::potential(double t, const ConstVectorRef& q) const {
  double u = 0;
  call("the potential", [&] { return calls_.potential(t, scratch_->q(q.data()), &u, calls_.user_data); });
  return u;
}

void CallbackSystem::potential_gradient(double t, const ConstVectorRef& q, VectorRef out) const {
  if (calls_.gradient) {
    call("the gradient of the potential",
         [&] { return calls_.gradient(t, scratch_->q(q.data()), scratch_->vector_n(out.data()), calls_.user_data); });
    return;
  }
  Vector& e = scratch_->direction;
  for (Index j = 0; j < calls_.n; ++j) {
    e.setZero();
    e[j] = 1;
    difference(calls_.size, q, e, traits_.potential_degree, scratch_->level0, out.segment(j, 1),
               [&](const Vector& x, auto&& u) { u[0] = potential(t, x); });
  }
}

void CallbackSystem::potential_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& w,
                                             VectorRef out) const {
  if (calls_.hessian) {
    hessian_at(t, q, scratch_->zero_m, scratch_->hessian_more);
    multiply(hessian_pattern(), scratch_->hessian_more, w, out);
    return;
  }
  difference(calls_.size, q, w, gradient_degree(), scratch_->level1, out,
             [&](const Vector& x, auto&& gradient) { potential_gradient(t, x, gradient); });
}

void CallbackSystem::constraints(double t, const ConstVectorRef& q, VectorRef out) const {
  if (calls_.m == 0) return;
  call("the constraints",
       [&] { return calls_.constraints(t, scratch_->q(q.data()), scratch_->vector_m(out.data()), calls_.user_data); });
}

void CallbackSystem::constraint_jacobian(double t, const ConstVectorRef& q, VectorRef values) const {
  if (calls_.m == 0) return;
  if (calls_.jacobian) {
    call("the Jacobian of the constraints",
         [&] { return calls_.jacobian(t, scratch_->q(q.data()), jacobian_->cleared(), calls_.user_data); });
    jacobian_->values(values);
    return;
  }
  by_colours(constraint_pattern(), jacobian_colours_, scratch_->direction, scratch_->product_m, values,
             [&](const Vector& w, Vector& product) {
               difference(calls_.size, q, w, traits_.constraint_degree, scratch_->level0, product,
                          [&](const Vector& x, auto&& g) { constraints(t, x, g); });
             });
}

void CallbackSystem::constraint_jacobian_derivative(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                                    VectorRef values) const {
  difference(calls_.size, q, v, jacobian_degree(), scratch_->level1, values,
             [&](const Vector& x, auto&& jacobian) { constraint_jacobian(t, x, jacobian); });
}

void CallbackSystem::constraint_third(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                      const ConstVectorRef& w, VectorRef values) const {
  difference(calls_.size, q, w, lower(jacobian_degree()), scratch_->level2, values,
             [&](const Vector& x, auto&& bent) { constraint_jacobian_derivative(t, x, v, bent); });
}

void CallbackSystem::constraint_hessian_times(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                              const ConstVectorRef& w, VectorRef out) const {
  constraint_jacobian_derivative(t, q, w, scratch_->bent);
  multiply_transposed(constraint_pattern(), scratch_->bent, lambda, out);
}

void CallbackSystem::constraint_velocity(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                         VectorRef out) const {
  constraint_jacobian(t, q, scratch_->jacobian_values);
  multiply(constraint_pattern(), scratch_->jacobian_values, v, out);
}

void CallbackSystem::constraint_bias(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const {
  constraint_jacobian_derivative(t, q, v, scratch_->bent);
  multiply(constraint_pattern(), scratch_->bent, v, out);
}

void CallbackSystem::hessian_at(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                VectorRef values) const {
  call("the Hessian", [&] {
    return calls_.hessian(t, scratch_->q(q.data()), scratch_->lambda(lambda.data()), hessian_->cleared(),
                          calls_.user_data);
  });
  hessian_->values(values);
}

void CallbackSystem::lagrangian_hessian(double t, const ConstVectorRef& q, const ConstVectorRef& lambda,
                                        VectorRef values) const {
  if (calls_.hessian) return hessian_at(t, q, lambda, values);
  Vector& e = scratch_->hessian_direction;
  by_colours(hessian_pattern(), hessian_colours_, e, scratch_->product_n, values,
             [&](const Vector& w, Vector& product) {
               potential_hessian_times(t, q, w, product);
               constraint_hessian_times(t, q, lambda, w, scratch_->sum_n);
               product += scratch_->sum_n;
             });
}

std::string CallbackSystem::differences() const {
  std::string list;
  const auto add = [&](bool missing, const char* what, int degree) {
    if (!missing || degree == 0) return;
    list += (list.empty() ? "" : ", ") + std::string(what) +
            (degree > 0 && degree <= exact_degree ? " (exact but for rounding)" : "");
  };
  add(!calls_.gradient, "gradient of the potential", traits_.potential_degree);
  add(!calls_.hessian, "Hessian of the potential", gradient_degree());
  if (calls_.m > 0) {
    add(!calls_.jacobian, "Jacobian of the constraints", traits_.constraint_degree);
    add(true, "second derivatives of the constraints", jacobian_degree());
  }
  return list.empty() ? "none" : list;
}

}  // namespace gnomon::c_api
