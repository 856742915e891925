/// \file
/// Open chain of spherical links, hung at the origin and released from the horizontal.

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/rod_network.hpp"
#include "kernels/unused_parameter.hpp"

namespace {

using gnomon::Index;
using Network = gnomon::problems::RodNetwork<3>;

class Chain final : public gnomon::Problem {
 public:
  std::string name() const override { return "chain"; }
  std::string description() const override { return "hanging chain of N spherical links, sparse, for any N"; }
  std::string equations() const override {
    return "q = (x_1, ..., x_N), N = links, x_k the end of link k, x_0 = 0, e3 upwards\n"
           "M = (mass/N) I\n"
           "U = gravity (mass/N) sum_k e3 . x_k\n"
           "g_k = (|x_k - x_(k-1)|^2 - l_k^2)/2, l_k = length/N up to the rounding of the start, so that g is exactly "
           "0\n"
           "start: x_k = (k length/N) e1\n"
           "  start=rest: at rest (the motion stays in a plane)\n"
           "  start=spatial: turning as a straight line about the vertical, v_k = rotation e3 x x_k";
  }
  std::string source() const override {
    return "unit total length and mass, released from the horizontal at rest in unit gravity; the spatial start is an "
           "addition: the released chain has no angular momentum";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::choice("start", {"rest", "spatial"}, "at rest, or with angular momentum about e3"),
            OptionSpec::integer("links", 3, 1, 10000000, "number of links"),
            OptionSpec::real("length", 1, 1e-3, 1e3, "m", "length of the whole chain"),
            OptionSpec::real("mass", 1, 1e-3, 1e6, "kg", "mass of the whole chain"),
            OptionSpec::real("gravity", 1, 0, 1e6, "m/s^2", "gravitational acceleration, along -e3"),
            OptionSpec::real("rotation", .5, -1e3, 1e3, "rad/s", "start rate about e3, start=spatial only")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const bool spatial = parameters.is("start", "spatial");
    if (!spatial) gnomon::problems::refuse_unused(parameters, name(), "rotation", "start=spatial");
    const Index links = parameters.integer("links");
    const double length = parameters.real("length");

    gnomon::ProblemInstance instance;
    instance.q0 = gnomon::Vector::Zero(3 * links);
    std::vector<Network::Rod> rods;
    rods.reserve(static_cast<std::size_t>(links));
    // Rod k joins node k to the one before it; the first hangs on the only anchor, node `links`.
    for (Index k = 0; k < links; ++k) {
      const double x = length * static_cast<double>(k + 1) / static_cast<double>(links);
      const double before = k > 0 ? instance.q0[3 * k - 3] : 0;
      instance.q0[3 * k] = x;
      rods.push_back({k > 0 ? k - 1 : 0, k > 0 ? k : links, x - before});
    }
    const double mass = parameters.real("mass") / static_cast<double>(links);
    const auto network = std::make_shared<Network>(name(), gnomon::Vector::Constant(links, mass),
                                                   std::vector<Network::Point>{Network::Point::Zero()}, std::move(rods),
                                                   parameters.real("gravity"));
    instance.model = network;
    instance.curves = network;
    instance.p0 = gnomon::Vector::Zero(3 * links);
    if (spatial) {
      gnomon::problems::rotation_generator(2, links, instance.q0.data(), instance.p0.data());
      instance.p0 *= mass * parameters.real("rotation");
    }
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(chain) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<Chain>()));
}
