#include "mechanism/import/mjcf.hpp"

#include "gnomon/base/error.hpp"

#ifdef GNOMON_HAS_TINYXML2

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "gnomon/base/numbers.hpp"
#include "gnomon/base/thresholds.hpp"
#include "mechanism/bodies/bodies.hpp"
#include "mechanism/formula.hpp"
#include "mechanism/import/mjcf_elements.hpp"

namespace gnomon::mechanism {

namespace {

using tinyxml2::XMLElement;
using Vector3 = Robot::Vector3;
using Matrix3 = Robot::Matrix3;
using Frame = Robot::Frame;

class MjcfReader : MjcfElements {
 public:
  MjcfReader(const std::string& xml, const std::string& file) : MjcfElements(xml, file) {
    const XMLElement& root = xml_.root();
    robot_.file = file;
    robot_.name = root.Attribute("model") ? root.Attribute("model") : "MuJoCo model";
    refuse_generators(root);
    for (const XMLElement* one = root.FirstChildElement("compiler"); one; one = one->NextSiblingElement("compiler"))
      read_compiler(*one);
    for (const XMLElement* one = root.FirstChildElement("default"); one; one = one->NextSiblingElement("default"))
      read_default(*one, classes_["main"], one->Attribute("class") ? one->Attribute("class") : "main");
    robot_.links.emplace_back();
    robot_.links[0].given = "world";
    robot_.links[0].fixed = true;
    for (const XMLElement* one = root.FirstChildElement(); one; one = one->NextSiblingElement()) {
      if (XmlFile::is(*one, "option"))
        read_option(*one);
      else if (XmlFile::is(*one, "asset"))
        read_assets(*one);
    }
    for (const XMLElement* one = root.FirstChildElement("worldbody"); one; one = one->NextSiblingElement("worldbody"))
      for (const Part part : {Part::geoms, Part::bodies}) read_contents(part, *one, 0, {}, "main");
    for (const XMLElement* one = root.FirstChildElement(); one; one = one->NextSiblingElement()) {
      static const std::set<std::string> read{"compiler", "default", "option",    "asset", "worldbody",
                                              "visual",   "size",    "statistic", "custom"};
      if (XmlFile::is(*one, "equality"))
        read_equalities(*one);
      else if (XmlFile::is(*one, "actuator"))
        read_actuators(*one);
      else if (read.count(one->Name()) == 0)
        leave_out(robot_, one->Name(), one->GetLineNum());
    }
    if (robot_.links.size() == 1) xml_.fail(root.GetLineNum(), "there is no body");
    give_masses_between();
  }
  const Robot& robot() const { return robot_; }

 private:
  void refuse_generators(const XMLElement& element) const {
    static const std::set<std::string> makes_more{"include", "attach", "replicate", "composite", "flexcomp", "model"};
    for (const XMLElement* one = element.FirstChildElement(); one; one = one->NextSiblingElement()) {
      if (makes_more.count(one->Name()) > 0)
        xml_.fail(one->GetLineNum(), "it has the element " + std::string(one->Name()) +
                                         ", of which MuJoCo makes a whole: save that by its `compile` program, or by "
                                         "mj_saveLastXML, and take it");
      refuse_generators(*one);
    }
  }

  // Settings.

