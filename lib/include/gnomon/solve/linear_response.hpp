#pragma once
/// \file
/// Inputs and outputs of a linearisation, as of a system that is controlled.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "gnomon/model/problem.hpp"
#include "gnomon/solve/linearisation.hpp"

namespace gnomon {

/// Where a model is linearised.
struct LinearisedAt {
  double t = 0;
  Vector q, p;
  Vector lambda;                ///< one entry a constraint, then one an obstacle
  std::vector<Index> closed;    ///< obstacles that are constraints
  std::vector<int> turns = {};  ///< State::turns; empty: those near the angles there
};

/// A real parameter of the model that is an input.
struct ModelInput {
  std::string name;
  double size = 1;  ///< a change that is large; not zero
};

/// Beside the state of a linearisation, with x = (y, w) as there, u the changes of inputs u0 + u, and the outputs
/// f(t, q, v, lambda; u) of the model, lambda the multipliers that belong to the state by itself,
///
///     x' = A x + B u,        output = f0 + C x + D u
///     B = [N^T M d(T_p)/du; W^T d(-T_q - U_q - C^T lambda + Q)/du]  at this (t, q, p) and fixed lambda,   A = A_s
///     C x = df along (dq, dp) = (N y, M W w + S y),                  D = df/du at this (t, q, p)
///
/// (what lambda changes by does no work along W.) Inputs must leave the place as it is: dg/du = 0 and
/// d(C T_p + c_t)/du = 0. Derivatives are by differences of six points
///
///     3/4 (f1 - f-1) - 3/20 (f2 - f-2) + 1/60 (f3 - f-3),        f(k) = f(k a)/a
///
/// of the model built again, at the largest a where the formula of four points gives the same to 1e-10: their own
/// errors are below 1e-12 of the derivative, and the rounding of the terms of f, divided by a. An output that has no
/// derivative at the place, or no value, is NaN.
struct GNOMON_EXPORT LinearResponse {
  Matrix B;  ///< (N + W) x inputs
  Matrix C;  ///< outputs x (N + W); its unit is that of the output over those of y and w
  Matrix D;  ///< outputs x inputs
};

/// The instance with this input changed by so much, its coordinates as before.
using ChangedInput = std::function<ProblemInstance(std::size_t input, double change)>;

/// `linear` is that of the instance at this place. Throws Error(refused) for an input that moves a constraint or a
/// closed obstacle, by name, and where a function has no derivative, and what `changed` throws for all changes.
GNOMON_EXPORT LinearResponse linear_response(const ProblemInstance& instance, const LinearisedAt& at,
                                             const Linearisation& linear, const std::vector<ModelInput>& inputs,
                                             const ChangedInput& changed);

}  // namespace gnomon
