#include "mechanism/import/urdf.hpp"

#include "gnomon/base/error.hpp"

#ifdef GNOMON_HAS_TINYXML2

#include <tinyxml2.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "gnomon/base/numbers.hpp"
#include "gnomon/base/thresholds.hpp"
#include "mechanism/formula.hpp"

namespace gnomon::mechanism {

namespace {

using tinyxml2::XMLElement;
using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
constexpr std::size_t most_bytes = 16u << 20;

/// x = R y + p
struct Frame {
  Matrix3 R = Matrix3::Identity();
  Vector3 p = Vector3::Zero();
  Frame operator*(const Frame& other) const { return {R * other.R, R * other.p + p}; }
};

struct Link {
  std::string name, given;
  int line = 0;
  double mass = 0;
  Vector3 centre = Vector3::Zero();
  Matrix3 inertia = Matrix3::Zero();  ///< about the centre of mass, in the axes of the link
};

struct UrdfJoint {
  std::string name, given, type;
  int line = 0;
  std::size_t parent = 0, child = 0;
  Frame origin;
  std::vector<double> rpy{0, 0, 0};
  Vector3 axis = Vector3::UnitX();
  std::optional<double> lower, upper;
  double damping = 0, friction = 0;
  std::string mimics;
  double multiplier = 1, offset = 0;
  bool moves_by_one() const { return type == "revolute" || type == "continuous" || type == "prismatic"; }
};

std::string number(double x) {
  return shortest_text(x == 0 ? 0 : x);
}
template <class V>
std::string list(const V& x) {
  std::string text = "[";
  for (Eigen::Index i = 0; i < x.size(); ++i) text += (i ? ", " : "") + number(x[i]);
  return text + "]";
}
Matrix3 turn(const std::vector<double>& rpy) {
  return (Eigen::AngleAxisd(rpy[2], Vector3::UnitZ()) * Eigen::AngleAxisd(rpy[1], Vector3::UnitY()) *
          Eigen::AngleAxisd(rpy[0], Vector3::UnitX()))
      .toRotationMatrix();
}
/// Rounding of products of rotations is no number of a file.
double cleaned(double x) {
  const double whole = std::round(x);
  return std::abs(x - whole) <= thresholds::entry_rounding ? whole : x;
}

class UrdfReader {
 public:
  UrdfReader(const std::string& xml, const std::string& file) : file_(file) {
    if (xml.size() > most_bytes)
      throw Error(ErrorCode::bad_value, file + ": it has " + std::to_string(xml.size()) + " bytes, expected at most " +
                                            std::to_string(most_bytes));
    if (document_.Parse(xml.data(), xml.size()) != tinyxml2::XML_SUCCESS)
      fail(document_.ErrorLineNum(), std::string("not XML: ") + document_.ErrorName());
    const XMLElement* robot = document_.RootElement();
    if (!robot) fail(1, "not XML: there is no element");
    if (std::string(robot->Name()) != "robot")
      fail(robot->GetLineNum(), "the outermost element is \"" + std::string(robot->Name()) + "\", expected robot");
    if (robot->Attribute("xmlns:xacro") && xml.find("<xacro:") != std::string::npos)
      fail(robot->GetLineNum(), "it is a macro file: write `xacro " + file + " > robot.urdf` and take robot.urdf");
    name_ = robot->Attribute("name") ? robot->Attribute("name") : "robot";
    for (const XMLElement* one = robot->FirstChildElement(); one; one = one->NextSiblingElement())
      if (is(one, "link")) read_link(*one);
    for (const XMLElement* one = robot->FirstChildElement(); one; one = one->NextSiblingElement())
      if (is(one, "joint"))
        read_joint(*one);
      else if (!is(one, "link") && !is(one, "material"))
        leave_out(*one);
    if (links_.empty()) fail(robot->GetLineNum(), "there is no link");
    order();
  }

  std::string toml() {
    std::ostringstream out;
    out << "format = 1\nname = " << quoted(name_) << "\n# From " << plain(file_) << ". The root link "
        << plain(links_[root_].given) << " is fixed in space.\n";
    for (const auto& [what, seen] : left_out_)
      out << "# Left out: " << plain(what) << ", line " << seen.first
          << (seen.second > 1 ? " and " + std::to_string(seen.second - 1) + " more" : "") << ".\n";
    for (const std::string& note : notes_) out << "# " << plain(note) << "\n";
    out << "gravity = [0, 0, -9.81]\n";
    write_points(out);
    for (const std::size_t k : order_)
      if (group_[k] == k && k != root_) write_body(out, k);
    write_joints(out);
    write_parameters(out);
    return out.str();
  }