  void read_compiler(const XMLElement& element) {
    const Attributes all = attributes(element, "main");
    for (const auto& [name, value] : all) {
      if (name == "angle")
        degrees_ = value != "radian";
      else if (name == "eulerseq")
        euler_order_ = value;
      else if (name == "inertiafromgeom")
        inertia_of_geoms_ = value;
      else if (name == "autolimits")
        automatic_limits_ = value == "true";
      else if (name == "inertiagrouprange")
        groups_ = numbers(element, all, "inertiagrouprange", 2, 2);
      else if (name == "meshdir" || name == "assetdir")
        mesh_folder_ = value;
      else if (name == "coordinate" && value != "local")
        xml_.fail(element.GetLineNum(), "coordinate is \"" + value + "\", expected local");
      else if (name == "settotalmass" || name == "boundmass" || name == "boundinertia" || name == "balanceinertia")
        leave_out(robot_, name + " of the compiler", element.GetLineNum());
    }
    if (euler_order_.size() != 3 || euler_order_.find_first_not_of("xyzXYZ") != std::string::npos)
      xml_.fail(element.GetLineNum(), "eulerseq is \"" + euler_order_ + "\", expected three letters of xyz or XYZ");
  }
  void read_option(const XMLElement& element) {
    const Attributes all = attributes(element, "main");
    robot_.gravity = vector(element, all, "gravity", robot_.gravity);
    if (const XMLElement* flags = element.FirstChildElement("flag")) {
      if (flags->Attribute("gravity", "disable")) robot_.gravity.setZero();
      for (const tinyxml2::XMLAttribute* a = flags->FirstAttribute(); a; a = a->Next())
        if (std::string(a->Name()) != "gravity")
          leave_out(robot_, std::string("flag ") + a->Name(), flags->GetLineNum());
    }
    for (const char* name : {"wind", "density", "viscosity"})
      if (all.count(name) > 0) leave_out(robot_, std::string(name) + " of the option", element.GetLineNum());
  }
  void read_assets(const XMLElement& element) {
    for (const XMLElement* one = element.FirstChildElement("mesh"); one; one = one->NextSiblingElement("mesh")) {
      const Attributes all = attributes(*one, "main");
      const std::string file = word(all, "file");
      for (const char* own : {"refpos", "refquat", "inertia"})
        if (all.count(own) > 0) leave_out(robot_, std::string(own) + " of meshes", one->GetLineNum());
      if (file.empty()) leave_out(robot_, "mesh without a file", one->GetLineNum());
      const std::string name = word(all, "name", std::filesystem::path(file).stem().string());
      meshes_[name] = {(std::filesystem::path(mesh_folder_) / file).string(), vector(*one, all, "scale", {1, 1, 1})};
    }
  }

  // Bodies.

  enum class Part { geoms, bodies };
  /// Geoms of a body or of the world, or the bodies in it; `at` is the frame that they are given in.
  void read_contents(Part part, const XMLElement& element, std::size_t link, const Frame& at,
                     const std::string& child_class) {
    static const std::set<std::string> elsewhere{"inertial", "joint", "freejoint"};
    for (const XMLElement* one = element.FirstChildElement(); one; one = one->NextSiblingElement()) {
      if (XmlFile::is(*one, "frame")) {
        for (const std::string& name : elsewhere)
          if (const XMLElement* inner = one->FirstChildElement(name.c_str()))
            xml_.fail(inner->GetLineNum(), "there is a " + name + " in a frame element, expected one in a body");
        const std::string inner = one->Attribute("childclass") ? one->Attribute("childclass") : child_class;
        read_contents(part, *one, link, at * frame(*one, attributes(*one, "main")), inner);
      } else if (XmlFile::is(*one, "body")) {
        if (part == Part::bodies) read_body(*one, link, at, child_class);
      } else if (part == Part::geoms && XmlFile::is(*one, "geom")) {
        read_geom(*one, link, at, child_class);
      } else if (part == Part::geoms && elsewhere.count(one->Name()) == 0) {
        leave_out(robot_, one->Name(), one->GetLineNum());
      }
    }
  }

