#pragma once
/// \file
/// What the files of the symplectic Euler family share beside their tables: binding, promises, refusals.

#include <string>
#include <utility>
#include <vector>

#include "gnomon/base/options.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/scheme/scheme.hpp"
#include "kernels/euler/term_tables.hpp"

namespace gnomon::kernels {

/// The options of a method: alpha; which z the multiplier force takes at the start and at the end of the step, which
/// (3.5) leaves open; and where f and v are evaluated.
struct EulerChoice {
  enum class Mix { symplectic, explicit_force, implicit };
  double alpha = 0.5;
  Slot start = Slot::z0, end = Slot::z1;  ///< r(y0, start, .), r(y1, end, .)
  Mix mix = Mix::symplectic;
};

/// The same slot for the step that goes back: the ends are exchanged.
Slot reflected(Slot slot);
/// Two systems in order, or as one where the first needs unknowns of the second.
std::vector<TermTable> in_order(TermTable first, const TermTable& second, bool coupled);

/// A method of the family: a name, a sentence, the paper's numbers, and its tables as a function of its options.
struct EulerMethod {
  std::string name, description, source, adjoint;
  bool consistent = true;     ///< false: order 0 where r is nonlinear in psi
  bool one_excluded = false;  ///< alpha = 1 leaves the second multiplier without a force
  EulerTables (*tables)(const EulerChoice& choice);
  bool arguments = false;  ///< the z of r is an option
  bool mixes = false;      ///< the arguments of f and v are one
};

class EulerScheme final : public Scheme {
 public:
  explicit EulerScheme(EulerMethod method) : method_(std::move(method)) {}

  std::string name() const override { return method_.name; }
  std::string description() const override { return method_.description; }
  std::string source() const override { return method_.source; }
  std::string adjoint() const override { return method_.adjoint; }
  std::string refuses_velocity_constraints() const override { return "which have no position level"; }
  OptionSpecs options() const override;
  Promises promises() const override;
  Binding bind(const Model& model, const Options& options) const override;

 private:
  static Slot slot_of(const Options& options, const char* name);

  EulerMethod method_;
};

}  // namespace gnomon::kernels
