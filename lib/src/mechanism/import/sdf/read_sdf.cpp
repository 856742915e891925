/// \file
/// The module that knows libsdformat, which takes longer to load than all of Gnomon: it is loaded where a file is read.

#include <algorithm>
#include <cmath>
#include <sdf/sdf.hh>
#include <set>

#include "gnomon/base/thresholds.hpp"
#include "mechanism/formula.hpp"
#include "mechanism/import/xml_file.hpp"

namespace gnomon::mechanism {

namespace {

using tinyxml2::XMLElement;
using Vector3 = Robot::Vector3;
using Matrix3 = Robot::Matrix3;
using Frame = Robot::Frame;

constexpr double no_limit = 1e16;  // what SDFormat writes for a joint without limits

Vector3 vector(const ignition::math::Vector3d& x) {
  return {x.X(), x.Y(), x.Z()};
}
Matrix3 matrix(const ignition::math::Matrix3d& given) {
  Matrix3 out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out(i, j) = given(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  return out;
}
Frame frame(const ignition::math::Pose3d& pose) {
  return {matrix(ignition::math::Matrix3d(pose.Rot())).unaryExpr([](double x) { return without_rounding(x); }),
          vector(pose.Pos())};
}

/// The elements that have a counterpart, by the name of their parent.
const std::map<std::string, std::set<std::string>>& known_elements() {
  static const std::map<std::string, std::set<std::string>> known{
      {"sdf", {"world", "model"}},
      {"world", {"model", "frame", "gravity"}},
      {"model", {"link", "joint", "frame", "model", "pose", "static"}},
      {"link", {"inertial", "pose", "visual"}},
      {"joint",
       {"parent", "child", "pose", "axis", "axis2", "gearbox_ratio", "gearbox_reference_body", "thread_pitch"}},
      {"axis", {"xyz", "dynamics", "limit", "use_parent_model_frame"}},
      {"axis2", {"xyz", "dynamics", "limit", "use_parent_model_frame"}},
      {"dynamics", {"damping", "friction", "spring_reference", "spring_stiffness"}},
      {"limit", {"lower", "upper"}}};
  return known;
}

class SdfReader {
 public:
  SdfReader(const std::string& xml, const std::string& file) : xml_(xml, file, "sdf") {
    robot_.file = file;
    look_at(xml_.root(), "");
    robot_.links.emplace_back();
    robot_.links[0].given = "world";
    robot_.links[0].fixed = true;
    link_of_["world"] = 0;
    sdf::Console::Instance()->SetQuiet(true);
    sdf::Root root;
    refuse(root.LoadSdfString(xml));
    if (root.WorldCount() > 1) xml_.fail(1, "it has " + std::to_string(root.WorldCount()) + " worlds, expected one");
    if (root.WorldCount() == 1) {
      const sdf::World& world = *root.WorldByIndex(0);
      robot_.name = world.Name();
      robot_.gravity = vector(world.Gravity());
      for (std::uint64_t i = 0; i < world.ModelCount(); ++i) {
        const sdf::Model& model = *world.ModelByIndex(i);
        read_links(model, world.ModelCount() > 1 ? model.Name() + "::" : "", {}, false);
      }
    } else if (root.Model()) {
      robot_.name = root.Model()->Name();
      robot_.gravity = {0, 0, -9.8};  // that of a world which does not say
      read_links(*root.Model(), "", {}, false);
    }
    if (robot_.links.size() == 1) xml_.fail(1, "there is no model with a link");
    for (const auto& [model, prefix] : models_)
      for (std::uint64_t i = 0; i < model->JointCount(); ++i) read_joint(*model->JointByIndex(i), prefix);
    for (const auto& [joint, prefix] : gearboxes_) read_gearbox(*joint, prefix);
    std::string fixed;
    for (const Robot::Link& link : robot_.links)
      if (link.fixed && link.given != "world") fixed += (fixed.empty() ? "" : ", ") + link.given;
    if (!fixed.empty()) robot_.notes.push_back("Fixed in space: " + fixed + ".");
  }
  const Robot& robot() const { return robot_; }

 private:
  // Elements without a counterpart, and the lines of names.

  void look_at(const XMLElement& element, const std::string& scope) {
    const std::string name = element.Name();
    const bool scopes = name == "model" || name == "link" || name == "joint";
    const char* const given = element.Attribute("name");
    const std::string inner = scopes && given ? scope + given : scope;
    if (scopes && given) {
      lines_.emplace(inner, element.GetLineNum());
      // The name of what is in the only model is without that of the model.
      if (const std::size_t first = inner.find("::"); first != std::string::npos)
        lines_.emplace(inner.substr(first + 2), element.GetLineNum());
      lines_.emplace(given, element.GetLineNum());
    }
    const auto known = known_elements().find(name);
    if (known == known_elements().end()) return;
    for (const XMLElement* one = element.FirstChildElement(); one; one = one->NextSiblingElement()) {
      if (XmlFile::is(*one, "include"))
        xml_.fail(one->GetLineNum(),
                  "it includes other files: write `gz sdf -p " + robot_.file + " > whole.sdf` and take whole.sdf");
      if (name == "link" && XmlFile::is(*one, "gravity") &&
          std::string(one->GetText() ? one->GetText() : "") != "true" &&
          std::string(one->GetText() ? one->GetText() : "") != "1")
        xml_.fail(one->GetLineNum(),
                  "link " + std::string(given ? given : "") + " is without gravity, which has no counterpart");
      if (known->second.count(one->Name()) == 0)
        leave_out(robot_, one->Name() + (name == "world" || name == "sdf" ? "" : " of " + name), one->GetLineNum());
      else
        look_at(*one, name == "model" && scopes ? inner + "::" : scope);
    }
  }
  int line(const std::string& name) const {
    const auto at = lines_.find(name);
    return at != lines_.end() ? at->second : 1;
  }
  /// The first error, at the line of the first name that it has in brackets.
  void refuse(const sdf::Errors& errors) const {
    if (errors.empty()) return;
    const std::string& message = errors.front().Message();
    int at = 1;
    for (std::size_t open = message.find('['); open != std::string::npos; open = message.find('[', open + 1)) {
      const std::size_t close = message.find(']', open);
      if (close == std::string::npos) break;
      const auto known = lines_.find(message.substr(open + 1, close - open - 1));
      if (known == lines_.end()) continue;
      at = known->second;
      break;
    }
    xml_.fail(at, "libsdformat refuses it: " + message);
  }

  // Models, links and joints.

  /// Links of a model and of those in it; `outer` is where the frame is that its pose is relative to.
  void read_links(const sdf::Model& model, const std::string& prefix, const Frame& outer, bool fixed) {
    ignition::math::Pose3d pose;
    refuse(model.SemanticPose().Resolve(pose));
    const Frame place = outer * frame(pose);
    fixed = fixed || model.Static();
    models_.emplace_back(&model, prefix);
    for (std::uint64_t i = 0; i < model.LinkCount(); ++i) {
      const sdf::Link& given = *model.LinkByIndex(i);
      Robot::Link link;
      link.given = prefix + given.Name();
      link.line = line(link.given);
      refuse(given.SemanticPose().Resolve(pose, "__model__"));
      link.place = place * frame(pose);
      link.fixed = fixed;
      const ignition::math::Inertiald& inertial = given.Inertial();
      const Frame in_link = frame(inertial.Pose());
      link.mass = inertial.MassMatrix().Mass();
      link.centre = in_link.p;
      link.inertia = in_link.R * matrix(inertial.MassMatrix().Moi()) * in_link.R.transpose();
      for (std::uint64_t k = 0; k < given.VisualCount(); ++k) read_visual(*given.VisualByIndex(k), given.Name(), link);
      link_of_[link.given] = robot_.links.size();
      robot_.links.push_back(std::move(link));
    }
    for (std::uint64_t i = 0; i < model.ModelCount(); ++i) {
      const sdf::Model& inner = *model.ModelByIndex(i);
      read_links(inner, prefix + inner.Name() + "::", place, fixed);
    }
  }
  void read_visual(const sdf::Visual& visual, const std::string& of, Robot::Link& link) {
    using Type = sdf::GeometryType;
    ignition::math::Pose3d pose;
    refuse(visual.SemanticPose().Resolve(pose, of));
    const Frame at = frame(pose);
    const sdf::Geometry& geometry = *visual.Geom();
    const Type type = geometry.Type();
    if (type == Type::MESH)
      return add_mesh(robot_, link, geometry.MeshShape()->Uri(), vector(geometry.MeshShape()->Scale()), at, link.line);
    std::string name;
    std::vector<double> sizes;
    if (type == Type::BOX) {
      const Vector3 edges = vector(geometry.BoxShape()->Size());
      name = "box";
      sizes.assign(edges.data(), edges.data() + 3);
    } else if (type == Type::SPHERE) {
      name = "sphere";
      sizes = {geometry.SphereShape()->Radius()};
    } else if (type == Type::CYLINDER) {
      name = "cylinder";
      sizes = {geometry.CylinderShape()->Radius(), geometry.CylinderShape()->Length()};
    } else if (type == Type::CAPSULE) {
      name = "capsule";
      sizes = {geometry.CapsuleShape()->Radius(), geometry.CapsuleShape()->Length()};
    } else {
      return leave_out(robot_, "visual that is no box, sphere, cylinder, capsule or mesh", link.line);
    }
    add_shape(robot_, link, name, sizes, at, link.line);
  }
  std::size_t link(const std::string& name, const std::string& prefix, const Robot::Joint& joint) const {
    const auto at = link_of_.find(name == "world" ? name : prefix + name);
    if (at == link_of_.end())
      xml_.fail(joint.line, "joint " + joint.given + " is at \"" + name + "\", expected a link");
    return at->second;
  }

  void read_joint(const sdf::Joint& given, const std::string& prefix) {
    Robot::Joint joint;
    joint.given = prefix + given.Name();
    joint.line = line(joint.given);
    const std::string what = "joint " + joint.given;
    std::string parent, child;
    refuse(given.ResolveParentLink(parent));
    refuse(given.ResolveChildLink(child));
    joint.parent = link(parent, prefix, joint);
    joint.child = link(child, prefix, joint);
    ignition::math::Pose3d pose;
    refuse(given.SemanticPose().Resolve(pose, child));
    joint.on_child = frame(pose);
    joint.on_parent = robot_.links[joint.parent].place.inverse() * robot_.links[joint.child].place * joint.on_child;
    joint.type = type(given.Type());
    if (joint.type.empty()) xml_.fail(joint.line, what + " has no type");
    if (joint.type == "gear") {
      gearboxes_.emplace_back(&given, prefix);
      return;
    }
    const std::size_t axes = joint.type == "fixed" || joint.type == "spherical" ? 0 : joint.type == "universal" ? 2 : 1;
    for (std::size_t i = 0; i < axes; ++i) joint.axes.push_back(axis(given, i, joint));
    if (axes == 2 && std::abs(joint.axes[0].dot(joint.axes[1])) > thresholds::right_angle)
      xml_.fail(joint.line, what + " has two axes with the cosine " + shortest(joint.axes[0].dot(joint.axes[1])) +
                                " between them, expected a right angle");
    if (axes == 1)
      read_motion(*given.Axis(0), given.Type(), joint);
    else
      for (unsigned i = 0; i < axes; ++i)
        if (given.Axis(i)->Damping() != 0 || given.Axis(i)->Friction() != 0 || given.Axis(i)->SpringStiffness() != 0)
          leave_out(robot_, "dynamics of joints with two axes", joint.line);
    if (given.Type() == sdf::JointType::SCREW) {
      // The pitch is in rad/m, and positive where the thread is left-handed.
      if (!(std::abs(given.ThreadPitch()) > 0)) xml_.fail(joint.line, what + " has the thread_pitch 0");
      joint.lead = -1 / given.ThreadPitch();
    }
    robot_.joints.push_back(std::move(joint));
  }
  static std::string type(sdf::JointType type) {
    using Type = sdf::JointType;
    switch (type) {
      case Type::BALL:
        return "spherical";
      case Type::CONTINUOUS:
      case Type::REVOLUTE:
        return "revolute";
      case Type::FIXED:
        return "fixed";
      case Type::GEARBOX:
        return "gear";
      case Type::PRISMATIC:
        return "prismatic";
      case Type::SCREW:
        return "cylindrical";
      // Two hinges in series with axes at right angles are a universal joint.
      case Type::REVOLUTE2:
      case Type::UNIVERSAL:
        return "universal";
      case Type::INVALID:
        break;
    }
    return "";
  }
  /// An axis of a joint, in the axes of its frame.
  Vector3 axis(const sdf::Joint& given, std::size_t i, const Robot::Joint& joint) const {
    const sdf::JointAxis* const one = given.Axis(static_cast<unsigned>(i));
    if (!one) xml_.fail(joint.line, "joint " + joint.given + " has no " + (i ? "axis2" : "axis"));
    ignition::math::Vector3d xyz;
    refuse(one->ResolveXyz(xyz, given.Name()));
    return vector(xyz).normalized();
  }
  void read_motion(const sdf::JointAxis& axis, sdf::JointType type, Robot::Joint& joint) {
    joint.damping = axis.Damping();
    if (axis.SpringStiffness() != 0) {
      joint.stiffness = axis.SpringStiffness();
      joint.rest = axis.SpringReference();
    }
    joint.friction = axis.Friction();
    if (type == sdf::JointType::CONTINUOUS) return;
    if (type == sdf::JointType::SCREW) {
      if (joint.stiffness || joint.friction != 0 || axis.Lower() > -no_limit || axis.Upper() < no_limit)
        leave_out(robot_, "limits, springs and friction of screws", joint.line);
      joint.stiffness = std::nullopt;
      joint.rest = joint.friction = 0;
      return;
    }
    if (axis.Lower() > -no_limit) joint.lower = axis.Lower();
    if (axis.Upper() < no_limit) joint.upper = axis.Upper();
  }
  /// The angles of its links against the reference body, theta_2 = -ratio theta_1, are those of two hinges.
  void read_gearbox(const sdf::Joint& given, const std::string& prefix) {
    Robot::Joint joint;
    joint.given = prefix + given.Name();
    joint.line = line(joint.given);
    const std::string what = "gearbox " + joint.given;
    const auto reference = given.Element()->Get<std::string>("gearbox_reference_body", "").first;
    const auto ratio = given.Element()->Get<double>("gearbox_ratio", 1.0).first;
    if (!(std::abs(ratio) > 0 && std::isfinite(ratio)))
      xml_.fail(joint.line, what + " has the gearbox_ratio " + shortest(ratio));
    std::string sides[2];
    refuse(given.ResolveParentLink(sides[0]));
    refuse(given.ResolveChildLink(sides[1]));
    const std::size_t base = link(reference, prefix, joint);
    Robot::Gear gear{joint.given, joint.line, {}, {}};
    ignition::math::Pose3d pose;
    refuse(given.SemanticPose().Resolve(pose, sides[1]));
    const Matrix3 own = robot_.links[link(sides[1], prefix, joint)].place.R * frame(pose).R;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t turning = link(sides[i], prefix, joint);
      const Vector3 about = own * axis(given, i, joint);
      double sign = 0;
      for (std::size_t j = 0; j < robot_.joints.size() && sign == 0; ++j) {
        const Robot::Joint& hinge = robot_.joints[j];
        const bool out = hinge.parent == base && hinge.child == turning;
        if (hinge.type != "revolute" || (!out && (hinge.child != base || hinge.parent != turning))) continue;
        const Vector3 n = robot_.links[hinge.parent].place.R * hinge.on_parent.R * hinge.axes[0];
        if (n.cross(about).norm() > thresholds::right_angle) continue;
        sign = (out ? 1 : -1) * (n.dot(about) > 0 ? 1 : -1);
        gear.joints.push_back(j);
      }
      if (sign == 0)
        xml_.fail(joint.line, what + ": expected a revolute joint about its " + (i ? "axis2" : "axis") + " between " +
                                  robot_.links[base].given + " and " + robot_.links[turning].given);
      gear.ratios.push_back(i == 0 ? sign * ratio : sign);
    }
    robot_.gears.push_back(std::move(gear));
  }

  XmlFile xml_;
  Robot robot_;
  std::map<std::string, int> lines_;
  std::map<std::string, std::size_t> link_of_;
  std::vector<std::pair<const sdf::Model*, std::string>> models_;
  std::vector<std::pair<const sdf::Joint*, std::string>> gearboxes_;
};

}  // namespace

}  // namespace gnomon::mechanism

extern "C" __attribute__((visibility("default"))) void gnomon_read_sdf(const std::string& xml, const std::string& file,
                                                                       gnomon::mechanism::Robot& robot) {
  robot = gnomon::mechanism::SdfReader(xml, file).robot();
}
