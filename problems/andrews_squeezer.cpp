/// \file
/// Andrews' squeezing mechanism, the seven-body mechanism of the DAE test sets: Hairer, Wanner, Solving Ordinary
/// Differential Equations II, chapter VII.7; Test Set for IVP Solvers, problem "andrews".

#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/polylines.hpp"

namespace {

/// Lengths in m, masses in kg, inertias about the centres of mass in kg m^2, as printed.
struct Model : gnomon::AutodiffModel<7, 6> {
  static constexpr bool constant_mass = false;
  static constexpr double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706, m7 = .05498;
  static constexpr double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7,
                          i7 = 1.912e-5;
  static constexpr double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072;
  static constexpr double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, ss = .035, sa = .01874,
                          sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449,
                          zf = .02, zt = .04, fa = .01421;
  double torque, stiffness, length;

  explicit Model(const gnomon::Options& parameters)
      : torque(parameters.real("torque")), stiffness(parameters.real("stiffness")), length(parameters.real("length")) {}

  gnomon::ModelTraits describe() const {
    gnomon::ModelTraits traits;
    traits.name = "andrews-squeezer";
    traits.blocks = {{"angles", 0, 7}};
    traits.constraint_names = {"joint of body 3, x", "joint of body 3, y", "joint of body 5, x",
                               "joint of body 5, y", "joint of body 7, x", "joint of body 7, y"};
    return traits;
  }
  static gnomon::Vector start() {
    gnomon::Vector q(7);
    q << -0.0617138900142764496358948458001, 0, 0.455279819163070380255912382449, 0.222668390165885884674473185609,
        0.487364979543842550225598953530, -0.222668390165885884674473185609, 1.23054744454982119249735015568;
    return q;
  }
  /// M at the start.
  gnomon::Mass mass() const {
    gnomon::Matrix m(7, 7);
    const gnomon::Vector q = start();
    mass_matrix(q.data(), m.data());
    return gnomon::Mass::dense(m);
  }
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    using std::cos;
    using std::sin;
    for (int i = 0; i < 49; ++i) m[i] = S(0.0);
    const auto set = [m](int i, int j, const S& value) { m[7 * i + j] = m[7 * j + i] = value; };
    constexpr double b4 = e - ea, b6 = zf - fa;
    const S c_theta = cos(q[1]), s_phi = sin(q[3]), s_omega = sin(q[5]);
    set(0, 0, m2 * (rr * rr + da * da - 2 * da * rr * c_theta) + (m1 * ra * ra + i1 + i2));
    set(1, 0, m2 * (da * da - da * rr * c_theta) + i2);
    set(1, 1, S(m2 * da * da + i2));
    set(2, 2, S(m3 * (sa * sa + sb * sb) + i3));
    set(3, 3, S(m4 * b4 * b4 + i4));
    set(4, 3, m4 * (b4 * b4 + zt * b4 * s_phi) + i4);
    set(4, 4, m4 * (zt * zt + b4 * b4 + 2 * zt * b4 * s_phi) + (m5 * (ta * ta + tb * tb) + i4 + i5));
    set(5, 5, S(m6 * b6 * b6 + i6));
    set(6, 5, m6 * (b6 * b6 - u * b6 * s_omega) + i6);
    set(6, 6, m6 * (b6 * b6 + u * u - 2 * u * b6 * s_omega) + (m7 * (ua * ua + ub * ub) + i6 + i7));
  }
  template <class S>
  S potential(const S&, const S* q) const {
    using std::cos;
    using std::sin;
    using std::sqrt;
    const S x = sd * cos(q[2]) + sc * sin(q[2]) + (xb - xc), y = sd * sin(q[2]) - sc * cos(q[2]) + (yb - yc);
    const S stretch = sqrt(x * x + y * y) - length;
    return 0.5 * stiffness * stretch * stretch - torque * q[0];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    using std::cos;
    using std::sin;
    const S x = rr * cos(q[0]) - d * cos(q[0] + q[1]), y = rr * sin(q[0]) - d * sin(q[0] + q[1]);
    g[0] = x - ss * sin(q[2]) - xb;
    g[1] = y + ss * cos(q[2]) - yb;
    g[2] = x - e * sin(q[3] + q[4]) - zt * cos(q[4]) - xa;
    g[3] = y + e * cos(q[3] + q[4]) - zt * sin(q[4]) - ya;
    g[4] = x - zf * cos(q[5] + q[6]) - u * sin(q[6]) - xa;
    g[5] = y - zf * sin(q[5] + q[6]) + u * cos(q[6]) - ya;
  }
};

