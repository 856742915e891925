/// \file
/// Modified pendulum: Brugnano, Gurioli, Iavernaro, Weinmueller, ASC Report 3/2018, (69)-(70).

#include <cmath>
#include <utility>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/polylines.hpp"

namespace {

/// M = I3, U = q3^4, g = q1^6 + q2^4 + q3^2 - 0.625.
struct Model : gnomon::AutodiffModel<3, 1> {
  gnomon::SystemTraits describe() const {
    gnomon::SystemTraits traits = gnomon::polynomial_traits("modified-pendulum", 4, 6);
    traits.blocks = {{"bob", 0, 3}};
    traits.constraint_names = {"surface"};
    return traits;
  }
  gnomon::Mass mass() const { return gnomon::Mass::diagonal(gnomon::Vector::Ones(3)); }
  template <class S>
  S potential(const S&, const S* q) const {
    const S square = q[2] * q[2];
    return square * square;
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    const S x2 = q[0] * q[0], y2 = q[1] * q[1];
    g[0] = x2 * x2 * x2 + y2 * y2 + q[2] * q[2] - 0.625;
  }
};

class ModifiedPendulum final : public gnomon::Problem {
 public:
  std::string name() const override { return "modified-pendulum"; }
  std::string description() const override {
    return "point on a surface of degree six in a quartic potential: the multiplier varies";
  }
  std::string equations() const override {
    return "q = (q1, q2, q3)\n"
           "M = I3\n"
           "U = q3^4\n"
           "g = q1^6 + q2^4 + q3^2 - 0.625\n"
           "start:\n"
           "  start=paper: q = (2^-1/2, 0, -2^-1/2), p = (0, 2^-1/4, 0); there lambda' = 0\n"
           "  start=later: the state reached at t = 0.7, where lambda' = 1.43";
  }
  std::string source() const override {
    return "Brugnano, Gurioli, Iavernaro, Weinmueller: Line integral solution of Hamiltonian systems with holonomic "
           "constraints, ASC Report 3/2018, (69)-(70) with the start (65); the later start is an addition: at the "
           "paper's, lambda' = 0 hides the order of the multiplier";
  }
  gnomon::OptionSpecs parameters() const override {
    return {gnomon::OptionSpec::choice("start", {"paper", "later"}, "the paper's start, or the state 0.7 s later")};
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    gnomon::ProblemInstance instance;
    instance.model = std::make_shared<gnomon::AutodiffSystem<Model>>(Model());
    instance.curves = picture();
    if (parameters.is("start", "paper")) {
      instance.q0 = Eigen::Vector3d(std::sqrt(.5), 0, -std::sqrt(.5));
      instance.p0 = Eigen::Vector3d(0, std::sqrt(std::sqrt(.5)), 0);
    } else {
      // The state at t = 0.7 from start=paper: index-1 accelerations, extrapolated midpoint rule of order 28 in 50
      // digits, two step sizes that agree to 34. The case reference/reaches-start/modified-pendulum reaches the same
      // state with IDA and CVODE.
      instance.q0 =
          Eigen::Vector3d(.79172537480711541959473578, .58589928567620524099695616, -.51075423541650338432691742);
      instance.p0 =
          Eigen::Vector3d(.019747215086781005007586544, .79503082321573594288696494, .66222097584591048038283478);
    }
    return instance;
  }

 private:
  /// The bob, and where the surface meets the planes between the axes.
  static std::shared_ptr<const gnomon::CurveModel> picture() {
    using namespace gnomon::problems;
    const auto section = [](const std::string& name, int a, int b) {
      return fixed_curve(name, 97, [=](double s) {
        constexpr int degree[3] = {6, 4, 2};
        const double angle = 2 * std::acos(-1.0) * s;
        gnomon::Vector x = gnomon::Vector::Zero(3);
        for (const auto& [axis, part] : {std::pair(a, std::cos(angle)), std::pair(b, std::sin(angle))})
          x[axis] = std::copysign(std::pow(0.625 * part * part, 1.0 / degree[axis]), part);
        return x;
      });
    };
    return polylines(in_space(""),
                     {section("q3 = 0", 0, 1), section("q2 = 0", 0, 2), section("q1 = 0", 1, 2), {"bob", {at(0)}}});
  }
};

}  // namespace

GNOMON_PLUGIN(modified_pendulum) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<ModifiedPendulum>()));
}
