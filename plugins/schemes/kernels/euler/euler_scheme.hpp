#pragma once
/// \file
/// What the files of the symplectic Euler family share beside their tables: binding, promises, refusals.

#include <memory>
#include <string>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/options.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/euler/euler_step.hpp"

namespace gnomon::kernels {

/// A method of the family: a name, a sentence, the paper's numbers, and its tables as a function of alpha.
struct EulerMethod {
  std::string name, description, source, adjoint;
  bool consistent = true;     ///< false: order 0 where r is nonlinear in psi
  bool one_excluded = false;  ///< alpha = 1 leaves the second multiplier without a force
  EulerTables (*tables)(double alpha);
};

class EulerScheme final : public Scheme {
 public:
  explicit EulerScheme(EulerMethod method) : method_(std::move(method)) {}

  std::string name() const override { return method_.name; }
  std::string description() const override { return method_.description; }
  std::string source() const override { return method_.source; }
  std::string adjoint() const override { return method_.adjoint; }
  OptionSpecs options() const override {
    return {OptionSpec::real("alpha", 0.5, -1e3, 1e3, "",
                             method_.one_excluded
                                 ? "share of the multiplier force that acts before the positions; not 0, not 1"
                                 : "share of the multiplier force that acts before the positions; not 0")};
  }
  Promises promises() const override {
    Promises p;
    p.order = 1;
    p.position = p.hidden = p.symplectic = true;
    return p;
  }
  Binding bind(const Model& model, const Options& options) const override {
    const double alpha = options.real("alpha");
    const auto refuse_alpha = [&](const char* expected) {
      throw Error(ErrorCode::bad_value,
                  "scheme " + method_.name + ": alpha = " + number_text(alpha) + ", expected " + expected);
    };
    if (alpha == 0) refuse_alpha("a number other than 0: the first multiplier would have no force");
    if (alpha == 1 && method_.one_excluded)
      refuse_alpha("a number other than 1: the second multiplier would have no force");
    Binding binding;
    // The caller keeps the model alive, see Scheme::bind.
    auto system = overdetermined_from(std::shared_ptr<const Model>(std::shared_ptr<void>(), &model));
    const OverdeterminedTraits& traits = system->traits();
    binding.promises.order = method_.consistent || traits.affine ? 1 : 0;
    binding.promises.constrained_limit = binding.promises.order > 0;
    binding.promises.position = binding.promises.hidden = true;
    binding.promises.symplectic = traits.hamiltonian;
    binding.equations = std::make_unique<EulerStep>(std::move(system), method_.tables(alpha));
    return binding;
  }

 private:
  EulerMethod method_;
};

}  // namespace gnomon::kernels
