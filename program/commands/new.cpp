/// gnomon new: a commented model file to start from.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <filesystem>

#include "gnomon/base/error.hpp"
#include "gnomon/base/whole_file.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "program/cli/say.hpp"
#include "program/commands/commands.hpp"

namespace gnomon::program {

namespace {

/// A pendulum on a spring; what most models do not need is there as a comment. {0} is the name.
constexpr const char* formulas = R"toml(# A model for gnomon: strings are formulas, numbers are numbers. Try
#   gnomon describe {0}.toml        what was found, and which schemes take it
#   gnomon check {0}.toml           the start, and every derivative against differences
#   gnomon run {0}.toml
format = 1
name = "{0}"
description = "a bob on a rod, held by a spring"

# Names of the coordinates; "x[n]" stands for x[0] .. x[n-1], n a parameter.
coordinates = ["x", "y"]

# One formula for all coordinates, a list with one each, or a matrix; with coordinates in it, it is M(q).
mass = "m"

# U(q, t). Known: + - * / ^, sqrt cbrt exp expm1 log log1p sin cos tan sinh cosh tanh asin acos atan erf abs,
# atan2(y,x) hypot(x,y) pow(a,b) min(a,b) max(a,b), if(a < b, c, d), sum(i in 0..n-1: x[i]), t, pi, deg (30*deg).
potential = "m*g*y + k*stretch^2/2"

[definitions]           # names for formulas, to be used in others
stretch = "sqrt((x - a)^2 + y^2) - a"

[constraints]           # g(q, t) = 0; "rod[i] for i in 1..n-1" = "..." is a whole family
rod = "(x^2 + y^2 - l^2)/2"

[parameters]            # --set l=2 changes one for a run
m = {{ value = 1.0, unit = "kg", min = 1e-6, description = "mass of the bob" }}
g = 9.81
l = 1.0
k = 5.0
a = "2*l"

[start]                 # what is not given is zero; project = true moves the start onto the constraints
position = {{ x = "l*sin(30*deg)", y = "-l*cos(30*deg)" }}

[run]                   # what gnomon run takes when the command line says nothing else
until = 10.0
rtol = 1e-8

[drawing]               # polylines for --plot and --snapshots, of points with two or three formulas; one point is a dot
rod = [["0", "0"], ["x", "y"]]
spring = [["a", "0"], ["x", "y"]]
bob = [["x", "y"]]
pivot = [["0", "0"]]

# [force]               # Q(q, q', t) by coordinate; der(x) is the velocity of x. Its work is booked in the energy.
# x = "-0.1*der(x)"
# [friction]            # R(q, q', lambda); lambda.rod is a multiplier
# x = "-0.1*abs(lambda.rod)*der(x)"
# [obstacles]           # c(q) >= 0, met by impacts; Coulomb friction with slip and friction
# floor = {{ formula = "y + 1.2", restitution = 0.5 }}
# [symmetries]          # generators; the momentum maps are conserved, and a false one is an error
# rotation = {{ x = "-y", y = "x" }}
# [integrals]           # shown, not promised
# height = "y"
# [outputs]             # columns of --output and values of --json; the rod pulls with lambda.rod times its length
# tension = {{ formula = "lambda.rod*l", unit = "N" }}
)toml";

/// A pendulum of a bar with a driven hinge and a particle on a rod. {0} is the name.
constexpr const char* mechanism = R"toml(# A mechanism for gnomon: strings are formulas, numbers are numbers. Try
#   gnomon describe {0}.toml        what was found, and which schemes take it
#   gnomon run {0}.toml --plot {0}.svg --output {0}.csv
format = 1
name = "{0}"
description = "a bar on a hinge, and a bob on a rod at its end"
gravity = [0, 0, -9.81]           # left out: none. planar = true: in the plane, positions of two numbers

[points]                          # fixed, or moving: O = ["0.1*sin(t)", 0, 0]
O = [0, 0, 0]

[bodies.bar]
shape = {{ box = [1, 0.05, 0.1], density = "rho" }}   # box, sphere, cylinder = [radius, length] (along the third axis);
# mass = 5.0                                         # or a mass and the inertia about the centre of mass:
# inertia = [0.01, 0.4, 0.4]                         # principal moments, or a matrix; in the plane one number
markers = {{ left = [-0.5, 0, 0], right = [0.5, 0, 0] }}   # in body axes, from the centre of mass
orientation = {{ axis = [0, 1, 0], angle = "30*deg" }}     # planar: orientation = "30*deg"
place = {{ left = "O" }}            # one marker, or two, which turn the body too; or position = [..] of its centre
angular_velocity = [0, 1, 0]      # velocities that are left out follow from the others, joints and motors

[particles.bob]
mass = 0.5
position = ["cos(30*deg)", 0, "-sin(30*deg) - l"]

[joints]                          # revolute prismatic cylindrical planar point-on-line point-on-plane (axis), universal
pivot = {{ type = "revolute", between = ["O", "bar.left"], axis = [0, 1, 0], damping = 0.1 }}  # (axes), spherical, weld

[rods]
r = {{ between = ["bar.right", "bob"] }}

[springs]
s = {{ between = ["O", "bob"], stiffness = 10, rest_length = 1 }}     # and damping

[motors]                          # angle or distance (of t), torque or force (of t, angle, speed, ..)
drive = {{ joint = "pivot", torque = "0.5*sin(3*t)" }}

# [loads]                         # forces at points, of formulas
# wind = {{ on = "bob", force = ["0.1", 0, "-0.2*der(bob.z)"] }}
# [contacts]                      # points stay above a plane
# floor = {{ plane = {{ point = [0, 0, -2], normal = [0, 0, 1] }}, on = ["bob"], restitution = 0.5 }}

[parameters]                      # --set l=2 changes one for a run
l = 0.5
rho = {{ value = 1000.0, unit = "kg/m^3", min = 1e-3 }}

# [start]
# assemble = true                 # moves everything to where it fits; without it a misfit is an error

[run]                             # what gnomon run takes when the command line says nothing else
until = 5.0
rtol = 1e-6
)toml";

