/// \file
/// Spherical Atwood machine: the swinging one in space, with a soft repulsion from the pulley.

#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/polylines.hpp"
#include "kernels/rotation.hpp"

namespace {

/// M = diag(1, 1, 1, ratio), U = z + ratio h + exp(-pi)/2 with pi = x^2 + y^2 + z^2, g = sqrt(pi) - h - 1.
struct Model : gnomon::AutodiffModel<4, 1> {
  static constexpr int n_invariants = 1;
  static constexpr int n_symmetries = 1;
  double ratio;

  explicit Model(const gnomon::Options& parameters) : ratio(parameters.real("ratio")) {}

  gnomon::SystemTraits describe() const {
    gnomon::SystemTraits traits;
    traits.name = "spherical-atwood";
    traits.blocks = {{"bob", 0, 3}, {"counterweight", 3, 1}};
    traits.constraint_names = {"rope"};
    return traits;
  }
  gnomon::Mass mass() const { return gnomon::Mass::diagonal(Eigen::Vector4d(1, 1, 1, ratio)); }
  template <class S>
  S potential(const S&, const S* q) const {
    return q[2] + ratio * q[3];
  }
  template <class S>
  void invariants(const S* q, S* pi) const {
    pi[0] = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
  }
  template <class S>
  S invariant_potential(int, const S& pi) const {
    using std::exp;
    return 0.5 * exp(-pi);
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    using std::sqrt;
    g[0] = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) - q[3] - 1.0;
  }
  std::string symmetry_name(gnomon::Index) const { return "angular momentum about e3"; }
  void symmetry_generator(gnomon::Index, const double* q, double* xi) const {
    gnomon::problems::rotation_generator(2, 1, q, xi);
    xi[3] = 0;
  }
};

class SphericalAtwood final : public gnomon::Problem {
 public:
  std::string name() const override { return "spherical-atwood"; }
  std::string description() const override {
    return "Atwood machine swinging in space: constraint and potential not quadratic, one rotation symmetry";
  }
  std::string equations() const override {
    return "q = (x, y, z, h): bob of mass 1 seen from the pulley, z upwards, and height of the counterweight\n"
           "M = diag(1, 1, 1, ratio)\n"
           "U = z + ratio h + exp(-r^2)/2, r = sqrt(x^2 + y^2 + z^2)\n"
           "g = r - h - 1\n"
           "start: q = (1, 0, 0, 0), p = (0, speed, 0, 0)";
  }
  std::string source() const override {
    return "the swinging Atwood machine of Tufillaro, Abbott, Griffiths, Am. J. Phys. 52 (1984) in space, with a "
           "potential added that is not quadratic: every discrete derivative has to work for energy and angular "
           "momentum at once";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    return {OptionSpec::real("ratio", 3, 1e-3, 1e3, "", "mass of the counterweight over that of the bob"),
            OptionSpec::real("speed", .8, -1e3, 1e3, "m/s", "start speed of the bob along e2")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<Model>>(Model(parameters));
    instance.q0 = Eigen::Vector4d(1, 0, 0, 0);
    instance.p0 = Eigen::Vector4d(0, parameters.real("speed"), 0, 0);
    using namespace gnomon::problems;
    const auto rope = [](double, const gnomon::ConstVectorRef& q, gnomon::Matrix& points) {
      points.rightCols<1>() << beside, 0, q[3] - drop;
      if (points.cols() > 1)
        points.leftCols<3>() << q.head<3>(), Eigen::Vector3d::Zero(), Eigen::Vector3d(beside, 0, 0);
    };
    instance.curves = polylines(in_space(), {{"rope", 4, rope},
                                             {"bob", {at(0)}},
                                             {"counterweight", 1, rope},
                                             {"pulley", {fixed(0, 0, 0)}},
                                             {"second pulley", {fixed(beside, 0, 0)}}});
    return instance;
  }

 private:
  /// For the picture: a second pulley leads the rope to the counterweight, which hangs this far below at the start.
  static constexpr double beside = -1.5, drop = 2;
};

}  // namespace

GNOMON_PLUGIN(spherical_atwood) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<SphericalAtwood>()));
}
