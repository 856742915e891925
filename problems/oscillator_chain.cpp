/// \file
/// Masses between linear springs, with cubic springs to the ground, damping and a load.

#include <cmath>

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/linear_structure.hpp"
#include "kernels/polylines.hpp"
#include "kernels/unused_parameter.hpp"

namespace {

using gnomon::Index;
using gnomon::Vector;
using namespace gnomon::problems;

class OscillatorChain final : public gnomon::Problem {
 public:
  std::string name() const override { return "oscillator-chain"; }
  std::string description() const override {
    return "chain of N masses between linear springs, each with a cubic spring to the ground; damped and driven if "
           "asked for";
  }
  std::string equations() const override {
    return "M q'' + A q + cubic (q_k^3)_k = -damping q' + load sin(frequency t) e_1\n"
           "U = q^T A q/2 + cubic sum_k q_k^4/4\n"
           "kind=chain: M = mass I, A = stiffness tridiag(-1, 2, -1), N = masses; start at rest:\n"
           "  mode=0: q = (amplitude, 0, ..., 0),  mode=j: q_k = amplitude sin(j k pi/(N+1))\n"
           "kind=pair: M = [2 .5; .5 1], A = [3 -1; -1 2], q = (1, 0), q' = (0, 1)\n"
           "exact: kind=chain, mode=j, without cubic springs, damping and load, q cos(omega t),\n"
           "  omega = 2 (stiffness/mass)^1/2 sin(j pi/(2N+2))";
  }
  std::string source() const override {
    return "Glowinski, Holmstroem, Constrained motion problems with applications by nonlinear programming methods, "
           "(12), (24); kind=pair: the reference numbers of its errata";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::choice("kind", {"chain", "pair"}, "a chain, or two masses coupled by mass and springs"),
            OptionSpec::integer("masses", 6, 1, 1000000, "N, kind=chain only"),
            OptionSpec::real("mass", 1, 1e-6, 1e6, "kg", "kind=chain only"),
            OptionSpec::real("stiffness", 1, 0, 1e12, "N/m", "kind=chain only"),
            OptionSpec::real("cubic", 1, 0, 1e12, "N/m^3", "of the springs to the ground"),
            OptionSpec::real("damping", 0, 0, 1e6, "N s/m", "of every mass"),
            OptionSpec::real("load", 0, -1e6, 1e6, "N", "amplitude of the force on the first mass"),
            OptionSpec::real("frequency", 1, 0, 1e6, "rad/s", "of the load"),
            OptionSpec::integer("mode", 0, 0, 1000000, "shape at the start, kind=chain only"),
            OptionSpec::real("amplitude", 1, 0, 1e6, "m", "at the start, kind=chain only")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const bool pair = parameters.is("kind", "pair");
    if (pair)
      for (const char* unused : {"masses", "mass", "stiffness", "mode", "amplitude"})
        refuse_unused(parameters, name(), unused, "kind=chain");
    if (parameters.real("load") == 0) refuse_unused(parameters, name(), "frequency", "a load");
    const Index n = pair ? 2 : parameters.integer("masses");
    const double mass = parameters.real("mass"), k = parameters.real("stiffness");

    SparseMatrixBuilder stiffness, damping;
    for (Index j = 0; j < n; ++j) {
      stiffness.add(j, j, pair ? (j == 0 ? 3 : 2) : 2 * k);
      if (j > 0)
        for (const auto& [a, b] : {std::pair(j, j - 1), std::pair(j - 1, j)}) stiffness.add(a, b, pair ? -1 : -k);
      if (parameters.real("damping") > 0) damping.add(j, j, parameters.real("damping"));
    }
    LinearStructureData data(name(),
                             pair ? gnomon::Mass::dense((gnomon::Matrix(2, 2) << 2, .5, .5, 1).finished())
                                  : gnomon::Mass::diagonal(Vector::Constant(n, mass)),
                             stiffness.build(n, n));
    data.cubic = parameters.real("cubic");
    data.traits.blocks = {{"masses", 0, n}};
    if (parameters.real("damping") > 0) data.damping = damping.build(n, n);
    if (parameters.real("load") != 0) data.load = parameters.real("load") * Vector::Unit(n, 0);
    data.frequency = parameters.real("frequency");
    const bool linear = data.cubic == 0 && parameters.real("damping") == 0 && data.load.size() == 0;

    gnomon::ProblemInstance instance;
    instance.q0 = instance.p0 = Vector::Zero(n);
    if (pair) {
      instance.q0[0] = 1;
      data.mass.apply(Vector::Unit(2, 1), instance.p0);
    } else {
      const double pi = std::acos(-1.0), amplitude = parameters.real("amplitude");
      const Index mode = parameters.integer("mode");
      if (mode > n)
        throw gnomon::Error(gnomon::ErrorCode::bad_value, "problem " + name() + ": mode = " + std::to_string(mode) +
                                                              " of a chain of " + std::to_string(n) +
                                                              " masses, expected at most their number");
      const double angle = pi * static_cast<double>(mode) / static_cast<double>(n + 1);
      for (Index j = 0; j < n; ++j) instance.q0[j] = amplitude * std::sin(angle * static_cast<double>(j + 1));
      if (mode == 0) instance.q0[0] = amplitude;
      if (mode > 0 && linear) {
        const double omega = 2 * std::sqrt(k / mass) * std::sin(angle / 2);
        instance.exact = [omega, mass, start = instance.q0](double t, Vector& q, Vector& p) {
          q = std::cos(omega * t) * start;
          p = -mass * omega * std::sin(omega * t) * start;
        };
      }
    }
    instance.model = std::make_shared<LinearStructure>(std::move(data));
    instance.curves = polylines(
        as_graph(), {{"displacements", n + 2, [n](double, const gnomon::ConstVectorRef& q, gnomon::Matrix& points) {
                        points.row(0) = Vector::LinSpaced(n + 2, 0, static_cast<double>(n + 1)).transpose();
                        points.row(1) << 0, q.transpose(), 0;
                      }}});
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(oscillator_chain) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<OscillatorChain>()));
}
