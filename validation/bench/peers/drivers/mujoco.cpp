/// \file
/// Mechanisms in MuJoCo: a tree of hinges and balls, in relative coordinates, whose loops are closed by soft equality
/// constraints, as stiff as the step bears. Chains that its reader refuses, of more than 90 bodies one inside the
/// other, are free bodies with all joints as such constraints. Methods: RK4, implicit, Euler, each at a step.

#include <mujoco/mujoco.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "driver.hpp"

namespace {

using driver::Arguments, driver::Body, driver::Joint, driver::Matrix3, driver::Pose, driver::Vector3;

constexpr int deepest = 90;

std::string text(const Vector3& v) {
  std::ostringstream out;
  out.precision(17);
  out << v[0] << ' ' << v[1] << ' ' << v[2];
  return out.str();
}
std::string quaternion(const Matrix3& axes) {
  const Eigen::Quaterniond q(axes);
  std::ostringstream out;
  out.precision(17);
  out << q.w() << ' ' << q.x() << ' ' << q.y() << ' ' << q.z();
  return out.str();
}

/// The mechanism in MuJoCo's own language.
class Model {
 public:
  explicit Model(const driver::Mechanism& mechanism) : mechanism_(mechanism), flat_(depth() > deepest) {
    out_ << "<mujoco><compiler angle=\"radian\" boundmass=\"0\" boundinertia=\"0\" balanceinertia=\"false\"/>"
         << "<size nconmax=\"0\" njmax=\"" << 12 * mechanism.joints.size() + 50 << "\"/><option gravity=\""
         << text(mechanism.gravity) << "\" solver=\"Newton\" tolerance=\"" << (flat_ ? "1e-10" : "1e-15")
         << "\" iterations=\"100\"" << (flat_ ? " jacobian=\"sparse\"" : "")
         << "><flag contact=\"disable\"/></option><worldbody>";
    if (flat_)
      for (std::size_t k = 0; k < mechanism.bodies.size(); ++k) open(k, nullptr), out_ << "</body>";
    else
      add_children(-1);
    out_ << "</worldbody><equality>";
    for (const Joint& joint : mechanism.joints)
      if (flat_ || joint.closes) connect(joint);
    out_ << "</equality></mujoco>";
  }
  std::string str() const { return out_.str(); }
  bool flat() const { return flat_; }

 private:
  int depth() const {
    std::vector<int> at(mechanism_.bodies.size(), 0);
    int most = 0;
    for (const Joint& joint : mechanism_.joints) {
      if (joint.closes) continue;
      int& own = at[static_cast<std::size_t>(joint.b)];
      own = 1 + (joint.a < 0 ? 0 : at[static_cast<std::size_t>(joint.a)]);
      most = std::max(most, own);
    }
    return most;
  }
  void add_children(int parent) {
    for (const Joint& joint : mechanism_.joints) {
      if (joint.closes || joint.a != parent) continue;
      open(static_cast<std::size_t>(joint.b), &joint);
      add_children(joint.b);
      out_ << "</body>";
    }
  }
  /// A body in its parent, or free in space.
  void open(std::size_t k, const Joint* joint) {
    const Body& body = mechanism_.bodies[k];
    const int parent = joint ? joint->a : -1;
    const Matrix3 frame =
        parent < 0 ? Matrix3(Matrix3::Identity()) : mechanism_.bodies[static_cast<std::size_t>(parent)].axes;
    const Matrix3& j = body.inertia;
    out_ << "<body name=\"" << body.name << "\" pos=\"" << text(mechanism_.local(parent, body.position)) << "\" quat=\""
         << quaternion(frame.transpose() * body.axes) << "\"><inertial pos=\"0 0 0\" mass=\"" << number(body.mass)
         << "\" fullinertia=\"" << text(j.diagonal()) << ' ' << text(Vector3(j(0, 1), j(0, 2), j(1, 2))) << "\"/>";
    if (!joint) {
      out_ << "<joint type=\"free\" name=\"" << body.name << ".free\"/>";
      return;
    }
    if (joint->type != "revolute" && joint->type != "spherical")
      throw std::runtime_error("joint " + joint->name + " of the type " + joint->type + " is not known to this driver");
    out_ << "<joint name=\"" << joint->name << "\" pos=\"" << text(body.local(joint->point)) << '"';
    if (joint->type == "revolute")
      out_ << " type=\"hinge\" axis=\"" << text(body.direction(joint->axis)) << "\"/>";
    else
      out_ << " type=\"ball\"/>";
  }
  /// A hinge by two points of its axis; in the plane the bodies keep it by themselves.
  void connect(const Joint& joint) {
    const int one = joint.b >= 0 ? joint.b : joint.a, other = joint.b >= 0 ? joint.a : joint.b;
    const bool hinge = joint.type == "revolute" && !mechanism_.planar;
    for (const double along : {0.0, 1.0}) {
      if (along > 0 && !hinge) break;
      out_ << "<connect body1=\"" << mechanism_.bodies[static_cast<std::size_t>(one)].name << '"';
      if (other >= 0) out_ << " body2=\"" << mechanism_.bodies[static_cast<std::size_t>(other)].name << '"';
      out_ << " anchor=\"" << text(mechanism_.local(one, joint.point + along * joint.axis)) << "\"/>";
    }
  }
  static std::string number(double x) {
    std::ostringstream out;
    out.precision(17);
    out << x;
    return out.str();
  }