  void read_body(const XMLElement& element, std::size_t parent, const Frame& at, const std::string& outer_class) {
    const std::string child_class = element.Attribute("childclass") ? element.Attribute("childclass") : outer_class;
    Robot::Link link;
    link.line = element.GetLineNum();
    link.given = element.Attribute("name") ? element.Attribute("name") : "body" + std::to_string(robot_.links.size());
    const std::size_t k = robot_.links.size();
    if (!link_of_.emplace(link.given, k).second) xml_.fail(link.line, "body " + link.given + " is given twice");
    for (const char* name : {"gravcomp", "mocap"})
      if (element.Attribute(name)) leave_out(robot_, std::string(name) + " of bodies", link.line);
    const Frame place = at * frame(element, attributes(element, "main"));
    link.place = robot_.links[parent].place * place;
    robot_.links.push_back(link);
    geoms_mass_.emplace(k, Mass{});
    const XMLElement* inertial = element.FirstChildElement("inertial");
    read_contents(Part::geoms, element, k, {}, child_class);
    if (inertial && inertia_of_geoms_ != "true")
      read_inertial(*inertial, robot_.links[k]);
    else if (inertia_of_geoms_ != "false")
      geoms_mass_.at(k).give(robot_.links[k]);
    read_joints(element, k, parent, place, child_class);
    read_contents(Part::bodies, element, k, {}, child_class);
  }

  /// int dm, int x dm, int x x^T dm of geoms in the axes of a body.
  struct Mass {
    double mass = 0;
    Vector3 moment = Vector3::Zero();
    Matrix3 second = Matrix3::Zero();

    void give(Robot::Link& link) const {
      if (!(mass > 0)) return;
      link.mass = mass;
      link.centre = moment / mass;
      const Matrix3 own = second - mass * link.centre * link.centre.transpose();
      link.inertia = own.trace() * Matrix3::Identity() - own;
    }
  };

  void read_inertial(const XMLElement& element, Robot::Link& link) const {
    const Attributes all = attributes(element, "main");
    const Frame in_link = frame(element, all);
    link.mass = number(element, all, "mass", 0);
    link.centre = in_link.p;
    const std::vector<double> full = numbers(element, all, "fullinertia", 6, 6);
    Matrix3 J = vector(element, all, "diaginertia", Vector3::Zero()).asDiagonal();
    if (!full.empty()) J << full[0], full[3], full[4], full[3], full[1], full[5], full[4], full[5], full[2];
    link.inertia = in_link.R * J * in_link.R.transpose();
  }

