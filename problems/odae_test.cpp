/// \file
/// The overdetermined test problem with a force that is quadratic in the multiplier: Small, Jay, (4.1).

#include <cmath>

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/odae_test_model.hpp"

namespace {

using Model = gnomon::problems::OdaeTestModel;

class OdaeTest final : public gnomon::Problem {
 public:
  std::string name() const override { return "odae-test"; }
  std::string description() const override {
    return "overdetermined DAE with a force quadratic in the multiplier, closed form known";
  }
  std::string equations() const override {
    return "y = (y1, y2), z = (z1, z2), psi\n"
           "v = (2 z1, -z2)\n"
           "f = (2 y1 y2 z1 z2 - y1 z1 z2, z1 - y1 X^3), X = z2 (variant=a) or y2 (variant=b)\n"
           "r = (y2 z1 psi^2, -sqrt(y1) z1 z2^2 psi)\n"
           "g = y1 y2^2 - 1\n"
           "start: y = z = (1, 1)\n"
           "exact, both variants: y = z = (e^{2t}, e^{-t}), psi = e^t. psi is not unique: -(e^{3t} + e^t) is a second "
           "branch";
  }
  std::string source() const override {
    return "Small, Jay: Symplectic Euler methods for overdetermined differential-algebraic equations, (4.1), rebuilt "
           "from a damaged copy that leaves open which letter is cubed";
  }
  gnomon::OptionSpecs parameters() const override {
    return {gnomon::OptionSpec::choice("variant", {"a", "b"}, "what is cubed in f2: z2 (a) or y2 (b)")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    Model model;
    model.cube_of_z = parameters.is("variant", "a");
    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffOverdetermined<Model>>(model);
    instance.exact = [](double t, gnomon::Vector& y, gnomon::Vector& z) {
      y.resize(2);
      y << std::exp(2 * t), std::exp(-t);
      z = y;
    };
    instance.exact(0, instance.q0, instance.p0);
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(odae_test) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<OdaeTest>()));
}
