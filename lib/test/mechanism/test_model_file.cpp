// Model files: what formulas mean, models of files against the same models in C++, and what is said of bad files.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/curves.hpp"
#include "gnomon/model/outputs.hpp"
#include "gnomon/start/verify.hpp"
#include "mechanism/built_models.hpp"
#include "support/changed_files.hpp"
#include "support/compare_systems.hpp"

using gnomon::Index, gnomon::ProblemInstance, gnomon::System, gnomon::Vector;
using gnomon::test::build, gnomon::test::check_complaints, gnomon::test::complaint, gnomon::test::system_of;

namespace {

/// The value of a formula of x = 0.7, y = -1.3, t = 0.4, a = 2, n = 3, as a potential.
double value(const std::string& formula) {
  const ProblemInstance instance = build(R"toml(format = 1
coordinates = ["x", "y"]
mass = 1
potential = ")toml" + formula + R"toml("
[parameters]
a = 2.0
n = 3
[definitions]
d = "x + y"
"e[i] for i in 0..n" = "i*x"
[start]
position = { x = 0.7, y = -1.3 }
)toml");
  const System& system = system_of(instance);
  return system.potential(0.4, Vector::Map(std::array{0.7, -1.3}.data(), 2)) + system.traits().energy_constant;
}

const std::string pendulum = R"toml(format = 1
name = "pendulum"
coordinates = ["x", "y", "z"]
mass = "m"
potential = "m*g*z"
[constraints]
rod = "(x^2 + y^2 + z^2 - l^2)/2"
[parameters]
m = 1.5
g = { value = 9.81, unit = "m/s^2", min = 0 }
l = "2*half"
half = 0.5
[start]
position = { x = "l" }
velocity = { y = 0.25 }
[symmetries]
rotation = { x = "-y", y = "x" }
[integrals]
energy = "m*(der(x)^2 + der(y)^2 + der(z)^2)/2 + m*g*z"
[run]
until = 10
rtol = 1e-8
option = { k = 3 }
)toml";

struct Pendulum : gnomon::AutodiffModel<3, 1> {
  static constexpr int n_symmetries = 1;
  Vector mass() const { return Vector::Constant(3, 1.5); }
  template <class S>
  S potential(const S* q) const {
    return 1.5 * 9.81 * q[2];
  }
  template <class S>
  void constraints(const S* q, S* g) const {
    g[0] = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1.0) / 2;
  }
  void symmetry_generator(Index, const double* q, double* xi) const {
    xi[0] = -q[1];
    xi[1] = q[0];
  }
};

/// One coordinate after the other, M(q), a force, friction, an obstacle, the time, an invariant.
const std::string everything = R"toml(format = 1
coordinates = ["r", "w[n]"]
mass = [["2 + r^2", "0", "sin(w[0])"], [0, 3, 0], ["sin(w[0])", 0, "4"]]
potential = { gravity = "g*cos(w[0])", "spring[i] for i in 0..n-1" = "w[i]^4/4 + t*w[i]" }
[definitions]
"twice[j] for j in 0..n-1" = "2*w[j]"
[invariants]
s = { of = "w[0]^2 + w[1]^2", potential = "k*(sqrt(s) - 1)^2/2" }
[constraints]
loop = "r - twice[0]*w[1] - sin(t) - 1"
[obstacles]
"wall[i] for i in 0..n-1" = { formula = "w[i] + 5", restitution = "i/n" }
[force]
r = "-0.1*der(r)*t"
"w[i] for i in 0..n-1" = "-0.2*der(w[n-1-i])*r"
[friction]
"w[0]" = "-abs(lambda.loop)*der(w[0])*(1 + lambda.wall[1]^2)"
[parameters]
n = 2
g = 9.81
k = 3
[drawing]
"arm[i] for i in 0..n-1" = [[0, "sin(t)"], ["r", "twice[i]"]]
end = [["w[n-1]", "r"]]
[start]
position = { r = 1, w = 0.5 }
project = true
)toml";