 private:
  [[noreturn]] void fail(int line, const std::string& sentence) const {
    throw error_at({file_, line, 1}, plain(sentence));
  }
  static bool is(const XMLElement* element, const char* name) { return std::string(element->Name()) == name; }
  /// In a comment or a string of the file.
  static std::string plain(const std::string& text) {
    std::string out;
    for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    return out;
  }
  static std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : plain(text)) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out + "\"";
  }
  void leave_out(const XMLElement& element, const std::string& of = "") {
    auto& [line, count] = left_out_[element.Name() + of];
    if (count++ == 0) line = element.GetLineNum();
  }

  /// A name of formulas that nothing else has.
  std::string named(const std::string& given, int line) {
    std::string name;
    for (const char c : given) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name = "n" + name;
    while (is_reserved(name) || taken_.count(name) > 0) name += "_";
    taken_.insert(name);
    if (name != given) notes_.push_back(given + " (line " + std::to_string(line) + ") is named " + name + ".");
    return name;
  }
  std::string text(const XMLElement& element, const char* attribute) const {
    const char* const value = element.Attribute(attribute);
    if (!value) fail(element.GetLineNum(), std::string(element.Name()) + " has no " + attribute);
    return value;
  }
  double value(const XMLElement& element, const char* attribute, const std::string& what) const {
    const std::string given = text(element, attribute);
    double x = 0;
    if (!read_number(given, x) || !std::isfinite(x))
      fail(element.GetLineNum(), std::string(attribute) + " of " + what + " is \"" + given + "\", expected a number");
    return x;
  }
  std::vector<double> numbers(const XMLElement& element, const char* attribute, const std::string& what) const {
    std::istringstream words(text(element, attribute));
    std::vector<double> out;
    for (std::string word; words >> word;) {
      double x = 0;
      if (!read_number(word, x) || !std::isfinite(x)) break;
      out.push_back(x);
    }
    if (out.size() != 3 || !(words >> std::ws).eof())
      fail(element.GetLineNum(),
           std::string(attribute) + " of " + what + " is \"" + text(element, attribute) + "\", expected three numbers");
    return out;
  }
  static Vector3 vector(const std::vector<double>& x) { return {x[0], x[1], x[2]}; }
  /// The frame that the origin element of a parent gives; without one it is the identity.
  Frame frame(const XMLElement& parent, const std::string& what, std::vector<double>* rpy = nullptr) const {
    Frame out;
    const XMLElement* origin = parent.FirstChildElement("origin");
    if (!origin) return out;
    if (origin->Attribute("xyz")) out.p = vector(numbers(*origin, "xyz", "the origin of " + what));
    if (!origin->Attribute("rpy")) return out;
    const std::vector<double> angles = numbers(*origin, "rpy", "the origin of " + what);
    if (rpy) *rpy = angles;
    out.R = turn(angles).unaryExpr(&cleaned);
    return out;
  }

  void read_link(const XMLElement& element) {
    Link link;
    link.given = text(element, "name");
    link.line = element.GetLineNum();
    const std::string what = "link " + link.given;
    if (!link_of_.emplace(link.given, links_.size()).second) fail(link.line, what + " is given twice");
    link.name = named(link.given, link.line);
    for (const XMLElement* one = element.FirstChildElement(); one; one = one->NextSiblingElement()) {
      if (!is(one, "inertial")) {
        leave_out(*one, " of links");
        continue;
      }
      const Frame at = frame(*one, "the inertial of " + what);
      link.centre = at.p;
      const XMLElement *mass = one->FirstChildElement("mass"), *inertia = one->FirstChildElement("inertia");
      if (mass) link.mass = value(*mass, "value", what);
      if (!(link.mass >= 0))
        fail(one->GetLineNum(), what + " has the mass " + number(link.mass) + ", expected none or more");
      if (!inertia) continue;
      const auto entry = [&](const char* name) { return inertia->Attribute(name) ? value(*inertia, name, what) : 0.0; };
      const double xx = entry("ixx"), xy = entry("ixy"), xz = entry("ixz"), yy = entry("iyy"), yz = entry("iyz"),
                   zz = entry("izz");
      Matrix3 J;
      J << xx, xy, xz, xy, yy, yz, xz, yz, zz;
      link.inertia = at.R * J * at.R.transpose();
    }
    links_.push_back(std::move(link));
  }