/// A four-bar linkage with a motor. {0} is the name.
constexpr const char* planar_mechanism =
    R"toml(# A mechanism in the plane: strings are formulas, numbers are numbers. Try
#   gnomon describe {0}.toml        what was found, and which schemes take it
#   gnomon run {0}.toml --plot {0}.svg --report {0}.html
format = 1
name = "{0}"
description = "a four-bar linkage, driven at its crank"
planar = true                     # positions of two numbers, angles and moments of one
gravity = [0, -9.81]              # left out: none

[points]                          # fixed, or moving: O = ["0.1*sin(t)", 0]
O = [0, 0]
P = [2, 0]

[bodies.crank]
shape = {{ box = [1, 0.05], density = "rho" }}        # box, disc; or a mass and an inertia
markers = {{ left = [-0.5, 0], right = [0.5, 0] }}   # in body axes, from the centre of mass
orientation = "60*deg"
place = {{ left = "O" }}            # one marker, or two, which turn the body too; or position = [..] of its centre
angular_velocity = 2              # velocities that are left out follow from the others, joints and motors

[bodies.coupler]
shape = {{ box = [2, 0.05], density = "rho" }}
markers = {{ left = [-1, 0], right = [1, 0] }}
orientation = "20*deg"            # a guess: [start] assembles
place = {{ left = "crank.right" }}

[bodies.rocker]
shape = {{ box = [1.5, 0.05], density = "rho" }}
markers = {{ left = [-0.75, 0], right = [0.75, 0] }}
orientation = "100*deg"
place = {{ left = "P" }}

[joints]                          # revolute; prismatic and point-on-line (axis), weld
A = {{ type = "revolute", between = ["O", "crank.left"], damping = 0.1 }}
B = {{ type = "revolute", between = ["crank.right", "coupler.left"] }}
C = {{ type = "revolute", between = ["coupler.right", "rocker.right"] }}
D = {{ type = "revolute", between = ["P", "rocker.left"] }}

[motors]                          # angle or distance (of t), torque or force (of t, angle, speed, ..)
drive = {{ joint = "A", torque = "5*sin(3*t)" }}

[parameters]                      # --set rho=20 changes one for a run
rho = {{ value = 10.0, unit = "kg/m^2", min = 1e-3 }}

[start]
assemble = true                   # moves everything to where it fits; without it a misfit is an error

[run]                             # what gnomon run takes when the command line says nothing else
until = 5.0
rtol = 1e-6
)toml";

struct Choice {
  bool bodies = false, planar = false;
  std::string robot;
};

int write(const std::string& name, const Choice& choice) {
  if (is_robot_file(name))
    throw Error(ErrorCode::bad_value, "the model to write is \"" + name + "\", expected NAME or NAME.toml");
  if (!choice.robot.empty() && !is_robot_file(choice.robot))
    throw Error(ErrorCode::bad_value, "--from = \"" + choice.robot + "\", expected NAME.urdf, NAME.sdf or NAME.xml");
  if (!choice.robot.empty() && (choice.bodies || choice.planar))
    throw Error(ErrorCode::bad_value, "--from is given beside --mechanism or --planar, expected one of them");
  const std::string file = is_model_file(name) ? name : name + ".toml",
                    stem = std::filesystem::path(file).stem().string();
  const auto is_strange = [](unsigned char c) { return c < ' ' || c == 127 || c == '"' || c == '\\'; };
  if (stem.find_first_not_of('.') == std::string::npos || stem == ".toml" ||
      std::any_of(stem.begin(), stem.end(), is_strange))
    throw Error(ErrorCode::bad_value, "the model to write is \"" + name +
                                          "\", expected a name that is not of dots alone and has neither quotes, "
                                          "backslashes nor control characters");
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored))
    throw Error(ErrorCode::bad_file, "\"" + file + "\" exists already: nothing was written");
  if (!choice.robot.empty()) read_model_file(choice.robot);  // what is wrong in it is said now
  const char* const form = choice.planar ? planar_mechanism : choice.bodies ? mechanism : formulas;
  const std::string text = choice.robot.empty()
                               ? fmt::format(fmt::runtime(form), stem)
                               : model_file_text(choice.robot, std::filesystem::absolute(file).parent_path().string());
  WholeFile target("model file", file);
  target.write(text);
  target.commit();
  say("{}\n", file);
  return success;
}

}  // namespace

void add_new(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("new", "write a commented model file to start from");
  auto name = std::make_shared<std::string>();
  command->add_option("NAME", *name, "of the model; the file is NAME.toml")->required()->type_name("");
  auto choice = std::make_shared<Choice>();
  command->add_flag("--mechanism", choice->bodies, "of bodies and joints; left out: of formulas");
  command->add_flag("--planar", choice->planar, "of bodies and joints in the plane");
  command->add_option("--from", choice->robot, "of this robot in URDF, SDF or MJCF, as `gnomon import` writes it")
      ->type_name("ROBOT");
  command->callback([&invocation, name, choice] {
    invocation.action = [name, choice](const Registry&) { return write(*name, *choice); };
  });
}

}  // namespace gnomon::program
