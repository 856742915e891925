/// \file
/// Double compound pendulum whose tip runs on an ellipse, driven by a torque: Glowinski and Holmstroem, section 2.4,
/// Table 3, with c and d as the start angles need them: printed are c = 1.155 and d = .5.

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/double_link_model.hpp"

namespace {

using gnomon::problems::DoubleLink;

/// Without a torque there is no force.
template <bool driven>
struct Model : gnomon::problems::DoubleLinkModel<1> {
  static constexpr bool has_force = driven;
  double x0, y0, c, d, torque, until;

  explicit Model(const gnomon::Options& parameters)
      : DoubleLinkModel(parameters, true),
        x0(parameters.real("x0")),
        y0(parameters.real("y0")),
        c(parameters.real("c")),
        d(parameters.real("d")),
        torque(parameters.real("torque")),
        until(parameters.real("torque-until")) {}

  gnomon::ModelTraits describe() const {
    gnomon::ModelTraits traits = this->traits("ellipse-pendulum");
    traits.constraint_names = {"ellipse"};
    traits.time_dependent_force = driven;
    return traits;
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    const S x = (link.tip_x(q) - x0) / c, y = (link.tip_y(q) - y0) / d;
    g[0] = x * x + y * y - 1.0;
  }
  template <class S>
  void force(const S& t, const S*, const S*, S* f) const {
    f[0] = S(gnomon::value_of(t) <= until ? torque : 0);
    f[1] = S(0.0);
  }
};

class EllipsePendulum final : public gnomon::Problem {
 public:
  std::string name() const override { return "ellipse-pendulum"; }
  std::string description() const override {
    return "double compound pendulum in angles, its tip on an ellipse, driven by a torque that ends";
  }
  std::string equations() const override {
    return "q = (theta1, theta2), M(q) and U as in double-compound-pendulum\n"
           "g = (x - x0)^2/c^2 + (y - y0)^2/d^2 - 1, x = l1 cos theta1 + l2 cos theta2, y = l1 sin theta1 + l2 sin "
           "theta2\n"
           "Q = (torque, 0) for t <= torque-until, then 0\n"
           "start at rest at the angles on g = 0 that are nearest to (theta1, theta2)";
  }
  std::string source() const override {
    return "Glowinski, Holmstroem, Constrained motion problems with applications by nonlinear programming methods, "
           "Surv. Math. Ind. (1995), (41)-(45), Table 3; printed with c and d interchanged, and with angles that are "
           "2e-4 off the curve";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    gnomon::OptionSpecs specs = DoubleLink::parameters({10, 5, 1, .5, .5, .25, .8333, .1042, 9.82, 2.271, .6591}, true);
    specs.push_back(OptionSpec::real("x0", .25, -1e6, 1e6, "m", "centre of the ellipse, along gravity"));
    specs.push_back(OptionSpec::real("y0", 1, -1e6, 1e6, "m", "centre of the ellipse, across"));
    specs.push_back(OptionSpec::real("c", .5, 1e-6, 1e6, "m", "half axis along gravity"));
    specs.push_back(OptionSpec::real("d", 1.155, 1e-6, 1e6, "m", "half axis across"));
    specs.push_back(OptionSpec::real("torque", -30, -1e6, 1e6, "N m", "on the first link at the support"));
    specs.push_back(OptionSpec::real("torque-until", 4, 0, 1e9, "s", "when the torque ends"));
    return specs;
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    gnomon::ProblemInstance instance;
    if (parameters.real("torque") != 0)
      instance.model = system<true>(parameters);
    else
      instance.model = system<false>(parameters);
    const DoubleLink link(parameters, true);
    const Model<true> curve(parameters);
    instance.curves = link.curves({gnomon::problems::fixed_curve("ellipse", 97, [&](double s) {
      const double angle = 2 * std::acos(-1.0) * s;
      return DoubleLink::on_picture(curve.x0 + curve.c * std::cos(angle), curve.y0 + curve.d * std::sin(angle));
    })});
    instance.q0 = link.start;
    instance.p0 = Eigen::Vector2d::Zero();
    place_on_curve(*instance.model->mechanical(), instance.q0);
    return instance;
  }

 private:
  template <bool driven>
  static std::shared_ptr<const gnomon::System> system(const gnomon::Options& parameters) {
    return std::make_shared<gnomon::AutodiffSystem<Model<driven>>>(Model<driven>(parameters));
  }
  /// Moves q to the nearest angles on g = 0: q -= G^T g/|G|^2, repeated.
  static void place_on_curve(const gnomon::System& system, gnomon::Vector& q) {
    gnomon::Vector g(1), slope(2);
    for (int iteration = 0; iteration < 20; ++iteration) {
      system.constraints(0, q, g);
      system.constraint_jacobian(0, q, slope);
      q -= slope * (g[0] / slope.squaredNorm());
    }
  }
};

}  // namespace

GNOMON_PLUGIN(ellipse_pendulum) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<EllipsePendulum>()));
}