  std::size_t link(const XMLElement& joint, const char* which, const std::string& what) const {
    const XMLElement* element = joint.FirstChildElement(which);
    if (!element) fail(joint.GetLineNum(), what + " has no " + which);
    const std::string name = text(*element, "link");
    const auto at = link_of_.find(name);
    if (at == link_of_.end()) {
      std::vector<std::string> known;
      for (const Link& one : links_) known.push_back(one.given);
      fail(element->GetLineNum(),
           std::string(unknown_name("link", name, known).what()) + ", the " + which + " of " + what);
    }
    return at->second;
  }
  void read_joint(const XMLElement& element) {
    UrdfJoint joint;
    joint.given = text(element, "name");
    joint.type = text(element, "type");
    joint.line = element.GetLineNum();
    const std::string what = "joint " + joint.given;
    static const std::set<std::string> types{"revolute", "continuous", "prismatic", "fixed", "floating", "planar"};
    if (types.count(joint.type) == 0)
      fail(joint.line, what + " is of the type \"" + joint.type +
                           "\", expected one of revolute, continuous, prismatic, fixed, floating and planar");
    if (!joint_of_.emplace(joint.given, joints_.size()).second) fail(joint.line, what + " is given twice");
    joint.parent = link(element, "parent", what);
    joint.child = link(element, "child", what);
    joint.origin = frame(element, what, &joint.rpy);
    for (const XMLElement* one = element.FirstChildElement(); one; one = one->NextSiblingElement()) {
      if (is(one, "axis")) {
        joint.axis = vector(numbers(*one, "xyz", what));
        if (!(joint.axis.norm() > 0)) fail(one->GetLineNum(), "the axis of " + what + " has the length zero");
      } else if (is(one, "limit")) {
        if (one->Attribute("lower")) joint.lower = value(*one, "lower", what);
        if (one->Attribute("upper")) joint.upper = value(*one, "upper", what);
        if (one->Attribute("effort") || one->Attribute("velocity")) leave_out(*one, ": effort and velocity");
      } else if (is(one, "dynamics")) {
        if (one->Attribute("damping")) joint.damping = value(*one, "damping", what);
        if (one->Attribute("friction")) joint.friction = value(*one, "friction", what);
      } else if (is(one, "mimic")) {
        joint.mimics = text(*one, "joint");
        if (one->Attribute("multiplier")) joint.multiplier = value(*one, "multiplier", what);
        if (one->Attribute("offset")) joint.offset = value(*one, "offset", what);
      } else if (!is(one, "parent") && !is(one, "child") && !is(one, "origin")) {
        leave_out(*one, " of joints");
      }
    }
    if (joint.type != "fixed") {
      joint.name = named(joint.given, joint.line);
      for (const char* of_joint : {"_origin", "_start", "_speed", "_mimics"}) taken_.insert(joint.name + of_joint);
    }
    joints_.push_back(std::move(joint));
  }

