#include "gnomon/mechanism/rigid_mechanism.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "gnomon/base/error.hpp"
#include "mechanism/bodies/poses.hpp"
#include "mechanism/formula_model.hpp"

namespace gnomon {

namespace {

using mechanism::Bodies;
using mechanism::Partner;
using mechanism::Poses;
using Vector3 = RigidMechanism::Vector3;
using Matrix3 = RigidMechanism::Matrix3;

[[noreturn]] void refuse(const Model& model, const std::string& why) {
  throw Error(ErrorCode::refused, "model " + model.name() + " is no mechanism of bodies and joints alone: " + why);
}

const Bodies& bodies_of(const Model& model) {
  const auto* formulas = dynamic_cast<const AutodiffSystem<mechanism::FormulaModel>*>(&model);
  if (formulas == nullptr || !formulas->model().all->text->mechanism) refuse(model, "it has other coordinates");
  const mechanism::ModelText& text = *formulas->model().all->text;
  const Bodies& bodies = text.mechanism->bodies;
  const bool has_massless = std::any_of(bodies.bodies.begin(), bodies.bodies.end(),
                                        [](const mechanism::Body& body) { return body.massless; });
  const std::pair<const char*, bool> further[] = {{"particles", !bodies.particles.empty()},
                                                  {"rods", !bodies.rods.empty()},
                                                  {"springs", !bodies.springs.empty()},
                                                  {"motors", !bodies.motors.empty()},
                                                  {"loads", !bodies.loads.empty()},
                                                  {"contacts", !bodies.contacts.empty()},
                                                  {"ropes", !bodies.ropes.empty()},
                                                  {"gears", !bodies.gears.empty()},
                                                  {"rolling bodies", !bodies.rollings.empty()},
                                                  {"bushings", !bodies.bushings.empty()},
                                                  {"bodies without mass", has_massless}};
  for (const auto& [what, some] : further)
    if (some) refuse(model, std::string("it has ") + what);
  if (text.coordinates.size() != text.mechanism->formulas.coordinates.size()) refuse(model, "it has other coordinates");
  for (const mechanism::Joint& joint : bodies.joints) {
    if (joint.stiffness || joint.damping) refuse(model, "joint " + joint.name + " has a spring or a damper");
    if (joint.lower || joint.upper) refuse(model, "joint " + joint.name + " has limits");
    if (joint.dry_friction || joint.bearing) refuse(model, "joint " + joint.name + " has friction");
  }
  for (const mechanism::Body& body : bodies.bodies)
    if (body.thin) refuse(model, "body " + body.name + " has no thickness");
  for (const mechanism::FixedPoint& point : bodies.points)
    if (point.moves) refuse(model, "point " + point.name + " moves");
  return bodies;
}

/// Coordinates of a body: r, then its directors.
Index width(bool planar) {
  return planar ? 4 : 12;
}

/// The columns that a body's directors make, or their rates.
Matrix3 directors(const Eigen::Ref<const Vector>& x, bool planar) {
  Matrix3 out = Matrix3::Zero();
  if (planar) {
    out.col(0).head<2>() = x.tail<2>();
    out.col(1) << -x[3], x[2], 0;
  } else {
    for (Index i = 0; i < 3; ++i) out.col(i) = x.segment<3>(3 + 3 * i);
  }
  return out;
}
Vector3 centre(const Eigen::Ref<const Vector>& x, bool planar) {
  return planar ? Vector3(x[0], x[1], 0) : Vector3(x.head<3>());
}

/// Orders the joints as a tree from what is fixed, and those that close its loops.
void order_as_tree(std::vector<RigidMechanism::Joint>& joints, std::size_t bodies, const Model& model) {
  std::vector<bool> reached(bodies, false), before;
  const auto is_reached = [&before](Index body) { return body < 0 || before[static_cast<std::size_t>(body)]; };
  std::vector<RigidMechanism::Joint> tree, rest = std::move(joints);
  for (bool more = true; more;) {
    more = false;
    before = reached;
    std::vector<RigidMechanism::Joint> later;
    for (RigidMechanism::Joint& joint : rest) {
      if (!is_reached(joint.a)) std::swap(joint.a, joint.b);
      const bool next = is_reached(joint.a) && !is_reached(joint.b) && !reached[static_cast<std::size_t>(joint.b)];
      if (!next) {
        later.push_back(joint);
        continue;
      }
      reached[static_cast<std::size_t>(joint.b)] = more = true;
      tree.push_back(joint);
    }
    rest = std::move(later);
  }
  if (std::find(reached.begin(), reached.end(), false) != reached.end())
    refuse(model, "its bodies are not all joined to what is fixed");
  for (RigidMechanism::Joint& joint : rest) {
    joint.closes = true;
    tree.push_back(joint);
  }
  joints = std::move(tree);
}

}  // namespace

RigidMechanism rigid_mechanism(const ProblemInstance& instance) {
  const Bodies& bodies = bodies_of(*instance.model);
  const System& system = *instance.model->mechanical();
  const mechanism::Elaborated& all =
      *dynamic_cast<const AutodiffSystem<mechanism::FormulaModel>&>(*instance.model).model().all;
  const Poses poses(bodies, all.values.parameters, all.text->assemble);
  RigidMechanism out;
  out.planar = bodies.dimension == 2;
  if (!bodies.gravity.empty()) out.gravity = poses.vector(bodies.gravity);
  Vector v(system.n()), scratch(system.n());
  system.velocity(instance.q0, instance.p0, scratch, v);
  const Index size = width(out.planar);
  for (std::size_t k = 0; k < bodies.bodies.size(); ++k) {
    const auto at = static_cast<Index>(k) * size;
    const Vector q = instance.q0.segment(at, size), rate = v.segment(at, size);
    RigidMechanism::Body body;
    body.name = bodies.bodies[k].name;
    body.mass = poses.mass(k);
    const Matrix3& second = poses.second_moments(k);
    body.inertia = out.planar ? Matrix3(poses.inertia(k) * Matrix3::Identity())
                              : Matrix3(second.trace() * Matrix3::Identity() - second);
    body.position = centre(q, out.planar);
    body.axes = directors(q, out.planar);
    if (out.planar) body.axes.col(2) = Vector3::UnitZ();
    body.velocity = centre(rate, out.planar);
    const Matrix3 turning = directors(rate, out.planar);
    body.rotation.setZero();
    for (Index i = 0; i < 3; ++i) body.rotation += Vector3(body.axes.col(i)).cross(Vector3(turning.col(i))) / 2;
    out.bodies.push_back(body);
  }
  for (const mechanism::Joint& given : bodies.joints) {
    RigidMechanism::Joint joint;
    joint.name = given.name;
    joint.type = given.type->name;
    const auto body_of = [](const Partner& partner) {
      return partner.kind == Partner::Kind::body ? static_cast<Index>(partner.index) : Index(-1);
    };
    joint.a = body_of(given.a);
    joint.b = body_of(given.b);
    const auto now = [&](const Partner& partner) -> Vector3 {
      if (partner.kind != Partner::Kind::body) return poses.position(partner);
      const RigidMechanism::Body& body = out.bodies[partner.index];
      return partner.marker ? Vector3(body.position + body.axes * poses.marker(partner.index, *partner.marker))
                            : body.position;
    };
    joint.point = now(given.a);
    joint.axis.setZero();
    if (out.planar && given.type->turns) {
      joint.axis = Vector3::UnitZ();
    } else if (given.axes.size() == 1) {
      const Partner& of = joint.b >= 0 ? given.b : given.a;
      const Vector3 axis = poses.in_axes(of, poses.direction(given.axes[0], "the axis of joint " + given.name));
      joint.axis = out.bodies[of.index].axes * axis;
    }
    out.joints.push_back(joint);
  }
  order_as_tree(out.joints, out.bodies.size(), system);
  return out;
}

Eigen::Vector3d centre_of_mass(const RigidMechanism& mechanism, Index k, const ConstVectorRef& q) {
  const Index size = width(mechanism.planar);
  return centre(q.segment(k * size, size), mechanism.planar);
}

}  // namespace gnomon
