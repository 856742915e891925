#include "mechanism/import/urdf.hpp"

#include "gnomon/base/error.hpp"

#ifdef GNOMON_HAS_TINYXML2

#include <algorithm>
#include <set>

#include "mechanism/formula.hpp"
#include "mechanism/import/xml_file.hpp"

namespace gnomon::mechanism {

namespace {

using tinyxml2::XMLElement;
using Vector3 = Robot::Vector3;

class UrdfReader {
 public:
  UrdfReader(const std::string& xml, const std::string& file) : xml_(xml, file, "robot") {
    const XMLElement& robot = xml_.root();
    robot_.file = file;
    if (robot.Attribute("xmlns:xacro") && xml.find("<xacro:") != std::string::npos)
      xml_.fail(robot.GetLineNum(), "it is a macro file: write `xacro " + file + " > robot.urdf` and take robot.urdf");
    robot_.name = robot.Attribute("name") ? robot.Attribute("name") : "robot";
    for (const XMLElement* one = robot.FirstChildElement(); one; one = one->NextSiblingElement())
      if (XmlFile::is(*one, "link")) read_link(*one);
    for (const XMLElement* one = robot.FirstChildElement(); one; one = one->NextSiblingElement())
      if (XmlFile::is(*one, "joint"))
        read_joint(*one);
      else if (!XmlFile::is(*one, "link") && !XmlFile::is(*one, "material"))
        leave_out(robot_, one->Name(), one->GetLineNum());
    if (robot_.links.empty()) xml_.fail(robot.GetLineNum(), "there is no link");
    find_root();
    find_mimics();
  }
  const Robot& robot() const { return robot_; }

 private:
  static Vector3 vector(const std::vector<double>& x) { return {x[0], x[1], x[2]}; }
  /// The frame that the origin element of a parent gives; without one it is the identity.
  Robot::Frame frame(const XMLElement& parent, const std::string& what, std::vector<double>* rpy = nullptr) const {
    Robot::Frame out;
    const XMLElement* origin = parent.FirstChildElement("origin");
    if (!origin) return out;
    if (origin->Attribute("xyz")) out.p = vector(xml_.numbers(*origin, "xyz", "the origin of " + what));
    if (!origin->Attribute("rpy")) return out;
    const std::vector<double> angles = xml_.numbers(*origin, "rpy", "the origin of " + what);
    if (rpy) *rpy = angles;
    out.R = turned_by_rpy(angles).unaryExpr([](double x) { return without_rounding(x); });
    return out;
  }

  void read_link(const XMLElement& element) {
    Robot::Link link;
    link.given = xml_.text(element, "name");
    link.line = element.GetLineNum();
    const std::string what = "link " + link.given;
    if (!link_of_.emplace(link.given, robot_.links.size()).second) xml_.fail(link.line, what + " is given twice");
    for (const XMLElement* one = element.FirstChildElement(); one; one = one->NextSiblingElement()) {
      if (XmlFile::is(*one, "visual")) {
        read_visual(*one, what, link);
        continue;
      }
      if (!XmlFile::is(*one, "inertial")) {
        leave_out(robot_, std::string(one->Name()) + " of links", one->GetLineNum());
        continue;
      }
      const Robot::Frame at = frame(*one, "the inertial of " + what);
      link.centre = at.p;
      const XMLElement *mass = one->FirstChildElement("mass"), *inertia = one->FirstChildElement("inertia");
      if (mass) link.mass = xml_.value(*mass, "value", what);
      if (!(link.mass >= 0))
        xml_.fail(one->GetLineNum(), what + " has the mass " + shortest(link.mass) + ", expected none or more");
      if (!inertia) continue;
      const auto entry = [&](const char* name) {
        return inertia->Attribute(name) ? xml_.value(*inertia, name, what) : 0.0;
      };
      const double xx = entry("ixx"), xy = entry("ixy"), xz = entry("ixz"), yy = entry("iyy"), yz = entry("iyz"),
                   zz = entry("izz");
      Robot::Matrix3 J;
      J << xx, xy, xz, xy, yy, yz, xz, yz, zz;
      link.inertia = at.R * J * at.R.transpose();
    }
    robot_.links.push_back(std::move(link));
  }

