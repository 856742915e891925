/// \file
/// Double compound pendulum against a wall: Glowinski and Holmstroem, section 2.2, Table 1.

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "kernels/double_link_model.hpp"

namespace {

using gnomon::problems::DoubleLink;

/// What of the pendulum meets the wall y = d: the tip B, the joint A and the tip, or the body (37).
enum class Body { tip, joint_and_tip, whole };

/// Gaps c = d - y >= 0. Of (37) the links are straight, so that the farthest point of the body is A or B; c is
/// continuous there, and its gradient that of the farther one. contacts = 0: the wall is soft, and the penalty of (35),
/// sum ((-c)^+)^2/(2 eps), part of U.
template <int contacts>
struct Model : gnomon::problems::DoubleLinkModel<0> {
  static constexpr int n_obstacles = contacts;
  Body body;
  double wall, eps;

  Model(const gnomon::Options& parameters, Body part)
      : DoubleLinkModel(parameters, true), body(part), wall(parameters.real("d")), eps(parameters.real("eps")) {}

  gnomon::ModelTraits describe() const {
    gnomon::ModelTraits traits = this->traits("wall-pendulum");
    if (contacts == 1) traits.obstacle_names = {body == Body::tip ? "tip" : "body"};
    if (contacts == 2) traits.obstacle_names = {"tip", "joint"};
    return traits;
  }
  template <class S>
  S potential(const S&, const S* q) const {
    S u = link.potential(q);
    if (contacts > 0) return u;
    S c[2];
    gaps<2>(q, c);
    for (int i = 0; i < n_gaps(); ++i)
      if (c[i] < S(0.0)) u += c[i] * c[i] / (2 * eps);
    return u;
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    gaps<contacts>(q, c);
  }
  int n_gaps() const { return body == Body::joint_and_tip ? 2 : 1; }

 private:
  /// The first `count` gaps.
  template <int count, class S>
  void gaps(const S* q, S* c) const {
    if constexpr (count == 0) return;
    const S tip = link.tip_y(q), joint = link.joint_y(q);
    c[0] = wall - (body == Body::whole && joint > tip ? joint : tip);
    if constexpr (count == 2) c[1] = wall - joint;
  }
};

class WallPendulum final : public gnomon::Problem {
 public:
  std::string name() const override { return "wall-pendulum"; }
  std::string description() const override {
    return "double compound pendulum in angles that falls against a vertical wall";
  }
  std::string equations() const override {
    return "q = (theta1, theta2), M(q) and U as in double-compound-pendulum\n"
           "obstacles c = d - y >= 0:\n"
           "  body=tip: y = l1 sin theta1 + l2 sin theta2, the tip B\n"
           "  body=joint-and-tip: B, and A with y = l1 sin theta1\n"
           "  body=whole: the larger of the two, which is (37) for straight links\n"
           "eps > 0: no obstacle, but U + sum ((-c)^+)^2/(2 eps), for methods that know no obstacles\n"
           "start at rest at theta1, theta2";
  }
  std::string source() const override {
    return "Glowinski, Holmstroem, Constrained motion problems with applications by nonlinear programming methods, "
           "Surv. Math. Ind. (1995), (35)-(38), Table 1; (37) needs (y - d)^+";
  }
  gnomon::OptionSpecs parameters() const override {
    using gnomon::OptionSpec;
    gnomon::OptionSpecs specs =
        DoubleLink::parameters({67.1, 219, 3.26, 1.98, 1.63, .99, .8134, .829, 9.81, -.5236, -1.0472}, true);
    specs.push_back(OptionSpec::real("d", 2.44, 1e-6, 1e6, "m", "distance of the wall from the support"));
    specs.push_back(OptionSpec::choice("body", {"tip", "joint-and-tip", "whole"}, "what meets the wall"));
    specs.push_back(OptionSpec::real("eps", 0, 0, 1e6, "m/N", "softness of the wall as a part of U; 0: an obstacle"));
    return specs;
  }
  gnomon::ProblemInstance build(const gnomon::Options& parameters) const override {
    const Body body = parameters.is("body", "tip")     ? Body::tip
                      : parameters.is("body", "whole") ? Body::whole
                                                       : Body::joint_and_tip;
    gnomon::ProblemInstance instance;
    if (parameters.real("eps") > 0)
      instance.model = system<0>(parameters, body);
    else if (body == Body::joint_and_tip)
      instance.model = system<2>(parameters, body);
    else
      instance.model = system<1>(parameters, body);
    instance.q0 = Eigen::Vector2d(parameters.real("theta1"), parameters.real("theta2"));
    instance.p0 = Eigen::Vector2d::Zero();
    const DoubleLink link(parameters, true);
    const double wall = parameters.real("d"), reach = link.l1 + link.l2;
    instance.curves =
        link.curves({{"wall", {gnomon::problems::fixed(wall, -reach), gnomon::problems::fixed(wall, .2 * reach)}}});
    return instance;
  }

 private:
  template <int contacts>
  static std::shared_ptr<const gnomon::System> system(const gnomon::Options& parameters, Body body) {
    return std::make_shared<gnomon::AutodiffSystem<Model<contacts>>>(Model<contacts>(parameters, body));
  }
};

}  // namespace

GNOMON_PLUGIN(wall_pendulum) {
  registrar.add(std::unique_ptr<gnomon::Problem>(std::make_unique<WallPendulum>()));
}
