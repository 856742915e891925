/// \file
/// Swinging Atwood machine: a bob that swings at one end of a rope over a pulley, a counterweight at the other.

#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/polylines.hpp"

namespace {

/// M = diag(1, 1, ratio), U = gravity (y + ratio h), g = sqrt(x^2 + y^2) - h - 1: not a polynomial.
struct Model : gnomon::AutodiffModel<3, 1> {
  static constexpr double integrable_ratio = 3;
  double ratio, gravity;

  explicit Model(const gnomon::Options& parameters)
      : ratio(parameters.real("ratio")), gravity(parameters.real("gravity")) {}

  gnomon::ModelTraits describe() const {
    gnomon::ModelTraits traits;
    traits.name = "swinging-atwood";
    traits.potential_degree = 1;
    traits.n_integrals = ratio == integrable_ratio ? 1 : 0;
    traits.blocks = {{"bob", 0, 2}, {"counterweight", 2, 1}};
    traits.constraint_names = {"rope"};
    return traits;
  }
  gnomon::Mass mass() const { return gnomon::Mass::diagonal(Eigen::Vector3d(1, 1, ratio)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return gravity * (q[1] + ratio * q[2]);
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    using std::sqrt;
    g[0] = sqrt(q[0] * q[0] + q[1] * q[1]) - q[2] - 1.0;
  }
  std::string integral_name(gnomon::Index) const { return "second integral, its magnitude"; }
  /// |I|, I = r^2 theta' (r' cos(theta/2) - r theta'/2 sin(theta/2)) + gravity r^2 sin(theta/2) cos(theta/2)^2, with
  /// theta from the downward vertical: (x, y) = r (sin theta, -cos theta). I is a function of theta/2 and changes its
  /// sign with every full turn of theta, so that only its magnitude is a function of the state.
  double integral(gnomon::Index, double, const double* q, const double* p) const {
    const double x = q[0], y = q[1], vx = p[0], vy = p[1];  // unit mass
    const double r = std::hypot(x, y), half = std::atan2(x, -y) / 2;
    const double s = std::sin(half), c = std::cos(half);
    const double r_dot = (x * vx + y * vy) / r, theta_dot = (x * vy - y * vx) / (r * r);
    return std::abs(r * r * (theta_dot * (r_dot * c - r * theta_dot / 2 * s) + gravity * s * c * c));
  }
};

class SwingingAtwood final : public gnomon::Problem {
 public:
  std::string name() const override { return "swinging-atwood"; }
  std::string description() const override {
    return "swinging Atwood machine: constraint not quadratic, second integral known for mass ratio 3";
  }
  std::string equations() const override {
    return "q = (x, y, h): bob of mass 1 seen from the pulley, y upwards, and height of the counterweight\n"
           "M = diag(1, 1, ratio)\n"
           "U = gravity (y + ratio h)\n"
           "g = r - h - 1, r = sqrt(x^2 + y^2): the bob goes out by what the counterweight comes up\n"
           "start: q = (1, 0, 0), at rest\n"
           "second integral for ratio=3, theta from the downward vertical: I = r^2 theta' (r' cos(theta/2) - r "
           "theta'/2 "
           "sin(theta/2)) + gravity r^2 sin(theta/2) cos(theta/2)^2; |I| = 0.35355339059327 for unit gravity (a full "
           "turn of theta changes its sign). The run reports its error, and no scheme promises to keep it";
  }
  std::string source() const override {
    return "Tufillaro, Abbott, Griffiths: Swinging Atwood's machine, Am. J. Phys. 52 (1984); second integral: "
           "Tufillaro, Integrable motion of a swinging Atwood's machine, Am. J. Phys. 54 (1986)";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::real("ratio", 3, 1e-3, 1e3, "", "mass of the counterweight over that of the bob"),
            OptionSpec::real("gravity", 1, 0, 1e6, "m/s^2", "gravitational acceleration, downwards")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<Model>>(Model(parameters));
    instance.q0 = Eigen::Vector3d(1, 0, 0);
    instance.p0 = Eigen::Vector3d::Zero();
    using namespace gnomon::problems;
    const auto rope = [](double, const gnomon::ConstVectorRef& q, gnomon::Matrix& points) {
      points.rightCols<1>() << beside, q[2] - drop;
      if (points.cols() > 1) points.leftCols<3>() << q.head<2>(), Eigen::Vector2d::Zero(), Eigen::Vector2d(beside, 0);
    };
    instance.curves = polylines(in_plane(), {{"rope", 4, rope},
                                             {"bob", {at(0)}},
                                             {"counterweight", 1, rope},
                                             {"pulley", {fixed(0, 0)}},
                                             {"second pulley", {fixed(beside, 0)}}});
    return instance;
  }

 private:
  /// For the picture: a second pulley leads the rope to the counterweight, which hangs this far below at the start.
  static constexpr double beside = -1.5, drop = 1.5;
};

}  // namespace

GNOMON_PLUGIN(swinging_atwood) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<SwingingAtwood>()));
}
