#pragma once
/// \file
/// How a CallbackSystem calls a callback, and what it works with: vectors and matrices in the forms of SUNDIALS, and
/// room for differences.

#include <nvector/nvector_serial.h>

#include <memory>
#include <string>
#include <vector>

#include "c_api/c_api_differences.hpp"
#include "c_api/c_api_forces.hpp"
#include "c_api/c_api_matrix.hpp"
#include "gnomon/base/error.hpp"

namespace gnomon::c_api {

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

/// A matrix of derivatives: from a callback, which fills it as it likes it, or coloured differences.
struct CallbackForces::Derivative {
  Derivative(const char* pattern_name, const SharedMatrix& like, Index rows, Index cols, SUNContext context)
      : matrix(pattern_name, like.get(), rows, cols, context), colours(colour_columns(matrix.pattern())) {
    direction.setZero(cols);
    product.setZero(rows);
    level.at.setZero(cols);
    level.value.setZero(rows);
  }
  const SparsityPattern& pattern() const { return matrix.pattern(); }
  /// df/dx from differences, f of this degree and x of this size.
  template <class F>
  void differences(double size, int degree, const ConstVectorRef& x, VectorRef values, F&& f) {
    by_colours(pattern(), colours, direction, product, values,
               [&](const Vector& w, Vector& out) { difference(size, x, w, degree, level, out, f); });
  }

  MatrixBuffer matrix;
  Colouring colours;
  Vector direction, product;
  Level level;
};

/// Rows g = 0 or c >= 0 with their Jacobian.
struct CallbackForces::Rows {
  Rows(const char* rows_name, const char* derivative_name, const char* pattern_name, const RowCallbacks& given, Index n,
       SUNContext context)
      : name(rows_name),
        jacobian_name(derivative_name),
        calls(given),
        derivative(pattern_name, given.jacobian.like, given.rows, n, context),
        vector(given.rows, context) {
    for (Level* level : {&once, &twice}) {
      level->at.setZero(n);
      level->value.setZero(pattern().nonzeros());
    }
    bent.setZero(pattern().nonzeros());
  }
  const SparsityPattern& pattern() const { return derivative.pattern(); }
  int jacobian_degree() const { return lower(calls.degree); }

  const char *name, *jacobian_name;
  RowCallbacks calls;
  Derivative derivative;
  Wrapped vector;
  Level once, twice;  // of the Jacobian's derivatives
  Vector bent;
};

/// Room for constraints of velocities and their derivatives.
struct CallbackForces::VelocityScratch {
  VelocityScratch(Index rows, Index n, SUNContext context) : vector(rows, context) {
    for (Vector* x : {&rest, &unit, &direction, &other}) x->setZero(n);
    for (Vector* x : {&with, &without, &column, &later, &rates}) x->setZero(rows);
    matrix.setZero(rows * n);
    for (Level* level : {&of_matrix, &once, &twice}) level->at.setZero(n);
    of_matrix.value.setZero(rows * n);
    for (Level* level : {&once, &twice}) level->value.setZero(rows);
  }

  Wrapped vector;
  Vector rest, unit, direction, other, with, without, column, later, rates, matrix;
  Level of_matrix, once, twice;
};

struct CallbackForces::Scratch {
  Scratch(const Callbacks& calls, bool closed);

  Rows g, c;
  VelocityScratch velocities;
  Derivative hessian;                            // of U + lambda.g
  std::unique_ptr<Derivative> obstacle_hessian;  // of psi.c, where obstacles are closed and no planes
  std::vector<std::unique_ptr<Derivative>> force, friction;
  SparsityPattern constraint_pattern, hessian_pattern;  // of all of it
  BlockMap hessian_map, obstacle_hessian_map;
  Wrapped q, v, vector_n, lambda, psi, multipliers, switches;
  Level potential, gradient;
  Vector direction, sum, zero_lambda, all_zero, of_positions, product_m, values, bent, hessian_values, hessian_more,
      obstacle_values;
  // Of the rates by time, each of its own.
  Vector rate_energy, later_energy;  // one entry
  Vector rate_rows, more_rate_rows, rate_values, rate_hessian, later_rows, later_velocity, later_values, later_hessian;
};

template <class Call>
void CallbackForces::call(const char* name, Call&& callback) const {
  if (failed_for_good()) throw FatalCallback(*fatal_ + ", and no callback is called after that");
  const int flag = callback();
  if (flag > 0) throw CannotEvaluate(std::string(name) + " returned " + std::to_string(flag));
  if (flag == 0) return;
  *fatal_ = std::string(name) + " returned " + std::to_string(flag);
  throw FatalCallback(*fatal_);
}

template <class Function, class... Arguments>
bool CallbackForces::filled(const char* name, Function function, Derivative& derivative, VectorRef values,
                            Arguments... arguments) const {
  if (!function) return false;
  call(name, [&] { return function(arguments..., derivative.matrix.cleared(), calls_.user_data); });
  derivative.matrix.values(values);
  return true;
}

}  // namespace gnomon::c_api
