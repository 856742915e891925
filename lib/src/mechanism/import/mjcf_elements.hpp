#pragma once
/// \file
/// Elements of MJCF: attributes that they or their classes give, and frames.

#ifdef GNOMON_HAS_TINYXML2

#include <Eigen/Geometry>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gnomon/base/numbers.hpp"
#include "mechanism/import/xml_file.hpp"

namespace gnomon::mechanism {

class MjcfElements {
 protected:
  using XMLElement = tinyxml2::XMLElement;
  using Vector3 = Robot::Vector3;
  using Matrix3 = Robot::Matrix3;
  using Frame = Robot::Frame;
  using Attributes = std::map<std::string, std::string>;
  using Defaults = std::map<std::string, Attributes>;  ///< by the name of an element

  MjcfElements(const std::string& xml, const std::string& file) : xml_(xml, file, "mujoco") {}

  void read_default(const XMLElement& element, const Defaults& outer, const std::string& name) {
    Defaults all = outer;
    for (const XMLElement* one = element.FirstChildElement(); one; one = one->NextSiblingElement())
      if (!XmlFile::is(*one, "default"))
        overlay(*one, all[actuators().count(one->Name()) > 0 ? "actuator" : one->Name()]);
    classes_[name] = all;
    for (const XMLElement* one = element.FirstChildElement("default"); one; one = one->NextSiblingElement("default"))
      read_default(*one, all, xml_.text(*one, "class"));
  }
  static const std::set<std::string>& actuators() {
    static const std::set<std::string> kinds{"general", "motor", "position", "velocity"};
    return kinds;
  }
  /// The attributes of an element over others. All actuators have one gain, whichever kind it was given for.
  static void overlay(const XMLElement& element, Attributes& all) {
    const std::string kind = element.Name();
    const bool acts = actuators().count(kind) > 0;
    if (kind == "motor") all["gain"] = "1";
    for (const tinyxml2::XMLAttribute* a = element.FirstAttribute(); a; a = a->Next()) {
      const std::string name = a->Name();
      const bool gain = acts && (name == (kind == "position" ? "kp" : kind == "velocity" ? "kv" : "gainprm"));
      all[gain ? "gain" : name] = a->Value();
    }
  }
  /// The attributes of an element with those of its class, or of the class of a body's children where it has none;
  /// `of` is the element that defaults are given for.
  Attributes attributes(const XMLElement& element, const std::string& child_class, const std::string& of = "") const {
    const std::string name = element.Attribute("class") ? element.Attribute("class") : child_class;
    const auto found = classes_.find(name);
    if (found == classes_.end() && name != "main")
      xml_.fail(element.GetLineNum(), "there is no default class \"" + name + "\"");
    Attributes out;
    if (found != classes_.end())
      if (const auto at = found->second.find(of.empty() ? element.Name() : of); at != found->second.end())
        out = at->second;
    overlay(element, out);
    return out;
  }
  /// Numbers of an attribute, at least and at most so many; none without it.
  std::vector<double> numbers(const XMLElement& element, const Attributes& all, const char* name, std::size_t least,
                              std::size_t most) const {
    const auto at = all.find(name);
    if (at == all.end()) return {};
    std::istringstream words(at->second);
    std::vector<double> out;
    for (std::string word; words >> word;) {
      double x = 0;
      if (!read_number(word, x) || !std::isfinite(x)) {
        out.clear();
        break;
      }
      out.push_back(x);
    }
    if (out.size() < least || out.size() > most || out.empty())
      xml_.fail(element.GetLineNum(),
                std::string(name) + " of " + element.Name() + " is \"" + at->second + "\", expected " +
                    (least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most)) +
                    (most == 1 ? " number" : " numbers"));
    return out;
  }
  double number(const XMLElement& element, const Attributes& all, const char* name, double otherwise) const {
    const std::vector<double> found = numbers(element, all, name, 1, 10);
    return found.empty() ? otherwise : found[0];
  }
  Vector3 vector(const XMLElement& element, const Attributes& all, const char* name, const Vector3& otherwise) const {
    const std::vector<double> x = numbers(element, all, name, 3, 3);
    return x.empty() ? otherwise : Vector3(x[0], x[1], x[2]);
  }
  static std::string word(const Attributes& all, const char* name, const std::string& otherwise = "") {
    const auto at = all.find(name);
    return at == all.end() ? otherwise : at->second;
  }
  Vector3 direction(const XMLElement& element, const Vector3& v, const char* name) const {
    if (!(v.norm() > 0)) xml_.fail(element.GetLineNum(), std::string(name) + " of " + element.Name() + " is zero");
    return v.normalized();
  }
  double angle() const { return degrees_ ? 3.14159265358979323846 / 180 : 1; }

  /// The frame by pos and one of quat, axisangle, euler, xyaxes and zaxis.
  Frame frame(const XMLElement& element, const Attributes& all) const {
    Frame out;
    out.p = vector(element, all, "pos", out.p);
    // If there are several ways, that of the element is before that of its class, and a quaternion is the last one.
    std::string way = "quat";
    for (const bool own : {false, true})
      for (const char* one : {"axisangle", "euler", "xyaxes", "zaxis"})
        if (own ? element.Attribute(one) != nullptr : all.count(one) > 0) way = one;
    const auto given = [&](const char* name, std::size_t count) {
      return way == name ? numbers(element, all, name, count, count) : std::vector<double>{};
    };
    const std::vector<double> quat = given("quat", 4), turn = given("axisangle", 4), euler = given("euler", 3),
                              xy = given("xyaxes", 6), z = given("zaxis", 3);
    if (!quat.empty()) {
      const Eigen::Quaterniond q(quat[0], quat[1], quat[2], quat[3]);
      if (!(q.norm() > 0)) xml_.fail(element.GetLineNum(), std::string("quat of ") + element.Name() + " is zero");
      out.R = q.normalized().toRotationMatrix();
    } else if (!turn.empty()) {
      const Vector3 axis = direction(element, Vector3(turn[0], turn[1], turn[2]), "axisangle");
      out.R = Eigen::AngleAxisd(turn[3] * angle(), axis).toRotationMatrix();
    } else if (!euler.empty()) {
      for (std::size_t i = 0; i < 3; ++i) {
        const char letter = euler_order_[i];
        const Matrix3 step =
            Eigen::AngleAxisd(euler[i] * angle(), Vector3::Unit(std::tolower(letter) - 'x')).toRotationMatrix();
        // Small letters turn about the axes that turn along, capital ones about the fixed ones.
        out.R = std::islower(static_cast<unsigned char>(letter)) ? Matrix3(out.R * step) : Matrix3(step * out.R);
      }
    } else if (!xy.empty()) {
      const Vector3 x = direction(element, Vector3(xy[0], xy[1], xy[2]), "xyaxes"), other(xy[3], xy[4], xy[5]);
      const Vector3 y = direction(element, other - x.dot(other) * x, "xyaxes");
      out.R << x, y, x.cross(y);
    } else if (!z.empty()) {
      const Vector3 to = direction(element, Vector3(z[0], z[1], z[2]), "zaxis");
      out.R = Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), to).toRotationMatrix();
    }
    out.R = out.R.unaryExpr([](double x) { return without_rounding(x); });
    return out;
  }

  XmlFile xml_;
  std::map<std::string, Defaults> classes_;
  bool degrees_ = true;
  std::string euler_order_ = "xyz";
};

}  // namespace gnomon::mechanism

#endif
