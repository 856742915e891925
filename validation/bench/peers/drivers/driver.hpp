#pragma once
/// \file
/// What the drivers of other programs have in common: the mechanism that they read, what they measure, what they
/// answer. A driver links one of these programs and nothing of Gnomon.
///
///     DRIVER MECHANISM UNTIL METHOD SETTING LIMIT WATCH
///
/// runs the mechanism of a file to the time UNTIL by a method at a step or an accuracy, for LIMIT seconds of processor
/// time at most; WATCH 1 looks at energy and joints after every step, outside of the time that it reports. It prints
///
///     status ok|too long|the reason of a failure
///     steps N, seconds S, energy E, gap G     (a line each)
///     centre X Y Z                            (one a body)
///
/// with the processor time of the steps alone, the largest |H - H0|/max(max |T|, max |U|), and the largest distance of
/// the two points that a joint holds together.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

namespace driver {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;

struct Body {
  std::string name;
  double mass = 0;
  Matrix3 inertia;             // about the centre of mass, in body axes
  Vector3 position;            // of the centre of mass
  Matrix3 axes;                // its columns are the body axes
  Vector3 velocity, rotation;  // angular velocity in space
  Vector3 local(const Vector3& point) const { return axes.transpose() * (point - position); }
  Vector3 direction(const Vector3& v) const { return axes.transpose() * v; }
};
struct Joint {
  std::string name, type;
  int a = -1, b = -1;  // bodies, or -1: space
  bool closes = false;
  Vector3 point, axis;
};
struct Mechanism {
  Vector3 gravity;
  bool planar = false;
  std::vector<Body> bodies;
  std::vector<Joint> joints;

  Vector3 local(int body, const Vector3& point) const {
    return body < 0 ? point : bodies[static_cast<std::size_t>(body)].local(point);
  }
  Vector3 direction(int body, const Vector3& v) const {
    return body < 0 ? v : bodies[static_cast<std::size_t>(body)].direction(v);
  }
  Vector3 rotation(int body) const {
    return body < 0 ? Vector3(0, 0, 0) : bodies[static_cast<std::size_t>(body)].rotation;
  }
};

inline std::istream& operator>>(std::istream& in, Vector3& v) {
  return in >> v[0] >> v[1] >> v[2];
}
inline std::istream& operator>>(std::istream& in, Matrix3& m) {
  for (int i = 0; i < 9; ++i) in >> m(i / 3, i % 3);
  return in;
}

/// See mechanism_text of peers.cpp, which writes it.
inline Mechanism read_mechanism(const char* path) {
  Mechanism out;
  std::ifstream in(path);
  std::size_t bodies = 0, joints = 0;
  in >> out.planar >> out.gravity >> bodies >> joints;
  out.bodies.resize(bodies);
  for (Body& body : out.bodies)
    in >> body.name >> body.mass >> body.inertia >> body.position >> body.axes >> body.velocity >> body.rotation;
  out.joints.resize(joints);
  for (Joint& joint : out.joints)
    in >> joint.name >> joint.type >> joint.a >> joint.b >> joint.closes >> joint.point >> joint.axis;
  if (!in) {
    std::printf("status the mechanism %s cannot be read\n", path);
    std::exit(1);
  }
  return out;
}

inline double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Where a body is, and how it moves.
struct Pose {
  Vector3 position;
  Matrix3 axes;
  Vector3 velocity, rotation;
};

/// Energy and joints over a run.
class Levels {
 public:
  explicit Levels(const Mechanism& mechanism) : mechanism_(mechanism) {}
  void see(const std::vector<Pose>& poses) {
    double kinetic = 0, potential = 0;
    for (std::size_t k = 0; k < poses.size(); ++k) {
      const Body& body = mechanism_.bodies[k];
      const Vector3 turning = poses[k].axes.transpose() * poses[k].rotation;
      kinetic += body.mass * poses[k].velocity.squaredNorm() / 2 + turning.dot(body.inertia * turning) / 2;
      potential -= body.mass * mechanism_.gravity.dot(poses[k].position);
    }
    if (!seen_) first_ = kinetic + potential;
    seen_ = true;
    scale_ = std::max({scale_, kinetic, std::abs(potential)});
    error_ = std::max(error_, std::abs(kinetic + potential - first_));
    for (const Joint& joint : mechanism_.joints) {
      const auto now = [&](int body) -> Vector3 {
        if (body < 0) return joint.point;
        const Pose& pose = poses[static_cast<std::size_t>(body)];
        return pose.position + pose.axes * mechanism_.local(body, joint.point);
      };
      gap_ = std::max(gap_, (now(joint.a) - now(joint.b)).norm());
    }
  }
  double energy() const { return scale_ > 0 ? error_ / scale_ : 0; }
  double gap() const { return gap_; }

 private:
  const Mechanism& mechanism_;
  bool seen_ = false;
  double first_ = 0, scale_ = 0, error_ = 0, gap_ = 0;
};

/// One program: how a mechanism is made of it, a step, and what it has come to.
class Program {
 public:
  virtual ~Program() = default;
  virtual double time() const = 0;
  /// One step, no further than to `until`.
  virtual void step(double until) = 0;
  virtual std::vector<Pose> poses() = 0;
  /// Empty, or what is wrong with it.
  virtual std::string complaint() const { return {}; }
};

struct Arguments {
  Mechanism mechanism;
  double until = 0, setting = 0, limit = 0;
  std::string method;
  bool watch = false;
};

/// Runs what `make` makes of the arguments, and answers.
template <class Make>
int main_of(int count, char** arguments, const Make& make) try {
  if (count != 7) {
    std::fprintf(stderr, "usage: %s MECHANISM UNTIL METHOD SETTING LIMIT WATCH\n", arguments[0]);
    return 2;
  }
  const Arguments a{read_mechanism(arguments[1]),
                    std::atof(arguments[2]),
                    std::atof(arguments[4]),
                    std::atof(arguments[5]),
                    arguments[3],
                    arguments[6][0] == '1'};
  const auto program = make(a);
  Levels levels(a.mechanism);
  levels.see(program->poses());
  std::string status = "ok";
  long steps = 0;
  double aside = 0;
  const double begin = processor_seconds();
  while (program->time() < a.until * (1 - 1e-12)) {
    program->step(a.until);
    ++steps;
    if (a.watch) {
      const double before = processor_seconds();
      levels.see(program->poses());
      aside += processor_seconds() - before;
    }
    if (steps % 64 == 0 && processor_seconds() - begin > a.limit) {
      status = "too long";
      break;
    }
  }
  const double seconds = processor_seconds() - begin - aside;
  const std::vector<Pose> end = program->poses();
  levels.see(end);
  for (const Pose& pose : end)
    if (!pose.position.allFinite()) status = "it has come to positions that are no numbers";
  if (status == "ok" && !program->complaint().empty()) status = program->complaint();
  std::printf("status %s\nsteps %ld\nseconds %.9g\nenergy %.9g\ngap %.9g\n", status.c_str(), steps, seconds,
              levels.energy(), levels.gap());
  for (const Pose& pose : end)
    std::printf("centre %.17g %.17g %.17g\n", pose.position[0], pose.position[1], pose.position[2]);
  return 0;
} catch (const std::exception& error) {
  std::string why = error.what();
  std::replace(why.begin(), why.end(), '\n', ' ');
  std::printf("status %s\n", why.c_str());
  return 0;
}

}  // namespace driver
