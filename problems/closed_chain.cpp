/// \file
/// Closed planar chain of rigid bars, the first of them fixed to the ground: a closed loop falling under gravity.

#include <cmath>

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/project_momenta.hpp"
#include "kernels/rod_network.hpp"
#include "kernels/unused_parameter.hpp"

namespace {

using gnomon::Index;
using Network = gnomon::problems::RodNetwork<2>;

constexpr double pi = 3.141592653589793;

class ClosedChain final : public gnomon::Problem {
 public:
  std::string name() const override { return "closed-chain"; }
  std::string description() const override {
    return "closed planar chain of N unit bars, one of them fixed to the ground";
  }
  std::string equations() const override {
    return "q = (x_1, ..., x_K), K = bars - 2 free joints in the plane, numbered from the left end of the ground bar, "
           "e2 upwards; fixed joints (0, 0) and (1, 0)\n"
           "M = I (kg): a unit point mass in every free joint\n"
           "U = gravity sum_k e2 . x_k\n"
           "g_k = (|x_k - x_(k-1)|^2 - 1)/2, k = 1 .. K+1, x_0 = (0, 0), x_(K+1) = (1, 0)\n"
           "start:\n"
           "  bars=4: parallelogram whose side bars make the angle lean with the ground bar, at rest. It falls through "
           "its change point, where all bars are collinear and G loses rank\n"
           "  bars>=5: regular polygon on top of the ground bar, momenta along e1 of (.3, .5, .2, 0, ...) kg m/s, "
           "projected onto G M^-1 p = 0 in the mass metric";
  }
  std::string source() const override {
    return "common benchmark of closed-loop multibody codes: bars of unit length, unit point masses, gravity 9.81";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {
        OptionSpec::integer("bars", 5, 4, 500, "number of bars, the fixed one included"),
        OptionSpec::real("lean", pi / 3, .01, 3.13, "rad", "angle of the side bars from the ground bar, bars=4 only"),
        OptionSpec::real("gravity", 9.81, 0, 1e6, "m/s^2", "gravitational acceleration, along -e2")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const Index bars = parameters.integer("bars"), joints = bars - 2;
    const bool four = bars == 4;
    if (!four) gnomon::problems::refuse_unused(parameters, name(), "lean", "bars=4");

    gnomon::ProblemInstance instance;
    instance.q0.resize(2 * joints);
    instance.p0 = gnomon::Vector::Zero(2 * joints);
    if (four) {
      const double lean = parameters.real("lean"), c = std::cos(lean), s = std::sin(lean);
      instance.q0 << c, s, 1 + c, s;
    } else {
      // Corner k of the regular polygon, clockwise from (0, 0); the centre is above the middle of the ground bar.
      const double half = pi / static_cast<double>(bars), radius = 1 / (2 * std::sin(half));
      for (Index k = 1; k <= joints; ++k) {
        const double angle = -pi / 2 - half - 2 * half * static_cast<double>(k);
        instance.q0[2 * k - 2] = .5 + radius * std::cos(angle);
        instance.q0[2 * k - 1] = radius * (std::cos(half) + std::sin(angle));
      }
      instance.p0[0] = .3;
      instance.p0[2] = .5;
      instance.p0[4] = .2;
    }

    std::vector<Network::Rod> rods{{0, joints, 1}};
    for (Index k = 1; k < joints; ++k) rods.push_back({k - 1, k, 1});
    rods.push_back({joints - 1, joints + 1, 1});
    const auto network =
        std::make_shared<Network>(name(), gnomon::Vector::Ones(joints), std::vector<Network::Point>{{0, 0}, {1, 0}},
                                  std::move(rods), parameters.real("gravity"));
    instance.model = network;
    instance.curves = network;
    if (!four) gnomon::problems::project_momenta(*instance.model->mechanical(), instance.q0, instance.p0);
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(closed_chain) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<ClosedChain>()));
}
