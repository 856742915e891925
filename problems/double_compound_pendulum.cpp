/// \file
/// Double compound pendulum in angles, free: a mass matrix that depends on the configuration.

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/double_link_model.hpp"

namespace {

using gnomon::problems::DoubleLink;

struct Model : gnomon::problems::DoubleLinkModel<0> {
  explicit Model(const gnomon::Options& parameters) : DoubleLinkModel(parameters, false) {}
  gnomon::SystemTraits describe() const { return traits("double-compound-pendulum"); }
};

class DoubleCompoundPendulum final : public gnomon::Problem {
 public:
  std::string name() const override { return "double-compound-pendulum"; }
  std::string description() const override {
    return "two rigid links in a vertical plane, in angles: mass matrix M(q), no constraint";
  }
  std::string equations() const override {
    return "q = (theta1, theta2), angles of the links from the direction of gravity\n"
           "M = [I1 + m1 a1^2 + m2 l1^2, m2 l1 a2 cos(theta2 - theta1); ., I2 + m2 a2^2]\n"
           "U = -g (m1 a1 + m2 l1) cos theta1 - g m2 a2 cos theta2\n"
           "start: q = (theta1, theta2), p = (p1, p2); as given, M = [1.4, .5 cos(theta2 - theta1); ., .35] and\n"
           "  U = -14.715 cos theta1 - 4.905 cos theta2";
  }
  std::string source() const override {
    return "Glowinski, Holmstroem, Constrained motion problems with applications by nonlinear programming methods, "
           "Surv. Math. Ind. (1995), (34) with the sign of (38); the numbers are an addition, chosen to tell "
           "discrete derivatives apart";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    gnomon::OptionSpecs specs = DoubleLink::parameters({1, 1, 1, 0, .5, .5, .15, .1, 9.81, 1.8, 1.2}, false);
    specs.push_back(OptionSpec::real("p1", .5, -1e6, 1e6, "kg m^2/s", "start momentum of theta1"));
    specs.push_back(OptionSpec::real("p2", -.3, -1e6, 1e6, "kg m^2/s", "start momentum of theta2"));
    return specs;
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const Model model(parameters);
    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<Model>>(model);
    instance.q0 = model.link.start;
    instance.p0 = Eigen::Vector2d(parameters.real("p1"), parameters.real("p2"));
    instance.curves = model.link.curves();
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(double_compound_pendulum) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<DoubleCompoundPendulum>()));
}