  void read_visual(const XMLElement& element, const std::string& what, Robot::Link& link) {
    const std::string visual = "a visual of " + what;
    const XMLElement* geometry = element.FirstChildElement("geometry");
    const XMLElement* shape = geometry ? geometry->FirstChildElement() : nullptr;
    if (!shape) return leave_out(robot_, "visual without a geometry", element.GetLineNum());
    const std::string name = shape->Name();
    std::vector<double> sizes;
    if (name == "mesh") {
      const std::vector<double> scale =
          shape->Attribute("scale") ? xml_.numbers(*shape, "scale", visual) : std::vector<double>{1, 1, 1};
      add_mesh(robot_, link, xml_.text(*shape, "filename"), vector(scale), frame(element, visual), shape->GetLineNum());
      return;
    }
    if (name == "box")
      sizes = xml_.numbers(*shape, "size", visual);
    else if (name == "sphere" || name == "cylinder" || name == "capsule")
      sizes = {xml_.value(*shape, "radius", visual)};
    else
      return leave_out(robot_, "visual " + name, shape->GetLineNum());
    if (name == "cylinder" || name == "capsule") sizes.push_back(xml_.value(*shape, "length", visual));
    add_shape(robot_, link, name, sizes, frame(element, visual), shape->GetLineNum());
  }

  std::size_t link(const XMLElement& joint, const char* which, const std::string& what) const {
    const XMLElement* element = joint.FirstChildElement(which);
    if (!element) xml_.fail(joint.GetLineNum(), what + " has no " + which);
    const std::string name = xml_.text(*element, "link");
    const auto at = link_of_.find(name);
    if (at == link_of_.end()) {
      std::vector<std::string> known;
      for (const Robot::Link& one : robot_.links) known.push_back(one.given);
      xml_.fail(element->GetLineNum(),
                std::string(unknown_name("link", name, known).what()) + ", the " + which + " of " + what);
    }
    return at->second;
  }
  void read_joint(const XMLElement& element) {
    Robot::Joint joint;
    joint.given = xml_.text(element, "name");
    joint.type = xml_.text(element, "type");
    joint.line = element.GetLineNum();
    const std::string what = "joint " + joint.given;
    static const std::set<std::string> types{"revolute", "continuous", "prismatic", "fixed", "floating", "planar"};
    if (types.count(joint.type) == 0)
      xml_.fail(joint.line, what + " is of the type \"" + joint.type +
                                "\", expected one of revolute, continuous, prismatic, fixed, floating and planar");
    if (!joint_of_.emplace(joint.given, robot_.joints.size()).second) xml_.fail(joint.line, what + " is given twice");
    joint.parent = link(element, "parent", what);
    joint.child = link(element, "child", what);
    std::vector<double> rpy{0, 0, 0};
    joint.on_parent = frame(element, what, &rpy);
    joint.rpy = rpy;
    joint.axes = {Vector3::UnitX()};
    std::string mimics;
    for (const XMLElement* one = element.FirstChildElement(); one; one = one->NextSiblingElement()) {
      if (XmlFile::is(*one, "axis")) {
        joint.axes[0] = vector(xml_.numbers(*one, "xyz", what));
        if (!(joint.axes[0].norm() > 0)) xml_.fail(one->GetLineNum(), "the axis of " + what + " has the length zero");
      } else if (XmlFile::is(*one, "limit")) {
        if (one->Attribute("lower")) joint.lower = xml_.value(*one, "lower", what);
        if (one->Attribute("upper")) joint.upper = xml_.value(*one, "upper", what);
        if (one->Attribute("effort") || one->Attribute("velocity"))
          leave_out(robot_, "limit: effort and velocity", one->GetLineNum());
      } else if (XmlFile::is(*one, "dynamics")) {
        if (one->Attribute("damping")) joint.damping = xml_.value(*one, "damping", what);
        if (one->Attribute("friction")) joint.friction = xml_.value(*one, "friction", what);
      } else if (XmlFile::is(*one, "mimic")) {
        mimics = xml_.text(*one, "joint");
        joint.follows = {one->Attribute("offset") ? xml_.value(*one, "offset", what) : 0,
                         one->Attribute("multiplier") ? xml_.value(*one, "multiplier", what) : 1};
      } else if (!XmlFile::is(*one, "parent") && !XmlFile::is(*one, "child") && !XmlFile::is(*one, "origin")) {
        leave_out(robot_, std::string(one->Name()) + " of joints", one->GetLineNum());
      }
    }
    // A limit that is not given beside the other one is zero.
    if (joint.lower || joint.upper) {
      joint.lower = joint.lower.value_or(0);
      joint.upper = joint.upper.value_or(0);
    }
    if (!joint.moves_by_one()) {
      joint.lower = joint.upper = std::nullopt;
      if (joint.type != "continuous" && (joint.damping != 0 || joint.friction != 0)) {
        leave_out(robot_, "dynamics of " + joint.type + " joints", joint.line);
        joint.damping = joint.friction = 0;
      }
    }
    if (joint.type == "continuous") joint.type = "revolute";
    mimics_.push_back(std::move(mimics));
    robot_.joints.push_back(std::move(joint));
  }

