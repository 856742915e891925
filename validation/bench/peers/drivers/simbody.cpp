/// \file
/// Mechanisms in Simbody: a tree of mobilizers, in relative coordinates, whose loops are closed by constraints.
/// Methods: rkm (Runge-Kutta-Merson), cpodes, verlet, each at an accuracy.

#include <Simbody.h>

#include <memory>
#include <stdexcept>

#include "driver.hpp"

namespace {

using driver::Arguments, driver::Joint, driver::Matrix3, driver::Pose, driver::Vector3;
using SimTK::Rotation, SimTK::Transform, SimTK::UnitVec3, SimTK::Vec3;

Vec3 vec(const Vector3& v) {
  return Vec3(v[0], v[1], v[2]);
}
Vector3 vector(const Vec3& v) {
  return Vector3(v[0], v[1], v[2]);
}
Rotation rotation(const Matrix3& m) {
  return Rotation(SimTK::Mat33(m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2), m(2, 0), m(2, 1), m(2, 2)));
}

class Simbody final : public driver::Program {
 public:
  explicit Simbody(const Arguments& a)
      : mechanism_(a.mechanism),
        matter_(system_),
        forces_(system_),
        gravity_(forces_, matter_, vec(a.mechanism.gravity)) {
    ids_.resize(mechanism_.bodies.size());
    for (const Joint& joint : mechanism_.joints)
      if (joint.closes)
        close(joint);
      else
        add(joint);
    system_.realizeTopology();
    SimTK::State state = system_.getDefaultState();
    system_.realizeModel(state);
    for (const Joint& joint : mechanism_.joints)
      if (!joint.closes) set_speed(joint, state);
    make_integrator(a);
    integrator_->setAccuracy(a.setting);
    integrator_->setFinalTime(a.until);
    integrator_->setReturnEveryInternalStep(true);
    integrator_->initialize(state);
  }

  double time() const override { return integrator_->getTime(); }
  void step(double until) override { integrator_->stepTo(until); }
  std::vector<Pose> poses() override {
    const SimTK::State& state = integrator_->getState();
    system_.realize(state, SimTK::Stage::Velocity);
    std::vector<Pose> out(ids_.size());
    for (std::size_t k = 0; k < ids_.size(); ++k) {
      const SimTK::MobilizedBody& body = matter_.getMobilizedBody(ids_[k]);
      out[k].position = vector(body.getBodyOriginLocation(state));
      out[k].velocity = vector(body.getBodyOriginVelocity(state));
      out[k].rotation = vector(body.getBodyAngularVelocity(state));
      for (int j = 0; j < 3; ++j) out[k].axes.col(j) = vector(Vec3(body.getBodyRotation(state)(j)));
    }
    return out;
  }

 private:
  SimTK::MobilizedBody& body(int k) {
    return k < 0 ? static_cast<SimTK::MobilizedBody&>(matter_.updGround())
                 : matter_.updMobilizedBody(ids_[static_cast<std::size_t>(k)]);
  }
  /// The frame of a joint in a body: at its point, z along its axis.
  Transform frame(int k, const Joint& joint, const Rotation& axes) const {
    const Matrix3 own = k < 0 ? Matrix3(Matrix3::Identity()) : mechanism_.bodies[static_cast<std::size_t>(k)].axes;
    return Transform(~rotation(own) * axes, vec(mechanism_.local(k, joint.point)));
  }
  void add(const Joint& joint) {
    const driver::Body& made = mechanism_.bodies[static_cast<std::size_t>(joint.b)];
    const Matrix3& j = made.inertia;
    const SimTK::Body::Rigid rigid(SimTK::MassProperties(
        made.mass, Vec3(0), SimTK::Inertia(Vec3(j(0, 0), j(1, 1), j(2, 2)), Vec3(j(0, 1), j(0, 2), j(1, 2)))));
    SimTK::MobilizedBodyIndex& id = ids_[static_cast<std::size_t>(joint.b)];
    if (joint.type == "revolute") {
      const Rotation axes(UnitVec3(vec(joint.axis)), SimTK::ZAxis);
      id = SimTK::MobilizedBody::Pin(body(joint.a), frame(joint.a, joint, axes), rigid, frame(joint.b, joint, axes))
               .getMobilizedBodyIndex();
    } else if (joint.type == "spherical") {
      const Rotation axes;
      id = SimTK::MobilizedBody::Ball(body(joint.a), frame(joint.a, joint, axes), rigid, frame(joint.b, joint, axes))
               .getMobilizedBodyIndex();
    } else {
      throw std::runtime_error("joint " + joint.name + " of the type " + joint.type + " is not known to this driver");
    }
  }
  /// A hinge in the plane by two planes, one in space by two points of its axis.
  void close(const Joint& joint) {
    const auto point = [&](int k, const Vector3& at) { return vec(mechanism_.local(k, at)); };
    if (joint.type != "revolute" && joint.type != "spherical")
      throw std::runtime_error("joint " + joint.name + " of the type " + joint.type + " closes a loop");
    if (mechanism_.planar) {
      for (int d = 0; d < 2; ++d) {
        const Vec3 normal = vec(mechanism_.direction(joint.a, Vector3::Unit(d)));
        SimTK::Constraint::PointInPlane(body(joint.a), UnitVec3(normal), dot(normal, point(joint.a, joint.point)),
                                        body(joint.b), point(joint.b, joint.point));
      }
      return;
    }
    for (const double along : {0.0, 1.0}) {
      if (along > 0 && joint.type == "spherical") break;
      const Vector3 at = joint.point + along * joint.axis;
      SimTK::Constraint::Ball(body(joint.a), point(joint.a, at), body(joint.b), point(joint.b, at));
    }
  }
  void set_speed(const Joint& joint, SimTK::State& state) {
    const Vector3 turning = mechanism_.rotation(joint.b) - mechanism_.rotation(joint.a);
    if (joint.type == "revolute") {
      body(joint.b).setOneU(state, 0, turning.dot(joint.axis));
      return;
    }
    // In the frame of the joint in body a, whose axes are those of space at the start.
    for (int i = 0; i < 3; ++i) body(joint.b).setOneU(state, i, turning[i]);
  }
  void make_integrator(const Arguments& a) {
    if (a.method == "rkm")
      integrator_ = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system_);
    else if (a.method == "cpodes")
      integrator_ = std::make_unique<SimTK::CPodesIntegrator>(system_);
    else if (a.method == "verlet")
      integrator_ = std::make_unique<SimTK::VerletIntegrator>(system_);
    else
      throw std::runtime_error("method " + a.method + " is not known: expected rkm, cpodes or verlet");
  }

  const driver::Mechanism& mechanism_;
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::Force::UniformGravity gravity_;
  std::vector<SimTK::MobilizedBodyIndex> ids_;
  std::unique_ptr<SimTK::Integrator> integrator_;
};

}  // namespace

int main(int count, char** arguments) {
  return driver::main_of(count, arguments, [](const Arguments& a) { return std::make_unique<Simbody>(a); });
}