struct Everything : gnomon::AutodiffModel<3, 1> {
  static constexpr int n_invariants = 1, n_obstacles = 2;
  template <class S>
  void mass_matrix(const S* q, S* m) const {
    using std::sin;
    m[0] = 2.0 + q[0] * q[0];
    m[2] = m[6] = sin(q[1]);
    m[4] = S(3.0);
    m[8] = S(4.0);
  }
  template <class S>
  S potential(const S& t, const S* q) const {
    using std::cos;
    const S *w = q + 1, a = w[0] * w[0], b = w[1] * w[1];
    return 9.81 * cos(w[0]) + (a * a / 4 + t * w[0]) + (b * b / 4 + t * w[1]);
  }
  template <class S>
  void invariants(const S* q, S* pi) const {
    pi[0] = q[1] * q[1] + q[2] * q[2];
  }
  template <class S>
  S invariant_potential(int, const S& s) const {
    using std::sqrt;
    const S stretch = sqrt(s) - 1.0;
    return 3.0 * (stretch * stretch) / 2;
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    using std::sin;
    g[0] = q[0] - 2 * q[1] * q[2] - sin(t) - 1.0;
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    c[0] = q[1] + 5.0;
    c[1] = q[2] + 5.0;
  }
  template <class S>
  void force(const S& t, const S* q, const S* v, S* f) const {
    f[0] = -0.1 * v[0] * t;
    f[1] = -0.2 * v[2] * q[0];
    f[2] = -0.2 * v[1] * q[0];
  }
  template <class S>
  void friction(const S*, const S* v, const S* lambda, S* f) const {
    using std::abs;
    f[1] = -abs(lambda[0]) * v[1] * (1.0 + lambda[2] * lambda[2]);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(formulas_mean_what_they_say) {
  const double x = 0.7, y = -1.3, t = 0.4, a = 2;
  const std::pair<const char*, double> formulas[] = {
      {"1+2*3^2", 19},
      {"-x^2", -x * x},
      {"2^-1", 0.5},
      {"2^3^2", 512},
      {"(1+2)*3", 9},
      {"--x", x},
      {"x - y - 1", x - y - 1},
      {"x/y/a", x / y / a},
      {"x^0.5", std::sqrt(x)},
      {"x^-3", 1 / (x * x * x)},
      {"30*deg + pi", 30 * M_PI / 180 + M_PI},
      {".5e1 + 1.E-2", 5.01},
      {"t*x", t * x},
      {"sqrt(x) + cbrt(x) + exp(x) + expm1(x) + log(x) + log1p(x)",
       std::sqrt(x) + std::cbrt(x) + std::exp(x) + std::expm1(x) + std::log(x) + std::log1p(x)},
      {"sin(x) + cos(x) + tan(x) + sinh(x) + cosh(x) + tanh(x)",
       std::sin(x) + std::cos(x) + std::tan(x) + std::sinh(x) + std::cosh(x) + std::tanh(x)},
      {"asin(x) + acos(x) + atan(x) + erf(x) + abs(y)",
       std::asin(x) + std::acos(x) + std::atan(x) + std::erf(x) + std::abs(y)},
      {"atan2(y,x) + hypot(x,y) + pow(x,a) + min(x,y) + max(x,y)",
       std::atan2(y, x) + std::hypot(x, y) + std::pow(x, a) + y + x},
      {"if(x > y, 1, 2) + if(x <= y, 10, 20) + if(a == 2, 100, 200) + if(a != 2, 1000, 2000)", 2121},
      {"if(y < 0, x, sqrt(y))", x},
      {"sum(i in 1..n: i*x)", 6 * x},
      {"sum(i in 0..n-1: sum(j in 0..i: 1))", 6},
      {"sum(i in 1..0: x)", 0},
      {"d*a", (x + y) * a},
      {"e[2] + e[n]", 5 * x},
  };
  for (const auto& [formula, expected] : formulas) {
    BOOST_TEST_CONTEXT(formula) BOOST_TEST(value(formula) == expected, boost::test_tools::tolerance(2e-15));
  }
}

BOOST_AUTO_TEST_CASE(a_pendulum_as_in_cpp) {
  const ProblemInstance file = build(pendulum);
  const gnomon::AutodiffSystem<Pendulum> cpp{Pendulum()};
  const System& system = system_of(file);
  gnomon::test::compare(system, cpp, 0, Vector::LinSpaced(3, 0.3, -0.8), 1e-15);
  BOOST_TEST(system.name() == "pendulum");
  BOOST_TEST(system.traits().constraint_names.at(0) == "rod");
  BOOST_TEST(system.parts().n_symmetries() == 1);
  BOOST_TEST(system.parts().symmetries->symmetry_name(0) == "rotation");
  BOOST_TEST(!system.parts().force);
  BOOST_TEST(!system.parts().friction);
  BOOST_TEST(!system.parts().obstacles);
  BOOST_TEST(!system.parts().mass);
  BOOST_TEST(!system.parts().time_dependence);
  BOOST_TEST(!system.parts().split);
  Vector xi(3);
  system.parts().symmetries->symmetry_generator(0, Vector::LinSpaced(3, 1, 3), xi);
  BOOST_TEST(xi[0] == -2);
  BOOST_TEST(xi[1] == 1);
  BOOST_TEST(file.q0[0] == 1);
  BOOST_TEST(file.p0[1] == 0.375);
  BOOST_TEST(system.parts().n_integrals() == 1);
  BOOST_TEST(system.parts().integrals->integral(0, 0, file.q0, file.p0) == 1.5 * 0.0625 / 2,
             boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(all_parts_as_in_cpp) {
  const ProblemInstance file = build(everything);
  gnomon::test::compare(system_of(file), gnomon::AutodiffSystem<Everything>(Everything(), file.q0), 0.3,
                        Vector::LinSpaced(3, 0.9, 0.4), 1e-14);
  Vector g(1);
  system_of(file).constraints(0, file.q0, g);
  BOOST_TEST(std::abs(g[0]) < 1e-15);  // the start was moved onto it
  const std::vector<std::string> walls = system_of(file).parts().obstacles->obstacle_names();
  BOOST_TEST(walls == (std::vector<std::string>{"wall[0]", "wall[1]"}), boost::test_tools::per_element());
  BOOST_TEST(system_of(file).traits().restitutions == (Vector(2) << 0, 0.5).finished());
}

BOOST_AUTO_TEST_CASE(parameters_change_a_model) {
  const ProblemInstance file = build(pendulum, {{"half", "3"}, {"m", "2"}});
  BOOST_TEST(file.q0[0] == 6);  // l is a formula of half
  BOOST_TEST(file.p0[1] == 0.5);
  BOOST_TEST(build(pendulum, {{"half", "3"}, {"l", "1"}}).q0[0] == 1);
  BOOST_TEST(system_of(build(everything, {{"k", "2"}})).n() == 3);
  const auto problem = gnomon::read_model_text(pendulum, "test.toml");
  BOOST_TEST(problem->run_defaults().size() == 3u);
  BOOST_TEST(problem->run_defaults().at(2).second == "k=3");
  BOOST_TEST(problem->parameters().at(1).unit == "m/s^2");
}

BOOST_AUTO_TEST_CASE(integrals_exist_where_parameters_have_their_values) {
  std::string text = pendulum;
  text.insert(text.find("[run]"), "\"of the mass\" = { formula = \"m*z\", where = { m = 1.5, half = 0.5 } }\n");
  const ProblemInstance both = build(text), one = build(text, {{"half", "3"}});
  BOOST_TEST(system_of(both).parts().n_integrals() == 2);
  BOOST_TEST(system_of(both).parts().integrals->integral_name(1) == "of the mass");
  BOOST_TEST(system_of(both).parts().integrals->integral(1, 0, Vector::Unit(3, 2), both.p0) == 1.5);
  BOOST_TEST(system_of(one).parts().n_integrals() == 1);
}

BOOST_AUTO_TEST_CASE(outputs_are_formulas_by_name) {
  BOOST_TEST(!build(pendulum).outputs);
  const ProblemInstance file = build(everything + R"toml([outputs]
"crank.angle" = { formula = "w[0]/deg", unit = "deg" }
"speed[i, j] for i in 1..n for j in 0..1" = "der(w[i-1])*10^j + t"
loop = "g*lambda.loop + lambda.wall[1]"
of_twice = "twice[1]"
nowhere = "log(-1 - r^2)"
)toml");
  const gnomon::OutputModel& outputs = *file.outputs;
  std::vector<std::string> names;
  for (const gnomon::Output& output : outputs.outputs()) names.push_back(output.name + output.unit);
  BOOST_TEST(names == (std::vector<std::string>{"crank.angledeg", "speed[1,0]", "speed[1,1]", "speed[2,0]",
                                                "speed[2,1]", "loop", "of_twice", "nowhere"}),
             boost::test_tools::per_element());
  BOOST_TEST(outputs.uses_multipliers());
  Vector values(8), q(3), v(3), lambda(3);
  q << 0.3, M_PI / 6, 0.7;
  v << 1, 2, 3;
  lambda << 5, 6, 7;
  outputs.evaluate(0.25, q, v, lambda, values);
  const std::vector<double> expected{30, 2.25, 20.25, 3.25, 30.25, 9.81 * 5 + 7, 1.4};
  for (std::size_t i = 0; i < expected.size(); ++i)
    BOOST_TEST(values[static_cast<Index>(i)] == expected[i], boost::test_tools::tolerance(1e-15));
  BOOST_TEST(std::isnan(values[7]));
  BOOST_TEST(!build(pendulum + "[outputs]\nx = \"x\"").outputs->uses_multipliers());
}

// der(d) of definitions d(t,q) against their derivatives along the motion, as numbers and on a tape, where branches are
// switches and the turns of an angle count.
BOOST_AUTO_TEST_CASE(definitions_have_derivatives) {
  const std::string text = R"toml(format = 1
coordinates = ["x", "y"]
mass = 1
potential = "x^2 + y^2"
[definitions]
length = "sqrt(x^2 + y^2 + t^2)"
branches = "if(x > 0, x^3, y)*abs(y) + min(x, y) + max(x*t, y) + x^2.5 + erf(y) + x^3*t"
angle = "winding(y, x)"
cut = "atan2(y, x)"
"family[i] for i in 1..2" = "x^i*length"
[force]
x = "der(length) + der(angle) + der(family[2])"
y = "der(branches) + der(cut) + sum(i in 1..2: der(family[i]))"
[start]
position = { x = 0.7, y = -0.6 }
[outputs]
x = "der(length) + der(angle) + der(family[2])"
y = "der(branches) + der(cut) + sum(i in 1..2: der(family[i]))"
)toml";
  const ProblemInstance file = build(text);
  const double x = 0.7, y = -0.6, t = 0.4, u = 1.3, w = -0.2;
  const double length = std::sqrt(x * x + y * y + t * t), of_length = (x * u + y * w + t) / length;
  const double of_angle = (x * w - y * u) / (x * x + y * y);
  const double first = u * length + x * of_length, second = 2 * x * u * length + x * x * of_length;
  const double of_branches = 3 * x * x * u * -y - x * x * x * w + w + (u * t + x) + 2.5 * std::pow(x, 1.5) * u +
                             2 / std::sqrt(M_PI) * std::exp(-y * y) * w + 3 * x * x * u * t + x * x * x;
  const Vector q = (Vector(2) << x, y).finished(), v = (Vector(2) << u, w).finished();
  const Vector expected =
      (Vector(2) << of_length + of_angle + second, of_branches + of_angle + first + second).finished();
  Vector force(2), outputs(2);
  file.model->mechanical()->parts().force->force(t, q, v, force);
  file.outputs->evaluate(t, q, v, Vector(), outputs);
  BOOST_TEST((force - expected).norm() < 1e-14);
  BOOST_TEST((outputs - expected).norm() < 1e-14);
  for (const gnomon::ModelCheck& check : gnomon::verify(file)) BOOST_TEST(check.passed(), check.name);
  const auto of = [&](const std::string& definition) {
    return gnomon::test::with(text, "[definitions]\n", "[definitions]\nspeed = \"" + definition + "\"\n") +
           "z = \"der(speed)\"\n";
  };
  check_complaints({
      {of("der(x)"), "der(speed): speed contains velocities, and der(...) is for what is a function of positions"},
      {of("der(length)"), "der(speed): speed contains velocities"},
      {of("der(speed)"), "definition speed needs itself"},
      {gnomon::test::with(text, "der(angle)", "der(angel)"), "unknown coordinate \"angel\""},
      {gnomon::test::with(text, "der(family[2])", "der(family)"), "\"family\" has 0 indices here, expected 1"},
  });
}

BOOST_AUTO_TEST_CASE(bad_files_get_one_sentence_with_a_place) {
  const auto with = [](const std::string& from, const std::string& to) {
    return gnomon::test::with(pendulum, from, to);
  };
  const auto output = [](const std::string& line) { return pendulum + "[outputs]\n" + line; };
  check_complaints({
      {with("m*g*z", "m*g*zz"), "test.toml:5:18: unknown name \"zz\""},
      {with("m*g*z", "m*g*sine(z)"), "test.toml:5:18: unknown name \"sine\""},
      {with("m*g*z", "m*g*"), "test.toml:5:18: a number, a name or \"(\" was expected, not the end of the formula"},
      {with("m*g*z", "m*(g*z"), "test.toml:5:20: \")\" was expected, not the end of the formula"},
      {with("m*g*z", "m*g*z)"), "test.toml:5:19: \")\" was not expected"},
      {with("m*g*z", "m g*z"), "test.toml:5:16: an operation was expected before \"g\""},
      {with("m*g*z", "9.81m*z"), "test.toml:5:14: a number is directly followed by \"m\""},
      {with("m*g*z", "m*g*der(z)"), "test.toml:5:22: the potential must not depend on velocities"},
      {with("m*g*z", "m*g*lambda.rod"), "test.toml:5:18: the potential must not depend on multipliers"},
      {with("m*g*z", "m*g*rod"), "\"rod\" is a constraint: its multiplier is lambda.rod"},
      {with("m*g*z", "sin(x, y)"), "test.toml:5:14: sin has 2 arguments, expected 1"},
      {with("m*g*z", "x[1]"), "test.toml:5:14: \"x\" has 1 index here, expected 0"},
      {with("m*g*z", "if(x, 1, 2)"), "a comparison (< > <= >= == !=) was expected in if(...)"},
      {with("m*g*z", "x < 1"), "a comparison was found, and is expected in if(a < b, c, d) only"},
      {with("m*g*z", ""), "test.toml:5:14: the formula is empty"},
      {with("[parameters]", "k = \"l - 1\"\n[parameters]"),
       "test.toml:8:6: system pendulum: constraint \"k\" depends on no coordinate"},
      {pendulum + "[obstacles]\nroof = \"l - 1\"", "obstacle \"roof\" depends on no coordinate"},
      {with("m*g*z", "z/(x - l)"), "test.toml:5:14: the formula \"z/(x - l)\" is not a number at the start"},
      {with("\"m*g*z\"", "true"), "test.toml:5:13: the potential is of the type boolean, expected a formula"},
      {with("mass = \"m\"", "mass = \"-m\""), "test.toml:4:8: system pendulum: coordinate 0 (x) has the mass -1.5"},
      {with("mass = \"m\"", "mass = [1, 2]"), "test.toml:4:8: the mass has 2 entries, expected 3"},
      {with("mass = \"m\"", "mass = { x = 1, y = 2 }"), "test.toml:4:8: coordinate z has no mass"},
      {with("mass = \"m\"", "mas = \"m\""), "test.toml:4:1: unknown key \"mas\"; did you mean \"mass\"?"},
      {with("mass = \"m\"\n", ""), "test.toml:1:1: mass is missing"},
      {with("format = 1", "format = 2"), "test.toml:1:10: format = 2, and 1 is known"},
      {with("format = 1\n", ""), "test.toml:1:1: format is missing"},
      {with("half = 0.5", "half = \"l/2\""), "needs its own value"},
      {with("energy = ", "energy = { where = { m = 2 } }\nother = "), "test.toml:19:1: integral energy has no formula"},
      {with("energy = ", "e = { formula = \"x\", where = { mm = 2 } }\nother = "),
       "test.toml:19:32: unknown parameter \"mm\""},
      {with("half = 0.5", "x = 0.5"),
       "test.toml:3:17: \"x\" is the name of something else already, in line 12, column 1"},
      {with("half = 0.5", "sin = 0.5"), "test.toml:12:1: \"sin\" is a reserved word"},
      {with("half = 0.5", "half = \"1/0\""), "test.toml:12:9: parameter half is infinite"},
      {with("half = 0.5", "half = \"x\""), "test.toml:12:9: unknown name \"x\""},
      {with("min = 0", "min = 10"), "test.toml:10:1: parameter g is 9.81, expected at least 10"},
      {with("min = 0", "mini = 0"), "unknown key of parameter g \"mini\""},
      {with("y = \"x\" }", "y = \"2*x\" }"),
       "test.toml:17:19: \"rotation\" is no symmetry: it changes the kinetic energy"},
      {with("y = \"x\" }", "y = \"x\", z = \"1\" }"), "\"rotation\" is no symmetry: it changes the potential"},
      {with("position = { x", "position = { u"), "test.toml:14:14: unknown coordinate \"u\""},
      {with("position = { x", "positon = { x"), "unknown key of start \"positon\"; did you mean \"position\"?"},
      {with("position = { x = \"l\" }", "position = { x = \"y\" }"), "start x must not depend on positions"},
      {with("until = 10", "untill = 10"), "unknown key of run \"untill\"; did you mean \"until\"?"},
      {with("rod = ", "rod "), "test.toml:7:5: not TOML"},
      {with("rod = ", "\"rod[i] for i in 0..2.5\" = "), "test.toml:7:21: a whole number was expected, not 2.5"},
      {with("rod = ", "\"rod[i] for j in 0..2\" = "), "test.toml:7:6: unknown name \"i\""},
      {with("coordinates = [\"x\", \"y\", \"z\"]", "coordinates = { x = 3, y = 1, z = 1 }"), "expected 1"},
      {pendulum + "[obstacles]\nf = { formula = \"z + 9\", restitution = \"2*m\" }",
       "test.toml:25:41: the restitution of obstacle f is 3, expected 0 to 1"},
      {pendulum + "[obstacles]\nf = { formula = \"z + 9\", restitution = \"x\" }",
       "test.toml:25:41: the restitution of obstacle f must not depend on positions"},
      {output("a = \"x + zz\""), "test.toml:25:10: unknown name \"zz\""},
      {output("a = { formula = \"lambda.rods\" }"), "test.toml:25:18: unknown constraint \"rods\""},
      {output("a = { unit = \"N\" }"), "test.toml:25:1: output a has no formula"},
      {output("a = { formula = 1, units = \"N\" }"), "unknown key of output a \"units\"; did you mean \"unit\"?"},
      {output("\"a[2*i] for i in 0..2\" = 1"), "the indices are those of the loops"},
      {output("a = 1\n\"a[i] for i in 0..2\" = 1"), "test.toml:26:1: output a is given already, in line 25"},
  });
}

BOOST_AUTO_TEST_CASE(a_drawing_is_polylines_of_formulas) {
  const auto drawing = [](const std::string& curves) {
    return "format = 1\ncoordinates = [\"x[n]\", \"y[n]\"]\nmass = 1\npotential = 0\n[parameters]\nn = 3\nl = 2.0\n"
           "[definitions]\ntop = \"l + sin(t)\"\n[start.position]\n\"x[i] for i in 0..n-1\" = \"i\"\n[drawing]\n" +
           curves;
  };
  const ProblemInstance instance =
      build(drawing("first = [[0, \"top\"], [\"x[0]\", \"y[0]\"]]\n"
                    "\"rod[i] for i in 1..n-1\" = [[\"x[i-1]\", \"y[i-1]\"], "
                    "[\"x[i]\", \"y[i] + i\"]]\nbob = [[\"x[n-1]\", \"y[n-1]\"]]"));
  BOOST_REQUIRE(instance.curves);
  const std::vector<gnomon::Curve> curves = instance.curves->curves();
  BOOST_REQUIRE_EQUAL(curves.size(), 4u);
  BOOST_TEST(curves[0].name == "first");
  BOOST_TEST(curves[2].name == "rod[2]");
  BOOST_TEST(curves[2].n_points == 2);
  BOOST_TEST(curves[3].n_points == 1);
  BOOST_TEST(curves[3].dimension == 2);
  gnomon::Matrix points(2, 2);
  instance.curves->curve_points(2, 0, instance.q0, points);
  BOOST_TEST((points == (gnomon::Matrix(2, 2) << 1, 2, 0, 2).finished()));
  instance.curves->curve_points(0, 0.5, instance.q0, points);
  BOOST_TEST(points(1, 0) == 2 + std::sin(0.5));
  BOOST_TEST(!build(pendulum).curves);

  const std::pair<std::string, const char*> bad[] = {
      {"a = [[\"x[0]\"]]", "test.toml:13:6: a point of curve a has 1 formulas, expected two or three"},
      {"a = [[0, 0], [0, 0, 0]]", "test.toml:13:14: a point of curve a has 3 formulas, expected 2 as in the first"},
      {"a = [[0, 0]]\nb = [[0, 0, 0]]",
       "test.toml:14:6: a point of curve b has 3 formulas, expected 2 as in the first"},
      {"a = [[0, \"u\"]]", "test.toml:13:11: unknown name \"u\""},
      {"a = [[0, \"der(x[0])\"]]", "a point of curve a must not depend on velocities"},
      {"a = []", "test.toml:13:1: curve a has no points, expected [[x, y], ...]"},
      {"a = \"x\"", "test.toml:13:5: curve a is of the type string, expected an array"},
      {"a = [\"x\"]", "test.toml:13:6: a point of curve a is of the type string, expected an array"},
      {"a = [[0, \"1/y[0]\"]]", "test.toml:13:11: a point of curve a is infinite at the start"},
      {"\"a[i] for i in 0..n\" = [[0, \"x[i]\"]]", "the index 3 is outside 0..2"},
  };
  for (const auto& [text, expected] : bad) {
    const std::string said = complaint(drawing(text));
    BOOST_TEST_CONTEXT(expected) BOOST_TEST(said.find(expected) != std::string::npos, said);
  }
}

BOOST_AUTO_TEST_CASE(indices_are_checked) {
  const auto chain = [](const std::string& constraint) {
    return "format = 1\ncoordinates = [\"x[n]\"]\nmass = 1\npotential = 0\n[parameters]\nn = 3\n[constraints]\n" +
           constraint;
  };
  BOOST_TEST(complaint(chain("\"c[i] for i in 1..n-1\" = \"x[i] - x[i-1]\"")) == "");
  const std::string outside = complaint(chain("\"c[i] for i in 0..n-1\" = \"x[i] - x[i-1]\""));
  BOOST_TEST(outside == "test.toml:8:34: the index -1 is outside 0..2 in \"x[i] - x[i-1]\"");
  BOOST_TEST(complaint(chain("c = \"x[x[0]]\"")).find("an index is made of whole numbers") != std::string::npos);
  BOOST_TEST(complaint(chain("c = \"x[0]\"\n[force]\n\"x[i] for i in 0..1\" = 1\n\"x[1]\" = 2"))
                 .find("the force of coordinate 1 (x) is given already, in line 10") != std::string::npos);
  BOOST_TEST(complaint(chain("c = \"x\"")).find("\"x\" has 0 indices here, expected 1") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(changed_files_are_taken_or_refused) {
  const auto with_output = [](const std::string& text, const std::string& formula) {
    return text + "[outputs]\n\"of.x[i] for i in 0..1\" = { formula = \"i*" + formula + "\", unit = \"N\" }\n";
  };
  gnomon::test::check_changed_files({with_output(pendulum, "der(x)"), with_output(everything, "lambda.loop")},
                                    complaint);
}

// Chains as long as the file, and counts that no memory holds: they are read, or refused with a sentence.
BOOST_AUTO_TEST_CASE(long_chains_and_large_counts) {
  const std::string head = "format = 1\ncoordinates = [\"x\"]\nmass = 1\n";
  const auto chain = [&](const std::string& table, const std::string& first, const std::string& loop, int count) {
    std::string text =
        head + "potential = \"a" + std::to_string(count) + (loop.empty() ? "" : "[0]") + "*x\"\n[" + table + "]\n";
    const std::string index = loop.empty() ? "" : "[i]";
    for (int k = count; k > 0; --k)
      text += "\"a" + std::to_string(k) + loop + "\" = \"a" + std::to_string(k - 1) + index + " + 1\"\n";
    return text + "\"a0" + loop + "\" = \"" + first + "\"\n";
  };
  const Vector x = Vector::Constant(1, 0.5);
  BOOST_TEST(system_of(build(chain("definitions", "x", "", 10000))).potential(0, x) == 10000.5 * 0.5);
  BOOST_TEST(system_of(build(chain("parameters", "2", "", 10000))).potential(0, x) == 10002 * 0.5);
  const std::string families = chain("definitions", "x", "[i] for i in 0..1", 5000);
  BOOST_TEST(complaint(families).find("one after the other") != std::string::npos, complaint(families));

  const auto refused = [&](const std::string& text, const std::string& part) {
    const std::string sentence = complaint(head + text);
    BOOST_TEST(sentence.find(part) != std::string::npos, sentence);
    BOOST_TEST(sentence.find(".toml:") != std::string::npos, sentence);
  };
  refused("potential = \"sum(i in 1..1000000000: x*i)\"\n", "4:14: the sum has 1e+09 terms, expected at most 1000000");
  refused("potential = \"x*sum(i in 1..2000: sum(j in 1..i*1000: j))\"\n", "the sum has");
  refused("potential = 0\n[definitions]\n\"d[i,j] for i in 1..9000 for j in 1..9000\" = \"x\"\n", "50 million");
  const auto repeated = [](const std::string& text, int count) {
    std::string result;
    for (int k = 0; k < count; ++k) result += text;
    return result;
  };
  refused("potential = \"" + repeated("(", 50000) + "x" + repeated(")", 50000) + "\"\n", "nested more than 200 deep");
  refused("potential = 0\n[" + repeated("a.", 50000) + "a]\n",
          "5:129: not TOML that is read: a key has more than 64 parts");
  refused("potential = 0\n" + repeated("a.", 50000) + "a = 1\n", "more than 64 parts");
  refused("potential = 0\na = " + repeated("[", 50000) + "\n", "nested");
}