  /// The link that is fixed in space; every other one is the child of one joint, and reached from there.
  void find_root() {
    std::vector<const Robot::Joint*> joint_to(robot_.links.size(), nullptr);
    const auto name = [&](std::size_t k) { return robot_.links[k].given; };
    for (const Robot::Joint& joint : robot_.joints) {
      const Robot::Joint*& before = joint_to[joint.child];
      if (before)
        xml_.fail(joint.line, "link " + name(joint.child) + " is the child of joint " + joint.given + " and of joint " +
                                  before->given +
                                  ": a URDF is a tree; import it and close loops by joints of the model file");
      before = &joint;
    }
    std::vector<std::size_t> roots;
    for (std::size_t k = 0; k < joint_to.size(); ++k)
      if (!joint_to[k]) roots.push_back(k);
    if (roots.empty()) xml_.fail(robot_.links[0].line, "every link is the child of a joint: the joints go round");
    if (roots.size() > 1)
      xml_.fail(robot_.links[roots[1]].line,
                "links " + name(roots[0]) + " and " + name(roots[1]) + " are both no child, expected one root");
    robot_.links[roots[0]].fixed = true;
    robot_.notes.push_back("The root link " + name(roots[0]) + " is fixed in space.");
    std::vector<char> reached(joint_to.size(), 0);
    reached[roots[0]] = 1;
    for (std::size_t k = 0; k < joint_to.size(); ++k) {
      std::vector<std::size_t> path;
      for (std::size_t at = k; reached[at] == 0; at = joint_to[at]->parent) {
        if (path.size() > joint_to.size())
          xml_.fail(robot_.links[k].line, "link " + name(k) + " hangs on joints that go round");
        path.push_back(at);
      }
      for (const std::size_t at : path) reached[at] = 1;
    }
  }
  void find_mimics() {
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      if (mimics_[j].empty()) continue;
      Robot::Joint& joint = robot_.joints[j];
      const auto master = joint_of_.find(mimics_[j]);
      if (master == joint_of_.end() || !robot_.joints[master->second].moves_by_one() || !joint.moves_by_one())
        xml_.fail(joint.line, "joint " + joint.given + " mimics \"" + mimics_[j] +
                                  "\", expected a joint that turns or slides, and to be one");
      joint.followed = master->second;
    }
  }

  XmlFile xml_;
  Robot robot_;
  std::map<std::string, std::size_t> link_of_, joint_of_;
  std::vector<std::string> mimics_;
};

}  // namespace

std::string urdf_as_toml(const std::string& xml, const std::string& file, const std::string& folder) {
  return robot_as_toml(UrdfReader(xml, file).robot(), folder);
}

}  // namespace gnomon::mechanism

#else

namespace gnomon::mechanism {

std::string urdf_as_toml(const std::string&, const std::string& file, const std::string&) {
  throw Error(ErrorCode::refused, file + ": Gnomon was built without tinyxml2 (libtinyxml2-dev), which reads URDF");
}

}  // namespace gnomon::mechanism

#endif