  void read_geom(const XMLElement& element, std::size_t link, const Frame& at, const std::string& child_class) {
    const Attributes all = attributes(element, child_class);
    const std::string type = word(all, "type", "sphere");
    const int line = element.GetLineNum();
    if (type != "mesh" && all.count("mesh") > 0)
      xml_.fail(line, "a geom of the type " + type + " is fitted to a mesh, which has no counterpart");
    if (word(all, "contype", "1") != "0" || word(all, "conaffinity", "1") != "0")
      leave_out(robot_, "contact of geoms", line);
    Frame own = frame(element, all);
    std::vector<double> size = numbers(element, all, "size", 1, 3);
    if (const std::vector<double> ends = numbers(element, all, "fromto", 6, 6); !ends.empty()) {
      const Vector3 from(ends[0], ends[1], ends[2]), to(ends[3], ends[4], ends[5]);
      own.p = (from + to) / 2;
      own.R = Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), direction(element, from - to, "fromto"))
                  .toRotationMatrix();
      const bool round = type == "capsule" || type == "cylinder";
      size.resize(1);
      if (!round) size.push_back(size[0]);
      size.push_back((to - from).norm() / 2);
    }
    const Frame place = at * own;
    if (type == "plane" || type == "hfield" || type == "sdf") {
      if (type != "plane") leave_out(robot_, "geom of the type " + type, line);
      return;
    }
    const bool visible = number(element, all, "group", 0) <= 2;  // as MuJoCo shows them
    const double group = number(element, all, "group", 0);
    const bool weighs = link > 0 && inertia_of_geoms_ != "false" && group >= groups_[0] && group <= groups_[1];
    if (word(all, "shellinertia") == "true") leave_out(robot_, "shellinertia of geoms", line);
    if (type == "mesh") {
      const auto mesh = meshes_.find(word(all, "mesh"));
      if (mesh == meshes_.end()) xml_.fail(line, "there is no mesh \"" + word(all, "mesh") + "\"");
      if (visible) add_mesh(robot_, robot_.links[link], mesh->second.first, mesh->second.second, place, line);
      if (weighs) add_mass_of_mesh(element, all, mesh->second.first, mesh->second.second, place, link);
      return;
    }
    static const std::map<std::string, std::pair<Shape, std::size_t>> known{{"sphere", {Shape::sphere, 1}},
                                                                            {"capsule", {Shape::capsule, 2}},
                                                                            {"cylinder", {Shape::cylinder, 2}},
                                                                            {"ellipsoid", {Shape::ellipsoid, 3}},
                                                                            {"box", {Shape::box, 3}}};
    const auto found = known.find(type);
    if (found == known.end())
      xml_.fail(line, "a geom is of the type \"" + type +
                          "\", expected one of plane, sphere, capsule, ellipsoid, cylinder, box, mesh and hfield");
    const auto& [shape, count] = found->second;
    if (size.size() < count)
      xml_.fail(line, "a geom of the type " + type + " has " + std::to_string(size.size()) + " sizes, expected " +
                          std::to_string(count));
    size.resize(count);
    for (const double one : size)
      if (!(one > 0)) xml_.fail(line, "a geom of the type " + type + " has the size " + shortest(one));
    // Half lengths and half edges.
    if (type == "box")
      for (double& one : size) one *= 2;
    else if (count == 2)
      size[1] *= 2;
    if (visible) add_shape(robot_, robot_.links[link], type, size, place, line);
    if (!weighs) return;
    const ShapeMoments solid =
        shape_moments(shape, Vector3(size[0], count > 1 ? size[1] : 0, count > 2 ? size[2] : 0), false);
    add_mass(mass_of(element, all, solid.volume), Vector3::Zero(), solid.moments.asDiagonal(), place, link);
  }
  double mass_of(const XMLElement& element, const Attributes& all, double volume) const {
    const double mass = number(element, all, "mass", number(element, all, "density", 1000) * volume);
    if (!(mass >= 0)) xml_.fail(element.GetLineNum(), "a geom has the mass " + shortest(mass));
    return mass;
  }
  void add_mass_of_mesh(const XMLElement& element, const Attributes& all, const std::string& path, const Vector3& scale,
                        const Frame& place, std::size_t link) {
    if (number(element, all, "mass", 1) == 0 || number(element, all, "density", 1) == 0) return;
    try {
      const Mesh mesh = read_mesh(mesh_path(robot_, path));
      const Matrix3 S = scale.asDiagonal();
      const double volume = mesh.volume * std::abs(scale.prod());
      add_mass(mass_of(element, all, volume), S * mesh.centre, S * mesh.second_moments * S / mesh.volume, place, link);
    } catch (const std::runtime_error& error) {
      leave_out(robot_, "mass of mesh " + path + ", which " + error.what(), element.GetLineNum());
    }
  }
  /// A mass with its centre and second moments of a unit mass about it, in a frame of a link.
  void add_mass(double mass, const Vector3& centre, const Matrix3& moments, const Frame& place, std::size_t link) {
    Mass& sum = geoms_mass_.at(link);
    const Vector3 at = place.R * centre + place.p;
    sum.mass += mass;
    sum.moment += mass * at;
    sum.second += mass * (place.R * moments * place.R.transpose() + at * at.transpose());
  }

  // Joints.

