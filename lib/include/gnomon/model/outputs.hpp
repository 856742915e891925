#pragma once
/// \file
/// Outputs of a model, by name: positions and orientations of bodies, angles of joints, reactions. A ProblemInstance
/// has them.

#include <limits>
#include <string>
#include <vector>

#include "gnomon/base/types.hpp"

namespace gnomon {

struct Output {
  std::string name;  ///< e.g. "crank.angle"
  std::string unit;  ///< "" for none
  /// Above it the model is no longer true, as of a wheel that needs more than the friction there is.
  double most = std::numeric_limits<double>::infinity();
};

class GNOMON_EXPORT OutputModel {
 public:
  virtual ~OutputModel() = default;
  virtual std::vector<Output> outputs() const = 0;
  /// Whether evaluate() reads the multipliers.
  virtual bool uses_multipliers() const = 0;
  /// out = the outputs at t, q, v and the multipliers lambda of that state, which may be empty where they are not read.
  virtual void evaluate(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                        VectorRef out) const = 0;
};

}  // namespace gnomon