  /// Links from the root outwards, what moves as one, and where it is when all joints are at zero.
  void order() {
    std::vector<int> joint_to(links_.size(), -1);
    std::vector<std::vector<std::size_t>> from(links_.size());
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const UrdfJoint& joint = joints_[j];
      int& before = joint_to[joint.child];
      if (before >= 0)
        fail(joint.line, "link " + links_[joint.child].given + " is the child of joint " + joint.given +
                             " and of joint " + joints_[static_cast<std::size_t>(before)].given +
                             ": a URDF is a tree; import it and close loops by joints of the model file");
      before = static_cast<int>(j);
      from[joint.parent].push_back(j);
    }
    std::vector<std::size_t> roots;
    for (std::size_t k = 0; k < links_.size(); ++k)
      if (joint_to[k] < 0) roots.push_back(k);
    if (roots.empty()) fail(links_[0].line, "every link is the child of a joint: the joints go round");
    if (roots.size() > 1)
      fail(links_[roots[1]].line, "links " + links_[roots[0]].given + " and " + links_[roots[1]].given +
                                      " are both no child, expected one root");
    root_ = roots[0];
    group_.assign(links_.size(), 0);
    in_group_.resize(links_.size());
    world_.resize(links_.size());
    joint_to_ = joint_to;
    group_[root_] = root_;
    order_ = {root_};
    for (std::size_t at = 0; at < order_.size(); ++at)
      for (const std::size_t j : from[order_[at]]) {
        const UrdfJoint& joint = joints_[j];
        const std::size_t k = joint.child;
        world_[k] = world_[joint.parent] * joint.origin;
        const bool fixed = joint.type == "fixed";
        group_[k] = fixed ? group_[joint.parent] : k;
        if (fixed) in_group_[k] = in_group_[joint.parent] * joint.origin;
        order_.push_back(k);
      }
    if (order_.size() < links_.size())
      for (std::size_t k = 0; k < links_.size(); ++k)
        if (std::find(order_.begin(), order_.end(), k) == order_.end())
          fail(links_[k].line, "link " + links_[k].given + " hangs on joints that go round");
    for (const UrdfJoint& joint : joints_)
      if (!joint.mimics.empty()) {
        const auto master = joint_of_.find(joint.mimics);
        if (master == joint_of_.end() || !joints_[master->second].moves_by_one() || !joint.moves_by_one())
          fail(joint.line, "joint " + joint.given + " mimics \"" + joint.mimics +
                               "\", expected a joint that turns or slides, and to be one");
      }
  }

  /// Where a joint is on its parent's body, and the name of that place.
  Frame on_parent(const UrdfJoint& joint) const { return in_group_[joint.parent] * joint.origin; }
  std::string place(const UrdfJoint& joint) const {
    const std::size_t body = group_[joint.parent];
    return body == root_ ? joint.name + "_origin" : links_[body].name + "." + joint.name;
  }

  Vector3 origin_in_group(std::size_t i) const { return in_group_[i].p.unaryExpr(&cleaned); }

  void write_points(std::ostream& out) const {
    std::string points;
    for (const UrdfJoint& joint : joints_)
      if (joint.type != "fixed" && group_[joint.parent] == root_)
        points += joint.name + "_origin = " + list(on_parent(joint).p) + "\n";
    for (const std::size_t i : order_)
      if (group_[i] == root_ && i != root_) points += links_[i].name + " = " + list(origin_in_group(i)) + "\n";
    if (!points.empty()) out << "\n[points]\n" << points;
  }

  void write_body(std::ostream& out, std::size_t k) const {
    Link body = links_[k];
    std::string with;
    Vector3 moment = Vector3::Zero();
    double mass = 0;
    for (std::size_t i = 0; i < links_.size(); ++i)
      if (group_[i] == k) {
        mass += links_[i].mass;
        moment += links_[i].mass * (in_group_[i].R * links_[i].centre + in_group_[i].p);
        if (i != k) with += (with.empty() ? "" : ", ") + plain(links_[i].given);
      }
    const UrdfJoint& own = joints_[static_cast<std::size_t>(joint_to_[k])];
    if (!(mass > 0))
      fail(body.line, "link " + body.given + " has no mass and moves by joint " + own.given +
                          ", expected an inertial, or a fixed joint");
    body.centre = (moment / mass).unaryExpr(&cleaned);
    if (!with.empty()) {
      body.inertia.setZero();
      for (std::size_t i = 0; i < links_.size(); ++i)
        if (group_[i] == k) {
          const Matrix3& R = in_group_[i].R;
          const Vector3 apart = R * links_[i].centre + in_group_[i].p - moment / mass;
          body.inertia += R * links_[i].inertia * R.transpose() +
                          links_[i].mass * (apart.squaredNorm() * Matrix3::Identity() - apart * apart.transpose());
        }
    }
    out << "\n[bodies." << body.name << "]" << (with.empty() ? "" : "  # with " + with) << "\nmass = " << number(mass)
        << "\n";
    const Matrix3& J = body.inertia;
    if (J.isDiagonal(0))
      out << "inertia = " << list(Vector3(J.diagonal())) << "\n";
    else
      out << "inertia = [" << list(Vector3(J.row(0))) << ", " << list(Vector3(J.row(1))) << ", "
          << list(Vector3(J.row(2))) << "]\n";
    out << "centre_of_mass = " << list(body.centre) << "\nmarkers = { origin = [0, 0, 0]";
    for (const UrdfJoint& joint : joints_)
      if (joint.type != "fixed" && group_[joint.parent] == k)
        out << ", " << joint.name << " = " << list(Vector3(on_parent(joint).p.unaryExpr(&cleaned)));
    for (const std::size_t i : order_)
      if (group_[i] == k && i != k) out << ", " << links_[i].name << " = " << list(origin_in_group(i));
    out << " }\nplace = { origin = \"" << place(own) << "\" }\n";
    out << velocity(own);
    // The numbers of the file where the parent is no part of a larger body.
    const std::size_t parent = group_[own.parent];
    const std::string relative = parent == root_ ? "" : ", relative = \"" + links_[parent].name + "\"";
    const Matrix3 R = on_parent(own).R;
    if (in_group_[own.parent].R.isIdentity(0))
      out << "orientation = { rpy = " << list(vector(own.rpy)) << relative << " }\n";
    else
      out << "orientation = { matrix = [" << list(Vector3(R.row(0))) << ", " << list(Vector3(R.row(1))) << ", "
          << list(Vector3(R.row(2))) << "]" << relative << " }\n";
  }

  // A floating base is where it is drawn, at rest, whatever angles and speeds joints start with.
  static const char* velocity(const UrdfJoint& own) {
    return own.type == "floating" ? "velocity = [0, 0, 0]\nangular_velocity = [0, 0, 0]\nhold = true\n" : "";
  }

  void write_joints(std::ostream& out) const {
    std::string joints, constraints;
    for (const UrdfJoint& joint : joints_) {
      if (joint.type == "fixed" || joint.type == "floating") continue;
      const bool slides = joint.type == "prismatic", mimics = !joint.mimics.empty();
      const Vector3 axis = (world_[joint.child].R * joint.axis).unaryExpr(&cleaned);
      joints += joint.name + " = { type = \"" + (joint.type == "continuous" ? "revolute" : joint.type) +
                "\", between = [\"" + place(joint) + "\", \"" + links_[joint.child].name +
                ".origin\"], axis = " + list(axis);
      if (joint.type != "planar") {
        if (!mimics && joint.type != "continuous" && (joint.lower || joint.upper))
          joints += ", limits = [" + number(joint.lower.value_or(0)) + ", " + number(joint.upper.value_or(0)) + "]";
        if (joint.damping != 0) joints += ", damping = " + number(joint.damping);
        if (joint.friction != 0)
          joints +=
              std::string(", ") + (slides ? "friction_force" : "friction_torque") + " = " + number(joint.friction);
        if (!mimics)
          joints += std::string(", start = { ") + (slides ? "distance" : "angle") + " = \"" + joint.name +
                    "_start\", speed = \"" + joint.name + "_speed\" }";
      }
      joints += " }\n";
      if (!mimics) continue;
      const UrdfJoint& master = joints_[joint_of_.at(joint.mimics)];
      const auto motion = [](const UrdfJoint& one) {
        return one.name + (one.type == "prismatic" ? ".distance" : ".angle");
      };
      constraints += joint.name + "_mimics = \"" + motion(joint) + " - (" + number(joint.multiplier) + ")*" +
                     motion(master) + " - (" + number(joint.offset) + ")\"\n";
    }
    if (!joints.empty()) out << "\n[joints]\n" << joints;
    if (!constraints.empty()) out << "\n[constraints]\n" << constraints << "\n[start]\nassemble = true\n";
  }

  void write_parameters(std::ostream& out) const {
    bool any = false;
    for (const UrdfJoint& joint : joints_) {
      if (!joint.moves_by_one() || !joint.mimics.empty()) continue;
      const char* const unit = joint.type == "prismatic" ? "m" : "rad";
      // At zero, or as near as the limits allow.
      double start = 0;
      if (joint.type != "continuous" && joint.lower && joint.upper && *joint.lower <= *joint.upper)
        start = std::clamp(0.0, *joint.lower, *joint.upper);
      out << (any ? "" : "\n[parameters]\n") << joint.name << "_start = { value = " << number(start) << ", unit = \""
          << unit << "\" }\n"
          << joint.name << "_speed = { value = 0, unit = \"" << unit << "/s\" }\n";
      any = true;
    }
  }

  std::string file_, name_;
  tinyxml2::XMLDocument document_;
  std::vector<Link> links_;
  std::vector<UrdfJoint> joints_;
  std::map<std::string, std::size_t> link_of_, joint_of_;
  std::set<std::string> taken_{"gravity", "origin"};
  std::map<std::string, std::pair<int, int>> left_out_;  ///< line of the first one, and how many
  std::vector<std::string> notes_;
  std::size_t root_ = 0;
  std::vector<std::size_t> order_, group_;  ///< links from the root on; which link stands for all that move with it
  std::vector<Frame> in_group_, world_;
  std::vector<int> joint_to_;
};

}  // namespace

std::string urdf_as_toml(const std::string& xml, const std::string& file) {
  return UrdfReader(xml, file).toml();
}

}  // namespace gnomon::mechanism

#else

namespace gnomon::mechanism {

std::string urdf_as_toml(const std::string&, const std::string& file) {
  throw Error(ErrorCode::refused, file + ": Gnomon was built without tinyxml2 (libtinyxml2-dev), which reads URDF");
}

}  // namespace gnomon::mechanism

#endif