  /// Those of a body one after the other, with a link between each and the next.
  void read_joints(const XMLElement& element, std::size_t body, std::size_t parent, const Frame& place,
                   const std::string& child_class) {
    std::vector<Robot::Joint> joints;
    for (const XMLElement* one = element.FirstChildElement(); one; one = one->NextSiblingElement())
      if (XmlFile::is(*one, "joint") || XmlFile::is(*one, "freejoint"))
        joints.push_back(joint(*one, body, child_class));
    if (joints.empty()) {
      Robot::Joint& fixed = joints.emplace_back();
      fixed.given = robot_.links[body].given + " fixed";
      fixed.line = robot_.links[body].line;
      fixed.type = "fixed";
    }
    std::size_t last = parent;
    Frame from = place;  // of the body in the axes of `last`
    for (std::size_t i = 0; i < joints.size(); ++i) {
      Robot::Joint& joint = joints[i];
      if (joint.type == "floating" && (parent != 0 || joints.size() > 1))
        xml_.fail(joint.line, "joint " + joint.given + " is free, expected the only one of a body of the world");
      joint.parent = last;
      joint.child = i + 1 < joints.size() ? between(body, joint, joints[i + 1]) : body;
      joint.on_parent = from * joint.on_child;
      last = joint.child;
      from = Frame{};
      joint_of_.emplace(joint.given, robot_.joints.size());
      robot_.joints.push_back(std::move(joint));
    }
  }
  /// A link between two joints of a body; its mass comes last.
  std::size_t between(std::size_t body, const Robot::Joint& before, const Robot::Joint& after) {
    Robot::Link link;
    link.given = robot_.links[body].given + "_" + before.given;
    link.line = before.line;
    link.between = true;
    link.place = robot_.links[body].place;
    link.centre = after.on_child.p;
    between_.emplace_back(robot_.links.size(), body);
    robot_.links.push_back(link);
    return robot_.links.size() - 1;
  }
  /// A small part of the mass of a body and of what is fixed to it for each link between its joints, which the heaviest
  /// of these loses.
  void give_masses_between() {
    std::map<std::size_t, std::vector<std::size_t>> fixed;
    for (const Robot::Joint& joint : robot_.joints)
      if (joint.type == "fixed") fixed[joint.parent].push_back(joint.child);
    std::set<std::size_t> said;
    for (const auto& [k, body] : between_) {
      std::vector<std::size_t> all{body};
      for (std::size_t i = 0; i < all.size(); ++i)
        for (const std::size_t child : fixed[all[i]]) all.push_back(child);
      const std::size_t heaviest = *std::max_element(all.begin(), all.end(), [&](std::size_t a, std::size_t b) {
        return robot_.links[a].mass < robot_.links[b].mass;
      });
      Robot::Link &link = robot_.links[k], &whole = robot_.links[heaviest];
      if (!(whole.mass > 0))
        xml_.fail(robot_.links[body].line,
                  "body " + robot_.links[body].given + " has no mass and moves, expected an inertial or geoms");
      constexpr double part = thresholds::link_between_joints;
      link.mass = part * whole.mass;
      link.inertia = part / 3 * whole.inertia.trace() * Matrix3::Identity();
      whole.mass -= link.mass;
      whole.inertia -= link.inertia;
      if (said.insert(body).second)
        robot_.notes.push_back("Body " + robot_.links[body].given + " has several joints: between them are links of " +
                               shortest(part) + " of its mass.");
    }
  }

