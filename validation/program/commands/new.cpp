/// gnomon new: a commented model file to start from.
#include <fmt/format.h>

#include <filesystem>

#include "gnomon/base/error.hpp"
#include "gnomon/base/whole_file.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "program/commands/commands.hpp"

namespace gnomon::program {

namespace {

/// A pendulum on a spring; what most models do not need is there as a comment. {0} is the name.
constexpr const char* text = R"toml(# A model for gnomon: strings are formulas, numbers are numbers. Try
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

int write(const std::string& name) {
  const std::string file = is_model_file(name) ? name : name + ".toml";
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored))
    throw Error(ErrorCode::bad_file, "\"" + file + "\" exists already: nothing was written");
  WholeFile target("model file", file);
  target.write(fmt::format(text, std::filesystem::path(file).stem().string()));
  target.commit();
  fmt::print("{}\n", file);
  return success;
}

}  // namespace

void add_new(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("new", "write a commented model file to start from");
  auto name = std::make_shared<std::string>();
  command->add_option("NAME", *name, "of the model; the file is NAME.toml")->required()->type_name("");
  command->callback([&invocation, name] { invocation.action = [name](const Registry&) { return write(*name); }; });
}

}  // namespace gnomon::program
