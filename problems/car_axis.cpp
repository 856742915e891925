/// \file
/// The car axis of the test set for initial value problems: an axle of fixed length on two springs, the right one on a
/// road that moves; constraints and a potential that depend on time, the potential not polynomial.

#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/polylines.hpp"

namespace {

/// q = (xl, yl, xr, yr), left and right end of the axle; the wheels are at (0, 0) and (xb, yb)(t).
struct Model : gnomon::AutodiffModel<4, 2> {
  double epsilon, weight, axle, base, spring, road, frequency;

  explicit Model(const gnomon::Options& parameters)
      : epsilon(parameters.real("epsilon")),
        weight(parameters.real("mass")),
        axle(parameters.real("axle")),
        base(parameters.real("base")),
        spring(parameters.real("spring")),
        road(parameters.real("road")),
        frequency(parameters.real("frequency")) {}

  gnomon::ModelTraits describe() const {
    gnomon::ModelTraits traits = gnomon::polynomial_traits("car-axis", gnomon::SystemTraits::not_polynomial, 2);
    traits.time_dependent = true;
    traits.blocks = {{"left", 0, 2}, {"right", 2, 2}};
    traits.constraint_names = {"left spring upright", "axle"};
    return traits;
  }
  double inertia() const { return 0.5 * epsilon * epsilon * weight; }
  gnomon::Mass mass() const { return gnomon::Mass::diagonal(gnomon::Vector::Constant(4, inertia())); }
  template <class S>
  void wheel(const S& t, S& xb, S& yb) const {
    using std::sin;
    using std::sqrt;
    yb = road * sin(frequency * t);
    xb = sqrt(base * base - yb * yb);
  }
  template <class S>
  S potential(const S& t, const S* q) const {
    using std::sqrt;
    S xb, yb;
    wheel(t, xb, yb);
    const S left = sqrt(q[0] * q[0] + q[1] * q[1]) - spring;
    const S x = q[2] - xb, y = q[3] - yb;
    const S right = sqrt(x * x + y * y) - spring;
    return 0.5 * (left * left + right * right) + inertia() * (q[1] + q[3]);
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    S xb, yb;
    wheel(t, xb, yb);
    const S x = q[0] - q[2], y = q[1] - q[3];
    g[0] = q[0] * xb + q[1] * yb;
    g[1] = x * x + y * y - axle * axle;
  }
};

class CarAxis final : public gnomon::Problem {
 public:
  std::string name() const override { return "car-axis"; }
  std::string description() const override {
    return "axle on two springs over a bumpy road: constraints and a potential that depend on time";
  }
  std::string equations() const override {
    return "q = (xl, yl, xr, yr); the wheels at (0, 0) and (xb, yb), yb = road sin(frequency t), xb = (base^2 - "
           "yb^2)^1/2\n"
           "M = epsilon^2 mass/2 I4\n"
           "U = (|(xl, yl)| - spring)^2/2 + (|(xr - xb, yr - yb)| - spring)^2/2 + epsilon^2 mass/2 (yl + yr)\n"
           "g = (xl xb + yl yb, (xl - xr)^2 + (yl - yr)^2 - axle^2)\n"
           "start: (0, spring, axle, spring), xl' = xr' = -road frequency spring/base; with the default parameters "
           "-1/2";
  }
  std::string source() const override {
    return "Mazzia, Magherini, Test Set for Initial Value Problem Solvers, release 2.4 (2008), II-14; Hairer, Lubich, "
           "Roche, Lecture Notes in Mathematics 1409 (1989)";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::real("epsilon", 1e-2, 1e-6, 1e3, "", "scale of the masses: 1/epsilon^2 is the stiffness"),
            OptionSpec::real("mass", 10, 1e-6, 1e6, "kg", "of the axle, half of it at each end, times epsilon^2"),
            OptionSpec::real("axle", 1, 1e-3, 1e3, "m", "length of the axle"),
            OptionSpec::real("base", 1, 1e-3, 1e3, "m", "distance of the wheels"),
            OptionSpec::real("spring", .5, 1e-3, 1e3, "m", "length of the springs at rest"),
            OptionSpec::real("road", .1, -1e3, 1e3, "m", "amplitude of the road under the right wheel"),
            OptionSpec::real("frequency", 10, -1e6, 1e6, "rad/s", "of the road")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const Model model(parameters);
    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<Model>>(model);
    instance.q0 = Eigen::Vector4d(0, model.spring, model.axle, model.spring);
    const double v = -model.road * model.frequency * model.spring / model.base;
    instance.p0 = model.inertia() * Eigen::Vector4d(v, 0, v, 0);
    using namespace gnomon::problems;
    const auto wheel = [model](double t, const gnomon::ConstVectorRef& q, gnomon::Matrix& points) {
      model.wheel(t, points(0, 0), points(1, 0));
      if (points.cols() > 1) points.col(1) = q.segment<2>(2);
    };
    instance.curves = polylines(in_plane(), {{"axle", {at(0), at(2)}},
                                             {"left spring", {fixed(0, 0), at(0)}},
                                             {"right spring", 2, wheel},
                                             {"left end", {at(0)}},
                                             {"right end", {at(2)}},
                                             {"left wheel", {fixed(0, 0)}},
                                             {"right wheel", 1, wheel}});
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(car_axis) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<CarAxis>()));
}