  Robot::Joint joint(const XMLElement& element, std::size_t body, const std::string& child_class) {
    const bool is_free = XmlFile::is(element, "freejoint");
    const Attributes all = is_free ? attributes(element, "main") : attributes(element, child_class);
    const std::string type = is_free ? "free" : word(all, "type", "hinge");
    static const std::map<std::string, std::string> types{
        {"hinge", "revolute"}, {"slide", "prismatic"}, {"ball", "spherical"}, {"free", "floating"}};
    Robot::Joint out;
    out.line = element.GetLineNum();
    out.given = word(all, "name", robot_.links[body].given + "_" + type);
    const auto found = types.find(type);
    if (found == types.end())
      xml_.fail(out.line,
                "joint " + out.given + " is of the type \"" + type + "\", expected one of hinge, slide, ball and free");
    out.type = found->second;
    if (element.Attribute("name") && !joint_names_.insert(out.given).second)
      xml_.fail(out.line, "joint " + out.given + " is given twice");
    const bool acts = number(element, all, "damping", 0) != 0 || number(element, all, "stiffness", 0) != 0 ||
                      number(element, all, "frictionloss", 0) != 0;
    if (out.type == "floating") {
      if (acts) leave_out(robot_, "damping, stiffness and frictionloss of free joints", out.line);
      return out;
    }
    out.on_child.p = vector(element, all, "pos", Vector3::Zero());
    const std::vector<double> range = numbers(element, all, "range", 2, 2);
    const double damping = number(element, all, "damping", 0), stiffness = number(element, all, "stiffness", 0),
                 friction = number(element, all, "frictionloss", 0);
    if (number(element, all, "armature", 0) != 0) leave_out(robot_, "armature of joints", out.line);
    for (const char* name : {"springdamper", "actuatorfrcrange"})
      if (all.count(name) > 0) leave_out(robot_, std::string(name) + " of joints", out.line);
    for (const char* name : {"stiffness", "damping"})
      if (numbers(element, all, name, 1, 10).size() > 1)
        leave_out(robot_, std::string(name) + " of joints by more than one number", out.line);
    const std::string limited = word(all, "limited", "auto");
    const bool has_limits =
        !range.empty() && (limited == "true" || (limited == "auto" && automatic_limits_ && range[0] < range[1]));
    if (out.type == "spherical") {
      if (acts || has_limits) leave_out(robot_, "damping, stiffness, frictionloss and range of ball joints", out.line);
      return out;
    }
    out.axes = {direction(element, vector(element, all, "axis", Vector3::UnitZ()), "axis")};
    const double unit = type == "hinge" ? angle() : 1, reference = unit * number(element, all, "ref", 0);
    references_[out.given] = reference;
    if (has_limits) {
      out.lower = unit * range[0] - reference;
      out.upper = unit * range[1] - reference;
    }
    if (stiffness != 0) {
      out.stiffness = stiffness;
      out.rest = unit * number(element, all, "springref", 0) - reference;
    }
    out.damping = damping;
    out.friction = friction;
    return out;
  }

  // Equality constraints and actuators.

  std::size_t link(const XMLElement& element, const Attributes& all, const char* name) const {
    const std::string body = word(all, name);
    if (body.empty() && std::string(name) == "body2") return 0;
    const auto at = link_of_.find(body);
    if (body == "world" || at != link_of_.end()) return body == "world" ? 0 : at->second;
    std::vector<std::string> known;
    for (const auto& one : link_of_) known.push_back(one.first);
    xml_.fail(element.GetLineNum(),
              std::string(unknown_name("body", body, known).what()) + ", the " + name + " of " + element.Name());
  }
  Robot::Joint& joint_named(const XMLElement& element, const std::string& name) {
    const auto at = joint_of_.find(name);
    if (at == joint_of_.end() || !robot_.joints[at->second].moves_by_one())
      xml_.fail(element.GetLineNum(),
                std::string(element.Name()) + " is of joint \"" + name + "\", expected a hinge or a slide");
    return robot_.joints[at->second];
  }

