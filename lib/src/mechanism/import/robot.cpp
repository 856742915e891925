#include "mechanism/import/robot.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <deque>
#include <filesystem>
#include <set>
#include <sstream>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/base/thresholds.hpp"
#include "mechanism/bodies/bodies.hpp"
#include "mechanism/formula.hpp"

namespace gnomon::mechanism {

using Vector3 = Robot::Vector3;
using Matrix3 = Robot::Matrix3;
using Frame = Robot::Frame;

namespace {

template <class V>
std::string list(const V& x) {
  std::string text = "[";
  for (Eigen::Index i = 0; i < x.size(); ++i) text += (i ? ", " : "") + shortest(x[i]);
  return text + "]";
}
Vector3 cleaned(const Vector3& x, double size = 1) {
  return x.unaryExpr([size](double one) { return without_rounding(one, size); });
}
std::string list(const Matrix3& rows) {
  return "[" + list(Vector3(rows.row(0))) + ", " + list(Vector3(rows.row(1))) + ", " + list(Vector3(rows.row(2))) + "]";
}
/// In a comment or a string of the file.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return out;
}
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : plain(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

void leave_out(Robot& robot, const std::string& what, int line) {
  auto& [first, count] = robot.left_out[what];
  if (count++ == 0) first = line;
}

void add_shape(Robot& robot, Robot::Link& link, const std::string& name, const std::vector<double>& sizes,
               const Frame& place, int line) {
  std::string text;
  for (const double size : sizes) {
    if (!(size > 0)) return leave_out(robot, "visual with a size of " + shortest(size), line);
    text += (text.empty() ? "" : ", ") + shortest(size);
  }
  link.looks.push_back({name + " = " + (sizes.size() > 1 ? "[" + text + "]" : text), 0, place});
}

std::string mesh_path(const Robot& robot, const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(robot.file).parent_path();
  const std::size_t scheme = path.find("://");
  if (scheme == std::string::npos) return (folder / path).string();
  const std::filesystem::path rest = path.substr(scheme + 3);
  if (rest.is_absolute() || rest.empty()) return rest.string();
  // The folder of this name that the file is in, or that is beside one of these.
  std::error_code ignored;
  for (std::filesystem::path above = std::filesystem::absolute(folder, ignored);; above = above.parent_path()) {
    if (std::filesystem::exists(above / rest, ignored) || above == above.parent_path()) return (above / rest).string();
  }
}

void add_mesh(Robot& robot, Robot::Link& link, const std::string& path, const Vector3& scale, const Frame& place,
              int line) {
  if (!(scale.minCoeff() > 0) || scale.minCoeff() != scale.maxCoeff())
    return leave_out(robot, "mesh with the scale " + list(scale), line);
  const std::string file = mesh_path(robot, path);
  try {
    read_triangles(file);
  } catch (const std::runtime_error& error) {
    return leave_out(robot, "mesh " + path + ", which " + error.what(), line);
  }
  std::error_code ignored;
  link.looks.push_back({std::filesystem::absolute(file, ignored).lexically_normal().string(), scale[0], place});
}

Matrix3 turned_by_rpy(const std::vector<double>& rpy) {
  return (Eigen::AngleAxisd(rpy[2], Vector3::UnitZ()) * Eigen::AngleAxisd(rpy[1], Vector3::UnitY()) *
          Eigen::AngleAxisd(rpy[0], Vector3::UnitX()))
      .toRotationMatrix();
}

double without_rounding(double x, double size) {
  const double power = std::pow(10, 12 - std::floor(std::log10(size)));
  const double near = std::round(x * power) / power;
  return std::abs(x - near) <= thresholds::entry_rounding * size ? near : x;
}

std::string shortest(double x) {
  return shortest_text(x == 0 ? 0 : x);
}

namespace {

class RobotWriter {
 public:
  RobotWriter(const Robot& robot, const std::string& folder)
      : robot_(robot), folder_(folder), links_(robot.links), joints_(robot.joints), notes_(robot.notes) {
    for (const std::string& word : words_of_bodies()) taken_.insert(word);
    for (const Robot::Link& link : links_) link_names_.push_back(named(link.given, link.line));
    for (const Robot::Joint& joint : joints_) {
      joint_names_.push_back(joint.type == "fixed" ? "" : named(joint.given, joint.line));
      if (joint.type != "fixed")
        for (const char* of_joint : {"_origin", "_start", "_speed", "_mimics", "_thread"})
          taken_.insert(joint_names_.back() + of_joint);
    }
    for (const Robot::Gear& gear : robot.gears) gear_names_.push_back(named(gear.given, gear.line));
    for (const Robot::Motor& motor : robot.motors) {
      motor_names_.push_back(named(motor.given, motor.line));
      taken_.insert(motor_names_.back() + "_control");
    }
    reach_all();
  }

  std::string toml() {
    std::ostringstream body;
    body << "gravity = " << list(robot_.gravity) << "\n";
    write_points(body);
    for (const bool between : {false, true})
      for (const std::size_t k : order_)
        if (group_[k] == k && links_[k].between == between) write_body(body, k);
    write_joints(body);
    write_motors(body);
    write_parameters(body);
    std::ostringstream head;
    head << "format = 1\nname = " << quoted(robot_.name) << "\n# From " << plain(robot_.file) << ".\n";
    for (const auto& [what, seen] : robot_.left_out)
      head << "# Left out: " << plain(what) << ", line " << seen.first
           << (seen.second > 1 ? " and " + std::to_string(seen.second - 1) + " more" : "") << ".\n";
    for (const std::string& note : notes_) head << "# " << plain(note) << "\n";
    return head.str() + body.str();
  }

 private:
  /// The group of everything that is fixed in space.
  static constexpr std::size_t space = static_cast<std::size_t>(-1);
  static constexpr std::size_t none = static_cast<std::size_t>(-2);

  [[noreturn]] void fail(int line, const std::string& sentence) const {
    throw error_at({robot_.file, line, 1}, plain(sentence));
  }
  static std::string at_line(int line) { return line > 0 ? " (line " + std::to_string(line) + ")" : ""; }
  /// A name of formulas that nothing else has.
  std::string named(const std::string& given, int line) {
    std::string name;
    for (const char c : given) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name = "n" + name;
    while (is_reserved(name) || taken_.count(name) > 0) name += "_";
    taken_.insert(name);
    std::string scoped = given;
    for (std::size_t at = scoped.find("::"); at != std::string::npos; at = scoped.find("::"))
      scoped.replace(at, 2, "__");
    if (name == scoped && name != given && !has_scopes_)
      notes_.push_back("In names of models in models :: is written __.");
    has_scopes_ = has_scopes_ || (name == scoped && name != given);
    if (name != scoped) notes_.push_back(given + at_line(line) + " is named " + name + ".");
    return name;
  }

  // The spanning tree.

  /// Links from what is fixed in space outwards, then from the first link that is free: what moves as one, and where it
  /// is when all joints are at zero.
  void reach_all() {
    group_.assign(links_.size(), none);
    in_group_.resize(links_.size());
    world_.resize(links_.size());
    joint_to_.assign(links_.size(), none);
    touching_.resize(links_.size());
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      touching_[joints_[j].parent].push_back(j);
      touching_[joints_[j].child].push_back(j);
    }
    for (std::size_t k = 0; k < links_.size(); ++k)
      if (links_[k].fixed) begin(k, space);
    go_on();
    for (std::size_t k = 0; k < links_.size(); ++k) {
      if (group_[k] != none) continue;
      begin(k, k);
      go_on();
    }
    for (const Frame& frame : world_) extent_ = std::max(extent_, frame.p.cwiseAbs().maxCoeff());
    for (const Robot::Joint& joint : joints_)
      for (const Frame& frame : {joint.on_parent, joint.on_child})
        extent_ = std::max(extent_, frame.p.cwiseAbs().maxCoeff());
    if (!(extent_ > 0)) extent_ = 1;
    members_.resize(links_.size());
    for (const std::size_t k : order_)
      if (group_[k] != space) members_[group_[k]].push_back(k);
  }
  void begin(std::size_t k, std::size_t group) {
    if (group_[k] != none) return;
    group_[k] = group;
    world_[k] = links_[k].place;
    if (group == space) in_group_[k] = world_[k];
    add_fixed(k);
  }
  /// Link k is reached, and with it all that is fixed to it.
  void add_fixed(std::size_t k) {
    for (std::deque<std::size_t> open{k}; !open.empty(); open.pop_front()) {
      const std::size_t at = open.front();
      order_.push_back(at);
      for (const std::size_t j : touching_[at]) {
        const std::size_t other = across(j, at);
        if (joints_[j].type != "fixed" || group_[other] != none) continue;
        const Frame step = way(j, at);
        group_[other] = group_[at];
        in_group_[other] = in_group_[at] * step;
        world_[other] = world_[at] * step;
        open.push_back(other);
      }
    }
  }
  void go_on() {
    for (; reached_ < order_.size(); ++reached_) {
      const std::size_t at = order_[reached_];
      for (const std::size_t j : touching_[at]) {
        const std::size_t k = across(j, at);
        if (group_[k] != none) continue;
        group_[k] = k;
        world_[k] = world_[at] * way(j, at);
        joint_to_[k] = j;
        add_fixed(k);
      }
    }
  }
  std::size_t across(std::size_t j, std::size_t link) const {
    return joints_[j].parent == link ? joints_[j].child : joints_[j].parent;
  }
  /// The other link of a joint at zero in the axes of one.
  Frame way(std::size_t j, std::size_t from) const {
    const Robot::Joint& joint = joints_[j];
    return joint.parent == from ? joint.on_parent * joint.on_child.inverse()
                                : joint.on_child * joint.on_parent.inverse();
  }
  bool in_tree(std::size_t j) const { return joint_to_[joints_[j].child] == j || joint_to_[joints_[j].parent] == j; }
  /// A joint that is written; what is fixed together has none.
  bool is_joint(std::size_t j) const {
    return joints_[j].type != "fixed" && group_[joints_[j].parent] != group_[joints_[j].child];
  }

  // A joint on the bodies of its links.

  std::size_t link_of(std::size_t j, bool parent) const { return parent ? joints_[j].parent : joints_[j].child; }
  Frame on_body(std::size_t j, bool parent) const {
    const Robot::Joint& joint = joints_[j];
    return in_group_[link_of(j, parent)] * (parent ? joint.on_parent : joint.on_child);
  }
  Vector3 at(const Frame& frame) const { return cleaned(frame.p, extent_); }
  /// The marker of a joint on a body.
  std::string marker(std::size_t j, bool parent) const {
    return !parent && at(on_body(j, parent)).isZero(0) ? "origin" : joint_names_[j];
  }
  std::string partner(std::size_t j, bool parent) const {
    const std::size_t body = group_[link_of(j, parent)];
    return body == space ? joint_names_[j] + "_origin" : link_names_[body] + "." + marker(j, parent);
  }

  // Tables of the file.

  void write_points(std::ostream& out) const {
    std::string points;
    for (std::size_t j = 0; j < joints_.size(); ++j)
      for (const bool parent : {true, false})
        if (is_joint(j) && group_[link_of(j, parent)] == space)
          points += joint_names_[j] + "_origin = " + list(at(on_body(j, parent))) + "\n";
    for (const std::size_t i : order_)
      if (group_[i] == space && !links_[i].fixed && links_[i].looks.empty())
        points += link_names_[i] + " = " + list(at(in_group_[i])) + "\n";
    if (!points.empty()) out << "\n[points]\n" << points;
    for (const std::size_t i : order_) {
      if (group_[i] != space || links_[i].looks.empty()) continue;
      out << "\n[points." << link_names_[i] << "]\nposition = " << list(at(in_group_[i])) << "\n";
      write_looks(out, {i}, Frame{in_group_[i].R, Vector3::Zero()});
    }
  }

  void write_body(std::ostream& out, std::size_t k) const {
    const std::string& name = link_names_[k];
    const std::size_t own = joint_to_[k];
    std::string with;
    Vector3 moment = Vector3::Zero();
    double mass = 0;
    for (const std::size_t i : members_[k]) {
      mass += links_[i].mass;
      moment += links_[i].mass * (in_group_[i].R * links_[i].centre + in_group_[i].p);
      if (i != k) with += (with.empty() ? "" : ", ") + plain(links_[i].given);
    }
    if (!(mass > 0))
      fail(links_[k].line, "link " + links_[k].given + " has no mass and moves" +
                               (own == none ? "" : " by joint " + joints_[own].given) +
                               ", expected an inertial, or a fixed joint");
    Matrix3 inertia = links_[k].inertia;
    if (!with.empty()) {
      inertia.setZero();
      for (const std::size_t i : members_[k]) {
        const Matrix3& R = in_group_[i].R;
        const Vector3 apart = R * links_[i].centre + in_group_[i].p - moment / mass;
        inertia += R * links_[i].inertia * R.transpose() +
                   links_[i].mass * (apart.squaredNorm() * Matrix3::Identity() - apart * apart.transpose());
      }
    }
    out << "\n[bodies." << name << "]" << (with.empty() ? "" : "  # with " + with) << "\nmass = " << shortest(mass)
        << "\ninertia = " << (inertia.isDiagonal(0) ? list(Vector3(inertia.diagonal())) : list(inertia))
        << "\ncentre_of_mass = " << list(cleaned(moment / mass, extent_)) << "\nmarkers = { origin = [0, 0, 0]";
    for (const std::size_t i : members_[k])
      for (const std::size_t j : touching_[i])
        if (const bool parent = joints_[j].parent == i; is_joint(j) && marker(j, parent) != "origin")
          out << ", " << joint_names_[j] << " = " << list(at(on_body(j, parent)));
    for (const std::size_t i : members_[k])
      if (i != k) out << ", " << link_names_[i] << " = " << list(at(in_group_[i]));
    out << " }\n";
    write_looks(out, members_[k], std::nullopt);
    // A free body is where it is drawn, at rest, whatever angles and speeds joints start with.
    if (own == none || joints_[own].type == "floating")
      out << "velocity = [0, 0, 0]\nangular_velocity = [0, 0, 0]\nhold = true\n";
    if (own == none)
      out << "position = " << list(at(world_[k])) << "\n" << orientation(world_[k].R, "") << "\n";
    else
      write_place(out, k, own);
  }
  /// Looks of links that are at a frame, or of those of a body.
  void write_looks(std::ostream& out, const std::vector<std::size_t>& links, const std::optional<Frame>& frame) const {
    std::string looks;
    for (const std::size_t i : links)
      for (const Robot::Look& look : links_[i].looks) {
        const Frame place = frame.value_or(in_group_[i]) * look.place;
        std::filesystem::path path = look.text;
        if (look.scale > 0 && !folder_.empty()) path = path.lexically_relative(folder_);
        looks +=
            (looks.empty() ? "\n  { " : ",\n  { ") +
            (look.scale > 0 ? "mesh = " + quoted(path.string()) + ", scale = " + shortest(look.scale) : look.text) +
            (at(place).isZero(0) ? "" : ", position = " + list(at(place))) +
            (place.R.isIdentity(thresholds::entry_rounding) ? "" : ", " + orientation(place.R, "")) + " }";
      }
    if (!looks.empty()) out << "drawn = [" << looks << "\n]\n";
    if (links_[links[0]].between) out << "drawn = []\n";
  }
  void write_place(std::ostream& out, std::size_t k, std::size_t own) const {
    const Robot::Joint& joint = joints_[own];
    const bool is_child = joint.child == k;
    const std::size_t other = link_of(own, is_child), body = group_[other];
    const std::string relative = body == space ? "" : ", relative = \"" + link_names_[body] + "\"";
    out << "place = { " << marker(own, !is_child) << " = \"" << partner(own, is_child) << "\" }\n";
    // The angles of the file where the parent is no part of a larger body.
    if (is_child && joint.rpy && in_group_[other].R.isIdentity(0) && joint.on_child.R.isIdentity(0))
      out << "orientation = { rpy = " << list(Vector3((*joint.rpy)[0], (*joint.rpy)[1], (*joint.rpy)[2])) << relative
          << " }\n";
    else
      out << orientation(on_body(own, is_child).R * on_body(own, !is_child).R.transpose(), relative) << "\n";
  }
  /// By angles where these give the matrix again.
  static std::string orientation(const Matrix3& R, const std::string& relative) {
    return "orientation = { " + turn(R) + relative + " }";
  }
  static std::string turn(const Matrix3& R) {
    const Vector3 rpy(std::atan2(R(2, 1), R(2, 2)), std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0))),
                      std::atan2(R(1, 0), R(0, 0)));
    const bool exact = (turned_by_rpy({rpy[0], rpy[1], rpy[2]}) - R).cwiseAbs().maxCoeff() < thresholds::entry_rounding;
    return exact ? "rpy = " + list(cleaned(rpy))
                 : "matrix = " + list(Matrix3(R.unaryExpr([](double x) { return without_rounding(x); })));
  }

  void write_joints(std::ostream& out) const {
    std::string joints, constraints;
    bool loops = false;
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const Robot::Joint& joint = joints_[j];
      const std::string& name = joint_names_[j];
      if (!is_joint(j) || joint.type == "floating") continue;
      const bool slides = joint.type == "prismatic";
      const Matrix3 axes = world_[joint.parent].R * joint.on_parent.R;
      joints += name + " = { type = \"" + joint.type + "\", between = [\"" + partner(j, true) + "\", \"" +
                partner(j, false) + "\"]";
      if (joint.axes.size() == 1) joints += ", axis = " + list(cleaned(axes * joint.axes[0]));
      if (joint.axes.size() == 2)
        joints += ", axes = [" + list(cleaned(axes * joint.axes[0])) + ", " + list(cleaned(axes * joint.axes[1])) + "]";
      if (joint.follows.empty() && (joint.lower || joint.upper)) {
        const std::string lower = joint.lower ? shortest(*joint.lower) : "",
                          upper = joint.upper ? shortest(*joint.upper) : "";
        joints += ", limits = " + (joint.lower && joint.upper ? "[" + lower + ", " + upper + "]"
                                   : joint.lower              ? "{ lower = " + lower + " }"
                                                              : "{ upper = " + upper + " }");
      }
      if (joint.stiffness) joints += ", stiffness = " + shortest(*joint.stiffness);
      if (joint.rest != 0) joints += ", rest = " + shortest(joint.rest);
      if (joint.damping != 0) joints += ", damping = " + shortest(joint.damping);
      if (joint.friction != 0)
        joints +=
            std::string(", ") + (slides ? "friction_force" : "friction_torque") + " = " + shortest(joint.friction);
      if (starts(j))
        joints += std::string(", start = { ") + (slides ? "distance" : "angle") + " = \"" + name +
                  "_start\", speed = \"" + name + "_speed\" }";
      joints += " }\n";
      loops = loops || !in_tree(j);
      if (joint.lead)
        joints += name + "_thread = { type = \"gear\", of = [\"" + name + ".angle\", \"" + name +
                  ".distance\"], ratio = " + shortest(*joint.lead) + " }\n";
      if (!joint.follows.empty()) constraints += name + "_mimics = \"" + motion(j) + " - (" + followed(joint) + ")\"\n";
    }
    for (std::size_t g = 0; g < robot_.gears.size(); ++g) {
      const Robot::Gear& gear = robot_.gears[g];
      std::string of, ratios;
      for (std::size_t i = 0; i < gear.joints.size(); ++i) {
        of += (i ? ", \"" : "\"") + joint_names_[gear.joints[i]] + "\"";
        ratios += (i ? ", " : "") + shortest(gear.ratios[i]);
      }
      joints += gear_names_[g] + " = { type = \"gear\", of = [" + of + "], ratios = [" + ratios + "] }\n";
    }
    if (!joints.empty()) out << "\n[joints]\n" << joints;
    if (!constraints.empty()) out << "\n[constraints]\n" << constraints;
    if (loops || !constraints.empty()) out << "\n[start]\nassemble = true\n";
  }
  std::string followed(const Robot::Joint& joint) const {
    std::string text = shortest(joint.follows[0]);
    for (std::size_t k = 1; k < joint.follows.size(); ++k)
      if (joint.follows[k] != 0)
        text += " + (" + shortest(joint.follows[k]) + ")*" + motion(joint.followed) +
                (k > 1 ? "^" + std::to_string(k) : "");
    return text;
  }
  std::string motion(std::size_t j) const {
    return joint_names_[j] + (joints_[j].type == "prismatic" ? ".distance" : ".angle");
  }
  bool starts(std::size_t j) const {
    return joints_[j].moves_by_one() && joints_[j].follows.empty() && is_joint(j) && in_tree(j);
  }

  void write_motors(std::ostream& out) const {
    if (!robot_.motors.empty()) out << "\n[motors]\n";
    for (std::size_t m = 0; m < robot_.motors.size(); ++m) {
      const Robot::Motor& motor = robot_.motors[m];
      const bool slides = joints_[motor.joint].type == "prismatic";
      const std::string& name = motor_names_[m];
      const auto term = [](double factor, const std::string& what) {
        return factor == 0 ? "" : " - (" + shortest(factor) + ")*" + what;
      };
      const std::string position =
          motion(motor.joint) + (motor.reference == 0 ? "" : " + " + shortest(motor.reference));
      out << name << " = { joint = \"" << joint_names_[motor.joint] << "\", " << (slides ? "force" : "torque")
          << " = \"(" << shortest(motor.gear * motor.by_control) << ")*" << name << "_control"
          << term(motor.gear * motor.gear * motor.by_position, "(" + position + ")")
          << term(motor.gear * motor.gear * motor.by_speed, joint_names_[motor.joint] + (slides ? ".slip" : ".speed"))
          << "\" }\n";
    }
  }

  void write_parameters(std::ostream& out) const {
    bool any = false;
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const Robot::Joint& joint = joints_[j];
      if (!starts(j)) continue;
      const char* const unit = joint.type == "prismatic" ? "m" : "rad";
      // At zero, or as near as the limits allow.
      double start = 0;
      if (joint.lower) start = std::max(start, *joint.lower);
      if (joint.upper) start = std::min(start, *joint.upper);
      out << (any ? "" : "\n[parameters]\n") << joint_names_[j] << "_start = { value = " << shortest(start)
          << ", unit = \"" << unit << "\" }\n"
          << joint_names_[j] << "_speed = { value = 0, unit = \"" << unit << "/s\" }\n";
      any = true;
    }
    for (const std::string& name : motor_names_) {
      out << (any ? "" : "\n[parameters]\n") << name << "_control = 0\n";
      any = true;
    }
  }

  const Robot& robot_;
  const std::string folder_;
  const std::vector<Robot::Link>& links_;
  const std::vector<Robot::Joint>& joints_;
  std::vector<std::string> notes_, link_names_, joint_names_, gear_names_, motor_names_;
  bool has_scopes_ = false;
  std::set<std::string> taken_{"gravity", "origin"};
  std::vector<std::size_t> order_, group_;  ///< links from the root on; which link stands for all that move with it
  std::vector<Frame> in_group_, world_;
  std::vector<std::size_t> joint_to_;               ///< of the tree, to the first link of a body
  std::vector<std::vector<std::size_t>> touching_;  ///< joints at each link
  std::vector<std::vector<std::size_t>> members_;   ///< links of the body that a link stands for
  std::size_t reached_ = 0;
  double extent_ = 0;
};

}  // namespace

std::string robot_as_toml(const Robot& robot, const std::string& folder) {
  return RobotWriter(robot, folder).toml();
}

}  // namespace gnomon::mechanism