/// The bodies as bars, 3 as a triangle, and the spring; P is the joint of the three loops.
std::shared_ptr<const gnomon::CurveModel> bars() {
  using gnomon::ConstVectorRef;
  using gnomon::Matrix;
  using Point = Eigen::Vector2d;
  using M = Model;
  using namespace gnomon::problems;
  const auto along = [](double length, double angle) {
    return Point(length * Point(std::cos(angle), std::sin(angle)));
  };
  const auto right = [](double length, double angle) {
    return Point(length * Point(std::sin(angle), -std::cos(angle)));
  };
  const Point a(M::xa, M::ya), b(M::xb, M::yb), c(M::xc, M::yc);
  const auto joint = [=](const ConstVectorRef& q) { return Point(along(M::rr, q[0]) - along(M::d, q[0] + q[1])); };
  const auto spring = [=](const ConstVectorRef& q) { return Point(b + along(M::sd, q[2]) + right(M::sc, q[2])); };
  const auto line = [=](const char* name, auto from, auto to) {
    return Polyline(name, 3, [=](double, const ConstVectorRef& q, Matrix& x) { x << from, to(q), joint(q); });
  };
  return polylines(
      in_plane(),
      {line("bodies 1 and 2", Point(0, 0), [=](const ConstVectorRef& q) { return along(M::rr, q[0]); }),
       Polyline("body 3", 4,
                [=](double, const ConstVectorRef& q, Matrix& x) { x << b, spring(q), b + right(M::ss, q[2]), b; }),
       line("bodies 5 and 4", a, [=](const ConstVectorRef& q) { return Point(a + along(M::zt, q[4])); }),
       line("bodies 7 and 6", a, [=](const ConstVectorRef& q) { return Point(a + right(M::u, q[6])); }),
       Polyline("spring", 2, [=](double, const ConstVectorRef& q, Matrix& x) { x << c, spring(q); }),
       {"O", {fixed(0, 0)}},
       {"A", {fixed(M::xa, M::ya)}},
       {"B", {fixed(M::xb, M::yb)}},
       {"C", {fixed(M::xc, M::yc)}},
       Polyline("P", 1, [=](double, const ConstVectorRef& q, Matrix& x) { x << joint(q); })});
}

class AndrewsSqueezer final : public gnomon::Problem {
 public:
  std::string name() const override { return "andrews-squeezer"; }
  std::string description() const override {
    return "seven rigid bodies in a plane, driven by a motor against a spring: angles, M(q), six joints";
  }
  std::string equations() const override {
    return "q = (beta, Theta, gamma, Phi, delta, Omega, epsilon), the angles of the printed figure\n"
           "M(q): seven planar bodies, with cos Theta, sin Phi and sin Omega beside the diagonal\n"
           "U = stiffness/2 (|B + R(gamma) (sd, -sc) - C| - length)^2 - torque beta\n"
           "g: with P = rr e(beta) - d e(beta + Theta), e(a) = (cos a, sin a), the loops\n"
           "  P = B + ss (sin gamma, -cos gamma)\n"
           "  P = A + e (sin, -cos)(Phi + delta) + zt e(delta)\n"
           "  P = A + zf e(Omega + epsilon) + u (sin epsilon, -cos epsilon)\n"
           "start at rest at Theta = 0; the motor makes some five turns in 0.03 s";
  }
  std::string source() const override {
    return "Hairer, Wanner, Solving Ordinary Differential Equations II, chapter VII.7, after Andrews (1984) and "
           "Manning "
           "(1981); Test Set for IVP Solvers, Andrews' squeezing mechanism: data, start, and q(0.03)";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::real("torque", .033, -1e3, 1e3, "N m", "of the motor, on beta"),
            OptionSpec::real("stiffness", 4530, 0, 1e9, "N/m", "of the spring"),
            OptionSpec::real("length", .07785, 0, 1e3, "m", "of the spring without load")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<Model>>(Model(parameters));
    instance.q0 = Model::start();
    instance.p0 = gnomon::Vector::Zero(7);
    instance.curves = bars();
    return instance;
  }
};

}  // namespace

GNOMON_PLUGIN(andrews_squeezer) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<AndrewsSqueezer>()));
}