  void read_equalities(const XMLElement& element) {
    for (const XMLElement* one = element.FirstChildElement(); one; one = one->NextSiblingElement()) {
      const Attributes all = attributes(*one, "main", "equality");
      const int line = one->GetLineNum();
      const bool connects = XmlFile::is(*one, "connect");
      if (word(all, "active", "true") == "false") {
        leave_out(robot_, "equality that is not active", line);
      } else if (connects || XmlFile::is(*one, "weld")) {
        if (all.count("body1") == 0) xml_.fail(line, std::string(one->Name()) + " has no body1");
        if (all.count("torquescale") > 0) leave_out(robot_, "torquescale of welds", line);
        const std::vector<double> pose = numbers(*one, all, "relpose", 7, 7);
        if (pose.size() == 7 && (pose[3] != 0 || pose[4] != 0 || pose[5] != 0 || pose[6] != 0))
          xml_.fail(line, "a weld has a relpose, expected one as the bodies are drawn");
        Robot::Joint joint;
        joint.given = word(all, "name", std::string(one->Name()) + std::to_string(robot_.joints.size()));
        joint.type = connects ? "spherical" : "weld";
        joint.line = line;
        joint.parent = link(*one, all, "body1");
        joint.child = link(*one, all, "body2");
        joint.on_parent.p = connects ? vector(*one, all, "anchor", Vector3::Zero()) : Vector3(Vector3::Zero());
        joint.on_child = robot_.links[joint.child].place.inverse() * robot_.links[joint.parent].place * joint.on_parent;
        robot_.joints.push_back(std::move(joint));
      } else if (XmlFile::is(*one, "joint")) {
        Robot::Joint& joint = joint_named(*one, word(all, "joint1"));
        if (!joint.follows.empty())
          xml_.fail(line, "joint " + joint.given + " is joint1 of two equalities, expected one");
        joint.follows = {0, 1, 0, 0, 0};
        const std::vector<double> given = numbers(*one, all, "polycoef", 1, 5);
        std::copy(given.begin(), given.end(), joint.follows.begin());
        if (all.count("joint2") > 0) {
          joint_named(*one, word(all, "joint2"));
          joint.followed = joint_of_.at(word(all, "joint2"));
        } else {
          joint.follows.resize(1);
        }
      } else {
        xml_.fail(line,
                  "the equality " + std::string(one->Name()) + " has no counterpart, expected connect, weld or joint");
      }
    }
  }

  void read_actuators(const XMLElement& element) {
    for (const XMLElement* one = element.FirstChildElement(); one; one = one->NextSiblingElement()) {
      const Attributes all = attributes(*one, "main", "actuator");
      const std::string kind = one->Name(), joint = word(all, "joint", word(all, "jointinparent"));
      const int line = one->GetLineNum();
      if ((kind != "motor" && kind != "position" && kind != "velocity") || joint.empty()) {
        leave_out(robot_, kind + (joint.empty() ? " without a joint" : "") + " of actuators", line);
        continue;
      }
      joint_named(*one, joint);
      Robot::Motor motor;
      motor.given = word(all, "name", joint + "_" + kind);
      motor.line = line;
      motor.joint = joint_of_.at(joint);
      motor.reference = references_[joint];
      if (const std::vector<double> gear = numbers(*one, all, "gear", 1, 6); !gear.empty()) motor.gear = gear[0];
      motor.by_control = number(*one, all, "gain", 1);
      if (kind == "position") {
        motor.by_position = motor.by_control;
        motor.by_speed = number(*one, all, "kv", 0);
      } else if (kind == "velocity") {
        motor.by_speed = motor.by_control;
      }
      for (const char* name : {"ctrlrange", "forcerange", "inheritrange", "dampratio", "timeconst"})
        if (all.count(name) > 0) leave_out(robot_, std::string(name) + " of actuators", line);
      robot_.motors.push_back(motor);
    }
  }

  Robot robot_;
  std::map<std::string, std::pair<std::string, Vector3>> meshes_;  ///< their files and scales
  std::map<std::string, std::size_t> link_of_, joint_of_;
  std::set<std::string> joint_names_;
  std::map<std::size_t, Mass> geoms_mass_;                    ///< of bodies
  std::vector<std::pair<std::size_t, std::size_t>> between_;  ///< links between joints, and their bodies
  std::map<std::string, double> references_;  ///< what MuJoCo calls the position of a joint where it is drawn
  std::vector<double> groups_{0, 5};          ///< of geoms that weigh
  bool automatic_limits_ = true;
  std::string inertia_of_geoms_ = "auto", mesh_folder_;
};

}  // namespace

std::string mjcf_as_toml(const std::string& xml, const std::string& file, const std::string& folder) {
  return robot_as_toml(MjcfReader(xml, file).robot(), folder);
}

}  // namespace gnomon::mechanism

#else

namespace gnomon::mechanism {

std::string mjcf_as_toml(const std::string&, const std::string& file, const std::string&) {
  throw Error(ErrorCode::refused, file + ": Gnomon was built without tinyxml2 (libtinyxml2-dev), which reads MJCF");
}

}  // namespace gnomon::mechanism

#endif
