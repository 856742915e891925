#pragma once
/// \file
/// What the user of the C interface set, before it is a System.

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gnomon/base/finite.hpp"
#include "gnomon/gnomon.h"
#include "gnomon/model/mass.hpp"
#include "gnomon/model/system.hpp"

namespace gnomon::c_api {

inline constexpr int not_polynomial = SystemTraits::not_polynomial;

using SharedMatrix = std::shared_ptr<std::remove_pointer_t<SUNMatrix>>;

/// A callback for a matrix and one like those that it wants to fill; null: none, dense.
template <class Function>
struct MatrixCallback {
  Function function = nullptr;
  SharedMatrix like;
};

/// Rows g(q) = 0 or c(q) >= 0.
struct RowCallbacks {
  Index rows = 0;
  std::vector<std::string> names;  ///< one a row, or empty
  GnomonConstraintFn function = nullptr;
  MatrixCallback<GnomonJacobianFn> jacobian;
  int degree = not_polynomial;
};

template <class Function>
struct NamedCallback {
  std::string name;
  Function function;
};

struct Callbacks {
  SUNContext context = nullptr;
  void* user_data = nullptr;
  Index n = 0;
  std::vector<Block> blocks;    ///< names of coordinates
  double size = 1;              ///< of coordinates: usual_size of the start
  double speed = 1;             ///< of velocities, likewise
  double time = 1;              ///< in which the system changes noticeably: many steps
  bool time_dependent = false;  ///< U or g is declared to depend on t
  std::optional<Mass> mass;
  GnomonPotentialFn potential = nullptr;
  GnomonGradientFn gradient = nullptr;
  int potential_degree = not_polynomial;
  MatrixCallback<GnomonHessianFn> hessian;  ///< of U + lambda.g
  RowCallbacks constraints, obstacles;
  Index n_velocity_constraints = 0;
  GnomonVelocityConstraintFn velocity_constraints = nullptr;
  MatrixCallback<GnomonHessianFn> obstacle_hessian;  ///< of psi.c
  GnomonForceFn force = nullptr;
  std::array<MatrixCallback<GnomonForceJacFn>, 2> force_jacobian;  ///< by q and v
  Index n_switches = 0;
  GnomonSwitchFn switches = nullptr;
  GnomonFrictionFn friction = nullptr;
  std::array<MatrixCallback<GnomonFrictionJacFn>, 3> friction_jacobian;  ///< by q, v and lambda
  std::vector<NamedCallback<GnomonSymmetryFn>> symmetries;
  std::vector<NamedCallback<GnomonIntegralFn>> integrals;
};

/// The largest |x_i|; 1 where that is zero or not finite, and of an empty x.
inline double usual_size(const Vector& x) {
  const double largest = max_norm(x);
  return largest > 0 && std::isfinite(largest) ? largest : 1;
}

/// Thrown when a callback returned < 0: it will not be called again.
class FatalCallback : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace gnomon::c_api