  const driver::Mechanism& mechanism_;
  bool flat_;
  std::ostringstream out_;
};

class MuJoCo final : public driver::Program {
 public:
  explicit MuJoCo(const Arguments& a) : mechanism_(a.mechanism) {
    const Model written(mechanism_);
    load(written.str());
    until_ = a.until;
    steps_ = std::max(1L, std::lround(a.until / a.setting));
    model_->opt.timestep = a.until / static_cast<double>(steps_);
    if (a.method == "RK4")
      model_->opt.integrator = mjINT_RK4;
    else if (a.method == "implicit")
      model_->opt.integrator = mjINT_IMPLICIT;
    else if (a.method == "Euler")
      model_->opt.integrator = mjINT_EULER;
    else
      throw std::runtime_error("method " + a.method + " is not known: expected RK4, implicit or Euler");
    for (int i = 0; i < model_->neq; ++i) {  // the stiffest that is stable
      mjtNum* const reference = model_->eq_solref + i * mjNREF;
      reference[0] = 2 * model_->opt.timestep;
      reference[1] = 1;
      mjtNum* const impedance = model_->eq_solimp + i * mjNIMP;
      impedance[0] = impedance[1] = .9999;
      impedance[2] = .001;
    }
    data_.reset(mj_makeData(model_.get()));
    set_speeds(written.flat());
    mj_forward(model_.get(), data_.get());
  }

  /// Not its own sum of steps, whose rounding would add or leave out one.
  double time() const override { return until_ * static_cast<double>(done_) / static_cast<double>(steps_); }
  void step(double) override {
    mj_step(model_.get(), data_.get());
    ++done_;
  }
  std::vector<Pose> poses() override {
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_comVel(model_.get(), data_.get());
    std::vector<Pose> out(mechanism_.bodies.size());
    for (std::size_t k = 0; k < out.size(); ++k) {
      const int id = mj_name2id(model_.get(), mjOBJ_BODY, mechanism_.bodies[k].name.c_str());
      mjtNum speed[6];
      mj_objectVelocity(model_.get(), data_.get(), mjOBJ_BODY, id, speed, 0);
      for (int i = 0; i < 3; ++i) {
        out[k].position[i] = data_->xipos[3 * id + i];
        out[k].rotation[i] = speed[i];
        out[k].velocity[i] = speed[3 + i];
        for (int j = 0; j < 3; ++j) out[k].axes(i, j) = data_->xmat[9 * id + 3 * i + j];
      }
    }
    return out;
  }
  std::string complaint() const override {
    for (int i = 0; i < mjNWARNING; ++i)
      if (data_->warning[i].number > 0) return mju_warningText(i, data_->warning[i].lastinfo);
    return {};
  }

 private:
  void load(const std::string& xml) {
    std::string path = std::filesystem::temp_directory_path().string() + "/gnomon-mujoco-XXXXXX.xml";
    const int file = mkstemps(path.data(), 4);
    const bool written = file >= 0 && write(file, xml.data(), xml.size()) == static_cast<ssize_t>(xml.size());
    if (file >= 0) ::close(file);
    char why[1000] = "a file for the model cannot be written";
    if (written) model_.reset(mj_loadXML(path.c_str(), nullptr, why, sizeof why));
    unlink(path.c_str());
    if (!model_) throw std::runtime_error(why);
  }
  void set_speeds(bool flat) {
    if (flat) {
      for (const Body& body : mechanism_.bodies) {
        mjtNum* const u = speed_of(body.name + ".free");
        const Vector3 turning = body.direction(body.rotation);
        for (int i = 0; i < 3; ++i) u[i] = body.velocity[i], u[3 + i] = turning[i];
      }
      return;
    }
    for (const Joint& joint : mechanism_.joints) {
      if (joint.closes) continue;
      mjtNum* const u = speed_of(joint.name);
      const Vector3 turning = mechanism_.rotation(joint.b) - mechanism_.rotation(joint.a);
      const Vector3 own = mechanism_.direction(joint.b, turning);
      if (joint.type == "revolute")
        u[0] = turning.dot(joint.axis);
      else
        for (int i = 0; i < 3; ++i) u[i] = own[i];
    }
  }
  mjtNum* speed_of(const std::string& joint) const {
    return data_->qvel + model_->jnt_dofadr[mj_name2id(model_.get(), mjOBJ_JOINT, joint.c_str())];
  }

  struct Free {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  const driver::Mechanism& mechanism_;
  std::unique_ptr<mjModel, Free> model_;
  std::unique_ptr<mjData, Free> data_;
  double until_ = 0;
  long steps_ = 1, done_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  return driver::main_of(count, arguments, [](const Arguments& a) { return std::make_unique<MuJoCo>(a); });
}
