// A good plug-in with a scheme that promises what it does not keep: the energy of rattle.
#include "gnomon/base/options.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/scheme/scheme.hpp"

namespace {

using namespace gnomon;

class Overpromising final : public Scheme {
 public:
  explicit Overpromising(const SchemeTable& schemes) : schemes_(&schemes) {}
  std::string name() const override { return "overpromising"; }
  std::string description() const override { return "rattle, which it says keeps the energy"; }
  std::string source() const override { return "none"; }
  Promises promises() const override {
    Promises promises;
    promises.energy = true;
    return promises;
  }
  Binding bind(const Model& model, const Options&) const override {
    const Scheme& inner = schemes_->scheme("rattle");
    Binding binding = inner.bind(model, Options("scheme " + inner.name(), inner.options()));
    binding.promises.energy = true;
    return binding;
  }

 private:
  const SchemeTable* schemes_;
};

}  // namespace

GNOMON_PLUGIN(overpromising) {
  registrar.add(std::make_unique<Overpromising>(registrar.schemes()));
}
